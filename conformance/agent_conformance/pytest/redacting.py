"""What pytest itself shows of a case, without secrets: captured output, warnings, texts of failures. What an agent has
printed is also bounded and made printable.

Knows pytest's reports; which texts are secret is in `agent_conformance.record.redaction`. Tests of others stay as they
are.
"""

import warnings
from collections.abc import Generator
from typing import Any

import pytest

from agent_conformance.pytest.captured_output import bounded_sections
from agent_conformance.pytest.collection import FailureText, Headline, ScenarioNode
from agent_conformance.pytest.items import CaseItem
from agent_conformance.record.redaction import redacted, redacted_tree
from fake_providers.neutral_text import printable_output


class Redacting:
    """Its wrappers are the outermost: what others add to a report is redacted too."""

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

    @pytest.hookimpl(tryfirst=True)
    def pytest_warning_recorded(self, warning_message: warnings.WarningMessage) -> None:
        """The text of a warning is computed once more when it is shown: a text takes its place."""
        try:
            text = str(warning_message.message)
        except Exception:
            return
        if (shown := printable_output(redacted(text))) != text:
            warning_message.message = shown


def redact_report(report: Any) -> None:
    """Of a phase that went well there is mostly nothing."""
    if report.sections:
        report.sections = [redacted_tree(section) for section in report.sections]
    if getattr(report, "user_properties", None):
        report.user_properties = [redacted_tree(pair) for pair in report.user_properties]
    if report.longrepr is not None:
        report.longrepr = _redacted_failure(report.longrepr)


def _redacted_failure(longrepr: Any) -> Any:
    """Of ours the same object, whatever else it has; of pytest's own the text, where that has a secret."""
    if isinstance(longrepr, str | tuple):
        return redacted_tree(longrepr)
    if isinstance(longrepr, FailureText):
        longrepr.rows = redacted_tree(longrepr.rows)
        longrepr.reprcrash = Headline(redacted(longrepr.reprcrash.message))
        return longrepr
    text = str(longrepr)
    shown = redacted(text)
    return longrepr if shown == text else shown
