"""Rules on single content blocks: their types, fields and values."""

import re
from collections.abc import Callable
from typing import Any

from msgspec import Struct

from fake_providers.rule import Citation, Confidence, Rule
from fake_providers.rulebook import ANY_MESSAGE, Breach, RequestContext, Rulebook
from fake_providers.wires.anthropic_messages import conversation
from fake_providers.wires.anthropic_messages.errors import envelope
from fake_providers.wires.anthropic_messages.rules import values
from fake_providers.wires.anthropic_messages.rules.messages import OLD_WORDS
from fake_providers.wires.anthropic_messages.rules.samples import (
    TOOL_PROBES,
    assistant,
    measured,
    sample_request,
    sample_with_tool,
    text_block,
    tool_result,
    tool_use,
    user,
)
from fake_providers.wires.anthropic_messages.rules.values import uses_newer_beta

BOOK = Rulebook(envelope)

ID = re.compile(r"[a-zA-Z0-9_-]+")
ID_PATTERN = "String should match pattern '^[a-zA-Z0-9_-]+$'"
LONGEST_NAME = 200
NAME_PATTERN = "^[a-zA-Z0-9_-]{1,64}$"
"""As the refusal has it; longer names are recorded as accepted."""
Fields = dict[str, tuple[bool, values.ValueCheck]]

ANY: values.ValueCheck = lambda value: None  # noqa: E731 - a one-line check like the others in the tables


def identifier(value: Any) -> values.FieldError | None:
    fault = values.string(value)
    return fault or (None if ID.fullmatch(value) else ("", ID_PATTERN))


def tool_name(value: Any) -> values.FieldError | None:
    if fault := values.string(value):
        return fault
    if not value or len(value) > LONGEST_NAME:
        return "", f"String should have at {f'most {LONGEST_NAME} characters' if value else 'least 1 character'}"
    return None if ID.fullmatch(value) else ("", f"String should match pattern '{NAME_PATTERN}'")


def result_content(value: Any) -> values.FieldError | None:
    return None if value is None or isinstance(value, str) else values.array_of(values.obj)(value)


FIELDS: dict[str, Fields] = {
    "text": {"text": (True, values.string), "citations": (False, ANY)},
    "tool_use": {
        "id": (True, identifier),
        "name": (True, tool_name),
        "input": (True, ANY),
        "caller": (False, ANY),
        "toolset_name": (False, ANY),
    },
    "tool_result": {
        "tool_use_id": (True, identifier),
        "content": (False, result_content),
        "is_error": (False, values.optional(values.boolean)),
        "toolset_name": (False, ANY),
    },
    "thinking": {"thinking": (True, values.string), "signature": (True, values.string)},
    "redacted_thinking": {"data": (True, values.string)},
}
"""The fields of each block type in a conversation with text and tools: whether the field is required, and its check."""

ALWAYS = frozenset({"type"})
CACHED = frozenset({"type", "cache_control"})


def first_breach(
    context: RequestContext, check: Callable[[conversation.Block], tuple[str, str] | None], kind: str | None = None
) -> Breach | None:
    """The first error that `check` finds in a block, as a path below the block and a sentence."""
    for block in conversation.blocks(context, kind):
        if fault := check(block):
            return Breach(block.at + fault[0], f"{block.at}{fault[0]}: {fault[1]}")
    return None


def sample_with_tool_use(**members: Any) -> dict[str, Any]:
    """A conversation with one answered call; `members` are added to the call, and a member that is `...` is removed."""
    block = {key: value for key, value in (tool_use() | members).items() if value is not ...}
    return sample_with_tool(user("a"), assistant(block), user(tool_result()))


def sample_with_tool_result(**members: Any) -> dict[str, Any]:
    """A conversation with one answered call; `members` are added to its result, and a member that is `...` is
    removed."""
    block = {key: value for key, value in (tool_result() | members).items() if value is not ...}
    return sample_with_tool(user("a"), assistant(tool_use()), user(block))


class FieldRule(Struct, frozen=True):
    """A rule on the values of fields of blocks, each with the type of its block; a missing field breaks none."""

    id: str
    why: str
    fields: tuple[tuple[str, str], ...]
    confidence: Confidence
    evidence: tuple[Citation, ...]
    breaking: Any
    accepted: Any


def _check_of(fields: tuple[tuple[str, str], ...]) -> Callable[[RequestContext], Breach | None]:
    def breach_of(context: RequestContext, kind: str, field: str) -> Breach | None:
        value = FIELDS[kind][field][1]

        def check(block: conversation.Block) -> tuple[str, str] | None:
            fault = value(block.body[field]) if field in block.body else None
            return (f".{kind}.{field}{fault[0]}", fault[1]) if fault else None

        return first_breach(context, check, kind)

    return lambda context: next((found for field in fields if (found := breach_of(context, *field))), None)


