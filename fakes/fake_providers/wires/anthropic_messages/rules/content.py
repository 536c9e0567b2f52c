"""Rules on the content of messages: empty content, blank text, cache marks, and pictures."""

import base64
from collections.abc import Callable, Iterator
from typing import Any

from fake_providers import remedies
from fake_providers.rule import Citation, Remedy
from fake_providers.rulebook import ALL_MESSAGES, ANY_PARAMETER, WHOLE_REQUEST, RequestContext, Rulebook, Selector
from fake_providers.values.lenient import listed, members
from fake_providers.values.pictures import PICTURES, MediaFault, bytes_of, media_fault, media_type_of, size_of
from fake_providers.wires.anthropic_messages.conversation import RESULT, RUN, TEXT, Run, blocks, runs
from fake_providers.wires.anthropic_messages.errors import envelope
from fake_providers.wires.anthropic_messages.rules import values
from fake_providers.wires.anthropic_messages.rules.messages import OLD_WORDS, worded
from fake_providers.wires.anthropic_messages.rules.samples import (
    SMALL,
    measured,
    sample_request,
    sample_with_tool,
    text_block,
    tool_result,
    tool_use,
)

BOOK = Rulebook(envelope)

OLD_EMPTY = "all messages must have non-empty content except for the optional final assistant message"
EMPTY = "text content blocks must be non-empty"
BLANK = "text content blocks must contain non-whitespace text"
CACHED = {"cache_control": {"type": "ephemeral"}}
LONG = {"cache_control": {"type": "ephemeral", "ttl": "1h"}}
NOT_CONTENT = ("input", "input_schema")
"""Values that the client defines, in which `cache_control` has no meaning."""
TTL_ORDER = (
    ".cache_control.ttl: a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block. Note that "
    "blocks are processed in the following order: `tools`, `system`, `messages`."
)
"""What is said, after the place of its block, of a cache point that outlives one before it."""
IMAGE_RESULT = [{"type": "image", "source": {"type": "url", "url": "https://example.com/a.png"}}]


def _with_result(**members: Any) -> dict[str, Any]:
    return sample_with_tool("a", tool_use(), tool_result(**members))


def _is_blank(run: Run, context: RequestContext) -> bool:
    is_prefill = run.role == "assistant" and run is runs(context)[-1]
    is_blank = all(block.type == "text" and not block.text("text").strip() for block in run.blocks)
    return bool(run.blocks) and is_blank and not is_prefill


def _blank_system(body: Any) -> tuple[int, str] | None:
    for index, block in enumerate(listed(body.get("system"))):
        text = block.get("text")
        if isinstance(text, str) and not text.strip():
            return index, BLANK if text else EMPTY
    return None


def _too_many_marks(body: Any) -> int | None:
    waiting, found = [body.get(name) for name in ("tools", "system", "messages")], 0
    while waiting:
        node = waiting.pop()
        if isinstance(node, list):
            waiting += node
        elif isinstance(node, dict):
            found += node.get("cache_control") is not None
            waiting += [member for key, member in node.items() if key not in NOT_CONTENT]
    return found if found > 4 else None


def _late_long_mark(body: Any, context: RequestContext) -> str | None:
    """The place of the first block with a mark of an hour after one of five minutes, in the provider's order."""
    lists = [(name, listed(body.get(name))) for name in ("tools", "system")]
    marked = [(f"{name}.{index}", block) for name, found in lists for index, block in enumerate(found)]
    short = False
    for at, block in (*marked, *((block.at, block.body) for block in blocks(context))):
        mark = block.get("cache_control")
        ttl = members(mark).get("ttl")
        if short and ttl == "1h":
            return at
        short = short or (isinstance(mark, dict) and ttl in (None, "5m"))
    return None


# A table: two rows are to be compared.
# fmt: off
BOOK.row("anthropic/user-content-empty",
    "A user message is empty; an empty message next to a user message with content is accepted.",
    RUN,
    lambda run,
        context: run.role == "user" and not run.blocks
        and worded(context, OLD_EMPTY, "user messages must have non-empty content"), "{at}: {found}",
    remedy=remedies.LEAVE_OUT_EMPTY,
    wrong=sample_request(""), right=sample_request("a"),
    recorded=(*measured("messages.0: user messages must have non-empty content"),
        Citation("Mirascope/mirascope empty-call (claude-haiku-4-5)", f"messages.0: {OLD_EMPTY}")))
