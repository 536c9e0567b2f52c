"""Rules on the parts of a message's content and on its tool calls, checked message by message.

Arguments that are not JSON, and ids with any characters, are accepted: recorded.
"""

from collections.abc import Iterator
from typing import Any, Final

from fake_providers import remedies
from fake_providers.rule import Remedy
from fake_providers.wires.openai_chat.rules.messages import ITEM_RULES
from fake_providers.wires.openai_chat.rules.samples import (
    CALL_MESSAGE,
    PROBES,
    RESULT,
    USER,
    sample_request,
    sample_with_call,
    sample_with_function_call,
)
from fake_providers.wires.openai_chat.rules.tools import LIKE_MESSAGE, function_missing
from fake_providers.wires.openai_shared import rules
from fake_providers.wires.openai_shared import wording as say
from fake_providers.wires.openai_shared.shared_rules import (
    LIKE_OTHER_MISSING,
    LIKE_OTHER_TYPES,
    MESSAGE,
    has,
    inside,
    is_at_most,
    is_object,
    is_text,
)


def _parts(message: dict[str, Any], place: str) -> Iterator[tuple[Any, str]]:
    """Each part of content that is a list."""
    content = message.get("content")
    if isinstance(content, list):
        for index, part in enumerate(content):
            yield part, f"{place}.content[{index}]"


def _calls(message: dict[str, Any], place: str) -> Iterator[tuple[Any, str]]:
    calls = message.get("tool_calls") if message["role"] == "assistant" else None
    for index, call in enumerate(calls or ()):
        yield call, f"{place}.tool_calls[{index}]"


def _functions(message: dict[str, Any], place: str) -> Iterator[tuple[Any, str]]:
    """The `function` of each function call."""
    for call, at in _calls(message, place):
        if call["type"] == "function":
            yield call["function"], f"{at}.function"


PART: Final = inside("conversation", _parts)
CALL: Final = inside("conversation", _calls)
FUNCTION: Final = inside("conversation", _functions)
RESULT_OF_TOOL: Final = inside(
    "conversation", lambda message, place: ((message, place),) if message["role"] == "tool" else ()
)

PARTS: Final = ("text", "image_url", "input_audio", "refusal", "audio", "file")
_LONG_ID = "call_" + "1" * 36
_ANSWER = {"role": "assistant", "content": "Hello"}


def _name_missing(function: dict[str, Any], place: str) -> Any:
    return say.missing(f"{place}.name") if "name" not in function else is_text("name")(function, place)


def _with_part(part: Any) -> dict[str, Any]:
    return sample_request({**USER, "content": [part]})


_TEXT = _with_part({"type": "text", "text": "Hello"})

# A table: two rows are to be compared.
# fmt: off
ITEM_RULES.row("openai/content-part-type", "A part of the content is not an object.",
    PART, is_object, remedy=remedies.PART_TYPES,
    wrong=_with_part("Hello"), right=_TEXT,
    inferred=LIKE_MESSAGE)
ITEM_RULES.row("openai/content-part-type-missing", "A part of the content has no type.",
    PART, has("type"), remedy=remedies.PART_TYPES,
    wrong=_with_part({"text": "Hello"}), right=_TEXT,
    recorded={"recording, gpt-4o-mini": "Missing required parameter: 'messages[1].content[0].type'.",
        "langchain-ai/langgraphjs#370": "400 Missing required parameter: 'messages[3].content[0].type'."})
ITEM_RULES.row("openai/content-part-unknown",
    "A part of the content has an unknown type, such as another provider's `tool_use`.",
    PART, lambda part, place: say.unknown_word(f"{place}.type", part["type"], PARTS), remedy=remedies.PART_TYPES,
    wrong=_with_part({"type": "input_text", "text": "Hello"}), right=_TEXT,
    recorded={"recording, gpt-4o-mini": "Invalid value: 'pdf'. Supported values are: 'text', 'image_url',"})
ITEM_RULES.row("openai/text-part-without-text", "A text part has no text.",
    PART, lambda part, place: part["type"] == "text" and say.wrong_text(f"{place}.text", part),
    remedy=remedies.LEAVE_OUT_EMPTY,
    wrong=_with_part({"type": "text"}), right=_TEXT,
    inferred={"worded like the refusals of other missing members and wrong types": ""})
ITEM_RULES.row("openai/tool-calls-type", "`tool_calls` is not a list.",
    MESSAGE, lambda message, place: say.not_a_list(f"{place}.tool_calls", message.get("tool_calls")),
    remedy=remedies.CALL_MEMBERS,
    wrong=sample_request(USER, {**_ANSWER, "tool_calls": {}}), right=sample_request(USER, _ANSWER),
    recorded={PROBES: "a tool_calls of the wrong type"})
