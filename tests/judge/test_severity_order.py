"""The order of causes: what a finding does to the user."""

import pytest

from agent_conformance.judge.causes import harm_of
from agent_conformance.judge.laws import LAWS
from agent_conformance.judge.laws.law import Harm, Law
from agent_conformance.transcripts.finding import FindingKind


@pytest.mark.parametrize(
    ("kind", "code", "detail", "harm"),
    [
        ("law", "answers", "crash at agent.py:12", Harm.CRASH),
        ("law", "answers", "IndexError: list index out of range", Harm.CRASH),
        ("law", "survives", "crash: KeyError", Harm.CRASH),
        ("rule", "openai/tools-empty", "tools", Harm.REFUSAL),
        ("law", "survives", "its request was refused by openai/tools-empty", Harm.REFUSAL),
        ("law", "fits", "", Harm.REFUSAL),
        ("law", "bounded", "at most N requests in a turn", Harm.HANG),
        ("law", "answers", "no activity for N s; the turn was abandoned", Harm.HANG),
        ("law", "survives", "hang", Harm.HANG),
        ("law", "answers", 'the reply ""', Harm.DATA),
        ("law", "kept-whole", "", Harm.DATA),
        ("expectation", "executed", "a tool", Harm.DATA),
        ("law", "no-protocol-text", "think in the reply", Harm.WORDS),
        ("expectation", "reply", "", Harm.WORDS),
        ("snapshot", "snapshot", "model: ... is new", Harm.WORDS),
    ],
)
def test_harm_is_known_by_what_was_found(kind: FindingKind, code: str, detail: str, harm: Harm) -> None:
    assert harm_of(kind, code, detail) is harm


@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.id)
def test_a_finding_of_a_law_has_the_harm_of_the_law(law: Law) -> None:
    assert harm_of("law", law.id, "") is law.harm


def test_a_law_without_its_harm_is_no_law() -> None:
    with pytest.raises(TypeError, match="harm"):
        Law("paired", lambda _: iter(()))  # type: ignore[call-arg]
