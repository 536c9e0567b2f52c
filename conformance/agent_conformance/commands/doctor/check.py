"""One line of the doctor's report. Knows nothing of how it was found.

A feature is only blamed where none of this happened.
"""

from dataclasses import dataclass
from typing import Literal

from agent_conformance.commands.doctor.probe_runner import ProbeRun
from agent_conformance.transcripts.transcript import TurnRecord

Status = Literal["ok", "not working", "works, not declared", "not declared", "not tried", "advice"]
"""`not working`: it is declared, or every case needs it, and it did not work. Only this makes the exit code 1."""

TOPICS = ("reached", "requests", "tools", "features")


@dataclass(frozen=True, slots=True)
class Check:
    """`topic` is a target, something of each request, or a feature. `got` and `fix` are sentences, or empty.

    `group` is where it is printed: one of `TOPICS`.
    """

    group: str
    topic: str
    status: Status
    got: str = ""
    fix: str = ""


@dataclass(frozen=True, slots=True)
class Problem:
    """What happened instead of what was expected, and what to change in the adapter.

    `is_about_feature` is false for what kept the probe from showing anything about the feature.
    """

    got: str
    fix: str = ""
    is_about_feature: bool = True


UNFINISHED = ("crash", "hang", "flood")
MADE_BY_PROBE = ("stopped", "fault")
"""Requests that the probe itself did not answer: what the turn comes to after one is what the probe is about."""


def refusal(probe_run: ProbeRun) -> Problem | None:
    """The first request that a rule of the provider refuses."""
    for record in probe_run.turns:
        for request in record.requests:
            violation = request.violation
            if violation is None or not request.refused:
                continue
            place = f" at {violation.at}" if violation.at else ""
            got = f"the provider refuses request {request.number} of turn {record.number}{place}"
            fix = (
                "Fix this request first; nothing can be said of the feature before. "
                f"`agent-conformance explain {violation.rule}` shows one that is accepted."
            )
            return Problem(f"{got}: {violation.status} {violation.message}", fix, is_about_feature=False)
    return None


def crash(probe_run: ProbeRun) -> Problem | None:
    """A turn that ended in a crash or a hang, or an adapter that could not be started."""
    if probe_run.transcript is None:
        fix = "Fix this first; nothing can be said of the feature before."
        return Problem(probe_run.verdict.reason, fix, is_about_feature=False)
    record = next((record for record in _unprovoked(probe_run) if record.outcome in UNFINISHED), None)
    if record is None:
        return None
    fix = "Fix this first; nothing can be said of the feature before. A deliberate failure belongs in `errors`."
    return Problem(_ending(record), fix, is_about_feature=False)


def failure(probe_run: ProbeRun) -> Problem | None:
    """A turn that ended in a controlled failure, though the model answered each request."""
    record = next((record for record in _unprovoked(probe_run) if record.outcome == "error"), None)
    if record is None:
        return None
    return Problem(_ending(record), "Find out why the agent gives up here.", is_about_feature=False)


def obstacle(probe_run: ProbeRun) -> Problem | None:
    """The first of them all, the cause before its consequences."""
    return refusal(probe_run) or crash(probe_run) or failure(probe_run)


def _unprovoked(probe_run: ProbeRun) -> list[TurnRecord]:
    return [
        record
        for record in probe_run.turns
        if not any(request.kind in MADE_BY_PROBE for request in record.requests) and record.turn.cancel is None
    ]


def _ending(record: TurnRecord) -> str:
    article = "an" if record.outcome == "error" else "a"
    return f"turn {record.number} ended in {article} {record.outcome}: {record.described_failure}"
