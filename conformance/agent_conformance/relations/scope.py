"""Which cases a relation is about: those in which what it changes must not matter, whatever the agent's style."""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Literal, get_args

from msgspec import Struct
from msgspec.structs import replace

from agent_conformance.relations.renaming import Renaming
from agent_conformance.scenario.cases import Case
from agent_conformance.scenario.derived.faults import fault_of
from agent_conformance.scenario.derived.pictures import has_pictures
from agent_conformance.scenario.model import ReplySpec, Scenario, Turn
from agent_conformance.transcripts.narrative import narrative
from agent_conformance.transcripts.transcript import OUTSIDE_TURN, Attempt, RecordedRequest, Transcript, TurnRecord
from fake_providers.provider_facts import own_provider
from fake_providers.reply import HARMLESS_QUIRKS
from fake_providers.values.json_texts import read_json
from fake_providers.values.patterns import with_names
from fake_providers.view import ViewCall, ViewMessage

Relation = Literal["repeat", "stream", "cuts", "wire", "names", "order"]

RELATIONS: tuple[Relation, ...] = get_args(Relation)


MOST_ROUNDS = 3
"""Answers with calls in one turn that no agent takes for a loop."""


def is_about(relation: Relation, case: Case) -> bool:
    scenario = case.scenario
    if depends_on_time(scenario):
        return False
    match relation:
        case "stream" | "cuts":
            return case.mode == "stream" and not any(map(_depends_on_pieces, _replies(scenario)))
        case "wire":
            return case.provider == own_provider(case.wire) and not _is_of_a_wire(scenario)
        case "order":
            return len(scenario.tools) > 1
        case "names":
            return bool(scenario.tools) and not has_pictures(scenario)  # they are drawn by the names of tools
        case _:
            return True


def compares_texts(relation: Relation, scenario: Scenario) -> bool:
    """Whether the texts of answers are compared: of an answer that is more than prose, a user who reads along has
    already what a plain response leaves out.
    """
    return relation != "stream" or not any(
        (reply.means is not None and reply.means.handling != "show") for reply in _replies(scenario)
    )


def depends_on_time(scenario: Scenario) -> bool:
    """Whether what happens depends on which of two things is first."""
    turns = scenario.conversation
    return scenario.limits.seconds is not None or any(
        turn.cancel or turn.crash or turn.steer or turn.together or any(map(_is_silent, turn.model)) for turn in turns
    )


def _replies(scenario: Scenario) -> Iterator[ReplySpec]:
    return (reply for turn in scenario.conversation for reply in turn.model)


def _is_silent(reply: ReplySpec) -> bool:
    return reply.fault is not None and reply.fault.connection == "silent"


def _depends_on_pieces(reply: ReplySpec) -> bool:
    """Whether a part of the reply arrives, or calls in odd deltas: what there is to read depends on the mode and on how
    the text is cut.
    """
    fault = fault_of(reply)
    is_cut = fault is not None and (fault.is_cut or fault.ends is not None or fault.error_event is not None)
    return is_cut or not HARMLESS_QUIRKS.issuperset(reply.quirks)


def _is_of_a_wire(scenario: Scenario) -> bool:
    """Whether providers may differ in it: each has its own errors, limits, reasoning, forms of answers and ids.

    A history that no provider takes as it is may have to be repaired otherwise for each. An agent that has had enough
    of a loop forbids calls where a wire can say that, and leaves out its tools elsewhere: another answer follows.
    """
    replies = list(_replies(scenario))
    return (
        scenario.wires is not None
        or bool(scenario.providers or scenario.model or scenario.server_tools)
        or scenario.window is not None
        or scenario.fallback is not None
        or scenario.output_schema is not None
        or scenario.tool_choice is not None
        or scenario.limits.context_tokens is not None
        or bool(scenario.history)
        or has_pictures(scenario)
        or any(turn.switch is not None or turn.compact or _is_long(turn) for turn in scenario.conversation)
        or any(map(_is_said_otherwise, replies))
    )


