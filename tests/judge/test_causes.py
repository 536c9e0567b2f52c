from typing import Any

import pytest

from agent_conformance.baseline.case_report import facts_of
from agent_conformance.judge.case_evidence import END, Mismatch
from agent_conformance.judge.causes import findings
from agent_conformance.transcripts.finding import Place, subject_of


def mismatch(
    id: str, kind: Any, *, turn: int = 1, request: int = END, level: Any = "must", place: str = ""
) -> Mismatch:
    return Mismatch(subject_of(id), kind, level, turn, request, "expected", "other", path=place)


def ids(*mismatches: Mismatch) -> dict[str, tuple[str, ...]]:
    return {finding.id: tuple(map(str, finding.consequences)) for finding in findings(mismatches)}


def test_what_follows_a_refusal_is_its_consequence() -> None:
    refused = mismatch("accepted:x/y", "ending", request=2)

    assert ids(mismatch("1.reply", "expectation"), refused) == {"accepted:x/y": ("1.reply: other",)}


def test_what_came_before_a_refusal_is_a_finding_of_its_own() -> None:
    refused = mismatch("accepted:x/y", "ending", request=2)

    assert list(ids(mismatch("asked", "request", request=1), refused)) == ["asked", "accepted:x/y"]


@pytest.mark.parametrize(("kind", "number"), [("execution", END), ("request", 1), ("request", 2), ("expectation", 2)])
def test_what_happened_before_a_silence_is_its_cause(kind: Any, number: int) -> None:
    silence = mismatch("answers", "silence", request=2)

    assert ids(silence, mismatch("once", kind, request=number)) == {"once": ("answers: other",)}


def test_what_did_not_come_follows_from_the_silence() -> None:
    silence = mismatch("answers", "silence", request=2)

    assert ids(mismatch("1.reply", "expectation"), silence) == {"answers": ("1.reply: other",)}


@pytest.mark.parametrize("kind", ["expectation", "failure", "shown"])
def test_what_was_wrong_in_an_earlier_turn_is_the_cause_of_a_silence(kind: Any) -> None:
    silence = mismatch("answers", "silence", turn=2, request=1)

    assert ids(mismatch("1.reply", kind), silence) == {"1.reply": ("answers: other",)}


def test_below_a_finding_stands_what_follows_from_it_alone() -> None:
    refused = mismatch("accepted:x/y", "ending", request=1)
    failed = mismatch("1.outcome", "failure")
    follows = mismatch("1.requests[0]", "expectation")
    advice = mismatch("1.should.requests[1]", "expectation", level="should")

    assert ids(refused, failed, follows, advice) == {"accepted:x/y": ("1.outcome: other",)}


def test_a_reply_is_not_explained_by_a_later_turn() -> None:
    assert list(ids(mismatch("1.reply", "expectation"), mismatch("accepted:x/y", "ending", turn=2, request=1))) == [
        "1.reply",
        "accepted:x/y",
    ]


def test_what_did_not_come_follows_from_the_failure_that_ended_the_turn() -> None:
    failed = mismatch("1.outcome", "failure")

    assert ids(mismatch("1.requests[0]", "expectation"), failed) == {"1.outcome": ("1.requests[0]: other",)}
    assert list(ids(mismatch("1.requests[0]", "expectation", request=1), failed)) == ["1.requests[0]", "1.outcome"]
    assert list(ids(failed, mismatch("survives", "survival", turn=2))) == ["1.outcome", "survives"]


def test_advice_explains_no_failure_unless_it_is_a_refusal() -> None:
    advice = mismatch("user-first", "request", request=1, level="should")
    guess = mismatch("accepted:x/y", "ending", request=1, level="should")

    assert list(ids(advice, mismatch("1.reply", "expectation"))) == ["user-first", "1.reply"]
    assert list(ids(guess, mismatch("1.reply", "expectation"))) == ["accepted:x/y"]


def test_one_id_again_is_counted_under_the_first() -> None:
    again = findings([mismatch("paired", "request", request=n) for n in (1, 2, 3)])

    assert [finding.id for finding in again] == ["paired"]
    assert ("again", "2 more times in this case") in facts_of(again[0])


@pytest.mark.parametrize(
    ("breach", "problem", "follows"),
    [
        ("messages[3].content", "messages[1]", True),
        ("messages", "messages[1]", True),
        ("", "messages[1]", True),
        ("tools[0]", "messages[1]", False),
        ("input[0]", "messages[1]", False),
    ],
)
def test_problem_in_the_messages_of_a_tolerated_breach_follows_from_it(
    breach: str, problem: str, follows: bool
) -> None:
    tolerated = mismatch("accepted:x/y", "tolerated", request=1, place=breach)

    for law in ("paired", "user-first"):
        found = ids(tolerated, mismatch(law, "request", request=1, place=problem))
        assert list(found) == (["accepted:x/y"] if follows else ["accepted:x/y", law])
    assert list(ids(tolerated, mismatch("asked", "request", request=1, place=problem))) == ["accepted:x/y", "asked"]
    assert list(ids(tolerated, mismatch("1.reply", "expectation"))) == ["accepted:x/y", "1.reply"]


def test_finding_says_where_it_is() -> None:
    request = mismatch("paired", "request", turn=2, request=3, place="messages[1]")
    end = mismatch("1.reply", "expectation")

    found = {finding.id: (finding.place, finding.at) for finding in findings([request, end])}
    assert found == {
        "paired": (Place(2, 3, "messages[1]"), "turn 2, request 3, messages[1]"),
        "1.reply": (Place(1, 0, ""), "turn 1"),
    }


@pytest.mark.parametrize(("length", "shown"), [(70, "x" * 70), (71, "x" * 66 + " ...")])
def test_long_consequence_is_cut(length: int, shown: str) -> None:
    refused = mismatch("accepted:x/y", "ending", request=2)
    consequence = Mismatch(subject_of("1.reply"), "expectation", "must", 1, END, "expected", "x" * length)

    assert ids(refused, consequence) == {"accepted:x/y": (f"1.reply: {shown}",)}


@pytest.mark.parametrize(
    ("kind", "ends", "is_tolerated"),
    [("ending", True, False), ("bound", True, False), ("tolerated", False, True), ("request", False, False)],
)
def test_finding_says_whether_it_ended_the_case(kind: str, ends: bool, is_tolerated: bool) -> None:
    (finding,) = findings([mismatch("paired", kind, request=1)])

    assert (finding.ends_case, finding.is_tolerated) == (ends, is_tolerated)
