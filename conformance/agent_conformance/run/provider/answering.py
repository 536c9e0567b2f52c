"""One request that is being answered, by the script of the turn, until it is recorded.

What the requests of a case share is a `CaseModel`. Everything that is about one request alone is its `Exchange`: while
the adapter is asked something of it, another one may be answered.
"""

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from copy import copy
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar

from msgspec import Struct, field, structs

from agent_conformance.run.provider.adapter_readers import RequestHints, with_answers_as_texts
from agent_conformance.run.provider.model_script import (
    NextReply,
    Script,
    has_no_result,
    in_offered_names,
    in_words,
    name_of,
    reply_call,
    reply_of,
    says_schema,
)
from agent_conformance.run.provider.one_by_one import (
    ResponseProgress,
    apart,
    is_harmful,
    is_plain_answer,
    is_tied_to_a_place,
    retried,
)
from agent_conformance.run.provider.running_turn import RunningTurn
from agent_conformance.run.provider.side_requests import SideRequests
from agent_conformance.run.provider.tool_names import (
    Added,
    Naming,
    ToolSearches,
    filled_in,
    mapped_back,
    own_parameters,
    without_added,
)
from agent_conformance.scenario.base_model import text_of
from agent_conformance.scenario.cases import Case
from agent_conformance.scenario.derived.routes import Target
from agent_conformance.scenario.model import ReplySpec
from agent_conformance.transcripts.transcript import (
    DEFAULT_REQUEST_LIMIT,
    MOST_MEGABYTES,
    MOST_REFUSALS,
    MOST_REQUESTS,
    RecordedRequest,
    RequestKind,
    ServedCall,
    TurnRecord,
)
from fake_providers import MADE_BY_PROVIDER, Call, Reply, Request, Response, View, Violation
from fake_providers.ids import Ids
from fake_providers.reply_rules import Unsent, why_unsent, without
from fake_providers.serving.request_loop import ModelRequest, ModelSide, Refusal, RequestLoop
from fake_providers.wire import Wire


class TurnBounds:
    """How much of the bounds that hold for every agent the turns that run now have used up."""

    def __init__(self) -> None:
        self._bytes = 0
        self._refusals: Counter[tuple[int, str]] = Counter()
        """By the number of the turn and the reason."""

    def keep(self, request: RecordedRequest) -> None:
        self._bytes += len(request.http.body)

    def refuse(self, record: TurnRecord, request: RecordedRequest) -> None:
        self._refusals[record.number, request.reason] += 1

    def are_reached(self, record: TurnRecord) -> bool:
        return (
            len(record.requests) >= MOST_REQUESTS
            or self._bytes > MOST_MEGABYTES * 1_000_000
            or any(count >= MOST_REFUSALS for (turn, _), count in self._refusals.items() if turn == record.number)
        )


STOPPED = "stopped by the conformance suite"
SIDE_ANSWER = "OK"
UNREAD = View("", False)
_T = TypeVar("_T")


class Endpoint(Struct, frozen=True):
    """Where one provider of the case serves one wire. It does not know the case, which knows it."""

    target: Target
    wire: Wire
    loop: RequestLoop


