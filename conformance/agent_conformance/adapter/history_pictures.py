"""The pictures of a history in each wire's own form. Knows the wires' parts; nothing of rules, fakes or scenarios."""

from collections.abc import Iterable
from typing import Any

from agent_conformance.adapter.types import Message, Part, Tool

WirePart = dict[str, Any]

UNSEEN = ("image/svg+xml",)
"""Types that no provider takes as a picture: they stay in the text, as `[image/svg+xml]`."""


def pictures_of(messages: Iterable[Message]) -> list[Part]:
    return [part for message in messages for part in message.parts if _is_picture(part)]


def text_of(message: Message) -> str:
    """The text of a message, without what `pictures_of` has."""
    rest = [part for part in message.parts if not _is_picture(part)]
    return (Tool.text(rest) if rest else "") if message.parts else message.text


def chat_parts(text: str, pictures: Iterable[Part]) -> list[WirePart]:
    images = [{"type": "image_url", "image_url": {"url": _url(picture)}} for picture in pictures]
    return [*_texts("text", text), *images]


def responses_parts(text: str, pictures: Iterable[Part]) -> list[WirePart]:
    images = [{"type": "input_image", "image_url": _url(picture)} for picture in pictures]
    return [*_texts("input_text", text), *images]


def anthropic_parts(text: str, pictures: Iterable[Part]) -> list[WirePart]:
    sources = [{"type": "base64", "media_type": picture.media_type, "data": picture.data} for picture in pictures]
    return [*_texts("text", text), *({"type": "image", "source": source} for source in sources)]


def gemini_parts(pictures: Iterable[Part]) -> list[WirePart]:
    return [{"inlineData": {"mimeType": picture.media_type, "data": picture.data}} for picture in pictures]


def ollama_images(message: Message) -> WirePart:
    """The field `images` of a message, if it has pictures."""
    data = [picture.data for picture in pictures_of([message])]
    return {"images": data} if data else {}


def _texts(kind: str, text: str) -> list[WirePart]:
    return [{"type": kind, "text": text}] if text else []


def _url(picture: Part) -> str:
    return f"data:{picture.media_type};base64,{picture.data}"


def _is_picture(part: Part) -> bool:
    return part.type == "image" and part.media_type not in UNSEEN
