"""Bugs with what the user says while a turn runs: in the wrong place, in a tool's result, or lost."""

from collections import deque
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from agent_conformance.adapter.types import Pending, Setup, Tool, ToolCall
from agent_conformance.agents.mutants.history import without
from agent_conformance.agents.mutants.mutant import Mutants
from agent_conformance.agents.reference import Defences, history_repair
from agent_conformance.agents.reference.answers import Answer
from agent_conformance.agents.reference.bounds import Bounds
from agent_conformance.agents.reference.history import Call, History, Result

OSAURUS = "https://github.com/osaurus-ai/osaurus/pull/2653"
HERMES = "https://github.com/NousResearch/hermes-agent/pull/106317"


def _after_results(history: History) -> list[int]:
    """The places of messages of the user that follow results of tools: said while the turn ran."""
    return [i for i, e in enumerate(history) if i and e.role == "user" and history[i - 1].role == "results"]


MUTANTS = Mutants()


@MUTANTS.add(
    "M42a_between_call_and_result",
    "what the user says while a tool runs stands after all results",
    OSAURUS,
    (
        ("turns/said-while-a-tool-runs[in-one-session, and-restarted]", "accepted:*"),
        ("turns/said-while-a-tool-runs[in-one-session]", "steered"),
    ),
)
def _between_call_and_result(defences: Defences) -> Defences:
    def moved(history: History) -> History:
        entries = list(history)
        for place in _after_results(history):
            entries[place - 1 : place + 1] = reversed(entries[place - 1 : place + 1])
        return tuple(entries)

    return replace(defences, repair_passes=(*defences.repair_passes, moved))


@MUTANTS.add(
    "M42b_smeared_into_result",
    "what the user says stands in no result of a tool",
    HERMES,
    (("turns/said-while-a-tool-runs[in-one-session]", "steered"),),
)
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


@MUTANTS.add(
    "M42c_not_heard",
    "what the user says while a tool runs reaches the model",
    "https://github.com/nesquena/hermes-webui/issues/2555",
    (
        ("turns/said-while-a-tool-runs[in-one-session]", "steered"),
        ("pairs/steering-and-*", "steered"),
    ),
)
def _not_heard(defences: Defences) -> Defences:
    def nothing(said: deque[str]) -> History:
        said.clear()
        return ()

    return replace(defences, said_meanwhile=nothing)


@MUTANTS.add(
    "M42d_not_stored",
    "what the user said while a tool ran is there after a restart",
    HERMES,
    (("turns/said-while-a-tool-runs[and-restarted]", "steered"),),
)
def _not_stored(defences: Defences) -> Defences:
    def save(history: History, folder: Path) -> None:
        said = _after_results(history)
        defences.save(tuple(entry for place, entry in enumerate(history) if place not in said), folder)

    return replace(defences, save=save)


@MUTANTS.add(
    "M42e_begun_again",
    "what a tool did before the user said something more stays in the conversation",
    "https://github.com/can1357/oh-my-pi/pull/5997",
    (("turns/said-while-a-tool-runs[in-one-session]", "paired"),),
)
def _begun_again(defences: Defences) -> Defences:
    def begun(history: History) -> History:
        dropped = {place - back for place in _after_results(history) for back in (1, 2)}
        return tuple(entry for place, entry in enumerate(history) if place not in dropped)

    return replace(defences, repair_passes=(*defences.repair_passes, begun))


@MUTANTS.add(
    "M42f_room_for_one",
    "each of several messages that the user sends during one turn reaches the model",
    "https://github.com/NousResearch/hermes-agent/issues/113233",
    (("turns/several-things-said-meanwhile", "steered"),),
)
def _room_for_one(defences: Defences) -> Defences:
    def last_of(said: deque[str]) -> History:
        latest = deque([*said][-1:])
        said.clear()
        return defences.said_meanwhile(latest)

    return replace(defences, said_meanwhile=last_of)


DEEPAGENTS = "https://github.com/langchain-ai/deepagentsjs/issues/150"
OPENCODE = "https://github.com/anomalyco/opencode/issues/35569"
Arguments = Mapping[str, Any]


def _no_second_try(limits: Any) -> Bounds:
    return Bounds(empty_answers=99)


USER_ANSWERS_MUTANTS = Mutants()


@USER_ANSWERS_MUTANTS.add(
    "M40a_user_not_asked",
    "a call that the user has to allow does not run before the user was asked",
    OPENCODE,
    (
        ("turns/denied-call", "approved"),
        ("turns/answered-after-a-restart[allowed, denied]", "approved"),
        ("pairs/approval-and-*", "approved"),
        ("pairs/*-and-approval", "approved"),
    ),
)
def _user_not_asked(defences: Defences) -> Defences:
    async def ask_nobody(setup: Setup, tool: Tool, call: Call, arguments: Arguments) -> Result | None:
        return None

    return replace(defences, ask_user=ask_nobody)


@USER_ANSWERS_MUTANTS.add(
    "M40b_answer_not_read",
    "a call that the user has denied does not run",
    OPENCODE,
    (("turns/denied-call", "approved"),),
)
def _answer_not_read(defences: Defences) -> Defences:
    async def ask_for_form(setup: Setup, tool: Tool, call: Call, arguments: Arguments) -> Result | None:
        await defences.ask_user(setup, tool, call, arguments)
        return None

    return replace(defences, ask_user=ask_for_form)


