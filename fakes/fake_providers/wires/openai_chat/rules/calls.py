"""Rules on the tool calls of a message, checked message by message.

Arguments that are not JSON, and ids with any characters, are accepted: recorded.
"""

from collections.abc import Iterator
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
from fake_providers.wires.openai_shared import rules
from fake_providers.wires.openai_shared.shared_rules import (
    LIKE_OTHER_MISSING,
    LIKE_OTHER_TYPES,
    Row,
    RuleTable,
    has,
    is_at_most,
    is_list,
    is_not_an_empty_list,
    is_object,
    is_text,
    items,
)
from fake_providers.wires.openai_shared.wording import missing, unknown_word, wrong_text, wrong_type


def _parts(context: RequestContext) -> Iterator[tuple[str, Any]]:
    """Each part with its place; only for content that is a list."""
    for index, part in enumerate(context.body.value["content"]):
        yield f"{context.body.place}.content[{index}]", part


def _sample_with_part(part: Any) -> dict[str, Any]:
    return sample_request({**USER, "content": [part]})


PARTS: Final = ("text", "image_url", "input_audio", "refusal", "audio", "file")
_TEXT = {"type": "text", "text": "Hello"}

RuleTable(
    ITEM_RULES,
    _parts,
    lambda: _sample_with_part(_TEXT),
    only=lambda context: isinstance(context.body.value.get("content"), list),
).add(
    Row(
        "openai/content-part-type",
        "A part of the content is not an object.",
        is_object,
        _sample_with_part("Hello"),
        "inferred",
        cite("worded like the refusal of a message that is not an object"),
    ),
    Row(
        "openai/content-part-type-missing",
        "A part of the content has no type.",
        has("type"),
        _sample_with_part({"text": "Hello"}),
        "recorded",
        (
            *cite("recording, gpt-4o-mini", "Missing required parameter: 'messages[1].content[0].type'."),
            *cite("langchain-ai/langgraphjs#370", "400 Missing required parameter: 'messages[3].content[0].type'."),
        ),
    ),
    Row(
        "openai/content-part-unknown",
        "A part of the content has an unknown type, such as another provider's `tool_use`.",
        lambda place, part: unknown_word(f"{place}.type", part["type"], PARTS),
        _sample_with_part({"type": "input_text", "text": "Hello"}),
        "recorded",
        cite("recording, gpt-4o-mini", "Invalid value: 'pdf'. Supported values are: 'text', 'image_url',"),
    ),
    Row(
        "openai/text-part-without-text",
        "A text part has no text.",
        lambda place, part: wrong_text(f"{place}.text", part) if part["type"] == "text" else None,
        _sample_with_part({"type": "text"}),
        "inferred",
        cite("worded like the refusals of other missing members and wrong types"),
    ),
)


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


def _result_ids(context: RequestContext) -> Iterator[tuple[str, Any]]:
    """The `tool_call_id` of a tool result, with its place."""
    message = context.body.value
    if message["role"] == "tool" and "tool_call_id" in message:
        yield f"{context.body.place}.tool_call_id", message["tool_call_id"]


def type_of_call(place: str, call: dict[str, Any]) -> Breach | None:
    if isinstance(call["type"], str):
        return None
    return wrong_type(f"{place}.type", "one of 'function', 'all...ols', or 'custom'", call["type"])


def name_of_call(place: str, function: dict[str, Any]) -> Breach | None:
    return is_text("name")(place, function) if "name" in function else missing(f"{place}.name")


_LONG_ID = "call_" + "1" * 36
_ANSWER = {"role": "assistant", "content": "Hello"}

