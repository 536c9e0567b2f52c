"""Bugs with conversations that are longer than the model's window: known by few words, sent again, cut in silence."""

from dataclasses import replace

from agent_conformance.agents.mutants.mutant import Mutant
from agent_conformance.agents.reference import Defences
from agent_conformance.agents.reference.history import Entry, History
from agent_conformance.agents.reference.provider import ProviderError
from agent_conformance.agents.reference.pruning import Shorten, drop_old_turns
from agent_conformance.agents.reference.tools import Offer
from agent_conformance.agents.reference.wires.wire import CompletionRequest


def _words_of_few_vendors(defences: Defences) -> Defences:
    def does_not_fit(error: ProviderError) -> bool:
        return any(words in str(error) for words in ("context length", "context window", "prompt is too long"))

    return replace(defences, does_not_fit=does_not_fit)


def _error_appended(defences: Defences) -> Defences:
    def prune(history: History, budget: int, declared: int, shorten: Shorten) -> History:
        return (*history, Entry("user", "The request was too long." + "." * budget))

    return replace(defences, prune=prune)


def _results_kept(defences: Defences) -> Defences:
    def prune(history: History, budget: int, declared: int, shorten: Shorten) -> History:
        return drop_old_turns(history, budget - declared, shorten)

    return replace(defences, prune=prune)


def _window_of_the_server_unknown(defences: Defences) -> Defences:
    def without_window(request: CompletionRequest) -> CompletionRequest:
        return replace(defences.full_request(request), window=None)

    return replace(defences, full_request=without_window)


def _summary_with_an_empty_list(defences: Defences) -> Defences:
    return replace(defences, summary_offer=lambda offer: Offer(()))


def _summary_of_all(defences: Defences) -> Defences:
    def summarised(text: str, history: History, start: int) -> History:
        return defences.summarised(text, history, start)[:1]

    return replace(defences, summarised=summarised)


MUTANTS = (
    Mutant(
        "M50a_words_of_few_vendors",
        "a full window is known by the words of many vendors",
        "https://github.com/anomalyco/opencode/issues/27629",
        (("limits/too-long-in-other-words[*]", "survives"),),
        _words_of_few_vendors,
    ),
    Mutant(
        "M50b_error_appended",
        "a request that was too long is not sent again with more in it",
        "https://github.com/CommandCodeAI/command-code/issues/891",
        (("limits/result-larger-than-the-window", "fits"),),
        _error_appended,
    ),
    Mutant(
        "M50c_results_kept",
        "results of the current turn are shortened too, where only they are left",
        "https://github.com/openclaw/openclaw/issues/113701",
        (("limits/window-that-truncates[more-than-both]", "fits"),),
        _results_kept,
    ),
    Mutant(
        "M50d_window_of_the_server_unknown",
        "the server is told how much of the conversation to keep",
        "https://github.com/perminder-klair/subwave/pull/293",
        (("limits/window-that-truncates[more-than-the-server-keeps]", "fits"),),
        _window_of_the_server_unknown,
    ),
    Mutant(
        "M50e_summary_with_an_empty_list",
        "the request for a summary has the tools of the conversation, or no list of them",
        "https://github.com/MiniMax-AI/minimax-code/issues/194",
        (("limits/full-after-several-turns", "accepted:openai/tools-empty"),),
        _summary_with_an_empty_list,
    ),
    Mutant(
        "M50f_summary_of_all",
        "a summary takes the place of earlier turns alone",
        "https://github.com/openclaw/openclaw/issues/7865",
        (("limits/full-after-several-turns", "asked"),),
        _summary_of_all,
    ),
)
