"""Which requests have the model summarise what was said before. Knows requests, and no law.

They are about the conversation and no part of it: with a prompt of their own, and perhaps without the question of the
turn, which stays where it is.
"""

from agent_conformance.judge.evidence import CaseEvidence, flat
from agent_conformance.record.transcript import RecordedRequest
from fake_providers import View


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


def _instructions(view: View) -> str:
    """The texts of the system and the user."""
    return "\n".join((view.system, *(message.text for message in view.messages if message.role == "user")))
