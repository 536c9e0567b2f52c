"""Playing the model's part in one performance: judges each request, answers it by the script, records the request.

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
from conformance.record.transcript import RecordedRequest, RequestKind, ServedCall, TurnRecord
from conformance.run.cancel_trigger import CancelTrigger
from conformance.run.model_script import Next, Script, told
from conformance.run.tool_names import ToolNames, mapped_back, offered_name
from conformance.scenario.cases import Case
from conformance.scenario.model import ReplySpec
from fakes import MADE_BY_PROVIDER, Call, Reply, ReplyContext, Request, Response, View, Violation
from fakes.http import json_response
from fakes.ids import Ids
from fakes.registry import wire_for
from fakes.reply import Split
from fakes.serving.conversation_store import ConversationStore
from fakes.serving.responding import respond
from fakes.tokens import count_tokens

STOPPED = "stopped by the conformance suite"
SIDE_ANSWER = "OK"


@dataclass(frozen=True, slots=True)
class RequestHints:
    """What the adapter may declare of how its requests are to be read."""

    tool_names: ToolNames = None
    side_request: Callable[[dict[str, Any]], bool | str] | None = None
    reply_tool: tuple[str, str] | None = None


class Play:
    """One performance. `handle` may be called from any thread, one request at a time being answered."""

    def __init__(self, case: Case, *, split: Split, bound: int, part: RequestHints) -> None:
        self._case = case
        self._wire = wire_for(case.provider, case.wire)
        self._split = split
        self._bound = bound
        self._part = part
        self._ids = Ids(case.id)
        self._conversations = ConversationStore(self._wire)
        self._lock = threading.RLock()
        self._names = [tool.name for tool in case.scenario.tools]
        self._record: TurnRecord | None = None
        self._script = Script(())
        self._cue = CancelTrigger()
        self._enabled: set[str] = set()
        self._kept = 0
        """Bytes of the requests of this turn."""
        self.stopped = False
        self.touched = time.monotonic()
        """When the agent last showed a sign of life; what it does after it was stopped is none."""

    def adopt(self, side_request: Callable[[dict[str, Any]], bool | str] | None, tool_names: ToolNames) -> None:
        """What the adapter's instance says of its own requests."""
        self._part = replace(self._part, side_request=side_request, tool_names=tool_names)

    def begin(self, record: TurnRecord, *, enabled: set[str], fire: Callable[[], Future[None]]) -> None:
        """From here on requests belong to this turn.

        `fire` cancels it where its turn says so; what it gives is done when the agent has been told.
        """
        with self._lock:
            self._record = record
            self._script = Script(record.turn.model)
            self._cue = CancelTrigger(record.turn.cancel, fire)
            self._enabled = enabled
            self._kept = 0
            self.touched = time.monotonic()

    def end(self) -> list[ReplySpec]:
        """No turn is running now. Gives the replies that were never asked for."""
        with self._lock:
            self._cue.release()
            self._cue = CancelTrigger()  # what is over is cancelled no more, and who would have done it is let go
            self._record = None
            return self._script.unasked

    def tool_started(self) -> Future[None] | None:
        """An attempt begins. Where the turn is cancelled there: done when the agent has been told, to be waited for."""
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
        context = ReplyContext(request, self._case.provider, self._ids, self._split)
        record = self._record
        if record is None:
            return self._wire.stopped(f"{STOPPED}: no turn is running", context)
        if len(record.requests) >= MOST_REQUESTS or self._kept > MOST_MEGABYTES * 1_000_000:
            return self._stop(record, request, View("", False), context)
        if route is None:
            self._note("stray", request, View("", False), status=404)
            return json_response(404, {"error": {"message": f"{request.method} {request.path} is not built"}})
        sent = self._wire.view(request)
        return self._answer(record, request, sent, replace(context, view=sent))

    def _answer(self, record: TurnRecord, request: Request, sent: View, context: ReplyContext) -> Response:
        view = mapped_back(sent, self._names, self._part.tool_names)
        violation = self._wire.missing_key(request) or self._wire.judge(request, provider=self._case.provider)
        if violation is not None:
            return self._refuse("refused", violation, request, view, context)
        side_answer = self._side_answer(request)
        if side_answer is not None:
            self._note("side", request, view)
            return self._respond(Reply(text=side_answer), replace(context, split="provider"))
        repeated = self._repeated(record, request)
        if repeated is not None:
            return self._repeat(repeated, request, view, context)
        window = self._case.scenario.window
        if window is not None and count_tokens(view) > window.tokens:
            tokens = count_tokens(view)
            too_long = self._wire.too_long(request, provider=self._case.provider, tokens=tokens, window=window.tokens)
            return self._refuse("window", too_long, request, view, context)
        if self.stopped or len(record.counted) >= self._bound:
            return self._stop(record, request, view, context)
        offered = [tool.name for tool in sent.tools]
        return self._reply(record, request, view, context, offered=offered)

    def _stop(self, record: TurnRecord, request: Request, view: View, context: ReplyContext) -> Response:
        first, self.stopped = not self.stopped, True
        if first or (len(record.requests) <= MOST_REQUESTS and self._kept <= MOST_MEGABYTES * 1_000_000):
            self._note("stopped", request, view, status=400)
        return self._wire.stopped(STOPPED, context)

    def touch(self) -> None:
        """Note a sign of life of the agent's."""
        if not self.stopped:
            self.touched = time.monotonic()

    def _reply(
        self, record: TurnRecord, request: Request, view: View, context: ReplyContext, *, offered: list[str]
    ) -> Response:
        following = self._script.advance(view)
        if self._wraps_up(record, view):
            following = Next(ReplySpec(text="The script is over."), 1, over=True)
        names = {name: offered_name(name, offered, self._part.tool_names) or name for name in self._names}
        reply, plain_names = told(following.spec, following.repetition, names=names)
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
        kind: RequestKind = "fault" if harmed else "over" if following.over else "reply"
        recorded = self._note(kind, request, view, reply=reply, spec=following.spec, calls=served)
        response = self._respond(reply, context)
        recorded.status = response.status
        silent = response.loss == "silent"
        release = self._cue.released if silent else None
        return replace(response, listener=_Progress(self, recorded), release=release)

    def _respond(self, reply: Reply, context: ReplyContext) -> Response:
        return respond(self._wire, reply, context, self._conversations)

    def _wraps_up(self, record: TurnRecord, view: View) -> bool:
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

    def _repeat(self, first: RecordedRequest, request: Request, view: View, context: ReplyContext) -> Response:
        assert first.reply is not None
        recorded = self._note("repeat", request, view, reply=first.reply, spec=first.spec)
        return replace(self._respond(first.reply, context), listener=_Progress(self, recorded))

    def _repeated(self, record: TurnRecord, request: Request) -> RecordedRequest | None:
        """The request that this request is a transport's retry of: it says so, or its response was never written."""
        earlier = [recorded for recorded in record.requests if recorded.kind not in ("side", "stray")]
        if not earlier or earlier[-1].kind not in ("reply", "over", "repeat"):
            return None
        last = earlier[-1]
        if last.request.body != request.body or last.request.path != request.path:
            return None
        count = request.headers.get("x-stainless-retry-count", "0")
        return last if last.complete is False or (count.isdigit() and int(count) > 0) else None

    def _refuse(
        self, kind: RequestKind, violation: Violation, request: Request, view: View, context: ReplyContext
    ) -> Response:
        self._note(kind, request, view, violation=violation, status=violation.status)
        return self._wire.refuse(violation, context)

    def _side_answer(self, request: Request) -> str | None:
        """How a side request is answered; None for one that is none."""
        if self._part.side_request is None:
            return None
        try:
            body = json.loads(request.body)
        except ValueError:
            return None
        told = isinstance(body, dict) and self._part.side_request(body)
        return (told if isinstance(told, str) else SIDE_ANSWER) if told else None

    def _note(self, kind: RequestKind, request: Request, view: View, **more: Any) -> RecordedRequest:
        record = self._record
        assert record is not None
        recorded = RecordedRequest(kind, len(record.counted) + 1, request, view, **more)
        recorded.asked_at = time.monotonic()
        recorded.attempts_before = len(record.attempts)
        recorded.offered = frozenset(tool.name for tool in view.tools)
        record.requests.append(recorded)
        self._kept += len(request.body)
        return recorded

    def hold(self, request: RecordedRequest, chunk: int) -> threading.Event | None:
        """What `_Progress` asks before a chunk is written: whether the turn is to be cancelled there."""
        self.touch()
        return self._cue.at_chunk(request.number, chunk)


class _Progress:
    """The listener of one response. Lets go of what it tells once it is done: clients keep responses in cycles."""

    __slots__ = ("_told",)

    def __init__(self, play: Play, request: RecordedRequest) -> None:
        self._told: tuple[Play, RecordedRequest] | None = play, request

    def hold(self, chunk: int) -> threading.Event | None:
        if self._told is None:
            return None
        play, request = self._told
        return play.hold(request, chunk)

    def done(self, *, complete: bool) -> None:
        if self._told is None:
            return
        (play, request), self._told = self._told, None
        request.complete = complete
        request.answered_at = time.monotonic()
        play.touch()
