"""The end of a run on the terminal: counts, findings by cause, what was not verified, the next command to type. The
texts are printable already.
"""

import shlex
from collections import Counter
from collections.abc import Iterable, Iterator

from msgspec import Struct

from agent_conformance.baseline.baseline import Notes
from agent_conformance.baseline.case_report import FindingState
from agent_conformance.baseline.run_record import RunRecord
from agent_conformance.baseline.written_files import WrittenFiles
from agent_conformance.scenario.cases import FOREIGN_TOOLS

SHOWN = 20
SMOKE = 20
"""The number of cases of the profile `smoke`."""
HOW_TO_HAVE = {
    "open-models": ": calls and thoughts as text, as servers of open models send them (--agent-open-models plays them)",
    FOREIGN_TOOLS: ": names and schemas that a provider refuses (without `fixed-tools` they run)",
}
"""What is said about a feature that an agent need not have been written for."""
OF_ANOTHER_WIRE = "wire "
"""What the name of something missing begins with that the agent never claimed."""
LONG_RUN = 120
"""Seconds from which on a run says at its start how long it will take."""


class SummaryContext(Struct, frozen=True):
    """What the summary cannot see in the run record: paths as the user would type them, and ready commands.

    `record_command` is empty where snapshots cannot be written. `next_command` runs the first case of the first
    cause, `freeze_command` is empty where there is a baseline.
    """

    baseline: str
    snapshots: str
    written: WrittenFiles
    record_command: str
    next_command: str
    freeze_command: str
    accept_command: str = ""
    """Writes the baseline and the snapshots anew; empty where one of the two is not there."""
    tolerated: tuple[str, ...] = ()
    """The rules that this run tolerates."""
    notes: Notes = ()
    """What there is to say of the baseline, besides findings."""
    version: str = ""
    """The version of the corpus that was chosen."""
    in_full: bool = False
    """Whether a run that is green lists its advice and its known findings too."""


class SummaryRow(Struct, frozen=True):
    """A row of a section: `rest` stands beside `head`, in a column after so many characters, or below it."""

    head: str
    rest: str = ""
    column: int = 0


class Section(Struct, frozen=True):
    """What is listed below a title. `failed`: it made the run fail."""

    title: str
    rows: tuple[SummaryRow, ...]
    failed: bool = False


class Command(Struct, frozen=True):
    """What to type next, and why."""

    why: str
    command: str


SummaryPart = str | Section | Command
"""A part of the summary; a line that stands alone is a plain text."""


def summary_parts(run: RunRecord, context: SummaryContext) -> Iterator[SummaryPart]:
    """The counts first. What matters most stands last: a terminal shows the end."""
    yield _counts(run)
    yield from _changes(run)
    yield from _flaky(run)
    if run.removed:
        yield f"removed: {_cases(run.removed)} {_were(run.removed)} removed by a plugin or a conftest"
    if run.not_run and not run.was_stopped:
        yield f"not run: {_cases(run.not_run)} {_were(run.not_run)} skipped or passed over by a plugin or a conftest"
    if run.in_part:
        yield f"in part: {run.in_part} when the baseline was written"
    yield from _section("no scenarios, left out: files without a field of a scenario", sorted(run.foreign))
    yield from _section("not verified", _not_verified(run))
    yield from _section(
        "other hosts the agent looked for", (f"{host} · {_cases(n)}" for host, n in run.foreign_hosts())
    )
    yield from _section(
        "programs that the agent left running, ended by the suite",
        (f"{program} · {_cases(n)}" for program, n in run.left_running()),
    )
    # How many cases do not count, and why; then what was found by what the version does not have.
    reasons = Counter(report.reason for report in run.with_outcome("not-scored"))
    yield from _section(
        f"not scored, later than {context.version}",
        [*(f"{reason} · {_cases(n)}" for reason, n in sorted(reasons.items())), *_by_cause(run, "later")],
    )
    unexplained = sum(report.unexplained for report in run.reports.values())
    is_quiet = not context.in_full and not (run.has_errors or run.fewer or run.count("fail", "stale"))
    if is_quiet:
        yield from _in_a_line(run, "advice", "advice", "--agent-level=should shows and fails it")
        why = f"{unexplained} not yet explained in {context.baseline}; " if unexplained else ""
        yield from _in_a_line(run, "known", "known findings", f"{why}-v lists them")
    else:
        yield from _section("advice, not failed (--agent-level=should shows and fails it)", _by_cause(run, "advice"))
        yield from _section("known findings", _by_cause(run, "known"))
    for title, rows in context.notes:
        yield from _section(title, rows)
    yield from _snapshots(run, context)
    yield from _baseline(context, 0 if is_quiet else unexplained)
    yield from _section("not written, and as it was before", context.written.problems)
    yield from _section("could not be undone at the end of the run", run.not_undone)
    yield from _section(
        "stale in the baseline: delete the lines that the failure shows",
        [finding for report in run.cases for finding in report.stale],
    )
    yield from _section(
        "known, and in 1 of 2 runs: add `flaky: true` and `until` to their entries",
        [finding for report in run.cases for finding in report.unsteady],
    )
    yield from _section("errors (not the agent)", _errors(run), failed=True)
    title = "no longer judged, since the baseline was written (--agent-accept-fewer accepts it once)"
    yield from _section(title, run.fewer.words, failed=True)
    if not is_quiet:
        yield from _section("ended early, so that nothing after it was judged", _early_ends(run, context))
    yield from _section("findings by cause", _by_cause(run, "new"), failed=True)
    yield from _commands(run, context)


