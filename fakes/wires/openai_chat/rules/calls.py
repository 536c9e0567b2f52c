"""Rules on the tool calls of a message, checked message by message.

Arguments that are not JSON, and ids with any characters, are accepted: recorded.
"""

import re
from collections.abc import Iterator
from functools import partial
from typing import Any, Final

from fakes.rulebook import Breach, RequestContext
from fakes.wires.openai_chat.rules.content import ITEM_RULES
from fakes.wires.openai_chat.rules.samples import (
    CALL_MESSAGE,
    RESULT,
    USER,
    cite,
    cite_probe,
    sample_request,
    sample_with_call,
    sample_with_function_call,
)
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
_SAMPLE_WITH_RESULT = sample_request(USER, CALL_MESSAGE, RESULT)
_LONG_ID = "call_" + "1" * 36


@ITEM_RULES.rule(
    "openai/tool-calls-type",
    why="`tool_calls` is not a list.",
    confidence="recorded",
    evidence=cite_probe("a tool_calls of the wrong type"),
    breaking=sample_request(USER, {"role": "assistant", "content": "Hello", "tool_calls": {}}),
    accepted=sample_request(USER, {"role": "assistant", "content": "Hello"}),
)
def _calls_type(context: RequestContext) -> Breach | None:
    calls = context.body.value.get("tool_calls")
    if calls is None or isinstance(calls, list):
        return None
    return wrong_type(f"{context.body.place}.tool_calls", "an array of objects", calls)


@ITEM_RULES.rule(
    "openai/tool-calls-empty",
    why="`tool_calls` is an empty list.",
    confidence="recorded",
    evidence=cite_probe("an empty tool_calls beside content"),
    breaking=sample_request(USER, {"role": "assistant", "content": "Hello", "tool_calls": []}),
    accepted=sample_request(USER, {"role": "assistant", "content": "Hello"}),
)
def _calls_empty(context: RequestContext) -> Breach | None:
    return empty_array(f"{context.body.place}.tool_calls") if context.body.value.get("tool_calls") == [] else None


@CALLS(
    "openai/tool-call-type",
    why="A tool call is not an object.",
    confidence="inferred",
    evidence=cite("the sentence of a message that is no object"),
    breaking=sample_request(USER, {**CALL_MESSAGE, "tool_calls": ["get_weather"]}, RESULT),
    accepted=_SAMPLE_WITH_RESULT,
)
def _call_type(context: RequestContext) -> Breach | None:
    faulty = (wrong_type(at, "an object", call) for at, call in _calls(context.body) if not isinstance(call, dict))
    return next(faulty, None)


@CALLS(
    "openai/tool-call-id-missing",
    why="A tool call has no id.",
    confidence="inferred",
    evidence=cite("the sentence of every other missing member"),
    breaking=sample_with_call(id=None),
    accepted=_SAMPLE_WITH_RESULT,
)
def _id_missing(context: RequestContext) -> Breach | None:
    return next((missing(f"{at}.id") for at, call in _calls(context.body) if "id" not in call), None)


@CALLS(
    "openai/tool-call-id-type",
    why="The id of a tool call is null or not a string.",
    confidence="inferred",
    evidence=cite("the sentence of every other wrong type"),
    breaking=sample_with_call(id=7),
    accepted=_SAMPLE_WITH_RESULT,
)
def _id_type(context: RequestContext) -> Breach | None:
    for at, call in _calls(context.body):
        if not isinstance(call["id"], str):
            return wrong_type(f"{at}.id", "a string", call["id"])
    return None


@CALLS(
    "openai/tool-call-id-too-long",
    why="The id of a tool call has more than 40 characters.",
    confidence="verbatim",
    evidence=(
        *cite("vercel/ai#5171", "Invalid 'messages[2].tool_calls[0].id': string too long."),
        *cite("agno-agi/agno#5382", "Expected a string with maximum length 40, but got a string with length 53"),
    ),
    breaking=sample_with_call(id=_LONG_ID),
    accepted=_SAMPLE_WITH_RESULT,
)
def _id_too_long(context: RequestContext) -> Breach | None:
    for at, call in _calls(context.body):
        if len(call["id"]) > LONGEST_ID:
            return long_string(f"{at}.id", most=LONGEST_ID, length=len(call["id"]))
    return None


@CALLS(
    "openai/tool-call-type-missing",
    why="A tool call has no `type`.",
    confidence="reported",
    evidence=cite("langchain-ai/langchain-azure#35", "Missing required parameter: 'messages[2].tool_calls[0].type'."),
    breaking=sample_with_call(type=None),
    accepted=_SAMPLE_WITH_RESULT,
)
def _type_missing(context: RequestContext) -> Breach | None:
    return next((missing(f"{at}.type") for at, call in _calls(context.body) if "type" not in call), None)


@CALLS(
    "openai/tool-call-type-null",
    why="The `type` of a tool call is null or not a string.",
    confidence="verbatim",
    evidence=cite(
        "public code that quotes it", "expected one of 'function', 'all...ols', or 'custom', but got null instead."
    ),
    breaking=sample_with_call(type=7),
    accepted=_SAMPLE_WITH_RESULT,
)
def _type_null(context: RequestContext) -> Breach | None:
    for at, call in _calls(context.body):
        if not isinstance(call["type"], str):
            return wrong_type(f"{at}.type", "one of 'function', 'all...ols', or 'custom'", call["type"])
    return None


