"""Files that incidents left, written out: each is of another kind, and of a bug that a mutant has."""

import json
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

from agent_conformance.cassettes.recorded_exchange import RecordedRequest, RecordedResponse
from agent_conformance.report_data.encoding import encoded
from agent_conformance.report_data.model import (
    Agent,
    Body,
    CaseRecord,
    FindingResult,
    RequestResult,
    Results,
    Suite,
    TurnResult,
)

READ_PAGE = {"name": "read_page", "description": "Reads a page.", "parameters": {"type": "object", "properties": {}}}
WEATHER = {
    "name": "get_weather",
    "description": "Current weather.",
    "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
}
UNANSWERED = (
    "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'."
)


def pruned_body() -> str:
    """A request to Gemini whose first message of the user was pruned away."""
    rounds = [
        [
            {"role": "model", "parts": [{"functionCall": {"name": "read_page", "args": {}}}]},
            {"role": "user", "parts": [{"functionResponse": {"name": "read_page", "response": {"result": text}}}]},
        ]
        for text in ("seven", "eight")
    ]
    return json.dumps({"contents": list(chain.from_iterable(rounds)), "tools": [{"functionDeclarations": [READ_PAGE]}]})


def two_calls() -> list[dict[str, Any]]:
    return [
        {
            "id": f"call_{city}",
            "type": "function",
            "function": {"name": "get_weather", "arguments": f'{{"city":"{city}"}}'},
        }
        for city in ("Oslo", "Rome")
    ]


def chat_bodies() -> tuple[dict[str, Any], dict[str, Any]]:
    """The first request, and the second one, in which a result of two is missing."""
    first = {
        "model": "gpt-4.1",
        "messages": [{"role": "user", "content": "Weather in Oslo and Rome? Mail it to jane.doe@corp.example.com."}],
        "tools": [{"type": "function", "function": WEATHER}],
    }
    result = {"role": "tool", "tool_call_id": "call_Rome", "content": "11 degrees"}
    lost = [*first["messages"], {"role": "assistant", "content": None, "tool_calls": two_calls()}, result]
    return first, {**first, "messages": lost}


def chat_answers() -> tuple[dict[str, Any], dict[str, Any]]:
    message = {"role": "assistant", "content": None, "tool_calls": two_calls()}
    choice = {"index": 0, "message": message, "finish_reason": "tool_calls"}
    completion = {"id": "chatcmpl-1", "object": "chat.completion", "model": "gpt-4.1", "choices": [choice]}
    return completion, {"error": {"message": UNANSWERED, "type": "invalid_request_error"}}


def cassette() -> str:
    """Of vcrpy, with a key in a header."""
    lines = ["interactions:"]
    for body, answer, status in zip(chat_bodies(), chat_answers(), (200, 400), strict=True):
        lines += [
            "- request:",
            f"    body: {json.dumps(json.dumps(body))}",
            "    headers: {authorization: [Bearer sk-proj-abcdefghijklmnop1234]}",
            "    method: POST",
            "    uri: https://api.openai.com/v1/chat/completions",
            "  response:",
            f"    body: {{string: {json.dumps(json.dumps(answer))}}}",
            "    headers: {content-type: [application/json]}",
            f"    status: {{code: {status}, message: any}}",
        ]
    return "\n".join([*lines, "version: 1", ""])


def fixtures() -> str:
    """Of aimock: two calls at once, and the reply after them."""
    calls = [{"name": "get_weather", "arguments": {"city": city}} for city in ("Oslo", "Rome")]
    match = {"userMessage": "Weather in Oslo and Rome?"}
    answers = [{"toolCalls": calls}, {"content": "Cold and warm."}]
    return json.dumps({"fixtures": [{"match": match, "response": answer} for answer in answers]})


def log() -> str:
    """Messages of Anthropic as JSON Lines: the turn was cancelled while its tool ran."""
    call = {"type": "tool_use", "id": "toolu_1", "name": "get_weather", "input": {"city": "Oslo"}}
    messages = [
        {"role": "user", "content": "Weather in Oslo?", "at": "10:30"},
        {"role": "assistant", "content": [call]},
        {"role": "user", "content": "Never mind. What is a quince?"},
    ]
    return "\n".join(map(json.dumps, messages))


def trace() -> str:
    """A span of the conventions of OpenTelemetry: a restored history begins with a result."""
    messages = [
        {"role": "tool", "parts": [{"type": "tool_call_response", "id": "call_9", "response": "a fruit"}]},
        {"role": "assistant", "parts": [{"type": "text", "content": "It is a fruit."}]},
        {"role": "user", "parts": [{"type": "text", "content": "And a pear?"}]},
    ]
    attributes = {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "openai",
        "gen_ai.system_instructions": json.dumps([{"type": "text", "content": "You are helpful."}]),
        "gen_ai.input.messages": json.dumps(messages),
        "error.type": "400",
    }
    span = {
        "traceId": "1",
        "name": "chat gpt-4.1",
        "startTimeUnixNano": "1",
        "attributes": [{"key": key, "value": {"stringValue": value}} for key, value in attributes.items()],
        "status": {"code": 2, "message": "messages with role 'tool' must be a response to a preceding message"},
    }
    return json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]})


def report() -> str:
    """Results with one failing case and the bodies of its requests."""
    headers = (("content-type", "application/json"),)
    url = "https://api.openai.com/v1/chat/completions"
    return results_of(
        [
            (
                RecordedRequest("POST", url, headers, json.dumps(sent).encode()),
                RecordedResponse(status, headers, (json.dumps(answer).encode(),)),
            )
            for sent, answer, status in zip(chat_bodies(), chat_answers(), (200, 400), strict=True)
        ]
    )


def results_of(
    exchanges: Sequence[tuple[RecordedRequest, RecordedResponse]], wire: str = "openai-chat", provider: str = "openai"
) -> str:
    """Results with one failing case, which has these requests."""
    bodies: dict[str, Body] = {}
    requests = []
    for number, (sent, got) in enumerate(exchanges, 1):
        bodies[f"q{number}"] = Body(sent.body.decode(), sent.headers, method="POST", path=sent.path)
        bodies[f"a{number}"] = Body(got.body.decode(), got.headers, status=got.status)
        ids = {"request": f"q{number}", "response": f"a{number}"}
        requests.append(RequestResult(number, "model", got.status, provider, wire, **ids))
    case = CaseRecord(
        id=f"parallel/all@{wire}+plain",
        scenario="parallel/all",
        example="",
        area="parallel",
        profile="core",
        wire=wire,
        provider=provider,
        mode="plain",
        file="scenarios/parallel/all.yaml",
        title="all are answered",
        outcome="fail",
        findings=(FindingResult("paired", "paired", "law", "must", "new"),),
        turns=(TurnResult(1, "Weather in Oslo and Rome?", requests=tuple(requests)),),
    )
    return encoded(Results(suite=Suite("1"), agent=Agent("mine"), cases=(case,), bodies=bodies)).decode()


INCIDENTS: Mapping[str, tuple[str, str, str]] = {
    "request": (pruned_body(), "M2a_prune_first_user", "gemini/call-after-user-turn"),
    "cassette": (cassette(), "M8a_one_result_each", ""),
    "fixtures": (fixtures(), "M8a_one_result_each", ""),
    "chat-log": (log(), "M12_cancel_dangling", ""),
    "trace": (trace(), "M73a_restored_as_it_is", ""),
    "report": (report(), "M8a_one_result_each", ""),
}
"""The file, the mutant that has the bug, and the rule of its finding where only that one will do."""
