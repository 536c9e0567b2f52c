"""One case as a test: it is run, compared, and reported to pytest as passed, failed, xfailed or skipped."""

import os
import time
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

import pytest
from msgspec import Struct

from agent_conformance.baseline.baseline import Baseline, Entry
from agent_conformance.baseline.case_report import (
    Row,
    error_rows,
    finding_rows,
    headline,
    labelled,
    text_of,
    trace_rows,
)
from agent_conformance.baseline.comparison import CaseResult, VerdictComparer
from agent_conformance.pytest.collection import FailureText, Headline
from agent_conformance.pytest.terminal_text import shorten_captured_files
from agent_conformance.scenario.cases import Case
from agent_conformance.transcripts.finding import Finding, Verdict
from agent_conformance.transcripts.shown_texts import shown

if TYPE_CHECKING:
    from agent_conformance.pytest.gathering import CaseRecorder

UNMARKED = frozenset({"skip", "skipif", "xfail", "usefixtures", "parametrize", "filterwarnings"})
"""Marks that mean something to pytest: an area of such a name gets no mark."""


class CaseFailed(Exception):
    """A case without a verdict; `rows` say all. Its traceback is for a debugger: it ends where the agent crashed."""

    def __init__(self, rows: Sequence[Row], headline: str) -> None:
        super().__init__(text_of(rows))
        self.rows = rows
        self.headline = headline


class AgentFailed(CaseFailed, AssertionError):
    """A case that is red. A test that raises anything but an `AssertionError` is broken, to Allure and its like."""


class ItemContext(Struct, frozen=True):
    """What an item needs: `run_case` gives a verdict, `comparer` its result, `rerun` the command for one case and,
    unless it is empty, one way of cutting its streamed text. `repeat` gives a second verdict on the last case, which
    is not asked for where the first took more than `longest_repeated` seconds.

    `crash_traceback` is that of the last case, where a debugger is wanted. `whole_traces`: all frames are shown.
    """

    run_case: Callable[[Case], Verdict]
    comparer: VerdictComparer
    baseline: Baseline
    rerun: Callable[[Case, str], str]
    crash_traceback: Callable[[], TracebackType | None] = lambda: None
    whole_traces: bool = False
    recorder: "CaseRecorder | None" = None
    """Where `--agent-report` asks for a record of each case."""
    repeat: Callable[[Case], Verdict | None] = lambda case: None
    longest_repeated: float = 0.0


ITEM_CONTEXT: pytest.StashKey[ItemContext] = pytest.StashKey()


class CaseItem(pytest.Item):
    """Its node id is the case id, so that a pasted id runs that case."""

    result: CaseResult | None = None
    removed_output: Mapping[str, int] = {}
    """Bytes that it printed, by stream, and that nobody reads."""
    seconds: float = 0.0
    """How long its first run took."""

    def __init__(self, *, case: Case, place: str, **kw: Any) -> None:
        super().__init__(**kw)
        self.case = case
        self.place = place
        marks = _marks(case.file.area, case.scenario.profile, case.wire, case.mode)
        self.own_markers += marks.values()  # as `add_marker` does with each
        self.keywords.update(marks)

    def reportinfo(self) -> tuple[Path, int | None, str]:
        return self.path, 0, self.name

    @property
    def location(self) -> tuple[str, int | None, str]:
        """pytest's own walks up the path of every item; here one name serves all cases of a file."""
        return self.place, 0, self.name

    def runtest(self) -> None:
        context = self.config.stash[ITEM_CONTEXT]
        start = time.monotonic()
        second: Verdict | None = None
        try:
            with _unnamed():
                verdict = context.run_case(self.case)
                self.seconds = time.monotonic() - start
                result = context.comparer.compare(self.case, verdict)
                if result.needs_second_run and self.seconds < context.longest_repeated:
                    second = context.repeat(self.case)
        except Exception as error:
            # An exception out of the harness: a defect of the suite, with all that its maintainers need
            trace = "".join(traceback.format_exception(error)).rstrip("\n")
            verdict = Verdict(
                self.case.id, "error", reason=f"the suite itself failed: {type(error).__name__}: {error}\n{trace}"
            )
            result = context.comparer.compare(self.case, verdict)
        self.removed_output = shorten_captured_files()
        self.result = result
        if second is not None:
            self.result = result.beside(context.comparer.compare(self.case, second))
        self._report(self.result, context)

    def rerun(self) -> str:
        """The command for this case, after it ran."""
        cut = cut_to_rerun(self.result) if self.result is not None else ""
        return self.config.stash[ITEM_CONTEXT].rerun(self.case, cut)

    def _report(self, result: CaseResult, context: ItemContext) -> None:
        known_may_fail = self.config.getoption("runxfail", False)
        match result.outcome:
            case "error":
                trace = trace_rows(result.verdict.trace, whole=context.whole_traces)
                rows = [*error_rows(result.verdict.reason, trace=trace), Row("rerun", context.rerun(self.case, ""))]
                raise CaseFailed(rows, rows[0].value).with_traceback(context.crash_traceback())
            case "not-verified":
                reason = shown(result.verdict.reason or f"needs {', '.join(sorted(self.case.missing))}")
                raise pytest.skip.Exception(f"not verified: {reason}", _use_item_location=True)
            case "not-scored":
                raise pytest.skip.Exception(f"not scored, {result.not_scored}", _use_item_location=True)
            case "known" if not known_may_fail:
                raise pytest.xfail.Exception(
                    "; ".join(
                        (shown(entry.reason) if entry else "written to the baseline") for _, entry in result.known
                    )
                )
            case "fail" | "stale" | "known":
                failed = AgentFailed(failure_rows(self.case, result, context), failure_headline(result))
                raise failed.with_traceback(context.crash_traceback())

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        if isinstance(excinfo.value, CaseFailed):
            return FailureText(excinfo.value.rows, Headline(excinfo.value.headline, self.place))
        if isinstance(excinfo.value, pytest.xfail.Exception):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)