def _commands(run: RunRecord, context: SummaryContext) -> Iterator[SummaryPart]:
    """What to type now, if there is anything new."""
    if context.next_command:
        yield Command("next", context.next_command)
    # That of the first cause, in the case that `next` runs; a snapshot explains itself.
    first = run.first_new
    new = [finding for finding in first.findings if finding.state == "new"] if first else []
    if finding := next((finding.id for finding in new if finding.kind != "snapshot"), ""):
        yield Command("explain", f"agent-conformance explain {shlex.quote(finding)}")
    if context.accept_command and any(finding.kind == "snapshot" for _, finding in run.new_findings):
        yield Command("or, to accept what changed in the baseline and the snapshots", context.accept_command)
    if context.freeze_command and run.count("fail"):
        yield Command("or, to accept today's findings and fail on new ones only", context.freeze_command)


def _not_verified(run: RunRecord) -> Iterator[str]:
    """Wires that the agent does not declare are counted in the first line alone, unless nothing else is to be said."""
    for why, count in run.unverified():
        if not (run.judged and why.startswith(OF_ANOTHER_WIRE)):
            yield f"{why} · {_cases(count)}{HOW_TO_HAVE.get(why, '')}"


def _in_a_line(run: RunRecord, state: FindingState, name: str, how: str) -> Iterator[str]:
    causes = run.causes(state)
    if causes:
        cases = {case for cause in causes for case in cause.cases}
        yield f"{name}: {len(causes)} cause{'s' * (len(causes) > 1)} in {_cases(len(cases))}; {how}"


def duration_notice(cases: int, seconds: float) -> list[str]:
    """How long a run takes whose agent needs `seconds` to start for each case, if that is long."""
    if cases * seconds < LONG_RUN or cases <= SMOKE:
        return []
    return [f"{_cases(cases)}, about {cases * seconds / 60:.0f} minutes; --agent-profile=smoke runs twenty"]


def _counts(run: RunRecord) -> str:
    unverified = [report.missing for report in run.with_outcome("not-verified")] if run.judged else []
    others = sum(bool(names) and all(name.startswith(OF_ANOTHER_WIRE) for name in names) for names in unverified)
    parts = [
        f"{run.count('pass')} passed",
        *_some(run.count("fail"), "failed"),
        *_some(run.count("stale"), "stale"),
        *_some(run.count("known"), "known"),
        *_some(run.count("error"), "error" if run.count("error") == 1 else "errors"),
        *_some(run.count("not-verified") - others, "not verified"),
        *_some(others, "on other wires"),
        *_some(run.count("not-scored"), "not scored"),
        *_some(len(run.broken), "broken scenario file" if len(run.broken) == 1 else "broken scenario files"),
    ]
    nothing = "" if run.judged else ": nothing was judged"
    ran = f"{len(run.reports)} of {_cases(run.selected)}" if run.not_run else _cases(len(run.reports))
    return f"{ran}: {', '.join(parts)}{nothing}"


