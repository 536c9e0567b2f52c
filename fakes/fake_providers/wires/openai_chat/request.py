"""Parses a Chat Completions request: its route and its neutral view. Refuses nothing and never raises."""

from typing import Any

from msgspec.structs import replace

from fake_providers.http import Request
from fake_providers.values.lenient import listed, members, text_or_none
from fake_providers.values.pictures import Picture, pictures_in
from fake_providers.view import (
    View,
    ViewCall,
    ViewMessage,
    ViewResult,
    ViewTool,
    going_on,
    read_arguments,
    stands_for_reasoning,
    with_tools,
)
from fake_providers.wire import Route
from fake_providers.wires.openai_shared.request_body import (
    PARTS,
    allowed_tools,
    body_of,
    forced_tools,
    model_of,
    route_to,
    wants_stream,
    whole_number,
)

NOTHING: frozenset[str] = frozenset()
FIELDS = ("tools", "tool_choice", "parallel_tool_calls")
"""Whose presence the view has."""
SYSTEM_ROLES = ("system", "developer")


def route_of(request: Request) -> Route | None:
    return route_to("/chat/completions", request)


def view_of(request: Request) -> View:
    body = body_of(request)
    if not isinstance(body, dict):
        return View("", False)
    asked = PARTS.of_parameters(request.body, _asked) or _asked(body)
    tools, choice = _declared_tools(request.body, body), body.get("tool_choice")
    said = PARTS.folded(request.body, "messages", _seen, going_on)
    if said is None:
        said = going_on(None, [_seen(index, message) for index, message in enumerate(listed(body.get("messages")))])
    return replace(
        asked,
        system="\n".join(said.system),
        messages=said.messages,
        tools=tools,
        fields=asked.fields if body.get("tools") is None else with_tools(asked.fields),
        forces=NOTHING if choice is None else forced_tools(choice, [tool.name for tool in tools]),
    )


def _asked(body: dict[str, Any]) -> View:
    """What the parameters say, without messages and tools."""
    choice, format_ = body.get("tool_choice"), members(body.get("response_format"))
    return View(
        model=model_of(body),
        stream=wants_stream(body),
        fields=frozenset([name for name in FIELDS if body.get(name) is not None]),
        forbids_calls=choice == "none",
        schema=members(format_.get("json_schema")).get("schema"),
        allows=allowed_tools(choice),
        answer_format="json" if format_.get("type") in ("json_object", "json_schema") else "text",
        max_tokens=whole_number(body.get("max_completion_tokens"), body.get("max_tokens")),
        at_most_one_call=body.get("parallel_tool_calls") is False,
    )


def _seen(index: int, message: Any) -> ViewMessage | str | None:
    """A message, the text of a system message, or None for what is no message."""
    if not isinstance(message, dict):
        return None
    return _text(message) if message.get("role") in SYSTEM_ROLES else _message(index, message)


def _message(index: int, message: dict[str, Any]) -> ViewMessage:
    at = f"messages[{index}]"
    role = message.get("role")
    if role in ("tool", "function"):
        result = ViewResult(
            text_or_none(message.get("tool_call_id")),
            text_or_none(message.get("name")),
            _text(message),
            pictures=_pictures(message),
        )
        return ViewMessage("tool", at, results=(result,))
    if role == "assistant":
        thinking = message.get("reasoning_content") or message.get("reasoning")
        return ViewMessage(
            "assistant",
            at,
            text=_text(message),
            thinking=thinking if isinstance(thinking, str) else "",
            calls=_calls(message),
            signed=any(map(stands_for_reasoning, map(signature_of, listed(message.get("tool_calls"))))),
        )
    return ViewMessage("user", at, text=_text(message), pictures=_pictures(message))


def signature_of(call: Any) -> Any:
    """Google's signature of a call."""
    extra = call.get("extra_content") if isinstance(call, dict) else None
    google = extra.get("google") if isinstance(extra, dict) else None
    return google.get("thought_signature") if isinstance(google, dict) else None


def _calls(message: dict[str, Any]) -> tuple[ViewCall, ...]:
    calls = [
        _call(call.get("id"), call.get("function") or call.get("custom"))
        for call in listed(message.get("tool_calls"))
        if isinstance(call, dict)
    ]
    if isinstance(message.get("function_call"), dict):
        calls.append(_call(None, message["function_call"]))
    return tuple(calls)


def _call(call_id: Any, function: Any) -> ViewCall:
    function = function if isinstance(function, dict) else {}
    arguments = read_arguments(function.get("arguments", function.get("input", "")))
    return ViewCall(text_or_none(call_id), text_or_none(function.get("name")) or "", *arguments)


def _declared_tools(sent: bytes, body: dict[str, Any]) -> tuple[ViewTool, ...]:
    """The tools that `tools` and `functions` declare."""
    tools = PARTS.made(sent, "tools", _tools)
    tools = _tools(listed(body.get("tools"))) if tools is None else tools
    functions = listed(body.get("functions"))
    return (*tools, *map(_tool, filter(_is_object, functions))) if functions else tools


def _tools(tools: list[Any]) -> tuple[ViewTool, ...]:
    owned = [tool.get("function") or tool.get("custom") for tool in tools if _is_object(tool)]
    return tuple(map(_tool, filter(_is_object, owned)))


def _tool(function: dict[str, Any]) -> ViewTool:
    name, description = text_or_none(function.get("name")), text_or_none(function.get("description"))
    return ViewTool(name or "", description or "", function.get("parameters"))


def _text(message: dict[str, Any]) -> str:
    """The text of the content, parts joined by line breaks, and the text of `refusal`."""
    content = message.get("content")
    if "refusal" not in message and (content is None or isinstance(content, str)):
        return content or ""
    parts = [content] if isinstance(content, str) else [_part_text(part) for part in listed(content)]
    return "\n".join(part for part in [*parts, text_or_none(message.get("refusal"))] if part)


def _pictures(message: dict[str, Any]) -> tuple[Picture, ...]:
    content = message.get("content")
    if not isinstance(content, list):
        return ()
    parts = [part.get("image_url") for part in content if _is_object(part)]
    urls = [part.get("url") if _is_object(part) else part for part in parts]
    return pictures_in(urls)


def _part_text(part: Any) -> str | None:
    if isinstance(part, str):
        return part
    return text_or_none(part.get("text") or part.get("refusal")) if _is_object(part) else None


def _is_object(value: Any) -> bool:
    return isinstance(value, dict)
