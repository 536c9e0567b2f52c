"""Two runs compared, finding by finding: what is new, fixed or changed, and what cannot be compared and why."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Literal

from agent_conformance.baseline.case_report import JUDGED
from agent_conformance.report_data.model import CaseRecord, FindingResult, Results
from agent_conformance.report_data.summary import ENDED, MOST_BYTES, BoundedText, code, counted
from agent_conformance.transcripts.finding import Root, root_of
from agent_conformance.transcripts.shown_texts import shown

OCCURRED = ("new", "known")
"""States of findings that fail a case, whether or not the baseline knows them."""

ChangeKind = Literal["new", "fixed", "changed"]


@dataclass(frozen=True, slots=True)
class FindingChange:
    """One finding, `<case id>#<finding id>`, of `case` with `id`. `before` and `after` say what was found, each empty
    where nothing was.

    `is_known`: the baseline of the later run has it. `after_early_end`: the earlier run had ended this case before it.
    """

    kind: ChangeKind
    finding: str
    cause: str
    before: str = ""
    after: str = ""
    is_known: bool = False
    after_early_end: bool = False
    rerun: str = ""
    case: str = ""
    id: str = ""
    detail: str = ""
    is_flaky: bool = False


@dataclass(frozen=True, slots=True)
class NotComparable:
    """A case, or a finding, of which one of the runs says nothing."""

    id: str
    why: str


@dataclass(frozen=True, slots=True)
class Comparison:
    """`notes` say in what the runs differ: whatever is new may come from that. `same` counts findings of both runs."""

    new: tuple[FindingChange, ...]
    fixed: tuple[FindingChange, ...]
    changed: tuple[FindingChange, ...]
    not_comparable: tuple[NotComparable, ...]
    same: int
    compared: int
    notes: tuple[str, ...]
    no_longer_judged: int = 0
    """Cases with a verdict in the first run and none in the second, though the same were to run."""

    @property
    def has_new(self) -> bool:
        """Whether there are findings that were not there before, and that the later run's baseline does not know."""
        return any(not change.is_known for change in self.new)


def compare(before: Results, after: Results) -> Comparison:
    """Cases are matched by their ids, findings of a case by theirs."""
    earlier, later = ({case.id: case for case in run.cases} for run in (before, after))
    changes: list[FindingChange] = []
    gaps: list[NotComparable] = []
    same = compared = fewer = 0
    are_alike = before.options == after.options and after.ended == "complete" and before.shard == after.shard
    for id in sorted({*earlier, *later}):
        old, new = earlier.get(id), later.get(id)
        if why := _why_not(old, new, before, after):
            gaps.append(NotComparable(id, why))
            was_judged = old is not None and old.outcome in JUDGED
            is_gone = are_alike if new is None else new.outcome == "not-verified"
            fewer += was_judged and is_gone
        elif old is not None and new is not None and new.outcome in JUDGED:
            compared += 1
            found = list(_compared(old, new))
            changes += [change for change in found if isinstance(change, FindingChange)]
            gaps += [gap for gap in found if isinstance(gap, NotComparable)]
            same += sum(change is None for change in found)
    kinds = {kind: tuple(change for change in changes if change.kind == kind) for kind in ("new", "fixed", "changed")}
    return Comparison(
        kinds["new"], kinds["fixed"], kinds["changed"], tuple(gaps), same, compared, tuple(_notes(before, after)), fewer
    )


def _why_not(old: CaseRecord | None, new: CaseRecord | None, before: Results, after: Results) -> str:
    """Why the case cannot be compared; empty where it can be, and where both runs have no verdict on it."""
    if old is None or new is None:
        missing, name = (before, "the first run") if old is None else (after, "the second run")
        if missing.shard is not None and missing.shard.missing:
            return f"only shards {', '.join(map(str, missing.shard.has))} of {missing.shard.of} are in {name}"
        if missing.ended != "complete":
            return f"not in {name}: {ENDED[missing.ended]}"
        return f"not in {name}"
    if old.outcome in JUDGED and new.outcome in JUDGED:
        return ""
    if old.outcome not in JUDGED and new.outcome not in JUDGED:
        return ""
    case, name = (new, "the second run") if old.outcome in JUDGED else (old, "the first run")
    reason = case.reason.partition("\n")[0]
    return f"{case.outcome.replace('-', ' ')} in {name}" + (f": {reason}" if reason else "")