@CALLS(
    "openai/tool-call-function-missing",
    why="A tool call has no `function`.",
    confidence="inferred",
    evidence=cite("the sentence of a tool without a function"),
    breaking=sample_with_call(function=None),
    accepted=_SAMPLE_WITH_RESULT,
)
def _function_missing(context: RequestContext) -> Breach | None:
    for at, call in _calls(context.body):
        if call["type"] == "function" and not isinstance(call.get("function"), dict):
            place = f"{at}.function"
            return wrong_type(place, "an object", call["function"]) if "function" in call else missing(place)
    return None


@CALLS(
    "openai/tool-call-name-missing",
    why="A tool call has no name, or a name that is not a string.",
    confidence="inferred",
    evidence=cite("the sentence of a tool without a name"),
    breaking=sample_with_function_call(name=None),
    accepted=_SAMPLE_WITH_RESULT,
)
def _name_missing(context: RequestContext) -> Breach | None:
    for at, function in _functions(context.body):
        if not isinstance(function.get("name"), str):
            place = f"{at}.name"
            return wrong_type(place, "a string", function["name"]) if "name" in function else missing(place)
    return None


@CALLS(
    "openai/tool-call-name-empty",
    why="The name of a tool call is empty.",
    confidence="verbatim",
    evidence=cite("continuedev/continue#11645", "Invalid 'messages[69].tool_calls[0].function.name': empty string."),
    breaking=sample_with_function_call(name=""),
    accepted=_SAMPLE_WITH_RESULT,
)
def _name_empty(context: RequestContext) -> Breach | None:
    return next((empty_string(f"{at}.name") for at, function in _functions(context.body) if not function["name"]), None)


@CALLS(
    "openai/tool-call-name-too-long",
    why="The name of a tool call has more than 64 characters.",
    confidence="inferred",
    evidence=cite("the same limit on the names of tools"),
    breaking=sample_with_function_call(name="g" * 65),
    accepted=_SAMPLE_WITH_RESULT,
)
def _name_too_long(context: RequestContext) -> Breach | None:
    for at, function in _functions(context.body):
        if len(function["name"]) > LONGEST_NAME:
            return long_string(f"{at}.name", most=LONGEST_NAME, length=len(function["name"]))
    return None


@CALLS(
    "openai/tool-call-name-pattern",
    why="The name of a tool call has characters other than letters, digits, _ and -.",
    confidence="verbatim",
    evidence=cite("mcp-use/mcp-use#90", "Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'."),
    breaking=sample_with_function_call(name="weather.get"),
    accepted=_SAMPLE_WITH_RESULT,
)
def _name_pattern(context: RequestContext) -> Breach | None:
    for at, function in _functions(context.body):
        if not re.fullmatch("[a-zA-Z0-9_-]+", function["name"]):
            return wrong_pattern(f"{at}.name", NAME_PATTERN)
    return None


@CALLS(
    "openai/tool-call-arguments-missing",
    why="A tool call has no arguments.",
    confidence="inferred",
    evidence=cite("the sentence of every other missing member"),
    breaking=sample_with_function_call(arguments=None),
    accepted=_SAMPLE_WITH_RESULT,
)
def _arguments_missing(context: RequestContext) -> Breach | None:
    functions = _functions(context.body)
    return next((missing(f"{at}.arguments") for at, function in functions if "arguments" not in function), None)


@CALLS(
    "openai/tool-call-arguments-type",
    why="The arguments of a tool call are an object or null instead of a JSON text.",
    confidence="verbatim",
    evidence=cite("aaif-goose/goose-mobile#20", "expected a string, but got an object instead."),
    breaking=sample_with_function_call(arguments={"city": "Oslo"}),
    accepted=_SAMPLE_WITH_RESULT,
)
def _arguments_type(context: RequestContext) -> Breach | None:
    for at, function in _functions(context.body):
        if not isinstance(function["arguments"], str):
            return wrong_type(f"{at}.arguments", "a string", function["arguments"])
    return None


@ITEM_RULES.rule(
    "openai/result-id-type",
    why="The `tool_call_id` of a tool result is null or not a string.",
    confidence="inferred",
    evidence=cite("the sentence of every other wrong type"),
    breaking=sample_request(USER, CALL_MESSAGE, {**RESULT, "tool_call_id": None}),
    accepted=_SAMPLE_WITH_RESULT,
)
def _result_id_type(context: RequestContext) -> Breach | None:
    message = context.body.value
    call_id = message.get("tool_call_id", "")
    if message["role"] != "tool" or isinstance(call_id, str):
        return None
    return wrong_type(f"{context.body.place}.tool_call_id", "a string", call_id)


@ITEM_RULES.rule(
    "openai/result-id-too-long",
    why="The `tool_call_id` of a tool result has more than 40 characters.",
    confidence="reported",
    evidence=cite("firebase/genkit, Go plugin that sent results as ids", "Expected a string with maximum length 40"),
    breaking=sample_request(USER, CALL_MESSAGE, {**RESULT, "tool_call_id": _LONG_ID}),
    accepted=_SAMPLE_WITH_RESULT,
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
    """The `function` of each function call, with its place."""
    for at, call in _calls(item):
        if call["type"] == "function":
            yield f"{at}.function", call["function"]
