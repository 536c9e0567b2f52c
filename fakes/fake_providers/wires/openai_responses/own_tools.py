"""Calls of OpenAI's own tools and of custom tools: their items, and the events of a stream for each.

OpenAI runs searches, code, pictures, the tools of MCP servers and a shell in a container; the client runs patches, a
shell of its own, the computer, and custom tools, whose input is text.

The items and their order of members are recorded for searches, shells, patches, pictures, custom tools and the tools of
an MCP server, as are the events of a search and of such a server; the others are those of openai-python's types.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final

from fake_providers.http import compact
from fake_providers.ids import HEXADECIMAL, Ids
from fake_providers.replies.call_validation import arguments_object, id_of_call
from fake_providers.reply import Call, ServerCall
from fake_providers.wires.openai_responses.conversation import Conversation

Item = dict[str, Any]
Tools = Iterable[Mapping[str, Any]]

PICTURE: Final = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg=="
"""One black point, as PNG."""
ADDRESS: Final = "https://example.org/page"
NOT_OFFERED: Final = "I have no tool for that."


def item_id(prefix: str, ids: Ids) -> str:
    return ids.make(f"{prefix}_", 50, HEXADECIMAL)


def _tool_of(call: ServerCall, tools: Tools) -> Mapping[str, Any] | None:
    """The declaration that lets the model make the call; None where the request has none."""
    for tool in tools:
        kind = str(tool.get("type"))
        if call.server is not None:
            if kind == "mcp" and tool.get("server_label") == call.server:
                return tool
        elif call.name in (kind, kind.removesuffix("_preview")) or kind.startswith(f"{call.name}_20"):
            return tool
    return None


def all_offered(calls: Iterable[ServerCall], tools: Tools) -> bool:
    listed = list(tools)
    return all(_tool_of(call, listed) is not None for call in calls)


def hosted_items(
    calls: Iterable[ServerCall], tools: Tools, conversation: Conversation, include: object, ids: Ids
) -> Iterator[Item]:
    """The items of what OpenAI runs itself. `include` is that of the request.

    Before the first call of an MCP server comes the list of its tools, unless the conversation has it. Without a result
    such a call is a question for approval; without arguments it is the call that was asked for.
    """
    listed = {placed.value.get("server_label") for placed in conversation.items if _is_list(placed.value)}
    wanted = include if isinstance(include, list) else []
    for call in calls:
        if call.server is None:
            yield from HOSTED[call.name](call, wanted, ids)
            continue
        if call.server not in listed:
            listed.add(call.server)
            named = [each.name for each in calls if each.server == call.server]
            yield _tool_list(call.server, dict.fromkeys(named), ids)
        yield _of_server(call, conversation, ids)


def _is_list(item: Mapping[str, Any]) -> bool:
    return item.get("type") == "mcp_list_tools"


def _tool_list(server: str, names: Iterable[str], ids: Ids) -> Item:
    schema = {"type": "object", "properties": {}, "additionalProperties": True}
    other = {"annotations": {"read_only": False}, "description": "A tool of the server.", "input_schema": schema}
    tools = [{**other, "name": name} for name in names]
    return {"id": item_id("mcpl", ids), "type": "mcp_list_tools", "server_label": server, "tools": tools}


def _of_server(call: ServerCall, conversation: Conversation, ids: Ids) -> Item:
    members = {"arguments": compact(call.arguments or {}), "name": call.name, "server_label": call.server}
    if call.result is None:
        return {"id": item_id("mcpr", ids), "type": "mcp_approval_request", **members}
    asked = _approved(conversation) if call.arguments is None else None
    if asked is not None:
        members |= {name: asked.get(name) for name in ("arguments", "name")}
    return {
        "id": item_id("mcp", ids),
        "type": "mcp_call",
        "status": "completed",
        "approval_request_id": None if asked is None else asked.get("id"),
        "arguments": members["arguments"],
        "error": None,
        "name": members["name"],
        "output": call.result,
        "server_label": call.server,
    }


def _approved(conversation: Conversation) -> Mapping[str, Any] | None:
    """The last question for approval that the conversation answers with yes."""
    answers = [placed.value for placed in conversation.items if placed.value.get("type") == "mcp_approval_response"]
    allowed = {answer.get("approval_request_id") for answer in answers if answer.get("approve") is True}
    asked = [placed.value for placed in conversation.items if placed.value.get("type") == "mcp_approval_request"]
    return next((item for item in reversed(asked) if item.get("id") in allowed), None)


def _web_search(call: ServerCall, include: list[Any], ids: Ids) -> Iterator[Item]:
    query = str((call.arguments or {}).get("query", ""))
    action: Item = {"type": "search", "queries": [query], "query": query}
    if "web_search_call.action.sources" in include:
        action["sources"] = [{"type": "url", "url": ADDRESS}]
    yield {"id": item_id("ws", ids), "type": "web_search_call", "status": "completed", "action": action}


def _file_search(call: ServerCall, include: list[Any], ids: Ids) -> Iterator[Item]:
    found = {"attributes": {}, "file_id": ids.make("file-", 22), "filename": "page.txt", "score": 0.9}
    yield {
        "id": item_id("fs", ids),
        "type": "file_search_call",
        "status": "completed",
        "queries": [str((call.arguments or {}).get("query", ""))],
        "results": [{**found, "text": call.result}] if "file_search_call.results" in include else None,
    }


def _code_interpreter(call: ServerCall, include: list[Any], ids: Ids) -> Iterator[Item]:
    logs = [{"type": "logs", "logs": call.result}]
    yield {
        "id": item_id("ci", ids),
        "type": "code_interpreter_call",
        "status": "completed",
        "code": str((call.arguments or {}).get("code", "")),
        "container_id": item_id("cntr", ids),
        "outputs": logs if "code_interpreter_call.outputs" in include else None,
    }


def _picture(call: ServerCall, _include: list[Any], ids: Ids) -> Iterator[Item]:
    yield {
        "id": item_id("ig", ids),
        "type": "image_generation_call",
        "status": "completed",
        "background": "opaque",
        "output_format": "png",
        "quality": "medium",
        "result": PICTURE,
        "revised_prompt": str((call.arguments or {}).get("prompt", "")),
        "size": "1024x1024",
    }


def _shell_in_a_container(call: ServerCall, _include: list[Any], ids: Ids) -> Iterator[Item]:
    call_id = ids.make("call_", 24)
    container = {"container_id": item_id("cntr", ids), "type": "container_reference"}
    yield _shell_call(call.arguments or {}, call_id, container, ids)
    outcome = {"outcome": {"type": "exit", "exit_code": 0}, "stderr": "", "stdout": call.result}
    members = {"call_id": call_id, "max_output_length": None, "output": [outcome]}
    yield {"id": item_id("sho", ids), "type": "shell_call_output", "status": "completed", **members}


HOSTED: Final[Mapping[str, Callable[[ServerCall, list[Any], Ids], Iterator[Item]]]] = {
    "web_search": _web_search,
    "file_search": _file_search,
    "code_interpreter": _code_interpreter,
    "image_generation": _picture,
    "shell": _shell_in_a_container,
}
"""What OpenAI runs itself, by the names that scripts use, besides the tools of MCP servers."""


def _shell_call(arguments: Mapping[str, Any], call_id: str, environment: Item, ids: Ids) -> Item:
    commands = arguments.get("commands")
    action = {
        "commands": commands if isinstance(commands, list) else [],
        "max_output_length": arguments.get("max_output_length"),
        "timeout_ms": arguments.get("timeout_ms"),
    }
    members = {"action": action, "call_id": call_id, "environment": environment}
    return {"id": item_id("sh", ids), "type": "shell_call", "status": "completed", **members}


def runs_at_the_provider(item: Mapping[str, Any]) -> bool:
    """Whether a call is of a shell in a container, whose result comes with it."""
    environment = item.get("environment")
    return isinstance(environment, dict) and environment.get("type") == "container_reference"


def client_item(call: Call, tool: Mapping[str, Any] | None, ids: Ids) -> Item | None:
    """The item of a call that the client runs, if its tool is a custom one or OpenAI's own; None for a function.

    Raises `CannotExpress` for arguments that are no object, where the item has members of its own for them.
    """
    kind = tool.get("type") if tool is not None else None
    if kind not in ("custom", "tool_search", "apply_patch", "shell", "local_shell", "computer", "computer_use_preview"):
        return None
    call_id = id_of_call(call, lambda: ids.make("call_", 24))
    members: Item
    if kind == "custom":
        members = {"call_id": call_id, "input": custom_input(call), "name": call.name}
        return {"id": item_id("ctc", ids), "type": "custom_tool_call", "status": "completed", **members}
    arguments = arguments_object(call)
    if kind == "tool_search":
        members = {"call_id": call_id, "execution": "client", "arguments": arguments}
        return {"id": item_id("tsc", ids), "type": "tool_search_call", "status": "completed", **members}
    if kind == "shell":
        return _shell_call(arguments, call_id, {"type": "local"}, ids)
    if kind == "apply_patch":
        prefix, members = "apc", {"call_id": call_id, "operation": arguments}
    elif kind == "local_shell":
        action: Item = {"type": "exec", "command": [], "env": {}, "timeout_ms": None, "user": None}
        prefix, members = "lsh", {"action": {**action, "working_directory": None, **arguments}, "call_id": call_id}
    else:
        done: Item = {"actions": [arguments]} if kind == "computer" else {"action": arguments}
        prefix, members = "cu", {**done, "call_id": call_id, "pending_safety_checks": []}
        kind = "computer"
    return {"id": item_id(prefix, ids), "type": f"{kind}_call", "status": "completed", **members}


def custom_input(call: Call) -> str:
    """The text that a custom tool gets: `arguments_text`, the only text among the arguments, or these as JSON."""
    if call.arguments_text is not None:
        return call.arguments_text
    arguments = call.arguments or {}
    only = next(iter(arguments.values())) if len(arguments) == 1 else None
    return only if isinstance(only, str) else compact(arguments)


UNFINISHED: Final[Mapping[str, Item]] = {
    "reasoning": {"summary": []},
    "message": {"status": "in_progress", "content": []},
    "function_call": {"status": "in_progress", "arguments": ""},
    "custom_tool_call": {"status": "in_progress", "input": ""},
    "mcp_list_tools": {"tools": []},
    "mcp_call": {"status": "in_progress", "arguments": "", "output": None},
    "mcp_approval_request": {},
    "code_interpreter_call": {"status": "in_progress", "code": "", "outputs": None},
    "file_search_call": {"status": "in_progress", "queries": [], "results": None},
    "compaction": {},
}
"""The members that an item does not have yet when it is added to the output; others are only in progress."""
LATER: Final[Mapping[str, tuple[str, ...]]] = {
    "web_search_call": ("action",),
    "image_generation_call": ("background", "output_format", "quality", "result", "revised_prompt", "size"),
}
"""The members that come with the finished item: recorded for searches."""


def unfinished(item: Item) -> Item:
    kind = item["type"]
    changed = UNFINISHED.get(kind, {"status": "in_progress"})
    if kind == "shell_call":
        changed = {**changed, "action": {**item["action"], "commands": []}}
    return {name: value for name, value in {**item, **changed}.items() if name not in LATER.get(kind, ())}


Event = tuple[str, dict[str, Any]]
Cut = Callable[[str], Iterable[dict[str, Any]]]
"""A text as the deltas of a stream, with their padding."""


def events(item: Item, cut: Cut) -> Iterator[Event]:
    """What comes between the item's beginning and its end; the names are without `response.`."""
    kind = item["type"]
    match kind:
        case "web_search_call" | "file_search_call":
            yield from ((f"{kind}.{step}", {}) for step in ("in_progress", "searching", "completed"))
        case "image_generation_call":
            yield from ((f"{kind}.{step}", {}) for step in ("in_progress", "generating", "completed"))
        case "mcp_list_tools":
            yield from ((f"{kind}.{step}", {}) for step in ("in_progress", "completed"))
        case "code_interpreter_call":
            yield f"{kind}.in_progress", {}
            yield from _text("code_interpreter_call_code", "code", item["code"], cut)
            yield from ((f"{kind}.{step}", {}) for step in ("interpreting", "completed"))
        case "mcp_call":
            yield f"{kind}.in_progress", {}
            yield from _text("mcp_call_arguments", "arguments", item["arguments"], cut)
            yield f"{kind}.completed", {}
        case "custom_tool_call":
            yield from _text("custom_tool_call_input", "input", item["input"], cut)
        case "shell_call":
            for index, command in enumerate(item["action"]["commands"]):
                at = {"command_index": index}
                yield "shell_call_command.added", {**at, "command": ""}
                yield from _text("shell_call_command", "command", str(command), cut, at)
        case "compaction":
            yield "compaction.compacting", {}


def _text(name: str, member: str, text: str, cut: Cut, at: Mapping[str, Any] = {}) -> Iterator[Event]:
    yield from ((f"{name}.delta", {**at, **delta}) for delta in cut(text))
    yield f"{name}.done", {**at, member: text}
