"""One case as a test: it is run, graded, and told to pytest as passed, failed, xfailed or skipped. Knows how findings
read on a terminal through `printing`; decides nothing about them.
"""

import traceback
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from conformance.pytest.collection import Located
from conformance.record.finding import Finding, Verdict
from conformance.report.baseline import Baseline, Entry
from conformance.report.comparison import Grader, MutantResult
from conformance.report.printing import error_block, finding_block, headline, shown
from conformance.scenario.cases import Case

UNMARKED = frozenset({"skip", "skipif", "xfail", "usefixtures", "parametrize", "filterwarnings"})
"""Marks that mean something to pytest: a scenario folder of such a name gets no mark."""


class CaseFailed(Exception):
    """A case that is red; the text is complete, no traceback adds to it."""

    def __init__(self, text: str, headline: str) -> None:
        super().__init__(text)
        self.text = text
        self.headline = headline


@dataclass(frozen=True, slots=True)
class ItemContext:
    """What an item needs: `perform` runs a case, `grader` reads the verdict, `rerun` is the command for one case."""

    perform: Callable[[Case], Verdict]
    grader: Grader
    baseline: Baseline
    rerun: Callable[[Case], str]


BENCH: pytest.StashKey[ItemContext] = pytest.StashKey()


class CaseItem(pytest.Item):
    """Its node id is the case id, so that a pasted id runs that case."""

    grade: MutantResult | None = None

    def __init__(self, *, case: Case, place: str, **kw: Any) -> None:
        super().__init__(**kw)
        self.case = case
        self.place = place
        for name in marks_of(case):
            self.add_marker(_mark(name))

    def reportinfo(self) -> tuple[Path, int | None, str]:
        return self.path, 0, self.name

    @property
    def location(self) -> tuple[str, int | None, str]:
        """pytest's own walks up the path of every item; here one name serves all cases of a file."""
        return self.place, 0, self.name

    def runtest(self) -> None:
        bench = self.config.stash[BENCH]
        try:
            verdict = bench.perform(self.case)
        except Exception as error:
            verdict = Verdict(self.case.id, "error", reason=_crashed(error))
        self.grade = bench.grader.grade(self.case, verdict)
        self._tell(self.grade, bench)

    def _tell(self, grade: MutantResult, bench: ItemContext) -> None:
        known_may_fail = self.config.getoption("runxfail", False)
        match grade.outcome:
            case "error":
                text = error_block(grade.verdict.reason, bench.rerun(self.case))
                raise CaseFailed(text, text.split("\n", 1)[0])
            case "not-verified":
                reason = shown(grade.verdict.reason or f"needs {', '.join(sorted(self.case.missing))}")
                raise pytest.skip.Exception(f"not verified: {reason}", _use_item_location=True)
            case "known" if not known_may_fail:
                raise pytest.xfail.Exception("; ".join(_known_as(entry) for _, entry in grade.known))
            case "fail" | "stale" | "known":
                raise CaseFailed(failure_text(self.case, grade, bench), failure_headline(grade))

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        if isinstance(excinfo.value, CaseFailed):
            return Located(excinfo.value.text.split("\n"), excinfo.value.headline)
        if isinstance(excinfo.value, pytest.xfail.Exception):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)


def marks_of(case: Case) -> list[str]:
    """Marks for `-m`: the area, the profile, the wire and the mode, with `_` where marks can have no `-`."""
    names = (case.file.area, case.scenario.profile, case.wire, case.mode)
    marks = dict.fromkeys(name.replace("-", "_") for name in names)
    return [name for name in marks if name.isidentifier() and name not in UNMARKED]


@cache
def _mark(name: str) -> pytest.MarkDecorator:
    """Made once: pytest looks each name up among the registered ones."""
    mark: pytest.MarkDecorator = getattr(pytest.mark, name)
    return mark


def failure_text(case: Case, grade: MutantResult, bench: ItemContext) -> str:
    """Every finding that is not known, then in short the known ones, what is stale, and the command for this case."""
    expired = {entry.id: entry for entry in grade.expired}
    blocks = [finding_block(case.id, finding, notes=_expired(expired.get(finding.id), bench)) for finding in grade.new]
    blocks += [_known_block(case, finding, entry, bench) for finding, entry in grade.known]
    blocks += [_stale_block(entry, bench.baseline) for entry in grade.stale]
    return "\n".join([*blocks, f"  {'rerun':<9} {bench.rerun(case)}"])


def failure_headline(grade: MutantResult) -> str:
    if grade.new or grade.known:
        return headline(grade.new or [finding for finding, _ in grade.known])
    return shown(f"known, but did not occur: {', '.join(f'#{entry.id}' for entry in grade.stale)}")


def _expired(entry: Entry | None, bench: ItemContext) -> list[tuple[str, str]]:
    if entry is None:
        return []
    return [("expired", f"known until {entry.until}: {entry.reason} ({bench.baseline.place_of(entry)})")]


def _known_block(case: Case, finding: Finding, entry: Entry | None, bench: ItemContext) -> str:
    if entry is None:
        return finding_block(case.id, finding)
    return f"{shown(f'{case.id}#{finding.id}')}\n  known     {shown(entry.reason)} ({bench.baseline.place_of(entry)})"


def _stale_block(entry: Entry, baseline: Baseline) -> str:
    lines = [
        shown(entry.finding),
        f"  known     {shown(entry.reason)}",
        "  got       it did not occur any more",
        f"  delete    {baseline.place_of(entry)}",
        *(f"    {shown(line)}" for line in baseline.text_of(entry)),
    ]
    return "\n".join(lines)


def _known_as(entry: Entry | None) -> str:
    return shown(entry.reason) if entry else "written to the baseline"


def _crashed(error: Exception) -> str:
    """An exception out of the harness: a defect of the suite, with all that its maintainers need."""
    trace = "".join(traceback.format_exception(error)).rstrip("\n")
    return f"the suite itself failed: {type(error).__name__}: {error}\n{trace}"
