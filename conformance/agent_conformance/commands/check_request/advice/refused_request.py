"""A refused request as those see it who look for an edit, and what an edit is: a JSON Patch with its sentence and cost.

The cost orders edits by how little they take away: a value is converted or set, something is added, an id is renamed, a
part is moved, and only then something is removed, the smaller the sooner.
"""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

from agent_conformance.transcripts.redaction import redacted
from fake_providers import Rule, Violation
from fake_providers.registry import provider_wires
from fake_providers.wire_facts import WIRE_FACTS

Place = tuple[str | int, ...]

SOURCES = ("base64", "url", "file")
"""Types of sources of a file, with which places of Anthropic's errors end."""

_PART = re.compile(r"([^.\[\]]+)|\[(\d+)\]")
"""`messages[3].content` and `messages.3.content`: providers spell places in both ways."""


def place_of(body: Any, at: str) -> tuple[Place, str]:
    """The longest part of a place that exists, and the name of what is missing below it, or "".

    Providers spell places in their own ways: `messages.[2].role`, `messages.0.content.0.tool_use.input` with the type
    of the block as a part, `function_call` for `functionCall`.
    """
    place: list[str | int] = []
    value = body
    parts = _PART.findall(at)
    for number, (name, index) in enumerate(parts):
        part: str | int = int(index or name) if (index or name.isdigit()) else name
        # Whether this part of a place is the type of the value, and no member.
        if (
            isinstance(value, dict)
            and (part == value.get("type") and not isinstance(value.get(str(part)), dict | list))
            and (number + 1 < len(parts) or part in SOURCES)
        ):
            continue
        if isinstance(value, dict) and isinstance(part, int) and part < len(value):
            part = list(value)[part]  # Google counts the members of a map
            value = value[part]
        elif isinstance(value, dict) and part in ("value", "custom") and part not in value:
            continue
        elif isinstance(value, list) and isinstance(part, int) and part < len(value):
            value = value[part]
        elif isinstance(value, dict) and isinstance(part, str) and (key := _key(value, part)) is not None:
            value, part = value[key], key
        else:
            return tuple(place), part if isinstance(part, str) and isinstance(value, dict) else ""
        place.append(part)
    return tuple(place), ""


def _key(value: dict[str, Any], part: str) -> str | None:
    """The key as the body spells it; Google's errors say `function_call` of a `functionCall`."""
    bare = part.replace("_", "").lower()
    return part if part in value else next((key for key in value if key.replace("_", "").lower() == bare), None)


def spelled(place: Place) -> str:
    """`messages[2].role`."""
    text = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in place)
    return text.removeprefix(".")


def pointer(place: Place) -> str:
    """`/messages/2/role`, as in a JSON Patch."""
    return "".join("/" + str(part).replace("~", "~0").replace("/", "~1") for part in place)


def at(body: Any, place: Place) -> Any:
    """What is at the place. Raises `LookupError`."""
    for part in place:
        body = body[part]
    return body


def walk(value: Any, place: Place = ()) -> Iterator[tuple[Place, Any]]:
    """Every value below this one with its place, itself first, without recursion."""
    waiting = [(place, value)]
    while waiting:
        here, value = waiting.pop()
        yield here, value
        if isinstance(value, dict):
            waiting.extend(((*here, key), member) for key, member in reversed(value.items()))
        elif isinstance(value, list):
            waiting.extend(((*here, index), value[index]) for index in range(len(value) - 1, -1, -1))


def leaves(value: Any, *, most: int = 50) -> int:
    """How many values that hold no others are in this one; counted up to `most`."""
    count = 0
    for _, inner in walk(value):
        count += not isinstance(inner, dict | list) or not inner
        if count >= most:
            break
    return count


@dataclass(frozen=True, slots=True)
class RefusedRequest:
    """`place` is the part of the violation's place that exists, `missing` the name of what does not; `rule` is None for
    a violation of no rule."""

    provider: str
    wire: str
    body: Any
    violation: Violation
    place: Place
    missing: str
    rule: Rule | None
    conversation: tuple[dict[str, Any], ...]

    @property
    def list_key(self) -> str:
        """The key of the conversation: `messages`, `contents` or `input`."""
        return WIRE_FACTS[self.wire].conversation

    @property
    def content_key(self) -> str:
        return WIRE_FACTS[self.wire].parts

    @property
    def value(self) -> Any:
        return at(self.body, self.place)

    def parts(self, index: int) -> Iterator[tuple[Place, dict[str, Any]]]:
        """The parts of a message that are objects, with their places."""
        content = self.conversation[index].get(self.content_key)
        for number, part in enumerate(content if isinstance(content, list) else ()):
            if isinstance(part, dict):
                yield (self.list_key, index, self.content_key, number), part


