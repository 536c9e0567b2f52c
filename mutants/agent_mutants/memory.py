"""Bugs that make an agent forget, repeat or change its history: within a turn, between turns, after a restart, and
where a conversation is longer than the model's window."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from agent_conformance.adapter.types import Tool
from agent_conformance.agents.reference import Defences, prompts
from agent_conformance.agents.reference.answers import Answer
from agent_conformance.agents.reference.bounds import Bounds
from agent_conformance.agents.reference.history import Call, Entry, History, Result
from agent_conformance.agents.reference.history_repair import RepairPass
from agent_conformance.agents.reference.provider import ProviderError
from agent_conformance.agents.reference.pruning import Shorten, drop_old_turns
from agent_conformance.agents.reference.tools import Offer
from agent_conformance.agents.reference.wires import CompletionRequest
from agent_mutants.mutant import RIGHT, Mutants

OPENCLAWP = "https://github.com/lezama/openclawp/pull/83"
ZEROCLAW = "https://github.com/zeroclaw-labs/zeroclaw/issues/7403"


def last_user_message(history: History) -> int:
    """Where the current turn began."""
    return max((index for index, entry in enumerate(history) if entry.role == "user"), default=0)


def texts_cut(role: str) -> RepairPass:
    def cut(history: History) -> History:
        return tuple(
            replace(entry, text=entry.text[:1000], results=tuple(replace(r, text=r.text[:1000]) for r in entry.results))
            if entry.role == role
            else entry
            for entry in history
        )

    return cut


# The rows of a table, laid out so that they can be compared.
# fmt: off
MUTANTS = Mutants()

@MUTANTS.replaces("last_pass", "the calls and results of earlier turns stay in the history",
    ZEROCLAW,
    {"history/well-formed-is-kept[call-and-result]": "1.requests*", "round-trip/restored-call": "1.requests*"})
def M2o_old_rounds_dropped(history: History) -> History:
    now = last_user_message(history)
    return tuple(entry for i, entry in enumerate(history) if i > now or not (entry.calls or entry.results))

@MUTANTS.replaces("full_request", "a call stays in the history after its tool is gone",
    "https://github.com/mudler/LocalAGI/pull/481",
    {"history/call-of-a-tool-that-is-gone": "accepted:*", "no-tools/taken-away-after-a-call": "accepted:*"})
def M2p_calls_of_gone_tools_cut(request: CompletionRequest) -> CompletionRequest:
    offered = {declaration.name for declaration in request.offer.declarations} if request.offer else set()

    def known(entry: Entry) -> Entry:
        calls = tuple(call for call in entry.calls if request.names.get(call.name, call.name) in offered)
        return replace(entry, calls=calls)

    return replace(request, history=tuple(entry for entry in map(known, request.history) if not entry.is_empty))

@MUTANTS.replaces("last_pass", "the instructions are sent once, at the start",
    "zeroclaw, the system prompt is not doubled on the second turn",
    {"history/system-message-is-not-doubled": "2.requests*",
     "long-sessions/requests-grow-by-what-is-new": "21.requests*"})
def M2q_instructions_repeated(history: History) -> History:
    system = "".join(entry.text for entry in history[:1] if entry.role == "system")
    first = next((entry for entry in history if entry.role == "user"), None)
    return tuple(
        replace(entry, text=f"{system}\n\n{entry.text}") if entry.role == "user" and entry is not first else entry
        for entry in history
    )

@MUTANTS.replaces("last_pass", "a result counts, also if its text was in the history before",
    "https://github.com/microsoft/agent-framework/issues/4682", {"round-trip/result-comes-back": "accepted:*"})
def M4h_repeated_text_left_out(history: History) -> History:
    earlier: set[str] = set()
    kept = []
    for entry in history:
        new = replace(entry, results=tuple(result for result in entry.results if result.text not in earlier))
        earlier |= {entry.text, *(result.text for result in entry.results)}
        kept += [] if new.is_empty else [new]
    return tuple(kept)

@MUTANTS.replaces("last_pass", "a result belongs to its call, not to the name of its tool",
    "https://github.com/mudler/LocalAGI/pull/481", {"round-trip/same-tool-in-two-rounds": "own-result"})
def M4i_first_result_of_each_tool(history: History) -> History:
    by_name: dict[str | None, str] = {}
    return tuple(
        replace(entry, results=tuple(replace(r, text=by_name.setdefault(r.name, r.text)) for r in entry.results))
        for entry in history
    )

@MUTANTS.replaces("full_request", "later requests contain the turns before",
    OPENCLAWP,
    {"round-trip/next-turn-remembers": "kept-whole", "long-sessions/stored-response-that-is-lost": "kept-whole"})
def M18a_earlier_turns_forgotten(request: CompletionRequest) -> CompletionRequest:
    system = tuple(entry for entry in request.history if entry.role == "system")
    return replace(request, history=(*system, *request.history[last_user_message(request.history) :]))

@MUTANTS.replaces("load", "a conversation survives a restart",
    "zeroclaw, persisted sessions are restored whole",
    {"history/restarted-session": "restored", "pairs/restart-and-*": "restored"})
def M18b_restart_forgets(folder: Path) -> History | None:
    return None

@MUTANTS.replaces("load", "the model's answers survive a restart",
    "https://github.com/zeroclaw-labs/zeroclaw/issues/7403",
    {"turns/sessions-over-a-restart": "restored", "history/restarted-session": "restored"})
def M18j_restart_forgets_answers(folder: Path) -> History | None:
    history = RIGHT.load(folder)
    return tuple(entry for entry in history if entry.role != "model" or entry.calls) if history else history

@MUTANTS.changes("the instructions are in the history once, also after a restart",
    "zeroclaw, the system prompt is not doubled on the second turn", {"turns/sessions-over-a-restart": "restored"})
def M18k_instructions_stored_too(defences: Defences) -> Defences:
    sent: list[Entry] = []

    def text(system: str, enabled: Mapping[str, Tool], known: Iterable[Tool]) -> str:
        sent[:] = [Entry("system", system)]
        return defences.system_text(system, enabled, known)

    def save(history: History, folder: Path) -> None:
        defences.save(history if history[0].role == "system" else (*sent, *history), folder)

    return replace(defences, system_text=text, save=save)

MUTANTS.row("M18c_interrupted_turn_forgotten", "the user message of an interrupted turn stays",
    "https://github.com/open-octo/octo-agent/pull/1520",
    {"limits/cancelled-*": "2.should.*", "limits/done-before-it-was-cancelled": "restored",
     "finish/done-before-it-failed": "restored"},
    history_on_abort=lambda history, start: history[:start])

@MUTANTS.replaces("history_on_abort", "what the model had read before the user cancelled the turn stays",
    "https://github.com/earendil-works/pi/issues/3344", {"limits/done-before-it-was-cancelled": "arrives"})
def M899_results_of_a_cancelled_turn(history: History, start: int) -> History:
    cancelled = (
        replace(entry, results=tuple(replace(result, text="Cancelled.") for result in entry.results))
        for entry in history[start:]
    )
    return RIGHT.history_on_abort((*history[:start], *cancelled), start)

MUTANTS.row("M18d_results_cut", "a long result is sent whole while nothing limits the context",
    "https://github.com/lucianfialho/effect-gates/issues/69", {"round-trip/long-texts[result]": "kept-whole"},
    last_pass=texts_cut("results"))

MUTANTS.row("M18e_messages_cut", "a long message of the user is sent whole while nothing limits the context",
    "https://github.com/lucianfialho/effect-gates/issues/69", {"round-trip/long-texts[message]": "asked"},
    last_pass=texts_cut("user"))

@MUTANTS.replaces("first_pass", "a session of short turns is sent whole while nothing limits the context",
    "https://github.com/Tracer-Cloud/opensre/issues/4085",
    {"history/long-history-is-kept": "kept-whole", "round-trip/many-turns-are-kept": "kept-whole"})
def M18f_last_messages_only(history: History) -> History:
    head = tuple(entry for entry in history[:-10] if entry.role == "system")
    return (*head, *history[-10:])

@MUTANTS.replaces("last_pass", "what was said is sent once",
    "https://github.com/NousResearch/hermes-agent/issues/101644", {"history/sent-once": "said-once"})
def M18g_history_sent_twice(history: History) -> History:
    now = last_user_message(history)
    system = tuple(entry for entry in history[:now] if entry.role == "system")
    return (*history[:now], *history[len(system) : now], *history[now:])

MUTANTS.row("M18h_question_added_by_the_retry", "a retry of a request does not add the user's message again",
    "https://github.com/RooCodeInc/Roo-Code/pull/9249",
    {"faults/passing": "said-once", "faults/lost-connection": "said-once"},
    history_on_retry=lambda history, start: (*history, history[start]))

@MUTANTS.replaces("last_pass", "a call of an earlier turn is in the history once",
    "https://github.com/NousResearch/hermes-agent/issues/101644", {"round-trip/next-turn-remembers": "said-once"})
def M18i_calls_stored_twice(history: History) -> History:
    now = last_user_message(history)
    rounds = [entry for entry in history[:now] if entry.calls or entry.results]
    return (*history[:now], *rounds, *history[now:])

@MUTANTS.replaces("history_on_abort", "a cancelled turn leaves no empty message of the model",
    "https://github.com/umbraco/Umbraco.AI/pull/384", {"limits/cancelled-at-a-request": "accepted:*"}, drop_empty=None)
def M12b_blank_after_cancel(history: History, start: int) -> History:
    return (*history, Entry("model", ""))

WINDOWS = Mutants()

@WINDOWS.replaces("does_not_fit", "a full window is known by the words of many vendors",
    "https://github.com/anomalyco/opencode/issues/27629", {"limits/too-long-in-other-words[*]": "survives"})
def M50a_words_of_few_vendors(error: ProviderError) -> bool:
    return any(words in str(error) for words in ("context length", "context window", "prompt is too long"))

@WINDOWS.replaces("summarised", "after a compaction that the user asks for, requests stay shorter",
    "https://github.com/open-webui/computer/issues/277", {"limits/compaction-on-demand": "4.requests*"})
def M50g_summary_without_effect(text: str, history: History, start: int) -> History:
    return (*history[:start], Entry("model", text), *history[start:])

@WINDOWS.changes("what a summary has taken the place of does not come back after a restart",
    "https://github.com/open-webui/computer/issues/277",
    {"limits/compaction-outlives-a-restart": "restored", "pairs/*-with-compaction": "restored",
     **{f"pairs/compaction-with-{other}": "restored" for other in ("fallback", "overload", "pictures")}})
def M50h_compaction_not_stored(defences: Defences) -> Defences:
    older: dict[str, History] = {}

    def summarised(text: str, history: History, start: int) -> History:
        older["it"] = history[:start]
        return defences.summarised(text, history, start)

    def save(history: History, folder: Path) -> None:
        defences.save((*older.get("it", ()), *history), folder)

    return replace(defences, summarised=summarised, save=save)

@WINDOWS.replaces("prune", "a request that was too long is not sent again with more in it",
    "https://github.com/CommandCodeAI/command-code/issues/891", {"limits/result-larger-than-the-window": "fits"})
def M50b_error_appended(history: History, budget: int, declared: int, shorten: Shorten) -> History:
    return (*history, Entry("user", "The request was too long." + "." * budget))

@WINDOWS.replaces("prune", "a text beside a call goes with its call",
    "https://github.com/tamaratran/fast-jev-compaction/issues/65",
    {"limits/words-go-with-their-calls": "whole-rounds"})
def M50i_calls_dropped_alone(history: History, budget: int, declared: int, shorten: Shorten) -> History:
    now = last_user_message(history)
    words = (replace(entry, calls=()) for entry in history[:now] if not entry.results)
    return RIGHT.prune((*words, *history[now:]), budget, declared, shorten)

@WINDOWS.replaces("prune", "results of the current turn are shortened too, where only they are left",
    "https://github.com/openclaw/openclaw/issues/113701", {"limits/window-that-truncates[more-than-both]": "fits"})
def M50c_results_kept(history: History, budget: int, declared: int, shorten: Shorten) -> History:
    return drop_old_turns(history, budget - declared, shorten)

@WINDOWS.replaces("full_request", "the server is told how much of the conversation to keep",
    "https://github.com/perminder-klair/subwave/pull/293",
    {"limits/window-that-truncates[more-than-the-server-keeps]": "fits"})
def M50d_window_of_the_server_unknown(request: CompletionRequest) -> CompletionRequest:
    return replace(RIGHT.full_request(request), window=None)

WINDOWS.row("M50e_summary_with_an_empty_list",
    "the request for a summary has the tools of the conversation, or no list of them",
    "https://github.com/MiniMax-AI/minimax-code/issues/194",
    {"limits/full-after-several-turns": "accepted:openai/tools-empty"}, summary_offer=lambda offer: Offer(()))

@WINDOWS.replaces("summarised", "a summary takes the place of earlier turns alone",
    "https://github.com/openclaw/openclaw/issues/7865", {"limits/full-after-several-turns": "asked"})
def M50f_summary_of_all(text: str, history: History, start: int) -> History:
    return RIGHT.summarised(text, history, start)[:1]


class BoundedByCall(Bounds):
    """Takes an equal call for a loop, whatever its results were."""

    def record_result(self, key: str, text: str) -> None:
        _, count = self.results.get(key, ("", 0))
        self.results[key] = (text, count + 2)


LOOPS = Mutants()

LOOPS.row("M24a_equal_calls_are_a_loop", "an equal call with another result is no loop",
    "mudler/cogito, checkForLoop: calls are counted by name and arguments alone", {"loops/polling": "1.executed"},
    bounds=lambda limits: BoundedByCall(requests=limits.requests or 20))

@LOOPS.changes("a tool runs again for a call that is made again",
    "mudler/cogito, checkForLoop: equal calls count wherever they stand in the turn",
    {"loops/polling": "1.executed", "loops/call-that-comes-back": "1.executed"})
def M24b_results_cached(defences: Defences) -> Defences:
    cached: dict[tuple[int, str], Result] = {}

    async def run(tool: Tool, call: Call, arguments: Mapping[str, Any]) -> Result:
        place = (id(tool), call.key)
        if place not in cached:
            cached[place] = await defences.run_tool(tool, call, arguments)
        return replace(cached[place], call_id=call.id)

    return replace(defences, run_tool=run)

@LOOPS.replaces("round_entries", "each of two equal calls in one reply has a result",
    "https://github.com/NousResearch/hermes-agent/issues/108584", {"parallel/equal-calls": "accepted:*"},
    answer_open_calls=None)
def M24c_equal_call_without_result(answer: Answer, calls: tuple[Call, ...], results: tuple[Result, ...]) -> History:
    by_key = {call.key: result for call, result in reversed(tuple(zip(calls, results, strict=False)))}
    return RIGHT.round_entries(answer, calls, tuple(by_key.values())[::-1])


WITHIN_A_TURN = Mutants()

WITHIN_A_TURN.row("M79a_nothing_is_kept_as_a_message", "a turn cancelled before any words leaves no empty message",
    "https://github.com/charmbracelet/crush/issues/3794",
    {"limits/cancelled-before-any-words[*]": "accepted:*"}, drop_empty=None,
    history_on_abort=lambda history, start: (*history, Entry("model")))

@WITHIN_A_TURN.changes("a turn goes on however often its window has filled up",
    "https://github.com/openclaw/openclaw/issues/150447", {"limits/full-in-each-round-of-a-turn": "1.*"})
def M79b_three_recoveries(defences: Defences) -> Defences:
    done: list[History] = []

    def prune(history: History, budget: int, declared: int, shorten: Shorten) -> History:
        shorter = defences.prune(history, budget, declared, shorten)
        if shorter != history:
            done.append(shorter)
        return shorter if len(done) <= 3 else history

    return replace(defences, prune=prune)

@WITHIN_A_TURN.replaces("prune", "older results of one long turn make room for newer ones",
    "https://github.com/Kilo-Org/kilocode/pull/13713",
    {"limits/results-of-one-turn-make-room": "*", "limits/full-in-each-round-of-a-turn": "*"})
def M79c_turns_before_this_one(history: History, budget: int, declared: int, shorten: Shorten) -> History:
    start = last_user_message(history)
    return (*RIGHT.prune(history[:start], budget, declared, shorten), *history[start:])

WITHIN_A_TURN.row("M964_declarations_not_counted", "what the declarations take of the window is counted",
    "an agent that counts its messages alone", {"limits/results-of-one-turn-make-room": "1.requests*"},
    prune=lambda history, budget, declared, shorten: RIGHT.prune(history, budget, 0, shorten))

COMPACTED = Mutants()

def summed_up_without(left_out: Callable[[Entry], Entry | None]) -> Callable[[CompletionRequest], CompletionRequest]:
    """Requests for a summary, each entry of whose history is changed, or left out."""

    def changed(request: CompletionRequest) -> CompletionRequest:
        if request.history[-1].text != prompts.SUMMARISE:
            return request
        return replace(request, history=tuple(kept for e in request.history if (kept := left_out(e)) is not None))

    return changed

COMPACTED.row("M919_second_summary_of_what_is_new", "the second summary is made of the first one too",
    "https://github.com/stephenschoettler/hermes-lcm/issues/132", {"limits/summary-without-a-part": "restored"},
    full_request=summed_up_without(lambda e: None if e.text.startswith(prompts.SUMMARY[:20]) else e))

COMPACTED.row("M920_summary_of_words_alone", "a summary is made of what tools have returned too",
    "transcripts for a summary that have the words of users and models", {"limits/summary-without-a-part": "restored"},
    full_request=summed_up_without(lambda e: replace(e, calls=()) if e.text else None))

COMPACTED.row("M921_summary_of_the_last_message", "a summary is made of the whole conversation",
    "summaries of the last exchange, which take the place of all", {"limits/summary-without-a-part": "restored"},
    full_request=lambda request: replace(request, history=request.history[-2:])
    if request.history[-1].text == prompts.SUMMARISE else request)

@COMPACTED.changes("what the provider says of a failure is no summary",
    "a summary that is whatever came back", {"limits/summary-that-failed[failed]": "restored"})
def M922_failure_as_a_summary(defences: Defences) -> Defences:
    asked: list[bool] = [False]

    def full(request: CompletionRequest) -> CompletionRequest:
        asked[0] = request.history[-1].text == prompts.SUMMARISE
        return defences.full_request(request)

    def partial(error: ProviderError, so_far: str) -> Answer:
        return Answer(text=str(error), finish="stop") if asked[0] else defences.partial_answer(error, so_far)

    return replace(defences, full_request=full, partial_answer=partial, summary_of=lambda answer, older: answer.text)

OTHERS = "limits/compaction-of-one-session"

@COMPACTED.changes("the summary of a session takes the place of no other session",
    "one summary for all conversations of an agent", {f"{OTHERS}[at-once]": "apart"})
def M945_one_summary_for_all_sessions(defences: Defences) -> Defences:
    shared: list[History] = []

    def summarised(text: str, history: History, start: int) -> History:
        shared[:] = [defences.summarised(text, history, start)[:1]]
        return (*shared[0], *history[start:])

    def full(request: CompletionRequest) -> CompletionRequest:
        before = tuple(entry for entry in request.history if entry.role == "system")
        now = request.history[last_user_message(request.history):]
        return replace(request, history=(*before, *shared[0], *now)) if shared else request

    return replace(defences, summarised=summarised, full_request=full)

@COMPACTED.replaces("save", "what is stored of another session outlives a compaction",
    "a compaction that clears the whole store", {f"{OTHERS}[after-a-restart]": "restored"})
def M946_store_cleared_by_a_compaction(history: History, folder: Path) -> None:
    if history and history[0].text.startswith(prompts.SUMMARY[:20]):
        for file in folder.parent.parent.glob("*.json"):
            file.unlink()
    RIGHT.save(history, folder)

@COMPACTED.changes("a summary is made of its own session alone",
    "a store of messages that is summed up as a whole", {"long-sessions/summaries-of-two-sessions": "apart"})
def M923_all_sessions_summed_up(defences: Defences) -> Defences:
    known: dict[str, History] = {}

    def full(request: CompletionRequest) -> CompletionRequest:
        asks = request.history[-1].text == prompts.SUMMARISE
        said = next((entry.text for entry in request.history if entry.role == "user"), "")
        others = tuple(entry for name, one in known.items() if name != said for entry in one if entry.role == "user")
        known.update({} if asks else {said: request.history[:2]})
        return replace(request, history=(*others, *request.history)) if asks else request

    return replace(defences, full_request=full)
