import pytest

from conformance import AgentError
from conformance.agents.reference.completion import Shown
from conformance.agents.reference.provider import PATIENCE, failure


@pytest.mark.parametrize("status", [408, 429, 500, 502, 503, 529])
def test_passing_failures_are_tried_again(status):
    assert failure(status, {}, b"{}").again


@pytest.mark.parametrize("status", [400, 401, 403, 404, 422])
def test_lasting_failures_are_not(status):
    assert not failure(status, {}, b"{}").again


def test_provider_may_forbid_another_attempt():
    assert not failure(429, {"x-should-retry": "false"}, b"{}").again


def test_wait_is_what_the_provider_asks_for():
    info = b'[{"error": {"message": "slow", "details": [{"retryDelay": "1.5s"}]}}]'

    assert failure(429, {"retry-after-ms": "20"}, b"{}").wait == 0.02
    assert failure(429, {"retry-after": "2"}, b"{}").wait == 2
    assert failure(429, {}, info).wait == 1.5
    assert failure(429, {"retry-after": "Wed, 21 Oct"}, b"{}").wait is None


def test_nobody_waits_longer_than_is_bearable():
    assert not failure(429, {"retry-after": str(PATIENCE + 1)}, b"{}").again


@pytest.mark.parametrize(
    "sentence",
    [
        "prompt is too long: 9 tokens > 8 maximum",
        "This model's maximum context length is 8 tokens.",
        "The input token count (9) exceeds the maximum number of tokens allowed (8).",
    ],
)
def test_request_that_does_not_fit_is_known_by_the_sentence(sentence):
    body = f'{{"error": {{"message": "{sentence}"}}}}'.encode()

    assert failure(400, {}, body).too_long
    assert not failure(429, {}, body).too_long


def test_failure_without_a_sentence_still_says_something():
    assert "502" in str(failure(502, {}, b"<html>"))
    assert str(failure(500, {}, b"")).endswith("no reason given")


def test_repeated_answer_goes_on_where_it_broke_off():
    shown = Shown()
    shown.begin()
    assert shown.add("It is 7") == "It is 7"
    shown.begin()

    assert [shown.add("It is"), shown.add(" 7 degrees")] == ["", " degrees"]
    shown.end()


def test_repeated_answer_that_says_something_else_is_an_error():
    shown = Shown()
    shown.begin()
    shown.add("It is 7")
    shown.begin()

    with pytest.raises(AgentError, match="another"):
        shown.add("Hello")


def test_repeated_answer_that_is_shorter_is_an_error():
    shown = Shown()
    shown.begin()
    shown.add("It is 7")
    shown.begin()
    shown.add("It")

    with pytest.raises(AgentError, match="shorter"):
        shown.end()
