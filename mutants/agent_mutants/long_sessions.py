"""Bugs that show in long sessions: windows of messages, counters that stay full, budgets, ids that come again."""

import re
from collections.abc import AsyncIterator
from dataclasses import replace
from itertools import islice

from agent_conformance.adapter.types import AgentError, Message, Setup
from agent_conformance.agents.reference import Defences, prompts
from agent_conformance.agents.reference.answers import Answer
from agent_conformance.agents.reference.history import Entry, History, Result
from agent_conformance.agents.reference.pruning import Shorten
from agent_conformance.agents.reference.state import load
from agent_conformance.agents.reference.tools import declare
from agent_conformance.agents.reference.wires import CompletionRequest
from agent_mutants.memory import last_user_message
from agent_mutants.mutant import RIGHT, Mutants

MOST_MESSAGES = 20
BUDGET = 256_000


def _asks_for_a_summary(history: History) -> bool:
    return bool(history) and history[-1].text == prompts.SUMMARISE


# The rows of a table, laid out so that they can be compared.
# fmt: off
MUTANTS = Mutants()

@MUTANTS.replaces("first_pass", "the question of a turn stays while its calls come and go",
    "https://github.com/zeroclaw-labs/zeroclaw/issues/7403",
    {"long-sessions/twenty-five-rounds": "asked", "long-sessions/twenty-steps": "asked"})
def M57a_window_of_messages(history: History) -> History:
    head = tuple(entry for entry in history[:-MOST_MESSAGES] if entry.role == "system")
    return (*head, *history[-MOST_MESSAGES:])

@MUTANTS.replaces("last_pass", "calls that were made at once go together with their results, or stay",
    "https://github.com/zeroclaw-labs/zeroclaw/issues/4810", {"long-sessions/fans-of-eight": "accepted:*"})
def M57b_window_within_a_group(history: History) -> History:
    over = sum(len(entry.results) or 1 for entry in history) - MOST_MESSAGES
    kept = []
    for entry in history:
        gone = min(max(over, 0), len(entry.results) or 1) if entry.role != "system" else 0
        over -= gone
        if entry.role == "results" and gone < len(entry.results):
            kept.append(replace(entry, results=entry.results[gone:]))
        elif not gone:
            kept.append(entry)
    return tuple(kept)

@MUTANTS.replaces("full_request", "a session has no last turn",
    "https://github.com/dataelement/Clawith/issues/415", {"long-sessions/thirty-turns": "26.outcome"})
def M57c_session_is_full(request: CompletionRequest) -> CompletionRequest:
    if len(request.history) > 5 * MOST_MESSAGES:
        raise AgentError("this session has too many messages")
    return request

@MUTANTS.replaces("full_request", "each turn has a limit of its own",
    "https://github.com/rancher/rancher-ai-agent/issues/158", {"long-sessions/bound-then-continue": "2.*"})
def M57d_limit_stays_reached(request: CompletionRequest) -> CompletionRequest:
    rounds = sum(entry.role == "results" for entry in request.history)
    if rounds >= MOST_MESSAGES - 1 and request.history[-1].role == "user":
        raise AgentError("the limit on requests is reached")
    return request

@MUTANTS.replaces("last_pass", "a new result reaches the model, however much came before it",
    "https://github.com/openclaw/openclaw/issues/143526",
    {"long-sessions/small-result-in-a-full-session": "arrives"})
def M57e_budget_for_all_results(history: History) -> History:
    spent = 0

    def fits(result: Result) -> Result:
        nonlocal spent
        spent += len(result.text)
        return result if spent <= BUDGET else replace(result, text="")

    return tuple(replace(entry, results=tuple(map(fits, entry.results))) for entry in history)

@MUTANTS.replaces("first_pass", "a result belongs to the call of its own round, though an earlier one had its id",
    "https://github.com/NousResearch/hermes-agent/issues/70724",
    {"long-sessions/ids-begin-anew-in-each-round": "own-result"})
def M57f_results_by_id(history: History) -> History:
    known: dict[str | None, str] = {}

    def known_result(result: Result) -> Result:
        return replace(result, text=known.setdefault(result.call_id, result.text))

    return tuple(replace(entry, results=tuple(map(known_result, entry.results))) for entry in history)

@MUTANTS.replaces("last_pass", "the same call later has a result of its own",
    "https://github.com/HKUDS/Vibe-Trading/issues/1349", {"long-sessions/same-call-with-a-new-result": "1.should.*"})