def _changes(run: RunRecord) -> Iterator[str]:
    """In a line, what is otherwise than the baseline has it."""
    fixed = sum(len(report.stale) for report in run.reports.values())
    new = sum(1 for _ in run.new_findings)
    if not (fixed or run.fewer):
        return
    counts = [*_some(fixed, "fixed"), *_some(new, "new")]
    if run.fewer:
        counts.append(f"{run.fewer.cases} no longer judged" if run.fewer.cases else "fewer judged")
    yield f"since the baseline: {', '.join(counts)}"


def _flaky(run: RunRecord) -> Iterator[str]:
    """In a line, what comes and goes."""
    new, known, away = len(run.flaky("new")), len(run.flaky("known")), sum(len(case.away) for case in run.cases)
    unsteady = sum(len(case.unsteady) for case in run.cases)
    counts = [*_some(new, "new in 1 of 2 runs"), *_some(unsteady, "known in 1 of 2 runs")]
    counts += [*_some(known, "known as flaky"), *_some(away, "known as flaky stayed away")]
    if counts:
        yield f"flaky findings: {', '.join(counts)}"


def _by_cause(run: RunRecord, state: FindingState) -> list[SummaryRow]:
    rows = []
    for cause in run.causes(state):
        some = f"{cause.flaky} of them " if cause.flaky < len(cause.cases) else ""
        flaky = f", {some}in 1 of 2 runs" if cause.flaky else ""
        rows.append((f"{cause.label} · {_cases(len(cause.cases))}{flaky}", cause.cases[0]))
    return _aligned(rows)


def _early_ends(run: RunRecord, context: SummaryContext) -> list[SummaryRow]:
    """Where a rule refused a request, the option that has the fakes accept it."""
    rows = []
    for cause in run.early_ends():
        can_be_tolerated = cause.rule and cause.rule not in context.tolerated
        option = f"--agent-tolerate={cause.rule} judges the rest" if can_be_tolerated else ""
        rows.append((f"{cause.label} · {_cases(len(cause.cases))}", option))
    return _aligned(rows)


def _aligned(rows: Iterable[tuple[str, str]]) -> list[SummaryRow]:
    rows = list(rows)
    width = max((len(head) for head, _ in rows), default=0)
    return [SummaryRow(head, rest, width) for head, rest in rows]


def _errors(run: RunRecord) -> list[str | SummaryRow]:
    rows: dict[str, list[str]] = {}
    for report in run.with_outcome("error"):
        rows.setdefault(report.why[:200], []).append(report.case)
    return [
        *(SummaryRow(f"{why} · {_cases(len(cases))}", cases[0]) for why, cases in rows.items()),
        *run.stray_exits,
        *run.failures,
        *([run.gave_up] if run.gave_up else ()),
    ]


def _snapshots(run: RunRecord, context: SummaryContext) -> Iterator[SummaryPart]:
    if context.written.snapshot_files is not None:
        yield f"snapshots: {_files(context.written.snapshot_files)} written in {context.snapshots}"
        return
    counts = [
        *_some(len(run.snapshots("new")), "new"),
        *_some(len(run.snapshots("re-record")), "to re-record, their scenarios changed"),
        *_some(len(run.snapshots("earlier")), "to re-record, their files have an earlier format"),
    ]
    if counts and context.record_command:
        yield f"snapshots: {', '.join(counts)}; record: {context.record_command}"
    unused = run.unused_snapshots()
    yield from _section(f"unused snapshots in {context.snapshots}", unused)


def _baseline(context: SummaryContext, unexplained: int) -> Iterator[str]:
    if context.written.entries is not None:
        before, now = context.written.entries
        yield f"baseline: {context.baseline} written, {before} entries before, {now} now"
    if unexplained:
        findings = "1 known finding is" if unexplained == 1 else f"{unexplained} known findings are"
        yield f"baseline: {findings} not yet explained; say why in {context.baseline}"


def _section(title: str, rows: Iterable[str | SummaryRow], *, failed: bool = False) -> Iterator[Section]:
    found = [SummaryRow(row) if isinstance(row, str) else row for row in rows]
    more = [SummaryRow(f"... and {len(found) - SHOWN} more")] if len(found) > SHOWN else []
    if found:
        yield Section(title, (*found[:SHOWN], *more), failed)


def _some(count: int, word: str) -> list[str]:
    return [f"{count} {word}"] if count else []


def _cases(count: int) -> str:
    return "1 case" if count == 1 else f"{count} cases"


def _were(count: int) -> str:
    return "was" if count == 1 else "were"


def _files(count: int) -> str:
    return "1 file" if count == 1 else f"{count} files"
