"""Rules on the content of messages: empty content, blank text, and cache marks."""

import base64
from collections.abc import Iterator
from typing import Any

from fake_providers.rule import Citation
from fake_providers.rulebook import (
    ALL_MESSAGES,
    ANY_MESSAGE,
    ANY_PARAMETER,
    NEAR_MESSAGES,
    WHOLE_REQUEST,
    Breach,
    RequestContext,
    Rulebook,
)
from fake_providers.values.pictures import SVG, Size, bytes_of, media_type_of, size_of
from fake_providers.wires.anthropic_messages import conversation
from fake_providers.wires.anthropic_messages.errors import envelope
from fake_providers.wires.anthropic_messages.rules.messages import OLD_WORDS
from fake_providers.wires.anthropic_messages.rules.samples import (
    SMALL,
    assistant,
    measured,
    sample_request,
    sample_with_tool,
    text_block,
    tool_result,
    tool_use,
    user,
)

BOOK = Rulebook(envelope)

OLD_EMPTY = "all messages must have non-empty content except for the optional final assistant message"
EMPTY = "text content blocks must be non-empty"
BLANK = "text content blocks must contain non-whitespace text"
CACHED = {"cache_control": {"type": "ephemeral"}}
LONG = {"cache_control": {"type": "ephemeral", "ttl": "1h"}}
NOT_CONTENT = ("input", "input_schema")
"""Values that the client defines, in which `cache_control` has no meaning."""


def ttl_order(place: str) -> str:
    """What is said of a cache point that outlives one before it; `place` is that of its block."""
    return (
        f"{place}.cache_control.ttl: a ttl='1h' cache_control block must not come after a ttl='5m' cache_control "
        "block. Note that blocks are processed in the following order: `tools`, `system`, `messages`."
    )


def _sample_with_image_result(*, is_error: bool) -> dict[str, Any]:
    """A conversation with one call whose result contains an image."""
    image = {"type": "image", "source": {"type": "url", "url": "https://example.com/a.png"}}
    return sample_with_tool(user("a"), assistant(tool_use()), user(tool_result(content=[image], is_error=is_error)))


def user_content_empty(context: RequestContext) -> Breach | None:
    for run in conversation.runs(context):
        if run.role == "user" and not run.blocks:
            sentence = OLD_EMPTY if OLD_WORDS in context.traits else "user messages must have non-empty content"
            return Breach(f"messages.{run.first}", f"messages.{run.first}: {sentence}")
    return None


def assistant_content_empty(context: RequestContext) -> Breach | None:
    if OLD_WORDS not in context.traits:
        return None
    for run in conversation.runs(context)[:-1]:
        if run.role == "assistant" and not run.blocks:
            return Breach(f"messages.{run.first}", f"messages.{run.first}: {OLD_EMPTY}")
    return None


def text_empty(context: RequestContext) -> Breach | None:
    for block in conversation.blocks(context, "text"):
        if block.body["text"] == "" and block.body.get("cache_control"):
            return Breach(block.at, f"{block.at}.text: cache_control cannot be set for empty text blocks")
        if block.body["text"] == "":
            return Breach(block.at, f"messages: {EMPTY}")
    return None


def text_blank(context: RequestContext) -> Breach | None:
    runs = conversation.runs(context)
    for run in runs:
        is_prefill = run is runs[-1] and run.role == "assistant"
        blank = all(block.type == "text" and not block.text("text").strip() for block in run.blocks)
        if run.blocks and blank and not is_prefill:
            return Breach(run.blocks[0].at, f"messages: {BLANK}")
    return None


def system_text_blank(context: RequestContext) -> Breach | None:
    listed = context.body.get("system")
    for index, block in enumerate(listed if isinstance(listed, list) else ()):
        text = block.get("text")
        if isinstance(text, str) and not text.strip():
            return Breach(f"system.{index}", f"system: {BLANK if text else EMPTY}")
    return None


def cache_control_count(context: RequestContext) -> Breach | None:
    found = sum(1 for field in ("tools", "system", "messages") for _ in _with_cache_control(context.body.get(field)))
    if found <= 4:
        return None
    return Breach("cache_control", f"A maximum of 4 blocks with cache_control may be provided. Found {found}.")


def cache_ttl_order(context: RequestContext) -> Breach | None:
    short = False
    for at, block in _cacheable(context):
        mark = block.get("cache_control")
        ttl = mark.get("ttl") if isinstance(mark, dict) else None
        if short and ttl == "1h":
            return Breach(
                f"{at}.cache_control.ttl",
                ttl_order(at),
            )
        short = short or (isinstance(mark, dict) and ttl in (None, "5m"))
    return None


