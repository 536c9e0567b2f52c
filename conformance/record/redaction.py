"""Replaces keys of this machine in a verdict by their names. Knows verdicts and the environment alone."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from conformance.record.finding import Finding, Trace, Verdict

LEAST = 16
"""Shorter values are placeholders such as `test`, which may be ordinary words of a text."""
PART = 12
"""So many characters of a key are still replaced, where a long text was cut."""

_NAMED = re.compile(r"(?:^|_)(?:KEY|TOKEN|SECRET|PASSWORD)$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Key:
    name: str
    value: str

    def hidden(self, text: str) -> str:
        head, tail = self.value[:PART], self.value[-PART:]
        if head not in text and tail not in text:
            return text
        whole, head, tail = re.escape(self.value), re.escape(head), re.escape(tail)
        return re.sub(rf"{whole}|{head}[\w+/=.-]*|[\w+/=.-]{{0,200}}{tail}", f"${self.name}", text)


def keys_of(environment: Mapping[str, str]) -> tuple[Key, ...]:
    """The variables whose names end as those of keys do."""
    found = (Key(name, value) for name, value in environment.items() if _NAMED.search(name) and len(value) >= LEAST)
    return tuple(sorted(found, key=lambda key: (-len(key.value), key.name)))


def text_without_keys(text: str, keys: Iterable[Key]) -> str:
    for key in keys:
        text = key.hidden(text)
    return text


def without_keys(verdict: Verdict, keys: Iterable[Key]) -> Verdict:
    """The verdict as it may be printed and kept in files."""
    for key in keys:
        verdict = replace(
            verdict,
            reason=key.hidden(verdict.reason),
            narrative=key.hidden(verdict.narrative),
            findings=tuple(_hidden(finding, key) for finding in verdict.findings),
            trace=_hidden_trace(verdict.trace, key),
        )
    return verdict


def _hidden(finding: Finding, key: Key) -> Finding:
    facts = tuple((label, key.hidden(value)) for label, value in finding.facts)
    consequences = tuple(map(key.hidden, finding.consequences))
    trace, detail = _hidden_trace(finding.trace, key), key.hidden(finding.detail)
    return replace(finding, facts=facts, consequences=consequences, trace=trace, detail=detail)


def _hidden_trace(trace: Trace | None, key: Key) -> Trace | None:
    return None if trace is None else Trace(key.hidden(trace.brief), key.hidden(trace.whole))