BOOK.row("anthropic/assistant-content-empty",
    "An assistant message that is not the last one is empty; only older models refuse it.",
    RUN, lambda run, after: run.role == "assistant" and not run.blocks and after is not None, f"{{at}}: {OLD_EMPTY}",
    needs="assistant", trait=OLD_WORDS, models="before claude-opus-4-6", remedy=remedies.LEAVE_OUT_EMPTY,
    wrong=sample_request("a", "", "b", model=SMALL), right=sample_request("a", "c", "b", model=SMALL),
    verbatim={"corespeed-io/zypher-agent#122": OLD_EMPTY})
BOOK.row("anthropic/text-empty", "A text block is empty; leave the block out if the model wrote no text with a call.",
    TEXT,
    lambda block: block.body["text"] == ""
        and (f"{block.at}.text: cache_control cannot be set for empty text blocks" if block.body.get("cache_control")
        else f"messages: {EMPTY}"), "{found}", needs="text", remedy=remedies.LEAVE_OUT_EMPTY,
    wrong=sample_request(text_block("")), right=sample_request(text_block("a")),
    verbatim={"anthropics/claude-code#59812": f"messages: {EMPTY}",
        "anthropics/claude-code#62379": "text: cache_control cannot be set for empty text blocks"})
BOOK.row("anthropic/text-blank",
    "A message has nothing but white space; a blank block next to text, a call, a result or thinking is accepted.",
    RUN, _is_blank, f"messages: {BLANK}", "/{item.blocks[0].at}", remedy=remedies.LEAVE_OUT_EMPTY,
    wrong=sample_request(" \n"), right=sample_request("a"),
    verbatim={"LibreChat-AI/agents#124": "I confirmed the API rules by hitting `messages.create` directly",
        "anthropics/claude-code#23440": f"messages: {BLANK}",
        "anomalyco/opencode#31260: a single space between signed thinking blocks is kept": ""})
BOOK.row("anthropic/system-text-blank",
    "A block of `system` is only white space; an empty string as the whole `system` is accepted.",
    ANY_PARAMETER, _blank_system, "system: {found[1]}", "system.{found[0]}", needs="system",
    remedy=remedies.JOIN_INSTRUCTIONS,
    wrong=sample_request(system=[text_block(" ")]), right=sample_request(system=[text_block("b")]),
    verbatim={"a benchmark of system prompts, 2026-09-09": f"system: {BLANK}"})
BOOK.row("anthropic/cache-control-count", "More than four blocks of the request have `cache_control`.",
    WHOLE_REQUEST, _too_many_marks, "A maximum of 4 blocks with cache_control may be provided. Found {found}.",
    "cache_control", needs="cache_control", remedy=remedies.FOUR_CACHE_MARKS,
    wrong=sample_request([*(text_block(word) | CACHED for word in "abcde")]),
    right=sample_request([*(text_block(word) | CACHED for word in "abcd"), text_block("e")]),
    verbatim={"tghamm/Anthropic.SDK#50": "A maximum of 4 blocks with cache_control may be provided. Found 5."})
BOOK.row("anthropic/cache-ttl-order",
    "A block with the one-hour cache comes after one with five minutes (the default); the order is tools, system, "
        "messages.",
    WHOLE_REQUEST, _late_long_mark, "{found}" + TTL_ORDER, "{found}.cache_control.ttl", needs="ttl",
    remedy=remedies.FOUR_CACHE_MARKS,
    wrong=sample_request([text_block("a") | CACHED, text_block("b") | LONG]),
    right=sample_request([text_block("a") | CACHED, text_block("b") | CACHED]),
    verbatim={"cnighswonger/claude-code-cache-fix#44":
        "messages.0.content.4.cache_control.ttl: a ttl='1h' cache_control block must not come after a ttl='5m'",
        "kristianvast/hermes-claude-auth#31": "system.1.cache_control.ttl: a ttl='1h' cache_control block"})
