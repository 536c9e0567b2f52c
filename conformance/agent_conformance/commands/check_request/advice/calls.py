"""The calls and results of a conversation, on any wire, with their places."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from agent_conformance.commands.check_request.advice.places import Place
from agent_conformance.commands.check_request.advice.refused_request import RefusedRequest

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
                yield from _of_part(place, part, index)


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


def _of_part(place: Place, part: dict[str, Any], index: int) -> Iterator[tuple[Call, bool]]:
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


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None
