"""The order of causes: what a finding does to the user."""

import pytest

from agent_conformance.transcripts.finding import FindingKind
from agent_conformance.transcripts.harm import Harm, harm_of


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
