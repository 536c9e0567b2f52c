"""Rules on single content blocks: their types, fields and values. Knows no block's neighbours."""

import re
from collections.abc import Callable
from typing import Any

from fakes.rule import Citation
from fakes.rulebook import Breach, RequestContext, Rulebook
from fakes.wires.anthropic_messages import conversation
from fakes.wires.anthropic_messages.errors import envelope
from fakes.wires.anthropic_messages.rules import values, wording
from fakes.wires.anthropic_messages.rules.messages import OLD_WORDS
from fakes.wires.anthropic_messages.rules.tool_examples import (
    TOOL_PROBES,
    ask,
    assistant,
    measured,
    result,
    text,
    use,
    user,
    with_tool,
)

BOOK = Rulebook(envelope)

ID = re.compile(r"[a-zA-Z0-9_-]+")
ID_PATTERN = "String should match pattern '^[a-zA-Z0-9_-]+$'"
Fields = dict[str, tuple[bool, values.Value]]

ANY: values.Value = lambda value: None  # noqa: E731 - a value like its neighbours in the tables


def identifier(value: Any) -> values.Fault | None:
    fault = values.string(value)
    return fault or (None if ID.fullmatch(value) else ("", ID_PATTERN))


def name(value: Any) -> values.Fault | None:
    fault = values.string(value)
    return fault or (None if value else ("", "String should have at least 1 character"))


def contents(value: Any) -> values.Fault | None:
    return None if value is None or isinstance(value, str) else values.array_of(values.obj)(value)


FIELDS: dict[str, Fields] = {
    "text": {"text": (True, values.string), "citations": (False, ANY)},
    "tool_use": {
        "id": (True, identifier),
        "name": (True, name),
        "input": (True, ANY),
        "caller": (False, ANY),
        "toolset_name": (False, ANY),
    },
    "tool_result": {
        "tool_use_id": (True, identifier),
        "content": (False, contents),
        "is_error": (False, values.optional(values.boolean)),
        "toolset_name": (False, ANY),
    },
    "thinking": {"thinking": (True, values.string), "signature": (True, values.string)},
    "redacted_thinking": {"data": (True, values.string)},
}
"""For each block a text-and-tools conversation has: its fields, whether each must be there, and what it may be."""

ALWAYS = frozenset({"type"})
CACHED = frozenset({"type", "cache_control"})


def first(
    context: RequestContext, check: Callable[[conversation.Block], tuple[str, str] | None], kind: str | None = None
) -> Breach | None:
    """The first fault that `check` finds, as a path below the block and a sentence."""
    for block in conversation.blocks(context, kind):
        if fault := check(block):
            return Breach(block.at + fault[0], f"{block.at}{fault[0]}: {fault[1]}")
    return None


def called(**members: Any) -> dict[str, Any]:
    """A conversation with one answered call, which has these members too."""
    block = {key: value for key, value in (use() | members).items() if value is not ...}
    return with_tool(user("a"), assistant(block), user(result()))


def answered(**members: Any) -> dict[str, Any]:
    """A conversation with one answered call, whose result has these members too."""
    block = {key: value for key, value in (result() | members).items() if value is not ...}
    return with_tool(user("a"), assistant(use()), user(block))


@BOOK.rule(
    "anthropic/block-type-missing",
    why="content blocks are objects with a type",
    confidence="recorded",
    evidence=measured("messages.0.content.0.type: Field required"),
    breaking=ask(user({"text": "a"})),
    accepted=ask(user({"text": "a", "type": "text"})),
)
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


@BOOK.rule(
    "anthropic/block-type-unknown",
    why="`image_url`, `input_text` and the like are blocks of other wires",
    confidence="verbatim",
    evidence=(
        Citation(
            "AstrBotDevs/AstrBot#4444",
            "messages.0.content.2: Input tag 'image_url' found using 'type' does not match any of the expected tags",
        ),
        Citation(
            "vercel/ai, recorded refusal of 2026-10: the tags", "'connector_text', 'container_upload', 'document'"
        ),
    ),
    breaking=ask(user({"type": "input_text", "text": "a"})),
    accepted=ask(user({"type": "text", "text": "a"})),
)
def block_type_unknown(context: RequestContext) -> Breach | None:
    listed = wording.OLD_BLOCK_TAGS if OLD_WORDS in context.traits else wording.BLOCK_TAGS

    def check(block: conversation.Block) -> tuple[str, str] | None:
        return None if block.type in wording.BLOCK_TYPES else ("", values.tags(block.body["type"], listed))

    return first(context, check)


