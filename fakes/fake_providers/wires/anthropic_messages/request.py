"""Parses a request to `/v1/messages`: its route and its wire-neutral view. Never raises."""

from collections.abc import Iterator
from typing import Any

from fake_providers.http import Request, spaced
from fake_providers.values.lenient import objects, text_or_none
from fake_providers.values.pictures import Picture, pictures_in
from fake_providers.view import View, ViewCall, ViewMessage, ViewResult, ViewTool, going_on
from fake_providers.wire import Route
from fake_providers.wires.anthropic_messages.json_parser import PARTS, model_of, tolerant, wants_stream

NO_WORDS = ("tool_result", "tool_addition", "tool_removal", "tool_reference", "mid_conv_system")
"""Blocks of a user's message that are nothing that the user says."""


def route(request: Request) -> Route | None:
    """None except for `POST .../v1/messages`, with any query: `count_tokens` and batches are not model requests."""
    path = request.path.partition("?")[0]
    if request.method.upper() != "POST" or not path.endswith("/v1/messages"):
        return None
    body = tolerant(request)
    return Route(model_of(body), wants_stream(body))


def view(request: Request) -> View:
    """Top-level `system` and system messages become `system`. Result blocks become a message of role `tool`, and text
    in the same message a user message after it."""
    body = tolerant(request)
    listed = body.get("messages")
    said = PARTS.folded(request.body, "messages", _seen, going_on)
    if said is None:
        said = going_on(
            None, [_seen(index, message) for index, message in enumerate(listed if isinstance(listed, list) else ())]
        )
    systems = (_text(body.get("system")), *said.system)
    tools = PARTS.made(request.body, "tools", _tools)
    tools = _tools(body.get("tools")) if tools is None else tools
    if (hidden := deferred(body)) and not searches(body):
        tools = tuple(tool for tool in tools if tool.name not in hidden)
    return View(
        model=model_of(body),
        stream=wants_stream(body),
        system="\n".join(text for text in systems if text),
        messages=said.messages,
        tools=tools,
        fields=_fields(body),
        forbids_calls=body.get("tool_choice") == {"type": "none"},
        forces=_forces(body.get("tool_choice"), tools),
        thinks=isinstance(body.get("thinking"), dict) and body["thinking"].get("type") in ("enabled", "adaptive"),
        schema=(schema := _schema(body)),
        answer_format="text" if schema is None else "json",
        max_tokens=longest if isinstance(longest := body.get("max_tokens"), int) else None,
        at_most_one_call=_calls_one_at_a_time(body.get("tool_choice")),
    )


def _seen(index: int, message: Any) -> list[ViewMessage] | str:
    """The messages of one, or the text of a system message."""
    if not isinstance(message, dict):
        return []
    if message.get("role") == "system":
        return _text(message.get("content"))
    return _messages(message, f"messages[{index}]")


def _calls_one_at_a_time(choice: Any) -> bool:
    return isinstance(choice, dict) and choice.get("disable_parallel_tool_use") is True


def _forces(choice: Any, tools: tuple[ViewTool, ...]) -> frozenset[str]:
    if not isinstance(choice, dict) or choice.get("type") not in ("any", "tool"):
        return frozenset()
    return frozenset(tool.name for tool in tools if choice["type"] == "any" or tool.name == choice.get("name"))


def _schema(body: dict[str, Any]) -> Any:
    """The schema of the answer: in `output_config`, or in `output_format`, as it was called before."""
    config = body.get("output_config")
    formats = (config.get("format") if isinstance(config, dict) else None, body.get("output_format"))
    return next((one.get("schema") for one in formats if isinstance(one, dict)), None)