ITEM_RULES.row("openai/tool-calls-empty", "`tool_calls` is an empty list.",
    MESSAGE, lambda message, place: message.get("tool_calls") == [] and say.empty_array(f"{place}.tool_calls"),
    remedy=Remedy("calls", "Leave `tool_calls` out of a message without calls."),
    wrong=sample_request(USER, {**_ANSWER, "tool_calls": []}), right=sample_request(USER, _ANSWER),
    recorded={PROBES: "an empty tool_calls beside content"})
ITEM_RULES.row("openai/tool-call-type", "A tool call is not an object.",
    CALL, is_object, remedy=remedies.CALL_MEMBERS,
    wrong=sample_request(USER, {**CALL_MESSAGE, "tool_calls": ["get_weather"]}, RESULT), right=sample_with_call(),
    inferred=LIKE_MESSAGE)
ITEM_RULES.row("openai/tool-call-id-missing", "A tool call has no id.",
    CALL, has("id"), remedy=remedies.CALL_ID,
    wrong=sample_with_call(id=None), right=sample_with_call(),
    inferred=LIKE_OTHER_MISSING)
ITEM_RULES.row("openai/tool-call-id-type", "The id of a tool call is null or not a string.",
    CALL, is_text("id"), remedy=remedies.CALL_ID,
    wrong=sample_with_call(id=7), right=sample_with_call(),
    inferred=LIKE_OTHER_TYPES)
ITEM_RULES.row("openai/tool-call-id-too-long", "The id of a tool call has more than 40 characters.",
    CALL, is_at_most(40, "id"), remedy=remedies.CALL_ID,
    wrong=sample_with_call(id=_LONG_ID), right=sample_with_call(),
    verbatim={"vercel/ai#5171": "Invalid 'messages[2].tool_calls[0].id': string too long.",
        "agno-agi/agno#5382": "Expected a string with maximum length 40, but got a string with length 53"})
ITEM_RULES.row("openai/tool-call-type-missing", "A tool call has no `type`.",
    CALL, has("type"), remedy=remedies.CALL_MEMBERS,
    wrong=sample_with_call(type=None), right=sample_with_call(),
    reported={"langchain-ai/langchain-azure#35": "Missing required parameter: 'messages[2].tool_calls[0].type'."})
ITEM_RULES.row("openai/tool-call-type-null", "The `type` of a tool call is null or not a string.",
    CALL, lambda call, place: not isinstance(call["type"], str)
        and say.wrong_type(f"{place}.type", "one of 'function', 'all...ols', or 'custom'", call["type"]),
    remedy=remedies.CALL_MEMBERS,
    wrong=sample_with_call(type=7), right=sample_with_call(),
    verbatim={"public code that quotes it":
        "expected one of 'function', 'all...ols', or 'custom', but got null instead."})
ITEM_RULES.row("openai/tool-call-function-missing", "A tool call has no `function`.",
    CALL, function_missing, remedy=remedies.CALL_MEMBERS,
    wrong=sample_with_call(function=None), right=sample_with_call(),
    inferred={"worded like the refusal of a tool without a function": ""})
ITEM_RULES.row("openai/tool-call-name-missing", "A tool call has no name, or a name that is not a string.",
    FUNCTION, _name_missing, remedy=remedies.CALLED_NAME,
    wrong=sample_with_function_call(name=None), right=sample_with_function_call(),
    inferred={"worded like the refusal of a tool without a name": ""})
rules.CALL_NAMES.add_to(ITEM_RULES, "chat", "openai/tool-call-", FUNCTION, sample_with_function_call)
ITEM_RULES.row("openai/tool-call-arguments-missing", "A tool call has no arguments.",
    FUNCTION, has("arguments"), remedy=remedies.ARGUMENTS_AS_TEXT,
    wrong=sample_with_function_call(arguments=None), right=sample_with_function_call(),
    inferred=LIKE_OTHER_MISSING)
rules.CALL_ARGUMENTS.add_to(ITEM_RULES, "chat", "openai/tool-call-", FUNCTION, sample_with_function_call)
ITEM_RULES.row("openai/result-id-type", "The `tool_call_id` of a tool result is null or not a string.",
    RESULT_OF_TOOL, is_text("tool_call_id"), remedy=remedies.CALL_ID.of("results"),
    wrong=sample_request(USER, CALL_MESSAGE, {**RESULT, "tool_call_id": None}), right=sample_with_call(),
    inferred=LIKE_OTHER_TYPES)
ITEM_RULES.row("openai/result-id-too-long", "The `tool_call_id` of a tool result has more than 40 characters.",
    RESULT_OF_TOOL, is_at_most(40, "tool_call_id"), remedy=remedies.CALL_ID.of("results"),
    wrong=sample_request(USER, CALL_MESSAGE, {**RESULT, "tool_call_id": _LONG_ID}), right=sample_with_call(),
    reported={"firebase/genkit, Go plugin that sent results as ids": "Expected a string with maximum length 40"})
# fmt: on

__all__ = ["ITEM_RULES"]
