"""JSON that somebody else wrote, read with one error for all that is wrong with it."""

import json
from typing import Any, NoReturn

BYTE_ORDER_MARK = "\ufeff"


def read_json(text: str | bytes, *, strict: bool = False) -> Any:
    """The value of a JSON text. Raises `ValueError` for another text, or one of more levels than Python reads.

    `strict` also for NaN and Infinity, which are not JSON.
    """
    try:
        if strict and isinstance(text, str) and not text.startswith(BYTE_ORDER_MARK):
            return _STRICT.decode(text)
        return json.loads(text, parse_constant=refuse_constant if strict else None)
    except RecursionError:
        raise ValueError("it is nested too deep to be read") from None


def refuse_constant(name: str) -> NoReturn:
    """For `json.loads`: NaN and Infinity are not JSON."""
    raise ValueError(name)


_STRICT = json.JSONDecoder(parse_constant=refuse_constant)
"""Made once: `json.loads` makes one for each text, which takes as long as a small text itself."""