def _messages(message: dict[str, Any], at: str) -> list[ViewMessage]:
    content = message.get("content")
    blocks = [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []
    if message.get("role") == "assistant":
        thinking = [block.get("thinking") for block in blocks if block.get("type") == "thinking"]
        calls = tuple(_call(block) for block in blocks if block.get("type") == "tool_use")
        hosted = tuple(_call(block) for block in blocks if block.get("type") in ("server_tool_use", "mcp_tool_use"))
        return [ViewMessage("assistant", at, _text(content), _lines(thinking), calls, server_calls=hosted)]
    results = tuple(_result(block) for block in blocks if block.get("type") == "tool_result")
    has_more = not blocks or any(block.get("type") not in NO_WORDS for block in blocks)
    user = [ViewMessage("user", at, _text(content), pictures=_pictures(content))] if has_more else []
    return [ViewMessage("tool", at, results=results), *user] if results else user


def _call(block: dict[str, Any]) -> ViewCall:
    arguments = block.get("input")
    return ViewCall(text_or_none(block.get("id")), text_or_none(block.get("name")) or "", arguments, spaced(arguments))


def _result(block: dict[str, Any]) -> ViewResult:
    content = block.get("content")
    return ViewResult(
        text_or_none(block.get("tool_use_id")), None, _parts(content), block.get("is_error") is True, _pictures(content)
    )


def deferred(body: dict[str, Any]) -> frozenset[str]:
    """The names of the tools that the model does not see, since no search has found them yet: `defer_loading`."""
    names = {text_or_none(tool.get("name")) for tool in objects(body.get("tools")) if tool.get("defer_loading") is True}
    return frozenset(name for name in names if name is not None).difference(_found(body) if names else ())


def searches(body: dict[str, Any]) -> str:
    """The name of the provider's own tool that searches the deferred ones; empty where the client does."""
    kinds = (str(tool.get("type")) for tool in objects(body.get("tools")))
    return next((kind.partition("_20")[0] for kind in kinds if kind.startswith("tool_search_tool_")), "")


def _found(body: dict[str, Any]) -> Iterator[str]:
    """The tools to which a result of the conversation refers."""
    for message in objects(body.get("messages")):
        for block in objects(message.get("content")):
            content = block.get("content")
            for part in objects(content.get("tool_references") if isinstance(content, dict) else content):
                if part.get("type") == "tool_reference" and isinstance(name := part.get("tool_name"), str):
                    yield name


def _tools(tools: Any) -> tuple[ViewTool, ...]:
    """The client's own tools; the provider's tools have no schema."""
    return tuple(
        ViewTool(
            text_or_none(tool.get("name")) or "", text_or_none(tool.get("description")) or "", tool.get("input_schema")
        )
        for tool in (tools if isinstance(tools, list) else ())
        if isinstance(tool, dict) and tool.get("type") in (None, "custom")
    )


def _fields(body: dict[str, Any]) -> frozenset[str]:
    fields = {"tools", "tool_choice"} & body.keys()
    choice = body.get("tool_choice")
    if isinstance(choice, dict) and "disable_parallel_tool_use" in choice:
        fields.add("parallel_tool_calls")
    return frozenset(fields)


def _text(content: Any) -> str:
    """The text of a string, or of all text blocks; other blocks are left out."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    return _lines(block.get("text") for block in content if isinstance(block, dict) and block.get("type") == "text")


def _parts(content: Any) -> str:
    """A tool result as text, documents and search results with theirs; of another block its type: `[image/png]`."""
    if not isinstance(content, list):
        return content if isinstance(content, str) else ""
    return _lines(_part(part) for part in content if isinstance(part, dict))


def _pictures(content: Any) -> tuple[Picture, ...]:
    blocks = [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []
    sources = [block.get("source") for block in blocks if block.get("type") == "image"]
    data = [source.get("data") or source.get("url") for source in sources if isinstance(source, dict)]
    return pictures_in(data)


def _part(part: dict[str, Any]) -> Any:
    if part.get("type") == "text":
        return part.get("text")
    source = part.get("source")
    if part.get("type") == "search_result":
        return _text(part.get("content"))
    if part.get("type") == "document" and isinstance(source, dict) and source.get("type") in ("text", "content"):
        return source.get("data") or _text(source.get("content"))
    if part.get("type") == "tool_reference":
        return part.get("tool_name")
    kind = source.get("media_type") if isinstance(source, dict) else None
    return f"[{kind or part.get('type')}]"


def _lines(texts: Any) -> str:
    return "\n".join(text for text in texts if isinstance(text, str) and text)
