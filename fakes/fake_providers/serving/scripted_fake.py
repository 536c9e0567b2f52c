"""A strict fake with a script, for users' own tests."""

import random
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from msgspec import Struct, structs

from fake_providers.clock import SYSTEM_CLOCK, Clock
from fake_providers.http import Request, Response
from fake_providers.ids import Ids
from fake_providers.registry import provider_wires
from fake_providers.replies.call_validation import arguments_as_json
from fake_providers.reply import Fault, Reply, StreamTiming, moments
from fake_providers.reply_rules import in_full, why_unsent
from fake_providers.rule import Violation
from fake_providers.serving.endpoints import describe_built
from fake_providers.serving.journal import Answer, Journal, Stopped
from fake_providers.serving.reply_sources import Replies, ReplySource, source_of
from fake_providers.serving.request_loop import ModelRequest, ModelSide, Refusal, RequestLoop, Window
from fake_providers.stored_batches import BatchTime
from fake_providers.values.json_texts import LARGE, forget_large_bodies
from fake_providers.values.patterns import DATE, PORT, TIME, UUID, with_names
from fake_providers.values.tokens import tokens_of
from fake_providers.view import View
from fake_providers.wire import Wire
from fake_providers.wire_neutral_lines import (
    CallIds,
    arguments_of,
    labelled,
    offered_tools,
    printable,
    reply_lines,
    request_lines,
)


class ScriptedFake:
    """`provider` on its wires: refuses what the provider refuses, and answers the rest with `replies`.

    A list of `Reply` is sent in order. After the last one it repeats the last that is text alone, else `The script is
    over.` A list of `When` answers by the request, and a function makes the reply from it. Without replies it obeys the
    request: for each question of the user it calls the first tool offered, with the least arguments that fit its
    schema, and then answers: `Done.`, or the least value that fits the schema for the answer.
    `wire` is the name of the one wire that is answered; by default all of the provider's are, with one script.

    `faults` go wrong by the number of the request, counted from 1 as in `requests`. They come on top of the replies:
    the next request gets the reply that a fault has spoilt. A request that breaks a rule is refused all the same.
    A conversation of more than `window` tokens is refused as too long, in the provider's words. `served_model` is the
    model behind a name that does not say it, such as an ARN of Bedrock's.

    A request is stopped whose scripted reply the provider never sends; without `strict_replies` it is sent all the
    same, as a gateway might.

    `timing` says how fast replies are sent, by `clock`; a reply may have a timing of its own. A batch takes
    `batch_seconds` by the same clock, none unless said. `journal` may keep less than everything.

    A handler for any transport. Raises `LookupError` for a provider or a wire that is not built, `ValueError` for
    replies that contradict each other and for the fault of a request that never comes, and `TypeError` for what is no
    reply.
    """

    def __init__(
        self,
        provider: str,
        replies: Replies | None = None,
        *,
        wire: str | None = None,
        faults: Mapping[int, Fault] | None = None,
        window: int | None = None,
        served_model: str | None = None,
        journal: Journal | None = None,
        timing: StreamTiming | None = None,
        clock: Clock = SYSTEM_CLOCK,
        batch_seconds: float = 0,
        strict_replies: bool = True,
    ) -> None:
        self.provider = provider
        self.strict_replies = strict_replies
        wires = _wires_of(provider, wire)
        self.wire = wires[0]
        self.base_url = ""
        """The base URL that the official SDK of `wire` takes; empty where no transport of ours serves it."""
        self._journal = journal or Journal()
        self._model = ReplyScript(
            replies,
            faults or {},
            wires=wires,
            journal=self._journal,
            timing=timing,
            clock=clock,
            strict=strict_replies,
        )
        ids, longest = Ids(provider), Window(window) if window else None
        batches = BatchTime(clock, batch_seconds)
        self._loops = [
            RequestLoop(one, provider, ids=ids, window=longest, served_model=served_model, batches=batches)
            for one in wires
        ]
        self._lock = threading.Lock()

    @property
    def requests(self) -> list[Request]:
        """Every model request as it was sent, in order, refused ones included."""
        with self._lock:
            return list(self._journal.requests)

    @property
    def views(self) -> list[View]:
        """What `requests` say, in no wire's words."""
        with self._lock:
            return list(self._journal.views)

    @property
    def violations(self) -> list[Violation]:
        """Why requests were refused; empty for a right client."""
        with self._lock:
            return self._journal.violations

    @property
    def stops(self) -> list[str]:
        """Why requests were stopped: no reply matched them, or more than one."""
        with self._lock:
            return list(self._journal.stops)

    @property
    def transcript(self) -> str:
        """What was sent both ways, as neutral text without what changes from run to run: for snapshots."""

        with self._lock:
            return transcript(list(self._journal.views), list(self._journal.answers))

    @property
    def unused_replies(self) -> list[Reply]:
        """The replies of the script that no request got yet: `assert not fake.unused_replies`."""
        with self._lock:
            return list(self._model.unused)

    @property
    def count(self) -> int:
        """How many model requests there were."""
        return self._journal.count

    @property
    def has_left(self) -> bool:
        """Whether there are replies or faults that no request got yet."""
        return self._model.has_left

    def set_replies(self, replies: Replies | None) -> None:
        """From the next request on, from their beginning; see the class."""
        with self._lock:
            self._model.set_replies(replies)

    def set_faults(self, faults: Mapping[int, Fault]) -> None:
        """Replaces the scripted faults; 1 is the next request."""
        with self._lock:
            self._model.set_faults(faults)

    def claims(self, request: Request) -> bool:
        """Whether a wire answers the request, be it with a refusal; else it gets a 404."""
        return any(loop.claims(request) for loop in self._loops)

    def not_built(self, request: Request, message: str) -> Response:
        """A 404 of the provider with this message, which is noted nowhere."""
        return self._loop_for(request).not_built(request, message)

    def stopped(self, request: Request, message: str) -> Response:
        """A 400 of the provider with this message, which is noted nowhere."""
        return self._loop_for(request).stop(request, message)

    def handle(self, request: Request) -> Response:
        return self.answer(request)[0]

    def answer(self, request: Request) -> tuple[Response, Answer | None]:
        """The response, and what it is: None for a request that is none of the model's.

        It is judged beside others, and answered after them.
        """
        loop = self._loops[0] if len(self._loops) == 1 else self._loop_for(request)
        examined = loop.examine(request)
        with self._lock:
            self._journal.last_answer = None
            response = loop.handle(request, self._model, examined, run=self._run)
            answer = self._journal.last_answer
        if len(request.body) > LARGE:
            forget_large_bodies()
        return response, answer

    def _run(self, request: Request) -> Response:
        """The response to a request of a batch."""
        return self._loop_for(request).handle(request, self._model)

    def _loop_for(self, request: Request) -> RequestLoop:
        """The loop of the wire that has a route for the request, or else the first."""
        return next((loop for loop in self._loops if loop.claims(request)), self._loops[0])


