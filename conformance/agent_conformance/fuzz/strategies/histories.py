"""Restored conversations as sessions, crashes, pruners and merges leave them, and what must be left of them."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from hypothesis import strategies as st

from agent_conformance.fuzz.strategies.parts import (
    KINDS,
    Draw,
    Kind,
    call_of,
    chance,
    document,
    one_of,
    question,
    ran,
    reply_to,
    some_of,
    tool_of,
    turn,
)
from agent_conformance.minimise.documents import Document

Message = dict[str, Any]
IDS = (
    "call_{}",
    "toolu_01{}",
    "look_up:{}",
    "call_abc|fc_{}",
    "functions.look_up:{}",
    "D681PevK{}",
    "call_0123456789" * 6 + "{}",
)
GONE = Kind(
    "old_dictionary", "Is not there any more.", "entry", ("pear", "leek"), ("a sweet fruit of old", "a long leaf")
)


@dataclass(slots=True)
class Stored:
    """A history that is being made: its messages, and the texts that each request must have."""

    messages: list[Message] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)
    number: int = 0

    def user(self) -> None:
        self.number += 1
        text = f"What about thing {self.number}, please?"
        self.messages.append({"user": text})
        self.kept.append(text)

    def said(self, *, is_kept: bool = True) -> None:
        text = f"Thing {self.number} is fine, I say."
        self.messages.append({"assistant": text})
        if is_kept:
            self.kept.append(text)

    def called(self, calls: Sequence[tuple[str | None, Kind, str]], *, text: str = "") -> None:
        made = [{"id": id, **call_of(kind, value)} for id, kind, value in calls]
        self.messages.append({"assistant": {**({"text": text} if text else {}), "calls": made}})

    def result(self, id: str | None, text: str, *, name: str | None = None) -> None:
        self.messages.append({"tool": {"id": id, **({"name": name} if name else {}), "result": text}})


def _whole(draw: Draw, stored: Stored, kind: Kind) -> None:
    """A user's message with an answer, with or without one to three calls before it."""
    stored.user()
    for _ in range(one_of(draw, (0, 1, 1, 2))):
        pattern = one_of(draw, IDS)
        values = list(kind.values[: one_of(draw, (1, 1, 2))])
        calls = [
            (pattern.format(f"{stored.number}{len(stored.messages)}{place}"), kind, value)
            for place, value in enumerate(values)
        ]
        if chance(draw, 20):
            stored.messages.append({"assistant": "Let me check the dictionary."})
        stored.called(calls, text="I will look." if chance(draw, 20) else "")
        for place, (id, _, _) in enumerate(calls):
            stored.result(id, f"{kind.results[place]}, found {len(stored.messages)}")
    stored.said()


@st.composite
def whole_histories(draw: Draw) -> Document:
    """A well-formed history, short or long, maybe of a tool that is gone: all of it is sent."""
    kind = KINDS[1]
    stored = Stored()
    gone = chance(draw, 15)
    for _ in range(one_of(draw, (1, 1, 2, 3, 12))):
        _whole(draw, stored, GONE if gone else kind)
    calls = [
        call
        for message in stored.messages
        if isinstance(message.get("assistant"), dict)
        for call in message["assistant"]["calls"]
    ]
    results = [message["tool"]["result"] for message in stored.messages if "tool" in message]
    wanted: dict[str, Any] = {"at": 1, "contains": stored.kept + ([] if gone else results)}
    advice: dict[str, Any] = {}
    if calls and not gone and isinstance(stored.messages[-2].get("tool"), dict):
        last = [
            {call["name"]: call["arguments"]}
            for call in stored.messages[_last_call(stored.messages)]["assistant"]["calls"]
        ]
        advice = {"should": {"requests": [{"at": 1, "results": results[-len(last) :]}]}}
    return _asked(draw, stored, kind, wanted, advice, "a well-formed history is sent whole")


def _last_call(messages: list[Message]) -> int:
    return max(place for place, message in enumerate(messages) if isinstance(message.get("assistant"), dict))


@st.composite
def damaged_histories(draw: Draw) -> Document:
    """A history with one or two damages: its beginning is gone, results are missing, twice, late or of no call, ..."""
    kind = KINDS[1]
    stored = Stored()
    before, after = chance(draw, 40), chance(draw, 50)
    beginning = one_of(draw, BEGINNINGS) if chance(draw, 40) else None
    if beginning is not None:
        beginning(draw, stored, kind)
    if before or beginning is not None:
        _whole(draw, stored, kind)
    for damage in some_of(draw, DAMAGES, 0 if beginning is not None else 1, 2):
        damage(draw, stored, kind)
    if after:
        _whole(draw, stored, kind)
    return _asked(draw, stored, kind, {"at": 1, "contains": stored.kept}, {}, "a damaged history is repaired and sent")


