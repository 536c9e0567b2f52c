"""Rules on single content blocks: their types, fields and values."""

import re
from typing import Any

from fake_providers import remedies
from fake_providers.rule import Remedy
from fake_providers.rulebook import ANY_MESSAGE, Breach, RequestContext, Rulebook
from fake_providers.values.lenient import listed
from fake_providers.wires.anthropic_messages.betas import of_known_names
from fake_providers.wires.anthropic_messages.conversation import BLOCK, CALL, RESULT, TEXT, Block, blocks, messages
from fake_providers.wires.anthropic_messages.errors import envelope
from fake_providers.wires.anthropic_messages.rules import values
from fake_providers.wires.anthropic_messages.rules.messages import OLD_WORDS, worded
from fake_providers.wires.anthropic_messages.rules.samples import (
    TOOL_PROBES,
    measured,
    sample_request,
    sample_with_tool,
    text_block,
    tool_result,
    tool_use,
)

BOOK = Rulebook(envelope)

ID = re.compile(r"[a-zA-Z0-9_-]+")
ID_PATTERN = "String should match pattern '^[a-zA-Z0-9_-]+$'"
LONGEST_NAME = 200
NAME_PATTERN = "^[a-zA-Z0-9_-]{1,64}$"
"""As the refusal has it; longer names are recorded as accepted."""
FAULT = "{at}: {found[1]}"
Fields = dict[str, tuple[bool, values.ValueCheck]]

ANY: values.ValueCheck = lambda value: None  # noqa: E731 - a one-line check like the others in the tables


def _identifier(value: Any) -> values.FieldError | None:
    fault = values.string(value)
    return fault or (None if ID.fullmatch(value) else ("", ID_PATTERN))


def _tool_name(value: Any) -> values.FieldError | None:
    if fault := values.string(value):
        return fault
    if not value or len(value) > LONGEST_NAME:
        return "", f"String should have at {f'most {LONGEST_NAME} characters' if value else 'least 1 character'}"
    return None if ID.fullmatch(value) else ("", f"String should match pattern '{NAME_PATTERN}'")


def _result_content(value: Any) -> values.FieldError | None:
    return None if value is None or isinstance(value, str) else values.array_of(values.obj)(value)


FIELDS: dict[str, Fields] = {
    "text": {"text": (True, values.string), "citations": (False, ANY)},
    "tool_use": {
        "id": (True, _identifier),
        "name": (True, _tool_name),
        "input": (True, ANY),
        "caller": (False, ANY),
        "toolset_name": (False, ANY),
    },
    "tool_result": {
        "tool_use_id": (True, _identifier),
        "content": (False, _result_content),
        "is_error": (False, values.optional(values.boolean)),
        "toolset_name": (False, ANY),
    },
    "thinking": {"thinking": (True, values.string), "signature": (True, values.string)},
    "redacted_thinking": {"data": (True, values.string)},
}
"""The fields of each block type in a conversation with text and tools: whether the field is required, and its check."""


def _sample_with_call(**members: Any) -> dict[str, Any]:
    """A conversation with one answered call; `members` are added to the call, and a member that is `...` is removed."""
    return sample_with_tool("a", _block(tool_use() | members), tool_result())


def _sample_with_result(**members: Any) -> dict[str, Any]:
    return sample_with_tool("a", tool_use(), _block(tool_result() | members))


def _block(members: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in members.items() if value is not ...}


def _sample_with_thinking(signature: Any) -> dict[str, Any]:
    thinking = {"type": "thinking", "thinking": "b", "signature": signature}
    return sample_with_tool("a", [thinking, text_block("c")], "d")


def _untyped(_: Any, context: RequestContext) -> tuple[str, str] | None:
    for i, message in messages(context):
        for j, block in enumerate(listed(message.get("content"))):
            at = f"messages.{i}.content.{j}"
            if not isinstance(block, dict):
                return at, "Input should be an object"
            if "type" not in block:
                return f"{at}.type", values.REQUIRED
    return None


def _unknown_type(block: Block, context: RequestContext) -> str | None:
    if block.type in values.BLOCK_TYPES:
        return None
    tags = values.OLD_BLOCK_TAGS if OLD_WORDS in context.traits else values.BLOCK_TAGS
    return values.unknown_tag(block.body["type"], tags)


