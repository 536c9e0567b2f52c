"""The table of all cases that a page lists, as compact JSON: each text that repeats is written once."""

import json
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from agent_conformance.page.changes import Changes
from agent_conformance.results.causes import causes
from agent_conformance.results.model import CaseRecord, FindingResult, Results
from agent_conformance.scenario.id_patterns import case_and_finding

Labels = Mapping[tuple[str, str], str]
"""The name of each cause, by the cause of its findings and their detail."""
STALE = "stale"
"""The state of a finding that is in the baseline, and did not occur."""
FIXED = "fixed"
"""The state of a finding that an earlier run had, and this one has not."""
NOT_HERE = -1
"""The block of a case whose transcript is on another page."""


@dataclass(frozen=True, slots=True)
class Listed:
    """A case as a page lists it: in one of its own blocks, or on another page."""

    case: CaseRecord
    block: int = NOT_HERE
    page: int = NOT_HERE


class _Numbered:
    """Values by number, in the order in which they came up."""

    def __init__(self) -> None:
        self._numbers: dict[Hashable, int] = {}

    def __call__(self, value: Hashable) -> int:
        return self._numbers.setdefault(value, len(self._numbers))

    @property
    def values(self) -> list[Hashable]:
        return list(self._numbers)


def index_table(listed: Iterable[Listed], labels: Labels, changes: Changes | None, **more: Any) -> bytes:
    """`script/20_data.js` reads it. `labels` are the names of causes."""
    outcomes, areas, wires, profiles, titles, findings = (_Numbered() for _ in range(6))
    cases = [
        (
            one.case.id,
            outcomes(one.case.outcome),
            areas(one.case.area),
            wires(one.case.wire),
            profiles(one.case.profile),
            round(one.case.seconds, 3),
            titles(one.case.title),
            [findings(short) for short in _findings(one.case, labels, changes)],
            one.block,
            one.page,
        )
        for one in listed
    ]
    table = {
        "cases": cases,
        "outcomes": outcomes.values,
        "areas": areas.values,
        "wires": wires.values,
        "profiles": profiles.values,
        "titles": titles.values,
        "findings": [dict(_pairs(finding)) for finding in findings.values],
        "earlier": changes.shown if changes is not None else None,
        **more,
    }
    return json.dumps(table, separators=(",", ":")).encode()


def labels_of(results: Results) -> Labels:
    """The names of causes, as the summary and the terminal have them."""
    found = causes(results, ("new", "known", "advice", "later"))
    return {(cause.first.cause, cause.first.detail): cause.label for cause in found}


def _findings(case: CaseRecord, labels: Labels, changes: Changes | None) -> Iterator[tuple[tuple[str, str], ...]]:
    """Those of the case, those that the baseline still has, and those that an earlier run had."""
    for finding in case.findings:
        yield _in_short(finding, labels, changes.since(case, finding) if changes is not None else "")
    for stale in case.stale:
        _, id = case_and_finding(stale)
        yield tuple({"id": id, "cause": id, "state": STALE}.items())
    for change in changes.fixed.get(case.id, ()) if changes is not None else ():
        yield tuple({"id": change.id, "cause": change.cause, "state": FIXED, "since": FIXED}.items())


def _in_short(finding: FindingResult, labels: Labels, since: str) -> tuple[tuple[str, str], ...]:
    short = {
        "id": finding.id,
        "cause": labels[finding.cause, finding.detail],
        "state": finding.state,
        "level": finding.level,
        "law": finding.law,
        "rule": finding.rule,
        "since": since,
    }
    return tuple((name, value) for name, value in short.items() if value)


def _pairs(finding: Hashable) -> Sequence[tuple[str, str]]:
    assert isinstance(finding, tuple)
    return finding


def provider_facts(cases: Iterable[CaseRecord], facts: Mapping[str, Any]) -> dict[str, dict[str, str]]:
    """What a command needs to repeat a request against the provider itself."""
    named = {
        provider
        for case in cases
        for provider in (case.provider, *(request.provider for turn in case.turns for request in turn.requests))
    }
    return {
        name: {
            "title": facts[name].title,
            "base": facts[name].base_url
            or (f"${facts[name].base_url_variable}" if facts[name].base_url_variable else ""),
            "key": facts[name].key_variable,
        }
        for name in sorted(named & facts.keys())
    }
