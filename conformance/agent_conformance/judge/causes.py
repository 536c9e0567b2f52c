"""From mismatches to findings: one finding for each cause, with its consequences, and how much harm it does."""

import re
from collections.abc import Collection, Iterable, Mapping
from typing import get_args

from msgspec import Struct, field

from agent_conformance.judge.case_evidence import END, CaseEvidence, Mismatch, MismatchKind, flat
from agent_conformance.judge.laws import LAWS
from agent_conformance.judge.laws.law import Harm
from agent_conformance.transcripts.finding import CRASH, REFUSED, Consequence, Finding, FindingKind, field_of

EXPLAINS: Mapping[MismatchKind, frozenset[MismatchKind]] = {
    "ending": frozenset(get_args(MismatchKind)),
    "bound": frozenset(get_args(MismatchKind)),
    "tolerated": frozenset({"request", "prefix"}),
    "request": frozenset({"bound", "prefix", "silence", "shown", "failure", "survival", "expectation"}),
    "prefix": frozenset(),
    "execution": frozenset({"silence", "failure", "survival", "expectation"}),
    "silence": frozenset(get_args(MismatchKind)),
    "shown": frozenset({"silence", "failure", "expectation"}),
    "failure": frozenset({"silence", "expectation"}),
    "expectation": frozenset({"silence"}),
    "survival": frozenset(),
}
"""Which later mismatches follow from one of each kind."""

SAME_MESSAGES = frozenset({"paired", "user-first"})
"""Laws on the order of messages: providers refuse the same, each in words and rules of its own."""


class _Cause(Struct):
    mismatch: Mismatch
    consequences: list[Mismatch] = field(default_factory=list)
    again: int = 0

    def add(self, mismatch: Mismatch) -> None:
        """Neither what follows from a consequence, nor advice below a fault, nor the same words again."""
        is_advice = mismatch.level == "should" and self.mismatch.level == "must"
        said = any(_explains(one, mismatch) or _words(one) == _words(mismatch) for one in self.consequences)
        if not is_advice and not said:
            self.consequences.append(mismatch)


def findings(mismatches: Iterable[Mismatch], *, names: Collection[str] = ()) -> tuple[Finding, ...]:
    """One finding for each cause, in order of place; more mismatches about the same are counted under the first.

    `names` are those of the case's tools, which findings of other cases do not share.
    """
    causes: list[_Cause] = []
    for mismatch in sorted(mismatches, key=_position):
        same = next((cause for cause in causes if cause.mismatch.subject == mismatch.subject), None)
        if same is not None:
            same.again += 1
            continue
        cause = next((cause for cause in causes if _explains(cause.mismatch, mismatch)), None)
        if cause is not None:
            cause.add(mismatch)
        else:
            causes.append(_Cause(mismatch))
    return tuple(_finding(cause, names) for cause in causes)


BRIEF = 70
"""Characters that a consequence has in a finding: what matters is the cause."""

_RANK: Mapping[str, int] = {kind: rank for rank, kind in enumerate(EXPLAINS)}


def _position(mismatch: Mismatch) -> tuple[int, int, int, int]:
    ended = 1 if mismatch.request == END or mismatch.kind == "silence" else 0
    return (mismatch.turn, ended, mismatch.request if not ended else 0, _RANK[mismatch.kind])


def _explains(cause: Mismatch, mismatch: Mismatch) -> bool:
    """A must explains whatever `EXPLAINS` has for its kind, advice only advice, unless it ended the case."""
    if mismatch.kind not in EXPLAINS[cause.kind]:
        return False
    if cause.kind == "tolerated":
        return mismatch.subject.law in SAME_MESSAGES and _list_of(cause) in ("", _list_of(mismatch))
    if cause.kind == "expectation" and mismatch.kind != "silence" and cause.turn != mismatch.turn:
        return False
    return cause.level == "must" or mismatch.level == "should" or cause.kind in ("ending", "silence")


