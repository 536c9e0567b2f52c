"""A chat request as the request to the Messages API that Anthropic's OpenAI-compatible endpoint makes of it.

Follows the endpoint's documentation: system messages are joined in front, results of tools become blocks of a user
message, and what Messages has no place for is left out. Knows no rule; takes any JSON object.
"""

import json
from typing import Any, Final

from fake_providers.providers.shared.chat_reading import function, listed

DEFAULT_MAX_TOKENS: Final = 4096
TYPES_OF_CHOICES: Final = {"auto": "auto", "required": "any", "none": "none"}


def as_messages(body: dict[str, Any]) -> dict[str, Any]:
    """The body for `/v1/messages`."""
    systems: list[str] = []
    translated: list[dict[str, Any]] = []
    for message in listed(body.get("messages")):
        if not isinstance(message, dict):
            continue
        if message.get("role") in ("system", "developer"):
            systems.append(_text(message.get("content")))
        elif message.get("role") == "tool" and translated and _has_results(translated[-1]):
            translated[-1]["content"].append(_result(message))
        else:
            translated.append(_message(message))
    longest = body.get("max_completion_tokens") or body.get("max_tokens") or DEFAULT_MAX_TOKENS
    made: dict[str, Any] = {"model": body.get("model"), "max_tokens": longest, "messages": translated}
    if text := "\n".join(filter(None, systems)):
        made["system"] = text
    made |= {name: body[name] for name in ("top_p", "stream", "thinking") if body.get(name) is not None}
    if isinstance(body.get("temperature"), int | float):
        made["temperature"] = min(body["temperature"], 1)
    stops = [body["stop"]] if isinstance(body.get("stop"), str) else listed(body.get("stop"))
    if kept := [stop for stop in stops if isinstance(stop, str) and stop.strip()]:
        made["stop_sequences"] = kept
    if tools := [_tool(tool) for tool in listed(body.get("tools")) if isinstance(tool, dict)]:
        made["tools"] = tools
        made |= _choice(body)
    return made


def places_of(body: dict[str, Any]) -> list[list[int]]:
    """Of each translated message, the index of the message that each of its blocks comes from."""
    places: list[list[int]] = []
    in_results = False
    for index, message in enumerate(listed(body.get("messages"))):
        role = message.get("role") if isinstance(message, dict) else "system"
        if role in ("system", "developer"):
            continue
        if role == "tool" and in_results:
            places[-1].append(index)
        else:
            places.append([index])
        in_results = role == "tool"
    return places


def _has_results(message: dict[str, Any]) -> bool:
    content = message["content"]
    return message["role"] == "user" and isinstance(content, list) and content[:1] != [] and "tool_use_id" in content[0]


def _message(message: dict[str, Any]) -> dict[str, Any]:
    role, content = message.get("role"), message.get("content")
    if role == "tool":
        return {"role": "user", "content": [_result(message)]}
    blocks = [block for part in listed(content) if isinstance(part, dict) and (block := _block(part))]
    calls = [_call(call) for call in listed(message.get("tool_calls")) if isinstance(call, dict)]
    if not calls:
        return {"role": role, "content": blocks if isinstance(content, list) else content or ""}
    texts = [{"type": "text", "text": content}] if isinstance(content, str) and content else blocks
    return {"role": role, "content": [*texts, *calls]}


def _block(part: dict[str, Any]) -> dict[str, Any] | None:
    """None for audio, which is stripped."""
    if part.get("type") == "text":
        return {"type": "text", "text": part.get("text")}
    picture = part.get("image_url")
    url = picture.get("url") if isinstance(picture, dict) else None
    if part.get("type") != "image_url" or not isinstance(url, str):
        return None
    head, comma, data = url.partition(";base64,")
    if head.startswith("data:") and comma:
        source = {"type": "base64", "media_type": head.removeprefix("data:"), "data": data}
    else:
        source = {"type": "url", "url": url}
    return {"type": "image", "source": source}


def _call(call: dict[str, Any]) -> dict[str, Any]:
    wanted = function(call)
    return {"type": "tool_use", "id": call.get("id"), "name": wanted.get("name"), "input": _read(wanted)}


def _read(wanted: dict[str, Any]) -> Any:
    try:
        return json.loads(wanted.get("arguments") or "{}")
    except (TypeError, ValueError, RecursionError):
        return {}


def _result(message: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "tool_result",
        "tool_use_id": message.get("tool_call_id"),
        "content": _text(message.get("content")),
    }


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    parts = (part.get("text") for part in listed(content) if isinstance(part, dict))
    return "\n".join(text for text in parts if isinstance(text, str))


def _tool(tool: dict[str, Any]) -> dict[str, Any]:
    declared = function(tool)
    made = {"name": declared.get("name"), "input_schema": declared.get("parameters") or {"type": "object"}}
    if isinstance(declared.get("description"), str):
        made["description"] = declared["description"]
    return made


def _choice(body: dict[str, Any]) -> dict[str, Any]:
    choice = body.get("tool_choice")
    alone = {} if body.get("parallel_tool_calls") is not False else {"disable_parallel_tool_use": True}
    if isinstance(choice, dict):
        return {"tool_choice": {"type": "tool", "name": function(choice).get("name"), **alone}}
    kind = TYPES_OF_CHOICES.get(choice, "") if isinstance(choice, str) else ""
    if kind == "none":
        return {"tool_choice": {"type": "none"}}
    return {"tool_choice": {"type": kind or "auto", **alone}} if kind or alone else {}


def as_chat(body: dict[str, Any]) -> dict[str, Any]:
    """The other way round: the chat request that becomes this one. `body` is a sample of a rule of Messages."""
    kept = {name: body[name] for name in body if name in ("model", "max_tokens", "temperature", "top_p", "thinking")}
    sent = [{"role": "system", "content": body["system"]}] if "system" in body else []
    for message in body["messages"]:
        sent += _sent(message)
    tools = [{"type": "function", "function": _declared(tool)} for tool in body.get("tools", ())]
    choice = body.get("tool_choice", {})
    names = {"any": "required", "tool": {"type": "function", "function": {"name": choice.get("name")}}}
    kept |= {"tools": tools} if tools else {}
    return {**kept, "messages": sent, **({"tool_choice": names.get(choice["type"], choice["type"])} if choice else {})}


def _declared(tool: dict[str, Any]) -> dict[str, Any]:
    names = {"name": "name", "description": "description", "input_schema": "parameters"}
    return {names[name]: value for name, value in tool.items() if name in names}


def _sent(message: dict[str, Any]) -> list[dict[str, Any]]:
    if not isinstance(message["content"], list):
        return [message]
    of = {kind: [block for block in message["content"] if block["type"] == kind] for kind in BLOCKS}
    results = [
        {"role": "tool", "tool_call_id": block["tool_use_id"], "content": block["content"]}
        for block in of["tool_result"]
    ]
    calls = [
        {
            "id": block["id"],
            "type": "function",
            "function": {"name": block["name"], "arguments": json.dumps(block["input"])},
        }
        for block in of["tool_use"]
    ]
    if results and not of["text"]:
        return results
    called = {"tool_calls": calls} if calls else {}
    return [*results, {"role": message["role"], "content": of["text"] or (None if calls else []), **called}]


BLOCKS: Final = ("text", "tool_use", "tool_result")
