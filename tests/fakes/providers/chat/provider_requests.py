"""Requests to the providers beside OpenAI, and what they answer."""

import json
from pathlib import Path
from typing import Any

from fake_providers import Reply, ReplyContext, Request, Response, Violation, judge
from fake_providers.ids import Ids
from fake_providers.models import default_model
from fake_providers.provider_facts import facts_by_provider, providers_of
from fake_providers.registry import wire_for
from fake_providers.reply import Split
from fake_providers.wire import Wire

_, *NAMES = providers_of("openai-chat")
KEYS = {
    "base_path": "what is in front of `/chat/completions`",
    "members": "the members of a plain answer, in their order",
    "choice": "the members of its first choice, in their order",
    "id": "a pattern of the answer's id",
    "call_id": "a pattern of the id of a call",
    "content_types": "of a plain answer and of a stream",
    "failure": "a status, and a sentence of the error that it has",
    "too_long": "a sentence of the refusal of 900 tokens where the window has 800",
}
OPTIONAL_KEYS = {
    "message_with_call": "the message of an answer with a call; left out where a test of its own says more",
    "without_key": "the status and body without a key; left out where a test of its own says more",
    "refuses_unknown_members": "whether unknown members of a call are refused",
    "refused_parameters": "parameters of which any value is refused",
    "whole_request_model": "a model that takes every parameter, where the default one does not",
    "headers": "of an answer, beside its content type and in their order; none where this is left out",
    "stream_headers": "of a streamed one, where they are others",
    "error_event_has": "a member of the error in mid-stream, where its body is flat; `error` where this is left out",
}


def expected_of(folder: str) -> dict[str, Any]:
    """What is recorded of the answers and errors of the provider in this folder. Raises `LookupError`."""
    file = Path(__file__).parent / "expected" / f"{folder}.json"
    if not file.exists():
        raise LookupError(f"{file}: the file is missing; it has {KEYS}")
    expected: dict[str, Any] = json.loads(file.read_text())
    for key in KEYS.keys() - expected.keys():
        raise LookupError(f"{file}: {key} is missing: {KEYS[key]}")
    for key in expected.keys() - KEYS.keys() - OPTIONAL_KEYS.keys():
        raise LookupError(f"{file}: {key} is no key; there are {[*KEYS, *OPTIONAL_KEYS]}")
    return expected


EXPECTED = {name: expected_of(facts_by_provider()[name].folder) for name in NAMES}
PATH = "/v1/chat/completions"
USER: dict[str, Any] = {"role": "user", "content": "What is the weather in Oslo?"}
TOOL: dict[str, Any] = {
    "type": "function",
    "function": {"name": "get_weather", "description": "Weather.", "parameters": {"type": "object"}},
}


def calling(*ids: str, **more: Any) -> dict[str, Any]:
    function = {"name": "get_weather", "arguments": '{"city":"Oslo"}'}
    calls = [{"id": call_id, "type": "function", "function": function} for call_id in ids]
    return {"role": "assistant", "content": "", "tool_calls": calls, **more}


def result(call_id: str) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": call_id, "content": "7 degrees"}


def chat(provider: str, *messages: Any, **fields: Any) -> dict[str, Any]:
    model = fields.pop("model", default_model("openai-chat", provider))
    return {"model": model, "messages": list(messages) or [USER], **fields}


def wire(provider: str) -> Wire:
    return wire_for(provider, "openai-chat")


def posted(body: Any, path: str = PATH, **headers: str) -> Request:
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    return Request("POST", path, headers or {"authorization": "Bearer key"}, content)


def judged(provider: str, body: Any, path: str = PATH) -> Violation | None:
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    return judge(provider, path, content, {"content-type": "application/json"})


def rule_of(provider: str, body: Any, path: str = PATH) -> str | None:
    violation = judged(provider, body, path)
    return violation and violation.rule.partition("/")[2]


def context(provider: str, body: Any = None, split: Split = "provider", path: str = PATH) -> ReplyContext:
    return ReplyContext(posted(body or chat(provider, tools=[TOOL]), path), provider, Ids("seed"), split)


def answered(provider: str, reply: Reply, body: Any = None, split: Split = "provider", path: str = PATH) -> Response:
    return wire(provider).encode(reply, context(provider, body, split, path))


def streamed(provider: str, reply: Reply, **fields: Any) -> Response:
    return answered(provider, reply, chat(provider, tools=[TOOL], stream=True, **fields))


def events(response: Response) -> list[Any]:
    """The data of each event; what is no data (`: waiting`, `[DONE]`) as it stands."""
    parsed = response.body.decode().split("\n\n")
    assert parsed.pop() == ""
    return [json.loads(one[6:]) if one.startswith("data: {") else one for one in parsed]


def plain(response: Response) -> Any:
    return json.loads(response.body)
