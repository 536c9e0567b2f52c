"""Bugs of agents that serve several sessions, or that lose the system prompt in the middle of one."""

import asyncio
import itertools
import json
import re
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from agent_conformance.adapter.types import Setup, Tool
from agent_conformance.agents.reference import Defences
from agent_conformance.agents.reference.answers import Answer
from agent_conformance.agents.reference.history import Call, Entry, History, Result
from agent_conformance.agents.reference.pruning import Shorten
from agent_mutants.mutant import RIGHT, Mutants

MEM0 = "https://github.com/mem0ai/mem0/issues/4359"


# The rows of a table, laid out so that they can be compared.
# fmt: off
MUTANTS = Mutants()

@MUTANTS.replaces("session_setup", "each session has a store of its own",
    MEM0, {"turns/sessions-side-by-side": "apart"})
def M43a_one_store(setup: Setup, name: str) -> Setup:
    return replace(setup, history=())

@MUTANTS.replaces("session_setup", "each session that a restart gives back has a store of its own",
    MEM0, {"turns/sessions-over-a-restart": "apart"})
def M43d_one_store_for_named_sessions(setup: Setup, name: str) -> Setup:
    return replace(setup, history=(), state_dir=setup.state_dir / "sessions" / name[:1])

@MUTANTS.changes("the results of one session are not those of another",
    "https://github.com/mateaix/mateclaw/pull/457", {"turns/sessions-side-by-side": "apart"})
def M43b_one_cache(defences: Defences) -> Defences:
    known: dict[object, Result] = {}

    async def cached(tool: object, call: Call, arguments: object) -> Result:
        key = (tool, call.key)
        known[key] = known.get(key) or await defences.run_tool(tool, call, arguments)  # type: ignore[arg-type]
        return replace(known[key], call_id=call.id)

    return replace(defences, run_tool=cached)

@MUTANTS.changes("a call runs, also if another conversation had one with its id",
    "https://github.com/QwenLM/qwen-code/issues/8382",
    {"turns/equal-ids-in-two-sessions[two-results]": "apart",
     "turns/equal-ids-in-two-sessions[equal-results]": "own-result"})
def M43e_ids_of_all_conversations(defences: Defences) -> Defences:
    known: dict[str | None, Result] = {}

    async def run(tool: Tool, call: Call, arguments: Mapping[str, Any]) -> Result:
        if call.id not in known:
            known[call.id] = await defences.run_tool(tool, call, arguments)
        return known[call.id]

    return replace(defences, run_tool=run)

@MUTANTS.changes("the call that runs belongs to its turn, also if another turn runs",
    MEM0, {"turns/sessions-at-the-same-time": "apart"})
def M43c_one_open_call(defences: Defences) -> Defences:
    open_now: dict[str, Any] = {"tool": None}

    async def run(tool: Tool, call: Call, arguments: Mapping[str, Any]) -> Result:
        is_first = open_now["tool"] is not tool
        open_now.update(tool=tool, arguments=arguments)
        until = time.monotonic() + 1
        while is_first and open_now["arguments"] is arguments and time.monotonic() < until:  # the other turn comes
            await asyncio.sleep(0.01)
        return await defences.run_tool(tool, call, open_now["arguments"])

    return replace(defences, run_tool=run)


CREWAI = "https://github.com/crewAIInc/crewAI/issues/5802"
AGENT_FRAMEWORK = "https://github.com/microsoft/agent-framework/issues/3938"


def _open_results(history: History, text: str, *, pending: bool) -> History:
    """Results for the last calls that have none: what the agent finds in its store when it is started again."""
    *before, model, results = history
    done = {result.call_id for result in results.results}

    def result(call: Call) -> Result:
        return Result(call.id, call.name, text, pending=pending)

    missing = tuple(result(call) for call in model.calls if call.id not in done)
    return (*before, model, Entry("results", results=(*results.results, *missing)))


CRASHES = Mutants()

@CRASHES.replaces("load", "a call that ran before a crash does not run again after it",
    CREWAI, {"turns/killed-at-a-tool[after, within-a-batch]": "once", "pairs/crash-with-*": "once",
             "pairs/*-with-crash": "once"})