@contextmanager
def _unnamed() -> Iterator[None]:
    """Take pytest's variable with the id of the case away, so that an agent does not find it in its environment."""
    name = os.environ.pop("PYTEST_CURRENT_TEST", None)
    try:
        yield
    finally:
        if name is not None:
            os.environ["PYTEST_CURRENT_TEST"] = name


@cache
def _marks(*names: str) -> dict[str, pytest.Mark]:
    """Marks for `-m`, by name: the area, the profile, the wire and the mode, as ids have them and with `_` for `-`.

    Cached: pytest looks each name up among the registered marks.
    """
    spelled = dict.fromkeys(spelling for name in names for spelling in (name, name.replace("-", "_")))
    marks = [name for name in spelled if name.replace("-", "_").isidentifier() and name not in UNMARKED]
    return {name: getattr(pytest.mark, name).mark for name in marks}


def failure_rows(case: Case, result: CaseResult, context: ItemContext) -> list[Row]:
    """Every finding that is not known, then in short the known ones, what is stale, and the command for this case."""
    expired = {entry.id: entry for entry in result.expired}
    rows: list[Row] = []
    for finding in result.new:
        notes = _expired(expired.get(finding.id), context)
        rows += finding_rows(case.id, finding, notes=notes, whole_trace=context.whole_traces)
    for finding, entry in result.known:
        rows += _known_rows(case, finding, entry, context)
    for entry in result.stale:
        rows += [
            Row(value=shown(entry.finding), is_heading=True),
            labelled("known", entry.explained),
            Row("got", "it did not occur any more"),
            Row("delete", context.baseline.place_of(entry), tuple(map(shown, context.baseline.text_of(entry)))),
        ]
    return [*rows, Row("rerun", context.rerun(case, cut_to_rerun(result)))]


def cut_to_rerun(result: CaseResult) -> str:
    """The one way of cutting streamed text that has all findings; none where the baseline has to see all ways."""
    cuts = {finding.cut for finding in result.new}
    return cuts.pop() if len(cuts) == 1 and not result.known and not result.stale else ""


def failure_headline(result: CaseResult) -> str:
    if result.new or result.known:
        return headline(result.new or [finding for finding, _ in result.known])
    return shown(f"known, but did not occur: {', '.join(f'#{entry.id}' for entry in result.stale)}")


def _expired(entry: Entry | None, context: ItemContext) -> list[Row]:
    if entry is None:
        return []
    return [labelled("expired", f"known until {entry.until}: {entry.about} ({context.baseline.place_of(entry)})")]


def _known_rows(case: Case, finding: Finding, entry: Entry | None, context: ItemContext) -> list[Row]:
    if entry is None:
        return finding_rows(case.id, finding, whole_trace=context.whole_traces)
    where = f" ({context.baseline.place_of(entry)})" if entry.first else ""
    heading = Row(value=shown(f"{case.id}#{finding.id}"), is_heading=True)
    return [heading, Row("known", f"{shown(entry.explained)}{where}")]