def _missing(block: Block) -> str | None:
    fields = FIELDS.get(block.type, {})
    return next((key for key, (must, _) in fields.items() if must and key not in block.body), None)


def _fault(block: Block, field: str) -> values.FieldError | None:
    """That of a field of a block, if the block has it."""
    return FIELDS[block.type][field][1](block.body[field]) if field in block.body else None


def _thinking_fault(context: RequestContext) -> Breach | None:
    for kind, field in (("thinking", "thinking"), ("thinking", "signature"), ("redacted_thinking", "data")):
        for block in blocks(context, kind):
            if fault := _fault(block, field):
                at = f"{block.at}.{kind}.{field}"
                return Breach(at, f"{at}: {fault[1]}")
    return None


def _part_fault(block: Block) -> tuple[str, str] | None:
    for k, part in enumerate(listed(block.body.get("content"))):
        if "type" not in part:
            return f"{k}.type", values.REQUIRED
        if part["type"] not in values.RESULT_TYPES:
            return f"{k}", values.unknown_tag(part["type"], values.RESULT_TAGS)
        if part["type"] == "text" and (fault := values.string(part.get("text"))):
            return f"{k}.text.text", fault[1] if "text" in part else values.REQUIRED
    return None


def _extra_key(block: Block) -> tuple[str] | None:
    if block.type not in FIELDS:
        return None
    common = ("type",) if "thinking" in block.type else ("type", "cache_control")
    return values.unknown_key(block.body, (*FIELDS[block.type], *common))


# A table: two rows are to be compared.
# fmt: off
BOOK.row("anthropic/block-type-missing", "A content block is not an object, or it has no type.",
    ANY_MESSAGE, _untyped, FAULT, "{found[0]}", remedy=remedies.PART_TYPES,
    wrong=sample_request({"text": "a"}), right=sample_request({"text": "a", "type": "text"}),
    recorded=measured("messages.0.content.0.type: Field required"))
BOOK.row("anthropic/block-type-unknown",
    "A content block has an unknown type; `image_url`, `input_text` and the like belong to other wires.",
    BLOCK, _unknown_type, "{at}: {found}", given=of_known_names, remedy=remedies.PART_TYPES,
    wrong=sample_request({"type": "input_text", "text": "a"}), right=sample_request({"type": "text", "text": "a"}),
    verbatim={"AstrBotDevs/AstrBot#4444":
        "messages.0.content.2: Input tag 'image_url' found using 'type' does not match any of the expected tags",
        "vercel/ai, recorded refusal of 2026-10: the tags": "'connector_text', 'container_upload', 'document'"})
BOOK.row("anthropic/block-field-missing",
    "A content block lacks a required field: a result its `tool_use_id`, a thinking block its signature.",
    BLOCK, _missing, "{at}: Field required", ".{item.type}.{found}",
    remedy=Remedy("content",
        "Write every member that the block needs, such as the `tool_use_id` of a result or the signature of thinking."),
    wrong=_sample_with_result(tool_use_id=...), right=_sample_with_result(),
    recorded={TOOL_PROBES: "messages.2.content.0.tool_result.tool_use_id: Field required",
        "openclaw/openclaw#13826": "messages.4.content.0.thinking.signature: Field required"})
BOOK.row("anthropic/tool-use-id", "The id of a call is not a string of letters, digits, underscores and hyphens.",
    CALL, lambda call: _fault(call, "id"), FAULT, ".tool_use.id", remedy=remedies.CALL_ID,
    wrong=_sample_with_call(id="a:1"), right=_sample_with_call(),
    verbatim={"HKUDS/nanobot#4356": f"messages.1.content.0.tool_use.id: {ID_PATTERN}",
        "lezama/openclawp#83": "tool_use.id: Input should be a valid string"})
BOOK.row("anthropic/tool-use-name",
    "The name of a call is not a string, it is empty or has more than 200 characters, or characters other than "
        "letters, digits, underscores and hyphens.",
    CALL, lambda call: _fault(call, "name"), FAULT, ".tool_use.name", remedy=remedies.CALLED_NAME,
    wrong=_sample_with_call(name=""), right=_sample_with_call(),
    reported={"error tables of public clients": "tool_use.name: String should have at least 1 character",
        "Claude Code's changelog of 2026, and four more": "String should have at most 200 characters",
        "home-assistant/core#140005": f"String should match pattern '{NAME_PATTERN}'",
        "langchain-ai/langsmith-sdk#899": "",
        "anomalyco/opencode#48750: a name with dots is refused on Bedrock, measured in 2026-09": ""})