def _asked(
    draw: Draw, stored: Stored, kind: Kind, wanted: dict[str, Any], advice: dict[str, Any], description: str
) -> Document:
    """The next turn of the session: an answer, with or without a call before it."""
    answer = reply_to(draw)
    calls = [call_of(kind, kind.values[3])] if chance(draw, 35) else []
    expect = {"executed": [ran(call) for call in calls], "reply": answer, "requests": [wanted], **advice}
    if not wanted["contains"]:
        del expect["requests"]
    model = [*({"calls": [call]} for call in calls), {"text": answer}]
    system = {"system": "You are a helpful assistant."} if chance(draw, 40) else {}
    return document(
        description, [turn(question(draw), model, expect)], tools=[tool_of(kind)], history=stored.messages, **system
    )


def _begins_with_call(draw: Draw, stored: Stored, kind: Kind) -> None:
    stored.called([("c1", kind, kind.values[0])])
    if chance(draw, 70):
        stored.result("c1", "a fruit of the past")
        if chance(draw, 50):
            stored.messages.append({"assistant": "so much for that"})


def _begins_with_result(draw: Draw, stored: Stored, kind: Kind) -> None:
    for number in range(draw(st.integers(1, 2))):
        stored.result(f"toolu_01Hi{number}", "an orphan of the past")
    if chance(draw, 50):
        stored.messages.append({"assistant": "stranded words"})


def _begins_with_prose(draw: Draw, stored: Stored, kind: Kind) -> None:
    for text in ("Be brief.", "Be polite.")[: draw(st.integers(0, 2))]:
        stored.messages.append({"system": text})
        stored.kept.append(text)
    stored.messages.append({"assistant": "stranded words"})


BEGINNINGS = (_begins_with_call, _begins_with_result, _begins_with_prose)


def _unanswered(draw: Draw, stored: Stored, kind: Kind) -> None:
    """An interrupted turn: no result of a call, or of some calls of a batch."""
    stored.user()
    count = draw(st.integers(1, 3))
    ids = [f"call_lost{len(stored.messages)}{place}" for place in range(count)]
    text = "I look up the rest." if chance(draw, 30) else ""
    stored.called([(id, kind, value) for id, value in zip(ids, kind.values, strict=False)], text=text)
    for id in some_of(draw, ids, 0, count - 1):
        text = f"it grows in gardens, {id}"
        stored.result(id, text)
        stored.kept.append(text)
    if chance(draw, 40):
        stored.messages.append({"user": f"Hello? I am still at {stored.number}."})
        stored.messages.append({"assistant": "I am here."})


def _call_after_call(draw: Draw, stored: Stored, kind: Kind) -> None:
    """A call that was lost, and right after it another with its result."""
    stored.user()
    stored.called([("call_LOST", kind, kind.values[0])])
    stored.called([("call_LIVE", kind, kind.values[2])])
    stored.result("call_LIVE", "a vegetable that lives")
    stored.kept.append("a vegetable that lives")


def _stray_result(draw: Draw, stored: Stored, kind: Kind) -> None:
    """A result without a call, or the second one of a call."""
    stored.user()
    how = draw(st.integers(0, 2))
    if how == 0:
        text = one_of(
            draw, ("[Tool result: truncated...]", "[SUMMARY] Earlier turns called look_up with id toolu_Orphan.")
        )
        stored.messages.append({"assistant": text})
        stored.result("toolu_Orphan", "a stray result")
    else:
        stored.called([("toolu_aaa", kind, kind.values[0])])
        stored.result("toolu_aaa", "a sweet fruit that counts")
        stored.result("toolu_GONE" if how == 1 else "toolu_aaa", "a stray result")
        if how == 1:
            stored.kept.append("a sweet fruit that counts")


def _late_result(draw: Draw, stored: Stored, kind: Kind) -> None:
    """The result comes before its call, or after the user has gone on."""
    stored.user()
    if chance(draw, 50):
        stored.result("call_early", "a result before its call")
        stored.called([("call_early", kind, kind.values[0])])
    else:
        stored.called([("call_late", kind, kind.values[0])])
        stored.user()
        stored.result("call_late", "a result after the user")
    stored.messages.append({"assistant": "I am back."})


