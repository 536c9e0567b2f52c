"""Parses a Chat Completions request: its route and its neutral view. Refuses nothing and never raises."""

import json
from collections.abc import Iterator
from typing import Any

from fakes.http import Request
from fakes.json_texts import read_json
from fakes.pictures import Picture, pictures_in
from fakes.view import AnswerFormat, View, ViewCall, ViewMessage, ViewResult, ViewTool, join_runs
from fakes.wire import Route
from fakes.wires.openai_shared.request_body import body_of, model_of, route_to, wants_stream, whole_number
from fakes.wires.openai_shared.tool_choices import allowed_tools, forced_tools


def route_of(request: Request) -> Route | None:
    return route_to("/chat/completions", request)


def view_of(request: Request) -> View:
    body = body_of(request)
    if not isinstance(body, dict):
        return View("", False)
    messages = [(index, message) for index, message in enumerate(_list(body.get("messages"))) if _is_object(message)]
    return View(
        model=model_of(body),
        stream=wants_stream(body),
        system="\n".join(text for _, message in messages if _is_system(message) if (text := _text(message))),
        messages=join_runs(_message(index, message) for index, message in messages if not _is_system(message)),
        tools=tuple(_tools(body)),
        fields=frozenset(
            name for name in ("tools", "tool_choice", "parallel_tool_calls") if body.get(name) is not None
        ),
        forbids_calls=body.get("tool_choice") == "none",
        forces=forced_tools(body.get("tool_choice"), (tool.name for tool in _tools(body))),
        schema=_schema(body),
        allows=allowed_tools(body.get("tool_choice")),
        answer_format=_answer_format(body.get("response_format")),
        max_tokens=whole_number(body.get("max_completion_tokens"), body.get("max_tokens")),
    )


def _message(index: int, message: dict[str, Any]) -> ViewMessage:
    at = f"messages[{index}]"
    role = message.get("role")
    if role in ("tool", "function"):
        result = ViewResult(
            _optional_text(message.get("tool_call_id")),
            _optional_text(message.get("name")),
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
            calls=tuple(_calls(message)),
        )
    return ViewMessage("user", at, text=_text(message), pictures=_pictures(message))


def _calls(message: dict[str, Any]) -> Iterator[ViewCall]:
    for call in _list(message.get("tool_calls")):
        if _is_object(call):
            yield _call(_optional_text(call.get("id")), call.get("function") or call.get("custom"))
    if _is_object(message.get("function_call")):
        yield _call(None, message["function_call"])


def _call(call_id: str | None, function: Any) -> ViewCall:
    function = function if _is_object(function) else {}
    text = function.get("arguments", function.get("input", ""))
    if not isinstance(text, str):
        return ViewCall(call_id, _optional_text(function.get("name")) or "", text, _to_json(text))
    try:
        arguments = read_json(text)
    except ValueError:
        arguments = None
    return ViewCall(call_id, _optional_text(function.get("name")) or "", arguments, text)


def _to_json(value: Any) -> str:
    try:
        return json.dumps(value)
    except RecursionError:
        return ""


def _tools(body: dict[str, Any]) -> Iterator[ViewTool]:
    tools = [tool.get("function") or tool.get("custom") for tool in _list(body.get("tools")) if _is_object(tool)]
    for function in [*tools, *_list(body.get("functions"))]:
        if _is_object(function):
            name, description = function.get("name"), function.get("description")
            yield ViewTool(_optional_text(name) or "", _optional_text(description) or "", function.get("parameters"))


def _schema(body: dict[str, Any]) -> Any:
    format_ = body.get("response_format")
    described = format_.get("json_schema") if isinstance(format_, dict) else None
    return described.get("schema") if isinstance(described, dict) else None


def _answer_format(format_: Any) -> AnswerFormat:
    kind = format_.get("type") if isinstance(format_, dict) else None
    return "json" if kind in ("json_object", "json_schema") else "text"


def _text(message: dict[str, Any]) -> str:
    """The text of the content, parts joined by line breaks, and the text of `refusal`."""
    content = message.get("content")
    parts = [content] if isinstance(content, str) else [_part_text(part) for part in _list(content)]
    return "\n".join(part for part in [*parts, _optional_text(message.get("refusal"))] if part)


def _pictures(message: dict[str, Any]) -> tuple[Picture, ...]:
    parts = [part.get("image_url") for part in _list(message.get("content")) if _is_object(part)]
    urls = [part.get("url") if _is_object(part) else part for part in parts]
    return pictures_in(urls)


def _part_text(part: Any) -> str | None:
    if isinstance(part, str):
        return part
    return _optional_text(part.get("text") or part.get("refusal")) if _is_object(part) else None


def _is_system(message: dict[str, Any]) -> bool:
    return message.get("role") in ("system", "developer")


def _is_object(value: Any) -> bool:
    return isinstance(value, dict)


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _optional_text(value: Any) -> str | None:
    return value if isinstance(value, str) else None