def _wires_of(provider: str, name: str | None) -> tuple[Wire, ...]:
    wires = provider_wires(provider)
    chosen = tuple(wire for wire in wires if name in (None, wire.name))
    if chosen:
        return chosen
    names = ", ".join(wire.name for wire in wires)
    raise LookupError(f"provider `{provider}` has no wire `{name}`; its wires are {names}")


def transcript(views: Sequence[View], answers: Sequence[Answer]) -> str:
    """Request by request: what it has that the one before had not, then the reply, or the rule that it breaks.

    Call ids become `id-1`, UUIDs `uuid-1`, dates `DATE`, times `TIME`, ports of this machine `PORT`. What is not
    printable is escaped.
    """
    ids = CallIds()
    lines: list[str] = []
    previous: View | None = None
    for number, view in enumerate(views, 1):
        lines.append(f"request {number}{', stream' if view.stream else ''}: offers {offered_tools(view)}")
        lines += request_lines(view, previous, ids, indent="  ")
        lines += _answer(answers[number - 1], ids) if number <= len(answers) else ()
        previous = view
    text = _normalised("\n".join(lines) or "no request")
    return "\n".join(printable(line) for line in text.split("\n"))


def _answer(answer: Answer, ids: CallIds) -> Iterator[str]:
    if isinstance(answer, Violation):
        place = f" at {answer.at}" if answer.at else ""
        message = with_names(answer.message, ids.names)
        yield from labelled(f"refused {answer.status} {answer.rule}{place}", message, "")
    elif isinstance(answer, Stopped):
        yield from labelled("stopped", answer.message, "")
    else:
        calls = [f"{call.name} {arguments_of(call)}" for call in answer.calls]
        yield from reply_lines(answer, calls, indent="")


