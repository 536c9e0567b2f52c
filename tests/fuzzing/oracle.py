"""What every answer of a fake must be: in time, whole, and a reply or a refusal as this provider writes them."""

import json
from collections.abc import Iterator
from functools import cache
from typing import Any

from fake_providers import Response, Rule, Violation, judge, provider_wires
from fake_providers.registry import wire_for
from fake_providers.replies.event_frames import CONTENT_TYPE, decode_frames
from tests.fuzzing.fuzz_request import FuzzRequest
from tests.fuzzing.strategies import KEYS
from tests.wire_samples import PATHS

OWN = "fake_provider"
"""The type of the transport's own errors: a body that it cannot decode, or a fake that has failed."""
NULLABLE = ("code", "param", "metadata")
REPLY = {
    "openai-chat": {"id", "object", "created", "model", "choices"},
    "openai-responses": {"id", "object", "output", "status"},
    "anthropic-messages": {"id", "type", "role", "content", "model", "stop_reason", "usage"},
    "gemini-generate": {"candidates", "usageMetadata", "modelVersion"},
    "ollama-chat": {"model", "created_at", "message", "done"},
    "bedrock-converse": {"metrics", "output", "stopReason", "usage"},
    "cohere-chat": {"id", "message", "finish_reason", "usage"},
}
"""What a whole reply has at least."""
DONE = "[DONE]"
JSON_EVENT = {":content-type": "application/json", ":message-type": "event"}
LAST = {
    "openai-chat": DONE,
    "openai-responses": "response.completed",
    "anthropic-messages": "message_stop",
    "cohere-chat": DONE,
}
"""What the last event of a stream is, or is of."""


def check_answer(provider: str, wire: str, request: FuzzRequest, response: Response, refused: list[Violation]) -> None:
    """`refused` are the violations that the fake has noted of this request: one at most."""
    assert len(refused) <= 1
    if refused:
        check_refusal(provider, wire, response, refused[0])
        check_envelope(provider, wire, refused[0].body)
        return
    assert response.status < 500, response.body[:300]
    if request.method == "HEAD":
        assert response.body == b""
    elif response.status == 200:
        check_reply(provider, wire, response)
    else:
        body = json.loads(response.body)
        assert message_of(body), body


def check_refusal(provider: str, wire: str, response: Response, violation: Violation) -> None:
    assert response.status == violation.status
    assert 400 <= response.status < 500 or violation.rule in server_errors(provider, wire), violation.rule
    if isinstance(violation.body, str):
        assert response.body.decode() == violation.body
    else:
        assert written(read_json(response.body)) == written(violation.body)


def written(body: Any) -> str:
    """Half a character is a question mark in the answers of some providers."""
    return json.dumps(body, ensure_ascii=False, sort_keys=True).encode(errors="replace").decode()


@cache
def server_errors(provider: str, wire: str) -> frozenset[str]:
    """Rules of a provider that answers a wrong request with a 500."""
    return frozenset(rule.id for rule in wire_for(provider, wire).rules if rule.status >= 500)


def check_reply(provider: str, wire: str, response: Response) -> None:
    kind = dict(response.headers)["content-type"]
    if kind == CONTENT_TYPE:
        *_, last = decode_frames(response.body)
        assert last.headers == {":event-type": "metadata", **JSON_EVENT}, last
        return
    if "event-stream" in kind or "ndjson" in kind:
        events = list(events_of(response.body.decode(), lines="ndjson" in kind))
        if wire == "openai-responses" and events[-1:] == [DONE]:  # of OpenRouter
            events.pop()
        assert events, "an empty stream"
        check_end(wire, events[-1])
        return
    body = read_json(response.body)
    assert is_about_models(body) or wire_reply(wire, body), body


def check_end(wire: str, event: Any) -> None:
    """The last event of a stream, which may also be an error: Groq refuses a call of its own model there."""
    if isinstance(event, dict) and "error" in event:
        assert message_of(event), event
    elif wire == "ollama-chat":
        assert event["done"] is True, event
    elif wire == "gemini-generate":
        assert event["candidates"][0]["finishReason"], event
    else:
        assert LAST[wire] in (event, event.get("type") if isinstance(event, dict) else None), event


def wire_reply(wire: str, body: Any) -> bool:
    whole = body[0] if wire == "gemini-generate" and isinstance(body, list) else body  # a stream without `alt=sse`
    return isinstance(whole, dict) and whole.keys() >= REPLY[wire]


def is_about_models(body: Any) -> bool:
    """A list of models, or what the provider says of one."""
    if not isinstance(body, dict):
        return False
    one = "model" in (body.get("object"), body.get("type")) or "models/" in str(body.get("name"))
    return one or bool({"data", "models", "capabilities"} & body.keys())


def events_of(text: str, *, lines: bool) -> Iterator[Any]:
    for line in text.splitlines():
        data = line if lines else line.removeprefix("data:").strip() if line.startswith("data:") else ""
        if data:
            yield data if data == DONE else read_json(data.encode())


def read_json(body: bytes) -> Any:
    """Strictly: a client's parser knows no `NaN`."""
    return json.loads(body, parse_constant=_refuse)


def _refuse(name: str) -> None:
    raise ValueError(f"{name} is no JSON")


def message_of(body: Any) -> str:
    """What an error says, in the envelope of any provider; empty where it is none."""
    if isinstance(body, list):
        return message_of(body[0]) if body else ""
    if not isinstance(body, dict):
        return str(body or "")
    error = body.get("error", body)
    if isinstance(error, str):
        return error
    found = error.get("message") or error.get("detail")
    return json.dumps(found) if found else ""


def check_envelope(provider: str, wire: str, body: Any) -> None:
    """It has the members that refusals of this provider have."""
    assert message_of(body), body
    of_a_stream = isinstance(body, list) and len(body) == 1  # Google puts the same envelope into a list there
    known = envelopes(provider, wire)
    assert envelope(body) in known or (of_a_stream and envelope(body[0]) in known), body


def envelope(body: Any) -> Any:
    """The names of all members down to the second level, with the types of those that are not null now and then."""
    if isinstance(body, list):
        return tuple(map(envelope, body))
    if not isinstance(body, dict):
        return type(body).__name__
    return tuple((name, _leaf(name, inner)) for name, inner in body.items())


def _leaf(name: str, value: Any) -> Any:
    if isinstance(value, dict) and name == "error":
        return tuple((inner, _leaf(inner, item)) for inner, item in value.items())
    return "any" if name in NULLABLE else type(value).__name__


@cache
def envelopes(provider: str, wire: str) -> frozenset[Any]:
    """Of what this provider says to the breaking request of each of its rules, and to one without a key."""
    built = wire_for(provider, wire)
    found = {envelope(body) for rule in built.rules for body in _refusals(provider, wire, rule)}
    for one in provider_wires(provider):
        without = one.missing_key(_bare(one.name))
        found |= {envelope(without.body)} if without else set()
    return frozenset(found)


def _refusals(provider: str, wire: str, rule: Rule) -> Iterator[Any]:
    if rule.breaking is None:
        return
    content = rule.breaking if isinstance(rule.breaking, bytes) else json.dumps(rule.breaking).encode()
    violation = judge(provider, rule.path or PATHS[wire], content, {**dict(KEYS), **(rule.headers or {})})
    if violation is not None:
        yield violation.body


def _bare(wire: str) -> Any:
    from fake_providers import Request

    return Request("POST", PATHS[wire], {}, b"{}")
