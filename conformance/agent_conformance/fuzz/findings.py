"""Which findings are one: by their code and detail, as a report groups them. And which of them are known."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from agent_conformance.minimise.trials import Kind
from agent_conformance.record.finding import Finding, Level, Verdict

_NUMBER = re.compile(r"(?<=\.)\d+(?=\.|$)")


@dataclass(frozen=True, slots=True)
class Known:
    """What need not be found again: kinds of findings, and laws and rules that are known wherever they are broken."""

    kinds: frozenset[Kind] = frozenset()
    causes: frozenset[str] = frozenset()

    def __contains__(self, kind: Kind) -> bool:
        return kind in self.kinds or kind[0] in self.causes

    def __or__(self, other: "Known") -> "Known":
        return Known(self.kinds | other.kinds, self.causes | other.causes)


def findings_by_kind(verdict: Verdict | str, level: Level) -> Mapping[Kind, Finding]:
    """The first finding of each kind at this level: `should` has those at `must` too."""
    if isinstance(verdict, str):
        return {}
    found: dict[Kind, Finding] = {}
    for finding in verdict.at_level(level):
        found.setdefault(kind_without_numbers(finding.code, finding.detail), finding)
    return found


def kind_without_numbers(code: str, detail: str) -> Kind:
    """The kind, wherever in its list a message stands: Anthropic writes `messages.1.content.0`."""
    return code, _NUMBER.sub("N", detail)
