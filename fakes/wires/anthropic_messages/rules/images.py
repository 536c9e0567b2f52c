"""Rules on images and documents: supported types, and images whose bytes are of another type than declared."""

import base64
import binascii
from collections.abc import Iterator
from typing import Any

from fakes.rule import Citation
from fakes.rulebook import Breach, RequestContext, Rulebook
from fakes.wires.anthropic_messages import conversation
from fakes.wires.anthropic_messages.errors import envelope
from fakes.wires.anthropic_messages.rules.samples import sample_request, user

FIELDS = Rulebook(envelope)
BOOK = Rulebook(envelope)

TYPES = {"image": ("image/jpeg", "image/png", "image/gif", "image/webp"), "document": ("application/pdf",)}
MAGIC_BYTES = {b"\xff\xd8\xff": "image/jpeg", b"\x89PNG\r\n\x1a\n": "image/png", b"GIF8": "image/gif"}
RIFF, WEBP = b"RIFF", b"WEBP"
MAGIC_LENGTH = 16
"""How many characters of base64 contain the magic bytes of an image."""

GIF = base64.b64encode(b"GIF89a\x01\x00\x01\x00").decode()


def _sample_with_file(media_type: str, kind: str = "image") -> dict[str, Any]:
    return sample_request(user({"type": kind, "source": {"type": "base64", "media_type": media_type, "data": GIF}}))


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
    try:
        first_bytes = base64.b64decode(str(data)[:MAGIC_LENGTH], validate=True)
    except (binascii.Error, ValueError):
        return None
    if first_bytes.startswith(RIFF) and first_bytes[8:12] == WEBP:
        return "image/webp"
    return next((media_type for magic, media_type in MAGIC_BYTES.items() if first_bytes.startswith(magic)), None)
