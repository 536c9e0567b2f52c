"""Edits of the schemas of tools and answers: types, items, what strict mode demands, keywords that are not taken."""

import hashlib
import re
from collections.abc import Collection, Iterator
from dataclasses import replace
from typing import Any

from agent_conformance.commands.check_request.advice.edits import (
    COSTS,
    Edit,
    Op,
    Operation,
    add,
    listed,
    remove,
    set_to,
    shown,
)
from agent_conformance.commands.check_request.advice.pairing_edits import duplicate_edits, renumbered
from agent_conformance.commands.check_request.advice.refused_request import (
    Place,
    RefusedRequest,
    at,
    calls_of,
    results_of,
    spelled,
    walk,
)
from agent_conformance.transcripts.redaction import redacted

_TYPES = "string number integer boolean array object null"
TYPES = frozenset(_TYPES.split())
NAMES = {"str": "string", "text": "string", "int": "integer", "float": "number", "bool": "boolean", "list": "array"}
NAMES |= {"dict": "object", "map": "object", "any": "string", "union": "object"}
SCHEMA_KEYS = ("parameters", "input_schema", "parametersJsonSchema", "schema", "responseSchema", "response_schema")
MEANINGFUL = ("anyOf", "oneOf", "allOf", "enum", "$defs")
"""Keywords that hold more than a bound or a remark."""
MOST_ALIKE = 10
"""Schemas with the same fault that are edited one by one; more are edited together."""
MOST_SCHEMAS = 400


def schema_edits(request: RefusedRequest) -> Iterator[Edit]:
    rule = request.violation.rule
    words = ("schema", "strict", "propert", "parameters", "any-of", "unknown-field", "invalid-value", "tools-type")
    if not any(word in rule for word in words):
        return
    for place, value in reversed(list(walk(request.body))):
        if place and place[-1] == "strict" and value is True:
            near = request.place[:2] == place[:2]
            yield set_to(place, False, more=5 if near else 10)
    same: dict[tuple[Any, ...], dict[Place, Edit]] = {}
    for edit in _all_edits(request):
        operation = edit.operations[0]
        value = repr(operation.value) if operation.place[-1] in ("items", "type") else ""
        key = (edit.kind, operation.op, operation.place[-1], value)
        same.setdefault(key, {}).setdefault(operation.place, edit)
    for edits in same.values():
        yield from sorted(edits.values(), key=lambda edit: edit.cost)[:MOST_ALIKE]
        if len(edits) > 1:
            yield _everywhere(tuple(edits.values()))


def _everywhere(edits: tuple[Edit, ...]) -> Edit:
    """The same edit of every schema that has the same fault."""
    others = "another schema" if len(edits) == 2 else f"{len(edits) - 1} other schemas"
    best = min(edits, key=lambda edit: edit.cost)
    operations = tuple(operation for edit in edits for operation in edit.operations)
    return replace(best, words=f"{best.words}, and the same in {others}", operations=operations, cost=best.cost + 4)


def _all_edits(request: RefusedRequest) -> Iterator[Edit]:
    for root, schema in _roots(request):
        if not isinstance(schema, dict):
            yield set_to(root, {"type": "object", "properties": {}}, more=4)
            continue
        for place, inner in _schemas(root, schema):
            near = 0 if request.place[: len(place)] == place or place[: len(request.place)] == request.place else 6
            type_ = inner.get("type")
            if isinstance(type_, str) and type_.lower() not in TYPES:
                yield set_to((*place, "type"), NAMES.get(type_.lower(), "string"), more=near - 2)
            if isinstance(type_, dict):
                yield set_to((*place, "type"), "string", more=near)
            if isinstance(type_, list):
                # Of a list of types, the one besides null, with `nullable` where null was among them
                named = [name for name in type_ if name != "null"]
                if named:
                    yield set_to((*place, "type"), named[0], more=near - (len(named) == len(type_)))
                if named and len(named) < len(type_) and request.wire == "gemini-generate":
                    value = {**inner, "type": named[0], "nullable": True}
                    words = f'set {spelled((*place, "type"))} to "{named[0]}" and add nullable: true'
                    yield Edit("set", words, (Operation("replace", place, value),), COSTS["set"] + near - 1)
            if (place == root) and type_ != "object":
                yield _with(place, inner, "type", "object", near)
            if "type" not in inner:
                guess = "object" if "properties" in inner else "array" if "items" in inner else "string"
                yield _with(place, inner, "type", guess, near + 1)
            yield from _members(request, place, inner, near)
            yield from _required(place, inner, near)
            yield from _renamed_properties(place, inner, near)
            for key in inner:
                if key not in ("type", "properties", "items", "description", "$ref"):
                    edit = remove(request.body, (*place, key), more=near)
                    yield edit if key in MEANINGFUL else replace(edit, cost=COSTS["set"] + 2 + near)