@BOOK.rule(
    "anthropic/block-field-missing",
    why="a block has all of its fields: a result its `tool_use_id`, a thinking block its signature",
    confidence="recorded",
    evidence=(
        Citation(TOOL_PROBES, "messages.2.content.0.tool_result.tool_use_id: Field required"),
        Citation("openclaw/openclaw#13826", "messages.4.content.0.thinking.signature: Field required"),
    ),
    breaking=answered(tool_use_id=...),
    accepted=answered(),
)
def block_field_missing(context: RequestContext) -> Breach | None:
    def check(block: conversation.Block) -> tuple[str, str] | None:
        fields = FIELDS.get(block.type, {})
        missing = next((key for key, (must, _) in fields.items() if must and key not in block.body), None)
        return (f".{block.type}.{missing}", values.REQUIRED) if missing else None

    return first(context, check)


@BOOK.rule(
    "anthropic/tool-use-id",
    why="the id of a call is a text of letters, digits, underscores and hyphens",
    confidence="verbatim",
    evidence=(
        Citation("HKUDS/nanobot#4356", f"messages.1.content.0.tool_use.id: {ID_PATTERN}"),
        Citation("lezama/openclawp#83", "tool_use.id: Input should be a valid string"),
    ),
    breaking=called(id="a:1"),
    accepted=called(),
)
def tool_use_id(context: RequestContext) -> Breach | None:
    return _field(context, "tool_use", "id")


@BOOK.rule(
    "anthropic/tool-use-name",
    why="the name of a call is a text of at least one character",
    confidence="reported",
    evidence=(Citation("error tables of public clients", "tool_use.name: String should have at least 1 character"),),
    breaking=called(name=""),
    accepted=called(),
)
def tool_use_name(context: RequestContext) -> Breach | None:
    return _field(context, "tool_use", "name")


@BOOK.rule(
    "anthropic/tool-use-input",
    why="the arguments of a call are an object: not their JSON text, not a list, not null",
    confidence="verbatim",
    evidence=(
        Citation("anthropics/anthropic-sdk-typescript#648", "tool_use.input: Input should be a valid dictionary"),
        Citation("prism-php/prism#659"),
        Citation("CopilotKit/CopilotKit#3300"),
    ),
    breaking=called(input="{}"),
    accepted=called(),
)
def tool_use_input(context: RequestContext) -> Breach | None:
    kind = "a valid dictionary" if OLD_WORDS in context.traits else "an object"

    def check(block: conversation.Block) -> tuple[str, str] | None:
        wrong = not isinstance(block.body.get("input"), dict)
        return (".tool_use.input", f"Input should be {kind}") if wrong else None

    return first(context, check, "tool_use")


@BOOK.rule(
    "anthropic/tool-result-id",
    why="a result names its call by an id of letters, digits, underscores and hyphens",
    confidence="verbatim",
    evidence=(Citation("HKUDS/nanobot#4356", f"tool_result.tool_use_id: {ID_PATTERN}"),),
    breaking=answered(tool_use_id=""),
    accepted=answered(),
)
def tool_result_id(context: RequestContext) -> Breach | None:
    return _field(context, "tool_result", "tool_use_id")


@BOOK.rule(
    "anthropic/tool-result-content",
    why="the content of a result is a text or a list of blocks; a JSON value is to be rendered first",
    confidence="inferred",
    evidence=measured("messages.0.content: Input should be a valid array"),
    breaking=answered(content={"a": 1}),
    accepted=answered(),
)
def tool_result_content(context: RequestContext) -> Breach | None:
    return _field(context, "tool_result", "content")


