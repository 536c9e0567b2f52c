"""Rules on the parts of a message's content, checked message by message."""

from collections.abc import Iterator
from functools import partial
from typing import Any, Final

from fakes.rulebook import Breach, RequestContext
from fakes.wires.openai_chat.rules.messages import ITEM_RULES
from fakes.wires.openai_chat.rules.samples import USER, cite, sample_request
from fakes.wires.openai_shared.item_rules import Item
from fakes.wires.openai_shared.wording import missing, wrong_type, wrong_value

__all__ = ["ITEM_RULES"]


def _has_parts(context: RequestContext) -> bool:
    return isinstance(context.body.value.get("content"), list)


PART = partial(ITEM_RULES.rule, only=_has_parts)
PARTS: Final = ("text", "image_url", "input_audio", "refusal", "audio", "file")


@PART(
    "openai/content-part-type",
    why="A part of the content is not an object.",
    confidence="inferred",
    evidence=cite("the sentence of a message that is no object"),
    breaking=sample_request({**USER, "content": ["Hello"]}),
    accepted=sample_request({**USER, "content": [{"type": "text", "text": "Hello"}]}),
)
def _part_type(context: RequestContext) -> Breach | None:
    faulty = (wrong_type(at, "an object", part) for at, part in _parts(context.body) if not isinstance(part, dict))
    return next(faulty, None)


@PART(
    "openai/content-part-type-missing",
    why="A part of the content has no type.",
    confidence="recorded",
    evidence=(
        *cite("recorded exchange, gpt-4o-mini", "Missing required parameter: 'messages[1].content[0].type'."),
        *cite("langchain-ai/langgraphjs#370", "400 Missing required parameter: 'messages[3].content[0].type'."),
    ),
    breaking=sample_request({**USER, "content": [{"text": "Hello"}]}),
    accepted=sample_request({**USER, "content": [{"type": "text", "text": "Hello"}]}),
)
def _part_without_type(context: RequestContext) -> Breach | None:
    return next((missing(f"{at}.type") for at, part in _parts(context.body) if "type" not in part), None)


@PART(
    "openai/content-part-unknown",
    why="A part of the content has an unknown type, such as another provider's `tool_use`.",
    confidence="recorded",
    evidence=cite("recorded exchange, gpt-4o-mini", "Invalid value: 'pdf'. Supported values are: 'text', 'image_url',"),
    breaking=sample_request({**USER, "content": [{"type": "input_text", "text": "Hello"}]}),
    accepted=sample_request({**USER, "content": [{"type": "text", "text": "Hello"}]}),
)
def _part_unknown(context: RequestContext) -> Breach | None:
    for at, part in _parts(context.body):
        if isinstance(part["type"], str) and part["type"] not in PARTS:
            return wrong_value(f"{at}.type", part["type"], PARTS)
    return None


@PART(
    "openai/text-part-without-text",
    why="A text part has no text.",
    confidence="inferred",
    evidence=cite("the sentences of every other member that is missing or of the wrong type"),
    breaking=sample_request({**USER, "content": [{"type": "text"}]}),
    accepted=sample_request({**USER, "content": [{"type": "text", "text": "Hello"}]}),
)
def _text_missing(context: RequestContext) -> Breach | None:
    for at, part in _parts(context.body):
        if part["type"] != "text" or isinstance(part.get("text"), str):
            continue
        return wrong_type(f"{at}.text", "a string", part["text"]) if "text" in part else missing(f"{at}.text")
    return None


def _parts(item: Item) -> Iterator[tuple[str, Any]]:
    """Each part with its place."""
    content = item.value.get("content")
    if isinstance(content, list):
        for index, part in enumerate(content):
            yield f"{item.place}.content[{index}]", part
