from typing import Any

from conformance.judge.causes import findings
from conformance.judge.evidence import END, Mismatch


def mismatch(id: str, kind: Any, *, turn: int = 1, request: int = END, level: Any = "must") -> Mismatch:
    return Mismatch(id, kind, level, turn, request, "expected", "other")


def ids(*mismatches: Mismatch) -> dict[str, tuple[str, ...]]:
    return {finding.id: finding.consequences for finding in findings(mismatches)}


def test_what_follows_a_refusal_is_its_consequence() -> None:
    refused = mismatch("accepted:x/y", "ending", request=2)

    assert ids(mismatch("1.reply", "expectation"), refused) == {"accepted:x/y": ("1.reply: other",)}


def test_what_came_before_a_refusal_is_a_finding_of_its_own() -> None:
    refused = mismatch("accepted:x/y", "ending", request=2)

    assert list(ids(mismatch("asked", "request", request=1), refused)) == ["asked", "accepted:x/y"]


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
    assert ("again", "2 more times in this case") in again[0].facts
