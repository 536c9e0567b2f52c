"""The expectations `reply` and `outcome`, each on a reply that meets it and on one that does not."""

from typing import Any

import pytest

from agent_conformance.judge.expectations import outcome, reply
from agent_conformance.scenario.model import Turn
from agent_conformance.transcripts.transcript import TurnRecord


def turn(said: str, **fields: Any) -> TurnRecord:
    expect = fields.pop("expect", {})
    demands = {"user": "Hello.", "model": [], "expect": expect}
    return TurnRecord(1, Turn.read(demands), own_reply=said, **fields)


def unmet(said: str, wanted: Any, **fields: Any) -> list[str]:
    wanted = {"equals": wanted} if isinstance(wanted, str) else wanted
    record = turn(said, expect={"reply": wanted}, **fields)
    return [mismatch.expected for mismatch in reply(record, record.turn.expect)]


MET: list[tuple[str, Any]] = [
    ("It rains.", "It rains."),
    (" It rains. \n", "It rains."),
    ("It rains.  \n\n\nTake care.", "It rains.\nTake care."),
    ("It rains.", {"exactly": "It rains."}),
    ("It rains.", {"one_of": ["Sun.", "It rains."]}),
    ("It rains.", {"contains": ["It", "rains"]}),
    ("It rains.", {"lacks": ["snow"]}),
    ('{"rain": true}', {"json": {"rain": True}}),
    ('```json\n{"rain": true}\n```', {"json": {"rain": True}}),
    ('```\n{"rain": true}\n```\n', {"json": {"rain": True}}),
    ("null", {"json": None}),
    ('["rain"]', {"json": "rain"}),
    ("It rains.", {"matches": "^It .*[.]$"}),
]
UNMET: list[tuple[str, Any, str]] = [
    ("It snows.", "It rains.", 'the reply "It rains."'),
    ("It rains. Take care.", "It rains.\nTake care.", 'the reply "It rains.\\nTake care."'),
    ("It  rains.", {"exactly": "It rains."}, 'exactly the reply "It rains."'),
    ("It rains. ", {"exactly": "It rains."}, 'exactly the reply "It rains.", without white space around it'),
    ("Snow.", {"one_of": ["Sun.", "Rain."]}, 'one of the replies "Sun.", "Rain."'),
    ("It snows.", {"contains": ["It", "rains"]}, 'a reply that contains "rains"'),
    ("It snows.", {"lacks": ["rain", "snow"]}, 'a reply without "snow"'),
    ('{"rain": false}', {"json": {"rain": True}}, 'the reply {"rain": true}, as JSON'),
    ("rain", {"json": ["rain"]}, 'the reply ["rain"], as JSON'),
    ('"rain"', {"json": ["rain"]}, 'the reply ["rain"], as JSON'),
    ('So: {"rain": true}', {"json": {"rain": True}}, 'the reply {"rain": true}, as JSON'),
    ("It snows", {"matches": "[.]$"}, "a reply that matches [.]$"),
]


@pytest.mark.parametrize(("said", "wanted"), MET)
def test_reply_that_is_wanted_is_right(said: str, wanted: Any) -> None:
    assert unmet(said, wanted) == []


@pytest.mark.parametrize(("said", "wanted", "expected"), UNMET)
def test_other_reply_is_one_mismatch(said: str, wanted: Any, expected: str) -> None:
    assert unmet(said, wanted) == [expected]
    assert unmet(said, wanted, outcome="cancelled") == [expected]
    assert unmet(said, wanted, outcome="error") == []


@pytest.mark.parametrize(
    ("said", "level"), [("\nIt rains.", "should"), ("It rains.\n", "should"), ("It\nrains.", "must")]
)
def test_white_space_around_an_exact_reply_is_advice(said: str, level: str) -> None:
    record = turn(said, expect={"reply": {"exactly": "It rains."}})

    assert [mismatch.level for mismatch in reply(record, record.turn.expect)] == [level]


def ended(wanted: str | None, *, is_default: bool = True, **fields: Any) -> list[tuple[str, str, str]]:
    record = turn("Hello.", expect={"outcome": wanted} if wanted else {}, **fields)
    found = outcome(record, record.turn.expect, is_default=is_default)
    return [(mismatch.kind, mismatch.expected, mismatch.got) for mismatch in found]


@pytest.mark.parametrize(
    ("wanted", "fields"),
    [
        (None, {}),
        ("reply", {}),
        ("either", {}),
        ("either", {"outcome": "error", "failure": "401"}),
        ("error", {"outcome": "error", "failure": "401"}),
        ("reply", {"outcome": "crash", "failure": "KeyError"}),
    ],
)
def test_turn_that_ends_as_it_is_wanted_is_right(wanted: str | None, fields: dict[str, Any]) -> None:
    assert ended(wanted, **fields) == []


def test_turn_that_ends_otherwise_is_one_mismatch() -> None:
    failed = {"outcome": "error", "failure": "401"}

    assert ended(None, **failed) == [("failure", "the turn to end in reply", "error: 401")]
    assert ended("error") == [("expectation", "the turn to end in error", 'the reply "Hello."')]
    assert ended("either", outcome="cancelled") == [
        ("expectation", "the turn to end in reply or error", 'the reply "Hello."')
    ]
    assert ended(None, is_default=False, **failed) == []


def test_reply_of_a_cancelled_turn_is_what_the_user_has_seen() -> None:
    seen = {"outcome": "cancelled", "deltas": ["It ", "rains."], "withdrawn": ["Wait. "]}

    assert unmet("Cancelled.", {"contains": ["Wait. It rains."]}, **seen) == []
    assert unmet("It snows.", {"contains": ["It snows."]}, **seen) == ['a reply that contains "It snows."']
