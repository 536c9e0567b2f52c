"""The tool calls on a message: further rules of the walk over the messages.

Arguments that are no JSON, and ids in any alphabet, are accepted: recorded.
"""

import re
from collections.abc import Iterator
from functools import partial
from typing import Any, Final

from fakes.rulebook import Breach, RequestContext
from fakes.wires.openai_chat.rules.content import ITEM_RULES
from fakes.wires.openai_chat.rules.samples import CALLING, RESULT, USER, asking, calling, calling_function, cite, probed
from fakes.wires.openai_shared.item_rules import Item
from fakes.wires.openai_shared.wording import (
    empty_array,
    empty_string,
    long_string,
    missing,
    wrong_pattern,
    wrong_type,
)

__all__ = ["ITEM_RULES"]

LONGEST_ID: Final = 40
LONGEST_NAME: Final = 64
NAME_PATTERN: Final = "^[a-zA-Z0-9_-]+$"


def _has_calls(context: RequestContext) -> bool:
    return context.body.value["role"] == "assistant" and bool(context.body.value.get("tool_calls"))


CALLS = partial(ITEM_RULES.rule, only=_has_calls)
_ANSWERED = asking(USER, CALLING, RESULT)
_LONG = "call_" + "1" * 36


@ITEM_RULES.rule(
    "openai/tool-calls-type",
    why="`tool_calls` is no list",
    confidence="recorded",
    evidence=probed("a tool_calls of the wrong type"),
    breaking=asking(USER, {"role": "assistant", "content": "Hello", "tool_calls": {}}),
    accepted=asking(USER, {"role": "assistant", "content": "Hello"}),
)
def _calls_type(context: RequestContext) -> Breach | None:
    calls = context.body.value.get("tool_calls")
    if calls is None or isinstance(calls, list):
        return None
    return wrong_type(f"{context.body.place}.tool_calls", "an array of objects", calls)


@ITEM_RULES.rule(
    "openai/tool-calls-empty",
    why="`tool_calls` is an empty list",
    confidence="recorded",
    evidence=probed("an empty tool_calls beside content"),
    breaking=asking(USER, {"role": "assistant", "content": "Hello", "tool_calls": []}),
    accepted=asking(USER, {"role": "assistant", "content": "Hello"}),
)
def _calls_empty(context: RequestContext) -> Breach | None:
    return empty_array(f"{context.body.place}.tool_calls") if context.body.value.get("tool_calls") == [] else None


@CALLS(
    "openai/tool-call-type",
    why="a tool call is no object",
    confidence="inferred",
    evidence=cite("the sentence of a message that is no object"),
    breaking=asking(USER, {**CALLING, "tool_calls": ["get_weather"]}, RESULT),
    accepted=_ANSWERED,
)
def _call_type(context: RequestContext) -> Breach | None:
    faulty = (wrong_type(at, "an object", call) for at, call in _calls(context.body) if not isinstance(call, dict))
    return next(faulty, None)


@CALLS(
    "openai/tool-call-id-missing",
    why="a tool call has no id",
    confidence="inferred",
    evidence=cite("the sentence of every other missing member"),
    breaking=calling(id=None),
    accepted=_ANSWERED,
)
def _id_missing(context: RequestContext) -> Breach | None:
    return next((missing(f"{at}.id") for at, call in _calls(context.body) if "id" not in call), None)


@CALLS(
    "openai/tool-call-id-type",
    why="a tool call's id is null, or no string",
    confidence="inferred",
    evidence=cite("the sentence of every other wrong type"),
    breaking=calling(id=7),
    accepted=_ANSWERED,
)
def _id_type(context: RequestContext) -> Breach | None:
    for at, call in _calls(context.body):
        if not isinstance(call["id"], str):
            return wrong_type(f"{at}.id", "a string", call["id"])
    return None


@CALLS(
    "openai/tool-call-id-too-long",
    why="a tool call's id has more than 40 characters",
    confidence="verbatim",
    evidence=(
        *cite("vercel/ai#5171", "Invalid 'messages[2].tool_calls[0].id': string too long."),
        *cite("agno-agi/agno#5382", "Expected a string with maximum length 40, but got a string with length 53"),
    ),
    breaking=calling(id=_LONG),
    accepted=_ANSWERED,
)
def _id_too_long(context: RequestContext) -> Breach | None:
    for at, call in _calls(context.body):
        if len(call["id"]) > LONGEST_ID:
            return long_string(f"{at}.id", most=LONGEST_ID, length=len(call["id"]))
    return None


@CALLS(
    "openai/tool-call-type-missing",
    why="a tool call does not say `type`",
    confidence="reported",
    evidence=cite("langchain-ai/langchain-azure#35", "Missing required parameter: 'messages[2].tool_calls[0].type'."),
    breaking=calling(type=None),
    accepted=_ANSWERED,
)
def _type_missing(context: RequestContext) -> Breach | None:
    return next((missing(f"{at}.type") for at, call in _calls(context.body) if "type" not in call), None)


@CALLS(
    "openai/tool-call-type-null",
    why="the `type` of a tool call is null, or no string",
    confidence="verbatim",
    evidence=cite(
        "public code that quotes it", "expected one of 'function', 'all...ols', or 'custom', but got null instead."
    ),
    breaking=calling(type=7),
    accepted=_ANSWERED,
)
def _type_null(context: RequestContext) -> Breach | None:
    for at, call in _calls(context.body):
        if not isinstance(call["type"], str):
            return wrong_type(f"{at}.type", "one of 'function', 'all...ols', or 'custom'", call["type"])
    return None


