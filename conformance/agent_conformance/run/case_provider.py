"""The model provider of one case run: answers each request by the script of the turn, and records it.

A handler for any transport; knows no socket and not how the agent is driven.
"""

import threading
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TypeVar

from agent_conformance.adapter.contract import AdapterMistake
from agent_conformance.record.transcript import RecordedRequest, RequestKind, ServedCall, TurnRecord
from agent_conformance.run.bound_of_case import TurnBounds, window_of
from agent_conformance.run.garbage import hold_collections
from agent_conformance.run.model_script import NextReply, Script, name_of, reply_of
from agent_conformance.run.request_hints import RequestHints
from agent_conformance.run.requests_of_turn import has_no_result, is_harmful, is_plain_answer, retried
from agent_conformance.run.response_progress import ResponseProgress
from agent_conformance.run.running_turn import RunningTurn
from agent_conformance.run.shapes import in_words, reply_call, says_schema
from agent_conformance.run.summary_requests import SummaryRequests
from agent_conformance.run.tool_names import Naming, mapped_back
from agent_conformance.scenario.cases import Case
from agent_conformance.scenario.model import ReplySpec
from agent_conformance.scenario.targets import Target, fallback_of, first_target
from fake_providers import MADE_BY_PROVIDER, Call, Reply, Request, Response, View, Violation
from fake_providers.http import Handler
from fake_providers.ids import Ids
from fake_providers.registry import wire_for
from fake_providers.reply import Split
from fake_providers.serving.request_loop import ModelRequest, ModelSide, Refusal, RequestLoop
from fake_providers.wire import Wire

STOPPED = "stopped by the conformance suite"
SIDE_ANSWER = "OK"
UNREAD = View("", False)
_T = TypeVar("_T")


class _Interrupted(Exception):
    """The request is stopped: the adapter made a mistake, or the turn ended while it was asked something."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where one provider of the case serves one wire. It does not know the case, which knows it."""

    target: Target
    wire: Wire
    loop: RequestLoop


@dataclass(frozen=True, slots=True)
class EndpointHandler:
    """What a transport serves of one endpoint."""

    provider: "CaseProvider"
    endpoint: Endpoint

    def handle(self, request: Request) -> Response:
        return self.provider.handle_at(self.endpoint, request)


