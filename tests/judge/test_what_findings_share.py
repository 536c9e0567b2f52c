"""Findings of many cases are grouped by what they share: a field, a place in the agent's code, a text."""

import pytest

from agent_conformance.adapter.contract import CodePlace
from agent_conformance.judge.case_evidence import Mismatch
from agent_conformance.judge.causes import common_text, detail_of
from agent_conformance.transcripts.finding import subject_of


def mismatch(
    id: str, *, expected: str = "", got: str = "", path: str = "", origin: CodePlace | None = None
) -> Mismatch:
    return Mismatch(subject_of(id), "shown", "must", 1, 1, expected, got, path=path, origin=origin)


@pytest.mark.parametrize(
    ("texts", "common"),
    [
        (
            ("no run of get_weather: it is disabled", "no run of write_file: it is disabled"),
            "no run of a tool: it is disabled",
        ),
        (
            ('a reply that contains "7 degrees"', 'a reply that contains "a "quoted" word"'),
            'a reply that contains "..."',
        ),
        (('the reply ""', 'the reply "  "'), 'the reply ""'),
        (('the reply "a"', 'the reply "b"'), 'the reply "..."'),
        (("arguments {'city': 1}", "arguments {}"), "arguments {...}"),
        (("at most 2 requests", "at most 3.5 requests"), "at most N requests"),
        (
            ("a call of get_weather (call_a1B2) without a result", "a call of write_file without a result"),
            "a call of a tool without a result",
        ),
        (("the calls get_weather, write_file", "the calls write_file"), None),
        (("two results for the call call_a1B2", "two results for the call toolu_9x"), "two results for the call ..."),
    ],
)
def test_texts_that_differ_in_names_values_ids_and_numbers_are_one(texts: tuple[str, str], common: str | None) -> None:
    found = {common_text(text, ("get_weather", "write_file")) for text in texts}

    assert found == ({common} if common is not None else {"the calls tools", "the calls a tool"})


def test_finding_about_a_rule_has_its_field_without_numbers() -> None:
    found = [mismatch("accepted:x/y", path=f"messages[{number}].tool_calls[0].id") for number in (1, 12)]

    assert {detail_of(one, ()) for one in found} == {"messages[].tool_calls[].id"}


def test_crash_has_its_place_and_not_its_words() -> None:
    one = mismatch(
        "answers",
        got="KeyError: 'a' at framy/pipe.py:7, called from x.py:1",
        origin=CodePlace("framy/pipe.py", 7, CodePlace("x.py", 1)),
    )
    other = mismatch(
        "answers",
        got="TypeError: b at framy/pipe.py:7, called from x.py:2",
        origin=CodePlace("framy/pipe.py", 7, CodePlace("x.py", 2)),
    )
    elsewhere = mismatch("answers", got="KeyError: 'a' at x.py:1", origin=CodePlace("x.py", 1))

    assert detail_of(one, ()) == detail_of(other, ()) == "crash at framy/pipe.py:7"
    assert detail_of(elsewhere, ()) == "crash at x.py:1"


@pytest.mark.parametrize(
    ("found", "detail"),
    [
        (mismatch("1.requests[0]", expected="no field tools", got="the fields a, b"), "expected no field tools"),
        (
            mismatch("answers", expected="a reply", got="send did not return within 10 s of silence"),
            "send did not return within N s of silence",
        ),
    ],
)
def test_what_tells_findings_of_a_law_apart(found: Mismatch, detail: str) -> None:
    assert detail_of(found, ()) == detail


@pytest.mark.parametrize("found", ["answers", "paired", "survives", "user-first", "1.outcome", "2.should.outcome"])
def test_demand_that_is_one_everywhere_is_told_apart_by_what_was_found(found: str) -> None:
    assert detail_of(mismatch(found, expected="what is wanted", got="what came"), ()) == "what came"


@pytest.mark.parametrize("other", ["asked", "1.reply", "2.should.requests[0]"])
def test_other_demand_is_told_apart_by_what_was_expected(other: str) -> None:
    assert detail_of(mismatch(other, expected="what is wanted", got="what came"), ()) == "expected what is wanted"


@pytest.mark.parametrize(("length", "common"), [(70, "x" * 70), (71, "x" * 70 + "...")])
def test_long_text_is_cut(length: int, common: str) -> None:
    assert common_text("x" * length) == common
