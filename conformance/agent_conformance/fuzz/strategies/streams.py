"""Responses that are odd, broken or refused: sloppy streams, faults, finish reasons."""

from typing import Any

from hypothesis import strategies as st

from agent_conformance.fuzz.strategies.parts import (
    KINDS,
    Draw,
    call_of,
    chance,
    cut,
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
from fake_providers.reply import HARMLESS_QUIRKS

QUIRKS = (
    ("same-index",),
    ("same-index", "id-in-every-delta"),
    ("no-index",),
    ("no-index", "finish-with-the-last-delta"),
    ("growing-index",),
    ("late-id",),
    ("id-in-every-delta",),
    ("repeated-name",),
    ("id-in-every-delta", "repeated-name"),
    ("interleaved",),
    ("arguments-as-object",),
)
HARMLESS = tuple(sorted(HARMLESS_QUIRKS))
NOISE = ("single-bytes", "crlf", "comments", "pings", "unknown-events")
LONG = "Hello from a model that has much to say here, in the middle of what it wants to tell."


@st.composite
def sloppy_calls(draw: Draw) -> Document:
    """Calls in deltas as some servers send them. To run them, to answer them, to ask again and to stop are right."""
    kind = one_of(draw, KINDS)
    quirks = one_of(draw, QUIRKS)
    calls = [call_of(kind, value) for value in kind.values[:2]]
    if quirks[0] in ("arguments-as-object", "growing-index") and chance(draw, 50):
        calls = calls[:1]
    if quirks == ("no-index",) and chance(draw, 50):
        calls = [{"id": None, **call} for call in calls]
    answer = reply_to(draw)
    advice = {"executed": {"any_order": [ran(call) for call in calls]}, "reply": answer}
    model = [{"calls": calls, "quirks": list(quirks)}, {"text": answer}]
    return document(
        "calls in odd deltas are put together or refused",
        [turn(question(draw), model, {"outcome": "either", "should": advice})],
        tools=[tool_of(kind)],
    )


@st.composite
def harmless_oddities(draw: Draw) -> Document:
    """What each client of a stream has to read: noise, chunks without choices, a finish reason with the last delta."""
    kind = one_of(draw, KINDS)
    call = call_of(kind, one_of(draw, kind.values))
    answer = f"Es sind 7 Grad in Zürich 🌏. {reply_to(draw)}"
    if chance(draw, 70):
        odd: dict[str, Any] = {"fault": {"noise": some_of(draw, NOISE, 1, 4)}}
        fields: dict[str, Any] = {"modes": ["stream"]}
    else:
        odd, fields = {"quirks": some_of(draw, HARMLESS, 1, 2)}, {}
    model = [
        {"calls": [call], **odd},
        {"text": answer, **({"chunks": cut(draw, answer)} if chance(draw, 40) else {}), **odd},
    ]
    expect = {"executed": [ran(call)], "reply": {"exactly": answer}}
    return document(
        "a stream with harmless oddities is read",
        [turn(question(draw), model, expect)],
        tools=[tool_of(kind)],
        **fields,
    )


BODIES: tuple[Any, ...] = (
    {"id": "gen-1789", "error": {"message": "Upstream error: Service temporarily overloaded", "code": 502}},
    {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}},
    "",
)
PASSING: tuple[dict[str, Any], ...] = (
    {"status": 429, "retry_after": 0},
    {"status": 500, "retry_after": 0},
    {"status": 503, "retry_after": 0},
    {"status": 502, "body": "<html><body><h1>502 Bad Gateway</h1><hr>nginx</body></html>"},
    {"body": "<html><body><h1>Sign in</h1></body></html>", "content_type": "text/html"},
    *({"body": body} for body in BODIES),
    {"connection": "closed"},
    {"connection": "reset"},
    {"cut_at": 200},
    {"cut_at": 200, "connection": "reset"},
)
IN_THE_STREAM: tuple[dict[str, Any], ...] = (
    {"error_event": "overloaded"},
    {"cut_after": 4},
    {"cut_after": 2},
    {"ends": "in-an-event"},
    {"ends": "before-the-finish"},
    {"ends": "before-the-terminator"},
)
LASTING: tuple[dict[str, Any], ...] = (
    {"status": 400},
    {"status": 401},
    {"status": 403},
    {"status": 400, "body": [{"error": {"code": 400, "message": "Invalid argument.", "status": "INVALID_ARGUMENT"}}]},
)


