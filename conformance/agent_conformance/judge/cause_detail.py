"""What findings of many cases have in common: their texts without what is a case's own. Knows no law by its meaning."""

import re
from collections.abc import Collection

from agent_conformance.judge.case_evidence import CaseEvidence, Mismatch, flat

LONGEST = 70
BY_WHAT_WAS_FOUND = frozenset({"answers", "paired", "survives", "user-first", "outcome"})
"""Laws and expectations that demand one thing everywhere: what was found tells their findings apart."""

_ID = re.compile(r"\b(?:call|toolu|fc|msg|resp|chatcmpl|id)[-_][\w-]*\d[\w-]*|\b(?=\w*\d)[0-9a-f]{8,}\b")
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
        return re.sub(r"\.\d+(?=\.|$)", ".N", re.sub(r"\[\d+\]", "[]", mismatch.path))
    if mismatch.origin is not None:
        return f"crash at {mismatch.origin.raised_at}"
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
