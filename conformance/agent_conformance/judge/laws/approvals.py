"""Laws on calls that did not run as the model wanted: `approved`, `answered`."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from agent_conformance.judge.calls import UNREADABLE, ModelCall, Round, model_calls, pairing, rounds, same_arguments
from agent_conformance.judge.case_evidence import END, CaseEvidence, Mismatch, quoted
from agent_conformance.judge.laws.law import Harm, Law
from agent_conformance.transcripts.transcript import Approval, Attempt, TurnRecord
from fake_providers import ViewCall

SUCCESS = frozenset(
    {
        *("ok", "okay", "done", "success", "successful", "successfully", "succeeded"),
        *("complete", "completed", "executed", "approved", "finished", "ran"),
    }
)
FRAME = frozenset(
    {
        *("result", "results", "status", "output", "content", "type", "text", "true", "tool", "call", "message"),
        *("function", "operation", "action", "task", "command", "execution", "exit", "code", "0", "null"),
        *("the", "it", "was", "is", "has", "been", "and", "with"),
    }
)
"""What may stand around a word of success and says no more than it, like the words of the tool's name."""
FATES: Mapping[type, str] = {
    Approval: "the user has denied",
    Attempt: "nobody knows what became of",
    ModelCall: "nothing has run for",
}
_WORD = re.compile(r"[^\W_]+")


def check_approvals(evidence: CaseEvidence) -> Iterator[Mismatch]:
    """No tool with `approval` runs without an answer of the user that allows this call, given before."""
    asking = {tool.name for tool in evidence.scenario.tools if tool.approval is not None}
    if not asking:
        return
    calls = model_calls(evidence)
    earlier: list[Approval] = []
    for record in evidence.transcript.turns:
        for place, attempt in enumerate(record.attempts):
            if not attempt.ran or attempt.tool not in asking or not _is_called(evidence, attempt, calls):
                continue
            before = [*earlier, *(one for one in record.approvals if one.attempts_before <= place)]
            answers = [one.answer for one in before if _asks_about(evidence, one, attempt)]
            if True not in answers:
                yield _not_allowed(record, attempt, answers)
        earlier += record.approvals


def check_answers(evidence: CaseEvidence) -> Iterator[Mismatch]:
    """The result of a call that was denied, or that the agent did not survive, says so, and none beside it is blank.
    One that never ran, also since its turn was cancelled, is not told as done.
    """
    open_calls: list[Approval | Attempt] = []
    cancelled: list[ModelCall] = []
    for record in evidence.turns:
        cancelled += _cancelled(evidence, record)
        open_calls += [one for one in record.approvals if one.answer is False]
        open_calls += [one for one in record.attempts if one.lost]
        for request in record.requests if open_calls or cancelled else ():
            if request.refused or request.kind == "side":
                continue
            for one in rounds(request.view):
                for call in _blank(evidence, one, open_calls):
                    yield ANSWERED.broken_by(
                        record,
                        request,
                        expected=f"a result that says to the model what became of its call of {call.name}",
                        got="a result that is blank",
                    )
                for call, text, fate in _told_as_done(evidence, one, [*open_calls, *cancelled]):
                    yield ANSWERED.broken_by(
                        record,
                        request,
                        expected=f"a result that says to the model that {fate} its call of {call.name}",
                        got=f'"{quoted(text, 80)}"',
                    )


def _blank(evidence: CaseEvidence, one: Round, open_calls: list[Approval | Attempt]) -> list[ViewCall]:
    """The calls with a blank result, in a round with an open call."""
    if not any(_is_about(evidence, known, call) for known in open_calls for call in one.calls):
        return []
    return [call for call, result in pairing(one).pairs if not result.text.strip()]


def _told_as_done(
    evidence: CaseEvidence, one: Round, open_calls: list[Approval | Attempt | ModelCall]
) -> Iterator[tuple[ViewCall, str, str]]:
    """The calls of a round that ran nowhere, with a result of nothing but words of success, and what became of them."""
    ran = [attempt for record in evidence.turns for attempt in record.attempts if attempt.ran]
    for call, result in pairing(one).pairs:
        words = set(_WORD.findall(result.text.casefold())) - set(_WORD.findall(call.name.casefold()))
        if not words & SUCCESS or not words <= SUCCESS | FRAME:
            continue
        known = next((known for known in open_calls if _is_about(evidence, known, call)), None)
        if known is not None and not any(_is_about(evidence, attempt, call) for attempt in ran):
            yield call, result.text, FATES[type(known)]


def _cancelled(evidence: CaseEvidence, record: TurnRecord) -> list[ModelCall]:
    """The calls that the model made in a turn which the user has cancelled."""
    made = model_calls(evidence) if record.outcome == "cancelled" else ()
    readable = (call for call in made if call.native and call.arguments is not UNREADABLE)
    return [call for call in readable if any(call.request is request for request in record.requests)]


def _is_called(evidence: CaseEvidence, attempt: Attempt, calls: list[ModelCall]) -> bool:
    """Whether the model made this call: if not, other laws say so."""
    schema = evidence.schema_of(attempt.tool)
    return any(
        call.allows(attempt.tool)
        and call.arguments is not UNREADABLE
        and same_arguments(attempt.arguments, call.arguments, schema)
        for call in calls
    )


def _asks_about(evidence: CaseEvidence, question: Approval, attempt: Attempt) -> bool:
    """Whether the user was asked about this run: with what it ran with, or with what the model sent for that."""
    if question.tool != attempt.tool or question.arguments is None:
        return question.tool == attempt.tool
    return same_arguments(attempt.arguments, question.arguments, evidence.schema_of(attempt.tool))


def _is_about(evidence: CaseEvidence, known: Approval | Attempt | ModelCall, call: ViewCall) -> bool:
    """Whether the user was asked about a call in a request, a tool was run for it, or the model made it."""
    name = known.name if isinstance(known, ModelCall) else known.tool
    if name != call.name or known.arguments is None:
        return name == call.name
    return same_arguments(known.arguments, call.arguments, evidence.schema_of(call.name))


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


APPROVED = Law("approved", check_approvals, Harm.DATA)
ANSWERED = Law("answered", check_answers, Harm.DATA)