@BOOK.rule(
    "anthropic/tool-result-block",
    why="a result holds texts, images, documents and search results",
    confidence="inferred",
    evidence=(
        Citation(
            "pydantic/pydantic-ai test_multimodal_tool_returns (for sources)",
            "does not match any of the expected tags",
        ),
    ),
    breaking=answered(content=[{"type": "input_text", "text": "a"}]),
    accepted=answered(content=[{"type": "text", "text": "a"}]),
)
def tool_result_block(context: RequestContext) -> Breach | None:
    def check(block: conversation.Block) -> tuple[str, str] | None:
        parts = block.body.get("content")
        for k, part in enumerate(parts if isinstance(parts, list) else ()):
            if "type" not in part:
                return f".tool_result.content.{k}.type", values.REQUIRED
            if part["type"] not in wording.RESULT_TYPES:
                return f".tool_result.content.{k}", values.tags(part["type"], wording.RESULT_TAGS)
        return None

    return first(context, check, "tool_result")


@BOOK.rule(
    "anthropic/tool-result-is-error",
    why="`is_error` is a boolean",
    confidence="inferred",
    evidence=measured("stream: Input should be a valid boolean"),
    breaking=answered(is_error="yes"),
    accepted=answered(is_error=True),
)
def tool_result_is_error(context: RequestContext) -> Breach | None:
    return _field(context, "tool_result", "is_error")


@BOOK.rule(
    "anthropic/text-type",
    why="the text of a text block is a text; null is what other wires have beside calls",
    confidence="reported",
    evidence=(
        Citation("error tables of public clients", "messages.1.content.0.text.text: Input should be a valid string"),
    ),
    breaking=ask(user(text(None))),
    accepted=ask(user(text("a"))),
)
def text_type(context: RequestContext) -> Breach | None:
    return _field(context, "text", "text")


@BOOK.rule(
    "anthropic/thinking-block-type",
    why="the thinking and the signature of a thinking block are texts",
    confidence="reported",
    evidence=(Citation("error tables of public clients", "thinking.signature.str: Input should be a valid string"),),
    breaking=with_tool(
        user("a"), assistant({"type": "thinking", "thinking": "b", "signature": None}, text("c")), user("d")
    ),
    accepted=with_tool(
        user("a"), assistant({"type": "thinking", "thinking": "b", "signature": "c"}, text("c")), user("d")
    ),
)
def thinking_type(context: RequestContext) -> Breach | None:
    return (
        _field(context, "thinking", "thinking")
        or _field(context, "thinking", "signature")
        or _field(context, "redacted_thinking", "data")
    )


@BOOK.rule(
    "anthropic/block-extra-key",
    why="a block has no keys but its own: no ids on texts, no cache_control on thinking",
    confidence="verbatim",
    evidence=(
        Citation("langchain-ai/langchain#31208", "messages.1.content.1.tool_use.index: Extra inputs are not permitted"),
        Citation("router-for-me/CLIProxyAPI#512", "thinking.cache_control: Extra inputs are not permitted"),
        Citation("anthropics/claude-code#4378"),
    ),
    breaking=ask(user(text("a") | {"id": "b"})),
    accepted=ask(user(text("a"))),
)
def block_extra_key(context: RequestContext) -> Breach | None:
    def check(block: conversation.Block) -> tuple[str, str] | None:
        if block.type not in FIELDS:
            return None
        common = ALWAYS if "thinking" in block.type else CACHED
        key = values.unknown(block.body, FIELDS[block.type].keys() | common)
        return (f".{block.type}.{key}", values.EXTRA) if key is not None else None

    return first(context, check)


def _field(context: RequestContext, kind: str, field: str) -> Breach | None:
    """What is wrong with one field of the blocks of one type, where it is there."""
    value = FIELDS[kind][field][1]

    def check(block: conversation.Block) -> tuple[str, str] | None:
        fault = value(block.body[field]) if field in block.body else None
        return (f".{kind}.{field}{fault[0]}", fault[1]) if fault else None

    return first(context, check, kind)
