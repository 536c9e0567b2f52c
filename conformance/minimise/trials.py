"""Which findings an agent has in a scenario that is a document, as often as one asks. Knows no edit."""

import tempfile
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from conformance.adapter.contract import DeclaredAgent
from conformance.minimise.documents import Document, yaml_text
from conformance.record.finding import Verdict
from conformance.run.session import Session
from conformance.scenario.cases import Case, RunOptions, cases_of
from conformance.scenario.loading import ScenarioFile, load_file

Kind = tuple[str, str]
"""A finding without what changes with the scenario: its cause (a rule, a law, a kind of expectation) and its detail."""


@dataclass(frozen=True, slots=True)
class Target:
    """Where the case runs."""

    wire: str
    mode: str
    provider: str


class Trials:
    """Use as a context manager. The agent runs on one target; `right` is an agent that must have no finding there."""

    def __init__(
        self, agent: DeclaredAgent, right: DeclaredAgent | None, target: Target, *, timeout: float = 10.0
    ) -> None:
        self._target = target
        self._agents = [(one, Session(one, timeout=timeout)) for one in (agent, right) if one is not None]
        self._stack = ExitStack()
        self.runs = 0

    def __enter__(self) -> Self:
        self._folder = Path(self._stack.enter_context(tempfile.TemporaryDirectory())) / "scenarios" / "minimised"
        self._folder.mkdir(parents=True)
        for _, session in self._agents:
            self._stack.enter_context(session)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()

    @property
    def has_stuck_thread(self) -> bool:
        """A thread of the agent never ended: use `os._exit`."""
        return any(session.has_stuck_thread for _, session in self._agents)

    def verdict(self, document: Document) -> Verdict | str:
        """Of the agent; or why there is none, or none that counts: the scenario is none, or the right agent fails."""
        loaded = self._loaded(document)
        if isinstance(loaded, str):
            return loaded
        for agent, session in self._agents[1:]:
            case = self._case(loaded, agent)
            verdict = None if case is None else session.run(case)
            if verdict is None or verdict.outcome != "pass":
                return "the reference agent does not pass it"
        agent, session = self._agents[0]
        case = self._case(loaded, agent)
        if case is None:
            return f"the agent has no case of it on {self._target.wire}+{self._target.mode}"
        self.runs += 1
        return session.run(case)

    def _loaded(self, document: Document) -> ScenarioFile | str:
        path = self._folder / "scenario.yaml"
        path.write_text(yaml_text(document), encoding="utf-8")
        loaded = load_file(path, root=path.parents[1])
        return loaded if isinstance(loaded, ScenarioFile) else str(loaded[0])

    def _case(self, file: ScenarioFile, agent: DeclaredAgent) -> Case | None:
        target = self._target
        options = RunOptions(wires=(target.wire,), providers=(target.provider,))
        return next((case for case in cases_of(file, agent, options) if case.mode == target.mode), None)


def kinds_of(verdict: Verdict) -> Mapping[Kind, str]:
    """The findings at `must` by their kinds, each with the id of the first; if there are none, the advice."""
    found = verdict.at_level("must") or verdict.findings
    kinds: dict[Kind, str] = {}
    for finding in found:
        kinds.setdefault((finding.cause, finding.detail), finding.id)
    return kinds