def failed_result_of_text(context: RequestContext) -> Breach | None:
    for block in conversation.blocks(context, "tool_result"):
        parts = block.body.get("content")
        if block.body.get("is_error") is not True or not isinstance(parts, list):
            continue
        if any(part["type"] != "text" for part in parts):
            at = f"{block.at}.tool_result"
            return Breach(at, f"{at}: all content must be type `text` if `is_error` is true")
    return None


def failed_result_empty(context: RequestContext) -> Breach | None:
    for block in conversation.blocks(context, "tool_result"):
        if block.body.get("is_error") is True and block.body.get("content") in (None, "", []):
            at = f"{block.at}.tool_result"
            return Breach(at, f"{at}: content cannot be empty if `is_error` is true")
    return None


def _cacheable(context: RequestContext) -> Iterator[tuple[str, dict[str, Any]]]:
    """Everything that can have `cache_control`, with its place, in the provider's order."""
    for name in ("tools", "system"):
        listed = context.body.get(name)
        yield from ((f"{name}.{index}", one) for index, one in enumerate(listed if isinstance(listed, list) else ()))
    yield from ((block.at, block.body) for block in conversation.blocks(context))


def _with_cache_control(value: Any) -> Iterator[dict[str, Any]]:
    waiting = [value]
    while waiting:
        node = waiting.pop()
        if isinstance(node, list):
            waiting += node
        elif isinstance(node, dict):
            if node.get("cache_control") is not None:
                yield node
            waiting += [member for key, member in node.items() if key not in NOT_CONTENT]


# A table: two rows are to be compared.
# fmt: off
BOOK.row("anthropic/user-content-empty",
    "A user message is empty; an empty message next to a user message with content is accepted.",
    NEAR_MESSAGES, user_content_empty,
    wrong=sample_request(user("")), right=sample_request(user("a")),
    recorded=(*measured("messages.0: user messages must have non-empty content"),
        Citation("Mirascope/mirascope empty-call (claude-haiku-4-5)", f"messages.0: {OLD_EMPTY}")))
BOOK.row("anthropic/assistant-content-empty",
    "An assistant message that is not the last one is empty; only older models refuse it.",
    NEAR_MESSAGES, assistant_content_empty, needs="assistant", models="before claude-opus-4-6",
    wrong=sample_request(user("a"), assistant(""), user("b"), model=SMALL),
    right=sample_request(user("a"), assistant("c"), user("b"), model=SMALL),
    verbatim={"corespeed-io/zypher-agent#122": OLD_EMPTY})
BOOK.row("anthropic/text-empty", "A text block is empty; leave the block out if the model wrote no text with a call.",
    ANY_MESSAGE, text_empty, needs="text",
    wrong=sample_request(user(text_block(""))), right=sample_request(user(text_block("a"))),
    verbatim={"anthropics/claude-code#59812": f"messages: {EMPTY}",
        "anthropics/claude-code#62379": "text: cache_control cannot be set for empty text blocks"})
BOOK.row("anthropic/text-blank",
    "A message has nothing but white space; a blank block next to text, a call, a result or thinking is accepted.",
    NEAR_MESSAGES, text_blank,
    wrong=sample_request(user(" \n")), right=sample_request(user("a")),
    verbatim={"LibreChat-AI/agents#124": "I confirmed the API rules by hitting `messages.create` directly",
        "anthropics/claude-code#23440": f"messages: {BLANK}",
        "anomalyco/opencode#31260: a single space between signed thinking blocks is kept": ""})
BOOK.row("anthropic/system-text-blank",
    "A block of `system` is only white space; an empty string as the whole `system` is accepted.",
    ANY_PARAMETER, system_text_blank, needs="system",
    wrong=sample_request(system=[text_block(" ")]), right=sample_request(system=[text_block("b")]),
    verbatim={"a benchmark of system prompts, 2026-09-09": f"system: {BLANK}"})
BOOK.row("anthropic/cache-control-count", "More than four blocks of the request have `cache_control`.",
    WHOLE_REQUEST, cache_control_count, needs="cache_control",
    wrong=sample_request(user(*(text_block(word) | CACHED for word in "abcde"))),
    right=sample_request(user(*(text_block(word) | CACHED for word in "abcd"), text_block("e"))),
    verbatim={"tghamm/Anthropic.SDK#50": "A maximum of 4 blocks with cache_control may be provided. Found 5."})