BOOK.row("anthropic/failed-result-of-text", "A result with `is_error` contains something other than text.",
    RESULT,
    lambda result: result.body.get("is_error") is True
        and any(part["type"] != "text" for part in listed(result.body.get("content"))),
    "{at}: all content must be type `text` if `is_error` is true", ".tool_result", needs="is_error",
    remedy=remedies.IS_ERROR,
    wrong=_with_result(content=IMAGE_RESULT, is_error=True), right=_with_result(content=IMAGE_RESULT, is_error=False),
    reported={"vellum-ai/vellum-assistant#18387": "all content must be type `text` if `is_error` is true",
        "caozhiyuan/copilot-api#196": ""})
BOOK.row("anthropic/failed-result-empty",
    "A result with `is_error` has no content, as of a tool that raised an error without a text.",
    RESULT, lambda result: result.body.get("is_error") is True and result.body.get("content") in (None, "", []),
    "{at}: content cannot be empty if `is_error` is true", ".tool_result", needs="is_error", checked="2026-11-23",
    remedy=Remedy("results", "Write a text for an error without one, such as the name of its class."),
    wrong=_with_result(is_error=True, content=""), right=_with_result(is_error=True, content="b"),
    verbatim={"four public projects, sessions of the Claude Agent SDK among them":
        "messages.150.content.0.tool_result: content cannot be empty if `is_error` is true",
        "aws-samples …agentcore#15: the same on Bedrock's Converse": ""})
# fmt: on


FIELDS = Rulebook(envelope)

IMAGES = ("image/jpeg", "image/png", "image/gif", "image/webp")
MAGIC_LENGTH = 16
"""How many characters of base64 contain the magic bytes of an image."""
HEADER_LENGTH = 2**17
"""How many characters of base64 contain the size of an image."""
MOST_BYTES = 10 * 2**20


def _sample_with_file(media_type: str, kind: str = "image", count: int = 1, side: int = 1) -> dict[str, Any]:
    """With GIFs of so many pixels a side, as their headers say."""
    data = base64.b64encode(b"GIF89a" + 2 * side.to_bytes(2, "little")).decode()
    source = {"type": "base64", "media_type": media_type, "data": data}
    return sample_request([*[{"type": kind, "source": source}] * count])


GIF = base64.b64encode(b"GIF89a\x01\x00\x01\x00").decode()


def _with_source(**source: Any) -> dict[str, Any]:
    return sample_request([{"type": "image", "source": source}])


def _blocks_of(kind: str) -> Callable[[RequestContext], Iterator[tuple[dict[str, Any], str]]]:
    """Every block of this type, also inside results, with the place of its source."""

    def find(context: RequestContext) -> Iterator[tuple[dict[str, Any], str]]:
        for block in blocks(context):
            parts = block.body.get("content") if block.type == "tool_result" else None
            found = [(block.at, block.body)]
            if isinstance(parts, list):
                found = [(f"{block.at}.tool_result.content.{k}", part) for k, part in enumerate(parts)]
            yield from ((part, f"{at}.{kind}.source") for at, part in found if part.get("type") == kind)

    return find


def _sources(kind: str) -> Callable[[RequestContext], Iterator[tuple[dict[str, Any], str]]]:
    """Every base64 source with a media type, also inside results, with its place."""

    def find(context: RequestContext) -> Iterator[tuple[dict[str, Any], str]]:
        for part, path in _blocks_of(kind)(context):
            source = members(part.get("source"))
            if source.get("type") == "base64" and isinstance(source.get("media_type"), str):
                yield source, f"{path}.base64"

    return find


ANY_IMAGE = Selector(_blocks_of("image"), "{path}", ("path",), "parts", ("conversation",))
IMAGE = Selector(_sources("image"), "{path}", ("path",), "parts", ("conversation",))
DOCUMENT = Selector(_sources("document"), "{path}", ("path",), "parts", ("conversation",))


def _other_type(source: dict[str, Any]) -> str | None:
    found = media_type_of(bytes_of(str(source.get("data"))[:MAGIC_LENGTH]))
    return found if found in PICTURES - {source["media_type"]} else None


