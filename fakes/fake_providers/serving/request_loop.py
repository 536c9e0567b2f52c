"""What happens to every model request of a fake: key, rules, side request, retry, window, reply.

A case, a `ScriptedFake` and the server differ in what the model replies and in what is recorded: that is a `ModelSide`.
"""

from typing import Any, Literal

from msgspec import Struct, structs

from fake_providers.http import Request, Response, compact, json_response
from fake_providers.ids import Ids
from fake_providers.replies.transport_faults import with_transport_fault
from fake_providers.reply import Fault, Reply, Split
from fake_providers.rule import Tolerance, Violation, judged
from fake_providers.serving.conversation_store import ConversationStore
from fake_providers.serving.endpoints import Endpoints, not_built
from fake_providers.serving.kept_replies import written
from fake_providers.stored_batches import NO_TIME, BatchTime, Run
from fake_providers.values.tokens import count_tokens
from fake_providers.view import View
from fake_providers.wire import HasProfiles, ReplyContext, Wire


def respond(wire: Wire, reply: Reply, context: ReplyContext, conversations: ConversationStore) -> Response:
    """The provider stores a response as it sent it, and nothing of one that it could not send.

    Raises `CannotExpress`.
    """
    fault = reply.fault
    if fault is not None and fault.status is not None:
        return with_transport_fault(_with_retry_date(wire.fail(fault, context), fault), fault, wire=wire.name)
    response = written(wire, reply, context)
    if fault is None or fault.is_sent_whole:
        response = conversations.keep(context.request, response)
    return with_transport_fault(response, fault, wire=wire.name)


def _with_retry_date(response: Response, fault: Fault) -> Response:
    """As a proxy changes it: a date in place of the provider's own number of seconds."""
    if fault.retry_date is None:
        return response
    others = tuple(header for header in response.headers if not header[0].lower().startswith("retry-after"))
    return structs.replace(response, headers=(*others, ("retry-after", fault.retry_date)))


Refusal = Literal["refused", "window", "side"]
"""Why a request is refused: the provider's rules, a conversation that is too long, or a side request that is."""


class Window(Struct, frozen=True):
    """The longest conversation, in tokens. A longer one is refused: in the provider's words, or with another's status
    and body, `words`.

    One that `truncates` refuses nothing. The model reads the end of the conversation, as much as fits, or as much as
    the request says; only the count of tokens shows it. So does Ollama (ollama/ollama#8531, ollama/ollama#18107).
    """

    tokens: int
    words: tuple[int, Any] | None = None
    truncates: bool = False


class ModelRequest(Struct, frozen=True):
    """A request of a provider's wire. `http` has the whole conversation, where `sent` names what the provider stores
    of it."""

    sent: Request
    http: Request
    view: View
    provider: str
    wire: str


class Examined(Struct, frozen=True):
    """A request as it was found: with what it continues, what it says, and which rule it breaks. `view` is None for one
    that is no model request of the wire.
    """

    request: Request
    view: View | None = None
    violation: Violation | None = None


class ModelSide:
    """What the model says, and what is noted of its requests. The loop calls it; each method has a plain default."""

    def stop_before(self, request: Request) -> str | None:
        """Called with any request, first: the message that it is stopped with, unread; None where it goes on."""
        return None

    def unknown(self, request: Request) -> Response | str:
        """The response to a request that the wire does not answer; or what a 404 of the provider says."""
        return json_response(404, {"error": {"message": f"{request.method} {request.path} is not built"}})

    def received(self, request: ModelRequest) -> None:
        """Called with each model request before it is judged."""

    def refused(self, request: ModelRequest, violation: Violation, why: Refusal) -> None:
        """Called with a request that is refused."""

    def tolerated(self, request: ModelRequest, breaches: tuple[Violation, ...]) -> None:
        """Called with a request that breaks rules which are tolerated, after it was judged."""

    def count_refused(self, request: Request, violation: Violation) -> None:
        """Called with a request for a count of tokens that is refused as the model request would be."""

    def side_reply(self, request: ModelRequest) -> Reply | str | None:
        """The reply to a side request, or the message that the request is stopped with; None for a request of the
        conversation.
        """
        return None

    def earlier_reply(self, request: ModelRequest) -> Reply | None:
        """The reply to the same request before, where this is a transport's retry."""
        return None

    def next_reply(self, request: ModelRequest) -> Reply | str:
        """The reply; or the message that the request is stopped with."""
        raise NotImplementedError

    def followed(self, response: Response) -> Response:
        """The response to the reply just chosen, with a listener where somebody wants to know how far it gets."""
        return response