def _add_fields(*rows: FieldRule) -> None:
    for row in rows:
        rule = Rule(row.id, 400, row.why, "all", row.confidence, row.evidence, "2026-11-20", row.breaking, row.accepted)
        BOOK.add(rule, ANY_MESSAGE, _check_of(row.fields))


def block_type_missing(context: RequestContext) -> Breach | None:
    for i, message in conversation.messages(context):
        content = message.get("content")
        for j, block in enumerate(content if isinstance(content, list) else ()):
            at = f"messages.{i}.content.{j}"
            if not isinstance(block, dict):
                return Breach(at, f"{at}: Input should be an object")
            if "type" not in block:
                return Breach(f"{at}.type", f"{at}.type: {values.REQUIRED}")
    return None


def block_type_unknown(context: RequestContext) -> Breach | None:
    listed = values.OLD_BLOCK_TAGS if OLD_WORDS in context.traits else values.BLOCK_TAGS

    def check(block: conversation.Block) -> tuple[str, str] | None:
        return None if block.type in values.BLOCK_TYPES else ("", values.unknown_tag(block.body["type"], listed))

    return None if uses_newer_beta(context.headers) else first_breach(context, check)


def block_field_missing(context: RequestContext) -> Breach | None:
    def check(block: conversation.Block) -> tuple[str, str] | None:
        fields = FIELDS.get(block.type, {})
        missing = next((key for key, (must, _) in fields.items() if must and key not in block.body), None)
        return (f".{block.type}.{missing}", values.REQUIRED) if missing else None

    return first_breach(context, check)


# A table: two rows are to be compared.
# fmt: off
BOOK.row("anthropic/block-type-missing", "A content block is not an object, or it has no type.",
    ANY_MESSAGE, block_type_missing,
    wrong=sample_request(user({"text": "a"})), right=sample_request(user({"text": "a", "type": "text"})),
    recorded=measured("messages.0.content.0.type: Field required"))
BOOK.row("anthropic/block-type-unknown",
    "A content block has an unknown type; `image_url`, `input_text` and the like belong to other wires.",
    ANY_MESSAGE, block_type_unknown,
    wrong=sample_request(user({"type": "input_text", "text": "a"})),
    right=sample_request(user({"type": "text", "text": "a"})),
    verbatim={"AstrBotDevs/AstrBot#4444":
        "messages.0.content.2: Input tag 'image_url' found using 'type' does not match any of the expected tags",
        "vercel/ai, recorded refusal of 2026-10: the tags": "'connector_text', 'container_upload', 'document'"})
BOOK.row("anthropic/block-field-missing",
    "A content block lacks a required field: a result its `tool_use_id`, a thinking block its signature.",
    ANY_MESSAGE, block_field_missing,
    wrong=sample_with_tool_result(tool_use_id=...), right=sample_with_tool_result(),
    recorded={TOOL_PROBES: "messages.2.content.0.tool_result.tool_use_id: Field required",
        "openclaw/openclaw#13826": "messages.4.content.0.thinking.signature: Field required"})
# fmt: on


_add_fields(
    FieldRule(
        "anthropic/tool-use-id",
        "The id of a call is not a string of letters, digits, underscores and hyphens.",
        (("tool_use", "id"),),
        "verbatim",
        (
            Citation("HKUDS/nanobot#4356", f"messages.1.content.0.tool_use.id: {ID_PATTERN}"),
            Citation("lezama/openclawp#83", "tool_use.id: Input should be a valid string"),
        ),
        sample_with_tool_use(id="a:1"),
        sample_with_tool_use(),
    ),
    FieldRule(
        "anthropic/tool-use-name",
        "The name of a call is not a string, it is empty or has more than 200 characters, or characters other than "
        "letters, digits, underscores and hyphens.",
        (("tool_use", "name"),),
        "reported",
        (
            Citation("error tables of public clients", "tool_use.name: String should have at least 1 character"),
            Citation("Claude Code's changelog of 2026, and four more", "String should have at most 200 characters"),
            Citation("home-assistant/core#140005", f"String should match pattern '{NAME_PATTERN}'"),
            Citation("langchain-ai/langsmith-sdk#899"),
            Citation("anomalyco/opencode#48750: a name with dots is refused on Bedrock, measured in 2026-09"),
        ),
        sample_with_tool_use(name=""),
        sample_with_tool_use(),
    ),
)


def tool_use_input(context: RequestContext) -> Breach | None:
    kind = "a valid dictionary" if OLD_WORDS in context.traits else "an object"

    def check(block: conversation.Block) -> tuple[str, str] | None:
        wrong = not isinstance(block.body.get("input"), dict)
        return (".tool_use.input", f"Input should be {kind}") if wrong else None

    return first_breach(context, check, "tool_use")


# A table: two rows are to be compared.
# fmt: off
BOOK.row("anthropic/tool-use-input",
    "The arguments of a call are not an object but, for example, their JSON text, a list or null.",
    ANY_MESSAGE, tool_use_input, needs="tool_use",
    wrong=sample_with_tool_use(input="{}"), right=sample_with_tool_use(),
    verbatim={"anthropics/anthropic-sdk-typescript#648": "tool_use.input: Input should be a valid dictionary",
        "prism-php/prism#659": "", "CopilotKit/CopilotKit#3300": ""})
