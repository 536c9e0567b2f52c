"""A chat request as a gateway sends it on to OpenAI's Responses API, and samples of that wire's rules as chat requests.

Knows no gateway. What Responses has no place for is left out.
"""

import re
from typing import Any, Final

from fake_providers.providers.shared.chat_reading import calls, function, inner
from fake_providers.values.json_texts import copied
from fake_providers.values.lenient import listed

SAME: Final[tuple[str, ...]] = ("model", "stream", "reasoning", "temperature", "top_p", "parallel_tool_calls")
PART_TYPES: Final = {"text": "input_text", "image_url": "input_image"}
PLACES: Final = (
    (r"^max_output_tokens", "max_tokens"),
    (r"^text\.format\.(name|schema|strict)", r"response_format.json_schema.\1"),
    (r"^text\.format", "response_format"),
    (r"^tools\[(\d+)\]\.(name|description|parameters|strict)", r"tools[\1].function.\2"),
    (r"^tool_choice\.name", "tool_choice.function.name"),
)
"""Places in the request to Responses, and in the chat request that it was made of."""


def as_responses(body: dict[str, Any]) -> dict[str, Any]:
    """The body for `/v1/responses`."""
    made: dict[str, Any] = {name: body[name] for name in SAME if body.get(name) is not None}
    made["input"] = [item for _, item in _items(body)]
    longest = body.get("max_tokens") or body.get("max_completion_tokens")
    if longest is not None:
        made["max_output_tokens"] = longest
    format_ = inner(body, "response_format")
    if format_.get("type") in ("json_object", "json_schema"):
        made["text"] = {"format": {"type": format_["type"], **inner(format_, "json_schema")}}
    if tools := [_tool(function(tool)) for tool in listed(body.get("tools")) if isinstance(tool, dict)]:
        made["tools"] = tools
    choice = body.get("tool_choice")
    if tools and choice is not None:
        name = function(choice).get("name") if isinstance(choice, dict) else None
        made["tool_choice"] = {"type": "function", "name": name} if isinstance(choice, dict) else choice
    return made


def _tool(declared: dict[str, Any]) -> dict[str, Any]:
    named = {name: value for name, value in declared.items() if value is not None}
    return {"type": "function", **named}


def _items(body: dict[str, Any]) -> list[tuple[int, dict[str, Any]]]:
    """Each item, with the index of the message that it is made of."""
    items: list[tuple[int, dict[str, Any]]] = []
    for index, message in enumerate(listed(body.get("messages"))):
        if not isinstance(message, dict):
            continue
        role, content = message.get("role"), message.get("content")
        if role == "tool":
            result = {"type": "function_call_output", "call_id": message.get("tool_call_id")}
            items.append((index, {**result, "output": _content(content, "")}))
        elif content:
            items.append((index, {"role": role, "content": _content(content, role)}))
        for _, call in calls(message):
            wanted = {name: function(call).get(name) for name in ("name", "arguments")}
            items.append((index, {"type": "function_call", "call_id": call.get("id"), **wanted}))
    return items


def _content(content: Any, role: Any) -> Any:
    if not isinstance(content, list):
        return "" if content is None else content
    if role == "assistant":
        texts = (part.get("text") for part in content if isinstance(part, dict))
        return "\n".join(text for text in texts if isinstance(text, str))
    return [made for part in content if isinstance(part, dict) and (made := _part(part))]


def _part(part: dict[str, Any]) -> dict[str, Any] | None:
    """None for sound and files, of which it is not known what becomes."""
    kind = part.get("type")
    if kind == "text":
        return {"type": "input_text", "text": part.get("text")}
    return {"type": "input_image", "image_url": inner(part, "image_url").get("url")} if kind == "image_url" else None


def place_in_chat(at: str, body: dict[str, Any]) -> str:
    """The place in the chat request, which is `body`, of a place in the request to Responses."""
    if found := re.match(r"input\[(\d+)\]", at):
        items = _items(body)
        return f"messages[{items[int(found[1])][0]}]" if int(found[1]) < len(items) else "messages"
    for pattern, name in PLACES:
        at = re.sub(pattern, name, at)
    return "messages" if at == "input" else at


def as_chat(body: dict[str, Any]) -> dict[str, Any]:
    """The chat request that becomes this sample of a rule of Responses."""
    made = {name: body[name] for name in SAME if name in body}
    made["messages"] = [_message(item) for item in body["input"]]
    if "max_output_tokens" in body:
        made["max_tokens"] = body["max_output_tokens"]
    if format_ := inner(body, "text", "format"):
        schema = {name: value for name, value in format_.items() if name != "type"}
        made["response_format"] = {"type": format_["type"], **({"json_schema": schema} if schema else {})}
    if "tools" in body:
        made["tools"] = [
            {"type": "function", "function": {name: value for name, value in tool.items() if name != "type"}}
            for tool in body["tools"]
        ]
    choice = body.get("tool_choice")
    if choice is not None:
        named = isinstance(choice, dict)
        made["tool_choice"] = {"type": "function", "function": {"name": choice["name"]}} if named else choice
    return copied(made)


def _message(item: dict[str, Any]) -> dict[str, Any]:
    if item.get("type") == "function_call":
        wanted = {"name": item.get("name"), "arguments": item.get("arguments")}
        call = {"id": item.get("call_id"), "type": "function", "function": wanted}
        return {"role": "assistant", "content": None, "tool_calls": [call]}
    if item.get("type") == "function_call_output":
        return {"role": "tool", "tool_call_id": item.get("call_id"), "content": item.get("output")}
    content = item["content"]
    if not isinstance(content, list):
        return {"role": item["role"], "content": content}
    parts = [
        {"type": "text", "text": part.get("text")}
        if part["type"] == "input_text"
        else {"type": "image_url", "image_url": {"url": part.get("image_url")}}
        for part in content
    ]
    return {"role": item["role"], "content": parts}
