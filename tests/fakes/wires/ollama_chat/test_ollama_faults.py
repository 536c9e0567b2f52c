"""Scripted faults: Ollama's error bodies, and errors within a stream."""

import json
from typing import Any

import pytest
from ollama_requests import STREAM, chat_body, context, encode_reply, http_request, lines

from fake_providers import Fault, Reply, Response
from fake_providers.wires.ollama_chat.wire import WIRE

SAID = {rule.id: rule.evidence[0].quote for rule in WIRE.rules if rule.breaking is None}


def failed(**fault: Any) -> Response:
    return WIRE.fail(Fault(**fault), context(chat_body()))


@pytest.mark.parametrize(
    ("status", "words"),
    [
        (400, "bad request"),
        (401, "unauthorized"),
        (403, "ollama cloud is disabled: remote model is unavailable"),
        (404, "model 'qwen3:8b' not found"),
        (429, "you've reached your hourly usage limit, please wait or upgrade to continue"),
        (502, "bad gateway"),
        (503, SAID["ollama/busy"]),
        (529, "unexpected error"),
    ],
)
def test_status_has_ollamas_body(status: int, words: str) -> None:
    response = failed(status=status)

    assert response.status == status
    assert response.headers == (("content-type", "application/json; charset=utf-8"),)
    assert json.loads(response.body) == {"error": words}


@pytest.mark.parametrize(
    ("retry_after", "expected"),
    [
        (None, {}),
        (0, {"retry-after-ms": "1"}),
        (2, {"retry-after": "2", "retry-after-ms": "2000"}),
        (0.25, {"retry-after": "1", "retry-after-ms": "250"}),
    ],
)
def test_scripted_wait_is_sent_as_headers(retry_after: float | None, expected: dict[str, str]) -> None:
    headers = dict(failed(status=503, retry_after=retry_after).headers)

    assert {name: value for name, value in headers.items() if name.startswith("retry")} == expected


@pytest.mark.parametrize(
    ("body", "content_type", "expected"),
    [
        ({"detail": "no"}, "application/json; charset=utf-8", b'{"detail":"no"}'),
        ("upstream connect error", "text/plain; charset=utf-8", b"upstream connect error"),
        ("", "text/plain; charset=utf-8", b""),
    ],
)
def test_scripted_body_replaces_ollamas(body: Any, content_type: str, expected: bytes) -> None:
    response = failed(status=503, body=body)

    assert (response.status, response.body) == (503, expected)
    assert dict(response.headers)["content-type"] == content_type


def test_body_without_status_is_sent_with_200() -> None:
    response = encode_reply(Reply(fault=Fault(body="<html>")))

    assert (response.status, response.body) == (200, b"<html>")


def test_scripted_content_type_replaces_the_header() -> None:
    for response in (
        failed(status=500, content_type="text/html"),
        encode_reply(Reply(text="Hello", fault=Fault(content_type="text/html"))),
        encode_reply(Reply(text="Hello", fault=Fault(content_type="text/html")), STREAM),
    ):
        assert [value for name, value in response.headers if name == "content-type"] == ["text/html"]


def test_stream_of_one_line_is_cut_before_it() -> None:
    cut = encode_reply(Reply(fault=Fault(cut_after=0)), STREAM)

    assert (cut.cut, cut.body) == (True, b"")


def test_error_replaces_the_last_line() -> None:
    *before, last = lines(encode_reply(Reply(text="It is", fault=Fault(error_event="503")), STREAM))

    assert "".join(line["message"]["content"] for line in before) == "It is"
    assert not any(line["done"] for line in before)
    assert last == {"error": SAID["ollama/busy"]}


def test_error_is_the_only_line_if_there_is_no_text() -> None:
    response = encode_reply(Reply(fault=Fault(error_event="the words")), STREAM)

    assert response.status == 200
    assert lines(response) == [{"error": "the words"}]


def test_status_of_a_fault_replaces_the_reply() -> None:
    assert encode_reply(Reply(text="Hello", fault=Fault(status=500))).status == 500


def test_long_conversation_is_refused_with_the_servers_sentence() -> None:
    violation = WIRE.too_long(http_request(chat_body()), provider="ollama", tokens=9000, window=4096)

    assert (violation.rule, violation.status, violation.at) == ("ollama/prompt-too-long", 400, "messages")
    assert violation.body == {"error": violation.message}
    assert violation.message == SAID["ollama/prompt-too-long"]
