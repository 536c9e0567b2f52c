"""How much harm a finding does to a user of the agent: causes are listed in this order."""

import re

from agent_conformance.judge.laws import LAWS
from agent_conformance.judge.laws.law import Harm
from agent_conformance.transcripts.finding import REFUSED, FindingKind

_OF_LAWS: dict[str, Harm] = {law.id: law.harm for law in LAWS}
ABOUT_WORDS = ("reply", "narration")
"""Expectations on what the user reads; others are on what is sent or done."""
RAISED = re.compile(r"crash\b|[\w.]*(?:Error|Exception)\b")
BLANK = "the reply"
"""What the detail of a blank reply begins with."""


def harm_of(kind: FindingKind, code: str, detail: str) -> Harm:
    """The harm of findings of this code; `detail` is what they have in common besides."""
    if kind == "rule" or detail.startswith(REFUSED):
        return Harm.REFUSAL
    if code in ("answers", "survives", "outcome") and RAISED.match(detail):
        return Harm.CRASH
    if detail.startswith("hang"):
        return Harm.HANG
    if kind == "law":
        is_blank = code == "answers" and detail.startswith(BLANK)
        return Harm.DATA if is_blank else _OF_LAWS.get(code, Harm.DATA)
    return Harm.WORDS if code in ABOUT_WORDS or kind in ("snapshot", "relation") else Harm.DATA