def M41a_open_calls_run_again(folder: Path) -> History | None:
    history = RIGHT.load(folder)
    was_at_tools = history is not None and history[-1].role == "results"
    return _open_results(history, "open", pending=True) if history and was_at_tools else history

@CRASHES.replaces("load", "the model learns that a call was interrupted",
    AGENT_FRAMEWORK, {"turns/killed-at-a-tool[before]": "answered"})
def M41b_open_calls_blank(folder: Path) -> History | None:
    history = RIGHT.load(folder)
    was_at_tools = history is not None and history[-1].role == "results"
    return _open_results(history, "", pending=False) if history and was_at_tools else history

@CRASHES.replaces("save", "what a call has done is stored before the turn ends",
    CREWAI, {"turns/killed-at-a-tool[before, after, within-a-batch]": "restored"})
def M41d_stored_where_a_turn_ends(history: History, folder: Path) -> None:
    if history[-1].role == "model":
        RIGHT.save(history, folder)

CRASHES.row("M41c_open_calls_unanswered", "a call that was interrupted by a crash has a result",
    AGENT_FRAMEWORK, {"turns/killed-at-a-tool[before]": "accepted:*"}, answer_open_calls=None)


ZEROCLAW = "https://github.com/zeroclaw-labs/zeroclaw/issues/5743"


RESTORED = Mutants()

RESTORED.row("M73a_restored_as_it_is", "results at the start of a restored history are not sent",
    ZEROCLAW, {"history/begins-with-a-result[one-result, two-results]": "accepted:*"}, place_results=None,
    answer_open_calls=None, drop_leading=None)

@RESTORED.replaces("first_pass", "a call of another provider stays in the history",
    "https://github.com/unslothai/unsloth/issues/9116", {"history/foreign-ids[nine-letters]": "1.requests*"})
def M73b_foreign_calls_dropped(history: History) -> History:
    own = ("call_", "toolu_", "chatcmpl-tool-")
    return tuple(replace(e, calls=tuple(c for c in e.calls if (c.id or "").startswith(own))) for e in history)

@RESTORED.replaces("first_pass", "a stray result is removed without the pair beside it",
    ZEROCLAW, {"history/orphan-result-amid[other-id]": "1.requests*"})
def M73c_batch_dropped_with_a_stray(history: History) -> History:
    """A result that belongs to no call makes the whole round invalid."""
    ids = {call.id for entry in history for call in entry.calls}
    stray = {id(e) for e in history if any(result.call_id not in ids for result in e.results)}
    pairs = zip(history, (*history[1:], Entry("user")), strict=True)
    return tuple(entry for entry, after in pairs if id(entry) not in stray and id(after) not in stray)

@RESTORED.replaces("first_pass", "what the model said in words is restored",
    "https://github.com/zeroclaw-labs/zeroclaw/issues/7403", {"history/well-formed-is-kept[prose]": "1.requests*"})
def M73d_answers_not_restored(history: History) -> History:
    """Of the model's messages only those with calls are stored."""
    return tuple(entry for entry in history if entry.role != "model" or entry.calls)

@RESTORED.replaces("first_pass", "the system message of a restored history is sent",
    "https://github.com/zeroclaw-labs/zeroclaw/pull/6303", {"history/without-any-user[only-system]": "1.requests*"})
def M73e_restored_instructions_dropped(history: History) -> History:
    return (*history[:1], *(entry for entry in history[1:] if entry.role != "system"))

@MUTANTS.replaces("prune", "the system prompt stays when a history is pruned",
    "https://github.com/browser-use/agent-sdk/issues/3", {"limits/instructions-after-pruning": "system-kept"})
def M2t_system_prompt_pruned(history: History, budget: int, declared: int, shorten: Shorten) -> History:
    pruned = RIGHT.prune(history, budget, declared, shorten)
    return pruned if pruned == history else tuple(entry for entry in pruned if entry.role != "system")