def _roots(request: RefusedRequest) -> Iterator[tuple[Place, Any]]:
    for place, value in walk(request.body):
        if place and place[-1] in SCHEMA_KEYS and "messages" not in place and "properties" not in place:
            yield place, value


def _schemas(place: Place, schema: dict[str, Any]) -> Iterator[tuple[Place, dict[str, Any]]]:
    """A schema and those inside it; a member of `properties` is one, and so are items and alternatives."""
    count = 0
    for here, value in walk(schema, place):
        names_properties = here[-1] in ("properties", "$defs", "definitions") and here[-2:-1] != ("properties",)
        if isinstance(value, dict) and not names_properties and (count := count + 1) < MOST_SCHEMAS:
            yield here, value


def _with(place: Place, schema: dict[str, Any], key: str, value: Any, more: int) -> Edit:
    here = (*place, key)
    return set_to(here, value, more=more) if key in schema else add(here, value, more=more)


def _members(request: RefusedRequest, place: Place, schema: dict[str, Any], more: int) -> Iterator[Edit]:
    if schema.get("type") in ("array", "ARRAY") and "items" not in schema:
        yield add((*place, "items"), {}, more=more, note="the schema of an entry")
        yield add((*place, "items"), {"type": "string"}, more=more + 1, note="the schema of an entry")
    if schema.get("type") == "object" or "properties" in schema:
        if "properties" not in schema:
            yield add((*place, "properties"), {}, more=more)
        yield _with(place, schema, "additionalProperties", False, more)
    enum = schema.get("enum")
    if isinstance(enum, list) and any(not isinstance(value, str) for value in enum):
        texts = [value if isinstance(value, str) else str(value) for value in enum]
        yield set_to((*place, "enum"), texts, kind="convert", more=more)
        words = f'set {spelled((*place, "enum"))} to texts, and its type to "string"'
        whole = {**schema, "type": "string", "enum": texts}
        yield Edit("set", words, (Operation("replace", place, whole),), COSTS["set"] + more + 2)
    if isinstance(enum, list) and schema.get("type") != "string":
        yield _with(place, schema, "type", "string", more + 2)
    for key, value in (schema.get("properties") or {}).items() if isinstance(schema.get("properties"), dict) else ():
        if not isinstance(value, dict):
            named = NAMES.get(str(value), str(value))
            yield set_to((*place, "properties", key), {"type": named if named in TYPES else "string"}, more=more)
    if schema.get("minItems") not in (None, 0, 1):
        yield set_to((*place, "minItems"), 1, more=more)


def _renamed_properties(place: Place, schema: dict[str, Any], more: int) -> Iterator[Edit]:
    """Properties whose names have characters that a provider does not take."""
    properties = schema.get("properties")
    names = [name for name in properties if suited(name) != name] if isinstance(properties, dict) else []
    if names and isinstance(properties, dict):
        new = {name: name for name in properties}
        for name in names:
            new[name] = suited(name, taken={*new.values()} - {name})
        renamed = {new[name]: value for name, value in properties.items()}
        required = schema.get("required")
        same = {"required": [new.get(str(name), name) for name in required]} if isinstance(required, list) else {}
        words = (
            f"rename {', '.join(map(shown, names[:3]))} in {spelled((*place, 'properties'))} to letters, digits and _"
        )
        value = {**schema, "properties": renamed, **same}
        yield Edit("rename", words, (Operation("replace", place, value),), COSTS["rename"] + more)


def _required(place: Place, schema: dict[str, Any], more: int) -> Iterator[Edit]:
    properties, required = schema.get("properties"), schema.get("required")
    if isinstance(properties, dict) and (required is None or isinstance(required, list)):
        missing = [name for name in properties if name not in (required or [])]
        if missing:
            words = f"require {', '.join(missing[:5])}{' and others' if len(missing) > 5 else ''} in {spelled(place)}"
            value = [*(required or []), *missing]
            op: Op = "add" if required is None else "replace"
            operation = Operation(op, (*place, "required"), value)
            yield Edit("add", words, (operation,), COSTS["add"] + more)
            one = [*(required or []), missing[0]]
            operation = Operation(op, (*place, "required"), one)
            yield Edit("add", f"require {missing[0]} in {spelled(place)}", (operation,), COSTS["add"] + more - 1)
    if isinstance(required, list):
        names = properties if isinstance(properties, dict) else {}
        known = [name for name in required if isinstance(name, str) and name in names]
        if known and known != required:
            yield set_to((*place, "required"), known, more=more)


ID_KEYS = ("id", "call_id", "tool_call_id", "tool_use_id")
_UNSUITED = re.compile(r"[^A-Za-z0-9_-]+")


