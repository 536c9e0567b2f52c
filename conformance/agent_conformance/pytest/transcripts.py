"""For `-v` and `--agent-show`: the transcripts of cases, made where they ran and printed with pytest's own sections.

Without these options this module is not imported.
"""

from collections.abc import Generator
from typing import Any

import pytest

from agent_conformance.pytest.case_recorder import CaseRecorder
from agent_conformance.pytest.items import CaseItem
from agent_conformance.pytest.options import verbosity
from agent_conformance.results.transcript_text import transcript_lines

TRANSCRIPT = "agent_transcript"
"""The attribute of pytest's reports that carries a text from a worker to the process that prints."""


class Transcripts:
    """With `every`, the transcript of each case is printed in a section of its own; else those of failures, below them.

    `-vv` adds the requests and responses.
    """

    def __init__(self, config: pytest.Config, recorder: CaseRecorder, *, every: bool) -> None:
        self._is_worker = hasattr(config, "workerinput")
        self._recorder = recorder
        self._every = every
        self._raw = verbosity(config) > 1
        self._texts: list[tuple[str, str]] = []

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        report = yield
        if isinstance(item, CaseItem) and call.when == "call" and item.result is not None:
            if self._every:
                vars(report)[TRANSCRIPT] = self._text(item)
            elif report.failed:
                report.sections.append(("transcript", self._text(item)))
        return report

    def _text(self, item: CaseItem) -> str:
        assert item.result is not None
        record, bodies = self._recorder.record(item.case, item.result, with_turns=self._raw)
        return "\n".join(transcript_lines(record, bodies, raw=self._raw))

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if not self._is_worker and hasattr(report, TRANSCRIPT):
            self._texts.append((report.nodeid, vars(report).pop(TRANSCRIPT)))

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        if self._texts:
            terminalreporter.section("TRANSCRIPTS")
        for id, text in self._texts:
            terminalreporter.write_sep("_", id, bold=True)
            for line in text.split("\n"):
                terminalreporter.write_line(line)