@st.composite
def passing_faults(draw: Draw) -> Document:
    """A fault that passes, at the first request or after a call; the call runs once all the same."""
    kind = one_of(draw, KINDS)
    call = call_of(kind, kind.values[0])
    is_streamed = chance(draw, 45)
    fault = one_of(draw, IN_THE_STREAM if is_streamed else PASSING)
    needs_text = is_streamed or "cut_at" in fault or "connection" in fault
    faulty: dict[str, Any] = {**({"text": LONG} if needs_text else {}), "fault": fault}
    if "status" in fault and chance(draw, 30):
        faulty["times"] = 2
    answer = LONG
    if is_streamed and chance(draw, 30):
        answer = one_of(
            draw, ("Hello.", "Good morning from a model that has other words this time, and all at once.", "Hello")
        )
    last = {"text": answer, "spare": True}
    after_call = chance(draw, 60)
    model = [*([{"calls": [call]}] if after_call else []), faulty, last]
    expect: dict[str, Any] = {"outcome": "either", "should": {"reply": answer}}
    if after_call:
        expect["executed"] = [ran(call)]
    if answer != LONG:
        del expect["should"]
    return document(
        "after a fault nothing runs twice, and half an answer is none",
        [turn(question(draw), model, expect)],
        tools=[tool_of(kind)] if after_call else [],
        **({"modes": ["stream"]} if is_streamed else {}),
    )


@st.composite
def lasting_faults(draw: Draw) -> Document:
    """A refusal that comes again for the same request."""
    is_quota = chance(draw, 20)
    fault = {"status": 429, "code": "insufficient_quota"} if is_quota else one_of(draw, LASTING)
    answer = reply_to(draw)
    fields: dict[str, Any] = {"wires": ["openai-chat"]} if is_quota else {}
    model = [{"fault": fault, "times": 2}, {"text": answer, "spare": True}]
    return document(
        "a request that can only fail again is not repeated",
        [turn(question(draw), model, {"outcome": "either", "should": {"reply": {"lacks": [answer]}}})],
        **fields,
    )


@st.composite
def patience(draw: Draw) -> Document:
    seconds = one_of(draw, (0.2, 0.3))
    model = [{"fault": {"status": 429, "retry_after": seconds}}, {"text": reply_to(draw)}]
    advice = {"requests": [{"at": 1, "waited": {"at_least": seconds - 0.05}}]}
    return document(
        "the next attempt waits as long as the provider asks",
        [turn(question(draw), model, {"outcome": "either", "should": advice})],
    )


@st.composite
def half_calls(draw: Draw) -> Document:
    """A call that was cut off, in its stream or by a finish reason, and may look whole."""
    whole = {
        "name": "write_file",
        "arguments": {"path": "notes.txt", "content": "one line and then another and a third"},
    }
    part = {"name": "write_file", "arguments": {"path": "notes.txt", "content": "one li"}}
    how = draw(st.integers(0, 3))
    fields: dict[str, Any] = {}
    if how == 0:
        fault = one_of(
            draw, ({"ends": "in-an-event"}, {"cut_after": 6}, {"cut_after": 4}, {"ends": "before-the-finish"})
        )
        first: dict[str, Any] = {"calls": [whole], "fault": fault}
        fields["modes"] = ["stream"]
    elif how == 1:
        first = {"calls": [part], "finish": one_of(draw, ("length", "content_filter"))}
    elif how == 2:
        text = '{"path": "notes.txt", "content": "one li'
        first = {"calls": [{"name": "write_file", "arguments_text": text}], "finish": "length"}
    else:
        first = {"calls": [part], "text": "I write it.", "finish": "length"}
    model = [first, {"calls": [whole], "spare": True}, {"text": "It is written.", "spare": True}]
    tool = {
        "name": "write_file",
        "description": "Writes a file.",
        "parameters": {"path": "string", "content": "string"},
        "returns": "it is written",
    }
    expect = {"outcome": "either", "executed": {"one_of": [[], [ran(whole)]]}}
    if how == 0:
        expect["should"] = {"reply": "It is written."}
    return document("half a call does not run", [turn(question(draw), model, expect)], tools=[tool], **fields)


