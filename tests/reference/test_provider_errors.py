import pytest

from agent_conformance import AgentError
from agent_conformance.agents.reference.completion import DeltaTracker
from agent_conformance.agents.reference.provider import MAX_WAIT, failure


@pytest.mark.parametrize("status", [408, 429, 500, 502, 503, 529])
def test_temporary_failures_are_retryable(status):
    assert failure(status, {}, b"{}").retryable


@pytest.mark.parametrize("status", [400, 401, 403, 404, 422])
def test_permanent_failures_are_not_retryable(status):
    assert not failure(status, {}, b"{}").retryable


def test_provider_may_forbid_a_retry():
    assert not failure(429, {"x-should-retry": "false"}, b"{}").retryable


def test_wait_is_what_the_provider_asks_for():
    info = b'[{"error": {"message": "slow", "details": [{"retryDelay": "1.5s"}]}}]'

    assert failure(429, {"retry-after-ms": "20"}, b"{}").wait == 0.02
    assert failure(429, {"retry-after": "2"}, b"{}").wait == 2
    assert failure(429, {}, info).wait == 1.5
    assert failure(429, {"retry-after": "Wed, 21 Oct"}, b"{}").wait is None


def test_failure_with_a_long_wait_is_not_retryable():
    assert not failure(429, {"retry-after": str(MAX_WAIT + 1)}, b"{}").retryable


@pytest.mark.parametrize(
    "sentence",
    [
        "prompt is too long: 9 tokens > 8 maximum",
        "This model's maximum context length is 8 tokens.",
        "The input token count (9) exceeds the maximum number of tokens allowed (8).",
    ],
)
def test_request_that_is_too_long_is_recognised_by_the_message(sentence):
    body = f'{{"error": {{"message": "{sentence}"}}}}'.encode()

    assert failure(400, {}, body).too_long
    assert not failure(429, {}, body).too_long


def test_failure_without_a_message_has_one():
    assert "502" in str(failure(502, {}, b"<html>"))
    assert str(failure(500, {}, b"")).endswith("no reason given")


def test_retried_answer_continues_where_it_broke_off():
    tracker = DeltaTracker()
    tracker.begin()
    assert tracker.add("It is 7") == "It is 7"
    tracker.begin()

    assert [tracker.add("It is"), tracker.add(" 7 degrees")] == ["", " degrees"]
    tracker.end()


def test_retried_answer_with_other_text_is_an_error():
    tracker = DeltaTracker()
    tracker.begin()
    tracker.add("It is 7")
    tracker.begin()

    with pytest.raises(AgentError, match="different"):
        tracker.add("Hello")


def test_retried_answer_that_is_shorter_is_an_error():
    tracker = DeltaTracker()
    tracker.begin()
    tracker.add("It is 7")
    tracker.begin()
    tracker.add("It")

    with pytest.raises(AgentError, match="shorter"):
        tracker.end()
