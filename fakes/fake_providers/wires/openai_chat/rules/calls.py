"""Rules on the tool calls of a message, checked message by message.

Arguments that are not JSON, and ids with any characters, are accepted: recorded.
"""

from collections.abc import Iterator
from functools import partial
from typing import Any, Final

from fake_providers.rulebook import Breach, RequestContext
from fake_providers.wires.openai_chat.rules.messages import ITEM_RULES
from fake_providers.wires.openai_chat.rules.samples import (
    CALL_MESSAGE,
    RESULT,
    USER,
    cite,
    cite_probe,
    sample_request,
    sample_with_call,
    sample_with_function_call,
)
from fake_providers.wires.openai_chat.rules.tools import function_missing
from fake_providers.wires.openai_shared import shared_rules
from fake_providers.wires.openai_shared.shared_rules import SharedRules, each
from fake_providers.wires.openai_shared.wording import (
    empty_array,
    long_string,
    missing,
    unknown_word,
    wrong_text,
    wrong_type,
)


def _has_parts(context: RequestContext) -> bool:
    return isinstance(context.body.value.get("content"), list)


def _parts(context: RequestContext) -> Iterator[tuple[str, Any]]:
    """Each part with its place; only for content that is a list."""
    for index, part in enumerate(context.body.value["content"]):
        yield f"{context.body.place}.content[{index}]", part


PART = partial(ITEM_RULES.rule, only=_has_parts)
PARTS: Final = ("text", "image_url", "input_audio", "refusal", "audio", "file")


@PART(
    "openai/content-part-type",
    why="A part of the content is not an object.",
    confidence="inferred",
    evidence=cite("worded like the refusal of a message that is not an object"),
    breaking=sample_request({**USER, "content": ["Hello"]}),
    accepted=sample_request({**USER, "content": [{"type": "text", "text": "Hello"}]}),
)
@each(_parts)
def _part_type(place: str, part: Any) -> Breach | None:
    return None if isinstance(part, dict) else wrong_type(place, "an object", part)


@PART(
    "openai/content-part-type-missing",
    why="A part of the content has no type.",
    confidence="recorded",
    evidence=(
        *cite("recording, gpt-4o-mini", "Missing required parameter: 'messages[1].content[0].type'."),
        *cite("langchain-ai/langgraphjs#370", "400 Missing required parameter: 'messages[3].content[0].type'."),
    ),
    breaking=sample_request({**USER, "content": [{"text": "Hello"}]}),
    accepted=sample_request({**USER, "content": [{"type": "text", "text": "Hello"}]}),
)
@each(_parts)
def _part_without_type(place: str, part: dict[str, Any]) -> Breach | None:
    return None if "type" in part else missing(f"{place}.type")


@PART(
    "openai/content-part-unknown",
    why="A part of the content has an unknown type, such as another provider's `tool_use`.",
    confidence="recorded",
    evidence=cite("recording, gpt-4o-mini", "Invalid value: 'pdf'. Supported values are: 'text', 'image_url',"),
    breaking=sample_request({**USER, "content": [{"type": "input_text", "text": "Hello"}]}),
    accepted=sample_request({**USER, "content": [{"type": "text", "text": "Hello"}]}),
)
@each(_parts)
def _part_unknown(place: str, part: dict[str, Any]) -> Breach | None:
    return unknown_word(f"{place}.type", part["type"], PARTS)


@PART(
    "openai/text-part-without-text",
    why="A text part has no text.",
    confidence="inferred",
    evidence=cite("worded like the refusals of other missing members and wrong types"),
    breaking=sample_request({**USER, "content": [{"type": "text"}]}),
    accepted=sample_request({**USER, "content": [{"type": "text", "text": "Hello"}]}),
)
@each(_parts)
def _text_missing(place: str, part: dict[str, Any]) -> Breach | None:
    return wrong_text(f"{place}.text", part) if part["type"] == "text" else None


__all__ = ["ITEM_RULES"]

LONGEST_ID: Final = 40


def _has_calls(context: RequestContext) -> bool:
    return context.body.value["role"] == "assistant" and bool(context.body.value.get("tool_calls"))


def _calls(context: RequestContext) -> Iterator[tuple[str, Any]]:
    """Each call with its place; only for messages that have some."""
    for index, call in enumerate(context.body.value["tool_calls"]):
        yield f"{context.body.place}.tool_calls[{index}]", call


def _functions(context: RequestContext) -> Iterator[tuple[str, dict[str, Any]]]:
    """The `function` of each function call, with its place."""
    for place, call in _calls(context):
        if call["type"] == "function":
            yield f"{place}.function", call["function"]


CALLS = partial(ITEM_RULES.rule, only=_has_calls)
FUNCTION_RULES = SharedRules(ITEM_RULES, _functions, sample_with_function_call, only=_has_calls)
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
    evidence=cite("worded like the refusal of a message that is not an object"),
    breaking=sample_request(USER, {**CALL_MESSAGE, "tool_calls": ["get_weather"]}, RESULT),
    accepted=_SAMPLE_WITH_RESULT,
)
@each(_calls)
def _call_type(place: str, call: Any) -> Breach | None:
    return None if isinstance(call, dict) else wrong_type(place, "an object", call)


