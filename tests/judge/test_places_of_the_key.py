"""The law `key-kept` names the place in which the key stands; an attempt, an event and a failure are such places."""

from typing import Any

import pytest

from agent_conformance.judge.case_evidence import CaseEvidence
from agent_conformance.judge.laws.setup import check_key
from agent_conformance.scenario.model import Scenario, Turn
from agent_conformance.transcripts.transcript import Attempt, Transcript, TurnRecord

KEY = "sk-made-up"
SAID = {"user": "Hello.", "model": []}
SCENARIO = Scenario.read({"description": "a turn ends", "profile": "core", "conversation": [SAID]})


def places(key: str = KEY, **fields: Any) -> list[tuple[str, str]]:
    record = TurnRecord(1, Turn.read(SAID), **fields)
    evidence = CaseEvidence(SCENARIO, Transcript("whole", [record], api_key=key), "openai-chat", frozenset())
    return [(mismatch.path, mismatch.got) for mismatch in check_key(evidence)]


@pytest.mark.parametrize(
    ("fields", "place", "text"),
    [
        ({"own_reply": f"It is {KEY}."}, "the reply", f"It is {KEY}."),
        ({"deltas": ["It is sk-", "made-up."]}, "the deltas", f"It is {KEY}."),
        ({"outcome": "error", "failure": f"401: {KEY}"}, "the text of the failure", f"401: {KEY}"),
        (
            {"attempts": [Attempt(1, "look", {"a": [KEY]}, accepted=True, enabled=True)]},
            "the arguments of look",
            KEY,
        ),
        ({"events": ["begin", f"with {KEY}"]}, "an event for the observer", f"with {KEY}"),
    ],
)
def test_place_of_the_key_is_named(fields: dict[str, Any], place: str, text: str) -> None:
    assert places(**fields) == [(place, f'"{text}"')]


def test_crash_with_the_key_is_a_matter_of_the_law_on_crashes() -> None:
    assert places(outcome="crash", failure=f"KeyError: {KEY}") == []


def test_without_a_key_nothing_is_looked_for() -> None:
    assert places(key="", own_reply="Hello.") == []


def test_texts_without_the_key_are_right() -> None:
    assert places(own_reply="Hello.", deltas=["Hel", "lo."], events=["begin"], outcome="error", failure="401") == []


def test_key_that_the_provider_has_masked_is_no_key() -> None:
    assert places(outcome="error", failure="401: wrong key $setup.api_key***-key.") == []
    assert places(outcome="error", failure="401: wrong key $setup.api_key.") != []
