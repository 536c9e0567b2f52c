"""A request to Responses as a gateway sends it on to a maker that has no Responses: as chat completions.

Knows no gateway. Items that chat completions have no place for are left out.
"""

import re
from typing import Any, Final

from msgspec.structs import replace

from fake_providers.providers.shared.chat_as_responses import as_responses
from fake_providers.providers.shared.makers_book import Maker
from fake_providers.providers.shared.translated_book import Translation
from fake_providers.values.lenient import listed

SAME: Final = ("model", "stream", "reasoning", "temperature", "top_p", "parallel_tool_calls", "tool_choice")
TEXTS: Final = ("input_text", "output_text", "refusal")


def as_chat(body: dict[str, Any]) -> dict[str, Any]:
    """The body for `/v1/chat/completions`."""
    made: dict[str, Any] = {name: body[name] for name in SAME if body.get(name) is not None}
    begins = [{"role": "system", "content": body["instructions"]}] if body.get("instructions") else []
    made["messages"] = [*begins, *(message for _, message in _messages(body))]
    if body.get("max_output_tokens") is not None:
        made["max_tokens"] = body["max_output_tokens"]
    declared = [tool for tool in listed(body.get("tools")) if isinstance(tool, dict) and tool.get("type") == "function"]
    if declared:
        made["tools"] = [{"type": "function", "function": _without_type(tool)} for tool in declared]
    if isinstance(choice := made.get("tool_choice"), dict):
        made["tool_choice"] = {"type": "function", "function": {"name": choice.get("name")}}
    return made


def _without_type(tool: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in tool.items() if name != "type"}


def _messages(body: dict[str, Any]) -> list[tuple[int, dict[str, Any]]]:
    """Each message, with the index of the first item that it is made of. What the model said and called is one."""
    given = body.get("input")
    items = [{"role": "user", "content": given}] if isinstance(given, str) else listed(given)
    made: list[tuple[int, dict[str, Any]]] = []
    for index, item in enumerate(items):
        if not isinstance(item, dict):
            continue
        own = _of_model(item)
        if own is None:
            made += [(index, message)] if (message := _message(item)) else []
        elif made and made[-1][1]["role"] == "assistant" and not ("content" in own and "content" in made[-1][1]):
            calls = [*made[-1][1].get("tool_calls", ()), *own.get("tool_calls", ())]
            made[-1] = (made[-1][0], {**made[-1][1], **own, **({"tool_calls": calls} if calls else {})})
        else:
            made.append((index, {"role": "assistant", **own}))
    return [(index, {"content": None, **message}) for index, message in made]


def _of_model(item: dict[str, Any]) -> dict[str, Any] | None:
    """The members that an item of the model's gives to its message."""
    kind = item.get("type", "message")
    if kind == "function_call":
        wanted = {name: item.get(name) for name in ("name", "arguments")}
        return {"tool_calls": [{"id": item.get("call_id"), "type": "function", "function": wanted}]}
    if kind == "reasoning":
        secret = item.get("encrypted_content")
        return {"reasoning_details": [{"type": "reasoning.encrypted", "data": secret}]} if secret else {}
    return {"content": _content(item.get("content"))} if item.get("role") == "assistant" else None


def _message(item: dict[str, Any]) -> dict[str, Any] | None:
    if item.get("type") == "function_call_output":
        return {"role": "tool", "tool_call_id": item.get("call_id"), "content": _content(item.get("output"))}
    return {"role": item["role"], "content": _content(item.get("content"))} if "role" in item else None


def _content(content: Any) -> Any:
    if not isinstance(content, list):
        return content
    return [made for part in content if isinstance(part, dict) and (made := _part(part))]


def _part(part: dict[str, Any]) -> dict[str, Any] | None:
    if part.get("type") in TEXTS:
        return {"type": "text", "text": part.get("text", part.get("refusal"))}
    is_picture = part.get("type") == "input_image" and isinstance(part.get("image_url"), str)
    return {"type": "image_url", "image_url": {"url": part["image_url"]}} if is_picture else None


def _place(at: str, body: dict[str, Any]) -> str:
    """The place in the request to Responses of a place in the chat request."""
    found = re.match(r"messages\[(\d+)\]", at)
    if found is None:
        return "input" if at.startswith("messages") else re.sub(r"^(tools\[\d+\])\.function", r"\1", at)
    index = int(found[1]) - bool(body.get("instructions"))
    made = _messages(body)
    return f"input[{made[index][0]}]" if 0 <= index < len(made) else "input"


def on_responses(maker: Maker, *names: str) -> Maker:
    """The maker behind a gateway's Responses, with these of its rules: what holds there is only known of others."""
    inner = maker.translation
    translation = Translation(
        lambda body: inner.native(as_chat(body)),
        lambda sample: as_responses(inner.chat(sample)),
        lambda at, body: _place(inner.place(at, as_chat(body)), body),
        (),
        pairs={id: (as_responses(wrong), as_responses(right)) for id, (wrong, right) in inner.pairs.items()},
    )
    return replace(maker, quoted=dict.fromkeys(names), translation=translation, deduced=True)