class CaseModel(Struct):
    """What the model of a case run knows. `lock` is held while a request is answered, but not while the adapter is
    asked something, so that nothing else waits for its answer.

    `bound` is the most requests of a turn that get a reply. `inexpressible` says why the model of this case cannot say
    to this agent what the script has.
    """

    case: Case
    turn: RunningTurn
    bound: int
    hints: RequestHints
    ids: Ids
    second: Target | None
    """The fallback that the scenario names."""
    beside: SideRequests
    searches: ToolSearches
    anywhere: bool = False
    """Whether gateways and servers of open models may answer the agent, too."""
    most_requests: int = DEFAULT_REQUEST_LIMIT
    """Of a turn that was written for fewer."""
    lock: threading.Lock = field(default_factory=threading.Lock)
    scripts: dict[int, Script] = field(default_factory=dict)
    """Of the turns that run, by their numbers."""
    bounds: TurnBounds = field(default_factory=TurnBounds)
    stopped: bool = False
    inexpressible: str = ""

    @property
    def script(self) -> Script:
        assert self.turn.record is not None
        return self.scripts[self.turn.record.number]

    def answer(self, ask: Callable[[], _T]) -> _T:
        """What the adapter answers. It has its own limit of time, which ends before that of the turn."""
        self.note_activity(ahead=self.hints.seconds)
        try:
            return ask()
        finally:
            self.note_activity()

    @contextmanager
    def unlocked(self) -> Iterator[None]:
        """Meanwhile another request may be answered, and the turn may end."""
        self.lock.release()
        try:
            yield
        finally:
            self.lock.acquire()

    def note_activity(self, ahead: float = 0.0) -> None:
        """What the agent does after it was stopped is no sign of life, and neither is what it does between turns."""
        if not self.stopped and self.turn.record is not None:
            self.turn.note_activity(ahead)

    @property
    def may_hold(self) -> bool:
        """Whether a response of this turn may be held back at all."""
        return self.turn.may_hold

    def hold(self, request: RecordedRequest, chunk: int) -> threading.Event | None:
        """Called before a chunk is written: what holds it back, where the turn is to be cancelled there or runs beside
        another."""
        self.note_activity()
        return self.turn.before_chunk(request.number, chunk)