def M57g_first_result_of_equal_calls(history: History) -> History:
    keys = {call.id: call.key for entry in history for call in entry.calls}
    known: dict[str, str] = {}

    def known_result(result: Result) -> Result:
        return replace(result, text=known.setdefault(keys.get(result.call_id, ""), result.text))

    return tuple(replace(entry, results=tuple(map(known_result, entry.results))) for entry in history)

MUTANTS.row("M57h_first_forty_tools", "every tool is offered, also the hundredth",
    "https://github.com/microsoft/vscode-copilot-release/issues/13337", {"long-sessions/hundred-tools": "offered"},
    declare=lambda enabled: declare(dict(islice(enabled.items(), 40))))

MUTANTS.row("M57i_said_meanwhile_begins_a_turn", "pruning keeps the question, whatever the user said after it",
    "https://github.com/osaurus-ai/osaurus/pull/2653",
    {"long-sessions/said-before-the-window-is-full": "asked", "pairs/window-and-steering": "asked"},
    said_meanwhile=lambda said: tuple(Entry("user", said.popleft()) for _ in range(len(said))))

MUTANTS.row("M57j_stored_twice", "what is stored is sent once after a restart",
    "https://github.com/google-gemini/gemini-cli/issues/29365",
    {"long-sessions/resumed-after-twelve-turns": "said-once"}, load=lambda folder: (load(folder) or ()) * 2 or None)

@MUTANTS.replaces("final_text", "the answer of a turn is that of its last round",
    "https://github.com/langbot-app/LangBot/issues/2329", {"long-sessions/streamed-rounds": "narration-apart"})
def M57k_sum_of_all_rounds(answer: Answer, history: History) -> str:
    start = max((index for index, entry in enumerate(history) if entry.role == "user"), default=0)
    return " ".join([*(entry.text for entry in history[start:] if entry.role == "model"), answer.text])

MUTANTS.row("M57l_full_window_ends_the_session", "a turn that fills the window is not the last one",
    "https://github.com/zeroclaw-labs/zeroclaw/issues/5808", {"long-sessions/results-over-the-window": "survives"},
    does_not_fit=lambda error: False)

@MUTANTS.replaces("session_setup", "what is kept of one session is not sent in another",
    "https://github.com/kyegomez/swarms/issues/1789", {"long-sessions/sessions-taking-turns": "apart"})
def M57m_sessions_in_one_list(setup: Setup, name: str) -> Setup:
    saved = load(setup.state_dir) or ()
    asked = [Message("user", entry.text) for entry in saved if entry.role == "user"]
    said = [Message("assistant", entry.text) for entry in saved if entry.role == "model" and not entry.calls]
    return replace(setup, history=tuple(message for pair in zip(asked, said, strict=False) for message in pair))

@MUTANTS.replaces("readable_reasoning", "reasoning of older turns goes back whole, or not at all",
    "https://github.com/anthropics/claude-code/issues/24087",
    {"long-sessions/thinking-in-sixteen-rounds": "accepted:anthropic/thinking-*"})
def M57n_old_reasoning_shortened(history: History, provider: str) -> History:
    old = len(history) - MOST_MESSAGES
    return tuple(
        replace(entry, thoughts=tuple(replace(thought, text=thought.text[:20]) for thought in entry.thoughts))
        if place < old
        else entry
        for place, entry in enumerate(RIGHT.readable_reasoning(history, provider))
    )

MUTANTS.row("M57o_said_again_in_each_round", "what the user says while a tool runs is put into the history once",
    "https://github.com/letta-ai/letta-code/issues/1224", {"long-sessions/said-in-each-of-four-turns": "said-once"},
    said_meanwhile=lambda said: tuple(Entry("user", text, is_within=True) for text in said))

@MUTANTS.replaces("history_on_abort",
    "the call that is open when a turn is cancelled gets a result, also after ten rounds",
    "https://github.com/block/goose/issues/2951",
    {"long-sessions/cancelled-in-the-eleventh-round": "accepted:*", "pairs/cancel-and-*": "accepted:*",
     "pairs/*-and-cancel": "accepted:*", "pairs/cancel-with-*": "accepted:*"}, answer_open_calls=None)
def M57p_late_cancel_leaves_a_call(history: History, start: int) -> History:
    done = RIGHT.history_on_abort(history, start)
    return done if len(history) - start < MOST_MESSAGES else history[:-1]

@MUTANTS.replaces("full_request", "failures that are far apart do not end a turn",
    "https://github.com/cline/cline/issues/1612", {"long-sessions/failures-that-are-far-apart": "1.should.*"})
def M57q_failures_of_the_turn_counted(request: CompletionRequest) -> CompletionRequest:
    turn = request.history[last_user_message(request.history) :]
    if sum(result.is_error for entry in turn for result in entry.results) > 2:
        raise AgentError("too many tools have failed")
    return request

