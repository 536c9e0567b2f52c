"""A request gets what was recorded for it, and one that was not recorded is told from the nearest."""

import json
from dataclasses import replace
from typing import Any

import pytest

from agent_conformance.cassettes import RecordedExchange
from agent_conformance.cassettes.matching import NotRecorded, RecordedAnswers, RecordedQuestions
from agent_conformance.transcripts.redaction import SECRETS
from fake_providers import Reply, wire_named
from fake_providers.http import Request
from tests.cassettes.recordings import WIRES, body_for, path_for, recorded

CHAT = wire_named("openai-chat")
EXCHANGE = recorded("openai-chat", Reply(text="Hello."))


def request(body: Any, path: str = "/v1/chat/completions") -> Request:
    return Request("POST", path, {}, json.dumps(body).encode())


def answer(body: Any, *exchanges: RecordedExchange) -> RecordedExchange | NotRecorded:
    return RecordedAnswers(RecordedQuestions(exchanges or (EXCHANGE,))).answer(request(body), CHAT)


def message_for(body: Any) -> str:
    found = answer(body)
    assert isinstance(found, NotRecorded)
    return found.message


def asking(text: str, **others: Any) -> dict[str, Any]:
    return {**body_for("openai-chat", question=text), **others}


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("wire", WIRES)
def test_same_request_gets_what_was_recorded(wire: str, stream: bool) -> None:
    exchange = recorded(wire, Reply(text="Hello."), stream=stream)
    sent = request(body_for(wire, stream=stream), path_for(wire, stream=stream))

    assert RecordedAnswers(RecordedQuestions([exchange])).answer(sent, wire_named(wire)) is exchange
    other = request(body_for(wire, stream=not stream), path_for(wire, stream=not stream))
    assert isinstance(RecordedAnswers(RecordedQuestions([exchange])).answer(other, wire_named(wire)), NotRecorded)


@pytest.mark.parametrize(
    "body",
    [
        dict(reversed(body_for("openai-chat").items())),
        {**body_for("openai-chat"), "user": "somebody", "metadata": {"run": "7"}, "prompt_cache_key": "a"},
    ],
    ids=["another order", "another user"],
)
def test_what_does_not_change_the_question_is_not_compared(body: dict[str, Any]) -> None:
    assert answer(body) is EXCHANGE


@pytest.mark.parametrize(
    ("before", "now"),
    [
        ("It is 2026-11-22T17:34:10Z.", "It is 2026-11-23T08:00:00Z."),
        ("Today is 2026-11-22.", "Today is 2027-01-01."),
        ("Session 5f3a9c1b-04de-4788-9abc-0123456789ab", "Session 00000000-04de-4788-9abc-0123456789ab"),
        ("See http://127.0.0.1:8080/a", "See http://127.0.0.1:9090/a"),
        ("The key is $OPENAI_API_KEY.", "The key is $AUTHORIZATION."),
    ],
)
def test_what_changes_from_run_to_run_is_not_compared(before: str, now: str) -> None:
    exchange = replace(EXCHANGE, request=replace(EXCHANGE.request, body=json.dumps(asking(before)).encode()))

    assert answer(asking(now), exchange) is exchange


def test_key_in_a_request_is_compared_by_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    SECRETS.forget()
    monkeypatch.setenv("SOME_API_KEY", "sk-9876543210fedcbaQRS")
    exchange = replace(
        EXCHANGE, request=replace(EXCHANGE.request, body=json.dumps(asking("It is $SOME_API_KEY")).encode())
    )

    assert answer(asking("It is sk-9876543210fedcbaQRS"), exchange) is exchange
    SECRETS.forget()


@pytest.mark.parametrize(
    ("body", "difference"),
    [
        (asking("Hm?"), "at `messages[0].content` it has 'How warm is it in Oslo?', and this request has 'Hm?'"),
        (asking("How warm is it in Oslo?", seed=7), "`seed` is new: 7"),
        ({**asking("How warm is it in Oslo?"), "tools": []}, "`tools` is new: []"),
    ],
)
def test_nearest_request_is_named_with_the_first_difference(body: Any, difference: str) -> None:
    assert message_for(body) == f"this request is not recorded. The nearest is made:1: {difference}"


def test_member_that_is_missing_is_named() -> None:
    body = body_for("openai-chat")
    del body["messages"]

    assert "this request lacks `messages[0].content`, which is 'How warm is it in Oslo?' there" in message_for(body)


def test_nearest_is_the_one_with_the_most_in_common() -> None:
    first = asking("How warm is it in Oslo?")
    call = {"role": "assistant", "content": "Where?"}
    longer = {**first, "messages": [*first["messages"], call, {"role": "user", "content": "In Norway."}]}
    other = replace(
        EXCHANGE,
        request=replace(EXCHANGE.request, body=json.dumps(longer).encode()),
        place=replace(EXCHANGE.place, line=2),
    )
    sent = {**first, "messages": [*first["messages"], call, {"role": "user", "content": "In Sweden."}]}

    found = answer(sent, EXCHANGE, other)

    assert isinstance(found, NotRecorded)
    assert "The nearest is made:2: at `messages[2].content` it has 'In Norway.'" in found.message


def test_other_target_is_said_with_those_recorded() -> None:
    message = message_for({**body_for("openai-chat"), "model": "gpt-4o"})

    assert message == (
        "no request to openai-chat (plain), model gpt-4o is recorded. "
        "Recorded are requests to openai-chat (plain), model gpt-4.1."
    )


def test_request_that_was_recorded_twice_gets_both_responses_in_order() -> None:
    other = recorded("openai-chat", Reply(text="Hello again."))
    answers = RecordedAnswers(RecordedQuestions([EXCHANGE, other]))
    sent = request(body_for("openai-chat"))

    assert [answers.answer(sent, CHAT) for _ in range(3)] == [EXCHANGE, other, other]


@pytest.mark.parametrize("body", [b"", b"\xff\xfe", b"[" * 100_000, b'{"a": ' * 500 + b"1" + b"}" * 500, b"3"])
def test_body_of_any_kind_is_compared(body: bytes) -> None:
    assert isinstance(
        RecordedAnswers(RecordedQuestions([EXCHANGE])).answer(Request("POST", "/v1/x", {}, body), None), NotRecorded
    )
