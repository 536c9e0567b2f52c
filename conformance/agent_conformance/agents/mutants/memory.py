"""Bugs that make an agent forget, repeat or change its history: within a turn, between turns, after a restart, and
where a conversation is longer than the model's window."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
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

OPENCLAWP = "https://github.com/lezama/openclawp/pull/83"
ZEROCLAW = "https://github.com/zeroclaw-labs/zeroclaw/issues/7403"


def last_user_message(history: History) -> int:
    """Where the current turn began."""
    return max((index for index, entry in enumerate(history) if entry.role == "user"), default=0)


def _texts_cut(defences: Defences, role: str) -> Defences:
    def cut(history: History) -> History:
        return tuple(
            replace(entry, text=entry.text[:1000], results=tuple(replace(r, text=r.text[:1000]) for r in entry.results))
            if entry.role == role
            else entry
            for entry in history
        )

    return replace(defences, repair_passes=(*defences.repair_passes, cut))


MUTANTS = Mutants()


@MUTANTS.add(
    "M2o_old_rounds_dropped",
    "the calls and results of earlier turns stay in the history",
    ZEROCLAW,
    (("history/well-formed-is-kept[call-and-result]", "1.requests*"), ("round-trip/restored-call", "1.requests*")),
)
def _old_rounds_dropped(defences: Defences) -> Defences:
    def prose(history: History) -> History:
        now = last_user_message(history)
        return tuple(entry for i, entry in enumerate(history) if i > now or not (entry.calls or entry.results))

    return replace(defences, repair_passes=(*defences.repair_passes, prose))


@MUTANTS.add(
    "M2p_calls_of_gone_tools_cut",
    "a call stays in the history after its tool is gone",
    "https://github.com/mudler/LocalAGI/pull/481",
    (("history/call-of-a-tool-that-is-gone", "accepted:*"), ("no-tools/taken-away-after-a-call", "accepted:*")),
)
def _calls_of_gone_tools_cut(defences: Defences) -> Defences:
    def cut(request: CompletionRequest) -> CompletionRequest:
        offered = {declaration.name for declaration in request.offer.declarations} if request.offer else set()

        def known(entry: Entry) -> Entry:
            calls = tuple(call for call in entry.calls if request.names.get(call.name, call.name) in offered)
            return replace(entry, calls=calls)

        return replace(request, history=tuple(entry for entry in map(known, request.history) if not entry.is_empty))

    return replace(defences, full_request=cut)


@MUTANTS.add(
    "M2q_instructions_repeated",
    "the instructions are sent once, at the start",
    "zeroclaw, the system prompt is not doubled on the second turn",
    (
        ("history/system-message-is-not-doubled", "2.requests*"),
        ("long-sessions/requests-grow-by-what-is-new", "21.requests*"),
    ),
)
def _instructions_repeated(defences: Defences) -> Defences:
    def repeated(history: History) -> History:
        system = "".join(entry.text for entry in history[:1] if entry.role == "system")
        first = next((entry for entry in history if entry.role == "user"), None)
        return tuple(
            replace(entry, text=f"{system}\n\n{entry.text}") if entry.role == "user" and entry is not first else entry
            for entry in history
        )

    return replace(defences, repair_passes=(*defences.repair_passes, repeated))


@MUTANTS.add(
    "M4h_repeated_text_left_out",
    "a result counts, also if its text was in the history before",
    "https://github.com/microsoft/agent-framework/issues/4682",
    (("round-trip/result-comes-back", "accepted:*"),),
)
def _repeated_text_left_out(defences: Defences) -> Defences:
    def once(history: History) -> History:
        earlier: set[str] = set()
        kept = []
        for entry in history:
            new = replace(entry, results=tuple(result for result in entry.results if result.text not in earlier))
            earlier |= {entry.text, *(result.text for result in entry.results)}
            kept += [] if new.is_empty else [new]
        return tuple(kept)

    return replace(defences, repair_passes=(*defences.repair_passes, once))


@MUTANTS.add(
    "M4i_first_result_of_each_tool",
    "a result belongs to its call, not to the name of its tool",
    "https://github.com/mudler/LocalAGI/pull/481",
    (("round-trip/same-tool-in-two-rounds", "own-result"),),
)
def _first_result_of_each_tool(defences: Defences) -> Defences:
    def first(history: History) -> History:
        by_name: dict[str | None, str] = {}
        return tuple(
            replace(entry, results=tuple(replace(r, text=by_name.setdefault(r.name, r.text)) for r in entry.results))
            for entry in history
        )

    return replace(defences, repair_passes=(*defences.repair_passes, first))


@MUTANTS.add(
    "M18a_earlier_turns_forgotten",
    "later requests contain the turns before",
    OPENCLAWP,
    (
        ("round-trip/next-turn-remembers", "kept-whole"),
        ("long-sessions/stored-response-that-is-lost", "kept-whole"),
    ),
)
def _earlier_turns_forgotten(defences: Defences) -> Defences:
    def this_turn(request: CompletionRequest) -> CompletionRequest:
        system = tuple(entry for entry in request.history if entry.role == "system")
        return replace(request, history=(*system, *request.history[last_user_message(request.history) :]))

    return replace(defences, full_request=this_turn)


@MUTANTS.add(
    "M18b_restart_forgets",
    "a conversation survives a restart",
    "zeroclaw, persisted sessions are restored whole",
    (
        ("history/restarted-session", "2.state"),
        ("pairs/restart-and-*", "*.state"),
    ),
)
def _restart_forgets(defences: Defences) -> Defences:
    def nothing(folder: Path) -> History | None:
        return None

    return replace(defences, load=nothing)


@MUTANTS.add(
    "M18c_interrupted_turn_forgotten",
    "the user message of an interrupted turn stays",
    "https://github.com/open-octo/octo-agent/pull/1520",
    (("limits/cancelled-*", "2.should.*"),),
)
def _interrupted_turn_forgotten(defences: Defences) -> Defences:
    return replace(defences, history_on_abort=lambda history, start: history[:start])


MUTANTS.add(
    "M18d_results_cut",
    "a long result is sent whole while nothing limits the context",
    "https://github.com/lucianfialho/effect-gates/issues/69",
    (("round-trip/long-texts[result]", "kept-whole"),),
)(lambda defences: _texts_cut(defences, "results"))


MUTANTS.add(
    "M18e_messages_cut",
    "a long message of the user is sent whole while nothing limits the context",
    "https://github.com/lucianfialho/effect-gates/issues/69",
    (("round-trip/long-texts[message]", "asked"),),
)(lambda defences: _texts_cut(defences, "user"))


@MUTANTS.add(
    "M18f_last_messages_only",
    "a session of short turns is sent whole while nothing limits the context",
    "https://github.com/Tracer-Cloud/opensre/issues/4085",
    (("history/long-history-is-kept", "kept-whole"), ("round-trip/many-turns-are-kept", "kept-whole")),
)
def _last_messages_only(defences: Defences) -> Defences:
    def last_ten(history: History) -> History:
        head = tuple(entry for entry in history[:-10] if entry.role == "system")
        return (*head, *history[-10:])

    return replace(defences, repair_passes=(last_ten, *defences.repair_passes))


@MUTANTS.add(
    "M18g_history_sent_twice",
    "what was said is sent once",
    "https://github.com/NousResearch/hermes-agent/issues/101644",
    (("history/sent-once", "said-once"),),
)
def _history_sent_twice(defences: Defences) -> Defences:
    def twice(history: History) -> History:
        now = last_user_message(history)
        system = tuple(entry for entry in history[:now] if entry.role == "system")
        return (*history[:now], *history[len(system) : now], *history[now:])

    return replace(defences, repair_passes=(*defences.repair_passes, twice))


@MUTANTS.add(
    "M18h_question_added_by_the_retry",
    "a retry of a request does not add the user's message again",
    "https://github.com/RooCodeInc/Roo-Code/pull/9249",
    (("faults/passing", "said-once"), ("faults/lost-connection", "said-once")),
)
def _question_added_by_the_retry(defences: Defences) -> Defences:
    return replace(defences, history_on_retry=lambda history, start: (*history, history[start]))


@MUTANTS.add(
    "M18i_calls_stored_twice",
    "a call of an earlier turn is in the history once",
    "https://github.com/NousResearch/hermes-agent/issues/101644",
    (("round-trip/next-turn-remembers", "said-once"),),
)
def _rounds_stored_twice(defences: Defences) -> Defences:
    def twice(history: History) -> History:
        now = last_user_message(history)
        rounds = [entry for entry in history[:now] if entry.calls or entry.results]
        return (*history[:now], *rounds, *history[now:])

    return replace(defences, repair_passes=(*defences.repair_passes, twice))


@MUTANTS.add(
    "M12b_blank_after_cancel",
    "a cancelled turn leaves no empty message of the model",
    "https://github.com/umbraco/Umbraco.AI/pull/384",
    (("limits/cancelled-at-a-request", "accepted:*"),),
)
def _blank_after_cancel(defences: Defences) -> Defences:
    def aborted(history: History, start: int) -> History:
        return (*history, Entry("model", ""))

    return replace(without(defences, history_repair.drop_empty), history_on_abort=aborted)


WINDOWS_MUTANTS = Mutants()


@WINDOWS_MUTANTS.add(
    "M50a_words_of_few_vendors",
    "a full window is known by the words of many vendors",
    "https://github.com/anomalyco/opencode/issues/27629",
    (("limits/too-long-in-other-words[*]", "survives"),),
)
def _words_of_few_vendors(defences: Defences) -> Defences:
    def does_not_fit(error: ProviderError) -> bool:
        return any(words in str(error) for words in ("context length", "context window", "prompt is too long"))

    return replace(defences, does_not_fit=does_not_fit)


@WINDOWS_MUTANTS.add(
    "M50g_summary_without_effect",
    "after a compaction that the user asks for, requests stay shorter",
    "https://github.com/open-webui/computer/issues/277",
    (("limits/compaction-on-demand", "4.requests*"),),
)
def _summary_without_effect(defences: Defences) -> Defences:
    def beside(text: str, history: History, start: int) -> History:
        return (*history[:start], Entry("model", text), *history[start:])

    return replace(defences, summarised=beside)


@WINDOWS_MUTANTS.add(
    "M50b_error_appended",
    "a request that was too long is not sent again with more in it",
    "https://github.com/CommandCodeAI/command-code/issues/891",
    (("limits/result-larger-than-the-window", "fits"),),
)
def _error_appended(defences: Defences) -> Defences:
    def prune(history: History, budget: int, declared: int, shorten: Shorten) -> History:
        return (*history, Entry("user", "The request was too long." + "." * budget))

    return replace(defences, prune=prune)


@WINDOWS_MUTANTS.add(
    "M50c_results_kept",
    "results of the current turn are shortened too, where only they are left",
    "https://github.com/openclaw/openclaw/issues/113701",
    (("limits/window-that-truncates[more-than-both]", "fits"),),
)
def _results_kept(defences: Defences) -> Defences:
    def prune(history: History, budget: int, declared: int, shorten: Shorten) -> History:
        return drop_old_turns(history, budget - declared, shorten)

    return replace(defences, prune=prune)


@WINDOWS_MUTANTS.add(
    "M50d_window_of_the_server_unknown",
    "the server is told how much of the conversation to keep",
    "https://github.com/perminder-klair/subwave/pull/293",
    (("limits/window-that-truncates[more-than-the-server-keeps]", "fits"),),
)
def _window_of_the_server_unknown(defences: Defences) -> Defences:
    def without_window(request: CompletionRequest) -> CompletionRequest:
        return replace(defences.full_request(request), window=None)

    return replace(defences, full_request=without_window)


@WINDOWS_MUTANTS.add(
    "M50e_summary_with_an_empty_list",
    "the request for a summary has the tools of the conversation, or no list of them",
    "https://github.com/MiniMax-AI/minimax-code/issues/194",
    (("limits/full-after-several-turns", "accepted:openai/tools-empty"),),
)
def _summary_with_an_empty_list(defences: Defences) -> Defences:
    return replace(defences, summary_offer=lambda offer: Offer(()))


@WINDOWS_MUTANTS.add(
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
