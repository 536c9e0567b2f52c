"""Bugs with what the user says while a turn runs: in the wrong place, in a tool's result, or lost."""

from collections import deque
from dataclasses import replace
from pathlib import Path

from agent_conformance.agents.mutants.mutant import Mutant
from agent_conformance.agents.reference import Defences
from agent_conformance.agents.reference.history import History

OSAURUS = "https://github.com/osaurus-ai/osaurus/pull/2653"
HERMES = "https://github.com/NousResearch/hermes-agent/pull/106317"


def _after_results(history: History) -> list[int]:
    """The places of messages of the user that follow results of tools: said while the turn ran."""
    return [i for i, e in enumerate(history) if i and e.role == "user" and history[i - 1].role == "results"]


def _between_call_and_result(defences: Defences) -> Defences:
    def moved(history: History) -> History:
        entries = list(history)
        for place in _after_results(history):
            entries[place - 1 : place + 1] = reversed(entries[place - 1 : place + 1])
        return tuple(entries)

    return replace(defences, repair_passes=(*defences.repair_passes, moved))


def _smeared_into_result(defences: Defences) -> Defences:
    def smeared(history: History) -> History:
        entries = list(history)
        for place in _after_results(history):
            *others, last = entries[place - 1].results
            noted = replace(last, text=f"{last.text}\n[The user says: {entries[place].text}]")
            entries[place - 1] = replace(entries[place - 1], results=(*others, noted))
        said = _after_results(history)
        return tuple(entry for place, entry in enumerate(entries) if place not in said)

    return replace(defences, repair_passes=(*defences.repair_passes, smeared))


def _begun_again(defences: Defences) -> Defences:
    def begun(history: History) -> History:
        dropped = {place - back for place in _after_results(history) for back in (1, 2)}
        return tuple(entry for place, entry in enumerate(history) if place not in dropped)

    return replace(defences, repair_passes=(*defences.repair_passes, begun))


def _not_heard(defences: Defences) -> Defences:
    def nothing(said: deque[str]) -> History:
        said.clear()
        return ()

    return replace(defences, said_meanwhile=nothing)


def _not_stored(defences: Defences) -> Defences:
    def save(history: History, folder: Path) -> None:
        said = _after_results(history)
        defences.save(tuple(entry for place, entry in enumerate(history) if place not in said), folder)

    return replace(defences, save=save)


MUTANTS = (
    Mutant(
        "M42a_between_call_and_result",
        "what the user says while a tool runs stands after all results",
        OSAURUS,
        (
            ("turns/said-while-a-tool-runs[in-one-session, and-restarted]", "accepted:*"),
            ("turns/said-while-a-tool-runs[in-one-session]", "steered"),
        ),
        _between_call_and_result,
    ),
    Mutant(
        "M42b_smeared_into_result",
        "what the user says stands in no result of a tool",
        HERMES,
        (("turns/said-while-a-tool-runs[in-one-session]", "steered"),),
        _smeared_into_result,
    ),
    Mutant(
        "M42c_not_heard",
        "what the user says while a tool runs reaches the model",
        "https://github.com/nesquena/hermes-webui/issues/2555",
        (("turns/said-while-a-tool-runs[in-one-session]", "steered"),),
        _not_heard,
    ),
    Mutant(
        "M42d_not_stored",
        "what the user said while a tool ran is there after a restart",
        HERMES,
        (("turns/said-while-a-tool-runs[and-restarted]", "steered"),),
        _not_stored,
    ),
    Mutant(
        "M42e_begun_again",
        "what a tool did before the user said something more stays in the conversation",
        "https://github.com/can1357/oh-my-pi/pull/5997",
        (("turns/said-while-a-tool-runs[in-one-session]", "paired"),),
        _begun_again,
    ),
)
