"""What pytest's terminal reporter shows of our cases: failures grouped by cause, each in full once, the summary after
everything else, and counts as the progress of a long run. Other tests are printed as always.
"""

from collections.abc import Callable, Container, Generator, Iterable, Iterator, Sequence
from typing import Any

import pytest

from agent_conformance.baseline.case_report import FindingState, Row
from agent_conformance.baseline.run_record import RunRecord
from agent_conformance.baseline.summary import SummaryPart
from agent_conformance.pytest.collection import FailureText
from agent_conformance.pytest.items import CaseItem
from agent_conformance.pytest.terminal_text import write_summary
from agent_conformance.transcripts.redaction import redacted_tree

SHOWN = 8
"""Rows below a case, unless all are asked for."""

Groups = dict[str, dict[str, list[str]]]
"""By case that is shown in full: its causes, each with the other cases that have no cause of their own."""


def failure_groups(record: RunRecord, failed: Iterable[str]) -> Groups:
    """A case is shown in full if it is the first of one of its causes, or has none."""
    # Of the new findings; where all are known, of those; else the first line of an error. None of stale
    # entries.
    errors = {report.case: [report.why] for report in record.with_outcome("error")}
    stale = {report.case for report in record.with_outcome("stale")}
    known = {case: causes for case, causes in _of_state(record, "known").items() if case not in stale}
    causes = {**known, **_of_state(record, "new"), **errors}
    groups: Groups = {}
    first: dict[str, str] = {}
    # Those that the summary names
    named = {cause.cases[0] for cause in (*record.causes("new"), *record.causes("known"))}
    for case in sorted(set(failed), key=lambda case: (case not in named, case)):
        new = [cause for cause in causes.get(case, ()) if cause not in first]
        if new or case not in causes:
            groups[case] = {}
            first.update(dict.fromkeys(new, case))
        else:
            cause = causes[case][0]
            groups[first[cause]].setdefault(cause, []).append(case)
    return groups


def rest_rows(record: RunRecord, rest: dict[str, list[str]], *, every: bool) -> Iterator[Row]:
    """What stands below a case: for each cause, the other cases by id, or some of their scenarios with how many."""
    for cause, cases in rest.items():
        count = f"{len(cases)} more {'case' if len(cases) == 1 else 'cases'} of {cause}"
        yield Row("same", count, tuple(cases if every else _by_scenario(record, cases)))


def _of_state(record: RunRecord, state: FindingState) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for cause in record.causes(state):
        for case in cause.cases:
            found.setdefault(case, []).append(cause.label)
    return found


def _by_scenario(record: RunRecord, cases: Sequence[str]) -> Iterator[str]:
    """A scenario with one case by the case's id; either is an argument that pytest takes."""
    scenarios: dict[str, list[str]] = {}
    for case in cases:
        scenarios.setdefault(record.reports[case].scenario, []).append(case)
    rows = [found[0] if len(found) == 1 else f"{name} · {len(found)} cases" for name, found in scenarios.items()]
    shown = rows if len(rows) <= SHOWN + 1 else rows[:SHOWN]
    yield from shown
    if len(shown) < len(rows):
        left = sum(map(len, list(scenarios.values())[SHOWN:]))
        yield f"... and {left} cases of {len(rows) - SHOWN} more scenarios; -v lists all, -vv shows all"


LONG_RUN = 200
"""Cases from which on the progress is counts: `[ 312/2474]`."""
DEFAULT_CHARACTERS = "fE"
"""What pytest's short summary lists unless `-r` asks for something else."""

Summary = Callable[[], tuple[str, list[SummaryPart]]]