def _compared(old: CaseRecord, new: CaseRecord) -> Iterator[FindingChange | NotComparable | None]:
    """What became of each finding of one case; None for one that is the same."""
    earlier, later = _findings(old), _findings(new)
    ended_before = any(finding.ends_case for finding in earlier.values())
    hiding = next((finding.id for id, finding in later.items() if finding.ends_case and id not in earlier), "")
    for id in dict.fromkeys((*earlier, *later)):
        first, second = earlier.get(id), later.get(id)
        name = f"{new.id}#{id}"
        if second is None and hiding:
            yield NotComparable(name, f"the second run ended the case early, by {hiding}")
        elif second is None and first is not None and first.is_flaky:
            yield NotComparable(name, "it comes and goes, and the second run does not have it")
        elif first is None and second is not None and second.is_flaky and second.state == "known":
            yield NotComparable(name, "it comes and goes, and the first run does not have it")
        elif second is None and first is not None:
            yield FindingChange(
                "fixed", name, first.cause, before=_text(first), case=new.id, id=id, detail=first.detail
            )
        elif second is not None and first is None:
            known = second.state == "known"
            after = _text(second)
            yield FindingChange(
                "new",
                name,
                second.cause,
                "",
                after,
                known,
                ended_before,
                new.rerun,
                new.id,
                id,
                second.detail,
                second.is_flaky,
            )
        elif first is not None and second is not None:
            texts = _text(first), _text(second)
            is_known = second.state == "known"
            change = FindingChange(
                "changed", name, second.cause, *texts, is_known, False, new.rerun, new.id, id, second.detail
            )
            yield change if texts[0] != texts[1] else None


def _findings(case: CaseRecord) -> dict[str, FindingResult]:
    return {finding.id: finding for finding in case.findings if finding.state in OCCURRED}


def _text(finding: FindingResult) -> str:
    """What was found, and how much it counts. The reason that the baseline gives may be written anew at any time."""
    said = [text for text in (finding.at, finding.refused, finding.got) if text]
    weight = {"advice": finding.level == "should", "known": finding.state == "known"}
    return "; ".join([*said, *(word for word, holds in weight.items() if holds)])


def _notes(before: Results, after: Results) -> Iterator[str]:
    for what in ("suite", "environment", "agent", "options"):
        old, new = asdict(getattr(before, what)), asdict(getattr(after, what))
        for name, was in old.items():
            if was != new[name]:
                yield f"{what}: {name} was {_shown(was)}, is {_shown(new[name])}"
    for name, run in (("first", before), ("second", after)):
        if run.ended != "complete":
            yield f"the {name} run is not complete: {ENDED[run.ended]}"


def _shown(value: object) -> str:
    return (", ".join(map(str, value)) if isinstance(value, tuple) else str(value)) or "none"


SHOWN = 40
"""Causes of each kind, and cases that cannot be compared, that are listed."""


def as_text(before: Results, after: Results, found: Comparison) -> Iterator[str]:
    yield f"first   {_run(before)}"
    yield f"second  {_run(after)}"
    yield from (f"  {shown(note)}" for note in found.notes)
    yield headline(found)
    for title, changes in _kinds(found):
        groups = _by_cause(changes)
        for change, others in groups[:SHOWN]:
            yield f"{title:<8} {shown(change.finding)}{_remarks(change)}{_and_others(others)}"
            yield from (f"  {label:<7} {shown(text)}" for label, text in _texts(change))
        count = len(groups)
        yield from ([f"... and {count - SHOWN} more"] if count > SHOWN else [])
    for why, ids in _gaps(found)[:SHOWN]:
        yield f"not comparable, {shown(why)}: {shown(ids[0])}" + (f" and {len(ids) - 1} more" if len(ids) > 1 else "")


