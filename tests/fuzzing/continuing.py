"""The next request of a conversation: the one before, with the reply that the fake gave and results of its calls.

Knows each wire's replies as far as that needs it.
"""

import json
from collections.abc import Callable, Iterator
from typing import Any

Body = dict[str, Any]


def continued(wire: str, body: Body, reply: bytes) -> Body | None:
    """None where the reply is no whole one: it is streamed, or a refusal."""
    try:
        return NEXT[wire](body, json.loads(reply))
    except (ValueError, LookupError, TypeError, AttributeError):
        return None


def _chat(body: Body, reply: Any) -> Body:
    message = reply["choices"][0]["message"]
    results = [{"role": "tool", "tool_call_id": call["id"], "content": "7"} for call in message.get("tool_calls") or ()]
    return {**body, "messages": [*body["messages"], message, *(results or [{"role": "user", "content": "Thanks."}])]}


def _responses(body: Body, reply: Any) -> Body:
    return {**body, "previous_response_id": reply["id"], "input": list(_outputs(reply)) or "Thanks."}


def _outputs(reply: Any) -> Iterator[Any]:
    for item in reply["output"]:
        if item["type"] == "function_call":
            yield {"type": "function_call_output", "call_id": item["call_id"], "output": "7"}


def _messages(body: Body, reply: Any) -> Body:
    results = [
        {"type": "tool_result", "tool_use_id": block["id"], "content": "7"}
        for block in reply["content"]
        if block["type"] == "tool_use"
    ]
    answered = [
        {"role": "assistant", "content": reply["content"]},
        {"role": "user", "content": results or "Thanks."},
    ]
    return {**body, "messages": [*body["messages"], *answered]}


def _contents(body: Body, reply: Any) -> Body:
    content = reply["candidates"][0]["content"]
    results = [
        {"functionResponse": {"name": part["functionCall"]["name"], "response": {"result": 7}}}
        for part in content["parts"]
        if "functionCall" in part
    ]
    answered = [content, {"role": "user", "parts": results or [{"text": "Thanks."}]}]
    return {**body, "contents": [*body["contents"], *answered]}


def _ollama(body: Body, reply: Any) -> Body:
    message = reply["message"]
    results = [{"role": "tool", "content": "7"} for _ in message.get("tool_calls") or ()]
    return {**body, "messages": [*body["messages"], message, *(results or [{"role": "user", "content": "Thanks."}])]}


def _converse(body: Body, reply: Any) -> Body:
    message = reply["output"]["message"]
    uses = [block["toolUse"] for block in message["content"] if "toolUse" in block]
    results: list[Any] = [{"toolResult": {"toolUseId": use["toolUseId"], "content": [{"text": "7"}]}} for use in uses]
    answered = [message] if message["content"] else []
    thanks = {"role": "user", "content": results or [{"text": "Thanks."}]}
    return {**body, "messages": [*body["messages"], *answered, thanks]}


def _cohere(body: Body, reply: Any) -> Body:
    message = reply["message"]
    results = [{"role": "tool", "tool_call_id": call["id"], "content": "7"} for call in message.get("tool_calls") or ()]
    return {**body, "messages": [*body["messages"], message, *(results or [{"role": "user", "content": "Thanks."}])]}


NEXT: dict[str, Callable[[Body, Any], Body]] = {
    "openai-chat": _chat,
    "openai-responses": _responses,
    "anthropic-messages": _messages,
    "gemini-generate": _contents,
    "ollama-chat": _ollama,
    "bedrock-converse": _converse,
    "cohere-chat": _cohere,
}
