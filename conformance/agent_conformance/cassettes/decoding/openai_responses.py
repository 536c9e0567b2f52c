"""Responses of OpenAI's second wire, plain and streamed."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from agent_conformance.cassettes.decoding.decoded_reply import (
    CallKey,
    CallPieces,
    ReplyBuilder,
    objects,
    text_or_none,
)
from fake_providers.reply import Finish

CUT_SHORT: Final[Mapping[str, Finish | None]] = {"max_output_tokens": "length", "content_filter": "content_filter"}
NO_FINISH: Final[Mapping[str, Finish | None]] = {}
ENDS: Final = ("response.completed", "response.incomplete", "response.failed", "response.cancelled")
THOUGHTS: Final = ("response.reasoning_summary_text.delta", "response.reasoning_text.delta")
CALLS: Final = {"function_call": "arguments", "custom_tool_call": "input"}
"""The items of calls that the client runs, and the member with what the model wrote."""
DELTAS: Final = ("response.function_call_arguments.delta", "response.custom_tool_call_input.delta")
TEXTS: Final = ("response.output_text.delta", "response.refusal.delta")


def read_response(body: Mapping[str, Any], builder: ReplyBuilder) -> None:
    for position, item in enumerate(objects(body.get("output"))):
        if item.get("type") == "message":
            for part in objects(item.get("content")):
                if part.get("type") == "refusal":
                    builder.finish = "refusal"
                    builder.add_text(part.get("refusal"))
                elif part.get("type") == "output_text":
                    builder.add_text(part.get("text"))
                else:
                    builder.leave_out(part.get("type"))
        elif item.get("type") == "reasoning":
            for part in objects(item.get("summary")) + objects(item.get("content")):
                builder.add_thought(part.get("text"))
        _read_item(item, (position, ""), builder)
    _read_end(body, builder)


def read_event(event: Mapping[str, Any], builder: ReplyBuilder) -> None:
    kind = event.get("type")
    if kind in TEXTS:
        builder.add_text(event.get("delta"))
        builder.finish = "refusal" if kind == "response.refusal.delta" else builder.finish
    elif kind in THOUGHTS:
        builder.add_thought(event.get("delta"))
    elif kind in DELTAS and isinstance(event.get("delta"), str):
        builder.call((0, str(event.get("output_index")))).arguments.append(event["delta"])
    elif kind == "response.output_item.added" and isinstance(event.get("item"), Mapping):
        item = event["item"]
        if item.get("type") in CALLS:
            _begin(item, builder.call((0, str(event.get("output_index")))))
    elif kind == "response.output_item.done" and isinstance(event.get("item"), Mapping):
        _read_item(event["item"], (0, str(event.get("output_index"))), builder)
    elif kind == "error":
        builder.fail(event.get("error") or event)
    elif kind in ENDS:
        response = event.get("response")
        if not isinstance(response, Mapping):
            return
        if not (builder.texts or builder.calls or builder.thoughts or builder.server_calls):
            read_response(response, builder)  # some servers send nothing before it
        else:
            _read_end(response, builder)


def _begin(item: Mapping[str, Any], call: CallPieces) -> None:
    call.id, call.name = call.id or text_or_none(item.get("call_id")), call.name or str(item.get("name") or "")


def _read_item(item: Mapping[str, Any], key: CallKey, builder: ReplyBuilder) -> None:
    """A finished item, but for the texts of messages and of reasoning, which streams have in pieces."""
    kind = str(item.get("type"))
    if kind == "message":
        for part in objects(item.get("content")):
            for annotation in objects(part.get("annotations")):
                builder.cite(annotation, str(part.get("text") or ""))
    elif kind in CALLS:
        call = builder.call(key)
        _begin(item, call)
        if isinstance(item.get(CALLS[kind]), str):
            call.arguments = [item[CALLS[kind]]]
    elif kind in OWN_CALLS and not _is_in_a_container(item):
        call = builder.call(key)
        call.id, call.name, call.value = text_or_none(item.get("call_id")), *OWN_CALLS[kind](item)
    elif kind in HOSTED:
        ran = builder.server_call(key)
        ran.id = text_or_none(item.get("call_id"))
        ran.name, ran.value, ran.result = HOSTED[kind](item)
        ran.server = text_or_none(item.get("server_label"))
    elif kind == "shell_call_output":
        shells = [ran for ran in builder.server_calls.values() if ran.id == item.get("call_id")]
        for shell in shells:
            shell.result = _texts(item.get("output"), "stdout")
    elif kind not in ("reasoning", "mcp_list_tools"):
        builder.leave_out(item.get("type"))


def _is_in_a_container(item: Mapping[str, Any]) -> bool:
    environment = item.get("environment")
    return isinstance(environment, Mapping) and environment.get("type") == "container_reference"


def _action(item: Mapping[str, Any]) -> dict[str, Any]:
    """What is to be done, without its nulls and its kind."""
    listed = objects(item.get("actions"))
    action = item.get("action") or item.get("operation") or (listed[0] if listed else {})
    return {name: value for name, value in action.items() if value is not None} if isinstance(action, Mapping) else {}


def _query(item: Mapping[str, Any]) -> dict[str, Any]:
    """The query of a search, or what it opened."""
    action = _action(item)
    queries = action.pop("queries", None) or item.get("queries")
    if isinstance(queries, list) and queries:
        action.setdefault("query", queries[0])
    action.pop("sources", None)
    return {name: value for name, value in action.items() if (name, value) != ("type", "search")}


def _texts(value: Any, member: str) -> str:
    return "\n".join(str(one[member]) for one in objects(value) if one.get(member))


def _of_server(item: Mapping[str, Any]) -> tuple[str, Any, str | None]:
    """Without a result where it asks for approval."""
    pieces = CallPieces(None, str(item.get("name") or ""), [str(item.get("arguments") or "")])
    result = None if item.get("type") == "mcp_approval_request" else str(item.get("output") or "")
    return pieces.name, pieces.call().arguments, result


OWN_CALLS: Final[Mapping[str, Callable[[Mapping[str, Any]], tuple[str, Any]]]] = {
    "apply_patch_call": lambda item: ("apply_patch", _action(item)),
    "shell_call": lambda item: ("shell", _action(item)),
    "local_shell_call": lambda item: ("local_shell", _action(item)),
    "computer_call": lambda item: ("computer", _action(item)),
}
"""Calls of OpenAI's own tools that the client runs: the name that scripts have for the tool, and the arguments."""
HOSTED: Final[Mapping[str, Callable[[Mapping[str, Any]], tuple[str, Any, str | None]]]] = {
    "web_search_call": lambda item: ("web_search", _query(item), ""),
    "file_search_call": lambda item: ("file_search", _query(item), _texts(item.get("results"), "text")),
    "code_interpreter_call": lambda item: (
        "code_interpreter",
        {"code": str(item.get("code") or "")},
        _texts(item.get("outputs"), "logs"),
    ),
    "image_generation_call": lambda item: (
        "image_generation",
        {"prompt": item["revised_prompt"]} if item.get("revised_prompt") else {},
        "",
    ),
    "shell_call": lambda item: ("shell", _action(item), ""),
    "mcp_call": _of_server,
    "mcp_approval_request": _of_server,
}
"""Calls that OpenAI runs itself: the name that scripts have for the tool, the arguments and what came of it."""


def _read_end(body: Mapping[str, Any], builder: ReplyBuilder) -> None:
    builder.count(body.get("usage"), "input_tokens", "output_tokens")
    if body.get("error"):
        builder.fail(body["error"])
    details = body.get("incomplete_details")
    reason = details.get("reason") if isinstance(details, Mapping) else None
    if reason:
        builder.end(reason, CUT_SHORT)
    elif body.get("status") in ("completed", "failed", "cancelled"):
        builder.end(body["status"], NO_FINISH)
