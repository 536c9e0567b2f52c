"""Parses a request to `/v2/chat`: its route and its neutral view. Refuses nothing and never raises.

Cohere's server is written in Go, as its sentences about JSON show.
"""

from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

from msgspec.structs import replace

from fake_providers.http import Request, spaced
from fake_providers.values.go_json_body import PARTS, body_of
from fake_providers.values.lenient import listed, members, text_or_empty
from fake_providers.values.pictures import Picture, pictures_in
from fake_providers.view import View, ViewCall, ViewMessage, ViewResult, ViewTool, going_on, read_arguments, with_tools
from fake_providers.wire import Route

FIELDS = ("tools", "tool_choice")
"""Whose presence the view has."""


def route_of(request: Request) -> Route | None:
    if request.method.upper() != "POST" or not urlsplit(request.path).path.endswith("/v2/chat"):
        return None
    body = body_of(request)
    return Route(model_of(body), wants_stream(body))


def model_of(body: Any) -> str:
    return text_or_empty(members(body).get("model"))


def wants_stream(body: Any) -> bool:
    return members(body).get("stream") is True


def view_of(request: Request) -> View:
    """A `tool_plan` counts as text: it is what the model writes before its calls."""
    body = body_of(request)
    if not isinstance(body, dict):
        return View("", False)
    said = PARTS.folded(request.body, "messages", _seen, going_on)
    if said is None:
        said = going_on(None, [_seen(index, one) for index, one in enumerate(listed(body.get("messages")))])
    tools = PARTS.made(request.body, "tools", _listed_tools)
    tools = tuple(_tools(body)) if tools is None else tools
    asked = PARTS.of_parameters(request.body, _asked) or _asked(body)
    return replace(
        asked,
        system="\n".join(said.system),
        messages=said.messages,
        tools=tools,
        fields=asked.fields if body.get("tools") is None else with_tools(asked.fields),
        forces=frozenset([tool.name for tool in tools] if choice_of(body) == "REQUIRED" else ()),
    )


def _asked(body: dict[str, Any]) -> View:
    """What the parameters say, without messages and tools."""
    format_, longest = members(body.get("response_format")), body.get("max_tokens")
    schema = format_.get("json_schema", format_.get("schema"))
    return View(
        model=model_of(body),
        stream=wants_stream(body),
        fields=frozenset([name for name in FIELDS if body.get(name) is not None]),
        forbids_calls=choice_of(body) == "NONE",
        schema=schema if isinstance(schema, dict) else None,
        answer_format="json" if format_.get("type") in ("json_object", "json_schema") else "text",
        max_tokens=longest if isinstance(longest, int) else None,
    )


def _seen(index: int, message: Any) -> ViewMessage | str | None:
    if not isinstance(message, dict):
        return None
    return _text(message) if message.get("role") == "system" else _message(index, message)


def _listed_tools(tools: list[Any]) -> tuple[ViewTool, ...]:
    return tuple(_tools({"tools": tools}))


def choice_of(body: dict[str, Any]) -> str:
    """`REQUIRED`, `NONE` or another word, which Cohere reads in either case; empty for none."""
    return text_or_empty(body.get("tool_choice")).upper()


def blocks_of(message: dict[str, Any]) -> list[dict[str, Any]]:
    """The blocks of the content; a text is one block."""
    content = message.get("content")
    if isinstance(content, str):
        return [{"type": "text", "text": content}] if content else []
    return [block for block in listed(content) if isinstance(block, dict)]


def _message(index: int, message: dict[str, Any]) -> ViewMessage:
    at, role = f"messages[{index}]", message.get("role")
    if role == "tool":
        call_id = message.get("tool_call_id")
        result = ViewResult(call_id if isinstance(call_id, str) else None, None, _text(message))
        return ViewMessage("tool", at, results=(result,))
    if role == "assistant":
        thoughts = [text_or_empty(block.get("thinking")) for block in blocks_of(message)]
        plan = text_or_empty(message.get("tool_plan"))
        text = "\n".join(part for part in (plan, _text(message)) if part)
        thinking = "\n".join(filter(None, thoughts))
        return ViewMessage("assistant", at, text=text, thinking=thinking, calls=tuple(_calls(message)))
    return ViewMessage("user", at, text=_text(message), pictures=_pictures(message))


def _calls(message: dict[str, Any]) -> Iterator[ViewCall]:
    for call in listed(message.get("tool_calls")):
        if not isinstance(call, dict):
            continue
        function = members(call.get("function"))
        arguments = read_arguments(function.get("arguments", ""))
        yield ViewCall(text_or_empty(call.get("id")) or None, text_or_empty(function.get("name")), *arguments)


def _tools(body: dict[str, Any]) -> Iterator[ViewTool]:
    for tool in listed(body.get("tools")):
        function = members(members(tool).get("function"))
        if function:
            name, description = function.get("name"), function.get("description")
            yield ViewTool(text_or_empty(name), text_or_empty(description), function.get("parameters"))


def _text(message: dict[str, Any]) -> str:
    return "\n".join(filter(None, map(_text_of, blocks_of(message))))


def _text_of(block: dict[str, Any]) -> str:
    """The text of a block; of a document its data, as JSON where they are an object."""
    data = members(block.get("document")).get("data")
    if isinstance(data, dict):
        return spaced(data)
    return text_or_empty(block.get("text")) or text_or_empty(data)


def _pictures(message: dict[str, Any]) -> tuple[Picture, ...]:
    return pictures_in(members(block.get("image_url")).get("url") for block in blocks_of(message))