MEMBERS_OF_SOURCES = {"base64": ("media_type", "data"), "url": ("url",), "file": ("file_id",)}


def _source_fault(image: dict[str, Any]) -> tuple[str, str] | None:
    """The place below the source, and what is said of it."""
    source = image.get("source")
    if not isinstance(source, dict):
        return "", "Input should be an object" if "source" in image else values.REQUIRED
    kind = source.get("type")
    if "type" not in source:
        return ".type", values.REQUIRED
    if not isinstance(kind, str) or kind not in MEMBERS_OF_SOURCES:
        return "", values.unknown_tag(kind, ("base64", "url"))
    for name in MEMBERS_OF_SOURCES[kind]:
        if not isinstance(source.get(name), str):
            return f".{kind}.{name}", "Input should be a valid string" if name in source else values.REQUIRED
    return None


def _data_fault(source: dict[str, Any]) -> MediaFault:
    """A data URL or an address is no base64."""
    data = str(source.get("data"))
    return "base64" if ":" in data[:10] else media_fault(data, PICTURES)


def _longest_side(source: dict[str, Any]) -> int:
    """0 where the bytes do not say it."""
    return max(size_of(bytes_of(str(source.get("data"))[:HEADER_LENGTH])) or (0, 0))


def _large_of_many(_: Any, context: RequestContext) -> str | None:
    found = list(IMAGE.find(context))
    return next((at for source, at in found if _longest_side(source) > 2000), None) if len(found) > 20 else None


# A table: two rows are to be compared.
# fmt: off
FIELDS.row("anthropic/image-source",
    "An image has no source, or one of another provider's form: without a type, a media type or data.",
    ANY_IMAGE, _source_fault, "{at}: {found[1]}", "{found[0]}", needs="image", checked="2026-11-29",
    remedy=remedies.PICTURE_TYPE,
    wrong=_with_source(type="base64", data=GIF), right=_with_source(type="base64", data=GIF, media_type="image/gif"),
    verbatim={"ten public projects": "messages.0.content.0.image.source.base64.media_type: Field required"})
FIELDS.row("anthropic/image-media-type",
    "The media type of an image is not JPEG, PNG, GIF or WebP; `image/jpg` is not a media type.",
    IMAGE, lambda source: source["media_type"] not in IMAGES,
    "{at}: Input should be 'image/jpeg', 'image/png', 'image/gif' or 'image/webp'", ".media_type", needs="image",
    about="picture", remedy=remedies.PICTURE_TYPE,
    wrong=_sample_with_file("image/bmp"), right=_sample_with_file("image/gif"),
    verbatim={"anthropics/claude-code#8184":
        "source.base64.media_type: Input should be 'image/jpeg', 'image/png', 'image/gif' or 'image/webp'",
        "NousResearch/hermes-agent#55432": ""})
FIELDS.row("anthropic/document-media-type", "A document in base64 is not a PDF; send text in a source of type `text`.",
    DOCUMENT, lambda source: source["media_type"] != "application/pdf", "{at}: Input should be 'application/pdf'",
    ".media_type", needs="document", remedy=remedies.FILE_TYPES,
    wrong=_sample_with_file("text/csv", "document"), right=_sample_with_file("application/pdf", "document"),
    verbatim={"comments in public clients that measured it":
        "document.source.base64.media_type: Input should be 'application/pdf'", "langchain-ai/langchain#37585": ""})
BOOK.row("anthropic/image-empty", "The data of an image are empty, as those of a file that could not be read.",
    IMAGE, lambda source: _data_fault(source) == "empty", "{at}: image cannot be empty", needs="image",
    checked="2026-11-29", about="picture", remedy=remedies.READABLE_PICTURE,
    wrong=_with_source(type="base64", media_type="image/gif", data=""),
    right=_with_source(type="base64", media_type="image/gif", data=GIF),
    verbatim={"anthropics/claude-code#12750": "messages.118.content.4.image.source.base64: image cannot be empty"})