def remembering(defences: Defences, form: Callable[[str], str]) -> Defences:
    """What tools have returned stands in the system prompt, each result in this form."""
    known: list[str] = []

    async def run(tool: Tool, call: Call, arguments: Mapping[str, Any]) -> Result:
        result = await defences.run_tool(tool, call, arguments)
        known.append(form(result.text))
        return result

    def text(system: str, enabled: Mapping[str, Tool], all_tools: Iterable[Tool]) -> str:
        return "\n".join((defences.system_text(system, enabled, all_tools), *known))

    return replace(defences, run_tool=run, system_text=text)

@MUTANTS.changes("what a tool returned does not become an instruction",
    "https://github.com/crewAIInc/crewAI/issues/5057", {"injection/page-is-no-instruction[*]": "authority"})
def M2v_results_remembered_as_instructions(defences: Defences) -> Defences:
    return remembering(defences, str)

@MUTANTS.changes("escaped words of a tool are no instruction either",
    "memories that are written as JSON", {"injection/page-is-no-instruction[page]": "authority"})
def M913_results_as_json_among_the_instructions(defences: Defences) -> Defences:
    return remembering(defences, lambda text: json.dumps({"note": text.upper()}))

@MUTANTS.changes("a part of what a tool returned is no instruction either",
    "notes of forty characters on what tools said", {"injection/page-is-no-instruction[page]": "authority"})
def M914_beginnings_of_results_as_notes(defences: Defences) -> Defences:
    return remembering(defences, lambda text: f"- {text.splitlines()[-1][:40]}..." if text else "")

@MUTANTS.changes("what is kept of a result under a heading of its own is no instruction either",
    "a list of what is known so far in the system prompt", {"injection/page-is-no-instruction[page]": "authority"})
def M944_known_so_far(defences: Defences) -> Defences:
    return remembering(defences, lambda text: f"Known so far: {text}")

@MUTANTS.changes("a file that a tool has read is no instruction, however it begins",
    "agents that take each Markdown file for one of their own, such as AGENTS.md",
    {"injection/page-is-no-instruction[file-for-agents]": "authority"})
def M960_files_for_agents(defences: Defences) -> Defences:
    return remembering(defences, lambda text: text if text.startswith("#") else "")

@MUTANTS.changes("what a tool says that the user says, the user has not said",
    "transcripts that are read for lines that begin with `User:`",
    {"injection/page-is-no-instruction[dialogue]": "authority"})
def M961_dialogue_in_a_result(defences: Defences) -> Defences:
    def entries(answer: Answer, calls: tuple[Call, ...], results: tuple[Result, ...]) -> History:
        lines = re.findall("(?m)^User: (.+)$", "\n".join(one.text for one in results))
        said = tuple(Entry("user", line, is_within=True) for line in lines)
        return (*defences.round_entries(answer, calls, results), *said)

    return replace(defences, round_entries=entries)

@MUTANTS.replaces("final_text", "a last word of a loop, in what a tool returned, is not the answer",
    "ReAct loops that look for it in all that was said",
    {"injection/page-is-no-instruction[last-word-of-a-loop]": "stream-is-reply"})
def M962_last_word_in_a_result(answer: Answer, history: History) -> str:
    said = re.search("Final Answer: (.+)", "\n".join(one.text for entry in history for one in entry.results))
    return said[1] if said else answer.text

@MUTANTS.replaces("shorten", "what is cut since a window is full has a mark",
    "a limit on the characters of a result, where a window is full",
    {"limits/full-in-each-round-of-a-turn": "kept-whole"})
def M963_cut_in_silence(text: str, keep: int) -> str:
    return text[:keep]

def following(defences: Defences, found: Callable[[str, Tool], Mapping[str, Any] | None]) -> Defences:
    """After each call the tools are run, with what is `found` in its result."""
    known: dict[str, Tool] = {}

    def resolve(name: str, enabled: Mapping[str, Tool], all_tools: Iterable[Tool]) -> Tool | None:
        known.update(enabled)
        return defences.resolve(name, enabled, all_tools)

    async def run(tool: Tool, call: Call, arguments: Mapping[str, Any]) -> Result:
        result = await defences.run_tool(tool, call, arguments)
        for other in known.values():
            if other is not tool and (wanted := found(result.text, other)):
                await other.acall(wanted)
        return result

    return replace(defences, resolve=resolve, run_tool=run)

