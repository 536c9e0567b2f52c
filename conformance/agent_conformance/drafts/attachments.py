"""Pictures and files of a source: which of them a scenario can have, and which are left out. Knows no wire by name."""

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from agent_conformance.drafts.evidence import Message
from fake_providers.values.pictures import Picture

TYPES = {"image/png": "png", "image/jpeg": "jpeg", "image/gif": "gif", "image/svg+xml": "svg"}
"""Media types that the suite draws, by its names for them; any other becomes a PNG."""
USUAL_SIZE = 64
"""Of a picture whose bytes do not say it, or that stands at an address."""
LARGEST_SIZE, LARGEST_GIF = 10_000, 2_000

_PICTURES = ("image", "image_url", "input_image")
_FILES = ("file", "input_file", "document", "input_audio", "audio", "video", "video_url", "blob", "container_upload")
_DATA = ("inlineData", "inline_data", "fileData", "file_data")
_NOT_CONTENT = ("tools", "arguments", "args", "input", "input_schema", "parameters", "source")


def content_with(text: str, pictures: Iterable[Picture]) -> str | list[dict[str, Any]]:
    """A text, or the list of parts that a scenario has where there are pictures."""
    drawn = [_drawn(picture) for picture in pictures]
    if not drawn:
        return text
    return [*([{"text": text}] if text else []), *drawn]


def _drawn(picture: Picture) -> dict[str, Any]:
    name = TYPES.get(picture.media_type, "png")
    largest = LARGEST_GIF if name == "gif" else LARGEST_SIZE
    width, height = (min(size or USUAL_SIZE, largest) for size in (picture.width, picture.height))
    return {"image": {"width": width, "height": height, **({} if name == "png" else {"media_type": name})}}


def notes_on(messages: Iterable[Message], bodies: Iterable[Any]) -> Iterator[str]:
    """What is said of the pictures that are drawn again, and of the parts that are left out."""
    pictures = [picture for message in messages for picture in message.pictures]
    if pictures:
        yield f"{_counted(len(pictures), 'picture')} drawn anew, as noise of the same size."
    left_out: Counter[str] = Counter()
    for body in bodies:
        left_out |= Counter(_left_out(body)) - Counter({"picture": len(pictures)})
    if left_out:
        kinds = ", ".join(f"{count} x {kind}" for kind, count in sorted(left_out.items()))
        many = _counted(left_out.total(), "part")
        yield f"{many} left out ({kinds}): a scenario has texts, and pictures that can be read."


def _counted(count: int, what: str) -> str:
    return f"1 {what} is" if count == 1 else f"{count} {what}s are"


def _left_out(value: Any) -> Iterator[str]:
    """The kind of each picture and each file. What a tool declares or gets is none."""
    if isinstance(value, list):
        for inner in value:
            yield from _left_out(inner)
    elif isinstance(value, dict):
        kind = value.get("type")
        data = next((value[name] for name in _DATA if isinstance(value.get(name), dict)), None)
        if kind in _PICTURES:
            yield "picture"
        elif kind in _FILES:
            yield str(kind)
        elif data is not None:
            media_type = str(data.get("mimeType") or data.get("mime_type") or "file")
            yield "picture" if media_type.startswith("image/") else media_type
        yield from ("picture" for _ in value["images"]) if isinstance(value.get("images"), list) else ()
        for name, inner in value.items():
            if name not in _NOT_CONTENT and name not in _DATA:
                yield from _left_out(inner)