def as_markdown(before: Results, after: Results, found: Comparison) -> str:
    """At most 60 kB; what is left out is counted."""
    text = BoundedText(MOST_BYTES)
    text.add(f"## agent conformance: {headline(found)}", "")
    text.add(f"- first: {_coded_run(before)}", f"- second: {_coded_run(after)}")
    text.add_some([f"- {code(note)}" for note in found.notes], most=SHOWN, keep=2_000)
    for title, changes in _kinds(found):
        rows = [f"{_row(change)}{_and_others(others)}" for change, others in _by_cause(changes)]
        if rows and text.add("", f"### {title.capitalize()}", ""):
            left = text.add_some(rows, most=SHOWN, keep=2_000)
            text.add(*([f"- ... and {left} more"] if left else []))
    gaps = [
        f"- {code(why)}: {code(ids[0])}" + (f" and {len(ids) - 1} more" if len(ids) > 1 else "")
        for why, ids in _gaps(found)
    ]
    if gaps and text.add("", "### Not comparable", ""):
        left = text.add_some(gaps, most=SHOWN, keep=500)
        text.add(*([f"- ... and {left} more"] if left else []))
    return text.text


def as_json(found: Comparison) -> str:
    return json.dumps({**asdict(found), "has_new": found.has_new}, indent=1, ensure_ascii=False)


def headline(found: Comparison) -> str:
    """`2 new, 1 fixed, 0 changed, 3 not comparable; 7 as before, in 40 cases`."""
    counts = [f"{len(changes)} {title}" for title, changes in _kinds(found)]
    gaps = f"{len(found.not_comparable)} not comparable"
    if found.no_longer_judged:
        gaps = f"{found.no_longer_judged} no longer judged, {gaps}"
    return f"{', '.join([*counts, gaps])}; {found.same} as before, in {found.compared} cases"


def _kinds(found: Comparison) -> tuple[tuple[str, tuple[FindingChange, ...]], ...]:
    return (("new", found.new), ("fixed", found.fixed), ("changed", found.changed))


def _by_cause(changes: Sequence[FindingChange]) -> list[tuple[FindingChange, int]]:
    """The first of each cause, with the number of others, in their order."""
    grouped: dict[Root, list[FindingChange]] = {}
    for change in changes:
        grouped.setdefault(root_of(change.cause, change.detail), []).append(change)
    return [(group[0], len(group) - 1) for group in grouped.values()]


def _and_others(count: int) -> str:
    return f"   and {count} more of this cause" if count else ""


def _run(results: Results) -> str:
    return shown(
        f"{results.agent.name}, agent-conformance {results.suite.version}, {results.started}: {counted(results)}"
    )


def _coded_run(results: Results) -> str:
    return f"{code(results.agent.name)}, {code(results.started or 'at an unknown time')}: {counted(results)}"


def _remarks(change: FindingChange) -> str:
    remarks = ["known in the baseline"] if change.is_known and change.kind == "new" else []
    if change.after_early_end:
        remarks.append("the first run had ended this case early")
    if change.is_flaky:
        remarks.append("in 1 of 2 runs")
    return f"   ({', '.join(remarks)})" if remarks else ""


def _texts(change: FindingChange) -> Iterator[tuple[str, str]]:
    if change.kind != "new":
        yield "was", change.before
    if change.kind != "fixed":
        yield "is", change.after
        yield "rerun", change.rerun


def _row(change: FindingChange) -> str:
    said = ", ".join(f"{label} {code(text)}" for label, text in _texts(change) if label != "rerun")
    return f"- {code(change.finding)}{_remarks(change)}: {said}"


def _gaps(found: Comparison) -> list[tuple[str, list[str]]]:
    """What cannot be compared, by the reason, the most frequent first."""
    grouped: dict[str, list[str]] = {}
    for gap in found.not_comparable:
        grouped.setdefault(gap.why, []).append(gap.id)
    return sorted(grouped.items(), key=lambda item: (-len(item[1]), item[0]))
