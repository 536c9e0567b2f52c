"""The hooks through which cases are reported: from the process that ran them to the one that prints, and to JUnit."""

from collections.abc import Callable, Generator
from dataclasses import replace

import pytest

from agent_conformance.pytest import junit
from agent_conformance.pytest.collection import FailureText, ScenarioNode, relocated
from agent_conformance.pytest.items import ITEM_CONTEXT, CaseItem
from agent_conformance.record.redaction import redacted_tree
from agent_conformance.report.case_report import BrokenFile, CaseReport
from agent_conformance.report.comparison import case_report
from agent_conformance.report.run_record import RunRecord

CASE_REPORT, CASE_LINE, BROKEN_FILE = "agent_case_report", "agent_case_line", "agent_broken_file"
"""Attributes of pytest's reports that carry ours, as JSON, from a worker to the process that prints."""


class ReportingPlugin:
    """Fills the run record. `lines` is called with the record of each case where `--agent-report` asks for them."""

    def __init__(self, record: RunRecord) -> None:
        self._record = record
        self.lines: Callable[[str], None] | None = None

    @pytest.hookimpl(tryfirst=True)
    def pytest_configure(self, config: pytest.Config) -> None:
        self._config = config

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
            report.longrepr = relocated(report.longrepr, broken.headline)

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
            if junit.is_wanted(item.config):
                item.user_properties += junit.properties(item, item.result)  # read from the report of the teardown
            if context.recorder is not None:
                line = context.recorder.line(item.case, item.result, seconds=call.duration, rerun=item.rerun())
                vars(report)[CASE_LINE] = line
        return report

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        text = getattr(report, CASE_REPORT, None)
        if text is None:
            return
        about = CaseReport.from_json(text)
        self._record.add(replace(about, failure=()))
        report.longrepr = relocated(report.longrepr, about.headline, about.failure)
        if junit.is_wanted(self._config):
            junit.name_in_junit(self._config, report, about)
        if self.lines is not None and hasattr(report, CASE_LINE):
            self.lines(vars(report).pop(CASE_LINE))  # the terminal keeps every report until the end
