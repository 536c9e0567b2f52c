"""JSON that somebody else wrote, read with one error for all that is wrong with it."""

import json
from typing import Any


def read_json(text: str | bytes) -> Any:
    """The value of a JSON text. Raises `ValueError` for another text, or one of more levels than Python reads."""
    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError("it is nested too deep to be read") from None