def _normalised(text: str) -> str:
    uuids: dict[str, str] = {}
    text = UUID.sub(lambda found: uuids.setdefault(found.group().lower(), f"uuid-{len(uuids) + 1}"), text)
    return PORT.sub(r"\1:PORT", DATE.sub("DATE", TIME.sub("TIME", text)))


SWITCH = "To send it all the same: `strict_replies=False` in Python, `--any-reply` for `agent-conformance serve`."


class ReplyScript(ModelSide):
    """`replies` may be replaced at any time. `journal` notes the requests.

    Raises `ValueError` for replies that contradict each other, and for the fault of a request that never comes.
    """

    def __init__(
        self,
        replies: Replies | None,
        faults: Mapping[int, Fault],
        *,
        wires: Sequence[Wire],
        journal: Journal,
        timing: StreamTiming | None = None,
        clock: Clock = SYSTEM_CLOCK,
        strict: bool = True,
    ) -> None:
        self._strict = strict
        self._source: ReplySource = source_of(replies)
        self._faults: Mapping[int, Fault] = {}
        self._wires = wires
        self.journal = journal
        self._timing = timing
        self._clock = clock
        self._chosen: Reply | None = None
        self.set_faults(faults)

    @property
    def unused(self) -> Sequence[Reply]:
        return self._source.unused

    @property
    def has_left(self) -> bool:
        """Whether there are replies or faults that no request got yet."""
        return bool(self._source.unused) or any(number > self.journal.count for number in self._faults)

    def set_replies(self, replies: Replies | None) -> None:
        """From the next request on, from their beginning."""
        self._source = source_of(replies)

    def set_faults(self, faults: Mapping[int, Fault]) -> None:
        """Replaces the scripted faults; 1 is the next request."""
        for number in faults:
            if number < 1:
                raise ValueError(f"a fault is scripted for request {number}; requests are counted from 1")
        self._faults = {self.journal.count + number: fault for number, fault in faults.items()}

    def unknown(self, request: Request) -> str:
        return describe_built(request, self._wires)

    def received(self, request: ModelRequest) -> None:
        self.journal.received(request.sent, request.view)

    def refused(self, request: ModelRequest, violation: Violation, why: Refusal) -> None:
        self.journal.answered(violation)

    def count_refused(self, request: Request, violation: Violation) -> None:
        self.journal.refused_count(violation)

    def next_reply(self, request: ModelRequest) -> Reply | str:
        fault = self._faults.get(self.journal.count)
        reply = self._source.next_reply(request.view)
        if isinstance(reply, Reply) and self._strict and (fault is None or not fault.hides_reply):
            unsent = why_unsent(
                reply,
                provider=request.provider,
                wire=request.wire,
                model=request.view.model,
                request=request.http,
                view=request.view,
            )
            reply = reply if unsent is None else f"{in_full(unsent, reply)} {SWITCH}"
        if isinstance(reply, str):
            self.journal.answered(Stopped(reply))
            return reply
        if fault is None or not fault.spoils_reply:
            self._source.sent()
        sent = reply if fault is None else replace(reply, fault=fault)
        self.journal.answered(sent)
        self._chosen = sent
        return sent

    def followed(self, response: Response) -> Response:
        reply = self._chosen
        timing = None if reply is None else reply.timing or self._timing
        if reply is None or timing is None:
            return response
        return paced(response, reply, timing, clock=self._clock, seed=f"{self._wires[0].name}/{self.journal.count}")


class Pacing(Struct, frozen=True):
    """The moments of a response's chunks, by a clock."""

    clock: Clock
    moments: tuple[float, ...]

    def wait_before(self, chunk: int) -> threading.Event | float:
        return self.clock.until(self.moments[chunk])


def paced(response: Response, reply: Reply, timing: StreamTiming, *, clock: Clock, seed: str) -> Response:
    """The response with the moments of its chunks from now on; an error with a status is sent at once."""
    if reply.fault is not None and reply.fault.status is not None:
        return response
    letters = len(reply.text or "") + len(reply.thinking or "")
    for call in reply.calls:
        letters += len(call.name) + len(arguments_as_json(call))
    found = moments(timing, chunks=len(response.chunks), tokens=tokens_of(letters), draw=random.Random(seed))
    now = clock.now()
    return structs.replace(response, pacing=Pacing(clock, tuple(now + moment for moment in found)))
