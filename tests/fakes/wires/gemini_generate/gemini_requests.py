"""Requests and helpers that the tests of this wire share."""

import json
from typing import Any

from fake_providers import ReplyContext, Request, Response, Violation, judge, wire_named
from fake_providers.ids import Ids
from fake_providers.reply import Fault, Reply, Split

WIRE = wire_named("gemini-generate")
PLAIN, STREAM, ARRAY = ":generateContent", ":streamGenerateContent?alt=sse", ":streamGenerateContent"
MODEL = "gemini-3-flash-preview"

CALL = {"functionCall": {"name": "get_weather", "args": {"city": "Oslo"}}}
SIGNED = {**CALL, "thoughtSignature": "skip_thought_signature_validator"}
RESULT = {"functionResponse": {"name": "get_weather", "response": {"result": "rain"}}}


def user(*parts: Any) -> dict[str, Any]:
    return {"role": "user", "parts": [{"text": part} if isinstance(part, str) else part for part in parts]}


def model(*parts: Any) -> dict[str, Any]:
    return {"role": "model", "parts": [{"text": part} if isinstance(part, str) else part for part in parts]}


def path(verb: str = PLAIN, *, of: str = MODEL) -> str:
    return f"/v1beta/models/{of}{verb}"


def request(body: Any = None, *, verb: str = PLAIN, of: str = MODEL, headers: dict[str, str] | None = None) -> Request:
    raw = (
        body
        if isinstance(body, bytes)
        else json.dumps({"contents": [user("Rain?")]} if body is None else body).encode()
    )
    return Request("POST", path(verb, of=of), headers or {}, raw)


def violation_of(*contents: Any, of: str = MODEL, **fields: Any) -> Violation | None:
    return judge("gemini", path(of=of), json.dumps({"contents": list(contents), **fields}).encode(), {})


def broken_rule(violation: Violation | None) -> str | None:
    return violation.rule if violation else None


def encode_reply(reply: Reply, *, verb: str = PLAIN, of: str = MODEL, split: Split = "provider") -> Response:
    return WIRE.encode(reply, ReplyContext(request(verb=verb, of=of), "gemini", Ids("test"), split))


def encode_fault(fault: Fault, *, verb: str = PLAIN) -> Response:
    return WIRE.fail(fault, ReplyContext(request(verb=verb), "gemini", Ids("test")))


def bodies(response: Response) -> list[Any]:
    """The JSON of each chunk of an event stream."""
    return [json.loads(event.removeprefix("data: ")) for event in response.body.decode().split("\r\n\r\n") if event]
