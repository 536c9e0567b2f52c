"""What is filled in before a scenario is checked: `examples`, `{repeat, times}`, `{half}`.

What has a wrong shape stays as it is: the model rejects it.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct, field

from agent_conformance.scenario.yaml_files import Mistake, described, did_you_mean, listed
from agent_conformance.scenario.yaml_files.reading import Document, KeyPath

MAX_TEXT = 2_000_000
"""How many characters the texts of one scenario may have once repetitions are written out."""

MOST_WRITTEN = 4 * MAX_TEXT
"""The most characters that all rows of the examples of a file make together."""
MOST_ROWS = 1_000

LARGEST_UNIT = 0xFFFF
"""The largest character that is one unit of UTF-16."""

KEY = re.compile(r"\$([A-Za-z_][A-Za-z0-9_-]*)")
ESCAPED = re.compile(r"\$\$[A-Za-z_][A-Za-z0-9_-]*")
ROW_NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")


class Rows(Struct):
    """A file's data once for each row of its examples; the row is None where there are no examples."""

    data: dict[str | None, Any] = field(default_factory=dict)
    mistakes: list[Mistake] = field(default_factory=list)
    written: int = 0
    """Characters that repetitions have made, in all rows."""


def fill_in(document: Document) -> Rows:
    """Each row's data with `$key` replaced, `$$x` unescaped and repetitions written out."""
    rows = Rows()
    if not isinstance(document.value, dict) or "examples" not in document.value:
        _fill_row(rows, document, None, {})
        return rows
    body = {key: value for key, value in document.value.items() if key != "examples"}
    plain = Document(body, document.lines)
    table = document.value["examples"]
    if not isinstance(table, dict) or not table:
        message = f"`examples` is {described(table)}; expected named rows, such as `short: {{city: Oslo}}`."
        rows.mistakes.append(Mistake(document.lines[("examples",)], message))
        return rows
    used = dict(_keys_used(body, document.lines))
    given = {key for row in table.values() if isinstance(row, dict) for key in row}
    for key in used.keys() - given:
        near = did_you_mean(f"${key}", [f"${word}" for word in given])
        rows.mistakes.append(Mistake(used[key], f"`${key}` is in no row of `examples`.{near}"))
    if len(table) > MOST_ROWS:
        message = f"`examples` has {len(table):,} rows; at most {MOST_ROWS:,} are read."
        rows.mistakes.append(Mistake(document.lines[("examples",)], message))
        return rows
    for name, row in table.items():
        rows.mistakes += _mistakes_in_row(name, row, used, given=given, lines=document.lines)
        if isinstance(row, dict):
            _fill_row(rows, plain, name, row)
    return rows


def _mistakes_in_row(
    name: str, row: Any, used: Mapping[str, int], *, given: set[str], lines: Mapping[KeyPath, int]
) -> Iterator[Mistake]:
    line = lines[("examples", name)]
    if not ROW_NAME.fullmatch(name):
        yield Mistake(
            line, f"the row is named `{name}`. A name has lower-case words or digits, with dashes: `two-words`."
        )
    if not isinstance(row, dict):
        yield Mistake(line, f"the row `{name}` is {described(row)}; expected a mapping, such as `{{city: Oslo}}`.")
        return
    for key in used.keys() & given - row.keys():
        near = did_you_mean(key, row.keys() - used.keys())
        yield Mistake(line, f"the row `{name}` has no `{key}`, which line {used[key]} uses.{near}")
    for key, value in row.items():
        at = lines[("examples", name, key)]
        if key not in used:
            near = did_you_mean(key, used.keys() - row.keys())
            yield Mistake(at, f"`{key}` of the row `{name}` is used nowhere: no value is `${key}`.{near}")
        for path, text in _texts(value, ("examples", name, key)):
            if KEY.fullmatch(text):
                message = f"`{text}` stands in a row, which cannot refer to a row. Write `${text}` for that text."
                yield Mistake(lines.get(path, at), message)


def _texts(value: Any, path: KeyPath) -> Iterator[tuple[KeyPath, str]]:
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield from _texts(inner, (*path, key))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from _texts(inner, (*path, index))


def _keys_used(body: Any, lines: Mapping[KeyPath, int]) -> Iterator[tuple[str, int]]:
    """Each key that the body uses, with the line of its first use."""
    found = set()
    for path, text in _texts(body, ()):
        match = KEY.fullmatch(text)
        if match and match[1] not in found:
            found.add(match[1])
            yield match[1], lines[path]


