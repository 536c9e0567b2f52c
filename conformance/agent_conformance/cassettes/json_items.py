"""The items of one array in a JSON file, one after the other, with their lines; of a cut file, those before the cut."""

import json
import re
from collections.abc import Iterator
from typing import Any

_GAP = re.compile(r"[\s,]*")


class CutShort(ValueError):
    """The array cannot be read any further. `line` is where it stops."""

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(reason)
        self.line = line


def items_of(text: str, keys: tuple[str, ...]) -> Iterator[tuple[int, Any]]:
    """Line and value of each item of the first array with one of these names. Raises `CutShort`."""
    found = re.search(rf'"(?:{"|".join(keys)})"\s*:\s*\[', text)
    if found is None:
        raise CutShort(1, f"there is no list `{keys[0]}` in it.")
    decoder = json.JSONDecoder()
    at, line, counted = found.end(), 1, 0
    while True:
        gap = _GAP.match(text, at)
        at = gap.end() if gap else at
        line, counted = line + text.count("\n", counted, at), at
        if text.startswith("]", at):
            return
        try:
            value, end = decoder.raw_decode(text, at)
        except json.JSONDecodeError as error:
            raise CutShort(text.count("\n", 0, error.pos) + 1, _why(text, error)) from None
        except RecursionError:
            raise CutShort(line, "an entry is nested too deep to be read.") from None
        except ValueError:  # Python reads integers of some thousand digits
            raise CutShort(line, "an entry has a number with too many digits to be read.") from None
        yield line, value
        at = end


def _why(text: str, error: json.JSONDecodeError) -> str:
    if error.pos >= len(text.rstrip()) or error.msg.startswith("Unterminated string"):
        return "the file ends in the middle of an entry. It was cut, or is still being written."
    return f"this is not JSON: {error.msg}."
