"""For `--agent-report`: the results of a run, gathered in the process that prints and written into the folder.

Without `--agent-report`, `--agent-show` and `-v` this module is not imported.
"""

import contextlib
import os
import platform
import re
import time
from collections.abc import Callable, Generator, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import quote

import pytest

from agent_conformance.adapter.contract import DeclaredAgent
from agent_conformance.attach.loading import agent_version
from agent_conformance.baseline.case_report import BrokenFile
from agent_conformance.baseline.comparison import CaseResult
from agent_conformance.baseline.run_record import RunRecord
from agent_conformance.baseline.written_files import noted
from agent_conformance.html_report import write_page
from agent_conformance.machine import Terminated
from agent_conformance.pytest.items import CaseItem
from agent_conformance.pytest.options import Options, command_again, verbosity
from agent_conformance.report_data.case_records import RanCase, case_record, transcript_with_finding
from agent_conformance.report_data.encoding import case_line
from agent_conformance.report_data.folder import ResultsLog, append_step_summary, write_report
from agent_conformance.report_data.model import (
    Agent,
    Body,
    BrokenScenario,
    CaseRecord,
    Chosen,
    Ending,
    Environment,
    Results,
    Shard,
    Suite,
)
from agent_conformance.report_data.texts import printable_lines, texts_of_laws, texts_of_rules, transcript_lines
from agent_conformance.scenario.cases import Case
from agent_conformance.scenario.yaml_files import shown_path
from agent_conformance.transcripts.narrative import narrative
from agent_conformance.transcripts.redaction import SECRETS, redacted
from agent_conformance.transcripts.transcript import Transcript
from fake_providers.values.patterns import SlowPattern


class RunResults:
    """A plugin: begins `results.ndjson`, adds a line for each case, and at the end writes what is made of them."""

    def __init__(self, folder: Path, run: Results) -> None:
        self._run = run
        self._log = ResultsLog(folder)
        self._start = time.monotonic()
        self._ended: Ending = "complete"
        self._selected = 0
        self._log.begin(run)

    def pytest_report_collectionfinish(self, items: list[pytest.Item]) -> None:
        self._selected = sum(isinstance(item, CaseItem) for item in items)

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, ids: list[str]) -> None:
        """Every worker collects all cases, and the process that prints none."""
        self._selected = sum("::" not in id for id in ids)

    def pytest_keyboard_interrupt(self, excinfo: pytest.ExceptionInfo[BaseException]) -> None:
        if isinstance(excinfo.value, Terminated):
            self._ended = "terminated"
        elif self._ended != "terminated":
            self._ended = "stopped" if isinstance(excinfo.value, pytest.Session.Interrupted) else "interrupted"

    def add(self, line: str) -> None:
        self._log.add(line.encode())

    def end(self, session: pytest.Session, record: RunRecord, *, exit_code: int) -> list[str]:
        """Write the folder, and say what could not be written."""
        stopped = bool(session.shouldfail or session.shouldstop) or session.exitstatus == pytest.ExitCode.INTERNAL_ERROR
        run = replace(
            self._run,
            ended="stopped" if stopped and self._ended == "complete" else self._ended,
            exit_code=exit_code,
            selected=self._selected,
            seconds=round(time.monotonic() - self._start, 3),
            broken_files=tuple(map(_broken, sorted(record.broken, key=lambda file: file.path))),
            stray_exits=tuple(map(_text, record.stray_exits)),
            fewer=tuple(map(_text, record.fewer.words)),
        )
        problems: list[str] = []
        with noted(self._log.folder, problems):
            results = self._log.end(run)
            results = replace(results, rules=texts_of_rules(results), laws=texts_of_laws(results))
            try:
                if self._log.problem is not None:
                    raise self._log.problem
                write_report(results, self._log.folder, write_page=write_page)
                append_step_summary(results, os.environ)
            except OSError as error:
                problems.append(f"{shown_path(Path(error.filename or self._log.folder))}: {error.strerror or error}")
        return problems


