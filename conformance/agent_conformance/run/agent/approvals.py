"""The user of a case, who allows or denies calls of tools with `approval`. Every question is recorded.

Knows the running turn; no provider and no wire.
"""

import asyncio
import json
import threading
from concurrent.futures import wait
from typing import Any

from agent_conformance.adapter.types import Pending, ToolCall
from agent_conformance.judge.calls import same_arguments
from agent_conformance.run.agent.agent_instance import Life
from agent_conformance.run.provider.running_turn import PATIENCE, RunningTurn
from agent_conformance.scenario.model import ToolSpec, UserAnswer
from agent_conformance.transcripts.transcript import Approval, TurnRecord

MOST_QUESTIONS = 1000
"""So many are recorded in a turn."""


class Approver:
    """Belongs to the `life` of one agent. Any thread may ask. What the scenario does not answer is denied."""

    def __init__(self, specs: list[ToolSpec], turn: RunningTurn, life: Life) -> None:
        self._life = life
        self._specs = {spec.name: spec for spec in specs}
        self._turn = turn
        self._lock = threading.Lock()

    def approve(self, call: ToolCall) -> bool:
        """Whether the user allows the call. Raises `Pending`."""
        answer = self._asked(call)
        if (cancelled := self._turn.question_asked()) is not None:
            wait([cancelled], timeout=PATIENCE)
        return _given(call, answer)

    async def aapprove(self, call: ToolCall) -> bool:
        """The same for asynchronous agents."""
        answer = self._asked(call)
        if (cancelled := self._turn.question_asked()) is not None:
            await asyncio.wait([asyncio.wrap_future(cancelled)], timeout=PATIENCE)
        return _given(call, answer)

    def _asked(self, call: ToolCall) -> UserAnswer:
        self._life.go_on()
        name, arguments = str(call.name), _own_copy(call.arguments)
        spec, record = self._specs.get(name), self._turn.record
        if spec is None or spec.approval is None:
            return True
        if record is None:
            return False
        if isinstance(arguments, dict):
            arguments = {key: value for key, value in arguments.items() if key not in self._turn.added.get(name, ())}
        with self._lock:
            return self._answer(spec, record, arguments)

    def _answer(self, spec: ToolSpec, record: TurnRecord, arguments: Any) -> UserAnswer:
        self._turn.note_activity()
        given = record.turn.approve.get(spec.name, False)
        answer = _of_call(spec, record, arguments, given) if isinstance(given, list) else given
        if len(record.approvals) < MOST_QUESTIONS:
            record.approvals.append(
                Approval(
                    spec.name,
                    arguments,
                    answer,
                    attempts_before=len(record.attempts),
                    requests_before=len(record.requests),
                )
            )
        return answer


def _given(call: ToolCall, answer: UserAnswer) -> bool:
    if answer == "pending":
        raise Pending(f"the user has not yet said whether {call.name} may run")
    return answer


def _own_copy(arguments: Any) -> Any:
    """The arguments as JSON, read before the lock is taken: a mapping may be the agent's own class."""
    try:
        return None if arguments is None else json.loads(json.dumps(dict(arguments)))
    except RecursionError:
        return {}


def _of_call(spec: ToolSpec, record: TurnRecord, arguments: Any, answers: list[UserAnswer]) -> UserAnswer:
    """The answer about the call with these arguments. Equal ones take turns; one that nobody made is denied.

    An agent that does not say them asks in the order of the calls.
    """
    requests = [request for request in record.requests if request.kind != "retry"]
    alike = [
        number
        for number, call in enumerate(
            [call for request in requests for call in request.calls if call.name == spec.name]
        )
        if arguments is None or same_arguments(arguments, call.spec.arguments or {}, spec.parameters)
    ]
    if not alike:
        return False
    asked = sum(
        approval.tool == spec.name
        and (arguments is None or same_arguments(arguments, approval.arguments, spec.parameters))
        for approval in record.approvals
    )
    return answers[min(alike[min(asked, len(alike) - 1)], len(answers) - 1)]
