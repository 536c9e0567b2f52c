"""Calls of the provider's own tools, and their results, as blocks of a reply. Knows no rule and no stream.

A reply that is paused may leave its last call open; the reply to the request that sends it back begins with the result.
"""

from dataclasses import replace
from typing import Any

from fake_providers.http import Request
from fake_providers.ids import Ids
from fake_providers.reply import Reply, ServerCall
from fake_providers.wires.anthropic_messages.json_parser import tolerant

NOT_OFFERED = "I have no tool for that."
ADDRESS = "https://example.org/page"


def as_offered(reply: Reply, request: Request) -> Reply:
    """The reply, without what the model cannot do since the request does not declare the tool."""
    tools = tolerant(request).get("tools")
    types = [str(tool.get("type")) for tool in tools if isinstance(tool, dict)] if isinstance(tools, list) else []
    if all(any(kind.startswith(f"{call.name}_20") for kind in types) for call in reply.server_calls):
        return reply
    return replace(reply, text=NOT_OFFERED, finish=None, server_calls=())


def blocks(reply: Reply, request: Request, ids: Ids, *, is_open: bool) -> list[dict[str, Any]]:
    """The blocks of the calls that have a result, or that are left open."""
    chosen = [call for call in reply.server_calls if (call.result is None) == is_open]
    return [block for call in chosen for block in _of_call(call, request, ids)]


def _of_call(call: ServerCall, request: Request, ids: Ids) -> list[dict[str, Any]]:
    waiting = _left_open(request) if call.arguments is None else None
    id_ = waiting or ids.make("srvtoolu_01", 22)
    use = {"type": "server_tool_use", "id": id_, "name": call.name, "input": dict(call.arguments or {})}
    found = {"type": "web_search_result", "title": call.result, "url": ADDRESS, "page_age": None}
    content = [{**found, "encrypted_content": ids.make("", 64)}]
    result = {"type": f"{call.name}_tool_result", "tool_use_id": id_, "content": content}
    return [*([] if waiting else [use]), *([] if call.result is None else [result])]


def _left_open(request: Request) -> str | None:
    """The id of the call at the end of the request that has no result yet."""
    messages = tolerant(request).get("messages")
    last = messages[-1] if isinstance(messages, list) and messages else None
    content = last.get("content") if isinstance(last, dict) and last.get("role") == "assistant" else None
    listed = [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []
    answered = {block.get("tool_use_id") for block in listed}
    waiting = [block["id"] for block in listed if block.get("type") == "server_tool_use" and "id" in block]
    return next((id_ for id_ in reversed(waiting) if isinstance(id_, str) and id_ not in answered), None)
