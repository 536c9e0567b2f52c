"""The media type of the data of a file, as far as the rules of both wires ask for it."""

import re
from typing import Any, Final

NOT_A_DOCUMENT: Final = re.compile(r"data:(?P<type>(?:audio|video)/[\w.+-]+)")


def audio_or_video(data: Any) -> str | None:
    """The media type of a data URL of audio or video; None for any other value."""
    found = NOT_A_DOCUMENT.match(data) if isinstance(data, str) else None
    return found["type"] if found else None
