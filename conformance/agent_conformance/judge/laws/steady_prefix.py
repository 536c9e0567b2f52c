"""The law `steady-prefix`, which is advice: each request begins with the one before, so that prompt caches are hit."""

from collections.abc import Iterator
from itertools import pairwise

from agent_conformance.judge.evidence import CaseEvidence, Mismatch, quoted
from agent_conformance.judge.laws.law import Law
from agent_conformance.judge.same_request import change_of_beginning
from agent_conformance.scenario.model import Turn

MUST_CHANGE = (400, 413, 415, 422)
"""Statuses that no second try of the same request helps against."""


def check_prefix(evidence: CaseEvidence) -> Iterator[Mismatch]:
    """From request to request, unless the scenario changes the tools, restarts the agent or limits the context.

    Of a cancelled turn an agent may forget what was not done.

    What the provider answered with a 400 has to be changed before it is sent again.
    """
    if evidence.scenario.limits.context_tokens is not None or evidence.scenario.window is not None:
        return
    by_session = sorted(evidence.model_requests(), key=lambda one: one[0].turn.session or "")
    for (earlier, before), (record, request) in pairwise(by_session):
        if before.target != request.target:  # another provider has other ids, and reads no foreign reasoning
            continue
        if request.refused or before.status in MUST_CHANGE or record.turn.session != earlier.turn.session:
            continue
        if record is not earlier and (earlier.turn.cancel or _begins_anew(record.turn)):
            continue
        if (change := change_of_beginning(before.view, request.view)) is not None:
            place, now = change
            yield STEADY_PREFIX.broken_by(
                record,
                request,
                kind="prefix",
                place=place,
                expected="a request that begins with the one before: declarations, system prompt and messages",
                got=f'now "{quoted(now, 100)}"',
            )


def _begins_anew(turn: Turn) -> bool:
    return turn.tools is not None or turn.restart or turn.switch is not None


STEADY_PREFIX = Law("steady-prefix", check_prefix, level="should")
