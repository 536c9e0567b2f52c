"""An edit of a body: a JSON Patch with the sentence for it, and what it costs.

The cost orders edits by how little they take away: a value is converted or set, something is added, an id is renamed, a
part is moved, and only then something is removed, the smaller the sooner.
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

from agent_conformance.commands.check_request.advice.refused_request import Place, at, leaves, pointer, spelled
from agent_conformance.transcripts.redaction import redacted

Kind = Literal["convert", "set", "add", "answer", "rename", "move", "restore", "remove"]

Op = Literal["add", "replace", "remove"]

COSTS: dict[Kind, int] = {
    "convert": 8,
    "set": 10,
    "add": 14,
    "answer": 16,
    "rename": 18,
    "move": 22,
    "restore": 26,
    "remove": 40,
}
ELSEWHERE = 20
"""What an edit costs more that is not where the refusal says."""
SHORT = 60
_SETTINGS = (
    "thinking reasoning thinkingConfig thinking_config stream_options tool_choice toolConfig tool_config"
    " response_format responseFormat output_config extra_content cache_control metadata think format description"
)
SETTINGS = frozenset(_SETTINGS.split())
"""Objects that are one setting, however many members they have."""


WHOLE = ("tools", "parameters", "input_schema")
"""Members without which a tool, or all of them, are lost."""


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation of a JSON Patch (RFC 6902)."""

    op: Op
    place: Place
    value: Any = None

    def as_json(self) -> dict[str, Any]:
        value = {} if self.op == "remove" else {"value": self.value}
        return {"op": self.op, "path": pointer(self.place), **value}


@dataclass(frozen=True, slots=True)
class Edit:
    """`note` says what a maintainer puts in place of a placeholder."""

    kind: Kind
    words: str
    operations: tuple[Operation, ...]
    cost: int
    note: str = ""


def edited(body: Any, operations: Iterable[Operation]) -> Any:
    """Another body, which shares what did not change. Raises `LookupError` where a place does not exist."""
    for operation in operations:
        body = _edited(body, operation.place, operation)
    return body


def _edited(value: Any, place: Place, operation: Operation) -> Any:
    if not isinstance(value, list | dict):
        raise LookupError(place)
    copied: Any = value.copy()
    part, rest = place[0], place[1:]
    if rest:
        copied[part] = _edited(copied[part], rest, operation)
    elif operation.op == "remove":
        del copied[part]
    elif operation.op == "add" and isinstance(copied, list) and isinstance(part, int):
        copied.insert(part, operation.value)
    else:
        copied[part] = operation.value
    return copied


def set_to(place: Place, value: Any, *, kind: Kind = "set", more: int = 0, note: str = "") -> Edit:
    words = f"set {spelled(place)} to {shown(value)}"
    return Edit(kind, words, (Operation("replace", place, value),), COSTS[kind] + more, note)


def add(place: Place, value: Any, *, more: int = 0, note: str = "") -> Edit:
    """Add a member of an object."""
    words = f"add {spelled(place)}: {shown(value)}"
    return Edit("add", words, (Operation("add", place, value),), COSTS["add"] + more, note)


def remove(body: Any, *places: Place, more: int = 0) -> Edit:
    """Remove one place, or several as one edit. What says nothing, and what is one setting, costs least."""
    cost = more + sum(removal_cost(at(body, place), place) for place in places)
    operations = tuple(Operation("remove", place) for place in sorted(places, key=_order, reverse=True))
    return Edit("remove", f"remove {listed(places)}", operations, cost)


def removal_cost(value: Any, place: Place) -> int:
    if value in (None, "", [], {}):
        return COSTS["convert"] + 1
    if not isinstance(value, dict | list) or place[-1] in SETTINGS:
        return COSTS["set"] + 2 + (4 * (len(value) - 1) if isinstance(value, dict) else 0)
    return COSTS["remove"] + 4 * leaves(value) + (20 if place[-1] in WHOLE else 0)


def listed(places: Iterable[Place]) -> str:
    """`tools[1], tools[2] and tools[3]`; of many only the first and the last."""
    names = [spelled(place) for place in places]
    if len(names) > 3:
        return f"{names[0]} to {names[-1]}"
    return " and ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else names[0]


def shown(value: Any) -> str:
    text = redacted(json.dumps(value, ensure_ascii=False))
    return text if len(text) <= SHORT else f"{text[:SHORT]} ..."


def _order(place: Place) -> tuple[tuple[bool, int | str], ...]:
    """Later entries of a list are removed first, so that places stay right."""
    return tuple((isinstance(part, str), part) for part in place)
