"""Rules on the parts of a message's content, checked message by message."""

from collections.abc import Iterator
from functools import partial
from typing import Any, Final

from fake_providers.rulebook import Breach, RequestContext
from fake_providers.wires.openai_chat.rules.messages import ITEM_RULES
from fake_providers.wires.openai_chat.rules.samples import USER, cite, sample_request
from fake_providers.wires.openai_shared.shared_rules import each
from fake_providers.wires.openai_shared.wording import missing, unknown_word, wrong_text, wrong_type

__all__ = ["ITEM_RULES"]


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
