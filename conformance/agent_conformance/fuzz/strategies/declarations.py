"""Tools with odd names, odd schemas and in any number, enabled or not, and setups without any tool."""

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
    some_of,
    tool_of,
    turn,
)
from agent_conformance.minimise.documents import Document

NAMES = (
    *("node.js", "mcp:server.tool", "tool name", "github.com/cline/mcp__list", "3d/render", "wörterbuch", "辞書"),
    *("the_name_of_a_tool_that_goes_on_until_it_has_more_than_sixty_four_characters", "q", "LookUp", "a__get-recent"),
    *("stop", "finish", "send_message", "update_state", "reply", "tool_call", "final_answer", "-x", "a" * 64, "0"),
)
PLACE = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
SCHEMAS: tuple[tuple[dict[str, Any], dict[str, Any]], ...] = (
    (
        {
            "type": "object",
            "properties": {
                "guests": {"type": "integer", "description": "How many people come."},
                "seat": {"type": "string", "enum": ["inside", "outside"]},
                "wishes": {"type": "array", "items": {"type": "string"}},
                "contact": {
                    "type": "object",
                    "properties": {"name": {"type": "string"}, "phone": {"type": "string"}},
                    "required": ["name"],
                },
            },
            "required": ["guests", "contact"],
        },
        {"guests": 2, "seat": "outside", "contact": {"name": "Ann"}},
    ),
    (
        {
            "type": "object",
            "properties": {"start": {"$ref": "#/$defs/place"}, "end": {"$ref": "#/$defs/place"}},
            "required": ["start", "end"],
            "$defs": {"place": PLACE},
        },
        {"start": {"city": "Oslo"}, "end": {"city": "Rome"}},
    ),
    (
        {
            "type": "object",
            "anyOf": [
                {"properties": {"title": {"type": "string"}}, "required": ["title"]},
                {"properties": {"number": {"type": "integer"}}, "required": ["number"]},
            ],
        },
        {"number": 7},
    ),
    (
        {
            "type": "object",
            "properties": {"city": {"type": "string"}, "unit": {"type": "string", "enum": ["c", "f"]}},
            "required": ["city"],
        },
        {"city": "Oslo"},
    ),
    (
        {"type": "object", "properties": {"stops": {"type": "array", "items": PLACE}}, "required": ["stops"]},
        {"stops": [{"city": "Oslo"}]},
    ),
    (
        {
            "type": "object",
            "properties": {"zeta": {"type": "string"}, "alpha": {"type": "string"}, "mid": {"type": "string"}},
            "required": ["zeta"],
        },
        {"zeta": "z"},
    ),
)
EXTRAS: tuple[dict[str, Any], ...] = (
    {"type": ["string", "null"]},
    {"anyOf": [{"type": "string"}, {"type": "integer"}]},
    {"const": 7},
    {"type": "integer", "enum": [1, 2]},
    {"type": "number", "exclusiveMinimum": 0},
    {"type": "string", "format": "date"},
    {"type": "string", "pattern": "^[a-z]+$", "minLength": 1},
    {"type": "array", "items": {"type": "integer"}, "minItems": 1},
    {"type": "object", "additionalProperties": {"type": "string"}},
    {"type": "boolean", "default": False},
    {"type": "string", "title": "An extra", "examples": ["a"]},
)
"""Schemas of a property that some providers do not take."""
NO_PROTOCOL = ["<tool_call>", "</tool_call>", "[TOOL_CALL]", "<function_calls>", "<invoke", "<function="]


