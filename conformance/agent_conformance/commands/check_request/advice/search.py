"""Searches the change that takes least away and makes the body accepted. Each is tried on the fake."""

import heapq
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import count
from typing import Any

from agent_conformance.cassettes.wires_of_bodies import PATHS
from agent_conformance.commands.check_request.advice.edits import Edit, Operation, edited
from agent_conformance.commands.check_request.advice.missing_edits import missing_edits
from agent_conformance.commands.check_request.advice.naming_edits import naming_edits
from agent_conformance.commands.check_request.advice.order_edits import order_edits
from agent_conformance.commands.check_request.advice.pairing_edits import pairing_edits
from agent_conformance.commands.check_request.advice.promises import keeps_promises
from agent_conformance.commands.check_request.advice.refused_request import RefusedRequest, refused_request
from agent_conformance.commands.check_request.advice.removals import removals
from agent_conformance.commands.check_request.advice.schema_edits import schema_edits
from agent_conformance.commands.check_request.advice.value_edits import value_edits
from agent_conformance.commands.check_request.targets import Target
from fake_providers import Violation, judge
from fake_providers.provider_facts import own_provider

SOURCES: tuple[Callable[[RefusedRequest], Iterator[Edit]], ...] = (
    value_edits,
    missing_edits,
    naming_edits,
    pairing_edits,
    order_edits,
    schema_edits,
    removals,
)
MOST_TRIES = 600
MOST_BYTES = 8 * 1024 * 1024
"""Of the bodies that are judged: it bounds the time for a large one, and gives the same advice on every machine."""
FEWEST_TRIES = 40
JSON_HEADERS = {"content-type": "application/json"}
MOST_EDITS = 8
ANOTHER_EDIT = 2
"""What each further edit of a change costs."""
DEARER = 45
"""How much more than the best change an alternative may cost."""


@dataclass(frozen=True, slots=True)
class Trial:
    """Where edited bodies are sent."""

    target: Target
    headers: Mapping[str, str]

    def judge(self, body: Any) -> Violation | None:
        return judge(self.target.provider, self.target.path, json.dumps(body).encode(), self.headers)

    def own_rule(self, body: Any) -> str:
        """The rule of the wire's own provider that the body breaks, or "". Others may not check what it does."""
        own = own_provider(self.target.wire)
        if self.target.provider == own or self.target.wire == "gemini-generate":
            return ""
        violation = judge(own, PATHS[self.target.wire], json.dumps(body).encode(), JSON_HEADERS)
        return violation.rule if violation else ""


@dataclass(frozen=True, slots=True)
class Change:
    """Edits after which the provider accepts the body, in their order."""

    edits: tuple[Edit, ...]

    @property
    def words(self) -> str:
        return "; then ".join(f"{edit.words} ({edit.note})" if edit.note else edit.words for edit in self.edits)

    @property
    def operations(self) -> tuple[Operation, ...]:
        """Of all edits, as one JSON Patch."""
        return tuple(operation for edit in self.edits for operation in edit.operations)


@dataclass(frozen=True, slots=True)
class _State:
    body: Any
    edits: tuple[Edit, ...]
    violation: Violation
    known: frozenset[tuple[str, str, str]]


def changes(trial: Trial, body: Any, violation: Violation) -> tuple[Change, ...]:
    """The change that costs least, and one of another kind if there is one; none within the bound: nothing."""
    found: list[Change] = []
    limit = None
    for cost, change in _accepted(trial, body, violation):
        if limit is not None and cost > limit:
            break
        if not found:
            found.append(change)
            limit = cost + DEARER
            if len(change.edits) > 1:
                break
        elif len(change.edits) == 1 and change.edits[0].kind != found[0].edits[0].kind:
            found.append(change)
            break
    return tuple(found)


def _accepted(trial: Trial, body: Any, violation: Violation) -> Iterator[tuple[int, Change]]:
    """Changes that are accepted, the cheapest first."""
    numbers = count()
    start = _State(body, (), violation, frozenset({_fault(violation)}))
    waiting: list[tuple[int, int, _State, Edit]] = []
    _extend(waiting, numbers, trial, start, 0)
    tried: set[str] = set()
    own_rule = trial.own_rule(body)
    most = left = max(FEWEST_TRIES, min(MOST_TRIES, MOST_BYTES // max(1, len(json.dumps(body)))))
    while waiting and left:
        cost, _, state, edit = heapq.heappop(waiting)
        after = _after(body, state, edit)
        if after is None or (text := json.dumps(after, sort_keys=False)) in tried:
            continue
        tried.add(text)
        left -= 1
        violation_left = trial.judge(after)
        if violation_left is None and trial.own_rule(after) not in ("", own_rule):
            continue
        edits = (*state.edits, edit)
        if violation_left is None:
            yield cost, Change(edits)
            left = min(left, most // 6)
        elif _fault(violation_left) not in state.known and len(edits) < MOST_EDITS:
            known = state.known | {_fault(violation_left)}
            _extend(waiting, numbers, trial, _State(after, edits, violation_left, known), cost + ANOTHER_EDIT)


def _after(first: Any, state: _State, edit: Edit) -> Any:
    """The edited body; None where an edit does not fit, changes nothing, or breaks a promise."""
    try:
        after = edited(state.body, edit.operations)
    except (LookupError, TypeError):
        return None
    return after if after != state.body and keeps_promises(first, after) else None


def _extend(
    waiting: list[tuple[int, int, _State, Edit]], numbers: Iterator[int], trial: Trial, state: _State, cost: int
) -> None:
    request = refused_request(trial.target.provider, trial.target.wire, state.body, state.violation)
    touched = {operation.place for edit in state.edits for operation in edit.operations if _is_final(operation)}
    for source in SOURCES:
        for edit in source(request):
            if touched and any(operation.place in touched for operation in edit.operations):
                continue
            heapq.heappush(waiting, (cost + edit.cost, next(numbers), state, edit))


def _is_final(operation: Operation) -> bool:
    """What was set or removed is not set again; entries of a list change their places."""
    return operation.op == "replace" or (operation.op == "remove" and isinstance(operation.place[-1], str))


def _fault(violation: Violation) -> tuple[str, str, str]:
    """The same refusal again is no progress."""
    return violation.rule, violation.at, violation.message
