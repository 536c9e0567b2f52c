"""The law `failed-result`: a result says by its flag whether the tool failed, on wires that have such a flag."""

from collections.abc import Iterator
from typing import Any

from agent_conformance.judge.calls import pairing, rounds, same_call
from agent_conformance.judge.case_evidence import CaseEvidence, Mismatch, quoted
from agent_conformance.judge.laws.law import Harm, Law
from agent_conformance.judge.tool_results import SHORT, has_result
from agent_conformance.scenario.base_model import without_pictures
from agent_conformance.scenario.model import CallSpec
from fake_providers import ViewCall
from fake_providers.wire_facts import WIRE_FACTS

Ended = tuple[str, Any, bool, str]
"""A tool, the arguments of a call of it, whether it failed, and what it returned."""


def check_failed_results(evidence: CaseEvidence) -> Iterator[Mismatch]:
    """Advice, of each case once. Calls with equal arguments of which another did not fail are left out."""
    ended = [*_restored(evidence), *_run(evidence)]
    has_failures = any(failed for _, _, failed, _ in ended)
    for record, request in evidence.model_requests():
        flag = WIRE_FACTS[request.target.wire if request.target else evidence.wire].failure_flag
        if request.refused or not flag:
            continue
        for one in rounds(request.view):
            for call, result in pairing(one).pairs:
                if not result.is_error and not has_failures:
                    continue
                alike = _alike(evidence, call, ended)
                if result.is_error and any(_is_success(result.text, one) for one in alike):
                    yield FAILED_RESULT.broken_by(
                        record,
                        request,
                        expected=f"the result of a call of {call.name} that did not fail without {flag}",
                        got=f'a result with it: "{quoted(result.text, 80)}"',
                    )
                    return
                if not result.is_error and alike and all(failed for _, _, failed, _ in alike):
                    yield FAILED_RESULT.broken_by(
                        record,
                        request,
                        expected=f"the result of a call of {call.name} that failed with {flag}",
                        got=f'a result without it: "{quoted(result.text, 80)}"',
                    )
                    return


def _alike(evidence: CaseEvidence, call: ViewCall, ended: list[Ended]) -> list[Ended]:
    """The calls of this tool with these arguments."""
    return [one for one in ended if same_call(evidence, one[0], one[1], call.name, call.arguments)]


def _is_success(text: str, one: Ended) -> bool:
    """Whether the text is what the tool returned: a call that was denied or interrupted may have the flag."""
    _, _, failed, returned = one
    return not failed and len(returned.strip()) >= SHORT and has_result(text, returned)


def _run(evidence: CaseEvidence) -> Iterator[Ended]:
    for record in evidence.transcript.turns:
        for attempt in record.attempts:
            if attempt.accepted and attempt.lost is None:
                yield attempt.tool, attempt.arguments, attempt.failed, attempt.result


def _restored(evidence: CaseEvidence) -> Iterator[Ended]:
    calls: dict[str, CallSpec] = {}
    for message in evidence.scenario.history:
        if message.assistant is not None and not isinstance(message.assistant, str):
            calls |= {call.id: call for call in message.assistant.calls if call.id is not None}
        if message.tool is not None and message.tool.id in calls:
            call = calls[message.tool.id]
            text = without_pictures(message.tool.result)
            yield call.name, call.arguments or {}, message.tool.error, text if isinstance(text, str) else ""


FAILED_RESULT = Law("failed-result", check_failed_results, Harm.DATA, level="should")
