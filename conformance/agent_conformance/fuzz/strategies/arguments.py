"""Arguments that do not fit or do not parse, in a wrapping, or none at all."""

import json
from typing import Any

from hypothesis import strategies as st

from agent_conformance.fuzz.strategies.parts import (
    CORRECTED,
    KINDS,
    Draw,
    call_of,
    chance,
    document,
    one_of,
    question,
    ran,
    reply_to,
    tool_of,
    turn,
)
from agent_conformance.minimise.documents import Document

BROKEN_TEXTS = (
    '{{"{key}": "{value}"',
    '{{"{key}": "{value}"}}garbage',
    '{{"{key}": "{value}"}}{{"{key}": "other"}}',
    '{{"{key}": {value}"}}',
    "not valid json",
    '["{value}"]',
    "42",
    '"{value}"',
    "{{{key}: {value}}}",
)
"""Arguments from which nothing may be made up."""


@st.composite
def broken_arguments(draw: Draw) -> Document:
    """Arguments that are no object or no JSON, or that the schema refuses; then the right ones."""
    kind = one_of(draw, KINDS)
    value = kind.values[0]
    right = call_of(kind, value)
    if chance(draw, 60):
        text = one_of(draw, BROKEN_TEXTS).format(key=kind.parameter, value=value)
        wrong: dict[str, Any] = {"name": kind.name, "arguments_text": text}
        schema: dict[str, Any] = {"type": "object", "properties": {kind.parameter: {"type": "string"}}}
    else:
        schema = {
            "type": "object",
            "properties": {kind.parameter: {"type": "string"}, "days": {"type": ["integer", "null"]}},
            "required": [kind.parameter],
        }
        odd: dict[str, Any] = one_of(
            draw, ({"place": [value]}, {kind.parameter: value, "days": "soon"}, {kind.parameter: value, "days": [1]})
        )
        wrong = {"name": kind.name, "arguments": odd}
    answer = reply_to(draw)
    expect = {"executed": [ran(right)], "reply": answer, "requests": [CORRECTED]}
    return document(
        "arguments that cannot be read are answered, and nothing is made up",
        [turn(question(draw), [{"calls": [wrong]}, {"calls": [right]}, {"text": answer}], expect)],
        tools=[tool_of(kind, parameters=schema)],
    )


LOOSE: tuple[tuple[dict[str, Any], dict[str, Any]], ...] = (
    ({"room": "3", "degrees": "21"}, {"room": "3", "degrees": 21}),
    ({"room": "3", "hours": "1.5"}, {"room": "3", "hours": 1.5}),
    ({"room": "3", "fan": "true"}, {"room": "3", "fan": True}),
    ({"room": "3", "fan": "False"}, {"room": "3", "fan": False}),
    ({"room": "3", "tags": '["red", "blue"]'}, {"room": "3", "tags": ["red", "blue"]}),
    ({"room": "3", "degrees": None, "fan": None}, {"room": "3"}),
    ({"room": "3", "degrees": "-4"}, {"room": "3", "degrees": -4}),
)
"""What models write, and what they mean. To run it is right, and so is to refuse it."""
HEATING = {
    "name": "set_heating",
    "description": "Sets the heating of a room.",
    "parameters": {
        "type": "object",
        "properties": {
            "room": {"type": "string"},
            "degrees": {"type": "integer"},
            "hours": {"type": "number"},
            "fan": {"type": "boolean"},
            "tags": {"type": "array", "items": {"type": "string"}},
        },
        "required": ["room"],
    },
    "returns": "heating is set",
}


