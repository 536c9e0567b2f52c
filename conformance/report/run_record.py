"""What the reports of a run said, gathered in the process that prints: counts, causes, what to write. Knows only the
plain data that reports carry, so that it is the same with and without xdist.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any


@dataclass(slots=True)
class Ledger:
    """The cases that were told, by id, and the paths of scenario files that are broken."""

    told: dict[str, dict[str, Any]] = field(default_factory=dict)
    broken: set[str] = field(default_factory=set)

    def note(self, data: dict[str, Any]) -> None:
        """A case run again (a retry plugin, say) counts as it ended."""
        self.told[data["case"]] = data

    @property
    def cases(self) -> list[dict[str, Any]]:
        """In order of id: workers report in any order."""
        return [self.told[case] for case in sorted(self.told)]

    def count(self, *outcomes: str) -> int:
        return sum(data["outcome"] in outcomes for data in self.told.values())

    def with_outcome(self, *outcomes: str) -> Iterator[dict[str, Any]]:
        return (data for data in self.cases if data["outcome"] in outcomes)

    @property
    def judged(self) -> int:
        """Cases that have a verdict on the agent."""
        return self.count("pass", "fail", "known", "stale")

    @property
    def has_errors(self) -> bool:
        return bool(self.broken) or self.count("error") > 0

    def causes(self, state: str) -> list[tuple[str, list[str]]]:
        """Each cause of findings in this state with its cases, the most frequent first."""
        cases: dict[str, list[str]] = {}
        for data in self.cases:
            for cause in dict.fromkeys(f["cause"] for f in data["findings"] if f["state"] == state):
                cases.setdefault(cause, []).append(data["case"])
        return sorted(cases.items(), key=lambda item: (-len(item[1]), item[0]))

    def unverified(self) -> list[tuple[str, int]]:
        """What was missing, or why a case did not apply, with the number of cases; one case may count twice."""
        reasons = Counter(
            reason
            for data in self.with_outcome("not-verified")
            for reason in (data["missing"] or [data["reason"].partition("\n")[0]])
        )
        return sorted(reasons.items(), key=lambda item: (-item[1], item[0]))

    def snapshots(self, state: str) -> list[str]:
        return [data["case"] for data in self.cases if data["snapshot"] == state]

    def unused_snapshots(self) -> list[str]:
        """Recordings of cases that are not verified any more, or of examples that their scenario no longer has."""
        vanished = {f"{d['scenario']}{name}" for d in self.told.values() for name in d["vanished"]}
        return sorted({*self.snapshots("unused"), *vanished})

    def foreign_hosts(self) -> list[tuple[str, int]]:
        hosts = Counter(host for data in self.told.values() for host in data["foreign"])
        return sorted(hosts.items())

    def findings(self, states: Iterable[str]) -> dict[str, list[str]]:
        """The finding ids in these states of every case that was judged, empty where there are none."""
        wanted = set(states)
        return {
            data["case"]: [f["id"] for f in data["findings"] if f["state"] in wanted]
            for data in self.with_outcome("pass", "fail", "known", "stale")
        }

    def former(self) -> dict[str, str]:
        return {old: data["case"] for data in self.told.values() for old in data["former"]}

    def recorded(self) -> dict[str, dict[str, dict[str, str]]]:
        """What is to be written as snapshots: by scenario, then by case."""
        written: dict[str, dict[str, dict[str, str]]] = {}
        for data in self.told.values():
            if data["recorded"]:
                written.setdefault(data["scenario"], {})[data["case"]] = data["recorded"]
        return written

    def vanished(self) -> dict[str, set[str]]:
        gone: dict[str, set[str]] = {}
        for data in self.told.values():
            if data["vanished"]:
                gone.setdefault(data["scenario"], set()).update(data["vanished"])
        return gone