BOOK.row("anthropic/cache-ttl-order",
    "A block with the one-hour cache comes after one with five minutes (the default); the order is tools, system, "
        "messages.",
    WHOLE_REQUEST, cache_ttl_order, needs="ttl",
    wrong=sample_request(user(text_block("a") | CACHED, text_block("b") | LONG)),
    right=sample_request(user(text_block("a") | CACHED, text_block("b") | CACHED)),
    verbatim={"cnighswonger/claude-code-cache-fix#44":
        "messages.0.content.4.cache_control.ttl: a ttl='1h' cache_control block must not come after a ttl='5m'",
        "kristianvast/hermes-claude-auth#31": "system.1.cache_control.ttl: a ttl='1h' cache_control block"})
BOOK.row("anthropic/failed-result-of-text", "A result with `is_error` contains something other than text.",
    ANY_MESSAGE, failed_result_of_text, needs="is_error",
    wrong=_sample_with_image_result(is_error=True), right=_sample_with_image_result(is_error=False),
    reported={"vellum-ai/vellum-assistant#18387": "all content must be type `text` if `is_error` is true",
        "caozhiyuan/copilot-api#196": ""})
BOOK.row("anthropic/failed-result-empty",
    "A result with `is_error` has no content, as of a tool that raised an error without a text.",
    ANY_MESSAGE, failed_result_empty, needs="is_error", checked="2026-11-23",
    wrong=sample_with_tool(user("a"), assistant(tool_use()), user(tool_result(is_error=True, content=""))),
    right=sample_with_tool(user("a"), assistant(tool_use()), user(tool_result(is_error=True, content="b"))),
    verbatim={"four public projects, sessions of the Claude Agent SDK among them":
        "messages.150.content.0.tool_result: content cannot be empty if `is_error` is true",
        "aws-samples …agentcore#15: the same on Bedrock's Converse": ""})
# fmt: on


FIELDS = Rulebook(envelope)
IMAGES_BOOK = Rulebook(envelope)

TYPES = {"image": ("image/jpeg", "image/png", "image/gif", "image/webp"), "document": ("application/pdf",)}
MAGIC_LENGTH = 16
"""How many characters of base64 contain the magic bytes of an image."""

GIF = base64.b64encode(b"GIF89a\x01\x00\x01\x00").decode()


def _sample_with_file(media_type: str, kind: str = "image") -> dict[str, Any]:
    return sample_request(user({"type": kind, "source": {"type": "base64", "media_type": media_type, "data": GIF}}))


HEADER_LENGTH = 2**17
"""How many characters of base64 contain the size of an image."""
MANY = 20
LONGEST_SIDE = 8000
LONGEST_SIDE_OF_MANY = 2000
MOST_BYTES = 10 * 2**20


def _sample_with_pictures(count: int, *, side: int) -> dict[str, Any]:
    """GIFs of so many pixels a side, as their headers say."""
    data = base64.b64encode(b"GIF89a" + 2 * side.to_bytes(2, "little")).decode()
    source = {"type": "base64", "media_type": "image/gif", "data": data}
    return sample_request(user(*[{"type": "image", "source": source}] * count))


def image_media_type(context: RequestContext) -> Breach | None:
    return _media_type(context, "image")


def document_media_type(context: RequestContext) -> Breach | None:
    return _media_type(context, "document")


def image_of_another_type(context: RequestContext) -> Breach | None:
    for at, source in _sources(context, "image"):
        # The media type that the first bytes show, or None if they match no known type
        found = media_type_of(bytes_of(str(source.get("data"))[:MAGIC_LENGTH]))
        declared, actual = source["media_type"], None if found == SVG else found
        if actual is not None and actual != declared:
            return Breach(
                at,
                f"{at}: The image was specified using the {declared} media type, but the image appears to be a "
                f"{actual} image",
            )
    return None


def image_bytes(context: RequestContext) -> Breach | None:
    for at, source in _sources(context, "image"):
        size = len(str(source.get("data")))
        if size > MOST_BYTES:
            return Breach(at, f"{at}: image exceeds 10 MB maximum: {size} bytes > {MOST_BYTES} bytes")
    return None


def image_dimensions(context: RequestContext) -> Breach | None:
    return _dimensions(_sizes(context), LONGEST_SIDE, "max allowed size")


def image_dimensions_of_many(context: RequestContext) -> Breach | None:
    if sum(1 for _ in _sources(context, "image")) <= MANY:
        return None
    return _dimensions(_sizes(context), LONGEST_SIDE_OF_MANY, "max allowed size for many-image requests")


def _sizes(context: RequestContext) -> Iterator[tuple[str, Size]]:
    """The place and the size of each image in base64; 0 by 0 where its bytes do not say it."""
    for at, source in _sources(context, "image"):
        yield at, size_of(bytes_of(str(source.get("data"))[:HEADER_LENGTH])) or (0, 0)


