"""Rules on images and documents: types, images whose bytes are of another type than declared, and sizes of images."""

import base64
from collections.abc import Iterator
from typing import Any

from fake_providers.rule import Citation
from fake_providers.rulebook import Breach, RequestContext, Rulebook
from fake_providers.values.pictures import SVG, Size, bytes_of, media_type_of, size_of
from fake_providers.wires.anthropic_messages import conversation
from fake_providers.wires.anthropic_messages.errors import envelope
from fake_providers.wires.anthropic_messages.rules.samples import sample_request, user

FIELDS = Rulebook(envelope)
BOOK = Rulebook(envelope)

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


@FIELDS.rule(
    "anthropic/image-media-type",
    why="The media type of an image is not JPEG, PNG, GIF or WebP; `image/jpg` is not a media type.",
    confidence="verbatim",
    evidence=(
        Citation(
            "anthropics/claude-code#8184",
            "source.base64.media_type: Input should be 'image/jpeg', 'image/png', 'image/gif' or 'image/webp'",
        ),
        Citation("NousResearch/hermes-agent#55432"),
    ),
    breaking=_sample_with_file("image/bmp"),
    accepted=_sample_with_file("image/gif"),
    about="picture",
)
def image_media_type(context: RequestContext) -> Breach | None:
    return _media_type(context, "image")


@FIELDS.rule(
    "anthropic/document-media-type",
    why="A document in base64 is not a PDF; send text in a source of type `text`.",
    confidence="verbatim",
    evidence=(
        Citation(
            "comments in public clients that measured it",
            "document.source.base64.media_type: Input should be 'application/pdf'",
        ),
        Citation("langchain-ai/langchain#37585"),
    ),
    breaking=_sample_with_file("text/csv", "document"),
    accepted=_sample_with_file("application/pdf", "document"),
)
def document_media_type(context: RequestContext) -> Breach | None:
    return _media_type(context, "document")


@BOOK.rule(
    "anthropic/image-of-another-type",
    why="The bytes of an image are of another type than its `media_type`.",
    confidence="verbatim",
    evidence=(
        Citation(
            "home-assistant/core#167208",
            "The image was specified using the image/png media type, but the image appears to be a image/jpeg image",
        ),
        Citation("1jehuang/jcode#465: in a result, too"),
        Citation("dust-tt/dust#26545"),
    ),
    breaking=_sample_with_file("image/png"),
    accepted=_sample_with_file("image/gif"),
)
def image_of_another_type(context: RequestContext) -> Breach | None:
    for at, source in _sources(context, "image"):
        declared, actual = source["media_type"], _media_type_of(source.get("data"))
        if actual is not None and actual != declared:
            return Breach(
                at,
                f"{at}: The image was specified using the {declared} media type, but the image appears to be a "
                f"{actual} image",
            )
    return None


@BOOK.rule(
    "anthropic/image-bytes",
    why="The base64 of an image has more than 10 MB. In older reports the limit was 5 MB.",
    confidence="reported",
    evidence=(
        Citation("lobehub/lobehub#14711", "image exceeds 5 MB maximum: 6275800 bytes > 5242880 bytes"),
        Citation("can1357/oh-my-pi#10633: 10 MB, measured on the base64"),
        Citation("anthropics/claude-code#10612"),
    ),
    checked="2026-11-22",
    breaking=None,
    accepted=None,
    about="picture",
)
def image_bytes(context: RequestContext) -> Breach | None:
    for at, source in _sources(context, "image"):
        size = len(str(source.get("data")))
        if size > MOST_BYTES:
            return Breach(at, f"{at}: image exceeds 10 MB maximum: {size} bytes > {MOST_BYTES} bytes")
    return None


@BOOK.rule(
    "anthropic/image-dimensions",
    why="An image is wider or higher than 8000 pixels.",
    confidence="verbatim",
    evidence=(
        Citation(
            "anthropics/claude-code#4778",
            "At least one of the image dimensions exceed max allowed size: 8000 pixels",
        ),
        Citation("NousResearch/hermes-agent#25837"),
        Citation("can1357/oh-my-pi#10633"),
    ),
    checked="2026-11-22",
    breaking=_sample_with_pictures(1, side=8001),
    accepted=_sample_with_pictures(1, side=8000),
    about="picture",
)
def image_dimensions(context: RequestContext) -> Breach | None:
    return _dimensions(_sizes(context), LONGEST_SIDE, "max allowed size")


@BOOK.rule(
    "anthropic/image-dimensions-many",
    why="There are more than 20 images, also counting those in results, and one is wider or higher than 2000 pixels.",
    confidence="verbatim",
    evidence=(
        Citation(
            "anthropics/claude-code#49537",
            "At least one of the image dimensions exceed max allowed size for many-image requests: 2000 pixels",
        ),
        Citation("anomalyco/opencode#12068"),
        Citation("charmbracelet/crush#3810: those of earlier turns and in results count"),
        Citation("letta-ai/letta-code#615"),
    ),
    checked="2026-11-22",
    breaking=_sample_with_pictures(21, side=2001),
    accepted=_sample_with_pictures(20, side=2001),
    about="picture",
)
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


def _media_type_of(data: Any) -> str | None:
    """The media type that the first bytes show, or None if they match no known type."""
    found = media_type_of(bytes_of(str(data)[:MAGIC_LENGTH]))
    return None if found == SVG else found
