"""Edits of names and ids, wherever they are written: a tool, its calls, a choice of it; a call and its results."""

import hashlib
import re
from collections.abc import Collection, Iterator
from typing import Any

from agent_conformance.commands.check_request.advice.calls import calls_of, results_of
from agent_conformance.commands.check_request.advice.edits import COSTS, Edit, Operation, listed, set_to
from agent_conformance.commands.check_request.advice.pairing_edits import duplicate_edits, renumbered
from agent_conformance.commands.check_request.advice.places import Place, at, spelled, walk
from agent_conformance.commands.check_request.advice.refused_request import RefusedRequest
from agent_conformance.record.redaction import redacted

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
        yield from _free_ids(request, value)
        yield from (renumbered(request, request.place, new) for new in _ids(request, value))


def _free_ids(request: RefusedRequest, value: Any) -> Iterator[Edit]:
    """An id that stands alone in the conversation: that of the result of this call, or of the call of this result."""
    conversation = walk(request.body.get(request.list_key), (request.list_key,))
    ids = [inner for where, inner in conversation if where[-1] in ID_KEYS and where != request.place]
    for other in ids:
        if isinstance(other, str) and other and ids.count(other) == 1 and other != value:
            words = f'set {spelled(request.place)} to "{other}", as its call or result has it'
            yield Edit("rename", words, (Operation("replace", request.place, other),), COSTS["rename"] - 3)


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
