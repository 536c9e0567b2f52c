"""Values of a body that nothing has checked, as they can be looked up in a set: a list would be searched each time."""

from typing import Any


def comparable(value: Any) -> Any:
    """The value itself if it is a text; anything else as what it is written like."""
    return value if isinstance(value, str) else ("", repr(value))
