"""The calls of the model in a case, native and as text, and what each allows to run. Knows no laws."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from agent_conformance.judge.arguments import read_arguments
from agent_conformance.judge.evidence import CaseEvidence
from agent_conformance.record.transcript import SCRIPTED, RecordedRequest, TurnRecord
from agent_conformance.scenario.model import CallSpec
from fake_providers.values.json_texts import read_json

UNREADABLE = object()
"""The arguments of a call whose text is no JSON object: no tool may run for it."""


@dataclass(frozen=True, slots=True)
class ModelCall:
    """One call of the model. `order` counts requests over the whole case; `arrived`: the agent got the whole call."""

    order: int
    turn: int
    request: RecordedRequest
    name: str
    runs: tuple[str, ...]
    arguments: Any
    offered: frozenset[str]
    enabled: frozenset[str]
    arrived: bool
    native: bool
    id: str | None = None
    text: str | None = None

    def allows(self, tool: str) -> bool:
        return tool in self.runs

    def is_passed_on_in(self, arguments: Any) -> bool:
        """Whether an attempt passes the argument text on as it is, or parsed, so that the tool refuses it."""
        if self.text is None:
            return False
        if arguments == self.text:
            return True
        try:
            return arguments in (read_json(self.text), read_arguments(self.text))
        except ValueError:
            return False


def model_calls(evidence: CaseEvidence) -> list[ModelCall]:
    """All calls in order, those of a retried request counted once."""
    calls: list[ModelCall] = []
    order = 0
    for record in evidence.transcript.turns:
        for request in record.requests:
            order += 1
            if request.kind in SCRIPTED and request.spec is not None:
                calls += _of_request(order, record, request)
    return calls


def _of_request(order: int, record: TurnRecord, request: RecordedRequest) -> Iterator[ModelCall]:
    spec = request.spec
    assert spec is not None
    fault = request.reply.fault if request.reply is not None else None
    if fault is not None and fault.hides_reply:
        return
    for served in request.calls:
        yield ModelCall(
            order,
            record.number,
            request,
            served.name,
            (served.name, *served.spec.may_run),
            arguments_of(served.spec),
            request.offered,
            record.enabled,
            spec.finish not in ("length",) and request.complete is not False,
            True,
            served.id,
            served.spec.arguments_text,
        )
    if spec.means is not None and spec.means.handling in ("run", "run_or_hide"):
        for call in spec.means.calls:
            yield ModelCall(
                order,
                record.number,
                request,
                call.name,
                (call.name, *call.may_run),
                arguments_of(call),
                request.offered,
                record.enabled,
                True,
                False,
            )


def arguments_of(call: CallSpec) -> Any:
    """The arguments with which a correct agent runs the tool, or `UNREADABLE`."""
    if call.arguments_text is None:
        return call.arguments or {}
    if call.means is not None:
        return call.means.arguments
    try:
        value = read_arguments(call.arguments_text)
    except ValueError:
        return UNREADABLE
    return value if isinstance(value, dict) else UNREADABLE
