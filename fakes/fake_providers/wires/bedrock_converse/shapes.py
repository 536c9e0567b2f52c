"""The shape of a request, as the service model has it: everything that is wrong with it, in the service's words.

The constraints are in `service_model.json`, which is read from botocore. Indices count from one here, as in the
service's own sentences; those of later checks count from zero.
"""

import json
import math
import re
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Literal

from msgspec import Struct

TABLE = Path(__file__).parent / "service_model.json"
Kind = Literal["null", "enum", "pattern", "short", "long", "low", "high", "type", "union"]
CONTENT = "messages.member.content"
ECHOED = f"{CONTENT}.member.toolUse.type"
"""Answers of some models have a value here that is not among those of requests. That it may not come back is not known,
so it is not checked."""


SAID_ELSEWHERE = ("ContentBlock", "ToolChoice", "ToolInputSchema", "ToolResultContentBlock")
"""Unions that rules of their own are about."""
BASE64 = re.compile(r"[A-Za-z0-9+/_\s-]*=*\s*")


class ShapeFault(Struct, frozen=True):
    """One constraint that a value breaks. `where` is its place without indices, `place` as the service writes it."""

    kind: Kind
    where: str
    place: str
    sentence: str

    @property
    def at(self) -> str:
        """The place with indices from zero, as it stands in the body."""
        return re.sub(r"\.(\d+)\.member", lambda match: f"[{int(match[1]) - 1}]", self.place)


Place = tuple["Place", str | int] | None
"""The place around it, and in it the name of a member or the number of an item; None for the body. It becomes text
where something is wrong."""
Check = Callable[[Any, Place, list[ShapeFault]], None]


def shape_faults(body: Any, operation: str) -> tuple[ShapeFault, ...]:
    """All faults of a body. A value of the wrong JSON type is the only one then: it is found before the others."""
    found: list[ShapeFault] = []
    operations: Mapping[str, str] = _table()["operations"]
    _check_of(operations[operation])(body, None, found)
    mismatch = next((fault for fault in found if fault.kind == "type"), None)
    return tuple(found) if mismatch is None else (mismatch,)


@cache
def _table() -> Mapping[str, Any]:
    table: Mapping[str, Any] = json.loads(TABLE.read_text())
    return table


@cache
def _check_of(name: str) -> Check:
    """Compiled once for each shape: every request of every agent goes through it."""
    shape = _table()["shapes"][name]
    kind = shape["type"]
    if shape.get("document"):
        return _anything
    if kind == "blob":
        return _blob
    if kind == "structure":
        return _structure(name, shape)
    if kind in ("list", "map"):
        return _collection(shape)
    if kind == "boolean":
        return _boolean
    return _string(shape) if kind == "string" else _number(shape)


def _anything(value: Any, place: Place, found: list[ShapeFault]) -> None:
    pass


def _blob(value: Any, place: Place, found: list[ShapeFault]) -> None:
    """The URL-safe letters and missing padding are not known to be refused."""
    if not isinstance(value, str):
        found.append(_mismatch("blob", value, place))
    elif not BASE64.fullmatch(value):
        at, where = _texts_of(place)
        found.append(ShapeFault("type", where, at, "Unable to decode the value as Base64"))


def _structure(shape_name: str, shape: Mapping[str, Any]) -> Check:
    required = frozenset(shape.get("required", ()))
    is_union = shape.get("union") and shape_name not in SAID_ELSEWHERE
    checks = [(name, _check_of(below), name in required) for name, below in shape.get("members", {}).items()]

    def check(value: Any, place: Place, found: list[ShapeFault]) -> None:
        if not isinstance(value, dict):
            found.append(_mismatch("structure", value, place))
            return
        if is_union and not value:
            at, where = _texts_of(place)
            keys = ", ".join(name for name, _, _ in checks)
            sentence = f"{shape_name} object must set one of the following keys: {keys}."
            found.append(ShapeFault("union", where, at, sentence))
        for name, of_member, is_required in checks:
            member = value.get(name)
            if member is not None:
                of_member(member, (place, name), found)
            elif is_required:
                found.append(_fault("null", "Member must not be null", (place, name), None))

    return check


