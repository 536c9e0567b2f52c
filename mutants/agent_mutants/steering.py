"""Bugs with what the user says while a turn runs: in the wrong place, in a tool's result, or lost."""

from collections import deque
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from agent_conformance.adapter.types import Pending, Setup, Tool, ToolCall
from agent_conformance.agents.reference import Defences
from agent_conformance.agents.reference.answers import Answer
from agent_conformance.agents.reference.bounds import Bounds
from agent_conformance.agents.reference.history import Call, History, Result
from agent_mutants.mutant import RIGHT, Mutants

OSAURUS = "https://github.com/osaurus-ai/osaurus/pull/2653"
HERMES = "https://github.com/NousResearch/hermes-agent/pull/106317"


def _after_results(history: History) -> list[int]:
    """The places of messages of the user that follow results of tools: said while the turn ran."""
    return [i for i, e in enumerate(history) if i and e.role == "user" and history[i - 1].role == "results"]


# The rows of a table, laid out so that they can be compared.
# fmt: off
MUTANTS = Mutants()
STEERED_IN_A_TURN = tuple(
    f"pairs/steering-with-{other}" for other in ("cancel", "denial", "fallback", "overload", "pictures")
)

@MUTANTS.replaces("last_pass", "what the user says while a tool runs stands after all results", OSAURUS,
    {"turns/said-while-a-tool-runs[in-one-session, and-restarted]": "accepted:*",
     "turns/said-while-a-tool-runs[in-one-session]": "steered"})
def M42a_between_call_and_result(history: History) -> History:
    entries = list(history)
    for place in _after_results(history):
        entries[place - 1 : place + 1] = reversed(entries[place - 1 : place + 1])
    return tuple(entries)

@MUTANTS.replaces("last_pass", "what the user says stands in no result of a tool",
    HERMES, {"turns/said-while-a-tool-runs[in-one-session]": "steered"})
def M42b_smeared_into_result(history: History) -> History:
    entries = list(history)
    for place in _after_results(history):
        *others, last = entries[place - 1].results
        noted = replace(last, text=f"{last.text}\n[The user says: {entries[place].text}]")
        entries[place - 1] = replace(entries[place - 1], results=(*others, noted))
    said = _after_results(history)
    return tuple(entry for place, entry in enumerate(entries) if place not in said)

@MUTANTS.replaces("said_meanwhile", "what the user says while a tool runs reaches the model",
    "https://github.com/nesquena/hermes-webui/issues/2555",
    {"turns/said-while-a-tool-runs[in-one-session]": "steered", "pairs/steering-and-*": "steered",
     "turns/said-while-the-model-answers[the-call]": "steered",
     **dict.fromkeys(STEERED_IN_A_TURN, "steered")})
def M42c_not_heard(said: deque[str]) -> History:
    said.clear()
    return ()

@MUTANTS.replaces("said_at_the_end", "what the user says during the last answer is kept for the next turn",
    "https://github.com/nesquena/hermes-webui/issues/2555",
    {f"turns/said-while-the-model-answers[the-last-answer{and_then}]": "steered"
     for and_then in ("", "-and-restarted", "-and-summed-up")})
def M823_last_words_dropped(said: deque[str]) -> History:
    said.clear()
    return ()

MUTANTS.row("M824_last_words_kept_in_memory", "what the user says during the last answer is stored", HERMES,
    {"turns/said-while-the-model-answers[the-last-answer-and-restarted]": "steered"}, said_at_the_end=lambda said: ())

@MUTANTS.replaces("ask_user", "a call is asked about, however the model writes the name of its tool",
    "rights that are looked up under the name as it came", {"turns/denied-under-another-name": "approved"})
async def M968_asked_by_the_written_name(
    setup: Setup, tool: Tool, call: Call, arguments: Mapping[str, Any]
) -> Result | None:
    return await RIGHT.ask_user(setup, tool, call, arguments) if call.name == tool.name else None

@MUTANTS.changes("what the user says in one session is heard in no other",
    "an agent with one queue for all conversations", {"turns/said-to-one-of-two-sessions[*]": "steered"})
def M825_one_queue(defences: Defences) -> Defences:
    queue: deque[str] = deque()

    def heard(said: deque[str]) -> History:
        queue.extend(said)
        said.clear()
        return RIGHT.said_meanwhile(queue)

    def kept(said: deque[str]) -> History:
        queue.extend(said)
        said.clear()
        return ()

    return replace(defences, said_meanwhile=heard, said_at_the_end=kept)

@MUTANTS.replaces("save", "what the user said while a tool ran is there after a restart",
    HERMES, {"turns/said-while-a-tool-runs[and-restarted]": "restored"})
def M42d_not_stored(history: History, folder: Path) -> None:
    said = _after_results(history)
    RIGHT.save(tuple(entry for place, entry in enumerate(history) if place not in said), folder)

@MUTANTS.replaces("last_pass", "what a tool did before the user said something more stays in the conversation",
    "https://github.com/can1357/oh-my-pi/pull/5997", {"turns/said-while-a-tool-runs[in-one-session]": "paired"})