def _blank_message(draw: Draw, stored: Stored, kind: Kind) -> None:
    stored.user()
    stored.messages.append({"assistant": one_of(draw, ("", "  \n"))})
    if chance(draw, 60):
        stored.user()
        stored.said()


def _same_role_twice(draw: Draw, stored: Stored, kind: Kind) -> None:
    stored.user()
    if chance(draw, 50):
        stored.user()
    else:
        text = f"Here is a summary of {stored.number}."
        stored.messages.append({"assistant": text})
        stored.kept.append(text)
        stored.said()


def _late_system(draw: Draw, stored: Stored, kind: Kind) -> None:
    stored.user()
    stored.said()
    stored.messages.append({"system": "Never repeat yourself."})
    stored.kept.append("Never repeat yourself.")


def _odd_ids(draw: Draw, stored: Stored, kind: Kind) -> None:
    """Calls without ids, with blank ones, one id for two calls of different turns, a result without an id."""
    how = draw(st.integers(0, 3))
    stored.user()
    if how == 0:
        id = one_of(draw, (None, ""))
        stored.called([(id, kind, kind.values[0])])
        stored.result(id, "a sweet fruit of old", name=kind.name)
    elif how == 1:
        for place in range(2):
            stored.called([("call_0", kind, kind.values[place])])
            text = f"what is at place {place}"
            stored.result("call_0", text)
            stored.kept.append(text)
            if not place:
                stored.user()
        return
    else:
        stored.called([("call_1", kind, kind.values[0])])
        stored.messages.append({"tool": {"name": kind.name, "result": "a sweet fruit of old"}})
    stored.said()


def _broken_arguments(draw: Draw, stored: Stored, kind: Kind) -> None:
    text = one_of(draw, ('{"word": "pe', "", "not json"))
    stored.user()
    stored.messages.append({"assistant": {"calls": [{"id": "call_bad", "name": kind.name, "arguments_text": text}]}})
    if chance(draw, 80):
        stored.messages.append({"tool": {"id": "call_bad", "result": "the arguments are no JSON", "error": True}})
    stored.said()


def _nameless(draw: Draw, stored: Stored, kind: Kind) -> None:
    stored.user()
    stored.messages.append({"assistant": {"calls": [{"id": "call_nn", "name": "", "arguments": {}}]}})
    stored.result("call_nn", "a result of nothing")
    stored.said()


DAMAGES = (
    _unanswered,
    _unanswered,
    _call_after_call,
    _stray_result,
    _stray_result,
    _late_result,
    _blank_message,
    _same_role_twice,
    _late_system,
    _odd_ids,
    _broken_arguments,
    _nameless,
)


@st.composite
def without_any_user(draw: Draw) -> Document:
    stored = Stored([{"system": "Be brief."}])
    kind = KINDS[1]
    for part in some_of(draw, (_begins_with_call, _begins_with_result), 0, 1):
        part(draw, stored, kind)
    answer = reply_to(draw)
    expect = {"reply": answer, "requests": [{"at": 1, "system": {"contains": ["Be brief."]}}]}
    return document(
        "a history without a user keeps its instructions",
        [turn(question(draw), [{"text": answer}], expect)],
        tools=[tool_of(kind)],
        history=stored.messages,
    )


@st.composite
def signed_reasoning(draw: Draw) -> Document:
    """Reasoning in the history, signed by this provider, another one or nobody."""
    kind = KINDS[1]
    signature = one_of(draw, ("own", "foreign", "absent"))
    history = [
        {"user": "What is a pear?"},
        {
            "assistant": {
                "thinking": {"text": "The user asks for a word.", "signature": signature},
                "calls": [{"id": "call_1", **call_of(kind, "pear")}],
            }
        },
        {"tool": {"id": "call_1", "result": "a sweet fruit"}},
        {
            "assistant": {
                "text": "A pear is a fruit.",
                "thinking": {"text": "That answers it.", "signature": one_of(draw, (signature, "absent"))},
            }
        },
    ]
    answer = reply_to(draw)
    wanted = {"at": 1, "contains": ["a sweet fruit", "A pear is a fruit."]}
    advice = {"requests": [{"at": 1, "calls": [ran(call_of(kind, "pear"))], "results": ["a sweet fruit"]}]}
    return document(
        "reasoning that another has signed is not sent as it is",
        [turn(question(draw), [{"text": answer}], {"reply": answer, "requests": [wanted], "should": advice})],
        model={"anthropic-messages": "claude-sonnet-5"},
        tools=[tool_of(kind)],
        history=history,
    )
