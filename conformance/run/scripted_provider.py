"""Playing the model's part in one performance: judges each request, answers it by the script, records the exchange.

A handler for any transport; knows no socket and not how the agent is driven.
"""

import json
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, replace
from typing import Any

from conformance.record.bounds import MOST_ATTEMPTS, MOST_MEGABYTES, MOST_REQUESTS
from conformance.record.transcript import Exchange, ExchangeKind, ServedCall, StepRecord
from conformance.run.cancel_trigger import Cue
from conformance.run.model_script import Next, Script, told
from conformance.run.tool_names import ToolNames, mapped_back, offered_name
from conformance.scenario.cases import Case
from conformance.scenario.model import ReplySpec
from fakes import MADE_BY_PROVIDER, Call, Reply, Request, Response, Telling, View, Violation
from fakes.http import json_response
from fakes.ids import Ids
from fakes.registry import wire_for
from fakes.reply import Split
from fakes.serving.conversation_store import Conversations
from fakes.serving.responding import respond
from fakes.tokens import count_tokens

STOPPED = "stopped by the conformance suite"
SIDE_ANSWER = "OK"


@dataclass(frozen=True, slots=True)
class Part:
    """What the adapter may declare of how its requests are to be read."""

    tool_names: ToolNames = None
    beside: Callable[[dict[str, Any]], bool | str] | None = None
    reply_tool: tuple[str, str] | None = None