def M42e_begun_again(history: History) -> History:
    dropped = {place - back for place in _after_results(history) for back in (1, 2)}
    return tuple(entry for place, entry in enumerate(history) if place not in dropped)

@MUTANTS.replaces("said_meanwhile", "each of several messages that the user sends during one turn reaches the model",
    "https://github.com/NousResearch/hermes-agent/issues/113233", {"turns/several-things-said-meanwhile": "steered"})
def M42f_room_for_one(said: deque[str]) -> History:
    latest = deque([*said][-1:])
    said.clear()
    return RIGHT.said_meanwhile(latest)

@MUTANTS.replaces("said_meanwhile", "messages of the user during one turn stand in the order in which they were said",
    "queues from whose end the next message is taken", {"turns/several-things-said-meanwhile": "steered"})
def M940_latest_words_first(said: deque[str]) -> History:
    said.reverse()
    return RIGHT.said_meanwhile(said)

@MUTANTS.changes("what waits when the user cancels a turn is said with the next message",
    "queues that are emptied by a stop", {"turns/said-before-it-was-cancelled[*]": "steered"})
def M941_queue_emptied_by_a_stop(defences: Defences) -> Defences:
    stopped: list[bool] = []

    def on_abort(history: History, start: int) -> History:
        stopped.append(True)
        return defences.history_on_abort(history, start)

    def at_the_end(said: deque[str]) -> History:
        if stopped:
            said.clear()
        return defences.said_at_the_end(said)

    return replace(defences, history_on_abort=on_abort, said_at_the_end=at_the_end)


DEEPAGENTS = "https://github.com/langchain-ai/deepagentsjs/issues/150"
OPENCODE = "https://github.com/anomalyco/opencode/issues/35569"
Arguments = Mapping[str, Any]


def _no_second_try(limits: Any) -> Bounds:
    return Bounds(empty_answers=99)


USER_ANSWERS = Mutants()

@USER_ANSWERS.replaces("ask_user", "a call that the user has to allow does not run before the user was asked", OPENCODE,
    {"turns/denied-call": "approved", "turns/answered-after-a-restart[*]": "approved",
     "pairs/approval-and-*": "approved", "pairs/*-and-approval": "approved",
     "pairs/denial-with-*": "approved", "pairs/*-with-denial": "approved",
     "pairs/question-with-*": "approved", "pairs/*-with-question": "approved"})
async def M40a_user_not_asked(setup: Setup, tool: Tool, call: Call, arguments: Arguments) -> Result | None:
    return None

@USER_ANSWERS.changes("what a tool says of the user's answer is no answer",
    "an agent that reads in the conversation whether it was allowed",
    {"injection/result-says-that-it-is-allowed[*]": "approved"})
def M950_allowed_by_a_result(defences: Defences) -> Defences:
    said: list[str] = []

    async def run(tool: Tool, call: Call, arguments: Arguments) -> Result:
        result = await defences.run_tool(tool, call, arguments)
        said.append(result.text.lower())
        return result

    async def ask(setup: Setup, tool: Tool, call: Call, arguments: Arguments) -> Result | None:
        is_allowed = any(word in text for text in said for word in ("approved", "without asking"))
        return None if is_allowed else await defences.ask_user(setup, tool, call, arguments)

    return replace(defences, run_tool=run, ask_user=ask)

@USER_ANSWERS.replaces("save", "what the user says while a call waits is stored",
    "an inbox in memory, which is read when the call is decided", {"turns/asked-over-two-restarts[*]": "3.requests*"})
def M951_inbox_in_memory(history: History, folder: Path) -> None:
    waits = next((n for n, one in enumerate(history) if any(r.pending for r in one.results)), len(history))
    RIGHT.save(history[:waits + 1], folder)

@USER_ANSWERS.replaces("ask_user", "a call that the user has denied does not run",
    OPENCODE, {"turns/denied-call": "approved"})
async def M40b_answer_not_read(setup: Setup, tool: Tool, call: Call, arguments: Arguments) -> Result | None:
    await RIGHT.ask_user(setup, tool, call, arguments)
    return None

@USER_ANSWERS.changes("the user's answer is about one call, and not about its tool",
    "https://github.com/openai/openai-agents-python/issues/4896",
    {"turns/each-call-has-its-answer[the-first]": "approved"})
def M40c_allowance_kept_for_tool(defences: Defences) -> Defences:
    allowed: set[Any] = set()

    async def ask_once(setup: Setup, tool: Tool, call: Call, arguments: Arguments) -> Result | None:
        key = (setup.state_dir, tool.name)
        refusal = None if key in allowed else await defences.ask_user(setup, tool, call, arguments)
        allowed.update([] if refusal else [key])
        return refusal

    return replace(defences, ask_user=ask_once)

@USER_ANSWERS.changes("a denied call denies no other call of its tool",
    "https://github.com/openai/openai-agents-python/issues/4896",
    {"turns/each-call-has-its-answer[the-second]": "1.should.executed"})
