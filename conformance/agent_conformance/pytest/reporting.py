"""The hooks through which cases are reported: from the process that ran them to the one that prints, and to JUnit.

What an agent has printed is also bounded and made printable.

Tests of others stay as they are.
"""

import contextlib
import itertools
import warnings
from collections.abc import Callable, Generator, Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from agent_conformance.baseline.case_report import JUDGED, BrokenFile, CaseReport
from agent_conformance.baseline.comparison import CaseResult, case_report
from agent_conformance.baseline.run_record import RunRecord
from agent_conformance.pytest.collection import FailureText, ScenarioNode, relocated
from agent_conformance.pytest.items import ITEM_CONTEXT, CaseItem
from agent_conformance.pytest.options import verbosity
from agent_conformance.pytest.terminal_text import bounded_sections, sections_in_brief
from agent_conformance.scenario.yaml_files import shown_path
from agent_conformance.transcripts.redaction import SECRETS, redacted, redacted_tree
from agent_conformance.transcripts.shown_texts import shown
from fake_providers.wire_neutral_lines import printable_output

CASE_REPORT, CASE_LINE, BROKEN_FILE = "agent_case_report", "agent_case_line", "agent_broken_file"
"""Attributes of pytest's reports that carry ours, as JSON, from a worker to the process that prints."""
BOUNDS = "agent_bounds_of_secrets"
"""The key under which a worker of xdist says which bounds of the search for secrets it has met."""
MOST_IN_VAIN = 20
"""So many cases that end in an error of the set-up, and none with a verdict, end a run: each may take as long as an
agent may be silent, and all say the same."""
IN_VAIN = (
    f"the first {MOST_IN_VAIN} cases have no verdict, so the others were not run. Mend what they say; "
    "`agent-conformance doctor` tries the adapter in seconds"
)
MOST_WARNINGS = 100
"""Of one test: an agent that is left behind may warn without end."""


def _ignore(*arguments: object, **options: object) -> None: ...


class ReportingPlugin:
    """Fills the run record. `lines` is called with the record of each case where `--agent-report` asks for them."""

    def __init__(self, record: RunRecord) -> None:
        self._record = record
        self._in_vain: int | None = 0
        """Cases that ended in an error of the set-up; None once one has a verdict, and where other tests run too."""

        self.lines: Callable[[str], None] | None = None

    @pytest.hookimpl(tryfirst=True)
    def pytest_configure(self, config: pytest.Config) -> None:
        self._config = config

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionstart(self, session: pytest.Session) -> None:
        self._session = session

    def pytest_report_collectionfinish(self, items: list[pytest.Item]) -> None:
        self._note_others(item.nodeid for item in items)

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, ids: list[str]) -> None:
        self._note_others(ids)

    def _note_others(self, ids: Iterable[str]) -> None:
        if any("::" in id for id in ids):
            self._in_vain = None

    @pytest.hookimpl(wrapper=True)
    def pytest_make_collect_report(
        self, collector: pytest.Collector
    ) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
        report = yield
        if isinstance(collector, ScenarioNode) and report.failed:
            broken = BrokenFile(str(collector.scenario.path), str(report.longrepr).split("\n", 1)[0])
            vars(report)[BROKEN_FILE] = broken.to_json()
        return report

    @pytest.hookimpl(tryfirst=True)
    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        text = getattr(report, BROKEN_FILE, None)
        if text:
            broken = BrokenFile.from_json(text)
            self._record.broken.add(broken)
            report.longrepr = relocated(report.longrepr, broken.headline, shown_path(Path(broken.path)))

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        report = yield
        if isinstance(item, CaseItem) and call.when == "call" and item.result is not None:
            context = item.config.stash[ITEM_CONTEXT]
            about = case_report(item.case, item.result, context.comparer)
            if isinstance(report.longrepr, FailureText):
                rows = redacted_tree(tuple(report.longrepr.rows)) if hasattr(item.config, "workerinput") else ()
                headline = report.longrepr.reprcrash.message
                about = replace(about, headline=headline, rerun=item.rerun(), failure=rows)
            vars(report)[CASE_REPORT] = about.to_json()
            if is_wanted(item.config):
                item.user_properties += properties(item, item.result)  # read from the report of the teardown
            if context.recorder is not None:
                line = context.recorder.line(item.case, item.result, seconds=item.seconds, rerun=item.rerun())
                vars(report)[CASE_LINE] = line
        return report

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        text = getattr(report, CASE_REPORT, None)
        if text is None:
            return
        about = CaseReport.from_json(text)
        self._record.add(replace(about, failure=()))
        report.longrepr = relocated(report.longrepr, about.headline, report.location[0], about.failure)
        if is_wanted(self._config):
            name_in_junit(self._config, report, about)
        if self.lines is not None and hasattr(report, CASE_LINE):
            self.lines(vars(report).pop(CASE_LINE))  # the terminal keeps every report until the end
        if not hasattr(self._config, "workerinput"):
            self._count_in_vain(about)

    def _count_in_vain(self, about: CaseReport) -> None:
        if self._in_vain is None or about.outcome in JUDGED:
            self._in_vain = None
            return
        self._in_vain += about.outcome == "error"
        if about.outcome == "error" and self._in_vain == MOST_IN_VAIN:
            self._record.gave_up = IN_VAIN
            distributed = self._config.pluginmanager.getplugin("dsession")
            for session in filter(None, (self._session, distributed)):
                session.shouldstop = IN_VAIN


Property = tuple[str, object]


def is_wanted(config: pytest.Config) -> bool:
    return bool(config.getoption("xmlpath", None))