class Play:
    """One performance. `handle` may be called from any thread, one request at a time being answered."""

    def __init__(self, case: Case, *, split: Split, bound: int, part: Part) -> None:
        self._case = case
        self._wire = wire_for(case.provider, case.wire)
        self._split = split
        self._bound = bound
        self._part = part
        self._ids = Ids(case.id)
        self._conversations = Conversations(self._wire)
        self._lock = threading.RLock()
        self._names = [tool.name for tool in case.scenario.tools]
        self._record: StepRecord | None = None
        self._script = Script(())
        self._cue = Cue()
        self._enabled: set[str] = set()
        self._kept = 0
        """Bytes of the requests of this step."""
        self.stopped = False
        self.touched = time.monotonic()
        """When the agent last showed a sign of life; what it does after it was stopped is none."""

    def adopt(self, beside: Callable[[dict[str, Any]], bool | str] | None, tool_names: ToolNames) -> None:
        """What the adapter's instance says of its own requests."""
        self._part = replace(self._part, beside=beside, tool_names=tool_names)

    def begin(self, record: StepRecord, *, enabled: set[str], fire: Callable[[], Future[None]]) -> None:
        """From here on requests belong to this step.

        `fire` cancels it where its step says so; what it gives is done when the agent has been told.
        """
        with self._lock:
            self._record = record
            self._script = Script(record.step.model)
            self._cue = Cue(record.step.cancel, fire)
            self._enabled = enabled
            self._kept = 0
            self.touched = time.monotonic()

    def end(self) -> list[ReplySpec]:
        """No step is running now. Gives the replies that were never asked for."""
        with self._lock:
            self._cue.release()
            self._cue = Cue()  # what is over is cancelled no more, and who would have done it is let go
            self._record = None
            return self._script.unasked

    def tool_started(self) -> Future[None] | None:
        """An attempt begins. Where the step is cancelled there: done when the agent has been told, to be waited for."""
        record = self._record
        if record is None:
            return None
        if len(record.attempts) < MOST_ATTEMPTS:
            self.touch()
        return self._cue.at_tool(len(record.attempts))

    def handle(self, request: Request) -> Response:
        """The response. A request that names a response it goes on from is judged and recorded whole."""
        with self._lock:
            self.touch()
            return self._handle(self._conversations.whole(request))

    def _handle(self, request: Request) -> Response:
        route = self._wire.route(request)
        telling = Telling(request, self._case.provider, self._ids, self._split)
        record = self._record
        if record is None:
            return self._wire.stopped(f"{STOPPED}: no step is running", telling)
        if len(record.exchanges) >= MOST_REQUESTS or self._kept > MOST_MEGABYTES * 1_000_000:
            return self._stop(record, request, View("", False), telling)
        if route is None:
            self._note("stray", request, View("", False), status=404)
            return json_response(404, {"error": {"message": f"{request.method} {request.path} is not built"}})
        sent = self._wire.view(request)
        return self._answer(record, request, sent, replace(telling, view=sent))

    def _answer(self, record: StepRecord, request: Request, sent: View, telling: Telling) -> Response:
        view = mapped_back(sent, self._names, self._part.tool_names)
        violation = self._wire.missing_key(request) or self._wire.judge(request, provider=self._case.provider)
        if violation is not None:
            return self._refuse("refused", violation, request, view, telling)
        beside = self._beside(request)
        if beside is not None:
            self._note("side", request, view)
            return self._respond(Reply(text=beside), replace(telling, split="provider"))
        repeated = self._repeated(record, request)
        if repeated is not None:
            return self._repeat(repeated, request, view, telling)
        window = self._case.scenario.window
        if window is not None and count_tokens(view) > window.tokens:
            tokens = count_tokens(view)
            too_long = self._wire.too_long(request, provider=self._case.provider, tokens=tokens, window=window.tokens)
            return self._refuse("window", too_long, request, view, telling)
        if self.stopped or len(record.counted) >= self._bound:
            return self._stop(record, request, view, telling)
        offered = [tool.name for tool in sent.tools]
        return self._reply(record, request, view, telling, offered=offered)

    def _stop(self, record: StepRecord, request: Request, view: View, telling: Telling) -> Response:
        first, self.stopped = not self.stopped, True
        if first or (len(record.exchanges) <= MOST_REQUESTS and self._kept <= MOST_MEGABYTES * 1_000_000):
            self._note("stopped", request, view, status=400)
        return self._wire.stopped(STOPPED, telling)

    def touch(self) -> None:
        """Note a sign of life of the agent's."""
        if not self.stopped:
            self.touched = time.monotonic()

    def _reply(
        self, record: StepRecord, request: Request, view: View, telling: Telling, *, offered: list[str]
    ) -> Response:
        following = self._script.advance(view)
        if self._wraps_up(record, view):
            following = Next(ReplySpec(text="The script is over."), 1, over=True)
        names = {name: offered_name(name, offered, self._part.tool_names) or name for name in self._names}
        reply, plain_names = told(following.spec, following.turn, names=names)
        reply = replace(reply, calls=tuple(self._with_id(call) for call in reply.calls))
        served = tuple(
            ServedCall(
                spec=spec,
                name=name,
                wire_name=call.name,
                id=call.id if isinstance(call.id, str) else None,
                offered=call.name in offered,
                enabled=name in self._enabled,
            )
            for spec, name, call in zip(following.spec.calls, plain_names, reply.calls, strict=True)
        )
        self._script.served(served)
        reply = self._through_reply_tool(reply, offered)
        harmed = reply.fault is not None and reply.fault.is_harmful
        kind: ExchangeKind = "fault" if harmed else "over" if following.over else "reply"
        exchange = self._note(kind, request, view, reply=reply, spec=following.spec, calls=served)
        response = self._respond(reply, telling)
        exchange.status = response.status
        silent = response.loss == "silent"
        release = self._cue.released if silent else None
        return replace(response, listener=_Progress(self, exchange), release=release)

    def _respond(self, reply: Reply, telling: Telling) -> Response:
        return respond(self._wire, reply, telling, self._conversations)

    def _wraps_up(self, record: StepRecord, view: View) -> bool:
        """A later request without any tools, while a reply repeats without end, asks for a last word in prose."""
        return self._script.repeats and bool(record.counted) and not view.tools and bool(self._enabled)

    def _with_id(self, call: Call) -> Call:
        return replace(call, id=self._wire.call_id(self._ids)) if call.id is MADE_BY_PROVIDER else call

    def _through_reply_tool(self, reply: Reply, offered: list[str]) -> Reply:
        tool = self._part.reply_tool
        harmed = reply.fault is not None and reply.fault.is_harmful
        if tool is None or tool[0] not in offered or not reply.text or reply.calls or harmed:
            return reply
        return replace(reply, text=None, calls=(self._with_id(Call(tool[0], {tool[1]: reply.text})),))

    def _repeat(self, first: Exchange, request: Request, view: View, telling: Telling) -> Response:
        assert first.reply is not None
        exchange = self._note("repeat", request, view, reply=first.reply, spec=first.spec)
        return replace(self._respond(first.reply, telling), listener=_Progress(self, exchange))

    def _repeated(self, record: StepRecord, request: Request) -> Exchange | None:
        """The exchange that this request is a transport's retry of: it says so, or its response was never written."""
        earlier = [exchange for exchange in record.exchanges if exchange.kind not in ("side", "stray")]
        if not earlier or earlier[-1].kind not in ("reply", "over", "repeat"):
            return None
        last = earlier[-1]
        if last.request.body != request.body or last.request.path != request.path:
            return None
        count = request.headers.get("x-stainless-retry-count", "0")
        return last if last.complete is False or (count.isdigit() and int(count) > 0) else None

    def _refuse(
        self, kind: ExchangeKind, violation: Violation, request: Request, view: View, telling: Telling
    ) -> Response:
        self._note(kind, request, view, violation=violation, status=violation.status)
        return self._wire.refuse(violation, telling)

    def _beside(self, request: Request) -> str | None:
        """How a side request is answered; None for one that is none."""
        if self._part.beside is None:
            return None
        try:
            body = json.loads(request.body)
        except ValueError:
            return None
        told = isinstance(body, dict) and self._part.beside(body)
        return (told if isinstance(told, str) else SIDE_ANSWER) if told else None

    def _note(self, kind: ExchangeKind, request: Request, view: View, **more: Any) -> Exchange:
        record = self._record
        assert record is not None
        exchange = Exchange(kind, len(record.counted) + 1, request, view, **more)
        exchange.asked_at = time.monotonic()
        exchange.attempts_before = len(record.attempts)
        exchange.offered = frozenset(tool.name for tool in view.tools)
        record.exchanges.append(exchange)
        self._kept += len(request.body)
        return exchange

    def hold(self, exchange: Exchange, chunk: int) -> threading.Event | None:
        """What `_Progress` asks before a chunk is written: whether the step is to be cancelled there."""
        self.touch()
        return self._cue.at_chunk(exchange.number, chunk)


class _Progress:
    """The listener of one response. Lets go of what it tells once it is done: clients keep responses in cycles."""

    __slots__ = ("_told",)

    def __init__(self, play: Play, exchange: Exchange) -> None:
        self._told: tuple[Play, Exchange] | None = play, exchange

    def hold(self, chunk: int) -> threading.Event | None:
        if self._told is None:
            return None
        play, exchange = self._told
        return play.hold(exchange, chunk)

    def done(self, *, complete: bool) -> None:
        if self._told is None:
            return
        (play, exchange), self._told = self._told, None
        exchange.complete = complete
        exchange.answered_at = time.monotonic()
        play.touch()
