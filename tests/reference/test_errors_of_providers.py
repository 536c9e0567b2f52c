"""What an error of a provider means to the reference agent: try again, when, shorten, or give up."""

import asyncio
import json
from collections.abc import AsyncIterator

import pytest

from agent_conformance.agents.reference.provider import (
    ATTEMPTS,
    MAX_WAIT,
    ProviderError,
    failure,
    retry_delay,
    retrying,
)
from agent_conformance.agents.reference.provider import passes as may_pass

TOO_LONG = (
    "The context window is full.",
    "This model's maximum context length is 8 tokens.",
    "exceeds the available context size",
    "too many tokens",
    "over the token limit",
    "Prompt is too long: 9 tokens > 8 maximum",
    "input is too long for this model",
    "The input exceeds the maximum number of tokens allowed (8).",
    "the input token count (9) is too high",
    "Please reduce the length of the messages.",
    "it exceeds max length",
    "over the maximum prompt length",
    "over the maximum allowed input length",
    "more than the max tokens allowed",
    "messages is too long",
    "Request Entity Too Large",
)


@pytest.mark.parametrize("status", [400, 413, 422])
@pytest.mark.parametrize("sentence", TOO_LONG)
def test_request_that_is_too_long_is_known_by_its_words(sentence: str, status: int) -> None:
    assert failure(status, {}, json.dumps({"error": {"message": sentence}}).encode()).too_long


def test_other_errors_are_not_about_the_length() -> None:
    assert not failure(400, {}, b'{"error": {"message": "tools is not allowed"}}').too_long
    assert not failure(500, {}, json.dumps({"error": {"message": TOO_LONG[0]}}).encode()).too_long


def test_statuses_that_pass_are_timeouts_rate_limits_and_failing_servers() -> None:
    assert [
        status for status in (200, 400, 401, 407, 408, 409, 422, 428, 429, 430, 499, 500, 529) if may_pass(status)
    ] == [
        408,
        429,
        500,
        529,
    ]


def test_quota_that_is_used_up_does_not_pass() -> None:
    assert not failure(429, {}, b'{"error": {"code": "insufficient_quota", "message": "no"}}').retryable
    assert failure(429, {}, b'{"error": {"code": "rate_limit", "message": "no"}}').retryable
    assert failure(429, {"x-should-retry": "true"}, b"{}").retryable


BODIES = {
    b'{"error": {"message": "no"}}': "no",
    b'[{"error": {"message": "no"}}]': "no",
    b'{"message": "no"}': "no",
    b'{"error": "no"}': "no",
    b"<html>no</html>": "<html>no</html>",
    b"[]": "[]",
    b"7": "7",
    b'{"error": {}}': '{"error": {}}',
    b"": "no reason given",
    b"\xff": "\ufffd",
    b"x" * 900: "x" * 300,
}


@pytest.mark.parametrize("body", BODIES, ids=lambda body: repr(body[:40]))
def test_message_of_an_error_is_what_the_body_says(body: bytes) -> None:
    error = failure(503, {}, body)

    assert (str(error), error.status) == (f"the provider answered 503: {BODIES[body]}", 503)


def info(*details: object) -> bytes:
    return json.dumps({"error": {"message": "slow", "details": list(details)}}).encode()


WAITS = [
    ({"retry-after-ms": "20", "retry-after": "2"}, b"{}", 0.02),
    ({"retry-after-ms": "soon", "retry-after": "2"}, b"{}", 2.0),
    ({"retry-after": "Wed, 21 Oct"}, info({"retryDelay": "1.5s"}), 1.5),
    ({}, info("x", {"other": 1}, {"retryDelay": None}, {"retryDelay": "3m"}, {"retryDelay": "4s"}), 4.0),
    ({}, info(), None),
    ({}, b'{"error": {"details": "x"}}', None),
    ({}, b'{"error": "slow"}', None),
]


@pytest.mark.parametrize(("headers", "body", "wait"), WAITS)
def test_wait_is_what_headers_or_details_say(headers: dict[str, str], body: bytes, wait: float | None) -> None:
    assert failure(429, headers, body).wait == wait


def test_longest_wait_is_still_waited_for() -> None:
    assert ProviderError("slow", retryable=True, wait=MAX_WAIT).retryable
    assert not ProviderError("slow", retryable=True, wait=MAX_WAIT + 0.1).retryable
    assert not ProviderError("slow").retryable


def test_delay_is_what_the_provider_asks_for_or_grows() -> None:
    assert retry_delay(ProviderError("x", wait=0.0), 1) == 0.0
    assert retry_delay(ProviderError("x", wait=3.0), 1) == 3.0
    assert 0 < retry_delay(ProviderError("x"), 1) < retry_delay(ProviderError("x"), 2) < 2


def attempts(error: Exception, *, passing: bool) -> int:
    """How often it was tried."""
    tried = 0

    async def attempt(number: int) -> AsyncIterator[str]:
        nonlocal tried
        tried = number
        raise error
        yield ""

    async def run() -> None:
        async for _ in retrying(attempt, lambda _: passing, lambda error, number: 0.0):
            pass

    with pytest.raises(type(error), match="no"):
        asyncio.run(run())
    return tried


def test_only_what_passes_is_tried_again_and_a_few_times() -> None:
    assert attempts(ProviderError("no"), passing=True) == ATTEMPTS
    assert attempts(ProviderError("no"), passing=False) == 1
    assert attempts(KeyError("no"), passing=True) == 1
