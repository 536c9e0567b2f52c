"""Rules on images and documents sent along: of a type that is read, and of the type they are said to be."""

import base64
import binascii
from collections.abc import Iterator
from typing import Any

from fakes.rule import Citation
from fakes.rulebook import Breach, RequestContext, Rulebook
from fakes.wires.anthropic_messages import conversation
from fakes.wires.anthropic_messages.errors import envelope
from fakes.wires.anthropic_messages.rules.tool_examples import ask, user

FIELDS = Rulebook(envelope)
BOOK = Rulebook(envelope)

TYPES = {"image": ("image/jpeg", "image/png", "image/gif", "image/webp"), "document": ("application/pdf",)}
BEGINNINGS = {b"\xff\xd8\xff": "image/jpeg", b"\x89PNG\r\n\x1a\n": "image/png", b"GIF8": "image/gif"}
RIFF, WEBP = b"RIFF", b"WEBP"
READ = 16
"""Characters of base64 that hold the beginning of an image."""

GIF = base64.b64encode(b"GIF89a\x01\x00\x01\x00").decode()


def _sent(media_type: str, kind: str = "image") -> dict[str, Any]:
    return ask(user({"type": kind, "source": {"type": "base64", "media_type": media_type, "data": GIF}}))


@FIELDS.rule(
    "anthropic/image-media-type",
    why="images are JPEG, PNG, GIF or WebP; `image/jpg` is none of the names",
    confidence="verbatim",
    evidence=(
        Citation(
            "anthropics/claude-code#8184",
            "source.base64.media_type: Input should be 'image/jpeg', 'image/png', 'image/gif' or 'image/webp'",
        ),
        Citation("NousResearch/hermes-agent#55432"),
    ),
    breaking=_sent("image/bmp"),
    accepted=_sent("image/gif"),
)
def image_media_type(context: RequestContext) -> Breach | None:
    return _media_type(context, "image")


@FIELDS.rule(
    "anthropic/document-media-type",
    why="a document in base64 is a PDF; what is text goes in a source of type `text`",
    confidence="verbatim",
    evidence=(
        Citation(
            "comments in public clients that measured it",
            "document.source.base64.media_type: Input should be 'application/pdf'",
        ),
        Citation("langchain-ai/langchain#37585"),
    ),
    breaking=_sent("text/csv", "document"),
    accepted=_sent("application/pdf", "document"),
)
def document_media_type(context: RequestContext) -> Breach | None:
    return _media_type(context, "document")


@BOOK.rule(
    "anthropic/image-of-another-type",
    why="the bytes of an image are of the type that it is sent as",
    confidence="verbatim",
    evidence=(
        Citation(
            "home-assistant/core#167208",
            "The image was specified using the image/png media type, but the image appears to be a image/jpeg image",
        ),
        Citation("1jehuang/jcode#465: in a result, too"),
        Citation("dust-tt/dust#26545"),
    ),
    breaking=_sent("image/png"),
    accepted=_sent("image/gif"),
)
def image_of_another_type(context: RequestContext) -> Breach | None:
    for at, source in _sources(context, "image"):
        said, seen = source["media_type"], _type(source.get("data"))
        if seen is not None and seen != said:
            return Breach(
                at,
                f"{at}: The image was specified using the {said} media type, but the image appears to be a {seen} "
                "image",
            )
    return None


def _media_type(context: RequestContext, kind: str) -> Breach | None:
    *some, last = (f"'{one}'" for one in TYPES[kind])
    listed = f"{', '.join(some)} or {last}" if some else last
    wrong = (at for at, source in _sources(context, kind) if source["media_type"] not in TYPES[kind])
    at = next(wrong, None)
    return None if at is None else Breach(f"{at}.media_type", f"{at}.media_type: Input should be {listed}")


def _sources(context: RequestContext, kind: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """What is sent as base64 with a name of its type, that in results too, with its place."""
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


def _type(data: Any) -> str | None:
    """What the bytes begin like; None where they are like nothing that is known."""
    try:
        begun = base64.b64decode(str(data)[:READ], validate=True)
    except (binascii.Error, ValueError):
        return None
    if begun.startswith(RIFF) and begun[8:12] == WEBP:
        return "image/webp"
    return next((named for begins, named in BEGINNINGS.items() if begun.startswith(begins)), None)
