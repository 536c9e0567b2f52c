"""When a refused picture breaks the law `accepted`: learning a provider's limit from one refusal is right."""

from agent_conformance.judge.case_evidence import CaseEvidence
from agent_conformance.transcripts.finding import Level
from agent_conformance.transcripts.transcript import RecordedRequest, TurnRecord

MOST_REFUSALS = 2
"""Of the same body: a client may try once more."""


def level_of_refusal(evidence: CaseEvidence, record: TurnRecord, request: RecordedRequest) -> Level | None:
    """The level of the refusal of a picture; None where the agent recovers from it.

    It recovers within the turn, or gives up once and goes on in the next turn, which is advice. A second turn that
    ends like this shows that the picture stays in the conversation for ever.
    """
    before = record.requests[: _place(record, request)]
    same = [other for other in before if other.refused and other.http.body == request.http.body]
    if len(same) >= MOST_REFUSALS:
        return "must"
    if not _ends_refused(record):
        return None
    ended = [other for other in evidence.turns if _ends_refused(other)]
    if len(ended) == 1:
        return "should"
    return "must" if record is not ended[0] else None


def _ends_refused(record: TurnRecord) -> bool:
    """Whether nothing was accepted after the refusal of a picture."""
    refused = [
        request
        for request in record.requests
        if request.refused and request.violation is not None and request.violation.about == "picture"
    ]
    return bool(refused) and not any(other.counts for other in record.requests[_place(record, refused[-1]) :])


def _place(record: TurnRecord, request: RecordedRequest) -> int:
    return next(place for place, other in enumerate(record.requests) if other is request)
