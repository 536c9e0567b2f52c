import json

import pytest
from gemini_requests import ARRAY, STREAM, WIRE, bodies, encode_fault, encode_reply, request

from fake_providers import Fault, Reply

TEXT = Reply(text="It is raining in Oslo, and cold.")


def with_fault(**fields) -> Reply:
    return Reply(text=TEXT.text, fault=Fault(**fields))


@pytest.mark.parametrize(
    ("status", "word", "beginning"),
    [
        (400, "INVALID_ARGUMENT", "Request contains an invalid argument."),
        (401, "UNAUTHENTICATED", "Request had invalid authentication"),
        (403, "PERMISSION_DENIED", "Method doesn't allow unregistered callers"),
        (404, "NOT_FOUND", "Requested entity was not found."),
        (429, "RESOURCE_EXHAUSTED", "You exceeded your current quota"),
        (500, "INTERNAL", "An internal error has occurred."),
        (503, "UNAVAILABLE", "This model is currently experiencing high demand."),
        (504, "DEADLINE_EXCEEDED", "Deadline expired"),
        (418, "UNKNOWN", "Unknown Error."),
    ],
)
def test_status_has_googles_envelope(status: int, word: str, beginning: str) -> None:
    response = encode_fault(Fault(status=status))

    error = json.loads(response.body)["error"]
    assert response.status == status
    assert (error["code"], error["status"]) == (status, word)
    assert error["message"].startswith(beginning)


def test_delay_is_in_the_body_and_not_in_a_header() -> None:
    response = encode_fault(Fault(status=429, retry_after=1.5))

    details = json.loads(response.body)["error"]["details"]
    assert details[-1] == {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "1.5s"}
    assert details[0]["violations"][0]["quotaDimensions"]["model"] == "gemini-3-flash-preview"
    assert [name for name, _ in response.headers] == ["content-type"]
    assert "RetryInfo" not in encode_fault(Fault(status=429)).body.decode()
    assert json.loads(encode_fault(Fault(status=503, retry_after=0)).body)["error"]["details"][0]["retryDelay"] == "0s"


@pytest.mark.parametrize(
    ("seconds", "written"),
    [(0, "0s"), (0.00825, "8.25ms"), (0.3, "300ms"), (1, "1s"), (48.5, "48.5s"), (90, "1m30s"), (7260.5, "2h1m0.5s")],
)
def test_message_of_a_quota_has_the_delay_too(seconds: float, written: str) -> None:
    message = json.loads(encode_fault(Fault(status=429, retry_after=seconds)).body)["error"]["message"]

    assert message.endswith(f", limit: 20, model: gemini-3-flash-preview\nPlease retry in {written}.")


def test_message_of_a_quota_without_a_delay_names_the_quota_alone() -> None:
    error = json.loads(encode_fault(Fault(status=429)).body)["error"]

    assert error["details"][0]["violations"][0]["quotaMetric"] in error["message"]
    assert error["message"].endswith(", limit: 20, model: gemini-3-flash-preview")
    assert "Please retry in" not in encode_fault(Fault(status=503, retry_after=1)).body.decode()


def test_error_of_an_array_stream_is_an_array() -> None:
    assert json.loads(encode_fault(Fault(status=500), verb=ARRAY).body)[0]["error"]["code"] == 500
    assert json.loads(encode_fault(Fault(status=500), verb=STREAM).body)["error"]["code"] == 500


def test_body_and_content_type_of_a_fault_are_sent_unchanged() -> None:
    page, value = encode_fault(Fault(status=502, body="<html>")), encode_fault(Fault(status=500, body={"a": 1}))

    assert (page.body, dict(page.headers)["content-type"]) == (b"<html>", "text/html; charset=UTF-8")
    assert json.loads(value.body) == {"a": 1}
    assert dict(encode_fault(Fault(status=500, content_type="text/x")).headers)["content-type"] == "text/x"
    assert dict(encode_reply(with_fault(content_type="text/x")).headers)["content-type"] == "text/x"
    assert encode_reply(with_fault(body="not JSON")).chunks == (b"not JSON",)


def test_error_event_replaces_the_end() -> None:
    *earlier, last = bodies(encode_reply(with_fault(error_event="503"), verb=STREAM))

    assert len(earlier) == 2
    assert last["error"]["status"] == "UNAVAILABLE"
    error = bodies(encode_reply(with_fault(error_event="It broke."), verb=STREAM))[-1]
    assert error == {"error": {"code": 500, "message": "It broke.", "status": "INTERNAL"}}
    assert "error" in json.loads(encode_reply(with_fault(error_event="503"), verb=ARRAY).body)[-1]


def test_too_long_conversation_is_refused_with_the_recorded_sentence() -> None:
    violation = WIRE.too_long(request(), provider="gemini", tokens=900, window=800)

    assert (violation.rule, violation.status) == ("gemini/input-too-long", 400)
    assert violation.message == "The input token count exceeds the maximum number of tokens allowed (800)."
