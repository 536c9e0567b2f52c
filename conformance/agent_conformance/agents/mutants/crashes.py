"""Bugs of agents that were killed at a tool and are started again: the effect twice, or a call without a result."""

from dataclasses import replace
from pathlib import Path

from agent_conformance.agents.mutants.history import without
from agent_conformance.agents.mutants.mutant import Mutant
from agent_conformance.agents.reference import Defences, history_repair
from agent_conformance.agents.reference.history import Call, Entry, History, Result

CREWAI = "https://github.com/crewAIInc/crewAI/issues/5802"
AGENT_FRAMEWORK = "https://github.com/microsoft/agent-framework/issues/3938"


def _open_results(history: History, text: str, *, pending: bool) -> History:
    """Results for the last calls that have none: what the agent finds in its store when it is started again."""
    *before, model, results = history
    done = {result.call_id for result in results.results}

    def result(call: Call) -> Result:
        return Result(call.id, call.name, text, pending=pending)

    missing = tuple(result(call) for call in model.calls if call.id not in done)
    return (*before, model, Entry("results", results=(*results.results, *missing)))


def _open_calls_run_again(defences: Defences) -> Defences:
    def resumed(folder: Path) -> History | None:
        history = defences.load(folder)
        was_at_tools = history is not None and history[-1].role == "results"
        return _open_results(history, "open", pending=True) if history and was_at_tools else history

    return replace(defences, load=resumed)


def _open_calls_blank(defences: Defences) -> Defences:
    def blank(folder: Path) -> History | None:
        history = defences.load(folder)
        was_at_tools = history is not None and history[-1].role == "results"
        return _open_results(history, "", pending=False) if history and was_at_tools else history

    return replace(defences, load=blank)


def _open_calls_unanswered(defences: Defences) -> Defences:
    return without(defences, history_repair.answer_open_calls)


MUTANTS = (
    Mutant(
        "M41a_open_calls_run_again",
        "a call that ran before a crash does not run again after it",
        CREWAI,
        (("turns/killed-at-a-tool[after, within-a-batch]", "once"),),
        _open_calls_run_again,
    ),
    Mutant(
        "M41b_open_calls_blank",
        "the model learns that a call was interrupted",
        AGENT_FRAMEWORK,
        (("turns/killed-at-a-tool[before]", "answered"),),
        _open_calls_blank,
    ),
    Mutant(
        "M41c_open_calls_unanswered",
        "a call that was interrupted by a crash has a result",
        AGENT_FRAMEWORK,
        (("turns/killed-at-a-tool[before]", "accepted:*"),),
        _open_calls_unanswered,
    ),
)
