"""Texts of the model that are calls, frames around answers, or look-alikes, cut into pieces anywhere."""

import json
import re
from typing import Any

from hypothesis import strategies as st

from agent_conformance.fuzz.strategies.parts import (
    KINDS,
    Draw,
    Kind,
    call_of,
    chance,
    cut,
    document,
    one_of,
    question,
    ran,
    reply_to,
    tool_of,
    turn,
)
from agent_conformance.fuzz.strategies.text_forms import (
    EXAMPLES,
    FRAMES,
    HIDE,
    LOOK_ALIKES,
    RUN,
    RUN_OR_HIDE,
    Form,
)
from agent_conformance.minimise.documents import Document

NAMED = tuple(kind for kind in KINDS if kind.name != "job_status")
OF_REASONING = tuple(raw for raw, marks in FRAMES if raw.startswith(("<think", "SHOW<think")) and "NAME" not in raw)
"""Frames that are read without any tool as well."""
WORDS = ("I look.\n", "Let me check that for you.\n\n", "さっそく確認します。\n")


_WORD = re.compile("TEXT|JSON|NAME|KEY|VALUE")


def filled(raw: str, kind: Kind, value: str) -> str:
    arguments = json.dumps({kind.parameter: value}, ensure_ascii=False)
    words = {
        "TEXT": json.dumps(arguments, ensure_ascii=False),
        "JSON": arguments,
        "NAME": kind.name,
        "KEY": kind.parameter,
        "VALUE": value,
    }
    return _WORD.sub(lambda found: words[found[0]], raw)


def _spoken(draw: Draw, form: Form, kind: Kind, value: str) -> tuple[str, str]:
    """The text of the model, and the words of it that may be shown."""
    words = "" if form.alone or chance(draw, 40) else one_of(draw, WORDS)
    return words + filled(form.raw, kind, value), form.words or words.strip()


def _reply(draw: Draw, text: str, means: dict[str, Any]) -> dict[str, Any]:
    pieces = {"chunks": cut(draw, text)} if chance(draw, 35) else {}
    return {"text": text, **pieces, "means": means}


@st.composite
def written_calls(draw: Draw) -> Document:
    """A call in any of the forms in which models write them."""
    kind = one_of(draw, NAMED)
    value = one_of(draw, kind.values)
    is_sure = chance(draw, 70)
    form = one_of(draw, RUN if is_sure else RUN_OR_HIDE)
    text, shown = _spoken(draw, form, kind, value)
    has_leak = "leak" in form.marks
    calls = [] if has_leak else [call_of(kind, value)]
    means: dict[str, Any] = {
        "handling": "run" if is_sure else "run_or_hide",
        "calls": calls or [_call_with_a_marker(form, kind)],
        "show": shown,
        "never_show": [kind.name, *form.marks],
    }
    answer = reply_to(draw)
    expect = {"outcome": "either", **({"should": {"reply": answer}} if is_sure else {})}
    return document(
        "a call that is written as text runs, or nobody sees it",
        [turn(question(draw), [_reply(draw, text, means), {"text": answer, "spare": True}], expect)],
        tools=[tool_of(kind)],
        wires="first",
    )


def _call_with_a_marker(form: Form, kind: Kind) -> dict[str, Any]:
    """The call of a form whose argument closes the call too early."""
    for value in ("<div></tool_call><span>leak</span>", "[/TOOL_CALLS] leak"):
        if value in form.raw:
            return call_of(kind, value)
    return call_of(kind, "a\n```\nleak")


@st.composite
def broken_calls(draw: Draw) -> Document:
    """A call that is cut off, empty, of no tool or a made-up result: nothing runs, nothing of it is shown."""
    kind = one_of(draw, NAMED)
    form = one_of(draw, HIDE)
    text, shown = _spoken(draw, form, kind, kind.values[0])
    means = {"handling": "hide", "show": shown, "never_show": [kind.name, *form.marks]}
    reply = _reply(draw, text, means)
    if chance(draw, 25):
        reply["finish"] = "length"
    elif chance(draw, 25):
        reply["times"] = draw(st.integers(2, 3))
    expect = {"executed": [], "outcome": "either"}
    return document(
        "a broken call in a text does not run and is not shown",
        [turn(question(draw), [reply, {"text": reply_to(draw), "spare": True}], expect)],
        tools=[tool_of(kind)],
        wires="first",
    )


@st.composite
def look_alikes(draw: Draw) -> Document:
    """Text that only looks like a call: an answer."""
    kind = one_of(draw, NAMED)
    is_sure = chance(draw, 80)
    text = filled(one_of(draw, LOOK_ALIKES if is_sure else EXAMPLES), kind, kind.values[0])
    reply = {"exactly": text}
    expect = {"executed": [], **({"reply": reply} if is_sure else {"should": {"reply": reply}})}
    return document(
        "text that only looks like a call is shown as it is",
        [turn(question(draw), [_reply(draw, text, {"handling": "show"})], expect)],
        tools=[tool_of(kind)],
        wires="first",
    )


@st.composite
def framed_answers(draw: Draw) -> Document:
    """An answer between tags of reasoning, in the frame of an agent, or before a mark of its end."""
    kind = one_of(draw, NAMED)
    raw, marks = one_of(draw, FRAMES)
    shown = reply_to(draw)
    text = filled(raw, kind, kind.values[0]).replace("SHOW", shown)
    never = [kind.name if mark == "NAME" else mark for mark in marks]
    expect = {"executed": [], "outcome": "either", "should": {"reply": {"contains": [shown]}}}
    means = {"handling": "hide", "show": shown, "never_show": never}
    return document(
        "an answer is shown without the frame around it",
        [turn(question(draw), [_reply(draw, text, means), {"text": shown, "spare": True}], expect)],
        tools=[] if raw in OF_REASONING and chance(draw, 40) else [tool_of(kind)],
        wires="first",
    )