def _collection(shape: Mapping[str, Any]) -> Check:
    is_list = shape["type"] == "list"
    of_member = _check_of(shape["members"]["member" if is_list else "value"])
    low, high = _lengths(shape)

    def check(value: Any, place: Place, found: list[ShapeFault]) -> None:
        if not isinstance(value, list if is_list else dict):
            found.append(_mismatch(shape["type"], value, place))
            return
        if not low <= len(value) <= high:
            found.append(_wrong_length(len(value), shape, place, ...))
        for number, member in enumerate(value.values() if isinstance(value, dict) else value, 1):
            if member is None:
                found.append(_fault("null", "Member must not be null", (place, number), None))
            else:
                of_member(member, (place, number), found)

    return check


def _string(shape: Mapping[str, Any]) -> Check:
    pattern = re.compile(shape["pattern"]) if "pattern" in shape else None
    allowed = shape.get("enum")
    low, high = _lengths(shape)

    def check(value: Any, place: Place, found: list[ShapeFault]) -> None:
        if not isinstance(value, str):
            found.append(_mismatch("string", value, place))
            return
        if allowed is not None and value not in allowed and _texts_of(place)[1] != ECHOED:
            sentence = f"Member must satisfy enum value set: [{', '.join(allowed)}]"
            found.append(_fault("enum", sentence, place, value))
        if pattern is not None and not pattern.fullmatch(value):
            sentence = f"Member must satisfy regular expression pattern: {shape['pattern']}"
            found.append(_fault("pattern", sentence, place, value))
        if not low <= len(value) <= high:
            found.append(_wrong_length(len(value), shape, place, value))

    return check


def _lengths(shape: Mapping[str, Any]) -> tuple[int, float]:
    return shape.get("min", 0), shape.get("max", math.inf)


def _wrong_length(length: int, shape: Mapping[str, Any], place: Place, shown: Any) -> ShapeFault:
    low, high = _lengths(shape)
    if length > high:
        return _fault("long", f"Member must have length less than or equal to {high}", place, shown)
    return _fault("short", f"Member must have length greater than or equal to {low}", place, shown)


def _number(shape: Mapping[str, Any]) -> Check:
    def check(value: Any, place: Place, found: list[ShapeFault]) -> None:
        if isinstance(value, bool) or not isinstance(value, int | float):
            found.append(_mismatch(shape["type"], value, place))
            return
        shown = str(float(value) if shape["type"] == "float" and abs(value) < 1e15 else value)
        if value > shape.get("max", value):
            found.append(_fault("high", f"Member must have value less than or equal to {shape['max']}", place, shown))
        if value < shape.get("min", value):
            found.append(_fault("low", f"Member must have value greater than or equal to {shape['min']}", place, shown))

    return check


def _boolean(value: Any, place: Place, found: list[ShapeFault]) -> None:
    if not isinstance(value, bool):
        found.append(_mismatch("boolean", value, place))


def _texts_of(place: Place) -> tuple[str, str]:
    """`place` and `where` of a fault."""
    steps: list[str | int] = []
    while place is not None:
        place, step = place
        steps.insert(0, step)
    at = ".".join([f"{step}.member" if isinstance(step, int) else step for step in steps])
    return at, ".".join(["member" if isinstance(step, int) else step for step in steps])


def _fault(kind: Kind, constraint: str, place: Place, value: Any) -> ShapeFault:
    """`value` is shown, but not that of a list, and not what stands within a message."""
    at, where = _texts_of(place)
    shown = " null" if value is None else f" '{value}'"
    if value is ... or (value is not None and where.startswith(f"{CONTENT}.")):
        shown = ""
    return ShapeFault(kind, where, at, f"Value{shown} at '{at}' failed to satisfy constraint: {constraint}")


FOUND = {dict: "structure or map", list: "list"}
READ = {str: "STRING_VALUE", bool: "TRUE_VALUE", int: "NUMBER_VALUE", float: "DECIMAL_VALUE"}


def _mismatch(expected: str, value: Any, place: Place) -> ShapeFault:
    """In the words that Amazon's other services have for it; those of this one are not known."""
    if isinstance(value, dict | list):
        sentence = f"Start of {FOUND[type(value)]} found where not expected."
    elif expected in ("structure", "list", "map"):
        sentence = "Unexpected token, expected a list or a structure."
    else:
        read = "FALSE_VALUE" if value is False else READ[type(value)]
        sentence = f"{read} can not be converted to a {expected.capitalize()}"
    at, where = _texts_of(place)
    return ShapeFault("type", where, at or "body", sentence)
