"""Parses a Chat Completions request: its route and its neutral view. Refuses nothing and never raises."""

import json
import marshal
import threading
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from fake_providers.http import Request
from fake_providers.values.json_texts import read_json
from fake_providers.values.pictures import Picture, pictures_in
from fake_providers.view import View, ViewCall, ViewMessage, ViewResult, ViewTool, join_runs, stands_for_reasoning
from fake_providers.wire import Route
from fake_providers.wires.openai_shared.request_body import (
    allowed_tools,
    body_of,
    forced_tools,
    model_of,
    route_to,
    wants_stream,
    whole_number,
)

MOST = 64
LONGEST = 16 * 1024
"""Values that are kept, and the bytes of a key."""
LARGE = 64 * 1024
"""Bytes of a body beyond which no key is made of it."""

_T = TypeVar("_T")


def fingerprint(value: Any) -> bytes | None:
    """Of values that are equal and of the same types, and of no others: 1, 1.0 and true are not the same. None for a
    value that is nested too deep. `value` may have tuples, which JSON does not have.
    """
    try:
        # Version 2 has no references, which depend on what else is in memory.
        return marshal.dumps(value, 2)
    except ValueError:
        return None


def cached_by_value(make: Callable[[Any], _T]) -> Callable[[Any, int], _T]:
    """`make`, a pure function of a JSON value, with what it made of the last values kept. Thread-safe.

    The function returned takes the bytes of the body that the value is from as well: of a large one no key is made.
    What is returned is shared between callers, and never to be changed.
    """
    kept: dict[bytes, _T] = {}
    lock = threading.Lock()

    def find(value: Any, size: int) -> _T:
        key = fingerprint(value) if size <= LARGE else None
        if key is None or len(key) > LONGEST:
            return make(value)
        try:
            return kept[key]
        except KeyError:
            made = make(value)
        with lock:
            kept[key] = made
            if len(kept) > MOST:
                del kept[next(iter(kept))]
        return made

    return find


FIELDS = ("tools", "tool_choice", "parallel_tool_calls")
"""Whose presence the view has."""
SYSTEM_ROLES = ("system", "developer")


def route_of(request: Request) -> Route | None:
    return route_to("/chat/completions", request)


def view_of(request: Request) -> View:
    body = body_of(request)
    if not isinstance(body, dict):
        return View("", False)
    tools = _declared_tools((body.get("tools"), body.get("functions")), len(request.body))
    choice, format_ = body.get("tool_choice"), _object(body.get("response_format"))
    system, messages = _split(body.get("messages"))
    return View(
        model=model_of(body),
        stream=wants_stream(body),
        system="\n".join(text for text in map(_text, system) if text),
        messages=join_runs([_message(index, message) for index, message in messages]),
        tools=tools,
        fields=frozenset([name for name in FIELDS if body.get(name) is not None]),
        forbids_calls=choice == "none",
        forces=forced_tools(choice, (tool.name for tool in tools)),
        schema=_object(format_.get("json_schema")).get("schema"),
        allows=allowed_tools(choice),
        answer_format="json" if format_.get("type") in ("json_object", "json_schema") else "text",
        max_tokens=whole_number(body.get("max_completion_tokens"), body.get("max_tokens")),
    )


def _split(messages: Any) -> tuple[list[dict[str, Any]], list[tuple[int, dict[str, Any]]]]:
    """The system messages, and the others with their numbers; what is no message is left out."""
    system: list[dict[str, Any]] = []
    others: list[tuple[int, dict[str, Any]]] = []
    for index, message in enumerate(_list(messages)):
        if not isinstance(message, dict):
            continue
        if message.get("role") in SYSTEM_ROLES:
            system.append(message)
        else:
            others.append((index, message))
    return system, others


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
            signed=any(stands_for_reasoning(signature_of(call)) for call in _list(message.get("tool_calls"))),
        )
    return ViewMessage("user", at, text=_text(message), pictures=_pictures(message))


def signature_of(call: Any) -> Any:
    """Google's signature of a call."""
    extra = call.get("extra_content") if isinstance(call, dict) else None
    google = extra.get("google") if isinstance(extra, dict) else None
    return google.get("thought_signature") if isinstance(google, dict) else None


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


@cached_by_value
def _declared_tools(declared: tuple[Any, Any]) -> tuple[ViewTool, ...]:
    """The tools that `tools` and `functions` declare. Kept, since most agents send the same with each request."""
    tools, functions = map(_list, declared)
    owned = [tool.get("function") or tool.get("custom") for tool in tools if _is_object(tool)]
    return tuple(map(_tool, filter(_is_object, [*owned, *functions])))


def _tool(function: dict[str, Any]) -> ViewTool:
    name, description = _optional_text(function.get("name")), _optional_text(function.get("description"))
    return ViewTool(name or "", description or "", function.get("parameters"))


def _text(message: dict[str, Any]) -> str:
    """The text of the content, parts joined by line breaks, and the text of `refusal`."""
    content = message.get("content")
    if isinstance(content, str) and "refusal" not in message:
        return content
    parts = [content] if isinstance(content, str) else [_part_text(part) for part in _list(content)]
    return "\n".join(part for part in [*parts, _optional_text(message.get("refusal"))] if part)


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
    return _optional_text(part.get("text") or part.get("refusal")) if _is_object(part) else None


def _is_object(value: Any) -> bool:
    return isinstance(value, dict)


def _object(value: Any) -> dict[str, Any]:
    """The value, or an empty object in place of anything else."""
    return value if isinstance(value, dict) else {}


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _optional_text(value: Any) -> str | None:
    return value if isinstance(value, str) else None
