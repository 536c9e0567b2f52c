"""For `--agent-report`: the results of a run, gathered in the process that prints and written into the folder.

Without the option this module is not imported.
"""

import os
import platform
import time
from dataclasses import replace
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import pytest

from agent_conformance.adapter.contract import DeclaredAgent
from agent_conformance.attach.loading import agent_version
from agent_conformance.page import write_page
from agent_conformance.pytest.exit import Terminated
from agent_conformance.pytest.items import CaseItem
from agent_conformance.pytest.options import Options, command_again
from agent_conformance.record.redaction import redacted
from agent_conformance.report.case_report import BrokenFile
from agent_conformance.report.run_record import RunRecord
from agent_conformance.results.folder import ResultsLog, append_step_summary, write_report
from agent_conformance.results.model import Agent, BrokenScenario, Chosen, Ending, Environment, Results, Shard, Suite
from agent_conformance.results.subject_texts import texts_of_laws, texts_of_rules
from agent_conformance.results.texts import printable_lines
from agent_conformance.scenario.yaml_files.problems import shown_path


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
        )
        results = self._log.end(run)
        results = replace(results, rules=texts_of_rules(results), laws=texts_of_laws(results))
        try:
            if self._log.problem is not None:
                raise self._log.problem
            write_report(results, self._log.folder, write_page=write_page)
            append_step_summary(results, os.environ)
        except OSError as error:
            return [f"{shown_path(Path(error.filename or self._log.folder))}: {error.strerror or error}"]
        return []


def run_begun(config: pytest.Config, options: Options, agent: DeclaredAgent) -> Results:
    """What is known of a run when it begins."""
    return Results(
        suite=Suite(_suite_version(), options.version.name if options.version else ""),
        agent=_agent(options, agent),
        environment=Environment(platform.python_version(), pytest.__version__, platform.platform()),
        options=_chosen(options),
        seeds=_seeds(config),
        command=_text(command_again(config)),
        shard=Shard(options.shard.of, (options.shard.number,)) if options.shard is not None else None,
        started=datetime.now(UTC).isoformat(timespec="seconds"),
    )


def _agent(options: Options, agent: DeclaredAgent) -> Agent:
    return Agent(
        _text(options.agent),
        agent.wires,
        agent.modes,
        tuple(sorted(agent.features)),
        options.isolate,
        _text(agent_version(agent)),
    )


def _chosen(options: Options) -> Chosen:
    return Chosen(
        cases=tuple(map(_text, options.cases)),
        wires=options.wires,
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
    )


def _seeds(config: pytest.Config) -> dict[str, str]:
    """Whatever may change what the agent does; the suite itself draws nothing at random."""
    seeds = {"PYTHONHASHSEED": os.environ.get("PYTHONHASHSEED", "")}
    seeds["randomly"] = str(getattr(config.option, "randomly_seed", ""))
    return {name: value for name, value in seeds.items() if value}


def _text(text: str) -> str:
    return printable_lines(redacted(text))


def _suite_version() -> str:
    try:
        return version("pytest-agent-conformance")
    except PackageNotFoundError:
        return ""


def _broken(file: BrokenFile) -> BrokenScenario:
    return BrokenScenario(_text(shown_path(Path(file.path))), _text(file.headline))