BOOK.row("anthropic/tool-use-input",
    "The arguments of a call are not an object but, for example, their JSON text, a list or null.",
    CALL,
    lambda call,
        context: not isinstance(call.body.get("input"), dict) and worded(context, "a valid dictionary", "an object"),
    "{at}: Input should be {found}", ".tool_use.input", needs="tool_use", remedy=remedies.ARGUMENTS_AS_OBJECT,
    wrong=_sample_with_call(input="{}"), right=_sample_with_call(),
    verbatim={"anthropics/anthropic-sdk-typescript#648": "tool_use.input: Input should be a valid dictionary",
        "prism-php/prism#659": "", "CopilotKit/CopilotKit#3300": ""})
BOOK.row("anthropic/tool-result-id",
    "The `tool_use_id` of a result is not a string of letters, digits, underscores and hyphens.",
    RESULT, lambda result: _fault(result, "tool_use_id"), FAULT, ".tool_result.tool_use_id",
    remedy=remedies.CALL_ID.of("results"),
    wrong=_sample_with_result(tool_use_id=""), right=_sample_with_result(),
    verbatim={"HKUDS/nanobot#4356": f"tool_result.tool_use_id: {ID_PATTERN}"})
BOOK.row("anthropic/tool-result-content",
    "The content of a result is neither a string nor a list of blocks; a JSON value must be rendered as text first.",
    RESULT, lambda result: _fault(result, "content"), FAULT, ".tool_result.content{found[0]}",
    remedy=remedies.RESULT_AS_TEXT,
    wrong=_sample_with_result(content={"a": 1}), right=_sample_with_result(),
    inferred=measured("messages.0.content: Input should be a valid array"))
BOOK.row("anthropic/tool-result-block",
    "A result contains a block that is not text, an image, a document or a search result.",
    RESULT, _part_fault, FAULT, ".tool_result.content.{found[0]}", needs="tool_result", given=of_known_names,
    remedy=remedies.RESULT_AS_TEXT,
    wrong=_sample_with_result(content=[{"type": "input_text", "text": "a"}]),
    right=_sample_with_result(content=[{"type": "text", "text": "a"}]),
    inferred={"pydantic/pydantic-ai test_multimodal_tool_returns (for sources)":
        "does not match any of the expected tags"})
BOOK.row("anthropic/tool-result-is-error", "`is_error` is not a boolean.",
    RESULT, lambda result: _fault(result, "is_error"), FAULT, ".tool_result.is_error", remedy=remedies.IS_ERROR,
    wrong=_sample_with_result(is_error="yes"), right=_sample_with_result(is_error=True),
    inferred=measured("stream: Input should be a valid boolean"))
BOOK.row("anthropic/text-type",
    "The text of a text block is not a string; null, as other wires have next to calls, is refused.",
    TEXT, lambda text: _fault(text, "text"), FAULT, ".text.text", remedy=remedies.CONTENT_SHAPE,
    wrong=sample_request(text_block(None)), right=sample_request(text_block("a")),
    reported={"error tables of public clients": "messages.1.content.0.text.text: Input should be a valid string"})
BOOK.row("anthropic/thinking-block-type", "The thinking or the signature of a thinking block is not a string.",
    ANY_MESSAGE, _thinking_fault, remedy=remedies.THINKING_UNCHANGED,
    wrong=_sample_with_thinking(None), right=_sample_with_thinking("REDACTED"),
    reported={"error tables of public clients": "thinking.signature.str: Input should be a valid string"})
BOOK.row("anthropic/block-extra-key",
    "A content block has an unknown key, such as an id on a text block or `cache_control` on a thinking block.",
    BLOCK, _extra_key, "{at}: Extra inputs are not permitted", ".{item.type}.{found[0]}",
    given=of_known_names, remedy=remedies.OWN_MEMBERS.of("content"),
    wrong=sample_request(text_block("a") | {"id": "b"}), right=sample_request(text_block("a")),
    verbatim={"langchain-ai/langchain#31208": "messages.1.content.1.tool_use.index: Extra inputs are not permitted",
        "router-for-me/CLIProxyAPI#512": "thinking.cache_control: Extra inputs are not permitted",
        "anthropics/claude-code#4378": ""})
# fmt: on
