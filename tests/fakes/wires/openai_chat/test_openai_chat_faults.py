"""Scripted faults: OpenAI's bodies and headers, and error events."""

import json
from typing import Any

import pytest
from chat_requests import chat, context, encode_reply, events, http_request

from fake_providers import Fault, Reply, ReplyContext, Response
from fake_providers.ids import Ids
from fake_providers.wires.openai_chat.wire import WIRE

STREAM = chat(stream=True)


def failed(**fault: Any) -> Response:
    return WIRE.fail(Fault(**fault), context(chat()))


def error(response: Response) -> dict[str, Any]:
    parsed: dict[str, Any] = json.loads(response.body)["error"]
    return parsed


@pytest.mark.parametrize(
    ("status", "kind", "code", "words"),
    [
        (400, "invalid_request_error", None, "Could not finish the message"),
        (401, "invalid_request_error", "invalid_api_key", "Incorrect API key provided: sk-test. You can find"),
        (403, "invalid_request_error", None, "You are not allowed to sample from this model"),
        (404, "invalid_request_error", "model_not_found", "The model `gpt-4.1` does not exist or you do not have"),
        (408, "server_error", None, "Request timed out."),
        (429, "tokens", "rate_limit_exceeded", "Rate limit reached for gpt-4.1 in organization org-"),
        (500, "server_error", None, "The server had an error while processing your request. Sorry about that!"),
    ],
)
def test_status_has_openais_body(status: int, kind: str, code: str | None, words: str) -> None:
    response = failed(status=status)

    assert response.status == status
    assert list(error(response)) == ["message", "type", "param", "code"]
    assert (error(response)["type"], error(response)["param"], error(response)["code"]) == (kind, None, code)
    assert error(response)["message"].startswith(words)


def test_gateway_responds_with_a_page() -> None:
    response = failed(status=502)

    assert dict(response.headers)["content-type"] == "text/html"
    assert b"<h1>502 Bad Gateway</h1>" in response.body


@pytest.mark.parametrize(
    ("retry_after", "expected"),
    [
        (None, {}),
        (0, {"retry-after-ms": "1"}),
        (2, {"retry-after": "2", "retry-after-ms": "2000"}),
        (0.25, {"retry-after": "1", "retry-after-ms": "250"}),
    ],
)
def test_rate_limit_has_the_seconds_to_wait(retry_after: float | None, expected: dict[str, str]) -> None:
    headers = dict(failed(status=429, retry_after=retry_after).headers)

    assert {name: value for name, value in headers.items() if name.startswith("retry")} == expected
    assert headers["x-ratelimit-remaining-tokens"] == "0"
    assert headers["x-request-id"].startswith("req_")


def test_other_statuses_have_no_rate_limit_headers() -> None:
    assert not [name for name, _ in failed(status=500).headers if name.startswith("x-ratelimit")]


def test_long_key_is_masked_as_openai_masks_it() -> None:
    request = http_request(chat(), {"authorization": "Bearer sk-proj-abcdefghijklmnop"})

    message = error(WIRE.fail(Fault(status=401), ReplyContext(request, "openai", Ids("seed"))))["message"]

    assert "sk-proj-************mnop" in message


@pytest.mark.parametrize(
    ("body", "content_type", "expected"),
    [
        ({"detail": "no"}, "application/json", b'{"detail":"no"}'),
        ("upstream connect error", "text/plain; charset=utf-8", b"upstream connect error"),
        ("", "text/plain; charset=utf-8", b""),
    ],
)
def test_scripted_body_replaces_openais(body: Any, content_type: str, expected: bytes) -> None:
    response = failed(status=503, body=body)

    assert (response.status, response.body) == (503, expected)
    assert dict(response.headers)["content-type"] == content_type


def test_scripted_content_type_replaces_the_header() -> None:
    for response in (
        failed(status=500, content_type="text/html"),
        encode_reply(Reply(text="Hello", fault=Fault(content_type="text/html"))),
        encode_reply(Reply(text="Hello", fault=Fault(content_type="text/html")), STREAM),
    ):
        assert [value for name, value in response.headers if name == "content-type"] == ["text/html"]


def test_body_without_status_is_sent_with_200() -> None:
    response = encode_reply(Reply(fault=Fault(body="<html>")))

    assert (response.status, response.body) == (200, b"<html>")


def test_error_event_comes_after_the_text_so_far() -> None:
    *before, last = events(encode_reply(Reply(text="It is", fault=Fault(error_event="500")), STREAM))

    assert "".join(event["choices"][0]["delta"].get("content", "") for event in before) == "It is"
    assert all(event["choices"][0]["finish_reason"] is None for event in before)
    assert last["error"]["type"] == "server_error"
    assert last["error"]["message"].startswith("The server had an error while processing your request.")


def test_error_event_comes_first_if_there_is_no_text() -> None:
    parsed = events(encode_reply(Reply(fault=Fault(error_event="the words")), STREAM))

    assert parsed == [{"error": {"message": "the words", "type": "server_error", "param": None, "code": None}}]


def test_status_of_a_fault_replaces_the_reply() -> None:
    assert encode_reply(Reply(text="Hello", fault=Fault(status=500))).status == 500


def test_outage_is_reported_by_the_proxy() -> None:
    response = failed(status=503)

    assert (response.status, dict(response.headers)["content-type"]) == (503, "text/plain")
    assert response.body.startswith(b"upstream connect error")


@pytest.mark.parametrize(
    ("status", "label"),
    [
        (400, "application/json"),
        (401, "application/json; charset=utf-8"),
        (403, "application/json; charset=utf-8"),
        (404, "application/json; charset=utf-8"),
        (429, "application/json; charset=utf-8"),
        (500, "application/json"),
    ],
)
def test_only_responses_of_the_gateway_have_a_charset(status: int, label: str) -> None:
    assert dict(failed(status=status).headers)["content-type"] == label


def test_rate_limits_come_with_replies_and_with_refusals_of_the_engine() -> None:
    assert "x-ratelimit-remaining-tokens" in dict(failed(status=400).headers)
    assert "x-ratelimit-remaining-tokens" not in dict(failed(status=401).headers)