@USER_ANSWERS_MUTANTS.add(
    "M40c_allowance_kept_for_tool",
    "the user's answer is about one call, and not about its tool",
    "https://github.com/openai/openai-agents-python/issues/4896",
    (("turns/each-call-has-its-answer[the-first]", "approved"),),
)
def _allowance_kept_for_tool(defences: Defences) -> Defences:
    allowed: set[Any] = set()

    async def ask_once(setup: Setup, tool: Tool, call: Call, arguments: Arguments) -> Result | None:
        key = (setup.state_dir, tool.name)
        refusal = None if key in allowed else await defences.ask_user(setup, tool, call, arguments)
        allowed.update([] if refusal else [key])
        return refusal

    return replace(defences, ask_user=ask_once)


@USER_ANSWERS_MUTANTS.add(
    "M40d_denial_kept_for_tool",
    "a denied call denies no other call of its tool",
    "https://github.com/openai/openai-agents-python/issues/4896",
    (("turns/each-call-has-its-answer[the-second]", "1.should.executed"),),
)
def _denial_kept_for_tool(defences: Defences) -> Defences:
    denied: dict[Any, Result] = {}

    async def ask_once(setup: Setup, tool: Tool, call: Call, arguments: Arguments) -> Result | None:
        key = (setup.state_dir, tool.name)
        if key not in denied and (refusal := await defences.ask_user(setup, tool, call, arguments)):
            denied[key] = refusal
        return replace(denied[key], call_id=call.id) if key in denied else None

    return replace(defences, ask_user=ask_once)


@USER_ANSWERS_MUTANTS.add(
    "M40e_denied_call_unanswered",
    "a denied call has a result",
    DEEPAGENTS,
    (("turns/denied-call", "accepted:*"), ("turns/denied-call", "paired")),
)
def _denied_call_unanswered(defences: Defences) -> Defences:
    def answered_only(answer: Answer, calls: tuple[Call, ...], results: tuple[Result, ...]) -> History:
        ran = tuple(result for result in results if not result.text.startswith("Error: not run. The user"))
        return defences.round_entries(answer, calls, ran)

    return replace(without(defences, history_repair.answer_open_calls), round_entries=answered_only)


@USER_ANSWERS_MUTANTS.add(
    "M40f_denial_without_words",
    "the result of a denied call says that it did not run",
    DEEPAGENTS,
    (("turns/denied-call", "answered"),),
)
def _denial_without_words(defences: Defences) -> Defences:
    async def deny(setup: Setup, tool: Tool, call: Call, arguments: Arguments) -> Result | None:
        refusal = await defences.ask_user(setup, tool, call, arguments)
        return replace(refusal, text="") if refusal else None

    return replace(defences, ask_user=deny)


@USER_ANSWERS_MUTANTS.add(
    "M40g_denial_ends_in_silence",
    "a turn with a denied call ends in words",
    "https://github.com/kurrent-io/kcap-cli/issues/732",
    (("turns/denied-call", "answers"),),
)
def _denial_ends_in_silence(defences: Defences) -> Defences:
    """All that follows in the turn is left out, its answer too."""

    def denied(history: History) -> bool:
        return any("did not allow" in result.text for entry in history[-1:] for result in entry.results)

    def final_text(answer: Answer, history: History) -> str:
        return "" if denied(history) else defences.final_text(answer, history)

    return replace(defences, final_text=final_text, give_up=lambda answer, closing: "", bounds=_no_second_try)


@USER_ANSWERS_MUTANTS.add(
    "M40h_asked_again_at_once",
    "the user is asked once about a call",
    "https://github.com/mastra-ai/mastra/issues/11364",
    (("turns/denied-call", "1.should.approvals"),),
)
def _asked_again_at_once(defences: Defences) -> Defences:
    async def insist(setup: Setup, tool: Tool, call: Call, arguments: Arguments) -> Result | None:
        refusal = await defences.ask_user(setup, tool, call, arguments)
        return await defences.ask_user(setup, tool, call, arguments) if refusal else None

    return replace(defences, ask_user=insist)


@USER_ANSWERS_MUTANTS.add(
    "M40k_asked_about_each_call",
    "the user is asked about the tools that need it, and about no others",
    "https://github.com/microsoft/agent-framework/pull/6414",
    (("turns/call-that-needs-no-question", "1.should.approvals"),),
)
def _asked_about_each_call(defences: Defences) -> Defences:
    async def ask(setup: Setup, tool: Tool, call: Call, arguments: Arguments) -> Result | None:
        if tool.approval is None:
            await setup.aapprove(ToolCall(call.id, tool.name, dict(arguments)))
        return await defences.ask_user(setup, tool, call, arguments)

    return replace(defences, ask_user=ask)


@USER_ANSWERS_MUTANTS.add(
    "M40i_answer_recorded_only",
    "a call that the user has allowed runs",
    "https://github.com/BaseIntelligence/bounty-challenge/issues/9723",
    (("turns/allowed-call", "1.executed"),),
)
def _answer_recorded_only(defences: Defences) -> Defences:
    async def parked(setup: Setup, tool: Tool, call: Call, arguments: Arguments) -> Result | None:
        refusal = await defences.ask_user(setup, tool, call, arguments)
        return refusal or (Result(call.id, call.name, "Approved.") if tool.approval else None)

    return replace(defences, ask_user=parked)


@USER_ANSWERS_MUTANTS.add(
    "M40j_parked_forever",
    "a call that waited for the user over a restart is run or answered",
    "https://github.com/tinyhumansai/opencompany/issues/1816",
    (("turns/answered-after-a-restart[allowed]", "answers"),),
)
def _parked_forever(defences: Defences) -> Defences:
    parked: set[Any] = set()

    async def wait(setup: Setup, tool: Tool, call: Call, arguments: Arguments) -> Result | None:
        key = (setup.state_dir, call.id)
        if key in parked:
            raise Pending("waiting for the user")
        refusal = await defences.ask_user(setup, tool, call, arguments)
        parked.update([key] if refusal and refusal.pending else [])
        return refusal

    return replace(defences, ask_user=wait)