@st.composite
def odd_names(draw: Draw) -> Document:
    """One to three tools with odd names, beside others; each is called by its name."""
    names = some_of(draw, NAMES, 1, 3)
    tools = [
        {
            "name": name,
            "description": f"Looks up a word in book {place}.",
            "parameters": {"word": "string"},
            "returns": f"found in book {place}",
        }
        for place, name in enumerate(names, 1)
    ]
    calls = [{"name": name, "arguments": {"word": "pear"}} for name in names]
    extra = [tool_of(kind) for kind in some_of(draw, KINDS, 0, 2)]
    answer = reply_to(draw)
    expect = {
        "executed": [ran(call) for call in calls],
        "reply": answer,
        "requests": [{"at": "each", "tools": [*names, *(tool["name"] for tool in extra)]}],
    }
    return document(
        "a tool is offered and runs, whatever its name",
        [turn(question(draw), [*({"calls": [call]} for call in calls), {"text": answer}], expect)],
        tools=[*extra, *tools] if chance(draw, 50) else [*tools, *extra],
    )


@st.composite
def odd_schemas(draw: Draw) -> Document:
    """A schema with objects in objects, unions, references, or a keyword that a provider refuses."""
    if chance(draw, 50):
        extra = one_of(draw, EXTRAS)
        schema: dict[str, Any] = {
            "type": "object",
            "properties": {"word": {"type": "string"}, "extra": extra},
            "required": ["word"],
            **({"additionalProperties": False} if chance(draw, 50) else {}),
        }
        arguments: dict[str, Any] = {"word": "pear"}
    else:
        schema, arguments = one_of(draw, SCHEMAS)
    call = {"name": "book_it", "arguments": arguments}
    tool = {"name": "book_it", "description": "Books it.", "parameters": schema, "returns": "it is booked"}
    extra_tools = [tool_of(kind) for kind in some_of(draw, KINDS, 0, 2)]
    answer = reply_to(draw)
    expect = {
        "executed": [ran(call)],
        "reply": answer,
        "requests": [{"at": "each", "tools": ["book_it", *(tool["name"] for tool in extra_tools)]}],
    }
    return document(
        "a tool is offered with all of its schema that can be sent",
        [turn(question(draw), [{"calls": [call]}, {"text": answer}], expect)],
        tools=[tool, *extra_tools],
    )


@st.composite
def many_tools(draw: Draw) -> Document:
    """A dozen or more; one of them is called, and later another."""
    count = draw(st.integers(8, 24))
    tools = [
        {
            "name": f"open_box_{number}",
            "description": f"Opens the box with the number {number}.",
            "parameters": {"key": "string"},
            "returns": f"box {number} is open",
        }
        for number in range(1, count + 1)
    ]
    names = [tools[draw(st.integers(0, count - 1))]["name"], tools[-1]["name"]]
    calls = [{"name": name, "arguments": {"key": "k"}} for name in names]
    answer = reply_to(draw)
    expect = {
        "executed": [ran(call) for call in calls],
        "reply": answer,
        "requests": [{"at": "each", "tools": [tool["name"] for tool in tools]}],
    }
    return document(
        "all tools are offered in each request, however many",
        [turn(question(draw), [*({"calls": [call]} for call in calls), {"text": answer}], expect)],
        tools=tools,
    )


@st.composite
def enabled_and_disabled(draw: Draw) -> Document:
    """Tools come and go between turns; what is disabled is in no request."""
    kind, other = some_of(draw, KINDS, 2, 2)
    turns = []
    for number in range(1, draw(st.integers(2, 4)) + 1):
        answer = reply_to(draw, number)
        enabled = [one for one in (kind, other) if chance(draw, 60)]
        calls = [call_of(one, one.values[0]) for one in enabled[:1]]
        lacking = [one.name for one in (kind, other) if one not in enabled]
        wanted: dict[str, Any] = {"at": "each", "tools": [one.name for one in enabled] if enabled else "none"}
        if lacking:
            wanted["lacks_tools"] = lacking
        expect = {"executed": [ran(call) for call in calls], "reply": answer, "requests": [wanted]}
        model = [*({"calls": [call]} for call in calls), {"text": answer}]
        turns.append(turn(question(draw, number), model, expect, tools=[one.name for one in enabled]))
    return document("each request offers the tools that are enabled now", turns, tools=[tool_of(kind), tool_of(other)])


