"""Scripted faults: OpenAI's bodies and headers, and error events."""

import json
from typing import Any

import pytest
from responses_requests import context, encode_reply, events, http_request, responses_body

from fake_providers import Fault, Reply, Response
from fake_providers.wires.openai_responses.wire import WIRE

STREAM = responses_body(stream=True)


def failed(**fault: Any) -> Response:
    return WIRE.fail(Fault(**fault), context(responses_body()))


def error(response: Response) -> dict[str, Any]:
    parsed: dict[str, Any] = json.loads(response.body)["error"]
    return parsed


@pytest.mark.parametrize(
    ("status", "kind", "param", "code", "words"),
    [
        (
            400,
            "invalid_request_error",
            None,
            "invalid_prompt",
            "Invalid prompt: your prompt was flagged as potentially",
        ),
        (401, "invalid_request_error", None, "invalid_api_key", "Incorrect API key provided: sk-test. You can find"),
        (404, "invalid_request_error", "model", None, "Model not found gpt-5.4"),
        (429, "tokens", None, "rate_limit_exceeded", "Rate limit reached for gpt-5.4 in organization org-"),
        (500, "server_error", None, "server_error", "An error occurred while processing your request."),
    ],
)
def test_status_has_openais_body(status: int, kind: str, param: str | None, code: str | None, words: str) -> None:
    response = failed(status=status)

    assert response.status == status
    assert list(error(response)) == ["message", "type", "param", "code"]
    assert (error(response)["type"], error(response)["param"], error(response)["code"]) == (kind, param, code)
    assert error(response)["message"].startswith(words)


def test_rate_limit_has_the_seconds_to_wait() -> None:
    headers = dict(failed(status=429, retry_after=0).headers)

    assert headers["retry-after-ms"] == "1"
    assert headers["x-request-id"].startswith("req_")


def test_gateway_responds_with_a_page() -> None:
    assert b"<h1>502 Bad Gateway</h1>" in failed(status=502).body


def test_scripted_body_replaces_openais() -> None:
    assert failed(status=503, body={"detail": "no"}).body == b'{"detail":"no"}'
    assert encode_reply(Reply(fault=Fault(body="<html>"))).body == b"<html>"


def test_error_event_comes_after_the_text_so_far_and_the_response_has_failed() -> None:
    *before, wrong, last = events(encode_reply(Reply(text="It is", fault=Fault(error_event="500")), STREAM))

    assert "".join(event.get("delta", "") for event in before) == "It is"
    assert wrong["type"] == "error"
    assert wrong["error"]["message"].startswith("An error occurred while processing your request.")
    assert last["type"] == "response.failed"
    assert (last["response"]["status"], last["response"]["error"]["code"]) == ("failed", "server_error")
    assert (wrong["sequence_number"], last["sequence_number"]) == (len(before), len(before) + 1)


def test_error_event_comes_first_if_there_is_no_text() -> None:
    parsed = events(encode_reply(Reply(fault=Fault(error_event="the words")), STREAM))

    assert [event["type"] for event in parsed] == [
        "response.created",
        "response.in_progress",
        "error",
        "response.failed",
    ]
    assert parsed[2]["error"] == {"message": "the words", "type": "server_error", "param": None, "code": "server_error"}


def test_missing_key_breaks_a_rule_of_this_wire() -> None:
    violation = WIRE.missing_key(http_request(responses_body(), {"x": "y"}))

    assert violation is not None
    assert (violation.rule, violation.status) == ("openai/responses-missing-key", 401)
    assert WIRE.missing_key(http_request(responses_body())) is None


def test_conversation_that_is_too_long_is_refused() -> None:
    violation = WIRE.too_long(http_request(responses_body()), provider="openai", tokens=9, window=8)

    assert violation.rule == "openai/responses-context-length"
    assert violation.body["error"]["code"] == "context_length_exceeded"


def test_long_conversation_is_accepted_if_the_provider_may_truncate_it() -> None:
    truncated = http_request(responses_body(truncation="auto"))

    assert WIRE.too_long(truncated, provider="openai", tokens=9, window=8) is None
    assert WIRE.judge(truncated, provider="openai") is None


def test_outage_is_reported_by_the_proxy() -> None:
    response = failed(status=503)

    assert (response.status, dict(response.headers)["content-type"]) == (503, "text/plain")
    assert response.body.startswith(b"upstream connect error")