@st.composite
def loose_arguments(draw: Draw) -> Document:
    """Numbers, flags and lists as text, null for what is left out."""
    written, meant = one_of(draw, LOOSE)
    answer = reply_to(draw)
    model = [
        {"calls": [{"name": "set_heating", "arguments": written}]},
        {"calls": [{"name": "set_heating", "arguments": meant}], "spare": True},
        {"text": answer},
    ]
    expect: dict[str, Any] = {
        "reply": answer,
        "requests": [CORRECTED],
        "should": {"requests": [{"at": 2, "contains": ["heating is set"]}]},
    }
    if "tags" in written:
        del expect["should"]
    return document(
        "values of a nearby type are read or refused in words",
        [turn(question(draw), model, expect)],
        tools=[HEATING],
    )


@st.composite
def wrapped_arguments(draw: Draw) -> Document:
    """Arguments encoded twice, or within an object that repeats the call; null or nothing for none."""
    kind = one_of(draw, KINDS)
    right = call_of(kind, kind.values[0])
    answer = reply_to(draw)
    how = one_of(draw, ("twice", "envelope", "nothing"))
    tool = tool_of(kind)
    if how == "twice":
        text = json.dumps(json.dumps(right["arguments"], ensure_ascii=False), ensure_ascii=False)
        first: dict[str, Any] = {"name": kind.name, "arguments_text": text, "means": {"arguments": right["arguments"]}}
        tool["parameters"] = {"type": "object", "properties": {kind.parameter: {"type": "string"}}}
    elif how == "envelope":
        name = one_of(draw, ("tool_call", "function"))
        text = json.dumps(right, ensure_ascii=False)
        first = {
            "name": name,
            "arguments_text": text,
            "may_run": [kind.name],
            "means": {"arguments": right["arguments"]},
        }
    else:
        del tool["parameters"]
        right = {"name": kind.name, "arguments": {}}
        first = {"name": kind.name, "arguments_text": "null", "means": {"arguments": {}}}
    model = [{"calls": [first]}, {"calls": [right], "spare": True}, {"text": answer}]
    expect = {"reply": answer, "requests": [CORRECTED]}
    fields = {"wires": "first"} if how == "envelope" else {}
    return document(
        "arguments in a wrapping are unwrapped or refused",
        [turn(question(draw), model, expect)],
        tools=[tool],
        **fields,
    )


@st.composite
def odd_numbers(draw: Draw) -> Document:
    """Numbers that JSON does not have."""
    number = one_of(draw, ("NaN", "Infinity", "-Infinity", "1e999"))
    right = {"name": "set_heating", "arguments": {"room": "3", "degrees": 21}}
    tool = {
        **HEATING,
        "parameters": {
            "type": "object",
            "properties": {"room": {"type": "string"}, "degrees": {"type": ["number", "null"]}},
            "required": ["room"],
        },
    }
    model = [
        {"calls": [{"name": "set_heating", "arguments_text": f'{{"room": "3", "degrees": {number}}}'}]},
        {"calls": [right], "spare": True},
        {"text": "The heating is set.", "spare": True},
    ]
    expect = {"outcome": "either", "should": {"executed": {"one_of": [[ran(right)], []]}}}
    return document(
        "a number that JSON does not have is no argument",
        [turn(question(draw), model, expect)],
        wires=["openai-chat", "openai-responses"],
        tools=[tool],
    )


@st.composite
def no_arguments(draw: Draw) -> Document:
    """A tool without parameters, called with an empty object or with nothing at all."""
    is_blank = chance(draw, 30)
    call: dict[str, Any] = {"name": "runtime_state", "arguments": {}}
    sent = {"name": "runtime_state", "arguments_text": ""} if is_blank else call
    tool = {"name": "runtime_state", "description": "Which model runs.", "returns": "all is up"}
    answer = reply_to(draw)
    expect: dict[str, Any] = {"executed": [ran(call)], "reply": answer}
    if not is_blank:
        expect["requests"] = [{"at": 2, "calls": [ran(call)], "results": ["all is up"]}]
    return document(
        "a call without arguments is a call",
        [turn(question(draw), [{"calls": [sent]}, {"text": answer}], expect)],
        tools=[tool],
        **({"wires": ["openai-chat"]} if is_blank else {}),
    )
