"""What the process that prints learns of one case, and how it crosses a process boundary: as JSON, parsed at once.

Knows no pytest; texts are printable by the time they are here.
"""

import json
from dataclasses import asdict, dataclass, field, fields
from typing import Any, Literal

from agent_conformance.gate.printing import Row
from agent_conformance.gate.snapshot_file import Recording
from agent_conformance.gate.snapshots import State as ComparedState
from agent_conformance.transcripts.finding import FindingKind, Level

CaseOutcome = Literal["pass", "fail", "stale", "known", "error", "not-verified", "not-scored"]
"""A verdict's outcome, or `known` where all failing findings are in the baseline, or `stale` where only entries of the
baseline fail, because their findings did not occur. `not-scored`: the version of the corpus that was chosen does not
have the case as it is now."""

JUDGED: tuple[CaseOutcome, ...] = ("pass", "fail", "known", "stale")
"""Outcomes of cases that have a verdict on the agent."""

FindingState = Literal["new", "known", "advice", "later"]
"""`later`: the version of the corpus that was chosen does not have the law, the rule or the case."""
SnapshotState = ComparedState | Literal["unused", "none"]


@dataclass(frozen=True, slots=True)
class ReportedFinding:
    """A finding without its facts, and what the baseline says of it: `entry`, the rule, law, area or pattern of an
    entry about many findings.
    """

    id: str
    kind: FindingKind
    code: str
    level: Level
    state: FindingState
    detail: str = ""
    ends_case: bool = False
    is_tolerated: bool = False
    entry: str = ""


@dataclass(frozen=True, slots=True)
class CaseReport:
    """One case as the summary, the baseline and the snapshots need it.

    `former_ids` are the case's ids under its scenario's old names. `unexplained` counts known findings without a
    reason. `recording` is what is to be written as its snapshot; `vanished` names recorded cases that the scenario no
    longer has. `headline` and `rerun` are given where the case failed, and its `failure` where another process prints.
    """

    case: str
    scenario: str
    outcome: CaseOutcome
    former_ids: tuple[str, ...] = ()
    reason: str = ""
    missing: tuple[str, ...] = ()
    findings: tuple[ReportedFinding, ...] = ()
    unexplained: int = 0
    stale: tuple[str, ...] = ()
    snapshot: SnapshotState = "none"
    recording: Recording | None = None
    vanished: tuple[str, ...] = ()
    foreign_hosts: tuple[str, ...] = ()
    left_running: tuple[str, ...] = ()
    headline: str = ""
    rerun: str = ""
    failure: tuple[Row, ...] = ()

    def to_json(self) -> str:
        """One line. `asdict` would copy each value before it is written, which costs a tenth of what pytest adds."""
        return json.dumps({name: getattr(self, name) for name in _REPORT_FIELDS}, default=asdict)

    @classmethod
    def from_json(cls, text: str) -> "CaseReport":
        read = json.loads(text)
        data: dict[str, Any] = {key: tuple(value) if isinstance(value, list) else value for key, value in read.items()}
        data["findings"] = tuple(ReportedFinding(**finding) for finding in data["findings"])
        data["failure"] = tuple(Row(**{**row, "below": tuple(row["below"])}) for row in data["failure"])
        data["recording"] = Recording(**data["recording"]) if data["recording"] else None
        return cls(**data)


_REPORT_FIELDS = tuple(member.name for member in fields(CaseReport))


@dataclass(frozen=True, slots=True)
class BrokenFile:
    """A scenario file that could not be read, with the first of its problems."""

    path: str
    headline: str = field(default="", compare=False)

    def to_json(self) -> str:
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> "BrokenFile":
        return cls(**json.loads(text))