# fmt: on


_add_fields(
    FieldRule(
        "anthropic/tool-result-id",
        "The `tool_use_id` of a result is not a string of letters, digits, underscores and hyphens.",
        (("tool_result", "tool_use_id"),),
        "verbatim",
        (Citation("HKUDS/nanobot#4356", f"tool_result.tool_use_id: {ID_PATTERN}"),),
        sample_with_tool_result(tool_use_id=""),
        sample_with_tool_result(),
    ),
    FieldRule(
        "anthropic/tool-result-content",
        (
            "The content of a result is neither a string nor a list of blocks; a JSON value must be rendered as text "
            "first."
        ),
        (("tool_result", "content"),),
        "inferred",
        measured("messages.0.content: Input should be a valid array"),
        sample_with_tool_result(content={"a": 1}),
        sample_with_tool_result(),
    ),
)


def tool_result_block(context: RequestContext) -> Breach | None:
    def check(block: conversation.Block) -> tuple[str, str] | None:
        parts = block.body.get("content")
        for k, part in enumerate(parts if isinstance(parts, list) else ()):
            if "type" not in part:
                return f".tool_result.content.{k}.type", values.REQUIRED
            if part["type"] not in values.RESULT_TYPES:
                return f".tool_result.content.{k}", values.unknown_tag(part["type"], values.RESULT_TAGS)
            if part["type"] == "text" and (fault := values.string(part.get("text"))):
                return f".tool_result.content.{k}.text.text", fault[1] if "text" in part else values.REQUIRED
        return None

    return None if uses_newer_beta(context.headers) else first_breach(context, check, "tool_result")


# A table: two rows are to be compared.
# fmt: off
BOOK.row("anthropic/tool-result-block",
    "A result contains a block that is not text, an image, a document or a search result.",
    ANY_MESSAGE, tool_result_block, needs="tool_result",
    wrong=sample_with_tool_result(content=[{"type": "input_text", "text": "a"}]),
    right=sample_with_tool_result(content=[{"type": "text", "text": "a"}]),
    inferred={"pydantic/pydantic-ai test_multimodal_tool_returns (for sources)":
        "does not match any of the expected tags"})
# fmt: on


_add_fields(
    FieldRule(
        "anthropic/tool-result-is-error",
        "`is_error` is not a boolean.",
        (("tool_result", "is_error"),),
        "inferred",
        measured("stream: Input should be a valid boolean"),
        sample_with_tool_result(is_error="yes"),
        sample_with_tool_result(is_error=True),
    ),
    FieldRule(
        "anthropic/text-type",
        "The text of a text block is not a string; null, as other wires have next to calls, is refused.",
        (("text", "text"),),
        "reported",
        (Citation("error tables of public clients", "messages.1.content.0.text.text: Input should be a valid string"),),
        sample_request(user(text_block(None))),
        sample_request(user(text_block("a"))),
    ),
    FieldRule(
        "anthropic/thinking-block-type",
        "The thinking or the signature of a thinking block is not a string.",
        (
            ("thinking", "thinking"),
            ("thinking", "signature"),
            ("redacted_thinking", "data"),
        ),
        "reported",
        (Citation("error tables of public clients", "thinking.signature.str: Input should be a valid string"),),
        sample_with_tool(
            user("a"), assistant({"type": "thinking", "thinking": "b", "signature": None}, text_block("c")), user("d")
        ),
        sample_with_tool(
            user("a"),
            assistant({"type": "thinking", "thinking": "b", "signature": "REDACTED"}, text_block("c")),
            user("d"),
        ),
    ),
)


def block_extra_key(context: RequestContext) -> Breach | None:
    def check(block: conversation.Block) -> tuple[str, str] | None:
        if block.type not in FIELDS:
            return None
        common = ALWAYS if "thinking" in block.type else CACHED
        key = values.unknown_key(block.body, FIELDS[block.type].keys() | common)
        return (f".{block.type}.{key}", values.EXTRA) if key is not None else None

    return None if uses_newer_beta(context.headers) else first_breach(context, check)


# A table: two rows are to be compared.
# fmt: off
BOOK.row("anthropic/block-extra-key",
    "A content block has an unknown key, such as an id on a text block or `cache_control` on a thinking block.",
    ANY_MESSAGE, block_extra_key,
    wrong=sample_request(user(text_block("a") | {"id": "b"})), right=sample_request(user(text_block("a"))),
    verbatim={"langchain-ai/langchain#31208": "messages.1.content.1.tool_use.index: Extra inputs are not permitted",
        "router-for-me/CLIProxyAPI#512": "thinking.cache_control: Extra inputs are not permitted",
        "anthropics/claude-code#4378": ""})
# fmt: on
