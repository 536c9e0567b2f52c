"""One shape for every list, map and text in a request of each provider: a request in which it can be of any length.

They come from the samples of the rules, which have every field that a fake looks at: a field is not forgotten where a
rule has it. What is repeated gets ids of its own, also where something else in the request refers to it, so that the
request stays as right as it was.
"""

import copy
import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from load_requests import KEYS
from rarer_fields import RARER

from fake_providers import PROVIDERS, Request, Rule, Wire, provider_wires
from fake_providers.models import default_model
from tests.wire_samples import PATHS

Path = tuple[str | int, ...]
Mark = tuple[str, str]
IDS = frozenset({"id", "call_id", "tool_call_id", "tool_use_id", "item_id"})
"""Fields whose values get a number."""
DECLARING = frozenset({"parameters", "parametersJsonSchema", "input_schema"})
CALLING = frozenset({"functionCall", "functionResponse", "function_call", "function_response"})
CONTEXTS = 2
"""So many requests with different fields around it show one list, map or text."""


@dataclass(frozen=True)
class Shape:
    """`kind`: `list`, `map`, `text`, or `json` for a text that has a JSON object. `path` is the place in the sample."""

    provider: str
    wire: Wire
    rule: Rule | None
    """That has the sample, unless no rule has it."""
    sample: Any
    path: Path
    kind: str

    @property
    def place(self) -> str:
        """The path without indices and without names that the sample has made up."""
        return place_of(self.path)

    @property
    def name(self) -> str:
        return f"{self.wire.name} {self.provider} {self.place or 'body'}"

    def request(self, count: int) -> Request:
        body = grown(self.sample, self.path, self.kind, count)
        own = self.rule.headers if self.rule else None
        path = self.rule.path if self.rule else ""
        headers = {"content-type": "application/json", **KEYS, **(own or {})}
        return Request("POST", path or PATHS[self.wire.name], headers, json.dumps(body).encode())


def shapes() -> list[Shape]:
    """All of them; a place in several samples is there in up to `CONTEXTS` of them."""
    return [
        shape for provider in PROVIDERS for wire in provider_wires(provider) for shape in _shapes_of(provider, wire)
    ]


def _shapes_of(provider: str, wire: Wire) -> Iterator[Shape]:
    contexts: dict[tuple[str, str], set[frozenset[str]]] = {}
    rules = [rule for rule in wire.rules if rule.id.startswith(f"{provider}/")] or list(wire.rules)
    samples: list[tuple[Rule | None, Any]] = [(rule, rule.accepted) for rule in rules]
    samples += [(None, rarer(body, provider, wire)) for body in RARER[wire.name]]
    samples += [(rule, rule.breaking) for rule in rules]
    for rule, sample in samples:
        if not isinstance(sample, dict):
            continue
        for path, kind in repeatable(sample):
            known = contexts.setdefault((place_of(path), kind), set())
            around = fields_around(sample, path)
            if around not in known and len(known) < CONTEXTS:
                known.add(around)
                yield Shape(provider, wire, rule, sample, path, kind)


def rarer(body: dict[str, Any], provider: str, wire: Wire) -> dict[str, Any]:
    return (
        body
        if wire.name in ("gemini-generate", "bedrock-converse")
        else {"model": default_model(wire.name, provider), **body}
    )


def repeatable(value: Any, path: Path = ()) -> Iterator[tuple[Path, str]]:
    """Every list, map and text of a body. Only the first two items of a list differ in what they have."""
    if isinstance(value, dict):
        yield path, "map"
        for name, item in value.items():
            yield from repeatable(item, (*path, name))
    elif isinstance(value, list):
        if value:
            yield path, "list"
        for index, item in enumerate(value):
            yield from repeatable(item, (*path, index))
    elif isinstance(value, str):
        yield path, "json" if is_object(value) else "text"


