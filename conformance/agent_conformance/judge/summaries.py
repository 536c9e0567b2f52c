"""Which requests have the model summarise what was said before. Knows requests, and no law.

They are about the conversation and no part of it: with a prompt of their own, and perhaps without the question of the
turn, which stays where it is.
"""

from collections.abc import Sequence

from agent_conformance.judge.evidence import CaseEvidence, flat
from agent_conformance.record.transcript import RecordedRequest, TurnRecord
from fake_providers import View

LONG, ENOUGH = 2_000, 100
"""Of a text with as many characters, so many at one end are enough."""


def may_be_shorter(evidence: CaseEvidence) -> bool:
    """Whether an agent has a reason to make the conversation shorter."""
    return evidence.scenario.limits.context_tokens is not None or evidence.scenario.window is not None


def is_for_a_summary(evidence: CaseEvidence, request: RecordedRequest) -> bool:
    """Whether the model's answer to it stands in a later request as a text of the user or of the system.

    What a real model writes there is for the model to decide, and the agent's instructions.
    """
    answer = flat(request.reply.text or "") if request.reply else ""
    if not answer or not may_be_shorter(evidence):
        return False
    requests = [one for _, one in evidence.model_requests()]
    later = requests[next(i for i, one in enumerate(requests) if one is request) + 1 :]
    return any(answer in flat(_instructions(one.view)) for one in later)


def stands_for(evidence: CaseEvidence, record: TurnRecord, request: RecordedRequest, text: str) -> bool:
    """Whether a summary stands in the place of the text: made before this request by a model that had the text itself,
    or an earlier summary of it.
    """
    earlier = []
    for turn in evidence.transcript.turns:
        if turn.turn.session == record.turn.session:
            earlier += turn.requests[: turn.requests.index(request)] if turn is record else turn.requests
        if turn is record:
            break
    summaries = [
        one
        for one in earlier
        if one.reply and one.reply.text and (one.kind == "side" or is_for_a_summary(evidence, one))
    ]
    return bool(summaries) and _is_summed_up(_instructions(request.view), flat(text), summaries)


def _is_summed_up(here: str, wanted: str, summaries: Sequence[RecordedRequest]) -> bool:
    for place, one in enumerate(summaries):
        answer = flat(one.reply.text or "") if one.reply else ""
        if answer and answer in flat(here):
            read = one.view.texts
            if _has_most_of(flat(read), wanted) or _is_summed_up(read, wanted, summaries[:place]):
                return True
    return False


def _has_most_of(text: str, wanted: str) -> bool:
    """Whether it is there, or, of a long one, its beginning or its end."""
    return any(part in text for part in ((wanted,) if len(wanted) < LONG else (wanted[:ENOUGH], wanted[-ENOUGH:])))


def hint(record: TurnRecord, request: RecordedRequest) -> str:
    """What to declare, where this may be a request of the agent's own: others of the turn offer tools."""
    if request.view.tools or not any(one.view.tools for one in record.requests):
        return ""
    return ". If it is a request of the agent's own, for a summary or a title, declare `side_request`"


def _instructions(view: View) -> str:
    """The texts of the system and the user."""
    return "\n".join((view.system, *(message.text for message in view.messages if message.role == "user")))
