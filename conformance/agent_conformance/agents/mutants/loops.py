"""Bugs with calls that come again: taken for a loop, answered from memory, or left without a result."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from agent_conformance.adapter.types import Tool
from agent_conformance.agents.mutants.history import without
from agent_conformance.agents.mutants.mutant import Mutant
from agent_conformance.agents.reference import Defences, history_repair
from agent_conformance.agents.reference.answers import Answer
from agent_conformance.agents.reference.bounds import Bounds
from agent_conformance.agents.reference.history import Call, History, Result


class BoundedByCall(Bounds):
    """Takes an equal call for a loop, whatever its results were."""

    def record_result(self, key: str, text: str) -> None:
        _, count = self.results.get(key, ("", 0))
        self.results[key] = (text, count + 2)


def _equal_calls_are_a_loop(defences: Defences) -> Defences:
    return replace(defences, bounds=lambda limits: BoundedByCall(requests=limits.requests or 20))


def _results_cached(defences: Defences) -> Defences:
    cached: dict[tuple[int, str], Result] = {}

    async def run(tool: Tool, call: Call, arguments: Mapping[str, Any]) -> Result:
        place = (id(tool), call.key)
        if place not in cached:
            cached[place] = await defences.run_tool(tool, call, arguments)
        return replace(cached[place], call_id=call.id)

    return replace(defences, run_tool=run)


def _equal_call_without_result(defences: Defences) -> Defences:
    def entries(answer: Answer, calls: tuple[Call, ...], results: tuple[Result, ...]) -> History:
        by_key = {call.key: result for call, result in reversed(tuple(zip(calls, results, strict=False)))}
        return defences.round_entries(answer, calls, tuple(by_key.values())[::-1])

    return replace(without(defences, history_repair.answer_open_calls), round_entries=entries)


MUTANTS = (
    Mutant(
        "M24a_equal_calls_are_a_loop",
        "an equal call with another result is no loop",
        "mudler/cogito, checkForLoop: calls are counted by name and arguments alone",
        (("loops/polling", "1.executed"),),
        _equal_calls_are_a_loop,
    ),
    Mutant(
        "M24b_results_cached",
        "a tool runs again for a call that is made again",
        "mudler/cogito, checkForLoop: equal calls count wherever they stand in the turn",
        (("loops/polling", "1.executed"), ("loops/call-that-comes-back", "1.executed")),
        _results_cached,
    ),
    Mutant(
        "M24c_equal_call_without_result",
        "each of two equal calls in one reply has a result",
        "https://github.com/NousResearch/hermes-agent/issues/108584",
        (("parallel/equal-calls", "accepted:*"),),
        _equal_call_without_result,
    ),
)
