"""Requests and helpers that the tests of this wire share."""

import json
from typing import Any

from fake_providers import Reply, ReplyContext, Request, Response, Violation, judge, wire_named
from fake_providers.ids import Ids
from fake_providers.reply import Split

WIRE = wire_named("anthropic-messages")
PATH = "/v1/messages"
NEW, OLD = "claude-sonnet-5", "claude-sonnet-4-5"
TOOL = {"name": "f", "input_schema": {"type": "object"}}


def user(content: Any = "a") -> dict[str, Any]:
    return {"role": "user", "content": content}


def assistant(content: Any = "b") -> dict[str, Any]:
    return {"role": "assistant", "content": content}


def system(content: Any = "s") -> dict[str, Any]:
    return {"role": "system", "content": content}


def text_block(value: Any) -> dict[str, Any]:
    return {"type": "text", "text": value}


def tool_use(id: str = "toolu_1", **members: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": id, "name": "f", "input": {}, **members}


def tool_result(id: str = "toolu_1", **members: Any) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": id, "content": "x", **members}


def body(*messages: Any, **fields: Any) -> dict[str, Any]:
    """A request; a field that is `...` is left out."""
    request_body = {"model": NEW, "max_tokens": 16, "messages": list(messages) or [user()], **fields}
    return {name: value for name, value in request_body.items() if value is not ...}


def violation_of(*messages: Any, **fields: Any) -> Violation | None:
    return judge("anthropic", PATH, json.dumps(body(*messages, **fields)).encode(), {})


def broken_rule(*messages: Any, **fields: Any) -> str | None:
    violation = violation_of(*messages, **fields)
    return violation.rule if violation else None


def error_message(*messages: Any, **fields: Any) -> str | None:
    violation = violation_of(*messages, **fields)
    return violation.message if violation else None


def request(*messages: Any, **fields: Any) -> Request:
    return Request("POST", PATH, {"x-api-key": "k"}, json.dumps(body(*messages, **fields)).encode())


def context(
    *, stream: bool = False, split: Split = "provider", sent: Request | None = None, seed: str = "test"
) -> ReplyContext:
    return ReplyContext(sent or request(stream=stream), "anthropic", Ids(seed), split)


def encode_reply(reply: Reply, *, stream: bool = False, split: Split = "provider") -> Response:
    return WIRE.encode(reply, context(stream=stream, split=split))


def events(response: Response) -> list[dict[str, Any]]:
    """The JSON of each event of a stream; the event's name must equal its type."""
    parsed = []
    for event in response.body.decode().split("\n\n"):
        if event:
            name, data = event.split("\n")
            parsed.append(json.loads(data.removeprefix("data: ")))
            assert name == f"event: {parsed[-1]['type']}"
    return parsed
