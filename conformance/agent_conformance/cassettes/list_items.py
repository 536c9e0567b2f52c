"""The items of one list in a JSON or YAML file, one after the other, with their lines; of a cut file, those before the
cut.

Of YAML events are read, not nodes: libyaml's composer recurses in C, and would read the whole file first.
"""

import base64
import json
import re
from collections.abc import Iterator
from typing import Any

import yaml

_GAP = re.compile(r"[\s,]*")


class CutShort(ValueError):
    """The array cannot be read any further. `line` is where it stops."""

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(reason)
        self.line = line


def json_items(text: str, keys: tuple[str, ...]) -> Iterator[tuple[int, Any]]:
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


try:
    from yaml import CSafeLoader as _Loader
except ImportError:  # PyYAML without libyaml: slower, the same events
    from yaml import SafeLoader as _Loader  # type: ignore[assignment]

DEEPEST = 60
MOST_VALUES = 2_000_000
"""Of one file, those that aliases repeat included."""

_PLAIN = yaml.SafeLoader
_BINARY = "tag:yaml.org,2002:binary"


def yaml_items(text: str, keys: tuple[str, ...]) -> Iterator[tuple[int, Any]]:
    """Line and value of each item of the list with one of these names at the top level. Raises `CutShort`."""
    reader = _Reader(text)
    if not reader.skip_to_list(keys):
        raise CutShort(1, f"there is no list `{keys[0]}` in it.")
    while not isinstance(event := reader.next(), yaml.SequenceEndEvent):
        yield reader.line, reader.value(event)


class _Reader:
    """Builds values from events. `line` is that of the last event."""

    def __init__(self, text: str) -> None:
        self._events: Iterator[yaml.Event] = yaml.parse(text, Loader=_Loader)
        self._anchors: dict[str, Any] = {}
        self._left = MOST_VALUES
        self._last = text.count("\n") + 1
        self._resolver: Any = _PLAIN("")
        self.line = 1

    def next(self) -> Any:
        try:
            event = next(self._events)
        except StopIteration:
            raise CutShort(self._last, "the file ends too early.") from None
        except UnicodeEncodeError:
            raise CutShort(self.line, "this is not UTF-8.") from None
        except yaml.MarkedYAMLError as error:
            raise self._unparsed(error) from None
        except yaml.YAMLError as error:
            raise CutShort(self.line, f"this is not YAML: {str(error).partition(chr(10))[0]}.") from None
        mark = event.start_mark
        self.line = mark.line + 1 if mark else self.line
        return event

    def _unparsed(self, error: yaml.MarkedYAMLError) -> CutShort:
        line = error.problem_mark.line + 1 if error.problem_mark else self.line
        if line >= self._last:
            return CutShort(self._last, "the file ends in the middle of an entry. It was cut, or is being written.")
        return CutShort(line, f"this is not YAML: {error.problem}.")

    def skip_to_list(self, keys: tuple[str, ...]) -> bool:
        """Read up to the start of the list; False where the document has none."""
        while not isinstance(event := self.next(), yaml.MappingStartEvent):
            if isinstance(event, yaml.StreamEndEvent):
                return False
        while isinstance(key := self.next(), yaml.ScalarEvent):
            event = self.next()
            if key.value in keys and isinstance(event, yaml.SequenceStartEvent):
                return True
            self.value(event)
        return False

    def value(self, event: Any, depth: int = 0) -> Any:
        self._left -= 1
        if depth > DEEPEST or self._left < 0:
            raise CutShort(self.line, "an entry is nested too deep, or too large, to be read.")
        if isinstance(event, yaml.AliasEvent):
            return self._anchors.get(event.anchor or "")
        if isinstance(event, yaml.ScalarEvent):
            value: Any = self._scalar(event)
        elif isinstance(event, yaml.SequenceStartEvent):
            value = []
            while not isinstance(item := self.next(), yaml.SequenceEndEvent):
                value.append(self.value(item, depth + 1))
        else:
            found: dict[str, Any] = {}
            while not isinstance(key := self.next(), yaml.MappingEndEvent):
                name = key.value if isinstance(key, yaml.ScalarEvent) else str(self.value(key, depth + 1))
                found[name] = self.value(self.next(), depth + 1)
            value = found
        if event.anchor:
            self._anchors[event.anchor] = value
        return value

    def _scalar(self, event: Any) -> Any:
        if event.tag in (_BINARY, "!!binary", "!binary"):
            try:
                return base64.b64decode(event.value)
            except ValueError:
                return event.value.encode()
        if event.style or event.tag is not None:
            return event.value
        return self._plain(event.value)

    def _plain(self, text: str) -> Any:
        """What YAML makes of a word without quotes, of the kinds that JSON has."""
        tag = self._resolver.resolve(yaml.ScalarNode, text, (True, False)).rpartition(":")[2]
        if tag == "null":
            return None
        if tag == "bool":
            return text.lower() in ("true", "yes", "on")
        try:
            return int(text) if tag == "int" else float(text) if tag == "float" else text
        except ValueError:
            return text