ANSWERS_LIKE_DATA = (
    {"tools": ["hammer", "saw"], "owner": "Ann"},
    {"name": "profile", "parameters": {"timezone": "UTC"}},
    {"function_call": False, "description": "disable the feature"},
    [{"name": "planner", "status": "queued"}],
    {"name": "get_weather", "arguments": {"city": "Oslo"}},
)


@st.composite
def without_tools(draw: Draw) -> Document:
    """No tool at all, or all disabled: nothing is offered, explained or run, and JSON is an answer."""
    kinds = some_of(draw, KINDS, 0, 2)
    lacks = [*NO_PROTOCOL, *(kind.name for kind in kinds)]
    wanted: dict[str, Any] = {"at": "each", "tools": "none", "lacks": lacks}
    advice = {"requests": [{"at": "each", "without": ["tools", "tool_choice", "parallel_tool_calls"]}]}
    fields: dict[str, Any] = {"system": "You are a helpful assistant."} if chance(draw, 50) else {}
    tools = [tool_of(kind, enabled=False) for kind in kinds]
    has_data = not kinds and chance(draw, 40)
    text = json.dumps(one_of(draw, ANSWERS_LIKE_DATA)) if has_data else reply_to(draw)
    expect = {"executed": [], "reply": text, "requests": [wanted], "should": advice}
    return document(
        "without tools, requests and replies know nothing of any",
        [turn(question(draw), [{"text": text}], expect)],
        tools=tools,
        **fields,
    )


TEXTS_LIKE_CALLS = (
    '<tool_call>{{"name": "{name}", "arguments": {{"{key}": "x"}}}}</tool_call>',
    '[TOOL_CALL] {{tool => "{name}", args => {{--{key} "x"}}}} [/TOOL_CALL]',
    '<invoke name="{name}"><parameter name="{key}">x</parameter></invoke>',
    "<function={name}><parameter={key}>x</parameter></function>",
    '```tool_call\n{{"name": "{name}", "arguments": {{"{key}": "x"}}}}\n```',
)


@st.composite
def calls_without_tools(draw: Draw) -> Document:
    """The model calls a tool that is disabled or was never there, natively or in its text."""
    kind = one_of(draw, KINDS)
    tools = [tool_of(kind, enabled=False)] if chance(draw, 60) else []
    answer = "I cannot look that up."
    wanted = [{"at": "each", "tools": "none"}]
    if chance(draw, 50):
        reply: dict[str, Any] = {"calls": [call_of(kind, kind.values[0])]}
        if chance(draw, 50):
            reply = {"text": "I cannot look, but I can guess.", **reply}
        expect = {"executed": [], "outcome": "either", "requests": wanted, "should": {"outcome": "reply"}}
    else:
        reply = {"text": one_of(draw, TEXTS_LIKE_CALLS).format(name=kind.name, key=kind.parameter)}
        if chance(draw, 50):
            reply["times"] = draw(st.integers(2, 4))
        expect = {"executed": [], "outcome": "either", "requests": wanted}
    return document(
        "without tools nothing runs",
        [turn(question(draw), [reply, {"text": answer, "spare": True}], expect)],
        tools=tools,
    )


@st.composite
def nothing_is_taught(draw: Draw) -> Document:
    """Tools are declared natively: no request explains them in its instructions too."""
    kind = one_of(draw, KINDS)
    call = call_of(kind, kind.values[0])
    answer = reply_to(draw)
    other = KINDS[0] if kind is not KINDS[0] else KINDS[1]
    hides = chance(draw, 50)
    expect = {
        "executed": [ran(call)],
        "reply": answer,
        "requests": [{"at": "each", "tools": [kind.name], "lacks": [*NO_PROTOCOL, *([other.name] if hides else [])]}],
        "should": {"requests": [{"at": "each", "system": {"lacks": [kind.description]}}]},
    }
    return document(
        "tools are declared, and not repeated in the instructions",
        [turn(question(draw), [{"calls": [call]}, {"text": answer}], expect)],
        tools=[tool_of(kind), *([tool_of(other, enabled=False)] if hides else [])],
        system="You are a helpful assistant.",
    )


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
