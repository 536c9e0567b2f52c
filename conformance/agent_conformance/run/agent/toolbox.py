"""The scenario's tools as the agent gets them: every attempt is recorded, in order of start."""

import asyncio
import json
import threading
import time
from concurrent.futures import wait
from functools import lru_cache
from typing import Any

from agent_conformance.adapter.types import StructuredResult, Tool, ToolError
from agent_conformance.run.agent.agent_instance import Life
from agent_conformance.run.agent.agent_setup import made, made_result, text_alone
from agent_conformance.run.exceptions import LONGEST
from agent_conformance.run.provider.running_turn import PATIENCE, RunningTurn
from agent_conformance.scenario.base_model import failure_of
from agent_conformance.scenario.model import ToolSpec
from agent_conformance.transcripts.redaction import redacted
from agent_conformance.transcripts.transcript import MOST_ATTEMPTS, Attempt
from fake_providers.values.json_texts import copied, validator_of

BEFORE_THE_END = 0.1
"""Seconds that a tool runs in which the agent is killed: so long a real one takes, and so late an agent may store its
call in the background.
"""


class Toolbox:
    """The tools of one case run; attempts are recorded in the running turn."""

    def __init__(self, specs: list[ToolSpec], turn: RunningTurn | None = None, *, gives_parts: bool = True) -> None:
        self._lock = threading.Lock()
        self._specs = {spec.name: spec for spec in specs}
        self._validators = {spec.name: _validator(json.dumps(spec.parameters)) for spec in specs}
        self._calls: dict[str, int] = {}
        self._gives_parts = gives_parts
        self._attempts = 0
        self._open: list[Attempt] = []
        self._is_killing = False
        self.turn = turn or RunningTurn()
        self.turn.enabled = {spec.name for spec in specs if spec.enabled}

    @property
    def tools(self) -> tuple[Tool, ...]:
        """The tools of an agent that nobody kills."""
        return self.tools_of(Life())

    def tools_of(self, life: Life) -> tuple[Tool, ...]:
        """As one agent gets them. Made anew each time: kept here, they would keep the case run until the next
        garbage collection.
        """
        return tuple(self._tool(spec, life) for spec in self._specs.values())

    def _tool(self, spec: ToolSpec, life: Life) -> Tool:
        def run(arguments: Any) -> Any:
            attempt, delay = self._start(spec, arguments, life)
            if (cancelled := self.turn.attempt_started()) is not None:
                wait([cancelled], timeout=PATIENCE)
            if delay:
                time.sleep(delay)
            return self._finish(spec, attempt, life)

        async def arun(arguments: Any) -> Any:
            attempt, delay = self._start(spec, arguments, life)
            if (cancelled := self.turn.attempt_started()) is not None:
                await asyncio.wait([asyncio.wrap_future(cancelled)], timeout=PATIENCE)
            if delay:
                await asyncio.sleep(delay)
            return self._finish(spec, attempt, life)

        return Tool(
            spec.name,
            spec.description,
            copied(spec.parameters),
            run=run,
            arun=arun,
            is_enabled=lambda: spec.name in self.turn.enabled,
            approval=spec.approval,
            deferred=spec.deferred,
            gives_parts=self._gives_parts,
            output_schema=copied(spec.output_schema),
        )

    def _start(self, spec: ToolSpec, arguments: Any, life: Life) -> tuple[Attempt, float]:
        life.go_on()
        value = _json_value(arguments)
        problem = _problem(self._validators[spec.name], value)
        self.turn.called(spec.name, value)
        with self._lock:
            self._attempts += 1
            record = self.turn.record
            enabled = spec.name in self.turn.enabled
            attempt = Attempt(self._attempts, spec.name, value, problem is None and enabled, enabled)
            if not enabled:
                attempt.result = f"Error: the tool {spec.name} is not available now."
            elif problem is not None:
                attempt.result = f"Error: {spec.name} was not run: {problem}"
            if record is not None and len(record.attempts) < MOST_ATTEMPTS:
                self.turn.note_activity()
                attempt.requests_before = len(record.requests)
                record.attempts.append(attempt)
                attempt.lost = "before" if self._is_killing else self.turn.lost_attempt(len(record.attempts))
                self._is_killing |= attempt.lost == "before"
                self._open.append(attempt)
            elif record is None:
                self.turn.early_attempts.append(attempt)
        delay = float(spec.delay) if attempt.accepted else 0.0
        return attempt, delay if attempt.lost is None else max(delay, BEFORE_THE_END)

    def _finish(self, spec: ToolSpec, attempt: Attempt, life: Life) -> Any:
        life.go_on()
        with self._lock:
            self._open = [other for other in self._open if other is not attempt]
        if attempt.lost is not None:
            # Kill the agent here. Tools that are still running have no effect.
            with self._lock:
                for other in self._open:
                    other.lost = "before"
                self._is_killing = False
            life.kill()
        return self._result(spec, attempt)

    def _result(self, spec: ToolSpec, attempt: Attempt) -> Any:
        if attempt.order <= MOST_ATTEMPTS:
            self.turn.note_activity()
        if not attempt.accepted:
            return attempt.result
        if spec.raises is not None:
            attempt.failed = True
            attempt.result = spec.raises
            raise ToolError(spec.raises)
        with self._lock:
            index = self._calls.get(spec.name, 0)
            self._calls[spec.name] = index + 1
        value = _value(spec, index)
        if (error := failure_of(value)) is not None and spec.results is not None:
            attempt.failed = True
            attempt.result = error
            raise ToolError(error)
        attempt.structured = spec.structured
        attempt.result = text_alone(value if spec.structured is None else spec.structured)
        attempt.enables = tuple(spec.enables)
        self.turn.enabled.update(spec.enables)
        return value


@lru_cache(maxsize=256)
def _validator(schema: str) -> Any:
    """Cached: the other cases of a scenario have the same tools, one after the other."""
    return validator_of(json.loads(schema))


def _value(spec: ToolSpec, index: int) -> Any:
    """What a tool returns when it runs for the time with this index."""
    if spec.structured is not None:
        return StructuredResult(spec.returns or "", copied(spec.structured))
    seed = f"{spec.name} {index}"
    if spec.content is not None:
        return made(spec.content, seed=seed)
    value = spec.results[min(index, len(spec.results) - 1)] if spec.results else spec.returns
    return made_result(copied(value), seed=seed)


def _problem(validator: Any, value: Any) -> str | None:
    """Why the schema does not take the value, in one line, or None."""
    if isinstance(value, _NotJson):
        return f"its arguments are a {value.kind}, which is not a JSON value"
    try:
        error = next(iter(validator.iter_errors(value)), None)
    except UnicodeEncodeError:
        return "its arguments have half a surrogate pair, which no text has"
    if error is None:
        return None
    place = "".join(f"[{part!r}]" for part in error.instance_path)
    return f"arguments{place}: {error.message}"


class _NotJson:
    def __init__(self, kind: str, text: str) -> None:
        self.kind = kind
        self.text = text

    def __repr__(self) -> str:
        return self.text


def _json_value(arguments: Any) -> Any:
    """A copy of the arguments as JSON, so that what the agent does with them later changes nothing."""
    try:
        return json.loads(json.dumps(arguments))
    except (TypeError, ValueError, RecursionError):
        return _NotJson(type(arguments).__name__, _shown(arguments))


def _shown(value: Any) -> str:
    try:
        return redacted(repr(value)[:LONGEST])[:200]
    except Exception:
        return "(it cannot be shown: its __repr__ fails)"
