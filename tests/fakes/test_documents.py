"""A document is filled in from its subject, an envelope from what was wrong; what has no value is left out."""

from types import SimpleNamespace

import pytest

from fake_providers import remedies
from fake_providers.replies.documents import ABSENT, ByStatus, Document, Envelope
from fake_providers.rule import Rule
from fake_providers.rulebook import Breach

SUBJECT = SimpleNamespace(id="a1", text="Rain.", seed=ABSENT)
ERROR = Envelope(
    {"error": {"message": "<message>", "type": "<type>", "code": "<code>"}}, type=ByStatus({500: "broken"}, "wrong")
)


def test_members_have_the_order_of_the_document() -> None:
    filled = Document("b id content:text stop:null a", a=lambda subject: len(subject.text), b=[1]).fill(SUBJECT)

    assert list(filled.items()) == [("b", [1]), ("id", "a1"), ("content", "Rain."), ("stop", None), ("a", 5)]


def test_member_without_a_value_is_left_out_where_the_document_says_so() -> None:
    assert Document("seed? id?").fill(SUBJECT) == {"id": "a1"}
    assert Document("seed id").fill(SUBJECT) == {"seed": ABSENT, "id": "a1"}


def test_document_within_a_document_has_the_same_subject() -> None:
    assert Document("inner", inner=Document("id")).fill(SUBJECT) == {"inner": {"id": "a1"}}


def test_value_without_a_place_is_named() -> None:
    with pytest.raises(ValueError, match="values without a place in 'id': stop"):
        Document("id", stop=None)


def test_error_has_the_values_of_its_status_unless_others_are_given() -> None:
    assert ERROR("No.") == {"error": {"message": "No.", "type": "wrong"}}
    assert ERROR("No.", status=503) == {"error": {"message": "No.", "type": "broken"}}
    assert ERROR("No.", type="own", code=7) == {"error": {"message": "No.", "type": "own", "code": 7}}
    assert ERROR.but(code=None)("No.") == {"error": {"message": "No.", "type": "wrong", "code": None}}


def test_values_of_failing_statuses_are_those_of_500_unless_there_are_others() -> None:
    assert [ByStatus({500: "a", 503: "b"}, "c").of(status) for status in (500, 502, 503, 404)] == ["a", "a", "b", "c"]
    assert [ByStatus({500: "a"}, "c", "d").of(status) for status in (500, 502, 404)] == ["a", "d", "c"]


def test_refusal_has_what_was_found_and_the_status_of_the_rule() -> None:
    rule = Rule("x/y", 500, "Why.", "all", "inferred", (), "2026-11-28", None, None, remedies.VALUE)

    body = ERROR.refusal(rule, Breach("messages", "No {braces}.", {"code": "c"}), None)

    assert body == {"error": {"message": "No {braces}.", "type": "broken", "code": "c"}}
