"""The law `own-result`: a result stands under the call that it answers, and under that call's name."""

from collections.abc import Collection, Iterator
from typing import Any

from agent_conformance.judge.calls import pairing, rounds, same_call
from agent_conformance.judge.case_evidence import CaseEvidence, Mismatch, quoted
from agent_conformance.judge.laws.law import Harm, Law
from agent_conformance.judge.tool_results import has_result, result_contains
from agent_conformance.scenario.base_model import without_pictures
from agent_conformance.scenario.model import CallSpec
from agent_conformance.transcripts.transcript import RecordedRequest, TurnRecord
from fake_providers import ViewCall, ViewResult
from fake_providers.wire_facts import WIRE_FACTS

KnownResult = tuple[str, Any, str]
"""A tool, the arguments of a call of it, and what it returned."""

LONG = 8
"""Characters of a result that an agent does not write by chance."""


def check_own_results(evidence: CaseEvidence) -> Iterator[Mismatch]:
    """No call has the result of another call, and none a result with another tool's name."""
    known = known_results(evidence)
    is_own = OwnResults(evidence, known)
    for record, request in evidence.model_requests():
        if request.refused:
            continue
        in_rounds = [pairing(one).pairs for one in rounds(request.view) if one.calls and one.results]
        for pairs in in_rounds:
            for call, result in pairs:
                level = WIRE_FACTS[evidence.wire].result_names
                if level is not None and result.name is not None and result.name != call.name:
                    yield OWN_RESULT.broken_by(
                        record,
                        request,
                        level=level,
                        expected=f"the result of {_shown(call)} under the name {call.name}",
                        got=f"a result under the name {quoted(result.name, 60) or 'that is empty'}",
                    )
            if len(pairs) > 1:
                yield from _swapped(evidence, record, request, pairs, known)
        yield from _of_another_round(record, request, in_rounds, is_own)
        yield from _of_another_conversation(evidence, record, request, in_rounds)


def _of_another_conversation(
    evidence: CaseEvidence,
    record: TurnRecord,
    request: RecordedRequest,
    in_rounds: list[tuple[tuple[ViewCall, ViewResult], ...]],
) -> Iterator[Mismatch]:
    """What a tool returns in this scenario, under its call, while it never ran in this session."""
    ran = {
        attempt.tool
        for turn in evidence.transcript.turns
        if turn.turn.session == record.turn.session
        for attempt in turn.attempts
    }
    ran |= {name for name, _, _ in restored_results(evidence)}
    for call, result in (pair for pairs in in_rounds for pair in pairs if pair[0].name not in ran):
        tool = evidence.tool(call.name)
        returns = [text for text in (tool.returns, *(tool.results or ())) if isinstance(text, str)] if tool else []
        taken = next((text for text in returns if len(text) >= LONG and has_result(result.text, text)), None)
        if taken is not None:
            yield OWN_RESULT.broken_by(
                record,
                request,
                expected=f"no result of {_shown(call)}, which did not run",
                got=f'what it has returned in another conversation: "{quoted(taken, 60)}"',
            )


def known_results(evidence: CaseEvidence) -> list[KnownResult]:
    """What calls have returned in the history and in all turns, without those that failed or never did."""
    return [*restored_results(evidence), *_returned(evidence)]


def _returned(evidence: CaseEvidence) -> Iterator[KnownResult]:
    for record in evidence.transcript.turns:
        for attempt in record.attempts:
            if attempt.accepted and not attempt.failed and attempt.lost is None:
                yield attempt.tool, attempt.arguments, attempt.result


def restored_results(evidence: CaseEvidence) -> Iterator[KnownResult]:
    calls: dict[str, CallSpec] = {}
    for message in evidence.scenario.history:
        if message.assistant is not None and not isinstance(message.assistant, str):
            calls |= {call.id: call for call in message.assistant.calls if call.id is not None}
        if message.tool is not None and message.tool.id in calls:
            call, text = calls[message.tool.id], without_pictures(message.tool.result)
            if isinstance(text, str):
                yield call.name, call.arguments or {}, text


def _swapped(
    evidence: CaseEvidence,
    record: TurnRecord,
    request: RecordedRequest,
    pairs: tuple[tuple[ViewCall, ViewResult], ...],
    known: list[KnownResult],
) -> Iterator[Mismatch]:
    results = [
        {text for tool, ran, text in known if same_call(evidence, tool, ran, call.name, call.arguments)}
        for call, _ in pairs
    ]
    for (call, result), own in zip(pairs, results, strict=True):
        if _has_any(result.text, own):
            continue
        others = {
            text
            for (_, its), texts in zip(pairs, results, strict=True)
            for text in texts - own
            if own or not _has_any(its.text, (text,))  # where none is known, it may be the same
        }
        if taken := next((text for text in sorted(others) if has_result(result.text, text)), None):
            answer = f'with its own result "{quoted(min(own), 60)}"' if own else "without the result of another call"
            yield OWN_RESULT.broken_by(
                record,
                request,
                expected=f"{_shown(call)} {answer}",
                got=f'the result of another call: "{quoted(taken, 60)}"',
            )


class OwnResults:
    """Whether a text has a result that the call returned; None for a call of which none is known."""

    def __init__(self, evidence: CaseEvidence, known: list[KnownResult]) -> None:
        self._evidence = evidence
        self._known = known
        self._as_called: dict[tuple[str, str], set[str]] = {}
        for tool, ran, text in known:
            self._as_called.setdefault((tool, repr(ran)), set()).add(text)
        self._answers: dict[tuple[str, str, str], bool | None] = {}

    def __call__(self, call: ViewCall, text: str) -> bool | None:
        key = call.name, call.arguments_text, text
        if key not in self._answers:
            self._answers[key] = self._answer(call, text)
        return self._answers[key]

    def _answer(self, call: ViewCall, text: str) -> bool | None:
        if _has_any(text, self._as_called.get((call.name, repr(call.arguments)), ())):  # as nearly always
            return True
        own = {one for tool, ran, one in self._known if same_call(self._evidence, tool, ran, call.name, call.arguments)}
        return _has_any(text, own) if own else None


def _has_any(text: str, results: Collection[str]) -> bool:
    return any((one and result_contains(text, one)) or has_result(text, one) for one in results)


def _of_another_round(
    record: TurnRecord,
    request: RecordedRequest,
    in_rounds: list[tuple[tuple[ViewCall, ViewResult], ...]],
    is_own: OwnResults,
) -> Iterator[Mismatch]:
    """Only what stands word for word under two calls is looked at: what replaces old results may quote a newer one."""
    by_text: dict[str, list[tuple[int, ViewCall]]] = {}
    for number, pairs in enumerate(in_rounds):
        for call, result in pairs:
            by_text.setdefault(result.text, []).append((number, call))
    for text, calls in by_text.items():
        if len(calls) == 1:
            continue
        owners = {number: call for number, call in calls if is_own(call, text)}
        for number, call in calls if owners else ():
            if number not in owners and is_own(call, text) is False:
                owner = owners[min(owners)]
                yield OWN_RESULT.broken_by(
                    record,
                    request,
                    expected=f"{_shown(call)} with its own result",
                    got=f'the result of another reply, of {_shown(owner)}: "{quoted(text, 60)}"',
                )


def _shown(call: ViewCall) -> str:
    return f"the call of {call.name} with {quoted(call.arguments_text, 60)}"


OWN_RESULT = Law("own-result", check_own_results, Harm.DATA)