@CALLS(
    "openai/tool-call-function-missing",
    why="a tool call says no `function`",
    confidence="inferred",
    evidence=cite("the sentence of a tool without a function"),
    breaking=calling(function=None),
    accepted=_ANSWERED,
)
def _function_missing(context: RequestContext) -> Breach | None:
    for at, call in _calls(context.body):
        if call["type"] == "function" and not isinstance(call.get("function"), dict):
            place = f"{at}.function"
            return wrong_type(place, "an object", call["function"]) if "function" in call else missing(place)
    return None


@CALLS(
    "openai/tool-call-name-missing",
    why="a tool call has no name, or one that is no string",
    confidence="inferred",
    evidence=cite("the sentence of a tool without a name"),
    breaking=calling_function(name=None),
    accepted=_ANSWERED,
)
def _name_missing(context: RequestContext) -> Breach | None:
    for at, function in _functions(context.body):
        if not isinstance(function.get("name"), str):
            place = f"{at}.name"
            return wrong_type(place, "a string", function["name"]) if "name" in function else missing(place)
    return None


@CALLS(
    "openai/tool-call-name-empty",
    why="a tool call's name is empty",
    confidence="verbatim",
    evidence=cite("continuedev/continue#11645", "Invalid 'messages[69].tool_calls[0].function.name': empty string."),
    breaking=calling_function(name=""),
    accepted=_ANSWERED,
)
def _name_empty(context: RequestContext) -> Breach | None:
    return next((empty_string(f"{at}.name") for at, function in _functions(context.body) if not function["name"]), None)


@CALLS(
    "openai/tool-call-name-too-long",
    why="a tool call's name has more than 64 characters",
    confidence="inferred",
    evidence=cite("the same limit on the names of tools"),
    breaking=calling_function(name="g" * 65),
    accepted=_ANSWERED,
)
def _name_too_long(context: RequestContext) -> Breach | None:
    for at, function in _functions(context.body):
        if len(function["name"]) > LONGEST_NAME:
            return long_string(f"{at}.name", most=LONGEST_NAME, length=len(function["name"]))
    return None


@CALLS(
    "openai/tool-call-name-pattern",
    why="a tool call's name has other characters than letters, digits, _ and -",
    confidence="verbatim",
    evidence=cite("mcp-use/mcp-use#90", "Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'."),
    breaking=calling_function(name="weather.get"),
    accepted=_ANSWERED,
)
def _name_pattern(context: RequestContext) -> Breach | None:
    for at, function in _functions(context.body):
        if not re.fullmatch("[a-zA-Z0-9_-]+", function["name"]):
            return wrong_pattern(f"{at}.name", NAME_PATTERN)
    return None


@CALLS(
    "openai/tool-call-arguments-missing",
    why="a tool call has no arguments",
    confidence="inferred",
    evidence=cite("the sentence of every other missing member"),
    breaking=calling_function(arguments=None),
    accepted=_ANSWERED,
)
def _arguments_missing(context: RequestContext) -> Breach | None:
    functions = _functions(context.body)
    return next((missing(f"{at}.arguments") for at, function in functions if "arguments" not in function), None)


@CALLS(
    "openai/tool-call-arguments-type",
    why="a tool call's arguments are an object, or null, and not the text of one",
    confidence="verbatim",
    evidence=cite("aaif-goose/goose-mobile#20", "expected a string, but got an object instead."),
    breaking=calling_function(arguments={"city": "Oslo"}),
    accepted=_ANSWERED,
)
def _arguments_type(context: RequestContext) -> Breach | None:
    for at, function in _functions(context.body):
        if not isinstance(function["arguments"], str):
            return wrong_type(f"{at}.arguments", "a string", function["arguments"])
    return None


@ITEM_RULES.rule(
    "openai/result-id-type",
    why="the `tool_call_id` of a tool result is null, or no string",
    confidence="inferred",
    evidence=cite("the sentence of every other wrong type"),
    breaking=asking(USER, CALLING, {**RESULT, "tool_call_id": None}),
    accepted=_ANSWERED,
)
def _result_id_type(context: RequestContext) -> Breach | None:
    message = context.body.value
    call_id = message.get("tool_call_id", "")
    if message["role"] != "tool" or isinstance(call_id, str):
        return None
    return wrong_type(f"{context.body.place}.tool_call_id", "a string", call_id)


@ITEM_RULES.rule(
    "openai/result-id-too-long",
    why="the `tool_call_id` of a tool result has more than 40 characters",
    confidence="reported",
    evidence=cite("firebase/genkit, Go plugin that sent results as ids", "Expected a string with maximum length 40"),
    breaking=asking(USER, CALLING, {**RESULT, "tool_call_id": _LONG}),
    accepted=_ANSWERED,
)
def _result_id_too_long(context: RequestContext) -> Breach | None:
    message = context.body.value
    call_id = message.get("tool_call_id", "")
    if message["role"] != "tool" or len(call_id) <= LONGEST_ID:
        return None
    return long_string(f"{context.body.place}.tool_call_id", most=LONGEST_ID, length=len(call_id))


def _calls(item: Item) -> Iterator[tuple[str, Any]]:
    """Each call with its place."""
    calls = item.value.get("tool_calls")
    if isinstance(calls, list) and item.value["role"] == "assistant":
        for index, call in enumerate(calls):
            yield f"{item.place}.tool_calls[{index}]", call


def _functions(item: Item) -> Iterator[tuple[str, dict[str, Any]]]:
    """The `function` of each call of a function, with its place."""
    for at, call in _calls(item):
        if call["type"] == "function":
            yield f"{at}.function", call["function"]