def name_in_junit(config: pytest.Config, report: pytest.TestReport, about: CaseReport) -> None:
    """`history.x` and `gemini-generate+stream`: pytest would make one long name of an id without `::`."""
    from _pytest.junitxml import xml_key

    xml = config.stash.get(xml_key, None)
    if xml is not None:
        reporter = xml.node_reporter(report)
        reporter.add_attribute("classname", about.scenario.replace("/", "."))
        reporter.add_attribute("name", about.case.removeprefix(about.scenario).removeprefix("@"))


def properties(item: CaseItem, result: CaseResult) -> Iterator[Property]:
    """The properties of the case, then those of each finding in turn, beginning with its id."""
    case = item.case
    yield "outcome", result.outcome
    yield "wire", case.wire
    yield "provider", case.provider
    yield "mode", case.mode
    yield "profile", case.scenario.profile
    if case.scenario.source:
        yield "source", shown(case.scenario.source)
    for state, finding in result.findings:
        subject = finding.subject
        yield "finding", shown(finding.id)
        yield "state", state
        yield "level", finding.level
        if subject.law:
            yield "law", subject.law
        if subject.rule:
            yield "rule", shown(subject.rule)


class Redacting:
    """Its wrappers are the outermost: what others add to a report is redacted too."""

    def pytest_configure(self, config: pytest.Config) -> None:
        self._in_brief = verbosity(config) < 1

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """After JUnit, which has everything, and before the terminal prints the failures."""
        if self._in_brief and hasattr(report, CASE_REPORT):
            report.sections = sections_in_brief(report.sections)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_makereport(self, item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        report = yield
        if isinstance(item, CaseItem):
            redact_report(report)
            report.sections = bounded_sections(report.sections, item.removed_output)
        return report

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_make_collect_report(
        self, collector: pytest.Collector
    ) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
        report = yield
        if isinstance(collector, ScenarioNode):
            redact_report(report)
        return report

    @pytest.hookimpl(wrapper=True)
    def pytest_collection(self) -> Generator[None, object, object]:
        """What cannot be used names a path, as it was typed or as a program listed it."""
        try:
            return (yield)
        except pytest.UsageError as error:
            raise pytest.UsageError(*(shown(redacted(str(line))) for line in error.args)) from None

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if hasattr(session.config, "workerinput"):
            vars(session.config)["workeroutput"][BOUNDS] = [*SECRETS.bounds]

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any, error: object) -> None:
        for bound in getattr(node, "workeroutput", {}).get(BOUNDS, ()):
            SECRETS.note(bound)

    # Within the wrappers in which pytest records warnings.

    @pytest.hookimpl(wrapper=True, trylast=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        with warnings_bounded(item.config, item.nodeid):
            return (yield)

    @pytest.hookimpl(wrapper=True, trylast=True, specname="pytest_sessionfinish")
    def pytest_bound_at_the_end(self, session: pytest.Session) -> Generator[None, object, object]:
        with warnings_bounded(session.config, "the end of the run"):
            return (yield)

    @pytest.hookimpl(wrapper=True, trylast=True)
    def pytest_terminal_summary(self, config: pytest.Config) -> Generator[None, object, object]:
        with warnings_bounded(config, "the summary"):
            return (yield)

    @pytest.hookimpl(tryfirst=True)
    def pytest_warning_recorded(self, warning_message: warnings.WarningMessage) -> None:
        """The text of a warning is computed once more when it is shown: a text takes its place."""
        try:
            text = str(warning_message.message)
        except Exception:
            return
        if (shown := printable_output(redacted(text))) != text:
            warning_message.message = shown


@contextlib.contextmanager
def warnings_bounded(config: pytest.Config, where: str) -> Iterator[None]:
    """So many are recorded, and then none: pytest reads its list while a thread that was left may still add to it."""
    shown, count, before = warnings.showwarning, itertools.count(1), [*_bounded]
    really_show = before[0] if shown is _show_some else shown
    _bounded[:] = [really_show, count]
    warnings.showwarning = _show_some
    try:
        yield
    finally:
        if (dropped := next(count) - 1 - MOST_WARNINGS) > 0:
            text = f"{where}: {dropped:,} more warnings came, and are not shown"
            really_show(RuntimeWarning(text), RuntimeWarning, __file__, 0)
        records = config.pluginmanager.has_plugin("warnings")  # it puts the function back
        warnings.showwarning = _ignore if records else shown
        if shown is _show_some:
            _bounded[:] = before


_bounded: list[Any] = []


def _show_some(*arguments: Any, **options: Any) -> None:
    """The same function in all cases: where a function is another, all that the process shares is looked through."""
    really_show, count = _bounded
    if next(count) <= MOST_WARNINGS:
        really_show(*arguments, **options)


def redact_report(report: Any) -> None:
    """Replace secrets in what a report shows; one of a phase that went well mostly shows nothing."""
    if report.sections:
        report.sections = [redacted_tree(section) for section in report.sections]
    if getattr(report, "user_properties", None):
        report.user_properties = [redacted_tree(pair) for pair in report.user_properties]
    if report.longrepr is not None:
        report.longrepr = _redacted_failure(report.longrepr)


def _redacted_failure(longrepr: Any) -> Any:
    """A failure of ours as the same object, redacted; one of pytest's own as its text, where that has a secret."""
    if isinstance(longrepr, str | tuple):
        return redacted_tree(longrepr)
    if isinstance(longrepr, FailureText):
        longrepr.rows = redacted_tree(longrepr.rows)
        longrepr.reprcrash = replace(longrepr.reprcrash, message=redacted(longrepr.reprcrash.message))
        return longrepr
    text = str(longrepr)
    shown = redacted(text)
    return longrepr if shown == text else shown
