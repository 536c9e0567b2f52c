"""Which findings an agent has in a scenario that is a document, as often as one asks."""

import tempfile
from collections.abc import Iterable, Mapping
from contextlib import ExitStack, nullcontext
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from agent_conformance.adapter.contract import DeclaredAgent
from agent_conformance.minimise.documents import Document, yaml_text
from agent_conformance.run.case_session import CaseSession
from agent_conformance.run.exceptions.agent_errors import described_error
from agent_conformance.run.process.descriptors import no_output
from agent_conformance.scenario.cases import Case, RunOptions, cases_of
from agent_conformance.scenario.loading import ScenarioFile, load_file
from agent_conformance.transcripts.finding import Verdict

Kind = tuple[str, str]
"""A finding without what changes with the scenario: its cause (a rule, a law, a kind of expectation) and its detail."""


@dataclass(frozen=True, slots=True)
class TrialTarget:
    """Where the case runs."""

    wire: str
    mode: str
    provider: str


class Trials:
    """Use as a context manager. One agent, with a session for all the documents and targets that it is tried on.

    What breaks a rule of `tolerated` is accepted. With `is_quiet`, what the agent prints is shown nowhere.
    Targets are of the wires and providers of the `choice`.
    """

    def __init__(
        self,
        agent: DeclaredAgent,
        *,
        timeout: float = 10.0,
        tolerated: Iterable[str] = (),
        is_quiet: bool = False,
        choice: RunOptions | None = None,
    ) -> None:
        self._agent = agent
        self._is_quiet = is_quiet
        self._choice = choice or RunOptions()
        self._session = CaseSession(agent, timeout=timeout, tolerated=tolerated)
        self._stack = ExitStack()
        self._last: tuple[Document, ScenarioFile | str] | None = None
        self.runs = 0

    def __enter__(self) -> Self:
        self._folder = Path(self._stack.enter_context(tempfile.TemporaryDirectory())) / "scenarios" / "minimised"
        self._folder.mkdir(parents=True)
        self._stack.enter_context(self._session)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()

    @property
    def has_stuck_thread(self) -> bool:
        """A thread of the agent never ended: use `os._exit`."""
        return self._session.has_stuck_thread

    def verdict(self, document: Document, target: TrialTarget) -> Verdict | str:
        """The verdict of the agent on this target; or why there is none: a mistake, or an error of the suite itself."""
        try:
            return self._verdict(document, target)
        except Exception as error:  # it is one of thousands of documents, many of which nobody would write
            return f"the suite itself failed, please report it: {described_error(error)}"

    def _verdict(self, document: Document, target: TrialTarget) -> Verdict | str:
        loaded = self._loaded(document)
        if isinstance(loaded, str):
            return loaded
        case = self._case(loaded, target)
        if case is None:
            return f"the agent has no case of it on {target.wire}+{target.mode}"
        return self.verdict_on(case)

    def passes(self, document: Document, target: TrialTarget) -> bool:
        verdict = self.verdict(document, target)
        return isinstance(verdict, Verdict) and verdict.outcome == "pass"

    def targets(self, document: Document) -> list[TrialTarget]:
        """Where the agent has a case of it that can be judged. Raises `ValueError` for a mistake in the document."""
        loaded = self._loaded(document)
        if isinstance(loaded, str):
            raise ValueError(loaded)
        cases = cases_of(loaded, self._agent, self._choice)
        return [TrialTarget(case.wire, case.mode, case.provider) for case in cases if not case.missing]

    def verdict_on(self, case: Case) -> Verdict:
        """The verdict of the agent on a case of any file."""
        self.runs += 1
        with no_output() if self._is_quiet else nullcontext():
            return self._session.run(case)

    def _loaded(self, document: Document) -> ScenarioFile | str:
        if self._last is None or self._last[0] is not document:
            self._last = (document, self._read(document))
        return self._last[1]

    def _read(self, document: Document) -> ScenarioFile | str:
        path = self._folder / "scenario.yaml"
        path.write_text(yaml_text(document), encoding="utf-8")
        loaded = load_file(path, root=path.parents[1])
        return loaded if isinstance(loaded, ScenarioFile) else str(loaded[0])

    def _case(self, file: ScenarioFile, target: TrialTarget) -> Case | None:
        options = RunOptions(wires=(target.wire,), providers=(target.provider,))
        return next((case for case in cases_of(file, self._agent, options) if case.mode == target.mode), None)


def kinds_of(verdict: Verdict) -> Mapping[Kind, str]:
    """The findings at `must` by their kinds, each with the id of the first; if there are none, the advice."""
    found = verdict.at_level("must") or verdict.findings
    kinds: dict[Kind, str] = {}
    for finding in found:
        kinds.setdefault((finding.code, finding.detail), finding.id)
    return kinds
