"""Bugs with tools that the provider runs itself: pauses, and halves of what they leave in the history."""

from dataclasses import replace

from agent_conformance.agents.mutants.history import without
from agent_conformance.agents.mutants.mutant import Mutant
from agent_conformance.agents.reference import Defences
from agent_conformance.agents.reference.bounds import Bounds
from agent_conformance.agents.reference.history import Entry, History
from agent_conformance.agents.reference.history_repair import drop_open_blocks
from agent_conformance.agents.reference.pruning import Shorten


def _pause_is_the_end(defences: Defences) -> Defences:
    return replace(defences, is_to_be_continued=lambda answer: False)


def _open_search_kept(defences: Defences) -> Defences:
    return without(defences, drop_open_blocks)


def _half_of_a_search_kept(defences: Defences) -> Defences:
    def pruned(history: History, budget: int, declared: int, shorten: Shorten) -> History:
        def halved(entry: Entry) -> Entry:
            return replace(entry, blocks=tuple(block for block in entry.blocks if "id" not in block))

        return tuple(halved(entry) for entry in defences.prune(history, budget, declared, shorten))

    return replace(defences, prune=pruned)


class PausesUncounted(Bounds):
    """Counts the requests of a turn, but not those that go on after a pause."""

    @property
    def last_request(self) -> bool:
        return False


def _pauses_uncounted(defences: Defences) -> Defences:
    return replace(defences, bounds=lambda limits: PausesUncounted(requests=limits.requests or 20))


MUTANTS = (
    Mutant(
        "M34d_pauses_uncounted",
        "the requests after a pause count like any other",
        "https://github.com/vellum-ai/vellum-assistant/issues/40145",
        (("finish/paused-at-the-last-request[again-and-again]", "bounded"),),
        _pauses_uncounted,
    ),
    Mutant(
        "M34a_pause_is_the_end",
        "a turn that the provider has paused goes on",
        "https://github.com/WordPress/ai-provider-for-anthropic/issues/29",
        (("finish/paused-turn[search-left-open, between-two-searches]", "1.reply"),),
        _pause_is_the_end,
    ),
    Mutant(
        "M34b_open_search_kept",
        "a search that a pause has left open does not stay in the history",
        "https://github.com/anthropics/anthropic-sdk-python/issues/961",
        (("finish/paused-at-the-last-request[left-open]", "survives"),),
        _open_search_kept,
    ),
    Mutant(
        "M34c_half_of_a_search_kept",
        "pruning drops a search together with what it found",
        "https://github.com/anthropics/claude-code/issues/64026",
        (("history/half-of-a-search-after-pruning", "accepted:*"),),
        _half_of_a_search_kept,
    ),
)