def refused_request(provider: str, wire: str, body: Any, violation: Violation) -> RefusedRequest:
    place, missing = place_of(body, violation.at)
    found = body.get(WIRE_FACTS[wire].conversation) if isinstance(body, dict) else None
    entries = found if isinstance(found, list) else []
    conversation = tuple(entry if isinstance(entry, dict) else {} for entry in entries)
    rule = rules_of(provider).get(violation.rule)
    return RefusedRequest(provider, wire, body, violation, place, missing, rule, conversation)


def declared(request: RefusedRequest) -> Iterator[tuple[Place, str]]:
    """The names of tools, with their places."""
    tools = request.body.get("tools") if isinstance(request.body, dict) else None
    for place, inner in walk(tools, ("tools",)):
        if place[-1] == "name" and "properties" not in place and isinstance(inner, str) and inner:
            yield place, inner


@cache
def rules_of(provider: str) -> dict[str, Rule]:
    return {rule.id: rule for wire in provider_wires(provider) for rule in wire.rules}


@dataclass(frozen=True, slots=True)
class Call:
    """A call or a result. `id_place` is where the id is, `message` the index of its message."""

    place: Place
    id_place: Place
    id: str | None
    name: str | None
    message: int
    is_result: bool
    type: str = ""


FORMS = {
    "tool_use": ("id", False),
    "server_tool_use": ("id", False),
    "web_search_tool_result": ("tool_use_id", True),
    "tool_result": ("tool_use_id", True),
    "toolUse": ("toolUseId", False),
    "toolResult": ("toolUseId", True),
    "functionCall": ("id", False),
    "function_call": ("id", False),
    "functionResponse": ("id", True),
    "function_response": ("id", True),
}
"""Of a part whose type or whose member this is: the member with the id, and whether it is a result."""


def form_of(part: Any) -> tuple[Place, str, bool] | None:
    """The way to the object with the id of a call or a result, the member that holds it, whether it is a result."""
    if not isinstance(part, dict):
        return None
    type_ = part.get("type")
    if "call_id" in part and isinstance(type_, str):
        return (), "call_id", type_.endswith("_output")
    if part.get("role") == "tool":
        return (), "tool_call_id", True
    for key, (id_key, is_result) in FORMS.items():
        if isinstance(part.get(key), dict):
            return (key,), id_key, is_result
        if type_ == key != "function_call":
            return (), id_key, is_result
    return None


def is_result_part(part: Any) -> bool:
    form = form_of(part)
    return form is not None and form[2]


def is_call_part(part: Any) -> bool:
    form = form_of(part)
    return form is not None and not form[2]


def calls_and_results(request: RefusedRequest) -> tuple[tuple[Call, ...], tuple[Call, ...]]:
    found: list[Call] = []
    for index, message in enumerate(request.conversation if request.wire != "ollama-chat" else ()):
        here: Place = (request.list_key, index)
        calls = message.get("tool_calls")
        for place, part in ((here, message), *request.parts(index)):
            if form := form_of(part):
                found.append(_call(place, part, index, form))
        for number, part in enumerate(calls if isinstance(calls, list) else ()):
            if isinstance(part, dict):
                found.append(_call((*here, "tool_calls", number), part, index, ((), "id", False)))
    return tuple(one for one in found if not one.is_result), tuple(one for one in found if one.is_result)


def _call(place: Place, part: dict[str, Any], index: int, form: tuple[Place, str, bool]) -> Call:
    way, id_key, is_result = form
    inner = at(part, way)
    function = inner.get("function")
    id, name = inner.get(id_key), (function if isinstance(function, dict) else inner).get("name")
    return Call(
        place,
        (*place, *way, id_key),
        id if isinstance(id, str) else None,
        name if isinstance(name, str) else None,
        index,
        is_result,
        str(part.get("type", "")),
    )


def belongs(result: Call, call: Call) -> bool:
    """By the id; by the name where neither has one."""
    return result.id == call.id if call.id or result.id else result.name == call.name


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
