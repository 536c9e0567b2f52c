"""The media type of the data of a file or an image, as far as the rules of both wires ask for it."""

import re
from typing import Any, Final

NOT_A_DOCUMENT: Final = re.compile(r"data:(?P<type>(?:audio|video)/[\w.+-]+)")

NOT_AN_IMAGE: Final = re.compile(r"data:image/(?!png|jpe?g|gif|webp)", re.IGNORECASE)


def unreadable_image(url: Any) -> bool:
    """Whether this is the data URL of an image that no model reads, such as SVG."""
    return isinstance(url, str) and NOT_AN_IMAGE.match(url) is not None


def audio_or_video(data: Any) -> str | None:
    """The media type of a data URL of audio or video; None for any other value."""
    found = NOT_A_DOCUMENT.match(data) if isinstance(data, str) else None
    return found["type"] if found else None
