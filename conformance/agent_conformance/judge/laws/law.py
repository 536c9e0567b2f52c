"""What a law is: an id, the check that finds what breaks it, and what follows for its findings."""

from collections.abc import Callable, Iterator
from enum import IntEnum

from msgspec import Struct

from agent_conformance.adapter.contract import CodePlace
from agent_conformance.judge.case_evidence import CaseEvidence, Mismatch, MismatchKind
from agent_conformance.scenario.model import LawId
from agent_conformance.transcripts.finding import Level, law_subject, rule_subject
from agent_conformance.transcripts.transcript import RecordedRequest, TurnRecord


class Harm(IntEnum):
    """What a finding does to the user of an agent, from the worst.

    `DATA`: something else is sent or done than should be. `WORDS`: the user reads something else, or pays more.
    """

    CRASH = 1
    REFUSAL = 2
    HANG = 3
    DATA = 4
    WORDS = 5


class Law(Struct, frozen=True):
    """One law. Laws that share a `check` are read in one pass, which yields the mismatches of all of them.

    `harm` is that of its findings where they say nothing worse themselves, such as a crash.

    `level` is that of a mismatch unless the check gives another. A law that `may_end_case` can leave the case without
    its follow-up message. A law that `shows_log` has the end of the agent's standard error in its findings.
    """

    id: LawId
    check: Callable[[CaseEvidence], Iterator[Mismatch]]
    harm: Harm
    level: Level = "must"
    may_end_case: bool = False
    shows_log: bool = False

    def broken(
        self,
        kind: MismatchKind,
        *,
        turn: int,
        request: int,
        expected: str,
        got: str,
        place: str = "",
        refused: str = "",
        level: Level | None = None,
        rule: str = "",
        detail: str = "",
        origin: CodePlace | None = None,
    ) -> Mismatch:
        """What breaks this law at one place. `rule` is the rule of the provider that a request broke, if any, and
        `origin` where in the agent's code it happened.
        """
        return Mismatch(
            subject=rule_subject(rule, self.id) if rule else law_subject(self.id),
            kind=kind,
            level=self.level if level is None else level,
            turn=turn,
            request=request,
            expected=expected,
            got=got,
            path=place,
            refused=refused,
            detail=detail,
            origin=origin,
        )

    def broken_by(
        self,
        record: TurnRecord,
        request: RecordedRequest,
        *,
        expected: str,
        got: str,
        place: str = "",
        kind: MismatchKind = "request",
        level: Level | None = None,
        detail: str = "",
    ) -> Mismatch:
        """What is wrong with one request, by what the request itself has."""
        return self.broken(
            kind,
            turn=record.number,
            request=request.number,
            expected=expected,
            got=got,
            place=place,
            level=level,
            detail=detail,
        )
