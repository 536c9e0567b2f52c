"""Parses a request to `/api/chat`: its route, its JSON and its neutral view. Refuses nothing and never raises."""

from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

from msgspec.structs import replace

from fake_providers.http import Request
from fake_providers.values.go_json_body import PARTS, body_of
from fake_providers.values.lenient import listed, text_or_none
from fake_providers.values.pictures import Picture, pictures_in
from fake_providers.view import View, ViewCall, ViewMessage, ViewResult, ViewTool, going_on, read_arguments, with_tools
from fake_providers.wire import Route
from fake_providers.wires.ollama_chat.go_json_fields import by_lower_names, member_named


def route_of(request: Request) -> Route | None:
    if request.method.upper() != "POST" or not urlsplit(request.path).path.endswith("/api/chat"):
        return None
    body = body_of(request)
    return Route(model_of(body), wants_stream(body))


def model_of(body: Any) -> str:
    model = member(body, "model")
    return model if isinstance(model, str) else ""


def wants_stream(body: Any) -> bool:
    """Ollama streams unless `stream` is false."""
    return member(body, "stream") is not False


def loads_only(body: Any) -> bool:
    """Whether the request has no messages: it only loads or unloads the model."""
    return isinstance(body, dict) and not member(body, "messages")


def member(value: Any, name: str) -> Any:
    """The member of this name as Go finds it, or None if it is missing or the value is not an object."""
    return member_named(value, name) if isinstance(value, dict) else None


def view_of(request: Request) -> View:
    """`tool_choice` is not a field of this wire, and an empty list of tools, which Ollama's own SDK always sends,
    counts as none. A `format` leaves no room for calls (ollama/ollama#8095; its maintainer in ollama/ollama#11185:
    "will not work with tools as models require other control tokens")."""
    body = body_of(request)
    if not isinstance(body, dict):
        return View("", wants_stream(body))
    said = PARTS.folded(request.body, "messages", _seen, going_on)
    if said is None:
        said = going_on(None, [_seen(index, one) for index, one in enumerate(listed(member(body, "messages")))])
    tools = PARTS.made(request.body, "tools", _tools)
    tools = _tools(listed(member(body, "tools"))) if tools is None else tools
    asked, offers = PARTS.of_parameters(request.body, _asked) or _asked(body), member(body, "tools")
    return replace(
        asked,
        system="\n".join(said.system),
        messages=said.messages,
        tools=tools,
        fields=with_tools(asked.fields) if offers else asked.fields,
        forbids_calls=bool(member(body, "format") and offers),
    )


def _asked(body: dict[str, Any]) -> View:
    """What the parameters say, without messages and tools."""
    format_, options = member(body, "format"), member(body, "options")
    return View(
        model=model_of(body),
        stream=wants_stream(body),
        schema=format_ if isinstance(format_, dict) else None,
        window=window if isinstance(window := member(options, "num_ctx"), int) else None,
        answer_format="json" if format_ == "json" or isinstance(format_, dict) else "text",
        max_tokens=longest if isinstance(longest := member(options, "num_predict"), int) and longest > 0 else None,
    )


def _seen(index: int, message: Any) -> ViewMessage | str | None:
    """A message, the text of a system message, or None for what is no message."""
    return _message(index, by_lower_names(message)) if isinstance(message, dict) else None


def _message(index: int, message: dict[str, Any]) -> ViewMessage | str:
    at = f"messages[{index}]"
    role = (text_or_none(message.get("role")) or "").lower()
    if role == "system":
        return _text(message)
    if role == "tool":
        name, call_id = text_or_none(message.get("tool_name")), text_or_none(message.get("tool_call_id"))
        result = ViewResult(call_id, name, _text(message), pictures=_pictures(message))
        return ViewMessage("tool", at, results=(result,))
    if role == "assistant":
        thinking = text_or_none(message.get("thinking")) or ""
        return ViewMessage("assistant", at, text=_text(message), thinking=thinking, calls=tuple(_calls(message)))
    return ViewMessage("user", at, text=_text(message), pictures=_pictures(message))


def _pictures(message: dict[str, Any]) -> tuple[Picture, ...]:
    images = message.get("images")
    return pictures_in(images) if isinstance(images, list) else ()


def _calls(message: dict[str, Any]) -> Iterator[ViewCall]:
    for call in map(by_lower_names, filter(_is_object, listed(message.get("tool_calls")))):
        function = by_lower_names(call.get("function"))
        name, arguments = text_or_none(function.get("name")) or "", function.get("arguments")
        yield ViewCall(
            text_or_none(call.get("id")) or None, name, *read_arguments({} if arguments is None else arguments)
        )


def _tools(tools: list[Any]) -> tuple[ViewTool, ...]:
    functions = [by_lower_names(tool).get("function") for tool in tools]
    return tuple([_tool(by_lower_names(function)) for function in functions if isinstance(function, dict)])


def _tool(function: dict[str, Any]) -> ViewTool:
    name, description = text_or_none(function.get("name")), text_or_none(function.get("description"))
    return ViewTool(name or "", description or "", function.get("parameters"))


def _text(message: dict[str, Any]) -> str:
    """The content as text; parts, which Ollama refuses, are read all the same."""
    content = message.get("content")
    if isinstance(content, str):
        return content
    parts = [part.get("text") if isinstance(part, dict) else part for part in listed(content)]
    return "\n".join(part for part in parts if isinstance(part, str) and part)


def _is_object(value: Any) -> bool:
    return isinstance(value, dict)
