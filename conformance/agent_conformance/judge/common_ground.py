"""What findings of many cases have in common: their texts without what is a case's own. Knows no law by its meaning."""

import re
from collections.abc import Collection

from agent_conformance.judge.evidence import CaseEvidence, Mismatch, flat

LONGEST = 70
BY_WHAT_WAS_FOUND = frozenset({"answers", "paired", "survives", "user-first", "outcome"})
"""Laws and expectations that demand one thing everywhere: what was found tells their findings apart."""
BY_WHAT_WAS_SHOWN = frozenset({"no-protocol-text"})
"""A law on texts of any syntax: how the text that was found begins tells its findings apart."""

_ENDING = re.compile(r"^(error|crash|hang|flood): ([\w.]+)")
_REFUSAL = re.compile(r"^its request was refused by ([\w./-]+)")
_ID = re.compile(r"\b(?:call|toolu|fc|msg|resp|chatcmpl|id)[-_][\w-]*\d[\w-]*|\b(?=\w*\d)[0-9a-f]{8,}\b")
_MARKUP = re.compile(r'"\s*(?=[^\s"]*[<>\[\]{}`|])[^\w\s]*(\w+)')
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
    """What this finding shares with others of its cause: a field, a place in the agent's code, a text.

    `names` are those of the case's tools.
    """
    if "/" in mismatch.cause:
        return re.sub(r"\[\d+\]", "[]", mismatch.place)
    if mismatch.origin:
        return f"crash at {mismatch.origin.partition(',')[0]}"
    kind = re.sub(r"^\d+\.(should\.)?|\[\d+\]$", "", mismatch.cause or mismatch.id)
    if kind in BY_WHAT_WAS_SHOWN:
        markup = _MARKUP.match(mismatch.got)
        return f"{markup[1] if markup else 'text'} in {mismatch.place}"
    text = mismatch.got if kind in BY_WHAT_WAS_FOUND else mismatch.expected
    known = _ENDING.match(text) or _REFUSAL.match(text)
    return known[0] if known else common_text(text, names)


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