class TerminalPlugin:
    """`summary` gives the heading and what stands below pytest's own short summary."""

    def __init__(self, record: RunRecord, summary: Summary) -> None:
        self._record = record
        self._summary = summary
        self.failed: list[Any] = []
        """All reports of failures, while those that are grouped are taken out."""

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        self._begin(session.config, sum(isinstance(item, CaseItem) for item in session.items))

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, node: Any, ids: list[str]) -> None:
        self._begin(node.config, sum("::" not in id for id in ids))

    def _begin(self, config: pytest.Config, cases: int) -> None:
        self._record.selected = max(self._record.selected, cases)
        show_counts(config, cases)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_terminal_summary(self, terminalreporter: Any, config: pytest.Config) -> Generator[None, None, None]:
        """Around the terminal reporter's own, which prints FAILURES first and the short summary after all others."""
        stats = terminalreporter.stats
        failed = stats.get("failed", [])
        ours = [report for report in failed if report.nodeid in self._record.reports]
        self.failed = failed
        texts = []
        if ours:
            # `--tb=line` and `--tb=no` are short already, and list every failure. `-vv` shows each in
            # full.
            ids = [report.nodeid for report in ours]
            each = config.option.tbstyle in ("line", "no") or config.option.verbose > 1
            groups = {id: {} for id in ids} if each else failure_groups(self._record, ids)
            stats["failed"] = [
                report for report in failed if report.nodeid not in self._record.reports or report.nodeid in groups
            ]
            texts = [(report, report.longrepr) for report in ours]
            self._add_rest(ours, groups, every=config.option.verbose > 0)
        try:
            return (yield)
        finally:
            for report, text in texts:
                report.longrepr = text
            if ours:
                stats["failed"] = failed
            self._write_summary(terminalreporter, config)

    def _add_rest(self, ours: list[Any], groups: Groups, *, every: bool) -> None:
        """Put the other cases of a cause below the one that is shown."""
        for report in ours:
            rest, text = groups.get(report.nodeid), report.longrepr
            if rest and isinstance(text, FailureText):
                rows = redacted_tree(list(rest_rows(self._record, rest, every=every)))
                report.longrepr = FailureText([*text.rows, *rows], text.reprcrash)

    def _write_summary(self, reporter: Any, config: pytest.Config) -> None:
        record = self._record
        has_something = record.reports or record.broken or record.foreign or record.removed
        if config.option.collectonly or not has_something:
            return
        heading, parts = self._summary()
        reporter.section(heading)
        write_summary(reporter._tw, parts, failed=record.has_errors or record.count("fail", "stale") > 0)


class ShortSummary:
    """Takes our cases out of pytest's short summary unless `-r` asks for them: the causes say the same in fewer lines.

    A plugin of its own, since it has to act between FAILURES and that summary.
    """

    def __init__(self, record: RunRecord, terminal: TerminalPlugin) -> None:
        self._record = record
        self._terminal = terminal

    @pytest.hookimpl(trylast=True)
    def pytest_terminal_summary(self, terminalreporter: Any, config: pytest.Config) -> None:
        if "failed" not in terminalreporter.stats:
            return
        by_default = config.option.reportchars == DEFAULT_CHARACTERS and config.option.tbstyle != "no"
        listed = [one for one in self._terminal.failed if not by_default or one.nodeid not in self._record.reports]
        terminalreporter.stats["failed"] = listed


def register_terminal(config: pytest.Config, record: RunRecord, summary: Summary) -> None:
    terminal = TerminalPlugin(record, summary)
    config.pluginmanager.register(terminal, "agent-conformance-terminal")
    config.pluginmanager.register(ShortSummary(record, terminal), "agent-conformance-short-summary")


def show_counts(config: pytest.Config, cases: int) -> None:
    """Counts in place of percents, unless the project's configuration has chosen a style."""
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    if cases < LONG_RUN or reporter is None or "console_output_style" in _chosen_settings(config):
        return
    if getattr(reporter, "_show_progress_info", False) == "progress":
        reporter._show_progress_info = "count"


def _chosen_settings(config: pytest.Config) -> Container[str]:
    """The settings that stand in the configuration. `getini` does not tell them from defaults."""
    settings: Container[str] | None = getattr(config, "_inicfg", None)
    return config.inicfg if settings is None else settings  # before version 9, pytest has the one alone