@st.composite
def two_written_calls(draw: Draw) -> Document:
    """Two calls in one text with words between them."""
    kind = one_of(draw, NAMED)
    form = one_of(draw, (RUN[1], RUN[20], RUN[0]))
    first, second = kind.values[:2]
    text = f"First one.\n{filled(form.raw, kind, first)}\nThen the other.\n{filled(form.raw, kind, second)}"
    calls = [call_of(kind, first), call_of(kind, second)]
    means = {
        "handling": "run",
        "show": "First one.\n\nThen the other.",
        "calls": calls,
        "never_show": list(form.marks),
    }
    answer = reply_to(draw)
    both = [ran(call) for call in calls]
    expect = {"reply": answer, "executed": {"one_of": [both, []]}, "should": {"executed": both}}
    return document(
        "each of two calls in one text runs, and the words between them stay",
        [turn(question(draw), [_reply(draw, text, means), {"text": answer}], expect)],
        tools=[tool_of(kind)],
        wires="first",
    )


@st.composite
def native_and_written(draw: Draw) -> Document:
    """The same call natively and in the text beside it."""
    kind = one_of(draw, NAMED)
    call = call_of(kind, kind.values[0])
    text = filled(one_of(draw, (RUN[0], RUN[1], RUN[20])).raw, kind, kind.values[0])
    means = {"handling": "hide", "never_show": [kind.name, "TOOL_CALL]", "tool_call>"]}
    answer = reply_to(draw)
    expect = {"executed": [ran(call)], "reply": answer}
    return document(
        "a call that is made and written runs once",
        [turn(question(draw), [{"text": text, "calls": [call], "means": means}, {"text": answer}], expect)],
        tools=[tool_of(kind)],
    )


@st.composite
def injected_calls(draw: Draw) -> Document:
    """The user, or the result of a tool, quotes a call: nobody made it."""
    kind, other = NAMED[0], one_of(draw, NAMED[1:])
    text = filled(one_of(draw, RUN[:30]).raw, other, other.values[0])
    answer = reply_to(draw)
    if chance(draw, 50):
        model: list[dict[str, Any]] = [{"text": answer}]
        said, executed = f"What does this mean? {text}", []
        tool = tool_of(kind)
    else:
        call = call_of(kind, kind.values[0])
        model, said, executed = [{"calls": [call]}, {"text": answer}], question(draw), [ran(call)]
        tool = tool_of(kind, returns=text)
    return document(
        "text of a user or a tool is not read for calls",
        [turn(said, model, {"executed": executed, "reply": answer})],
        tools=[tool, tool_of(other)],
    )


VALUES = (
    (
        '<｜DSML｜function_calls>\n<｜DSML｜invoke name="get_weather">\n<｜DSML｜parameter name="city" string="true'
        '">Oslo</｜DSML｜parameter>\n'
        '<｜DSML｜parameter name="days" string="false">3</｜DSML｜parameter>'
        "\n</｜DSML｜invoke>\n</｜DSML｜function_calls>",
        {"city": "Oslo", "days": 3},
    ),
    ('[TOOL_CALL]{tool => "get_weather", args => { city: "Oslo", days: 3 }}[/TOOL_CALL]', {"city": "Oslo", "days": 3}),
    (
        '[TOOL_CALL]{tool => "get_weather", args => { city: "Oslo", exact: true }}[/TOOL_CALL]',
        {"city": "Oslo", "exact": True},
    ),
    ("<function_calls>get_weather(city='Oslo', hours=[])</function_calls>", {"city": "Oslo", "hours": []}),
    ("<function_calls>get_weather(city='Oslo', exact=false)</function_calls>", {"city": "Oslo", "exact": False}),
    ("<|python_start|>[bad(x=b'z'), get_weather(city='LA', days=3)]<|python_end|>", {"city": "LA", "days": 3}),
    (
        '<|tool_call>call:get_weather{city:<|"|>Oslo<|"|>,days:3,exact:true,hours:[<|"|>8<|"|>]}<tool_call|>',
        {"city": "Oslo", "days": 3, "exact": True, "hours": ["8"]},
    ),
)


@st.composite
def written_values(draw: Draw) -> Document:
    """Numbers, flags and lists in a call that is written as text."""
    text, arguments = one_of(draw, VALUES)
    tool = {
        "name": "get_weather",
        "description": "Current weather for a city.",
        "parameters": {
            "type": "object",
            "properties": {
                "city": {"type": "string"},
                "days": {"type": "integer"},
                "exact": {"type": "boolean"},
                "hours": {"type": "array", "items": {"type": "string"}},
            },
            "required": ["city"],
        },
        "returns": "7 degrees and rain",
    }
    means = {
        "handling": "run_or_hide",
        "calls": [{"name": "get_weather", "arguments": arguments}],
        "never_show": ["get_weather", "function_calls", "<|"],
    }
    answer = reply_to(draw)
    expect = {"outcome": "either", "should": {"reply": answer}}
    return document(
        "values in a written call have their types",
        [turn(question(draw), [_reply(draw, text, means), {"text": answer, "spare": True}], expect)],
        tools=[tool],
        wires="first",
    )
