"""What a finding does to the user of an agent, which is the order of causes wherever they are listed."""

import re
from enum import IntEnum

from agent_conformance.transcripts.finding import FindingKind


class Harm(IntEnum):
    """From the worst."""

    CRASH = 1
    REFUSAL = 2
    HANG = 3
    DATA = 4
    WORDS = 5


ABOUT_WORDS = frozenset(
    {
        "no-protocol-text",
        "no-picture-text",
        "stream-is-reply",
        "narration-apart",
        "steady-prefix",
        "property-order",
        "reply",
        "narration",
    }
)
"""Laws and expectations on what the user reads, or on what a request costs; others are on what is sent or done."""
RAISED = re.compile(r"crash\b|[\w.]*(?:Error|Exception)\b")
BLANK = "the reply"
"""What the detail of a blank reply begins with."""


def harm_of(kind: FindingKind, code: str, detail: str) -> Harm:
    """The harm of findings of this code; `detail` is what they have in common besides."""
    if kind == "rule" or code == "fits" or detail.startswith("its request was refused"):
        return Harm.REFUSAL
    if code in ("answers", "survives", "outcome") and RAISED.match(detail):
        return Harm.CRASH
    if code == "bounded" or (code == "answers" and not detail.startswith(BLANK)) or detail.startswith("hang"):
        return Harm.HANG
    return Harm.WORDS if code in ABOUT_WORDS or kind in ("snapshot", "relation") else Harm.DATA
