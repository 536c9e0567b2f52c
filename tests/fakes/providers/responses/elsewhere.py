"""Requests to the Responses endpoints of providers other than OpenAI, and their responses."""

import json
from typing import Any

from fake_providers import Fault, Reply, ReplyContext, Request, Response, Violation, Wire, judge
from fake_providers.ids import Ids
from fake_providers.models import default_model
from fake_providers.provider_facts import providers_of
from fake_providers.registry import wire_for

NAMES = [name for name in providers_of("openai-responses") if name in ("deepseek", "openrouter", "xai")]
"""Those with answers of their own; the others send OpenAI's."""
USER = {"role": "user", "content": "What is the weather in Oslo?"}
TOOL = {"type": "function", "name": "weather", "parameters": {"type": "object", "properties": {}}}
THOUGHT = {"type": "reasoning", "summary": [], "content": [{"type": "reasoning_text", "text": "I ask."}]}


def call(call_id: str) -> dict[str, Any]:
    return {"type": "function_call", "call_id": call_id, "name": "weather", "arguments": "{}"}


def result(call_id: str) -> dict[str, Any]:
    return {"type": "function_call_output", "call_id": call_id, "output": "7 degrees"}


def request_body(name: str, *items: Any, **fields: Any) -> dict[str, Any]:
    return {"model": default_model("openai-responses", name), "input": list(items) or [USER], **fields}


def wire_of(name: str) -> Wire:
    return wire_for(name, "openai-responses")


def telling_of(name: str, **fields: Any) -> ReplyContext:
    body = json.dumps(request_body(name, tools=[TOOL], **fields)).encode()
    request = Request("POST", "/v1/responses", {"authorization": "Bearer sk-conformance-key"}, body)
    return ReplyContext(request, name, Ids(name))


def answered(name: str, reply: Reply, **fields: Any) -> Response:
    return wire_of(name).encode(reply, telling_of(name, **fields))


def plain(name: str, reply: Reply, **fields: Any) -> Any:
    return json.loads(answered(name, reply, **fields).body)


def events(name: str, reply: Reply, **fields: Any) -> list[dict[str, Any]]:
    """The data of each event, without comments and the `[DONE]`."""
    lines = answered(name, reply, stream=True, **fields).body.decode().split("\n")
    data = [line.removeprefix("data: ") for line in lines if line.startswith("data: ")]
    return [json.loads(one) for one in data if one != "[DONE]"]


def failed(name: str, status: int) -> Any:
    return json.loads(wire_of(name).fail(Fault(status=status), telling_of(name)).body)


def judged(name: str, *items: Any, **fields: Any) -> Violation | None:
    return judge(name, "/v1/responses", json.dumps(request_body(name, *items, **fields)).encode(), {})


def rule_of(found: Violation | None) -> str | None:
    return found and found.rule
