"""A failed case as rows of label and value, printable, and what the process that prints learns of a case, as JSON."""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from msgspec import Struct, to_builtins

from agent_conformance.baseline.snapshot_file import Recording
from agent_conformance.baseline.snapshots import State as ComparedState
from agent_conformance.transcripts.finding import SNAPSHOT, Finding, FindingKind, Level, Trace
from agent_conformance.transcripts.shown_texts import shown, shown_lines

TRACE_LIMIT = 2000
LABEL = 9
"""The columns that the label of a row takes."""
FLAKY = "in 1 of 2 runs; `flaky: true` and `until` in the baseline let it come and go"
MULTILINE = ("diff", "stderr")
"""Labels whose facts keep their line breaks; in all others a line break is shown as `\\n`."""


class Row(Struct, frozen=True):
    """A value of a failure with its label, and the lines below it. Without a label it is a line of its own."""

    label: str = ""
    value: str = ""
    below: tuple[str, ...] = ()
    is_heading: bool = False

    @property
    def head(self) -> str:
        """What stands before the value."""
        if len(self.label) > LABEL:
            return f"  {self.label}: "
        return f"  {self.label:<{LABEL}} " if self.value else f"  {self.label}"

    def lines(self) -> Iterator[str]:
        yield self.head + self.value if self.label else self.value
        yield from (f"    {line}" for line in self.below)


def text_of(rows: Iterable[Row]) -> str:
    return "\n".join(line for row in rows for line in row.lines())


def facts_of(finding: Finding) -> tuple[tuple[str, str], ...]:
    """What was found, as labels and texts in order, without those that are empty. The texts may hold anything."""
    is_changed = finding.subject == SNAPSHOT
    times = f"{finding.again} more time{'s' if finding.again > 1 else ''} in this case"
    flips = f'if this changes from run to run, leave it out in the adapter: scrub = (r"{finding.scrub}",)'
    facts = (
        ("at", finding.at),
        ("refused", finding.refused),
        ("expected", finding.expected),
        ("got", finding.got),
        ("again", times if finding.again else ""),
        ("runs", FLAKY if finding.is_flaky else ""),
        ("diff", finding.diff),
        ("accept", "the same command with --snapshot-update" if is_changed else ""),
        ("scrub", flips if finding.scrub else ""),
        ("stderr", finding.log),
        ("stream", f"text cut: {finding.cut}" if finding.cut else ""),
    )
    return tuple((label, text) for label, text in facts if text)


def finding_rows(case_id: str, finding: Finding, *, notes: Iterable[Row] = (), whole_trace: bool = False) -> list[Row]:
    """A finding's id and what is to be said of it; `notes` stand after what follows from it. A trace is brief or
    whole.
    """
    rows = [Row(value=shown(f"{case_id}#{finding.id}"), is_heading=True)]
    rows += [labelled(label, text) for label, text in facts_of(finding)]
    rows += trace_rows(finding.trace, whole=whole_trace)
    if finding.consequences:
        rows.append(labelled("also", "; ".join(map(str, finding.consequences))))
    if finding.not_checked:
        rows.append(labelled("not checked", ", ".join(finding.not_checked)))
    if finding.scenario is not None:
        rows.append(labelled("source", str(finding.scenario)))
    return [*rows, *notes]


def error_rows(reason: str, *, trace: Iterable[Row] = ()) -> list[Row]:
    """An error of the suite, the adapter or the set-up, which its first line tells from a failure."""
    first, *rest = shown_lines(reason or "no reason was given")
    return [Row(value=f"error (not the agent): {first}"), *(Row(value=f"  {line}") for line in rest), *trace]


def trace_rows(trace: Trace | None, *, whole: bool) -> list[Row]:
    text = "" if trace is None else trace.whole if whole else trace.brief
    return [Row("trace", below=tuple(shown_lines(text, TRACE_LIMIT)))] if text else []


def headline(findings: Sequence[Finding]) -> str:
    """One line for pytest's short summary: the findings, and what the first of them says."""
    ids = ", ".join(f"#{finding.id}" for finding in findings)
    text = findings[0].refused or findings[0].got if findings else ""
    return shown(f"{ids} {text}".rstrip(), 300)


def labelled(label: str, text: str) -> Row:
    """The row of a text that may hold anything."""
    return Row(label, below=tuple(shown_lines(text))) if label in MULTILINE else Row(label, shown(text))


CaseOutcome = Literal["pass", "fail", "stale", "known", "error", "not-verified", "not-scored"]
"""A verdict's outcome, or `known` where all failing findings are in the baseline, or `stale` where only entries of the
baseline fail, because their findings did not occur. `not-scored`: the version of the corpus that was chosen does not
have the case as it is now."""

JUDGED: tuple[CaseOutcome, ...] = ("pass", "fail", "known", "stale")
"""Outcomes of cases that have a verdict on the agent."""

FindingState = Literal["new", "known", "advice", "later"]
"""`later`: the version of the corpus that was chosen does not have the law, the rule or the case."""
SnapshotState = ComparedState | Literal["unused", "none"]


class ReportedFinding(Struct, frozen=True):
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
    is_flaky: bool = False
    """It came in one of two runs, or its entry says that it comes and goes."""


class CaseReport(Struct, frozen=True):
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
    away: tuple[str, ...] = ()
    """Flaky entries whose findings did not occur."""
    unsteady: tuple[str, ...] = ()
    """Entries that are not flaky by what they say, and whose findings came in one of two runs."""
    headline: str = ""
    rerun: str = ""
    failure: tuple[Row, ...] = ()

    @property
    def why(self) -> str:
        """The first line of the reason. For how long an agent was silent is a case's own, and no other cause."""
        return re.sub(r"\b\d+(?:\.\d+)?(?= s\b)", "N", self.reason.partition("\n")[0])

    def to_json(self) -> str:
        """One line."""
        return json.dumps(to_builtins(self))

    @classmethod
    def from_json(cls, text: str) -> "CaseReport":
        read = json.loads(text)
        data: dict[str, Any] = {key: tuple(value) if isinstance(value, list) else value for key, value in read.items()}
        data["findings"] = tuple(ReportedFinding(**finding) for finding in data["findings"])
        data["failure"] = tuple(Row(**{**row, "below": tuple(row["below"])}) for row in data["failure"])
        data["recording"] = Recording(**data["recording"]) if data["recording"] else None
        return cls(**data)


@dataclass(frozen=True, slots=True)
class BrokenFile:
    """A scenario file that could not be read, with the first of its problems."""

    path: str
    headline: str = field(default="", compare=False)

    def to_json(self) -> str:
        return json.dumps(to_builtins(self))

    @classmethod
    def from_json(cls, text: str) -> "BrokenFile":
        return cls(**json.loads(text))