@CALLS(
    "openai/tool-call-id-missing",
    why="A tool call has no id.",
    confidence="inferred",
    evidence=cite("worded like the refusals of other missing members"),
    breaking=sample_with_call(id=None),
    accepted=_SAMPLE_WITH_RESULT,
)
@each(_calls)
def _id_missing(place: str, call: dict[str, Any]) -> Breach | None:
    return None if "id" in call else missing(f"{place}.id")


@CALLS(
    "openai/tool-call-id-type",
    why="The id of a tool call is null or not a string.",
    confidence="inferred",
    evidence=cite("worded like the refusals of other wrong types"),
    breaking=sample_with_call(id=7),
    accepted=_SAMPLE_WITH_RESULT,
)
@each(_calls)
def _id_type(place: str, call: dict[str, Any]) -> Breach | None:
    return None if isinstance(call["id"], str) else wrong_type(f"{place}.id", "a string", call["id"])


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
@each(_calls)
def _id_too_long(place: str, call: dict[str, Any]) -> Breach | None:
    return _long_id(f"{place}.id", call["id"])


@CALLS(
    "openai/tool-call-type-missing",
    why="A tool call has no `type`.",
    confidence="reported",
    evidence=cite("langchain-ai/langchain-azure#35", "Missing required parameter: 'messages[2].tool_calls[0].type'."),
    breaking=sample_with_call(type=None),
    accepted=_SAMPLE_WITH_RESULT,
)
@each(_calls)
def _type_missing(place: str, call: dict[str, Any]) -> Breach | None:
    return None if "type" in call else missing(f"{place}.type")


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
@each(_calls)
def _type_null(place: str, call: dict[str, Any]) -> Breach | None:
    if isinstance(call["type"], str):
        return None
    return wrong_type(f"{place}.type", "one of 'function', 'all...ols', or 'custom'", call["type"])


@CALLS(
    "openai/tool-call-function-missing",
    why="A tool call has no `function`.",
    confidence="inferred",
    evidence=cite("worded like the refusal of a tool without a function"),
    breaking=sample_with_call(function=None),
    accepted=_SAMPLE_WITH_RESULT,
)
@each(_calls)
def _function_missing(place: str, call: dict[str, Any]) -> Breach | None:
    return function_missing(place, call)


@CALLS(
    "openai/tool-call-name-missing",
    why="A tool call has no name, or a name that is not a string.",
    confidence="inferred",
    evidence=cite("worded like the refusal of a tool without a name"),
    breaking=sample_with_function_call(name=None),
    accepted=_SAMPLE_WITH_RESULT,
)
@each(_functions)
def _name_missing(place: str, function: dict[str, Any]) -> Breach | None:
    return shared_rules.name_type.check(place, function) if "name" in function else missing(f"{place}.name")


FUNCTION_RULES.add(
    "openai/tool-call-name-empty",
    shared_rules.call_name_empty,
    confidence="verbatim",
    evidence=cite("continuedev/continue#11645", "Invalid 'messages[69].tool_calls[0].function.name': empty string."),
)
FUNCTION_RULES.add(
    "openai/tool-call-name-too-long",
    shared_rules.call_name_too_long,
    confidence="inferred",
    evidence=cite("the same limit on the names of tools"),
)
FUNCTION_RULES.add(
    "openai/tool-call-name-pattern",
    shared_rules.call_name_pattern,
    confidence="verbatim",
    evidence=cite("mcp-use/mcp-use#90", "Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'."),
)


@CALLS(
    "openai/tool-call-arguments-missing",
    why="A tool call has no arguments.",
    confidence="inferred",
    evidence=cite("worded like the refusals of other missing members"),
    breaking=sample_with_function_call(arguments=None),
    accepted=_SAMPLE_WITH_RESULT,
)
@each(_functions)
def _arguments_missing(place: str, function: dict[str, Any]) -> Breach | None:
    return None if "arguments" in function else missing(f"{place}.arguments")


FUNCTION_RULES.add(
    "openai/tool-call-arguments-type",
    shared_rules.call_arguments_type,
    confidence="verbatim",
    evidence=cite("aaif-goose/goose-mobile#20", "expected a string, but got an object instead."),
)


@ITEM_RULES.rule(
    "openai/result-id-type",
    why="The `tool_call_id` of a tool result is null or not a string.",
    confidence="inferred",
    evidence=cite("worded like the refusals of other wrong types"),
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
    call_id = message.get("tool_call_id", "") if message["role"] == "tool" else ""
    return _long_id(f"{context.body.place}.tool_call_id", call_id)


def _long_id(place: str, call_id: str) -> Breach | None:
    return long_string(place, most=LONGEST_ID, length=len(call_id)) if len(call_id) > LONGEST_ID else None
