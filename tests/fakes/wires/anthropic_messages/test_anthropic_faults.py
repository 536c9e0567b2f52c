"""Failures in the provider's envelope, and aborted streams and bodies."""

import json
from typing import Any

import pytest
from anthropic_requests import WIRE, context, encode_reply, events, request, violation_of

from fake_providers import Call, Fault, Reply, Request, Response

TEXT = Reply(text="It is raining in Oslo, and it is cold there too.")


def failed(**fields: Any) -> Response:
    return WIRE.fail(Fault(**fields), context())


def cut_stream(**fields: Any) -> Reply:
    return Reply(text=TEXT.text, fault=Fault(**fields))


@pytest.mark.parametrize(
    ("status", "kind", "beginning"),
    [
        (400, "invalid_request_error", "Error"),
        (401, "authentication_error", "invalid x-api-key"),
        (402, "billing_error", "Your credit balance is too low"),
        (403, "permission_error", "Request not allowed"),
        (404, "not_found_error", "Not found"),
        (408, "timeout_error", "Request timed out"),
        (409, "conflict_error", "Conflict"),
        (413, "request_too_large", "Request exceeds the maximum allowed number of bytes."),
        (418, "invalid_request_error", "Error"),
        (429, "rate_limit_error", "This request would exceed your organization's rate limit"),
        (500, "api_error", "Internal server error"),
        (504, "timeout_error", "Request timed out"),
        (599, "api_error", "Internal server error"),
    ],
)
def test_status_has_its_error_type_and_sentence(status: int, kind: str, beginning: str) -> None:
    response = failed(status=status)

    expected = json.loads(response.body)
    assert response.status == status
    assert list(expected) == ["type", "error", "request_id"]
    assert (expected["type"], expected["error"]["type"]) == ("error", kind)
    assert expected["error"]["message"].startswith(beginning)
    assert dict(response.headers)["request-id"] == expected["request_id"]


def test_body_of_an_overload_has_no_request_id() -> None:
    expected = json.loads(failed(status=529).body)

    assert expected == {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}


@pytest.mark.parametrize("status", [502, 503])
def test_proxy_responds_in_plain_text(status: int) -> None:
    response = failed(status=status)

    assert dict(response.headers)["content-type"] == "text/plain"
    assert response.body.startswith(b"upstream connect error")


@pytest.mark.parametrize(
    ("status", "word"), [(429, "true"), (529, "true"), (400, "false"), (401, "false"), (500, None)]
)
def test_retry_header_follows_the_recordings(status: int, word: str | None) -> None:
    assert dict(failed(status=status).headers).get("x-should-retry") == word


@pytest.mark.parametrize(
    ("seconds", "expected"),
    [
        (0, ("retry-after-ms", "1")),
        (0.5, ("retry-after-ms", "500")),
        (1, ("retry-after", "1")),
        (30.0, ("retry-after", "30")),
    ],
)
def test_short_wait_is_sent_in_milliseconds(seconds: float, expected: tuple[str, str]) -> None:
    headers = failed(status=429, retry_after=seconds).headers

    assert [header for header in headers if header[0].startswith("retry-after")] == [expected]
    assert not [header for header in failed(status=429).headers if header[0].startswith("retry-after")]


def test_rate_limit_headers_come_with_replies_and_429s() -> None:
    limit = "anthropic-ratelimit-requests-limit"

    assert limit in dict(failed(status=429).headers)
    assert limit in dict(encode_reply(TEXT).headers)
    assert limit not in dict(failed(status=500).headers)


def test_body_and_content_type_of_a_fault_are_sent_unchanged() -> None:
    page, value = failed(status=502, body="<html>é"), failed(status=500, body={"a": "é"})

    assert (page.body, dict(page.headers)["content-type"]) == ("<html>é".encode(), "text/html; charset=UTF-8")
    assert (value.body, dict(value.headers)["content-type"]) == ('{"a":"é"}'.encode(), "application/json")
    assert dict(failed(status=500, content_type="text/x").headers)["content-type"] == "text/x"
    assert dict(encode_reply(cut_stream(content_type="text/x"), stream=True).headers)["content-type"] == "text/x"
    assert encode_reply(cut_stream(body="not JSON")).body == b"not JSON"
    assert encode_reply(cut_stream(body="not JSON")).status == 200


def test_plain_body_is_cut_in_the_middle_of_the_promised_length() -> None:
    for response, whole in (
        (encode_reply(cut_stream(cut_after=1)), encode_reply(TEXT)),
        (failed(status=500, cut_after=0), failed(status=500)),
    ):
        assert response.cut
        assert whole.body.startswith(response.body)
        assert 0 < len(response.body) < len(whole.body) == int(dict(response.headers)["content-length"])


@pytest.mark.parametrize(
    ("error_name", "error"),
    [
        ("529", {"details": None, "type": "overloaded_error", "message": "Overloaded"}),
        ("overloaded_error", {"details": None, "type": "overloaded_error", "message": "Overloaded"}),
        ("api_error", {"details": None, "type": "api_error", "message": "Internal server error"}),
        ("It broke.", {"details": None, "type": "api_error", "message": "It broke."}),
    ],
)
def test_error_event_aborts_the_stream(error_name: str, error: dict[str, Any]) -> None:
    response = encode_reply(cut_stream(error_event=error_name), stream=True)

    *before, last = events(response)
    assert (response.status, response.cut) == (200, False)
    assert last == {"type": "error", "error": error}
    assert "content_block_delta" in [event["type"] for event in before]
    assert "message_stop" not in [event["type"] for event in before]
    assert len(encode_reply(cut_stream(error_event=error_name, cut_after=2), stream=True).chunks) == 3


def test_reply_with_a_status_is_a_failure() -> None:
    assert encode_reply(Reply(calls=(Call("f"),), fault=Fault(status=529)), stream=True).status == 529


def test_refusal_has_one_request_id_and_asks_for_no_retry() -> None:
    violation = violation_of(max_tokens=...)
    assert violation is not None

    response = WIRE.refuse(violation, context())

    headers = dict(response.headers)
    assert (response.status, json.loads(response.body)) == (400, violation.body)
    assert violation.body == {
        "type": "error",
        "error": {"type": "invalid_request_error", "message": "max_tokens: Field required"},
        "request_id": headers["request-id"],
    }
    assert headers["x-should-retry"] == "false"
    assert violation_of(max_tokens=...) == violation


@pytest.mark.parametrize("headers", [{"x-api-key": "k"}, {"authorization": "Bearer k"}])
def test_key_may_come_in_either_header(headers: dict[str, str]) -> None:
    assert WIRE.missing_key(Request("POST", "/v1/messages", headers, b"{}")) is None


def test_missing_key_is_refused_only_when_serving() -> None:
    keyless = Request("POST", "/v1/messages", {}, request().body)

    violation = WIRE.missing_key(keyless)

    assert violation is not None
    assert (violation.rule, violation.status) == ("anthropic/key-missing", 401)
    assert violation.body["error"] == {"type": "authentication_error", "message": "x-api-key header is required"}
    assert WIRE.judge(keyless, provider="anthropic") is None


def test_too_long_conversation_is_refused_with_the_recorded_sentence() -> None:
    violation = WIRE.too_long(request(), provider="anthropic", tokens=900, window=800)

    assert (violation.rule, violation.status, violation.at) == ("anthropic/prompt-too-long", 400, "messages")
    assert violation.message == violation.body["error"]["message"] == "prompt is too long: 900 tokens > 800 maximum"
