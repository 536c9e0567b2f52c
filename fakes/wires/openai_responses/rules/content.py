"""What a message says, and the parts it says it in: further rules of the walk over the items."""

from collections.abc import Iterator
from typing import Any, Final

from fakes.rulebook import Breach, RequestContext
from fakes.wires.openai_chat.rules.messages import LONGEST_TEXT
from fakes.wires.openai_responses.rules.items import ITEM_RULES, is_message, wrong_choice
from fakes.wires.openai_responses.rules.samples import SAID, USER, asking, changed, cite, probed
from fakes.wires.openai_shared.item_rules import Item
from fakes.wires.openai_shared.wording import breach, long_string, missing, wrong_type, wrong_value

__all__ = ["ITEM_RULES"]

PARTS: Final = (
    "input_text",
    "input_image",
    "input_audio",
    "output_text",
    "refusal",
    "input_file",
    "computer_screenshot",
    "summary_text",
    "encrypted_content",
)
TAKEN: Final = ("input_text", "input_image", "input_file", "scoped_content", "input_audio")
SPOKEN: Final = ("output_text", "refusal")

_TEXT = {"type": "input_text", "text": "Hello"}
_PARTS = asking({**USER, "content": [_TEXT]})


def _asking(part: Any) -> dict[str, Any]:
    return asking({**USER, "content": [part]})


@ITEM_RULES.rule(
    "openai/responses-content-missing",
    why="a message has no content",
    confidence="recorded",
    evidence=(
        *cite("recorded exchanges, gpt-5, gpt-5-mini, gpt-5-nano", "Missing required parameter: 'input[2].content'."),
        *probed("input item without content"),
    ),
    breaking=asking(USER, changed(SAID, content=None), USER),
    accepted=asking(USER, SAID, USER),
)
def _content_missing(context: RequestContext) -> Breach | None:
    item = context.body.value
    return missing(f"{context.body.place}.content") if is_message(item) and "content" not in item else None


@ITEM_RULES.rule(
    "openai/responses-content-type",
    why="a message's content is null, or anything but a text and a list of parts; an empty one will do",
    confidence="verbatim",
    evidence=cite("QuantumNous/new-api#4776", "expected one of an array of objects or string, but got null instead."),
    breaking=asking(USER, {**SAID, "content": None}, USER),
    accepted=asking(USER, {**SAID, "content": ""}, USER),
)
def _content_type(context: RequestContext) -> Breach | None:
    item = context.body.value
    if not is_message(item) or isinstance(item["content"], str | list):
        return None
    return wrong_type(f"{context.body.place}.content", "one of an array of objects or string", item["content"])


@ITEM_RULES.rule(
    "openai/responses-content-part-type",
    why="a part of the content is no object",
    confidence="inferred",
    evidence=cite("the sentence of every other wrong type"),
    breaking=_asking("Hello"),
    accepted=_PARTS,
)
def _part_type(context: RequestContext) -> Breach | None:
    faulty = (wrong_type(at, "an object", part) for at, part in _parts(context.body) if not isinstance(part, dict))
    return next(faulty, None)


@ITEM_RULES.rule(
    "openai/responses-content-part-unknown",
    why="a part of the content is of a type that there is not, such as chat completions' `text`",
    confidence="recorded",
    evidence=probed("content block unknown type"),
    breaking=_asking({"type": "text", "text": "Hello"}),
    accepted=_PARTS,
)
def _part_unknown(context: RequestContext) -> Breach | None:
    for at, part in _parts(context.body):
        kind = part.get("type")
        if kind not in PARTS and kind not in TAKEN:
            return wrong_value(f"{at}.type", kind, PARTS) if isinstance(kind, str) else missing(f"{at}.type")
    return None


@ITEM_RULES.rule(
    "openai/responses-assistant-part",
    why="an assistant's message has an `input_text` part",
    confidence="recorded",
    evidence=probed("input item assistant with input_text"),
    breaking=asking(USER, {**SAID, "content": [{"type": "input_text", "text": "I look."}]}, USER),
    accepted=asking(USER, SAID, USER),
)
def _assistant_part(context: RequestContext) -> Breach | None:
    if context.body.value.get("role") != "assistant":
        return None
    for at, part in _parts(context.body):
        if part["type"] not in SPOKEN:
            return wrong_choice(at, part["type"], SPOKEN)
    return None


@ITEM_RULES.rule(
    "openai/responses-user-part",
    why="a message of the user, or of the system, has an `output_text` part",
    confidence="recorded",
    evidence=probed("content block wrong variant"),
    breaking=_asking({"type": "output_text", "text": "Hello"}),
    accepted=_PARTS,
)
def _user_part(context: RequestContext) -> Breach | None:
    if context.body.value.get("role") == "assistant":
        return None
    for at, part in _parts(context.body):
        if part["type"] in SPOKEN:
            return wrong_value(at, part["type"], TAKEN)
    return None


@ITEM_RULES.rule(
    "openai/responses-part-member-unknown",
    why="a part of the content has a mark of another provider's cache",
    confidence="verbatim",
    evidence=cite("public code that quotes it", "Unknown parameter: 'input[0].content[0].cache_control'"),
    breaking=_asking({**_TEXT, "cache_control": {"type": "ephemeral"}}),
    accepted=_PARTS,
)
def _part_member(context: RequestContext) -> Breach | None:
    for at, part in _parts(context.body):
        if "cache_control" in part:
            param = f"{at}.cache_control"
            return breach(param, f"Unknown parameter: '{param}'.", "unknown_parameter")
    return None


@ITEM_RULES.rule(
    "openai/responses-text-missing",
    why="a text part has no text",
    confidence="recorded",
    evidence=probed("content block without text"),
    breaking=_asking({"type": "input_text"}),
    accepted=_PARTS,
)
def _text_missing(context: RequestContext) -> Breach | None:
    for at, part in _parts(context.body):
        if part["type"] not in ("input_text", "output_text") or isinstance(part.get("text"), str):
            continue
        return wrong_type(f"{at}.text", "a string", part["text"]) if "text" in part else missing(f"{at}.text")
    return None


@ITEM_RULES.rule(
    "openai/responses-text-too-long",
    why="a text of a message, a result or a sealed thought has more than 10485760 characters",
    confidence="verbatim",
    evidence=cite("public code that quotes it", "Invalid 'input[388].output': string too long. Expected a string with"),
    breaking=None,
    accepted=None,
)
def _text_too_long(context: RequestContext) -> Breach | None:
    item, place = context.body.value, context.body.place
    texts = [(f"{place}.{name}", item.get(name)) for name in ("content", "output", "encrypted_content")]
    texts += [(f"{at}.text", part.get("text")) for at, part in _parts(context.body)]
    for at, text in texts:
        if isinstance(text, str) and len(text) > LONGEST_TEXT:
            return long_string(at, most=LONGEST_TEXT, length=len(text))
    return None


def _parts(item: Item) -> Iterator[tuple[str, Any]]:
    """Each part of a message with its place."""
    content = item.value.get("content") if is_message(item.value) else None
    if isinstance(content, list):
        for index, part in enumerate(content):
            yield f"{item.place}.content[{index}]", part