def _is_long(turn: Turn) -> bool:
    """Whether the model calls tools so often in a turn that an agent may stop it."""
    calling = [reply for reply in turn.model if reply.calls]
    return len(calling) > MOST_ROUNDS or any(reply.forever or reply.until or reply.times > 1 for reply in calling)


def _is_said_otherwise(reply: ReplySpec) -> bool:
    if (
        reply.thinking
        or reply.finish is not None
        or reply.fault is not None
        or reply.quirks
        or reply.server_calls
        or reply.sources
    ):
        return True
    return any("id" in call.given or call.arguments_text is not None for call in reply.calls)


Text = Callable[[str], str]

BY_MODE: frozenset[Relation] = frozenset({"stream", "cuts"})
OTHER_PROVIDER: frozenset[Relation] = frozenset({"wire"})
OTHER_TOOLS: frozenset[Relation] = frozenset({"names", "order"})
MARKS = ".,:;!?()[]{}<>\"'`*|"


class Form(Struct, frozen=True):
    """How a run is written down under a relation. `tools` are the names of the scenario's tools, `new` those that they
    have in this run, `scrub` are patterns of the adapter for what changes from run to run.
    """

    relation: Relation
    tools: tuple[str, ...]
    scrub: tuple[Any, ...] = ()
    new: Renaming | None = None
    has_texts: bool = True
    """Whether the texts of answers are compared."""

    def name(self, name: str) -> str:
        return self.new.back(name) if self.new is not None else name

    def text(self, text: str) -> str:
        """With the names of the scenario. What lists tools has no order, if the order of the tools is another one."""
        named = self.name(text)
        if self.relation not in OTHER_TOOLS or sum(tool in named for tool in self.tools) < 2:
            return named
        return " ".join(sorted(word.strip(MARKS) for word in named.split()))


def conversation(transcript: Transcript, form: Form, *, given: Callable[[], str]) -> list[str]:
    """The lines. `given` is the text of the scenario: what stands in it does not change from run to run."""
    records = [_turn(record, form) for record in transcript.turns]
    text = narrative(replace(transcript, turns=records), scrub=form.scrub, given=given)
    if form.relation in OTHER_PROVIDER:
        text = with_names(
            text,
            dict.fromkeys(
                {call.id for _, request in transcript.requests() for call in request.calls if call.id}, "an id"
            ),
        )
    return form.name(text).rstrip("\n").split("\n")


def _turn(record: TurnRecord, form: Form) -> TurnRecord:
    # Side requests may go out at any time, and a retry of the transport says nothing new.
    kept = [request for request in record.requests if request.kind not in OUTSIDE_TURN and request.kind != "retry"]
    order = {id(request): place for place, request in enumerate(record.requests)}
    before = [order[id(request)] for request in kept]
    attempts = [
        replace(attempt, requests_before=_kept_before(attempt.requests_before, before)) for attempt in record.attempts
    ]
    other = form.relation in BY_MODE or form.relation in OTHER_PROVIDER
    return replace(
        record,
        requests=[_request(request, form) for request in kept],
        attempts=sorted(attempts, key=partial(_place_of, form=form)),
        approvals=[replace(one, requests_before=_kept_before(one.requests_before, before)) for one in record.approvals],
        withdrawn=[],
        own_reply=form.text(final_reply(record)) if form.has_texts else "",
        failure="" if other and record.outcome == "error" else record.failure,
    )


def _kept_before(count: int, places: Sequence[int]) -> int:
    """How many of the requests that are kept came before."""
    return sum(place < count for place in places)


def _place_of(attempt: Attempt, form: Form) -> tuple[int, str, str, str]:
    """Calls of one answer may run in any order."""
    arguments = json.dumps(attempt.arguments, sort_keys=True, default=repr)
    return (attempt.requests_before, form.name(attempt.tool), arguments, attempt.result)