def naming_edits(request: RefusedRequest) -> Iterator[Edit]:
    yield from duplicate_edits(request)
    yield from _twice_declared(request)
    if not request.place or request.missing:
        return
    key = request.place[-1]
    value = request.value
    if key == "name":
        yield from _renamed(request, value)
    elif key in ID_KEYS and request.place[0] == request.list_key:
        # An id that stands alone in the conversation: that of the result of this call, or of the call of this
        # result
        conversation = walk(request.body.get(request.list_key), (request.list_key,))
        ids = [inner for where, inner in conversation if where[-1] in ID_KEYS and where != request.place]
        for other in ids:
            if isinstance(other, str) and other and ids.count(other) == 1 and other != value:
                words = f'set {spelled(request.place)} to "{other}", as its call or result has it'
                yield Edit("rename", words, (Operation("replace", request.place, other),), COSTS["rename"] - 3)
        yield from (renumbered(request, request.place, new) for new in _ids(request, value))


def _ids(request: RefusedRequest, value: Any) -> Iterator[str]:
    """The first is the nearest to the old id; the last has Mistral's nine letters and digits."""
    text = value if isinstance(value, str) else str(value)
    digest = hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()
    prefix = _prefix(request)
    bare = text or (f"call_{request.place[1]}" if len(request.place) > 1 else "call_1")
    conversation = walk(request.body.get(request.list_key), (request.list_key,))
    ids = {inner for where, inner in conversation if where[-1] in ID_KEYS and isinstance(inner, str) and inner != value}
    yield prefix + suited(bare, most=40 - len(prefix), taken={one.removeprefix(prefix) for one in ids})
    yield f"{prefix}{digest[:16]}"
    yield digest[:9]


def _prefix(request: RefusedRequest) -> str:
    """What ids of this type begin with, where the refusal says so."""
    match = re.search(r"(?:begins with '|\^)(\w+?_?)['\[]", request.violation.message)
    prefix = match[1] if match else ""
    return prefix if not prefix or prefix.endswith("_") else f"{prefix}_"


def _renamed(request: RefusedRequest, value: Any) -> Iterator[Edit]:
    """A declared tool's name for one that is missing; else the name with characters that every provider takes."""
    declared = declared_names(request)
    others = [name for name in declared if name != value]
    taken = frozenset(others)
    if not value or not isinstance(value, str):
        if len(declared) == 1 and declared[0] != value and isinstance(declared[0], str):
            yield set_to(request.place, declared[0])
        if not isinstance(value, dict | list):
            yield set_to(
                request.place, suited(str(value or "unnamed"), taken=taken), more=6, note="the name of the tool"
            )
        return
    new = suited(value, taken=taken) if "messages" not in request.place[:1] or len(request.place) > 3 else value
    if len(request.place) == 3 and request.place[0] == "messages":
        yield set_to(request.place, suited(value))
    elif new != value:
        places = [place for place, inner in walk(request.body) if inner == value and place[-1] == "name"]
        yield _rename(value, new, places)
        yield _rename(value, new, [request.place])
    elif "tool_choice" in request.place:
        yield from (set_to(request.place, name) for name in others[:1])


def _rename(old: str, new: str, places: list[Place]) -> Edit:
    words = f'rename "{redacted(old)[:60]}" to "{new}" at {listed(places)}'
    return Edit(
        "rename", words, tuple(Operation("replace", place, new) for place in places), COSTS["rename"] - 7 // len(places)
    )


def declared_names(request: RefusedRequest) -> list[Any]:
    tools = request.body.get("tools") if isinstance(request.body, dict) else None
    names = [inner for place, inner in walk(tools) if place and place[-1] == "name" and "properties" not in place]
    return [name for name in names if isinstance(name, str) and name]


def _twice_declared(request: RefusedRequest) -> Iterator[Edit]:
    """The second of two tools of one name goes if both are the same, and gets another name if not."""
    if "tools" not in request.place and "declar" not in request.violation.message.lower():
        return
    met: dict[str, Place] = {}
    for place, tool in walk(request.body.get("tools") if isinstance(request.body, dict) else None, ("tools",)):
        name = tool.get("name") if isinstance(tool, dict) and "properties" not in place else None
        if not isinstance(name, str):
            continue
        if name in met and at(request.body, met[name]) == tool:
            words = f"remove {listed([place])}, which {listed([met[name]])} declares already"
            yield Edit("remove", words, (Operation("remove", place),), COSTS["add"])
        elif name in met:
            yield _rename(name, f"{name}_2", [(*place, "name")])
        met.setdefault(name, place)


def unanswered_ids(request: RefusedRequest) -> list[str]:
    answered = {result.id for result in results_of(request)}
    return [call.id for call in calls_of(request) if isinstance(call.id, str) and call.id not in answered]


def suited(name: str, *, most: int = 64, taken: Collection[str] = ()) -> str:
    """The name with characters that every provider takes, as short as `most`. Another name never becomes the same, nor
    one that is `taken`."""
    new = _UNSUITED.sub("_", name).strip("_") or "x"
    if len(new) <= most and new not in taken:
        return new
    return f"{new[: most - 9]}_{hashlib.sha256(name.encode('utf-8', 'replace')).hexdigest()[:8]}"
