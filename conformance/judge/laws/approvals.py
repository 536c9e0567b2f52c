"""Laws on calls that the user has to allow: `approved`, `answered`."""

from collections.abc import Iterator
from typing import Any

from conformance.judge.arguments import same_arguments
from conformance.judge.calls import UNREADABLE, ModelCall, model_calls
from conformance.judge.evidence import END, CaseEvidence, Mismatch, quoted
from conformance.judge.laws.law import Law
from conformance.judge.pairing import Round, pairing, rounds
from conformance.record.transcript import Approval, Attempt, TurnRecord
from fakes import ViewCall, ViewResult


def check_approvals(evidence: CaseEvidence) -> Iterator[Mismatch]:
    """No tool with `approval` runs without an answer of the user that allows this call, given before."""
    asking = {tool.name for tool in evidence.scenario.tools if tool.approval is not None}
    if not asking:
        return
    calls = model_calls(evidence)
    earlier: list[Approval] = []
    for record in evidence.transcript.turns:
        for place, attempt in enumerate(record.attempts):
            if not attempt.accepted or attempt.tool not in asking or not _is_called(evidence, attempt, calls):
                continue
            before = [*earlier, *(one for one in record.approvals if one.attempts_before <= place)]
            answers = [one.answer for one in before if _is_about(evidence, one, attempt.tool, attempt.arguments)]
            if True not in answers:
                yield _not_allowed(record, attempt, answers)
        earlier += record.approvals


def check_answers(evidence: CaseEvidence) -> Iterator[Mismatch]:
    """What stands beside a denied call, and its own result, says something to the model."""
    denied: list[Approval] = []
    known = {id(record): record for record in evidence.turns}
    for record in known.values():
        denied += [one for one in record.approvals if one.answer is False]
        for request in record.requests if denied else ():
            if request.refused or request.kind == "side":
                continue
            for one in rounds(request.view):
                for call, _ in _blank(evidence, one, denied):
                    yield ANSWERED.broken_by(
                        record,
                        request,
                        expected=f"a result that says to the model what became of its call of {call.name}",
                        got="a result that is blank",
                    )


def _blank(evidence: CaseEvidence, one: Round, denied: list[Approval]) -> list[tuple[ViewCall, ViewResult]]:
    """The calls with a blank result, in a round with a call that the user has denied."""
    if not any(_is_about(evidence, approval, call.name, call.arguments) for approval in denied for call in one.calls):
        return []
    return [(call, result) for call, result in pairing(one).pairs if not result.text.strip()]


def _is_called(evidence: CaseEvidence, attempt: Attempt, calls: list[ModelCall]) -> bool:
    """Whether the model made this call: if not, other laws say so."""
    spec = evidence.tool(attempt.tool)
    return any(
        call.allows(attempt.tool)
        and call.arguments is not UNREADABLE
        and same_arguments(attempt.arguments, call.arguments, spec.parameters if spec else {})
        for call in calls
    )


def _is_about(evidence: CaseEvidence, approval: Approval, tool: str, arguments: Any) -> bool:
    spec = evidence.tool(tool)
    if approval.tool != tool or approval.arguments is None:
        return approval.tool == tool
    return same_arguments(approval.arguments, arguments, spec.parameters if spec else {})


def _not_allowed(record: TurnRecord, attempt: Attempt, answers: list[Any]) -> Mismatch:
    answer = "the user was not asked"
    if answers:
        answer = "the user had not answered" if answers[-1] == "pending" else "the user had denied it"
    earlier = record.requests[: attempt.requests_before]
    return APPROVED.broken(
        "execution",
        turn=record.number,
        request=earlier[-1].number if earlier else END,
        expected=f"no run of {attempt.tool} unless the user has allowed the call",
        got=f"{attempt.tool} ran with {quoted(str(attempt.arguments), 120)}; {answer}",
    )


APPROVED = Law("approved", check_approvals)
ANSWERED = Law("answered", check_answers)