def _fill_row(rows: Rows, document: Document, name: str | None, row: Mapping[str, Any]) -> None:
    filler = _Filler(name, row, document.lines, budget=min(MAX_TEXT, MOST_WRITTEN - rows.written))
    rows.data[name] = filler.fill(document.value, ())
    rows.written += filler.written
    rows.mistakes += [mistake for mistake in filler.mistakes if mistake not in rows.mistakes]


class _Filler:
    """Writes out one row, counting the characters that repetitions make."""

    def __init__(
        self, name: str | None, row: Mapping[str, Any], lines: Mapping[KeyPath, int], *, budget: int = MAX_TEXT
    ) -> None:
        self.mistakes: list[Mistake] = []
        self.written = 0
        self._budget = budget
        self._most = f"{MAX_TEXT:,}" if budget == MAX_TEXT else f"{MOST_WRITTEN:,} in all rows"
        self._name = name
        self._row = row
        self._lines = lines

    def fill(self, value: Any, path: KeyPath, *, in_row: bool = False) -> Any:
        if isinstance(value, str):
            return self._text(value, path, in_row=in_row) if value.startswith("$") else value
        if isinstance(value, list):
            return [self.fill(inner, (*path, index), in_row=in_row) for index, inner in enumerate(value)]
        if isinstance(value, dict):
            filled = {key: self.fill(inner, (*path, key), in_row=in_row) for key, inner in value.items()}
            if filled.keys() == {"repeat", "times"}:
                text, times = filled["repeat"], filled["times"]
                if not isinstance(text, str):
                    self._note(path, f"`repeat` is {described(text)}; expected a text in quotes, or in a list a list.")
                elif not isinstance(times, int) or isinstance(times, bool) or times < 0:
                    self._note(path, f"`times` is {described(times)}; expected how often, a whole number.")
                elif times > MAX_TEXT:
                    self._note(path, f"`times` is {described(times)}; expected at most {MAX_TEXT:,}.")
                else:
                    if self.written + len(text) * times <= self._budget:
                        self.written += len(text) * times
                        return text * times
                    found = f"repetitions make {self.written + len(text) * times:,} characters by here"
                    self._note(path, f"{found}; at most {self._most} are written out.")
                return ""
            return self._halved(filled["half"], path) if filled.keys() == {"half"} else filled
        return value

    def _text(self, text: str, path: KeyPath, *, in_row: bool) -> Any:
        if ESCAPED.fullmatch(text):
            return text[1:]
        match = KEY.fullmatch(text)
        if not match or in_row:  # a row that refers to a row has been reported with the row
            return text
        if match[1] in self._row:
            return self.fill(self._row[match[1]], ("examples", str(self._name), match[1]), in_row=True)
        if self._name is None:
            self._note(
                path, f"`{text}` refers to a row, and the file has no `examples`. Write `${text}` for that text."
            )
        return text

    def _halved(self, text: Any, path: KeyPath) -> str:
        """The text less its last UTF-16 unit: what is left when an emoji is cut in the middle."""
        if isinstance(text, str) and text and ord(text[-1]) > LARGEST_UNIT:
            return text[:-1] + chr(0xD800 + ((ord(text[-1]) - 0x10000) >> 10))
        self._note(path, f"`half` is {described(text)}; expected a text that ends in an emoji, which has two halves.")
        return ""

    def _note(self, path: KeyPath, message: str) -> None:
        self.mistakes.append(Mistake(self._lines.get(path, 1), message))


SHORT_TYPES: dict[str, dict[str, Any]] = {
    "string": {"type": "string"},
    "integer": {"type": "integer"},
    "number": {"type": "number"},
    "boolean": {"type": "boolean"},
    "object": {"type": "object"},
    "array": {"type": "array", "items": {"type": "string"}},
}
"""What a parameter's short type is written out as. Providers refuse an array without `items`."""

_COMBINERS = ("anyOf", "oneOf", "allOf")
_BESIDE_OBJECT = {"type", "required", "additionalProperties", "patternProperties", "minProperties", "maxProperties"}