@MUTANTS.changes("a tool that a result names is not run",
    "workflows that take the next step from the last result",
    {"injection/result-names-a-call[field, list-of-calls, block, next-action]": "declared-only"})
def M915_next_step_of_a_result(defences: Defences) -> Defences:
    def found(text: str, tool: Tool) -> Any:
        arguments = re.search(rf'"{tool.name}", "arguments": "?(\{{[^}}]*\}})', text.replace('\\"', '"'))
        return json.loads(arguments[1]) if arguments else None

    return following(defences, found)

@MUTANTS.changes("a tool that a result names in words is not run",
    "commands and links of a page that are followed at once",
    {"injection/result-names-a-call[address, command, function, failure]": "declared-only"})
def M916_commands_of_a_result(defences: Defences) -> Defences:
    def found(text: str, tool: Tool) -> Any:
        after = text.partition(tool.name)[2]
        named = re.findall(r"(\w+)\W*?[=:]\W*?([^\s\"'})]+)", after)
        return {key: value for key, value in named if key in tool.parameters["properties"]}

    return following(defences, found)

MUTANTS.row("M2y_instructions_as_a_template", "braces in the system prompt are text",
    "https://github.com/UKGovernmentBEIS/inspect_ai/pull/2011",
    {"round-trip/braces-in-the-instructions": "1.requests*"},
    system_text=lambda system, enabled, known: system.replace("{{", "{").replace("}}", "}"))

MUTANTS.row("M2x_instructions_cut", "the system prompt is sent whole",
    "https://github.com/fazer-ai/agents/issues/125", {"round-trip/instructions-of-any-length[*]": "system-kept"},
    system_text=lambda system, enabled, known: system[:500])

@MUTANTS.replaces("last_pass", "the system prompt stays when a result is sent",
    "https://github.com/github/copilot-cli/issues/2895", {"limits/instructions-after-pruning": "system-kept"})
def M2u_instructed_once(history: History) -> History:
    answered = history[-1].role == "results"
    return tuple(entry for entry in history if entry.role != "system") if answered else history

@MUTANTS.changes("the system prompt is the same in every request, so that prompt caches are hit",
    "https://github.com/goruck/home-generative-agent/issues/617", {"loops/several-rounds": "steady-prefix"})
def M26a_clock_in_prompt(defences: Defences) -> Defences:
    count = itertools.count(1)

    def text(system: str, enabled: Mapping[str, Tool], known: Iterable[Tool]) -> str:
        return f"This is request {next(count)} of the day.\n{defences.system_text(system, enabled, known)}"

    return replace(defences, system_text=text)

MUTANTS.row("M898_sessions_named_by_their_letters", "two sessions are two, whatever signs stand in their names",
    MEM0, {"turns/sessions-over-a-restart": "apart"},
    session_setup=lambda setup, name: RIGHT.session_setup(setup, re.sub(r"[^a-z0-9]+", "-", name.lower())))

BATCH = "turns/half-a-batch-before-a-crash"

@MUTANTS.replaces("save", "what a batch has returned is stored before the batch is whole",
    "batches that are stored when all of their tools are done", {f"{BATCH}[*]": "arrives"})
def M917_batch_stored_when_it_is_whole(history: History, folder: Path) -> None:
    is_half = len(history) > 1 and len(history[-1].results) < len(history[-2].calls)
    RIGHT.save((*history[:-1], Entry("results")) if is_half and history[-1].results else history, folder)

@MUTANTS.replaces("load", "of a batch that a crash has cut, the calls that were done are restored",
    "calls that are restored to be answered anew, and no others", {f"{BATCH}[of-one-tool]": "restored"})
def M918_open_calls_alone_restored(folder: Path) -> History | None:
    history = RIGHT.load(folder)
    if not history or not history[-1].results:
        return history
    done = {result.call_id for result in history[-1].results}
    left = tuple(call for call in history[-2].calls if call.id not in done)
    return (*history[:-2], replace(history[-2], calls=left), Entry("results")) if left else history