def is_object(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except ValueError:
        return False


def place_of(path: Path) -> str:
    parts = []
    for before, part in zip((None, *path), path, strict=False):
        parts.append("*" if isinstance(part, int) or before == "properties" else str(part))
    return ".".join(parts)


def fields_around(sample: Any, path: Path) -> frozenset[str]:
    """The names of the fields of everything that holds the place."""
    names: set[str] = set()
    value = sample
    for part in path:
        if isinstance(value, dict):
            names |= value.keys()
        value = value[part]
    return frozenset(names)


def grown(sample: Any, path: Path, kind: str, count: int) -> Any:
    """The sample with this place repeated so many times."""
    body = copy.deepcopy(sample)
    value = at(body, path)
    if kind == "text":
        return replaced(body, path, (value or "x") * count)
    if kind == "json":
        return replaced(body, path, json.dumps(repeated_fields(json.loads(value), count)))
    if kind == "map":
        grown_fields = repeated_fields(value, count)
        name_all(at(body, path[:-1]) if path else {}, value, grown_fields)
        return replaced(body, path, grown_fields)
    marks = frozenset(marks_in(value))
    others = referring(body, path, marks)
    body = replaced(body, path, copies(value, marks, count))
    for other in others:
        own = path[len(other)] if path[: len(other)] == other else None
        items = at(body, other)
        parts = [
            copies([item], marks, count if index != own and refers(item, marks) else 1)
            for index, item in enumerate(items)
        ]
        body = replaced(body, other, [item for part in parts for item in part])
    return body


def name_all(around: Any, before: dict[str, Any], after: dict[str, Any]) -> None:
    """Lists beside a map that have its names, such as `required` beside `properties`, have the new ones too."""
    for name, names in list(around.items()) if isinstance(around, dict) else ():
        if isinstance(names, list) and names and all(isinstance(one, str) and one in before for one in names):
            around[name] = [*names, *(one for one in after if one not in before)]


def repeated_fields(fields: dict[str, Any], count: int) -> dict[str, Any]:
    items = list(fields.items()) or [("x", 1)]
    more = {f"{name}_{k}": value for k in range(1, count) for name, value in items}
    return {**fields, **dict(items), **more}


def copies(items: list[Any], marks: frozenset[Mark], count: int) -> list[Any]:
    """The items so many times, each time with ids that end in another number; the first are as they were."""
    return [numbered(item, k, marks) if k else item for k in range(count) for item in items]


def numbered(value: Any, number: int, marks: frozenset[Mark]) -> Any:
    if isinstance(value, dict):
        return {
            name: f"{item}{number}" if is_numbered(name, item, marks) else numbered(item, number, marks)
            for name, item in value.items()
        }
    return [numbered(item, number, marks) for item in value] if isinstance(value, list) else value


def is_numbered(name: str, item: Any, marks: frozenset[Mark]) -> bool:
    kind = "id" if name in IDS else "declared" if name == "name" else ""
    return isinstance(item, str) and (kind, item) in marks


def marks_in(value: Any) -> Iterator[Mark]:
    """What others refer to: ids of calls, names of what is declared, and where calls have no ids the names of calls."""
    if isinstance(value, list):
        for item in value:
            yield from marks_in(item)
    elif isinstance(value, dict):
        for name, item in value.items():
            if isinstance(item, str):
                if name in IDS:
                    yield "id", item
                elif name == "name" and value.keys() & DECLARING:
                    yield "declared", item
            elif name in CALLING and isinstance(item, dict) and not item.keys() & IDS:
                yield "called", str(item.get("name"))
            else:
                yield from marks_in(item)


def referring(body: Any, path: Path, marks: frozenset[Mark]) -> list[Path]:
    """The innermost lists with other items that have one of these marks."""
    found = []
    for other, kind in repeatable(body):
        if kind != "list" or other[: len(path)] == path:
            continue
        own = path[len(other)] if path[: len(other)] == other else None
        if any(index != own and refers(item, marks) for index, item in enumerate(at(body, other))):
            found.append(other)
    return [one for one in found if not any(two != one and two[: len(one)] == one for two in found)]


def refers(item: Any, marks: frozenset[Mark]) -> bool:
    return any(mark in marks for mark in marks_in(item) if mark[0] != "declared")


def at(body: Any, path: Path) -> Any:
    for part in path:
        body = body[part]
    return body


def replaced(body: Any, path: Path, value: Any) -> Any:
    if not path:
        return value
    at(body, path[:-1])[path[-1]] = value
    return body