class Exchange(ModelSide):
    """One request at an endpoint; `naming` is what the adapter declares of the names in it. The loop calls it."""

    def __init__(self, model: CaseModel, endpoint: Endpoint, naming: Naming) -> None:
        self._model = model
        self._endpoint = endpoint
        self._naming = naming
        self._view = UNREAD
        """What the request says, with the scenario's names of its tools."""
        self._names: Mapping[str, str] = {}
        """The name that it has for each of the scenario's tools that it offers."""
        self._added: Added = {}
        """What it requires the model to fill in besides the tools' own parameters."""
        self._breaches: tuple[Violation, ...] = ()
        """What in it breaks rules that are tolerated."""
        self.recorded: RecordedRequest | None = None

    def stop_before(self, request: Request) -> str | None:
        record = self._model.turn.record
        if self._model.stopped:
            return STOPPED
        if record is None:
            return f"{STOPPED}: no turn is running"
        return self._stop(request) if self._model.bounds.are_reached(record) else None

    def unknown(self, request: Request) -> Response | str:
        self._record("unknown", request, UNREAD, status=404)
        return super().unknown(request)

    def received(self, request: ModelRequest) -> None:
        tools = self._model.case.scenario.tools
        self._model.turn.read(request.view)
        self._names = self._naming.offered(tools, request.view.tools)
        view = mapped_back(request.view, tools, self._naming, self._names)
        self._added = own_parameters(view, tools)
        self._model.turn.added.update(self._added)
        view = without_added(view, self._model.turn.added)
        tool = self._model.hints.reply_tool
        self._view = view if tool is None else with_answers_as_texts(view, tool)

    def tolerated(self, request: ModelRequest, breaches: tuple[Violation, ...]) -> None:
        self._breaches = breaches

    def refused(self, request: ModelRequest, violation: Violation, why: Refusal) -> None:
        if why == "side" and self.recorded is not None:  # recorded as one, before its length was known
            self.recorded.violation, self.recorded.status = violation, violation.status
        else:
            self._record(why, request.http, self._view, violation=violation, status=violation.status)

    def side_reply(self, request: ModelRequest) -> Reply | str | None:
        """To what the adapter says is a side request, as it says, or with `OK`; to one for a summary with a summary; to
        another that has the form of one with a text of its own. What a summary calls is no call of the conversation.
        """
        model, record = self._model, self._model.turn.record
        answer: str | bool = False
        if model.hints.side_request is not None:
            with model.unlocked():
                answer = model.answer(partial(model.hints.side_answer, request.http.body))
            model.turn.read(request.view)
            if model.turn.record is not record or model.stopped:
                return STOPPED
        summary = (
            None
            if isinstance(answer, str)
            else model.beside.summary_for(self._as_recorded(self._view), is_declared=answer)
        )
        by_form = None
        if summary is None and not answer and record is not None:
            by_form = model.beside.answer_to(self._view)
        if summary is not None:
            reply, _ = self._reply(NextReply(summary, 1), [tool.name for tool in request.view.tools], ())
        elif answer or by_form is not None:
            reply = Reply(text=by_form or (answer if isinstance(answer, str) else SIDE_ANSWER))
        else:
            return None
        status = (reply.fault.status if reply.fault else None) or 200
        recorded = self._record("side", request.http, self._view, reply=reply, status=status)
        if by_form is not None:
            model.beside.unclear.append(recorded)
        return reply

    def earlier_reply(self, request: ModelRequest) -> Reply | None:
        assert self._model.turn.record is not None
        first = retried(self._model.turn.record, request.http)
        if first is None:
            return None
        self._record("retry", request.http, self._view, number=first.number, reply=first.reply, spec=first.spec)
        return first.reply

    def next_reply(self, request: ModelRequest) -> Reply | str:
        model, record = self._model, self._model.turn.record
        assert record is not None
        if len(record.counted) >= model.bound:
            return self._stop(request.http)
        ran = {attempt.tool for attempt in record.executions}
        at_fallback = self._endpoint.target == model.second
        advance = partial(
            Script.advance,
            view=self._view,
            ran=ran,
            without_calls=self._view.forbids_calls,
            at_fallback=at_fallback,
            is_forgetful=at_fallback and has_no_result(self._view, record),
        )
        if (search := self._search(request, partial(advance, copy(model.script)))) is not None:
            return search
        following = advance(model.script)
        following = structs.replace(following, spec=in_offered_names(following.spec, self._wire_names()))
        if self._asks_for_a_last_reply(record):
            following = NextReply(ReplySpec(text="The script is over."), 1, over=True)
        tools = [tool.name for tool in model.case.scenario.tools]
        offered = [tool.name for tool in request.view.tools]
        own = set(offered) - set(self._names.values())
        called = (name_of(call, following.repetition) for call in following.spec.calls)
        if taken := next((name for name in called if name not in tools and name in own), None):
            model.inexpressible = f"the agent has a tool of its own named {taken}, which this case takes for unknown"
            return STOPPED
        withheld = tuple(name for name in tools if name in model.turn.enabled.difference(self._names))
        reply, calls, answer = self._answer(following, offered, withheld)
        reply, unsent = (reply, None) if following.over else self._as_shown(request, reply)
        if unsent is not None and unsent.rule.comes_apart:
            pieces = apart(following.spec, withheld)
            if pieces and not is_tied_to_a_place(record.turn):
                following = model.script.take_apart(pieces)
                record.splits.append((len(record.counted) + 1, len(pieces) - following.spec.times))
                reply, calls, answer = self._answer(following, offered, withheld)
                reply, unsent = self._as_shown(request, reply)
                if model.script.rounds > model.most_requests:
                    model.inexpressible = (
                        f"the request has calls come one after the other, which takes {model.script.rounds} requests, "
                        f"and a turn of this case may have {model.most_requests}"
                    )
                    return STOPPED
        if unsent is not None:
            model.inexpressible = str(unsent)
            return STOPPED
        model.script.served(calls)
        kind: RequestKind = "fault" if is_harmful(reply) else "over" if following.over else "reply"
        recorded = self._record(kind, request.http, self._view, reply=reply, spec=following.spec, calls=calls)
        recorded.withheld = tuple(call.name for call in following.spec.calls if call.name in withheld)
        recorded.answer = answer
        return reply

    def _search(self, request: ModelRequest, following: Callable[[], NextReply]) -> Reply | str | None:
        """The model's search for what the reply calls that is `following`, if the request does not offer it."""
        model = self._model
        found = model.searches.reply(
            self._view, following, offered=self._names, enabled=model.turn.enabled, naming=self._naming
        )
        if isinstance(found, str):
            model.inexpressible = found
            return STOPPED
        if found is None:
            return None
        found = replace(found, calls=tuple(map(self._with_id, found.calls)))
        self._record("search", request.http, self._view, reply=found)
        return found

    def followed(self, response: Response) -> Response:
        recorded = self.recorded
        assert recorded is not None
        recorded.status = response.status
        release = self._model.turn.released if response.loss == "silent" else None
        return structs.replace(response, listener=ResponseProgress(self._model, recorded), release=release)

    def _stop(self, request: Request) -> str:
        """Stop the case at this request. Those that follow are not recorded."""
        self._model.stopped = True
        self._record("stopped", request, self._view, status=400)
        return STOPPED

    def _answer(
        self, following: NextReply, offered: list[str], withheld: tuple[str, ...]
    ) -> tuple[Reply, tuple[ServedCall, ...], str | None]:
        """The reply as it is sent, an answer to the end in the form that the request has for it; what it calls; and the
        text of an answer that comes as a call of the reply tool."""
        reply, calls = self._reply(following, offered, withheld)
        if not following.over and not is_plain_answer(following.spec):
            return reply, calls, None
        plain = self._in_shape(reply)
        sent = self._through_reply_tool(plain, offered)
        return sent, calls, None if sent is plain else plain.text

    def _reply(
        self, following: NextReply, offered: list[str], withheld: tuple[str, ...]
    ) -> tuple[Reply, tuple[ServedCall, ...]]:
        """The reply with the names and ids that are sent, and what it calls: of what is enabled, only what is offered.

        A disabled tool is called by the name that the adapter declares, which is none of a tool of the agent's own.
        """
        if not following.spec.calls:
            return self._with_reasoning(reply_of(following.spec, following.repetition, names={})[0]), ()
        names = self._wire_names()
        reply, specs = reply_of(following.spec, following.repetition, names=names, withheld=withheld)
        added = [self._added.get(name_of(spec, following.repetition), {}) for spec in specs]
        filled = map(filled_in, reply.calls, added)
        reply = replace(
            reply,
            calls=tuple(self._with_id(new or call) for new, call in zip(filled, reply.calls, strict=True)),
        )
        reply = self._with_reasoning(reply)
        calls = tuple(
            ServedCall(
                spec=spec,
                name=(name := name_of(spec, following.repetition)),
                wire_name=call.name,
                id=call.id if isinstance(call.id, str) else None,
                offered=call.name in offered,
                enabled=name in self._model.turn.enabled,
                text=call.arguments_text,
                added=tuple(of_agent),
            )
            for spec, call, of_agent in zip(specs, reply.calls, added, strict=True)
        )
        return reply, calls

    def _wire_names(self) -> dict[str, str]:
        """By the scenario's name of each tool, the one that the request offers, or else that the adapter declares."""
        tools = self._model.case.scenario.tools
        return {**{tool.name: self._naming.declared(tool.name) or tool.name for tool in tools}, **self._names}

    def _with_reasoning(self, reply: Reply) -> Reply:
        """Reasoning is shown in chat completions by their other servers, and never by OpenAI."""
        if reply.thinking is None or self._endpoint.wire.name != "openai-chat":
            return reply
        shown = replace(reply, quirks=(*reply.quirks, "reasoning-content"))
        to, sent = self._endpoint.target, Reply(quirks=("reasoning-content",))
        hidden = why_unsent(sent, provider=to.provider, wire=to.wire, anywhere=self._model.anywhere)
        return reply if hidden else shown

    def _as_shown(self, request: ModelRequest, reply: Reply) -> tuple[Reply, Unsent | None]:
        """The reply, without what nobody asked for, if the case is of more than that; why it cannot come."""
        unsent = self._why_unsent(request, reply)
        hides = unsent.rule.hides if unsent is not None else ""
        is_about_thinking = self._model.case.file.area == "reasoning" and hides != "cached"
        if not hides or (is_about_thinking and not (hides == "words" and reply.calls)):
            return reply, unsent
        return self._as_shown(request, without(reply, hides))

    def _why_unsent(self, request: ModelRequest, reply: Reply) -> Unsent | None:
        """Why the provider sends no such reply to this request. That a request forces calls for ever is found by the
        law on `tool_choice`, where the case has one: then the model answers all the same."""
        target, scenario = self._endpoint.target, self._model.case.scenario
        view = request.view
        if scenario.tool_choice is not None:
            view = structs.replace(view, forces=frozenset())
        return why_unsent(
            reply,
            provider=target.provider,
            wire=target.wire,
            model=view.model,
            request=request.http,
            view=view,
            anywhere=self._model.anywhere,
        )

    def _asks_for_a_last_reply(self, record: TurnRecord) -> bool:
        """A later request without any tools, while the model's calls go on, asks for a last word in prose."""
        rounds = len(record.counted)
        goes_on = rounds > 0 and self._model.script.goes_on(rounds)
        return goes_on and not self._as_recorded(self._view).tools and bool(self._model.turn.enabled)

    def _as_recorded(self, view: View) -> View:
        scenario = self._model.case.scenario
        prompts = (scenario.system, *(one.system or "" for one in scenario.history))
        said = [text_of(one.user) for one in scenario.history if one.user is not None]
        for turn in scenario.conversation:
            said += [turn.user_text, *(steer.user for steer in turn.steer)]
        return self._model.hints.as_recorded(view, prompts, said)

    def _with_id(self, call: Call) -> Call:
        wire = self._endpoint.wire
        return replace(call, id=wire.call_id(self._model.ids)) if call.id is MADE_BY_PROVIDER else call

    def _in_shape(self, reply: Reply) -> Reply:
        """A model that is not told the schema of the case writes no JSON."""
        scenario = self._model.case.scenario
        schema = scenario.output_schema
        if schema is None or says_schema(self._view, schema, [tool.name for tool in scenario.tools]):
            return reply
        return in_words(reply)

    def _through_reply_tool(self, reply: Reply, offered: list[str]) -> Reply:
        tool = self._model.hints.reply_tool or self._forced_reply_tool()
        if tool is None or tool[0] not in offered or not reply.text or reply.calls or is_harmful(reply):
            return reply
        call = reply_call(reply, *tool)
        if call is None:
            return reply
        return replace(reply, text=None, blocks=(), chunks=(), finish=None, calls=(self._with_id(call),))

    def _forced_reply_tool(self) -> tuple[str, None] | None:
        """The agent's own tool for an answer of the case's schema, where the request leaves no room for a text."""
        scenario = self._model.case.scenario
        if scenario.output_schema is None:
            return None
        own = self._view.forces - {tool.name for tool in scenario.tools}
        wanted = set(scenario.output_schema.get("properties", ()))
        for tool in self._view.tools:
            has = tool.parameters.get("properties", ()) if isinstance(tool.parameters, dict) else ()
            if tool.name in own and wanted and wanted.issubset(has):
                return tool.name, None
        return None

    def _record(
        self, kind: RequestKind, request: Request, view: View, *, number: int = 0, **more: Any
    ) -> RecordedRequest:
        record = self._model.turn.record
        assert record is not None
        shown = view if kind == "side" else self._as_recorded(view)
        recorded = RecordedRequest(kind, number or len(record.counted) + 1, request, shown, **more)
        if view is self._view and kind != "retry":
            recorded.tolerated = self._breaches
        recorded.target = self._endpoint.target
        recorded.received_at = time.monotonic()
        recorded.attempts_before = len(record.attempts)
        recorded.offered = frozenset(tool.name for tool in view.tools)
        recorded.search_tool = search.name if (search := self._model.searches.tool_in(view)) else ""
        recorded.requires_more = frozenset(self._added)
        record.requests.append(recorded)
        self.recorded = recorded
        self._model.bounds.keep(recorded)
        if recorded.reason:
            self._model.bounds.refuse(record, recorded)
        return recorded