def _list_of(mismatch: Mismatch) -> str:
    """The list in the body that the mismatch is about: `messages` of `messages[3].role`."""
    return re.split(r"[.\[]", mismatch.path)[0]


def _words(mismatch: Mismatch) -> str:
    return flat(mismatch.got or mismatch.refused)


def _consequence(mismatch: Mismatch) -> Consequence:
    """In brief, but for a silence: its words are the suite's own, and name the option that says how long it waits."""
    text = _words(mismatch)
    is_brief = len(text) <= BRIEF or mismatch.kind == "silence"
    return Consequence(mismatch.subject, text if is_brief else text[: BRIEF - 4] + " ...")


def _finding(cause: _Cause, names: Collection[str]) -> Finding:
    mismatch = cause.mismatch
    return Finding(
        mismatch.subject,
        mismatch.level,
        place=mismatch.place,
        refused=mismatch.refused,
        expected=mismatch.expected,
        got=mismatch.got,
        again=cause.again,
        detail=detail_of(mismatch, names),
        consequences=tuple(map(_consequence, cause.consequences)),
        ends_case=mismatch.kind in ("ending", "bound", "silence"),
        is_tolerated=mismatch.kind == "tolerated",
        origin=mismatch.origin,
    )


# What findings of many cases have in common: their texts without what is a case's own.


LONGEST = 70
BY_WHAT_WAS_FOUND = frozenset({"answers", "paired", "survives", "user-first", "outcome"})
"""Laws and expectations that demand one thing everywhere: what was found tells their findings apart."""

_ID = re.compile(r"\b(?:call|toolu|fc|msg|resp|chatcmpl|id)[-_][\w-]*\d[\w-]*|\b(?=\w*\d)[0-9a-f]{8,}\b")
"""What providers and stores make up: a prefix before digits, or eight and more hexadecimal digits with a numeral."""
_ITS_OWN = (
    (re.compile(r'"\s*"'), '""'),
    (re.compile(r'".+"'), '"..."'),
    (re.compile(r"(?<!\w)'.*'(?!\w)"), '"..."'),
    (re.compile(r"\{.*\}"), "{...}"),
    (re.compile(r"\[.*\]"), "[...]"),
    (_ID, "..."),
    (re.compile(r" \([^)]*\)"), ""),
    (re.compile(r"\d+(?:\.\d+)?"), "N"),
    (re.compile(r"a tool(?:, a tool)+"), "tools"),
)


def detail_of(mismatch: Mismatch, names: Collection[str]) -> str:
    """What this finding shares with others of its code: a field, a place in the agent's code, a text.

    `names` are those of the case's tools.
    """
    if mismatch.subject.rule:
        return field_of(mismatch.path)
    if mismatch.origin is not None:
        return f"{CRASH}{mismatch.origin.raised_at}"
    if mismatch.detail:
        return mismatch.detail
    if mismatch.subject.name in BY_WHAT_WAS_FOUND:
        return common_text(mismatch.got, names)
    return f"expected {common_text(mismatch.expected, names)}"


def common_text(text: str, names: Collection[str] = ()) -> str:
    """The text without names of tools, quoted values, ids and numbers."""
    text = flat(text)
    for name in sorted(filter(None, names), key=len, reverse=True):
        text = re.sub(rf"(?<![\w-]){re.escape(name)}(?![\w-])", "a tool", text)
    for pattern, instead in _ITS_OWN:
        text = pattern.sub(instead, text)
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}..."


def names_in(evidence: CaseEvidence) -> frozenset[str]:
    """The names of tools that texts about this case may have: the scenario's, and those that the model called."""
    calls = (call for _, request in evidence.transcript.requests() for call in request.calls)
    called = {name for call in calls for name in (call.name, call.wire_name)}
    return frozenset({tool.name for tool in evidence.scenario.tools} | called)


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