@MUTANTS.replaces("summarised", "a request for a summary that failed leaves the conversation as it was",
    "https://github.com/dyad-sh/dyad/pull/2515", {"long-sessions/summary-that-is-none[refused, empty]": "asked"},
    summary_of=lambda answer, older: answer.text)
def M57r_failed_summary_taken_for_empty(text: str, history: History, start: int) -> History:
    return RIGHT.summarised(text, history, start)[: None if text else 1]

@MUTANTS.replaces("summary_of",
    "a refusal, half a sentence, a call, or more than before in place of a summary ends no session",
    "https://github.com/ChatbotXIO/ChatbotX/issues/1046", {"long-sessions/summary-that-is-none[*]": "survives"})
def M57s_no_summary_ends_the_session(answer: Answer, older: History) -> str:
    text = RIGHT.summary_of(answer, older)
    if text is None:
        raise AgentError("the conversation could not be summarised")
    return text

@MUTANTS.replaces("summarised", "the second summary leaves the question where it is, as the first one does",
    "https://github.com/stephenschoettler/hermes-lcm/issues/132", {"long-sessions/two-summaries": "asked"})
def M57t_second_summary_for_the_question(text: str, history: History, start: int) -> History:
    is_second = history[0].text.startswith(prompts.SUMMARY[:20])
    return RIGHT.summarised(text, history, start + is_second)

@MUTANTS.replaces("last_pass", "a request for a summary has no picture in its text",
    "https://github.com/openai/codex/issues/41338", {"long-sessions/summary-after-pictures": "no-picture-text"})
def M57u_pictures_in_words_of_the_summary(history: History) -> History:
    def written(result: Result) -> Result:
        return replace(result, text=result.text + "".join(one.data for one in result.pictures), pictures=())

    if not _asks_for_a_summary(history):
        return history
    return tuple(replace(entry, results=tuple(map(written, entry.results))) for entry in history)

@MUTANTS.replaces("summarised", "what a summary fails to sum up stays, also where the user asks for it",
    "https://github.com/dyad-sh/dyad/pull/2515", {"limits/summary-that-failed[*]": "restored"},
    summary_of=lambda answer, older: answer.text)
def M900_nothing_for_a_failed_summary(text: str, history: History, start: int) -> History:
    return RIGHT.summarised(text, history, start) if text else history[start:]

@MUTANTS.replaces("summarised", "a summary stands in a request once",
    "https://github.com/stephenschoettler/hermes-lcm/issues/132",
    {"limits/compaction-on-demand": "said-once", "limits/full-after-several-turns": "said-once"})
def M890_summary_before_and_in_the_turn(text: str, history: History, start: int) -> History:
    shorter = RIGHT.summarised(text, history, start)
    return (*shorter[:1], Entry("user", prompts.SUMMARY.format(text=text)), *shorter[1:])

@MUTANTS.replaces("summarised", "a call that the user has allowed keeps its result until the model has had it",
    "https://github.com/openclaw/openclaw/issues/112725", {"long-sessions/summary-beside-an-open-question": "paired"})
def M57v_resumed_call_summed_up(text: str, history: History, start: int) -> History:
    return RIGHT.summarised(text, history, last_user_message(history))

@MUTANTS.replaces("summarised", "what the user says where a summary is made comes after it",
    "https://github.com/openai/codex/issues/42695", {"long-sessions/said-while-a-summary-is-made": "steered"})
def M57w_summary_takes_what_was_said(text: str, history: History, start: int) -> History:
    shorter = RIGHT.summarised(text, history, start)
    return tuple(entry for entry in shorter if entry.role != "user" or not entry.is_within)

@MUTANTS.changes("the tokens of a request are those that it has, and not those of all before it as well",
    "https://github.com/open-webui/open-webui/issues/27031", {"limits/tokens-are-of-one-request": "1.requests*"})
def M57x_reported_tokens_added_up(defences: Defences) -> Defences:
    async def read(events: AsyncIterator[str]) -> AsyncIterator[str]:
        async for event in events:
            counted.extend(map(int, re.findall(r'"(?:input|prompt)_?[tT]okens?(?:Count)?": ?(\d{4,})', event)))
            yield event

    def prune(history: History, budget: int, declared: int, shorten: Shorten) -> History:
        if history[-1].role == "user":
            counted.clear()
        kept = history if sum(counted) <= budget else (*history[: last_user_message(history) + 1], *history[-2:])
        return defences.prune(kept, budget, declared, shorten)

    counted: list[int] = []
    return replace(defences, stream_events=read, prune=prune)