def M40d_denial_kept_for_tool(defences: Defences) -> Defences:
    denied: dict[Any, Result] = {}

    async def ask_once(setup: Setup, tool: Tool, call: Call, arguments: Arguments) -> Result | None:
        key = (setup.state_dir, tool.name)
        if key not in denied and (refusal := await defences.ask_user(setup, tool, call, arguments)):
            denied[key] = refusal
        return replace(denied[key], call_id=call.id) if key in denied else None

    return replace(defences, ask_user=ask_once)

@USER_ANSWERS.replaces("round_entries", "a denied call has a result",
    DEEPAGENTS, {"turns/denied-call": ("accepted:*", "paired")}, answer_open_calls=None)
def M40e_denied_call_unanswered(answer: Answer, calls: tuple[Call, ...], results: tuple[Result, ...]) -> History:
    ran = tuple(result for result in results if not result.text.startswith("Error: not run. The user"))
    return RIGHT.round_entries(answer, calls, ran)

@USER_ANSWERS.replaces("ask_user", "a denied call is not told as done",
    "an agent that gives each call without an error the result `Done.`", {"turns/denied-call": "answered"})
async def M826_denial_told_as_done(setup: Setup, tool: Tool, call: Call, arguments: Arguments) -> Result | None:
    refusal = await RIGHT.ask_user(setup, tool, call, arguments)
    return replace(refusal, text="Done.", is_error=False) if refusal and not refusal.pending else refusal

@USER_ANSWERS.replaces("ask_user", "the result of a denied call says that it did not run",
    DEEPAGENTS, {"turns/denied-call": "answered"})
async def M40f_denial_without_words(setup: Setup, tool: Tool, call: Call, arguments: Arguments) -> Result | None:
    refusal = await RIGHT.ask_user(setup, tool, call, arguments)
    return replace(refusal, text="") if refusal else None

@USER_ANSWERS.replaces("final_text", "a turn with a denied call ends in words",
    "https://github.com/kurrent-io/kcap-cli/issues/732", {"turns/denied-call": "answers"},
    give_up=lambda answer, closing: "", bounds=_no_second_try)
def M40g_denial_ends_in_silence(answer: Answer, history: History) -> str:
    """All that follows in the turn is left out, its answer too."""
    def denied(history: History) -> bool:
        return any("did not allow" in result.text for entry in history[-1:] for result in entry.results)

    return "" if denied(history) else RIGHT.final_text(answer, history)

@USER_ANSWERS.replaces("ask_user", "the user is asked once about a call",
    "https://github.com/mastra-ai/mastra/issues/11364", {"turns/denied-call": "1.should.approvals"})
async def M40h_asked_again_at_once(setup: Setup, tool: Tool, call: Call, arguments: Arguments) -> Result | None:
    refusal = await RIGHT.ask_user(setup, tool, call, arguments)
    return await RIGHT.ask_user(setup, tool, call, arguments) if refusal else None

@USER_ANSWERS.replaces("ask_user", "the user is asked about the tools that need it, and about no others",
    "https://github.com/microsoft/agent-framework/pull/6414",
    {"turns/call-that-needs-no-question": "1.should.approvals"})
async def M40k_asked_about_each_call(setup: Setup, tool: Tool, call: Call, arguments: Arguments) -> Result | None:
    if tool.approval is None:
        await setup.aapprove(ToolCall(call.id, tool.name, dict(arguments)))
    return await RIGHT.ask_user(setup, tool, call, arguments)

@USER_ANSWERS.replaces("ask_user", "a call that the user has allowed runs",
    "https://github.com/BaseIntelligence/bounty-challenge/issues/9723", {"turns/allowed-call": "1.executed"})
async def M40i_answer_recorded_only(setup: Setup, tool: Tool, call: Call, arguments: Arguments) -> Result | None:
    refusal = await RIGHT.ask_user(setup, tool, call, arguments)
    return refusal or (Result(call.id, call.name, "Approved.") if tool.approval else None)

@USER_ANSWERS.changes("a call that waited for the user over a restart is run or answered",
    "https://github.com/tinyhumansai/opencompany/issues/1816", {"turns/answered-after-a-restart[allowed]": "answers"})
def M40j_parked_forever(defences: Defences) -> Defences:
    parked: set[Any] = set()

    async def wait(setup: Setup, tool: Tool, call: Call, arguments: Arguments) -> Result | None:
        key = (setup.state_dir, call.id)
        if key in parked:
            raise Pending("waiting for the user")
        refusal = await defences.ask_user(setup, tool, call, arguments)
        parked.update([key] if refusal and refusal.pending else [])
        return refusal

    return replace(defences, ask_user=wait)

@USER_ANSWERS.changes("an answer of the user holds for one call, and not for the session",
    "https://github.com/netclaw-dev/netclaw/pull/2101", {"turns/asked-again-about-an-equal-call[*]": "2.*"})
def M40z_answers_for_the_session(defences: Defences) -> Defences:
    known: dict[object, Result | None] = {}

    async def ask(setup: Setup, tool: Tool, call: Call, arguments: Arguments) -> Result | None:
        key = (tool.name, str(arguments))
        if key not in known:
            known[key] = await defences.ask_user(setup, tool, call, arguments)
        answer = known[key]
        return answer and replace(answer, call_id=call.id)

    return replace(defences, ask_user=ask)
