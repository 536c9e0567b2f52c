"""Edits of what is declared: names of tools, their schemas, and that of the answer."""

from collections.abc import Iterator
from typing import Any

from agent_conformance.commands.check_request.advice.conversation_edits import suited
from agent_conformance.commands.check_request.advice.edits import COSTS, Edit, Operation, listed, remove, set_to
from agent_conformance.commands.check_request.advice.refused_request import (
    Place,
    RefusedRequest,
    at,
    declared,
    spelled,
    walk,
)
from agent_conformance.commands.check_request.advice.value_edits import everywhere
from agent_conformance.transcripts.redaction import redacted

SCHEMAS = ("schema", "strict", "propert", "parameters", "any-of", "unknown-field", "invalid-value", "tools-type")
"""Of the names of rules that are about schemas."""
MEANINGFUL = ("anyOf", "oneOf", "allOf", "enum", "$defs", "properties")
"""Keywords that hold more than a bound or a remark."""
MOST_SCHEMAS = 400


def schema_edits(request: RefusedRequest) -> Iterator[Edit]:
    if not any(word in request.violation.rule for word in SCHEMAS):
        return
    alike: dict[tuple[Any, ...], list[Edit]] = {}
    for edit in _edits_of_schemas(request):
        operation = edit.operations[0]
        alike.setdefault((edit.kind, operation.op, operation.place[-1]), []).append(edit)
    for edits in alike.values():
        edits.sort(key=lambda edit: edit.cost)
        yield from edits[:10]
        if len(edits) > 1:
            yield everywhere(edits)


def _edits_of_schemas(request: RefusedRequest) -> Iterator[Edit]:
    count = 0
    for place, schema in walk(request.body):
        if not isinstance(schema, dict) or "messages" in place or (count := count + 1) > MOST_SCHEMAS:
            continue
        more = 0 if request.place[: len(place)] == place or place[: len(request.place)] == request.place else 6
        if schema.get("strict") is True:
            yield set_to((*place, "strict"), False, more=5 if request.place[:2] == place[:2] else 10)
        types = schema.get("type")
        if isinstance(types, list) and (named := [name for name in types if name != "null"]):
            # Of a list of types, the one besides null, with `nullable` where null was among them
            yield set_to((*place, "type"), named[0], more=more - (named == types))
            if named != types and request.wire == "gemini-generate":
                words = f'set {spelled((*place, "type"))} to "{named[0]}" and add nullable: true'
                value = {**schema, "type": named[0], "nullable": True}
                yield Edit("set", words, (Operation("replace", place, value),), COSTS["set"] + more - 1)
        properties, required = schema.get("properties"), schema.get("required")
        if isinstance(properties, dict) and (required is None or isinstance(required, list)):
            left = [name for name in properties if name not in (required or [])]
            for names in (left, left[:1]) if left else ():
                words = f"require {', '.join(names[:5])}{' and others' if len(names) > 5 else ''} in {spelled(place)}"
                operation = Operation(
                    "add" if required is None else "replace", (*place, "required"), [*(required or []), *names]
                )
                yield Edit("add", words, (operation,), COSTS["add"] + more - (names != left))
        if (
            isinstance(required, list)
            and (known := [name for name in required if str(name) in (properties or {})]) != required
        ):
            yield set_to((*place, "required"), known, more=more)
        if place[-1:] and place[-1] != "properties":
            for key in schema:
                if "properties" in (schema.keys() | {*place[:-1]}) and key not in (
                    "type",
                    "properties",
                    "items",
                    "description",
                    "$ref",
                ):
                    yield remove(request.body, (*place, key), more=more)


def naming_edits(request: RefusedRequest) -> Iterator[Edit]:
    yield from _twice_declared(request)
    if not request.place or request.missing or request.place[-1] != "name":
        return
    place, value = request.place, request.value
    taken = frozenset(name for _, name in declared(request) if name != value)
    if not isinstance(value, str) or not value or "tool_choice" in place:
        yield from (set_to(place, name) for name in sorted(taken)[:1] if len(taken) == 1 or "tool_choice" in place)
    if isinstance(value, dict | list):
        return
    new = suited(str(value or "unnamed"), taken=taken)
    if value != new:
        same = [where for where, inner in walk(request.body) if inner == value and where[-1] == "name"]
        for places in (same, [place]) if value and isinstance(value, str) else ():
            words = f'rename "{redacted(value)[:60]}" to "{new}" at {listed(places)}'
            operations = tuple(Operation("replace", where, new) for where in places)
            yield Edit("rename", words, operations, COSTS["rename"] - 7 // len(places))
        yield set_to(place, new, more=6, note="" if value else "the name of the tool")


def _twice_declared(request: RefusedRequest) -> Iterator[Edit]:
    """The second of two tools of one name goes if both are the same, and gets another name if not."""
    if "tools" not in request.place and "declar" not in request.violation.message.lower():
        return
    met: dict[str, Place] = {}
    for (*way, _), name in declared(request):
        place = tuple(way)
        if name in met and at(request.body, met[name]) == at(request.body, place):
            words = f"remove {spelled(place)}, which {spelled(met[name])} declares already"
            yield Edit("remove", words, (Operation("remove", place),), COSTS["add"])
        elif name in met:
            words = f'rename "{redacted(name)[:60]}" to "{name}_2" at {spelled((*place, "name"))}'
            yield Edit("rename", words, (Operation("replace", (*place, "name"), f"{name}_2"),), COSTS["rename"] - 7)
        met.setdefault(name, place)