def write_out(data: dict[str, Any]) -> list[tuple[KeyPath, str]]:
    """Write out the short forms of one row's data in place; returns path and message of what cannot be."""
    mistakes: list[tuple[KeyPath, str]] = []
    for index, tool in _mappings(data.get("tools")):
        if isinstance(tool.get("parameters"), dict):
            path = ("tools", index, "parameters")
            mistakes += [((*path, name), message) for name, message in _mistakes_in_short(tool["parameters"])]
            tool["parameters"] = full_schema(tool["parameters"])
        if isinstance(tool.get("output_schema"), dict):
            path = ("tools", index, "output_schema")
            mistakes += [((*path, name), message) for name, message in _mistakes_in_short(tool["output_schema"])]
            tool["output_schema"] = full_schema(tool["output_schema"])
    if isinstance(data.get("output_schema"), dict):
        wrong = _mistakes_in_short(data["output_schema"])
        mistakes += [(("output_schema", name), message) for name, message in wrong]
        data["output_schema"] = closed_schema(data["output_schema"])
    if isinstance(data.get("effects"), dict):
        data["effects"] = {name: _range_of(wanted) for name, wanted in data["effects"].items()}
    for _, turn in _mappings(data.get("conversation")):
        if isinstance(turn.get("steer"), dict):
            turn["steer"] = [turn["steer"]]
        expect = turn.get("expect")
        if isinstance(expect, dict):
            _write_out_demands(expect)
            if isinstance(expect.get("should"), dict):
                _write_out_demands(expect["should"])
    _fill_in_names(data.get("history"))
    return mistakes


def is_full_schema(parameters: dict[str, Any]) -> bool:
    """Whether this is a JSON Schema and not the short form name: type."""
    properties = parameters.get("properties")
    if isinstance(properties, dict) and all(isinstance(value, dict | bool) for value in properties.values()):
        return True
    if parameters.get("type") == "object" and parameters.keys() <= _BESIDE_OBJECT:
        return True
    return any(key.startswith("$") for key in parameters) or any(
        isinstance(parameters.get(key), list) for key in _COMBINERS
    )


def full_schema(parameters: dict[str, Any]) -> dict[str, Any]:
    """The JSON Schema of `parameters`: those of the short form are all required, others are allowed."""
    if is_full_schema(parameters):
        return parameters
    properties = {
        name: SHORT_TYPES.get(value, {}) if isinstance(value, str) else value for name, value in parameters.items()
    }
    schema: dict[str, Any] = {"type": "object", "properties": properties}
    return schema | {"required": list(parameters)} if parameters else schema


def closed_schema(properties: dict[str, Any]) -> dict[str, Any]:
    """The JSON Schema of an answer: the short form allows no other properties, which several providers demand."""
    schema = full_schema(properties)
    return schema if schema is properties else schema | {"additionalProperties": False}


def _mistakes_in_short(parameters: dict[str, Any]) -> Iterator[tuple[str, str]]:
    if is_full_schema(parameters):
        return
    for name, value in parameters.items():
        if isinstance(value, dict | bool) or (isinstance(value, str) and value in SHORT_TYPES):
            continue
        near = did_you_mean(value, SHORT_TYPES) if isinstance(value, str) else ""
        allowed = f"Allowed: {listed(SHORT_TYPES)}, or a JSON Schema such as `{{type: string}}` or `true`."
        yield name, f"the type of the parameter `{name}` is {described(value)}.{near} {allowed}"


def _write_out_demands(demands: dict[str, Any]) -> None:
    if isinstance(demands.get("reply"), str):
        demands["reply"] = {"equals": demands["reply"]}
    if isinstance(demands.get("executed"), list):
        demands["executed"] = {"in_order": demands["executed"]}
    if "request_count" in demands:
        demands["request_count"] = _range_of(demands["request_count"])


def _range_of(wanted: Any) -> Any:
    """A number alone means exactly so many."""
    return {"min": wanted, "max": wanted} if isinstance(wanted, int) and not isinstance(wanted, bool) else wanted


def _fill_in_names(history: Any) -> None:
    """Give each tool message without a name that of its call: the last call above it with its id."""
    names: dict[str, Any] = {}
    for _, message in _mappings(history):
        assistant, tool = message.get("assistant"), message.get("tool")
        if isinstance(assistant, dict):
            for _, call in _mappings(assistant.get("calls")):
                if isinstance(call.get("id"), str):
                    names[call["id"]] = call.get("name")
        if isinstance(tool, dict) and "name" not in tool and isinstance(tool.get("id"), str) and tool["id"] in names:
            tool["name"] = names[tool["id"]]


def _mappings(value: Any) -> Iterator[tuple[int, dict[str, Any]]]:
    if isinstance(value, list):
        for index, item in enumerate(value):
            if isinstance(item, dict):
                yield index, item