def run_begun(config: pytest.Config, options: Options, agent: DeclaredAgent) -> Results:
    """What is known of a run when it begins."""
    # Whatever may change what the agent does; the suite itself draws nothing at random.
    seeds = {"PYTHONHASHSEED": os.environ.get("PYTHONHASHSEED", "")}
    seeds["randomly"] = str(getattr(config.option, "randomly_seed", ""))
    return Results(
        suite=Suite(_suite_version(), options.version.name if options.version else ""),
        agent=Agent(
            _text(options.agent),
            agent.wires,
            agent.modes,
            tuple(sorted(agent.features)),
            options.isolate,
            _text(agent_version(agent)),
        ),
        environment=Environment(
            platform.python_version(),
            pytest.__version__,
            platform.platform(),
            _text(code_address(os.environ, Path.cwd())),
        ),
        options=Chosen(
            cases=tuple(map(_text, options.cases)),
            wires=options.wires,
            modes=options.modes,
            providers=options.providers,
            profiles=options.profiles,
            models=options.models,
            level=options.level,
            transport=options.transport,
            cut=options.cut,
            relations=options.relations,
            timeout=options.timeout,
            tolerate=options.tolerate,
            baseline=_text(shown_path(options.baseline)) if options.baseline.is_file() else "",
        ),
        seeds={name: value for name, value in seeds.items() if value},
        command=_text(command_again(config)),
        shard=Shard(options.shard.of, (options.shard.number,)) if options.shard is not None else None,
        started=datetime.now(UTC).isoformat(timespec="seconds"),
    )


def _text(text: str) -> str:
    return printable_lines(redacted(text))


SHAPES_IN_CI = (
    ("{GITHUB_SERVER_URL}/{GITHUB_REPOSITORY}/blob/{GITHUB_SHA}", "GITHUB_SHA"),
    ("{CI_PROJECT_URL}/-/blob/{CI_COMMIT_SHA}", "CI_COMMIT_SHA"),
)
"""Where GitHub and GitLab show the files of a commit, by the variables of their runners."""


def code_address(environment: Mapping[str, str], folder: Path) -> str:
    """The address of this folder in the repository that CI runs for; empty elsewhere."""
    root = next((one for one in (folder, *folder.parents) if (one / ".git").exists()), None)
    shape = next((shape for shape, commit in SHAPES_IN_CI if environment.get(commit)), None)
    if root is None or shape is None:
        return ""
    with contextlib.suppress(KeyError):
        address = shape.format_map(environment)
        if re.fullmatch(r"https?://[\w./:-]+", address, re.ASCII):
            return "".join(f"{part}/" for part in (address, *map(quote, folder.relative_to(root).parts)))
    return ""


def _suite_version() -> str:
    try:
        return version("pytest-agent-conformance")
    except PackageNotFoundError:
        return ""


def _broken(file: BrokenFile) -> BrokenScenario:
    return BrokenScenario(_text(shown_path(Path(file.path))), _text(file.headline))


class Recorded(Protocol):
    """What a session knows of its last case."""

    transcripts: tuple[Transcript, ...]


class CaseRecorder:
    """`session` is None until the first case runs, and after a defect of the suite."""

    def __init__(self, agent: DeclaredAgent, session: Callable[[], Recorded | None]) -> None:
        self._scrub: tuple[Any, ...] = agent.scrub
        self._session = session

    def line(self, case: Case, result: CaseResult, *, seconds: float, rerun: str) -> str:
        """The case as it ran last, with the bodies of its requests where there is a finding."""
        return case_line(*self.record(case, result, seconds=seconds, rerun=rerun)).decode()

    def record(
        self, case: Case, result: CaseResult, *, seconds: float = 0.0, rerun: str = "", with_turns: bool = False
    ) -> tuple[CaseRecord, dict[str, Body]]:
        """The same, and the bodies that it names. `with_turns`: also where there is no finding."""
        session = self._session()
        transcripts = session.transcripts if session is not None else ()
        chosen = transcript_with_finding(result, transcripts)
        ran = RanCase(case, result, chosen, self._narrative(case, result, chosen, transcripts), seconds, rerun)
        return case_record(ran, hide=SECRETS.hider(), with_turns=with_turns)

    def _narrative(
        self, case: Case, result: CaseResult, chosen: Transcript | None, transcripts: tuple[Transcript, ...]
    ) -> str:
        if chosen is None or (chosen is transcripts[0] and result.verdict.narrative):
            return result.verdict.narrative
        try:
            return narrative(chosen, scrub=self._scrub, given=lambda: repr(case.scenario))
        except SlowPattern:
            return ""


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