class CaseProvider(ModelSide):
    """`handle` may be called from any thread; one request at a time is answered. The lock is not held while the
    adapter is asked something, so that nothing else waits for its answer.
    """

    def __init__(
        self,
        case: Case,
        turn: RunningTurn,
        *,
        split: Split,
        bound: int,
        hints: RequestHints,
        tolerated: frozenset[str] = frozenset(),
    ) -> None:
        self._turn = turn
        self._bound = bound
        self._hints = hints
        self._ids = Ids(case.id)
        self._new_loop = partial(RequestLoop, ids=self._ids, split=split, window=window_of(case), tolerated=tolerated)
        self._endpoints: dict[tuple[str, str], Endpoint] = {}
        self._asked = self._main = self._endpoint(first_target(case.scenario, case.wire, case.provider))
        """Where the request that is being answered arrived, and where requests arrive at first."""
        self._second = fallback_of(case.scenario, case.wire)
        self._lock = threading.Lock()
        self._tools = case.scenario.tools
        self._schema = case.scenario.output_schema
        self._summaries = SummaryRequests(case.scenario)
        self._scripts: dict[int, Script] = {}
        """Of the turns that run, by their numbers."""
        self._bounds = TurnBounds()
        self._view = UNREAD
        """What the request that is being answered says, with the scenario's names of its tools."""
        self._names: Mapping[str, str] = {}
        """The name that it has for each of the scenario's tools that it offers."""
        self._breaches: tuple[Violation, ...] = ()
        """What in it breaks rules that are tolerated."""
        self._naming = Naming()
        """What the adapter declares of the names in it."""
        self.mistake = ""
        """Of the adapter, so that there is no verdict on the agent."""
        self._recorded: RecordedRequest | None = None
        self._newest: RecordedRequest | None = None
        self.stopped = False
        self.inexpressible = ""
        """Why the model of this case cannot say to this agent what the script has."""

    def use_hints(self, side_request: Callable[[dict[str, Any]], Any] | None, tool_names: Any) -> None:
        """What the adapter's instance says of its own requests."""
        self._hints = replace(self._hints, side_request=side_request, tool_names=tool_names)

    def begin_turn(
        self, record: TurnRecord, *, cancel: Callable[[], Future[None]], steer: Callable[[str], Future[None]]
    ) -> None:
        """From here on requests belong to this turn, which is cancelled or steered where the scenario says so."""
        with self._lock:
            self._turn.begin(record, cancel=cancel, steer=steer)
            self._summaries.records.append(record)
            self._scripts = {record.number: Script(record.turn.model)}
            self._bounds = TurnBounds()

    def join_turn(self, record: TurnRecord) -> None:
        """From here on this turn runs beside the one that has begun."""
        with self._lock:
            self._turn.join(record)
            self._summaries.records.append(record)
            self._scripts[record.number] = Script(record.turn.model)

    def end_turns(self, *records: TurnRecord) -> None:
        """No turn is running now. Each has the replies that no request got."""
        with self._lock:
            self._turn.end()
            for record in records:
                record.unused = self._scripts[record.number].unused

    def handle(self, request: Request) -> Response:
        """The response of the first endpoint."""
        return self.handle_at(self._main, request)

    def handle_at(self, endpoint: Endpoint, request: Request) -> Response:
        """The response. A request that continues a stored response is judged and recorded with all it continues."""
        if self.stopped:
            return endpoint.loop.stop(request, STOPPED)
        try:
            naming = self._declared_naming()
            with self._lock:
                hold_collections()
                self.note_activity()
                self._asked, self._naming, self._newest = endpoint, naming, None
                response = endpoint.loop.handle(request, self)
                if self._newest is not None:
                    self._newest.response = response
                return response
        except AdapterMistake as mistake:
            self.mistake = self.mistake or str(mistake)
            self.stopped = True
        except _Interrupted:
            pass
        return endpoint.loop.stop(request, STOPPED)

    def _declared_naming(self) -> Naming:
        if self._hints.tool_names is None or self._turn.record is None:
            return Naming(has_own_tools=self._hints.has_own_tools)
        names = self._answer(partial(self._hints.declared_names, [tool.name for tool in self._tools]))
        return Naming(names, self._hints.has_own_tools)

    def _answer(self, ask: Callable[[], _T]) -> _T:
        """What the adapter answers. It has its own limit of time, which ends before that of the turn."""
        self.note_activity(ahead=self._hints.seconds)
        try:
            return ask()
        finally:
            self.note_activity()

    def handler_of(self, target: Target) -> Handler:
        """The handler where this provider serves the wire; the same for each of its models."""
        endpoint = self._endpoint(target)
        return self if endpoint is self._main else EndpointHandler(self, endpoint)

    def _endpoint(self, target: Target) -> Endpoint:
        key = target.wire, target.provider
        if key not in self._endpoints:
            wire = wire_for(target.provider, target.wire)
            loop = self._new_loop(wire, target.provider, model=target.model)
            self._endpoints[key] = Endpoint(target, wire, loop)
        return self._endpoints[key]

    def note_activity(self, ahead: float = 0.0) -> None:
        """What the agent does after it was stopped is no sign of life, and neither is what it does between turns."""
        if not self.stopped and self._turn.record is not None:
            self._turn.note_activity(ahead)

    # What the request loop calls.

    def stop_before(self, request: Request) -> str | None:
        record = self._turn.record
        if self.stopped:
            return STOPPED
        if record is None:
            return f"{STOPPED}: no turn is running"
        if self._bounds.are_reached(record):
            self._view, self._breaches = UNREAD, ()
            return self._stop(request)
        return None

    def unknown(self, request: Request) -> Response | str:
        self._record("unknown", request, UNREAD, status=404)
        return super().unknown(request)

    def received(self, request: ModelRequest) -> None:
        self._turn.read(request.view)
        self._names = self._naming.offered(self._tools, request.view.tools)
        self._view = mapped_back(request.view, self._tools, self._naming, self._names)
        self._breaches = ()

    def tolerated(self, request: ModelRequest, breaches: tuple[Violation, ...]) -> None:
        self._breaches = breaches

    def refused(self, request: ModelRequest, violation: Violation, why: Refusal) -> None:
        if why == "side" and self._newest is not None:  # recorded as one, before its length was known
            self._newest.violation, self._newest.status = violation, violation.status
        else:
            self._record(why, request.http, self._view, violation=violation, status=violation.status)

    def side_reply(self, request: ModelRequest) -> Reply | None:
        """To what the adapter says is a side request, as it says, or with `OK`; to one for a summary with a summary."""
        answer: str | bool = False
        if self._hints.side_request is not None:
            answer = self._unlocked(request.view, partial(self._hints.side_answer, request.http.body))
        if not isinstance(answer, str):
            answer = self._summaries.answer_to(self._view, is_declared=answer) or (answer and SIDE_ANSWER)
        if not answer:
            return None
        reply = Reply(text=answer)
        self._record("side", request.http, self._view, reply=reply)
        return reply

    def earlier_reply(self, request: ModelRequest) -> Reply | None:
        assert self._turn.record is not None
        first = retried(self._turn.record, request.http)
        if first is None:
            return None
        self._recorded = self._record(
            "retry", request.http, self._view, number=first.number, reply=first.reply, spec=first.spec
        )
        return first.reply

    def next_reply(self, request: ModelRequest) -> Reply | str:
        record = self._turn.record
        assert record is not None
        if len(record.counted) >= self._bound:
            return self._stop(request.http)
        ran = {attempt.tool for attempt in record.executions}
        at_fallback = self._asked.target == self._second
        following = self._script.advance(
            self._view,
            ran,
            without_calls=self._view.forbids_calls,
            at_fallback=at_fallback,
            is_forgetful=at_fallback and has_no_result(self._view, record),
        )
        if self._asks_for_a_last_reply(record):
            following = NextReply(ReplySpec(text="The script is over."), 1, over=True)
        offered = [tool.name for tool in request.view.tools]
        own = set(offered) - set(self._names.values())
        if taken := next((name for name in self._invented(following) if name in own), None):
            self.inexpressible = f"the agent has a tool of its own named {taken}, which this case takes for unknown"
            return STOPPED
        withheld = tuple(tool.name for tool in self._tools if tool.name in self._turn.enabled.difference(self._names))
        reply, calls = self._reply(following, offered, self._names, withheld)
        self._script.served(calls)
        if following.over or is_plain_answer(following.spec):
            reply = self._in_shape(reply)
            reply = self._through_reply_tool(reply, offered)
        kind: RequestKind = "fault" if is_harmful(reply) else "over" if following.over else "reply"
        self._recorded = self._record(kind, request.http, self._view, reply=reply, spec=following.spec, calls=calls)
        self._recorded.withheld = tuple(call.name for call in following.spec.calls if call.name in withheld)
        return reply

    def followed(self, response: Response) -> Response:
        recorded, self._recorded = self._recorded, None
        assert recorded is not None
        recorded.status = response.status
        release = self._turn.released if response.loss == "silent" else None
        return replace(response, listener=ResponseProgress(self, recorded), release=release)

    # How it is done.

    @property
    def _script(self) -> Script:
        assert self._turn.record is not None
        return self._scripts[self._turn.record.number]

    def _unlocked(self, view: View, ask: Callable[[], _T]) -> _T:
        """The answer of the adapter. Another request may be handled meanwhile, and the turn may end."""
        kept, record = (self._asked, self._view, self._names, self._breaches, self._naming), self._turn.record
        self._lock.release()
        try:
            answer = self._answer(ask)
        finally:
            self._lock.acquire()
        self._asked, self._view, self._names, self._breaches, self._naming = kept
        self._turn.read(view)
        if self._turn.record is not record or self.stopped:
            raise _Interrupted
        return answer

    def _stop(self, request: Request) -> str:
        """Stop the case at this request. Those that follow are not recorded."""
        self.stopped = True
        self._record("stopped", request, self._view, status=400)
        return STOPPED

    def _invented(self, following: NextReply) -> Iterator[str]:
        """The names in a reply that no tool of the scenario has."""
        known = {tool.name for tool in self._tools}
        return (name for call in following.spec.calls if (name := name_of(call, following.repetition)) not in known)

    def _reply(
        self, following: NextReply, offered: list[str], names: Mapping[str, str], withheld: tuple[str, ...]
    ) -> tuple[Reply, tuple[ServedCall, ...]]:
        """The reply with the names and ids that are sent, and what it calls: of what is enabled, only what is offered.

        A disabled tool is called by the name that the adapter declares, which is none of a tool of the agent's own.
        """
        if not following.spec.calls:
            return reply_of(following.spec, following.repetition, names={})[0], ()
        declared = {tool.name: self._naming.declared(tool.name) or tool.name for tool in self._tools}
        reply, specs = reply_of(following.spec, following.repetition, names={**declared, **names}, withheld=withheld)
        reply = replace(reply, calls=tuple(self._with_id(call) for call in reply.calls))
        calls = tuple(
            ServedCall(
                spec=spec,
                name=(name := name_of(spec, following.repetition)),
                wire_name=call.name,
                id=call.id if isinstance(call.id, str) else None,
                offered=call.name in offered,
                enabled=name in self._turn.enabled,
            )
            for spec, call in zip(specs, reply.calls, strict=True)
        )
        return reply, calls

    def _asks_for_a_last_reply(self, record: TurnRecord) -> bool:
        """A later request without any tools, while the model's calls go on, asks for a last word in prose."""
        rounds = len(record.counted)
        return rounds > 0 and self._script.goes_on(rounds) and not self._view.tools and bool(self._turn.enabled)

    def _with_id(self, call: Call) -> Call:
        return replace(call, id=self._asked.wire.call_id(self._ids)) if call.id is MADE_BY_PROVIDER else call

    def _in_shape(self, reply: Reply) -> Reply:
        """A model that is not told the schema of the case writes no JSON."""
        schema = self._schema
        if schema is None or says_schema(self._view, schema, [tool.name for tool in self._tools]):
            return reply
        return in_words(reply)

    def _through_reply_tool(self, reply: Reply, offered: list[str]) -> Reply:
        tool = self._hints.reply_tool
        if tool is None or tool[0] not in offered or not reply.text or reply.calls or is_harmful(reply):
            return reply
        call = reply_call(reply, *tool)
        return reply if call is None else replace(reply, text=None, finish=None, calls=(self._with_id(call),))

    def _record(
        self, kind: RequestKind, request: Request, view: View, *, number: int = 0, **more: Any
    ) -> RecordedRequest:
        record = self._turn.record
        assert record is not None
        recorded = RecordedRequest(kind, number or len(record.counted) + 1, request, view, **more)
        if view is self._view and kind != "retry":
            recorded.tolerated = self._breaches
        recorded.target = self._asked.target
        recorded.received_at = time.monotonic()
        recorded.attempts_before = len(record.attempts)
        recorded.offered = frozenset(tool.name for tool in view.tools)
        record.requests.append(recorded)
        self._newest = recorded
        self._bounds.keep(recorded)
        if recorded.reason:
            self._bounds.refuse(record, recorded)
        return recorded

    @property
    def may_hold(self) -> bool:
        """Whether a response of this turn may be held back at all."""
        return self._turn.may_hold

    def hold(self, request: RecordedRequest, chunk: int) -> threading.Event | None:
        """Called before a chunk is written: what holds it back, where the turn is to be cancelled there or runs beside
        another."""
        self.note_activity()
        return self._turn.before_chunk(request.number, chunk)
