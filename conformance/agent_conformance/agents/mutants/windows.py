"""Bugs with conversations that are longer than the model's window: known by few words, sent again, cut in silence."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from agent_conformance.adapter.types import Tool
from agent_conformance.agents.mutants.history import without
from agent_conformance.agents.mutants.mutant import Mutants
from agent_conformance.agents.reference import Defences, history_repair
from agent_conformance.agents.reference.answers import Answer
from agent_conformance.agents.reference.bounds import Bounds
from agent_conformance.agents.reference.history import Call, Entry, History, Result
from agent_conformance.agents.reference.provider import ProviderError
from agent_conformance.agents.reference.pruning import Shorten, drop_old_turns
from agent_conformance.agents.reference.tools import Offer
from agent_conformance.agents.reference.wires.wire import CompletionRequest

MUTANTS = Mutants()


@MUTANTS.add(
    "M50a_words_of_few_vendors",
    "a full window is known by the words of many vendors",
    "https://github.com/anomalyco/opencode/issues/27629",
    (("limits/too-long-in-other-words[*]", "survives"),),
)
def _words_of_few_vendors(defences: Defences) -> Defences:
    def does_not_fit(error: ProviderError) -> bool:
        return any(words in str(error) for words in ("context length", "context window", "prompt is too long"))

    return replace(defences, does_not_fit=does_not_fit)


@MUTANTS.add(
    "M50g_summary_without_effect",
    "after a compaction that the user asks for, requests stay shorter",
    "https://github.com/open-webui/computer/issues/277",
    (("limits/compaction-on-demand", "4.requests*"),),
)
def _summary_without_effect(defences: Defences) -> Defences:
    def beside(text: str, history: History, start: int) -> History:
        return (*history[:start], Entry("model", text), *history[start:])

    return replace(defences, summarised=beside)


@MUTANTS.add(
    "M50b_error_appended",
    "a request that was too long is not sent again with more in it",
    "https://github.com/CommandCodeAI/command-code/issues/891",
    (("limits/result-larger-than-the-window", "fits"),),
)
def _error_appended(defences: Defences) -> Defences:
    def prune(history: History, budget: int, declared: int, shorten: Shorten) -> History:
        return (*history, Entry("user", "The request was too long." + "." * budget))

    return replace(defences, prune=prune)


@MUTANTS.add(
    "M50c_results_kept",
    "results of the current turn are shortened too, where only they are left",
    "https://github.com/openclaw/openclaw/issues/113701",
    (("limits/window-that-truncates[more-than-both]", "fits"),),
)
def _results_kept(defences: Defences) -> Defences:
    def prune(history: History, budget: int, declared: int, shorten: Shorten) -> History:
        return drop_old_turns(history, budget - declared, shorten)

    return replace(defences, prune=prune)


@MUTANTS.add(
    "M50d_window_of_the_server_unknown",
    "the server is told how much of the conversation to keep",
    "https://github.com/perminder-klair/subwave/pull/293",
    (("limits/window-that-truncates[more-than-the-server-keeps]", "fits"),),
)
def _window_of_the_server_unknown(defences: Defences) -> Defences:
    def without_window(request: CompletionRequest) -> CompletionRequest:
        return replace(defences.full_request(request), window=None)

    return replace(defences, full_request=without_window)


@MUTANTS.add(
    "M50e_summary_with_an_empty_list",
    "the request for a summary has the tools of the conversation, or no list of them",
    "https://github.com/MiniMax-AI/minimax-code/issues/194",
    (("limits/full-after-several-turns", "accepted:openai/tools-empty"),),
)
def _summary_with_an_empty_list(defences: Defences) -> Defences:
    return replace(defences, summary_offer=lambda offer: Offer(()))


@MUTANTS.add(
    "M50f_summary_of_all",
    "a summary takes the place of earlier turns alone",
    "https://github.com/openclaw/openclaw/issues/7865",
    (("limits/full-after-several-turns", "asked"),),
)
def _summary_of_all(defences: Defences) -> Defences:
    def summarised(text: str, history: History, start: int) -> History:
        return defences.summarised(text, history, start)[:1]

    return replace(defences, summarised=summarised)


class BoundedByCall(Bounds):
    """Takes an equal call for a loop, whatever its results were."""

    def record_result(self, key: str, text: str) -> None:
        _, count = self.results.get(key, ("", 0))
        self.results[key] = (text, count + 2)


LOOPS_MUTANTS = Mutants()


@LOOPS_MUTANTS.add(
    "M24a_equal_calls_are_a_loop",
    "an equal call with another result is no loop",
    "mudler/cogito, checkForLoop: calls are counted by name and arguments alone",
    (("loops/polling", "1.executed"),),
)
def _equal_calls_are_a_loop(defences: Defences) -> Defences:
    return replace(defences, bounds=lambda limits: BoundedByCall(requests=limits.requests or 20))


@LOOPS_MUTANTS.add(
    "M24b_results_cached",
    "a tool runs again for a call that is made again",
    "mudler/cogito, checkForLoop: equal calls count wherever they stand in the turn",
    (("loops/polling", "1.executed"), ("loops/call-that-comes-back", "1.executed")),
)
def _results_cached(defences: Defences) -> Defences:
    cached: dict[tuple[int, str], Result] = {}

    async def run(tool: Tool, call: Call, arguments: Mapping[str, Any]) -> Result:
        place = (id(tool), call.key)
        if place not in cached:
            cached[place] = await defences.run_tool(tool, call, arguments)
        return replace(cached[place], call_id=call.id)

    return replace(defences, run_tool=run)


@LOOPS_MUTANTS.add(
    "M24c_equal_call_without_result",
    "each of two equal calls in one reply has a result",
    "https://github.com/NousResearch/hermes-agent/issues/108584",
    (("parallel/equal-calls", "accepted:*"),),
)
def _equal_call_without_result(defences: Defences) -> Defences:
    def entries(answer: Answer, calls: tuple[Call, ...], results: tuple[Result, ...]) -> History:
        by_key = {call.key: result for call, result in reversed(tuple(zip(calls, results, strict=False)))}
        return defences.round_entries(answer, calls, tuple(by_key.values())[::-1])

    return replace(without(defences, history_repair.answer_open_calls), round_entries=entries)