@st.composite
def odd_finishes(draw: Draw) -> Document:
    """Answers that are cut off, refused or empty, and reasons that do not fit."""
    kind = one_of(draw, KINDS)
    call = call_of(kind, kind.values[0])
    answer = reply_to(draw)
    again = {"text": answer, "spare": True}
    how = draw(st.integers(0, 6))
    expect: dict[str, Any] = {"outcome": "either"}
    tools = [tool_of(kind)]
    if how == 0:
        model: list[dict[str, Any]] = [{"text": "Once upon a time there was a", "finish": "length"}, again]
        expect["should"] = {"reply": {"contains": ["Once upon a time there was a"]}}
    elif how == 1:
        model = [{"calls": [call], "finish": one_of(draw, ("stop", "none"))}, {"text": answer}]
        expect["should"] = {"executed": [ran(call)], "reply": answer}
    elif how == 2:
        text = one_of(draw, ("", "I will look first."))
        model = [{"text": text, "finish": "tool_calls", "forever": True}]
        expect["should"] = {"request_count": {"max": 4}}
    elif how == 3:
        text, finish = one_of(
            draw, (("I cannot help.", "refusal"), ("", "refusal"), ("", "content_filter"), ("", "blocked-prompt"))
        )
        model = [{"text": text, "finish": finish, "forever": True}]
        expect["request_count"] = {"max": 4}
    elif how == 4:
        model = [{"text": "I cannot help.", "finish": "refusal"}, {"text": "I cannot help.", "spare": True}]
    elif how == 5:
        model = [{"finish": one_of(draw, ("malformed", "unexpected-call")), "forever": True}]
        expect |= {"executed": [], "should": {"request_count": {"max": 4}}}
    else:
        model = [{"calls": [call]}, {"text": ""}, again]
        expect["executed"] = [ran(call)]
    return document(
        "a turn ends in words, whatever the finish reason", [turn(question(draw), model, expect)], tools=tools
    )


@st.composite
def empty_answers(draw: Draw) -> Document:
    """The model says nothing, once or many times, maybe in a later turn: an older answer is none of this turn."""
    turns = []
    if chance(draw, 50):
        first = "Paris, of course"
        turns.append(turn(question(draw), [{"text": first}], {"reply": first}))
    times = one_of(draw, (1, 1, 2, 12))
    model = [{"text": "", "times": times}, {"text": "Rome it is", "spare": True}]
    expect: dict[str, Any] = {"outcome": "either"}
    if turns:
        expect["reply"] = {"lacks": ["Paris"]}
    return document("an empty answer is no reply", [*turns, turn(question(draw, 2), model, expect)])


@st.composite
def failing_tools(draw: Draw) -> Document:
    """A tool raises, alone or beside one that does not."""
    kind, other = some_of(draw, KINDS, 2, 2)
    calls = [call_of(other, other.values[0])]
    tools = [tool_of(other, raises="the service is down")]
    texts = ["the service is down"]
    if chance(draw, 50):
        calls.insert(draw(st.integers(0, 1)), call_of(kind, kind.values[0]))
        tools.append(tool_of(kind))
        texts.append(kind.results[0])
    answer = reply_to(draw)
    expect = {"outcome": "either", "should": {"outcome": "reply", "requests": [{"at": 2, "contains": texts}]}}
    return document(
        "a tool that fails has a result, and others keep theirs",
        [turn(question(draw), [{"calls": calls}, {"text": answer}], expect)],
        tools=tools,
    )


@st.composite
def reasoning(draw: Draw) -> Document:
    """Native reasoning beside answers and calls: never the answer, and it goes back where a provider demands it."""
    kind = one_of(draw, KINDS)
    values = kind.values[: draw(st.integers(1, 2))]
    calls = [call_of(kind, value) for value in values]
    thought, answer = "The scratchpad has one line.", reply_to(draw)
    fields: dict[str, Any] = {"model": {"anthropic-messages": "claude-sonnet-5"}}
    if chance(draw, 35):
        fields = {"wires": ["openai-chat", "openai-responses"], "providers": ["deepseek"]}
    how = draw(st.integers(0, 3))
    expect: dict[str, Any] = {"reply": {"equals": answer, "lacks": ["scratchpad"]}}
    if how == 0:
        turns = [turn(question(draw), [{"thinking": thought, "text": answer}], expect)]
        return document("reasoning is not the answer", turns, **fields)
    if how == 1:
        model = [{"thinking": thought}, {"text": answer, "spare": True}, {"text": answer, "spare": True}]
        expect = {"outcome": "either", "reply": {"lacks": ["scratchpad"]}}
        return document("reasoning alone is no reply", [turn(question(draw), model, expect)])
    words = {"text": "I look it up."} if chance(draw, 40) else {}
    if how == 2 and len(calls) == 2:
        rounds = [{"thinking": f"{thought} {place}", **words, "calls": [call]} for place, call in enumerate(calls)]
        words = {}
    else:
        rounds = [{"thinking": thought, **words, "calls": calls}]
    expect["executed"] = {"any_order": [ran(call) for call in calls]}
    last = {"thinking": "That answers it.", "text": answer} if chance(draw, 40) else {"text": answer}
    turns = [turn(question(draw), [*rounds, last], expect)]
    later = reply_to(draw, 2)
    more = {"restart": True} if chance(draw, 40) else {}
    turns.append(turn(question(draw, 2), [{"text": later}], {"reply": later}, **more))
    return document(
        "reasoning goes back with the calls after it",
        turns,
        tools=[tool_of(kind, results=list(kind.results))],
        **fields,
    )
