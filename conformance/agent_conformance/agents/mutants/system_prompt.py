"""Bugs that lose or change the system prompt in the middle of a conversation."""

import itertools
from collections.abc import Iterable, Mapping
from dataclasses import replace

from agent_conformance.adapter.types import Tool
from agent_conformance.agents.mutants.mutant import Mutants
from agent_conformance.agents.reference import Defences
from agent_conformance.agents.reference.history import History
from agent_conformance.agents.reference.pruning import Shorten

MUTANTS = Mutants()


@MUTANTS.add(
    "M2t_system_prompt_pruned",
    "the system prompt stays when a history is pruned",
    "https://github.com/browser-use/agent-sdk/issues/3",
    (("limits/instructions-after-pruning", "system-kept"),),
)
def _system_prompt_pruned(defences: Defences) -> Defences:
    def prune(history: History, budget: int, declared: int, shorten: Shorten) -> History:
        pruned = defences.prune(history, budget, declared, shorten)
        return pruned if pruned == history else tuple(entry for entry in pruned if entry.role != "system")

    return replace(defences, prune=prune)


@MUTANTS.add(
    "M2u_instructed_once",
    "the system prompt stays when a result is sent",
    "https://github.com/github/copilot-cli/issues/2895",
    (("limits/instructions-after-pruning", "system-kept"),),
)
def _prompt_dropped_with_results(defences: Defences) -> Defences:
    def first_request_only(history: History) -> History:
        answered = history[-1].role == "results"
        return tuple(entry for entry in history if entry.role != "system") if answered else history

    return replace(defences, repair_passes=(*defences.repair_passes, first_request_only))


@MUTANTS.add(
    "M26a_clock_in_prompt",
    "the system prompt is the same in every request, so that prompt caches are hit",
    "https://github.com/goruck/home-generative-agent/issues/617",
    (("loops/several-rounds", "steady-prefix"),),
)
def _clock_in_prompt(defences: Defences) -> Defences:
    count = itertools.count(1)

    def text(system: str, enabled: Mapping[str, Tool], known: Iterable[Tool]) -> str:
        return f"This is request {next(count)} of the day.\n{defences.system_text(system, enabled, known)}"

    return replace(defences, system_text=text)