def _request(request: RecordedRequest, form: Form) -> RecordedRequest:
    place = {
        call.id: number for number, call in enumerate(call for each in request.view.messages for call in each.calls)
    }
    tools = request.view.tools
    if form.relation in OTHER_PROVIDER:
        tools = ()  # not every wire can forbid calls in another way than by offering nothing
    elif form.relation in OTHER_TOOLS:
        tools = tuple(sorted(tools, key=lambda tool: form.name(tool.name)))
    changes: dict[str, Any] = {
        "view": replace(
            request.view,
            system=form.text(request.view.system),
            tools=tools,
            messages=tuple(
                _message(message, form, place)
                for message in request.view.messages
                if form.has_texts or message.role != "assistant" or bool(message.calls)
            ),
        )
    }
    if form.relation in OTHER_PROVIDER:
        changes["calls"] = tuple(replace(call, id=None) for call in request.calls)
    return replace(request, **changes)


def _message(message: ViewMessage, form: Form, place: Mapping[str | None, int]) -> ViewMessage:
    results = sorted(message.results, key=lambda result: place.get(result.id, 0))
    calls: Iterable[ViewCall] = message.calls
    if form.relation in OTHER_PROVIDER:
        calls = (replace(call, id=None, arguments_text=_flat(call)) for call in calls)
        results = [replace(result, id=None, is_error=False, text=plain_result(result.text)) for result in results]
    return replace(
        message,
        text=_text(message, form),
        thinking="" if form.relation in BY_MODE or form.relation in OTHER_PROVIDER else message.thinking,
        calls=tuple(calls),
        results=tuple(replace(result, text=form.text(result.text)) for result in results),
    )


def _text(message: ViewMessage, form: Form) -> str:
    if message.role == "assistant" and not form.has_texts:
        return ""
    # Wires join texts of one role in their own ways.
    return " ".join(form.text(message.text).split()) if form.relation in OTHER_PROVIDER else form.text(message.text)


def _flat(call: ViewCall) -> str:
    """Some wires send arguments as text, and others as JSON."""
    if call.arguments is None:
        return call.arguments_text
    return json.dumps(call.arguments, ensure_ascii=False, sort_keys=True)


DEEPEST = 8


def plain_result(text: str) -> str:
    """A JSON value that is wrapped in objects with one key is written as itself, and a text as its words."""
    value = _unwrapped(text, DEEPEST)
    if isinstance(value, str):
        return " ".join(value.split())
    return json.dumps(value, ensure_ascii=False, sort_keys=True, default=repr)


def _unwrapped(value: Any, depth: int) -> Any:
    if depth and isinstance(value, str):
        try:
            read = read_json(value)
        except ValueError:
            return value
        return _unwrapped(read, depth - 1) if isinstance(read, dict | list | str) else read
    if depth and isinstance(value, dict) and len(value) == 1:
        return _unwrapped(next(iter(value.values())), depth - 1)
    return value


# What the user has in the end of a turn, without what may be shown before it.


def final_reply(record: TurnRecord) -> str:
    """The reply without texts at its beginning that the model wrote with calls, and without blank space around lines.

    A streamed reply has these texts where an agent shows them, and a plain one often has not.
    """
    text = record.reply.strip()
    narrations = sorted(_narrations(record), key=len, reverse=True)
    while (said := next((said for said in narrations if text.startswith(said)), None)) is not None:
        text = text[len(said) :].lstrip()
    lines = [line.rstrip() for line in text.splitlines()]
    return re.sub(r"\n{2,}", "\n", "\n".join(lines))


def _narrations(record: TurnRecord) -> set[str]:
    """What the model said in answers after which it was asked again; of a call as text, the words around it."""
    answers = [request for request in record.requests if request.reply is not None and request.kind != "retry"]
    said: set[str] = set()
    for request in answers:
        assert request.reply is not None
        if request.reply.calls or request is not answers[-1]:
            means = request.spec.means if request.spec is not None else None
            said |= {request.said, (means.show if means is not None else None) or ""}
    return {text.strip() for text in said if text.strip()}