class RequestLoop:
    """One provider on one wire, with the conversations it stores. It lists `model`, or else the default one.

    `served_model` is behind names that say nothing of the model, as ARNs of Bedrock's do.

    Not thread-safe: the model side and the loop change together, under a lock of the caller's. `examine` needs none.
    """

    def __init__(
        self,
        wire: Wire,
        provider: str,
        *,
        ids: Ids,
        split: Split = "provider",
        window: Window | None = None,
        tolerated: frozenset[str] = frozenset(),
        model: str | None = None,
        served_model: str | None = None,
        batches: BatchTime = NO_TIME,
    ) -> None:
        self._wire = wire
        self._provider = provider
        self._ids = ids
        self._split = split
        self._window = window
        self._tolerated = tolerated
        self._longest = None if window is None or window.truncates else window.tokens
        """The tokens beyond which a conversation is refused."""
        self._served_model = served_model if isinstance(wire, HasProfiles) else None
        self._conversations = ConversationStore(wire)
        self._endpoints = Endpoints(
            wire, provider, self._conversations, ids, model=model, window=self._longest, batches=batches
        )

    def examine(self, sent: Request) -> Examined:
        """What takes long for a long request, before `handle`. Any thread may call it."""
        request = self._resolved(sent)
        view = self._view(request)
        return Examined(request, view, None if view is None else self._broken_rule(request))

    def handle(
        self, sent: Request, model: ModelSide, examined: Examined | None = None, run: Run | None = None
    ) -> Response:
        """The response. `model` is passed each time and not kept: the two would keep each other alive.

        `examined` is of the same request, where no rule is tolerated. `run` answers the requests of a batch, where
        others than this loop may have a route for them.
        """
        is_to_model = examined is not None and examined.view is not None and examined.request is sent
        run = run or (lambda request: self.handle(request, model))
        answered = self._endpoints.answer(sent, model, run=run, is_to_model=is_to_model)
        if answered is not None:
            return answered
        request = examined.request if examined else self._resolved(sent)
        message = model.stop_before(request)
        if message is not None:
            return self.stop(request, message)
        view = examined.view if examined else self._view(request)
        if view is None:
            said = model.unknown(request)
            return said if isinstance(said, Response) else self.not_built(request, said)
        received = ModelRequest(sent, request, view, self._provider, self._wire.name)
        model.received(received)
        violation = examined.violation if examined else self._violation(received, model)
        return self._answer(received, violation, self._context(request, view), model)

    def stop(self, request: Request, message: str) -> Response:
        """The response that stops a request, unread."""
        return self._wire.stopped(message, self._context(request, None))

    def forget(self) -> None:
        """From here on nothing is stored that was stored before."""
        self._conversations.forget()

    def claims(self, request: Request) -> bool:
        """Whether the wire answers the request, be it with a refusal. Changes nothing."""
        return self._wire.route(request) is not None or self._endpoints.claims(request)

    def not_built(self, request: Request, message: str) -> Response:
        """A 404 of the provider with this message."""
        return not_built(self._wire, message, self._context(request, None))

    def _resolved(self, sent: Request) -> Request:
        """The request with what the provider stores of what it names."""
        request = self._conversations.resolve(sent)
        named = self._served_model is not None and request.stored is None
        return structs.replace(request, stored=self._served_model) if named else request

    def _context(self, request: Request, view: View | None) -> ReplyContext:
        read = None
        if self._window is not None and self._window.truncates:
            read = (view.window if view else None) or self._window.tokens
        return ReplyContext(request, self._provider, self._ids, self._split, view, read)

    def _answer(
        self, request: ModelRequest, violation: Violation | None, context: ReplyContext, model: ModelSide
    ) -> Response:
        if violation is not None:
            return self._refuse(request, violation, "refused", context, model)
        side_reply = model.side_reply(request)
        if isinstance(side_reply, str):
            return self._wire.stopped(side_reply, context)
        if side_reply is not None:
            too_long = None if self._longest is None else self._too_long(request, self._longest)
            if too_long is not None:
                return self._refuse(request, too_long, "side", context, model)
            return self._respond(side_reply, structs.replace(context, split="provider"))
        reply: Reply | str | None = model.earlier_reply(request)
        if reply is None:
            too_long = None if self._longest is None else self._too_long(request, self._longest)
            if too_long is not None:
                return self._refuse(request, too_long, "window", context, model)
            reply = model.next_reply(request)
        if isinstance(reply, str):
            return self._wire.stopped(reply, context)
        return model.followed(respond(self._wire, reply, context, self._conversations))

    def _view(self, request: Request) -> View | None:
        """What the request says; None for one that is no model request of the wire."""
        return None if self._wire.route(request) is None else self._wire.view(request)

    def _broken_rule(self, request: Request) -> Violation | None:
        """The first rule that the request breaks, where none is tolerated."""
        return self._wire.missing_key(request) or self._wire.judge(request, provider=self._provider)

    def _violation(self, request: ModelRequest, model: ModelSide) -> Violation | None:
        """The first rule that refuses the request; what breaks a tolerated one is noted."""
        http = request.http
        if not self._tolerated:
            return self._broken_rule(http)
        tolerance = Tolerance(self._tolerated)
        key = self._wire.missing_key(http)
        if key is not None and not tolerance.takes(key):
            return key
        violation = judged(lambda: self._wire.judge(http, provider=self._provider), tolerance)
        if violation is not None and violation.rule in self._tolerated:
            tolerance.takes(violation)
            violation = None
        if not tolerance.breaches:
            return violation
        if violation is None and not self._is_answerable(request):
            return tolerance.breaches[0]
        model.tolerated(request, tuple(tolerance.breaches))
        return violation

    def _is_answerable(self, request: ModelRequest) -> bool:
        """Whether a reply can be written at all: not to a body that is no object."""
        context = ReplyContext(request.http, self._provider, Ids("tolerated"), "provider", request.view)
        try:
            self._wire.encode(Reply(text="Hello."), context)
        except Exception:
            return False
        return True

    def _too_long(self, request: ModelRequest, longest: int) -> Violation | None:
        tokens = count_tokens(request.view)
        if tokens <= longest:
            return None
        return self._wire.too_long(request.http, provider=self._provider, tokens=tokens, window=longest)

    def _refuse(
        self, request: ModelRequest, violation: Violation, why: Refusal, context: ReplyContext, model: ModelSide
    ) -> Response:
        words = self._window.words if why != "refused" and self._window is not None else None
        if words is None:
            model.refused(request, violation, why)
            return self._wire.refuse(violation, context)
        status, body = words
        said = body if isinstance(body, str) else compact(body)
        model.refused(request, structs.replace(violation, status=status, message=said), why)
        return self._respond(Reply(fault=Fault(status=status, body=body)), structs.replace(context, split="provider"))

    def _respond(self, reply: Reply, context: ReplyContext) -> Response:
        return respond(self._wire, reply, context, self._conversations)
