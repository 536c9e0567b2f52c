"""A refused request as those see it who look for an edit: its wire, the violation, and its messages by wire."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from fake_providers import Violation
from fake_providers.registry import provider_wires

Place = tuple[str | int, ...]

SOURCES = ("base64", "url", "file")
"""Types of sources of a file, with which places of Anthropic's errors end."""

_PART = re.compile(r"([^.\[\]]+)|\[(\d+)\]")


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


LISTS = {"gemini-generate": "contents", "openai-responses": "input"}
CONTENTS = {"gemini-generate": "parts"}


@dataclass(frozen=True, slots=True)
class RefusedRequest:
    """`place` is the part of the violation's place that exists, `missing` the name of what does not; `why` is what the
    rule says.
    """

    provider: str
    wire: str
    body: Any
    violation: Violation
    place: Place
    missing: str
    why: str
    conversation: tuple[dict[str, Any], ...]

    @property
    def list_key(self) -> str:
        return list_key_of(self.wire)

    @property
    def content_key(self) -> str:
        return CONTENTS.get(self.wire, "content")

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
    found = body.get(list_key_of(wire)) if isinstance(body, dict) else None
    entries = found if isinstance(found, list) else []
    conversation = tuple(entry if isinstance(entry, dict) else {} for entry in entries)
    why = _why(provider, violation.rule)
    return RefusedRequest(provider, wire, body, violation, place, missing, why, conversation)


def list_key_of(wire: str) -> str:
    """The key of the conversation: `messages`, `contents` or `input`."""
    return LISTS.get(wire, "messages")


@cache
def _why(provider: str, rule: str) -> str:
    rules = (each for wire in provider_wires(provider) for each in wire.rules)
    return next((each.why for each in rules if each.id == rule), "")


PLACEHOLDER = "(the result of the tool)"


@dataclass(frozen=True, slots=True)
class Call:
    """`id_place` is where the id is, `message` the index of its message. A result has the same members."""

    place: Place
    id_place: Place
    id: str | None
    name: str | None
    message: int
    type: str = ""


def calls_of(request: RefusedRequest) -> tuple[Call, ...]:
    return tuple(call for call, is_result in _all(request) if not is_result)


def results_of(request: RefusedRequest) -> tuple[Call, ...]:
    return tuple(call for call, is_result in _all(request) if is_result)


def belongs(result: Call, call: Call) -> bool:
    """By the id; by the name where neither has one."""
    return result.id == call.id if call.id or result.id else result.name == call.name


def result_for(request: RefusedRequest, call: Call) -> Any:
    """A result with a placeholder, as this wire has it: a message, an item, or a part of a message."""
    if request.wire == "anthropic-messages":
        return {"type": "tool_result", "tool_use_id": call.id, "content": PLACEHOLDER}
    if request.wire == "bedrock-converse":
        return {"toolResult": {"toolUseId": call.id, "content": [{"text": PLACEHOLDER}]}}
    if request.wire == "gemini-generate":
        same = {"id": call.id} if isinstance(call.id, str) else {}
        return {"functionResponse": {**same, "name": call.name, "response": {"result": PLACEHOLDER}}}
    if request.wire == "openai-responses":
        return {"type": f"{call.type}_output", "call_id": call.id, "output": PLACEHOLDER}
    return {"role": "tool", "tool_call_id": call.id, "content": PLACEHOLDER}


def is_result_part(part: Any) -> bool:
    return isinstance(part, dict) and (
        part.get("type") == "tool_result" or bool(part.keys() & {"functionResponse", "function_response", "toolResult"})
    )


def is_call_part(part: Any) -> bool:
    return isinstance(part, dict) and (
        part.get("type") == "tool_use" or bool(part.keys() & {"functionCall", "function_call", "toolUse"})
    )


def _all(request: RefusedRequest) -> Iterator[tuple[Call, bool]]:
    for index, message in enumerate(request.conversation):
        if request.wire == "openai-responses":
            yield from _of_item(request, index, message)
        elif request.wire == "openai-chat":
            yield from _of_chat(request, index, message)
        else:
            for place, part in request.parts(index):
                if part.get("type") == "tool_use":
                    yield Call(place, (*place, "id"), _text(part.get("id")), _text(part.get("name")), index), False
                if part.get("type") == "tool_result":
                    yield Call(place, (*place, "tool_use_id"), _text(part.get("tool_use_id")), None, index), True
                for key in ("toolUse", "toolResult"):
                    inner = part.get(key)
                    if isinstance(inner, dict):
                        id_place = (*place, key, "toolUseId")
                        yield (
                            Call(place, id_place, _text(inner.get("toolUseId")), _text(inner.get("name")), index),
                            key != "toolUse",
                        )
                for key in ("functionCall", "function_call", "functionResponse", "function_response"):
                    inner = part.get(key)
                    if isinstance(inner, dict):
                        call = Call(place, (*place, key, "id"), _text(inner.get("id")), _text(inner.get("name")), index)
                        yield call, key.endswith("esponse")


def _of_item(request: RefusedRequest, index: int, item: dict[str, Any]) -> Iterator[tuple[Call, bool]]:
    place: Place = (request.list_key, index)
    type_ = item.get("type")
    if "call_id" in item and isinstance(type_, str):
        call = Call(place, (*place, "call_id"), _text(item["call_id"]), _text(item.get("name")), index, type_)
        yield call, type_.endswith("_output")


def _of_chat(request: RefusedRequest, index: int, message: dict[str, Any]) -> Iterator[tuple[Call, bool]]:
    place: Place = (request.list_key, index)
    calls = message.get("tool_calls")
    for number, call in enumerate(calls if isinstance(calls, list) else ()):
        if isinstance(call, dict):
            here = (*place, "tool_calls", number)
            function = call.get("function")
            name = _text(function.get("name")) if isinstance(function, dict) else None
            yield Call(here, (*here, "id"), _text(call.get("id")), name, index), False
    if message.get("role") == "tool":
        id_place = (*place, "tool_call_id")
        yield Call(place, id_place, _text(message.get("tool_call_id")), _text(message.get("name")), index), True


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None