RuleTable(ITEM_RULES, items, lambda: sample_request(USER, _ANSWER)).add(
    Row(
        "openai/tool-calls-type",
        "`tool_calls` is not a list.",
        is_list("tool_calls"),
        sample_request(USER, {**_ANSWER, "tool_calls": {}}),
        "recorded",
        cite_probe("a tool_calls of the wrong type"),
    ),
    Row(
        "openai/tool-calls-empty",
        "`tool_calls` is an empty list.",
        is_not_an_empty_list("tool_calls"),
        sample_request(USER, {**_ANSWER, "tool_calls": []}),
        "recorded",
        cite_probe("an empty tool_calls beside content"),
    ),
)
RuleTable(ITEM_RULES, _calls, sample_with_call, only=_has_calls).add(
    Row(
        "openai/tool-call-type",
        "A tool call is not an object.",
        is_object,
        sample_request(USER, {**CALL_MESSAGE, "tool_calls": ["get_weather"]}, RESULT),
        "inferred",
        cite("worded like the refusal of a message that is not an object"),
    ),
    Row(
        "openai/tool-call-id-missing",
        "A tool call has no id.",
        has("id"),
        sample_with_call(id=None),
        "inferred",
        LIKE_OTHER_MISSING,
    ),
    Row(
        "openai/tool-call-id-type",
        "The id of a tool call is null or not a string.",
        is_text("id"),
        sample_with_call(id=7),
        "inferred",
        LIKE_OTHER_TYPES,
    ),
    Row(
        "openai/tool-call-id-too-long",
        "The id of a tool call has more than 40 characters.",
        is_at_most(LONGEST_ID, "id"),
        sample_with_call(id=_LONG_ID),
        "verbatim",
        (
            *cite("vercel/ai#5171", "Invalid 'messages[2].tool_calls[0].id': string too long."),
            *cite("agno-agi/agno#5382", "Expected a string with maximum length 40, but got a string with length 53"),
        ),
    ),
    Row(
        "openai/tool-call-type-missing",
        "A tool call has no `type`.",
        has("type"),
        sample_with_call(type=None),
        "reported",
        cite("langchain-ai/langchain-azure#35", "Missing required parameter: 'messages[2].tool_calls[0].type'."),
    ),
    Row(
        "openai/tool-call-type-null",
        "The `type` of a tool call is null or not a string.",
        type_of_call,
        sample_with_call(type=7),
        "verbatim",
        cite(
            "public code that quotes it", "expected one of 'function', 'all...ols', or 'custom', but got null instead."
        ),
    ),
    Row(
        "openai/tool-call-function-missing",
        "A tool call has no `function`.",
        function_missing,
        sample_with_call(function=None),
        "inferred",
        cite("worded like the refusal of a tool without a function"),
    ),
)
FUNCTION_RULES = RuleTable(ITEM_RULES, _functions, sample_with_function_call, only=_has_calls)
FUNCTION_RULES.add(
    Row(
        "openai/tool-call-name-missing",
        "A tool call has no name, or a name that is not a string.",
        name_of_call,
        sample_with_function_call(name=None),
        "inferred",
        cite("worded like the refusal of a tool without a name"),
    ),
)
FUNCTION_RULES.add_shared("chat", "openai/tool-call-", *rules.CALL_NAMES)
FUNCTION_RULES.add(
    Row(
        "openai/tool-call-arguments-missing",
        "A tool call has no arguments.",
        has("arguments"),
        sample_with_function_call(arguments=None),
        "inferred",
        LIKE_OTHER_MISSING,
    ),
)
FUNCTION_RULES.add_shared("chat", "openai/tool-call-", rules.CALL_ARGUMENTS)
RuleTable(ITEM_RULES, _result_ids, sample_with_call).add(
    Row(
        "openai/result-id-type",
        "The `tool_call_id` of a tool result is null or not a string.",
        is_text(),
        sample_request(USER, CALL_MESSAGE, {**RESULT, "tool_call_id": None}),
        "inferred",
        LIKE_OTHER_TYPES,
    ),
    Row(
        "openai/result-id-too-long",
        "The `tool_call_id` of a tool result has more than 40 characters.",
        is_at_most(LONGEST_ID),
        sample_request(USER, CALL_MESSAGE, {**RESULT, "tool_call_id": _LONG_ID}),
        "reported",
        cite("firebase/genkit, Go plugin that sent results as ids", "Expected a string with maximum length 40"),
    ),
)