def _dimensions(sizes: Iterator[tuple[str, Size]], most: int, what: str) -> Breach | None:
    for at, size in sizes:
        if max(size) > most:
            sentence = f"At least one of the image dimensions exceed {what}: {most} pixels"
            return Breach(f"{at}.data", f"{at}.data: {sentence}")
    return None


def _media_type(context: RequestContext, kind: str) -> Breach | None:
    *others, last = (f"'{one}'" for one in TYPES[kind])
    listed = f"{', '.join(others)} or {last}" if others else last
    wrong = (at for at, source in _sources(context, kind) if source["media_type"] not in TYPES[kind])
    at = next(wrong, None)
    return None if at is None else Breach(f"{at}.media_type", f"{at}.media_type: Input should be {listed}")


def _sources(context: RequestContext, kind: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every base64 source with a media type, also inside results, with its place."""
    for block in conversation.blocks(context):
        parts = block.body.get("content") if block.type == "tool_result" else None
        found = [(block.at, block.body)]
        if isinstance(parts, list):
            found = [(f"{block.at}.tool_result.content.{k}", part) for k, part in enumerate(parts)]
        for at, part in found:
            source = part.get("source") if part.get("type") == kind else None
            if (
                isinstance(source, dict)
                and source.get("type") == "base64"
                and isinstance(source.get("media_type"), str)
            ):
                yield f"{at}.{kind}.source.base64", source


# A table: two rows are to be compared.
# fmt: off
FIELDS.row("anthropic/image-media-type",
    "The media type of an image is not JPEG, PNG, GIF or WebP; `image/jpg` is not a media type.",
    ANY_MESSAGE, image_media_type, needs="image", about="picture",
    wrong=_sample_with_file("image/bmp"), right=_sample_with_file("image/gif"),
    verbatim={"anthropics/claude-code#8184":
        "source.base64.media_type: Input should be 'image/jpeg', 'image/png', 'image/gif' or 'image/webp'",
        "NousResearch/hermes-agent#55432": ""})
FIELDS.row("anthropic/document-media-type", "A document in base64 is not a PDF; send text in a source of type `text`.",
    ANY_MESSAGE, document_media_type, needs="document",
    wrong=_sample_with_file("text/csv", "document"), right=_sample_with_file("application/pdf", "document"),
    verbatim={"comments in public clients that measured it":
        "document.source.base64.media_type: Input should be 'application/pdf'", "langchain-ai/langchain#37585": ""})
IMAGES_BOOK.row("anthropic/image-of-another-type", "The bytes of an image are of another type than its `media_type`.",
    ANY_MESSAGE, image_of_another_type, needs="image",
    wrong=_sample_with_file("image/png"), right=_sample_with_file("image/gif"),
    verbatim={"home-assistant/core#167208":
        "The image was specified using the image/png media type, but the image appears to be a image/jpeg image",
        "1jehuang/jcode#465: in a result, too": "", "dust-tt/dust#26545": ""})
IMAGES_BOOK.row("anthropic/image-bytes",
    "The base64 of an image has more than 10 MB. In older reports the limit was 5 MB.",
    ALL_MESSAGES, image_bytes, needs="image", checked="2026-11-22", about="picture",
    wrong=None, right=None,
    reported={"lobehub/lobehub#14711": "image exceeds 5 MB maximum: 6275800 bytes > 5242880 bytes",
        "can1357/oh-my-pi#10633: 10 MB, measured on the base64": "", "anthropics/claude-code#10612": ""})
IMAGES_BOOK.row("anthropic/image-dimensions", "An image is wider or higher than 8000 pixels.",
    ANY_MESSAGE, image_dimensions, needs="image", checked="2026-11-22", about="picture",
    wrong=_sample_with_pictures(1, side=8001), right=_sample_with_pictures(1, side=8000),
    verbatim={"anthropics/claude-code#4778":
        "At least one of the image dimensions exceed max allowed size: 8000 pixels",
        "NousResearch/hermes-agent#25837": "", "can1357/oh-my-pi#10633": ""})
IMAGES_BOOK.row("anthropic/image-dimensions-many",
    "There are more than 20 images, also counting those in results, and one is wider or higher than 2000 pixels.",
    ALL_MESSAGES, image_dimensions_of_many, needs="image", checked="2026-11-22", about="picture",
    wrong=_sample_with_pictures(21, side=2001), right=_sample_with_pictures(20, side=2001),
    verbatim={"anthropics/claude-code#49537":
        "At least one of the image dimensions exceed max allowed size for many-image requests: 2000 pixels",
        "anomalyco/opencode#12068": "", "charmbracelet/crush#3810: those of earlier turns and in results count": "",
        "letta-ai/letta-code#615": ""})
# fmt: on
