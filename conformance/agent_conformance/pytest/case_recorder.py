"""For `--agent-report`, `--agent-show` and `-v`: the record of a case, made where it ran.

Without these options this module is not imported.
"""

from collections.abc import Callable
from functools import partial
from typing import Any, Protocol

from agent_conformance.adapter.contract import DeclaredAgent
from agent_conformance.record.narrative import narrative
from agent_conformance.record.redaction import SECRETS, text_without_keys
from agent_conformance.record.transcript import Transcript
from agent_conformance.report.comparison import CaseResult
from agent_conformance.results.case_records import RanCase, case_record, transcript_with_finding
from agent_conformance.results.encoding import case_line
from agent_conformance.results.model import Body, CaseRecord
from agent_conformance.scenario.cases import Case
from fake_providers.values.patterns import SlowPattern


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
        return case_record(ran, hide=partial(text_without_keys, keys=SECRETS.known()), with_turns=with_turns)

    def _narrative(
        self, case: Case, result: CaseResult, chosen: Transcript | None, transcripts: tuple[Transcript, ...]
    ) -> str:
        if chosen is None or (chosen is transcripts[0] and result.verdict.narrative):
            return result.verdict.narrative
        try:
            return narrative(chosen, scrub=self._scrub, given=lambda: repr(case.scenario))
        except SlowPattern:
            return ""
