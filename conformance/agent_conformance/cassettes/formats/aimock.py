"""The fixtures of aimock, written by hand or recorded: what to match and what to answer, without the HTTP.

As a cassette, each becomes a chat completion: the request says what the fixture matches, the response what it answers.
"""

import json
from collections.abc import Mapping
from typing import Any

from agent_conformance.cassettes.formats import Unreadable
from agent_conformance.cassettes.recorded_exchange import Place, RecordedExchange, RecordedRequest, RecordedResponse

KEYS = ("fixtures",)
URL = "https://api.openai.com/v1/chat/completions"
JSON = (("content-type", "application/json"),)
MODEL = "gpt-4.1"


def exchange_of(entry: Any, place: Place) -> RecordedExchange:
    """Raises `Unreadable` for a fixture without a response in words, such as an image."""
    parts = match_and_response(entry)
    if parts is None:
        raise Unreadable("the fixture has no `match` and `response`.")
    match, response = parts
    model = match.get("model") if isinstance(match.get("model"), str) else MODEL
    messages = []
    for member, role in (("systemMessage", "system"), ("userMessage", "user")):
        value = match.get(member)
        text = " ".join(map(str, value)) if isinstance(value, list) else value
        if isinstance(text, str):
            messages.append({"role": role, "content": text})
    request = {"model": model, "messages": list(messages), **_tools(match)}
    status, body = _answer(response, str(model))
    return RecordedExchange(
        RecordedRequest("POST", URL, JSON, _json(request)),
        RecordedResponse(status, JSON, (_json(body),)),
        place=place,
        is_made_up=True,
    )


def match_and_response(entry: Any) -> tuple[Mapping[str, Any], Mapping[str, Any]] | None:
    """None where one of them is missing, or no object."""
    match, response = (entry.get(name) if isinstance(entry, Mapping) else None for name in ("match", "response"))
    return (match, response) if isinstance(match, Mapping) and isinstance(response, Mapping) else None


def said_in(response: Mapping[str, Any]) -> tuple[str | None, list[Mapping[str, Any]]]:
    """Text and calls, as they stand in the fixture. Where there are blocks, aimock reads nothing else."""
    blocks = _objects(response.get("blocks"))
    if blocks:
        text = "".join(str(block.get("text", "")) for block in blocks if block.get("type") == "text")
        return text or None, [block for block in blocks if block.get("type") == "toolCall"]
    content = response.get("content")
    return None if content is None else _text(content), _objects(response.get("toolCalls"))


def _tools(match: Mapping[str, Any]) -> dict[str, Any]:
    name = match.get("toolName")
    parameters = {"type": "object", "properties": {}}
    tool = {"type": "function", "function": {"name": name, "parameters": parameters}}
    return {"tools": [tool]} if isinstance(name, str) else {}


def _answer(response: Mapping[str, Any], model: str) -> tuple[int, dict[str, Any]]:
    error = response.get("error")
    if isinstance(error, Mapping):
        status = response.get("status")
        return (status if isinstance(status, int) else 500), {"error": dict(error)}
    message = message_of(response)
    if message is None:
        raise Unreadable(f"the response has {_members(response)}. Only text, reasoning, calls and errors are read.")
    finish = response.get("finishReason") or ("tool_calls" if message.get("tool_calls") else "stop")
    usage = {"usage": dict(response["usage"])} if isinstance(response.get("usage"), Mapping) else {}
    choice = {"index": 0, "message": message, "finish_reason": finish}
    return 200, {"object": "chat.completion", "model": model, "choices": [choice], **usage}


def message_of(response: Mapping[str, Any]) -> dict[str, Any] | None:
    """The message of a chat completion that says the same; None for a response of another kind."""
    text, calls = said_in(response)
    if text is None and not calls and not _objects(response.get("blocks")):
        return None
    message: dict[str, Any] = {"role": "assistant", "content": text or None}
    if isinstance(response.get("reasoning"), str):
        message["reasoning_content"] = response["reasoning"]
    if calls:
        message["tool_calls"] = [_call(call, number) for number, call in enumerate(calls, 1)]
    return message


def _objects(value: Any) -> list[Mapping[str, Any]]:
    return [one for one in value if isinstance(one, Mapping)] if isinstance(value, list) else []


def _call(call: Mapping[str, Any], number: int) -> dict[str, Any]:
    function = {"name": str(call.get("name", "")), "arguments": _text(call.get("arguments", "{}"))}
    return {"id": str(call.get("id") or f"call_{number}"), "type": "function", "function": function}


def _text(value: Any) -> str:
    return value if isinstance(value, str) else "" if value is None else json.dumps(value, ensure_ascii=False)


def _json(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode(errors="replace")


def _members(response: Mapping[str, Any]) -> str:
    return ", ".join(f"`{name}`" for name in list(response)[:5]) or "no members"