BOOK.row("anthropic/image-data", "The data of an image are no base64: a data URL, an address or a text.",
    IMAGE, lambda source: _data_fault(source) == "base64", "{at}: invalid base64 data", needs="image",
    checked="2026-11-29", about="picture", remedy=remedies.READABLE_PICTURE,
    wrong=_with_source(type="base64", media_type="image/gif", data=f"data:image/gif;base64,{GIF}"),
    right=_with_source(type="base64", media_type="image/gif", data=GIF),
    verbatim={"felixarntz/ai-services#19, a data URL": "messages.0.content.1.image.source.base64: invalid base64 data",
        "Yeachan-Heo/gajae-code#2806, a placeholder in a result, which every later turn sends again":
        "messages.335.content.0.tool_result.content.1.image.source.base64: invalid base64 data",
        "anthropics/anthropic-sdk-typescript#603": ""})
BOOK.row("anthropic/image-unreadable", "The bytes of an image are those of no picture.",
    IMAGE, lambda source: _data_fault(source) == "bytes", "Could not process image", needs="image",
    checked="2026-11-29", about="picture", remedy=remedies.READABLE_PICTURE,
    wrong=_with_source(type="base64", media_type="image/gif", data="Tm90IGZvdW5k"),
    right=_with_source(type="base64", media_type="image/gif", data=GIF),
    verbatim={"anthropics/claude-code#56016, which every later turn sends again": "Could not process image",
        "anthropics/claude-code#15478": ""})
BOOK.row("anthropic/image-of-another-type", "The bytes of an image are of another type than its `media_type`.",
    IMAGE, _other_type,
    "{at}: The image was specified using the {item[media_type]} media type, but the image appears to be a {found} "
        "image", needs="image", remedy=remedies.PICTURE_TYPE,
    wrong=_sample_with_file("image/png"), right=_sample_with_file("image/gif"),
    verbatim={"home-assistant/core#167208":
        "The image was specified using the image/png media type, but the image appears to be a image/jpeg image",
        "1jehuang/jcode#465: in a result, too": "", "dust-tt/dust#26545": ""})
BOOK.row("anthropic/image-bytes",
    "The base64 of an image has more than 10 MB. In older reports the limit was 5 MB.",
    IMAGE, lambda source: (size := len(str(source.get("data")))) > MOST_BYTES and size,
    f"{{at}}: image exceeds 10 MB maximum: {{found}} bytes > {MOST_BYTES} bytes", needs="image", checked="2026-11-22",
    about="picture", remedy=remedies.SCALE_PICTURES,
    wrong=None, right=None,
    reported={"lobehub/lobehub#14711": "image exceeds 5 MB maximum: 6275800 bytes > 5242880 bytes",
        "can1357/oh-my-pi#10633: 10 MB, measured on the base64": "", "anthropics/claude-code#10612": ""})
BOOK.row("anthropic/image-dimensions", "An image is wider or higher than 8000 pixels.",
    IMAGE, lambda source: _longest_side(source) > 8000,
    "{at}: At least one of the image dimensions exceed max allowed size: 8000 pixels", ".data", needs="image",
    checked="2026-11-22", about="picture", remedy=remedies.SCALE_PICTURES,
    wrong=_sample_with_file("image/gif", side=8001), right=_sample_with_file("image/gif", side=8000),
    verbatim={"anthropics/claude-code#4778":
        "At least one of the image dimensions exceed max allowed size: 8000 pixels",
        "NousResearch/hermes-agent#25837": "", "can1357/oh-my-pi#10633": ""})
BOOK.row("anthropic/image-dimensions-many",
    "There are more than 20 images, also counting those in results, and one is wider or higher than 2000 pixels.",
    ALL_MESSAGES, _large_of_many,
    "{at}: At least one of the image dimensions exceed max allowed size for many-image requests: 2000 pixels",
    "{found}.data", needs="image", checked="2026-11-22", about="picture", remedy=remedies.SCALE_PICTURES,
    wrong=_sample_with_file("image/gif", count=21, side=2001),
    right=_sample_with_file("image/gif", count=20, side=2001),
    verbatim={"anthropics/claude-code#49537":
        "At least one of the image dimensions exceed max allowed size for many-image requests: 2000 pixels",
        "anomalyco/opencode#12068": "", "charmbracelet/crush#3810: those of earlier turns and in results count": "",
        "letta-ai/letta-code#615": ""})
# fmt: on
