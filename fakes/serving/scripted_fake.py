"""A strict fake with a script, for people's own tests. Knows wires through `fakes.wire` and no transport."""

import threading
from collections.abc import Iterable, Mapping
from dataclasses import replace

from fakes.http import Request, Response, json_response
from fakes.ids import Ids
from fakes.minimal_value import minimal_value
from fakes.registry import provider_wires
from fakes.reply import Call, Fault, Reply
from fakes.rule import Violation
from fakes.serving.conversation_store import ConversationStore
from fakes.serving.responding import respond
from fakes.view import View
from fakes.wire import ReplyContext, Wire

OVER = Reply(text="The script is over.")
DONE = Reply(text="Done.")


class ScriptedFake:
    """`provider` on one of its wires: refuses what the provider refuses, and answers the rest with `replies` in order.

    After the last reply it repeats the last one that is text alone, else `The script is over.` Without replies it calls
    the first tool offered, once, with the least arguments that fit its schema, and says `Done.` to everything else.
    `wire` is the name of a wire, needed where the provider speaks several and not the first is meant.

    `faults` go wrong by the number of the request, counted from 1 as in `requests`. They come on top of the replies:
    the reply that a fault has spoilt is given to the next request. A request that is refused is told so all the same.

    A handler for any transport. Raises `LookupError` for a provider or a wire that is not built, and `ValueError` for
    the fault of a request that never comes.
    """

    def __init__(
        self,
        provider: str,
        replies: Iterable[Reply] | None = None,
        *,
        wire: str | None = None,
        faults: Mapping[int, Fault] | None = None,
    ) -> None:
        self.provider = provider
        self.wire = _wire_of(provider, wire)
        self.base_url = ""
        """In the form that the wire's official SDK takes; empty where no transport of ours serves it."""
        self._script = None if replies is None else tuple(replies)
        self._faults = _numbered(faults or {})
        self._given = 0
        self._called = False
        self._ids = Ids(provider)
        self._conversations = ConversationStore(self.wire)
        self._lock = threading.Lock()
        self._requests: list[Request] = []
        self._views: list[View] = []
        self._violations: list[Violation] = []

    @property
    def requests(self) -> list[Request]:
        """Every model request, in order, also those that were refused, as it was sent."""
        with self._lock:
            return list(self._requests)

    @property
    def views(self) -> list[View]:
        """What `requests` say, in no wire's words."""
        with self._lock:
            return list(self._views)

    @property
    def violations(self) -> list[Violation]:
        """Why requests were refused; empty for a right client."""
        with self._lock:
            return list(self._violations)

    def handle(self, request: Request) -> Response:
        if self.wire.route(request) is None:
            return self._unknown(request)
        return self._answer(self._conversations.whole(request), sent=request)

    def _answer(self, request: Request, *, sent: Request) -> Response:
        with self._lock:
            view = self.wire.view(request)
            context = ReplyContext(request, self.provider, self._ids, view=view)
            self._requests.append(sent)
            self._views.append(view)
            violation = self.wire.missing_key(request) or self.wire.judge(request, provider=self.provider)
            if violation is not None:
                self._violations.append(violation)
                return self.wire.refuse(violation, context)
            reply = self._next(view)
        return respond(self.wire, reply, context, self._conversations)

    def _next(self, view: View) -> Reply:
        fault = self._faults.get(len(self._requests))
        reply = self._improvised(view) if self._script is None else self._scripted(self._script)
        if fault is None or not fault.spoils_reply:
            self._given += 1
            self._called = self._called or bool(reply.calls)
        return reply if fault is None else replace(reply, fault=fault)

    def _scripted(self, script: tuple[Reply, ...]) -> Reply:
        if self._given < len(script):
            return script[self._given]
        return next((reply for reply in reversed(script) if _is_text(reply)), OVER)

    def _improvised(self, view: View) -> Reply:
        if self._called or not view.tools:
            return DONE
        tool = view.tools[0]
        arguments = minimal_value(tool.parameters)
        return Reply(calls=(Call(tool.name, arguments if isinstance(arguments, dict) else {}),))

    def _unknown(self, request: Request) -> Response:
        message = (
            f"{request.method} {request.path} is no model request of {self.wire.name}, which is all this fake answers"
        )
        error = {"message": message, "type": "fake_provider", "code": 404}
        return json_response(404, {"error": error}, [("x-should-retry", "false")])


def _numbered(faults: Mapping[int, Fault]) -> dict[int, Fault]:
    for number in faults:
        if number < 1:
            raise ValueError(f"a fault is scripted for request {number}; requests are counted from 1")
    return dict(faults)


def _is_text(reply: Reply) -> bool:
    spoilt = reply.fault is not None and reply.fault.is_harmful
    return bool(reply.text) and not reply.calls and not spoilt


def _wire_of(provider: str, name: str | None) -> Wire:
    wires = provider_wires(provider)
    for wire in wires:
        if name in (None, wire.name):
            return wire
    spoken = ", ".join(wire.name for wire in wires)
    raise LookupError(f"provider `{provider}` has no wire `{name}`; it speaks {spoken}")
