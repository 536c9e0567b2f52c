"""Bugs with calls and results on their way: openclaWP pull 83 and similar ones."""

import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

from agent_conformance.adapter.types import Tool
from agent_conformance.agents.reference.answers import Answer
from agent_conformance.agents.reference.arguments import read_arguments
from agent_conformance.agents.reference.bounds import Bounds
from agent_conformance.agents.reference.history import Call, Entry, History, Result
from agent_conformance.agents.reference.history_repair import RepairPass
from agent_conformance.agents.reference.tools import Offer, declare
from agent_mutants.mutant import RIGHT, Mutants

OPENCLAWP = "https://github.com/lezama/openclawp/pull/83"


def narration_joined(times: int) -> Callable[[Answer, History], str]:
    def all_of_the_turn(answer: Answer, history: History) -> str:
        start = max(index for index, entry in enumerate(history) if entry.role == "user")
        narration = [entry.text for entry in history[start:] if entry.role == "model" and entry.text]
        return "\n".join([*narration * times, answer.text])

    return all_of_the_turn


EMPTY_WHEN = (
    "after-a-fallback",
    *("in-a-later-turn", "after-a-restart", "after-more-was-said", "after-a-stopped-turn", "after-a-compaction"),
)


# The rows of a table, laid out so that they can be compared.
# fmt: off
MUTANTS = Mutants()

@MUTANTS.replaces("declare", "every tool is offered, whatever its name",
    OPENCLAWP,
    {"declarations/odd-names[dot, colon, space, slashes, digit-first, other-letters, no-latin-letter]": "offered"})
def M4a_declaration_names_invalid(enabled: Mapping[str, Tool]) -> Offer | None:
    return declare({n: tool for n, tool in enabled.items() if re.fullmatch(r"[a-z][a-z_]*", tool.name)})

@MUTANTS.replaces("round_entries", "results go back natively, also those of a batch",
    OPENCLAWP, {"parallel/all-answered": "paired"})
def M4b_result_as_user_text(answer: Answer, calls: tuple[Call, ...], results: tuple[Result, ...]) -> History:
    if len(results) < 2:
        return RIGHT.round_entries(answer, calls, results)
    text = "\n".join(f"{result.name} returned: {result.text}" for result in results)
    return (Entry("model", answer.text or "Let me look."), Entry("user", text))

@MUTANTS.replaces("round_entries", "however many calls a reply has, all of them go back with their results",
    "batches of eight at most, and no word of what is left over", {"parallel/twelve-calls": "paired"})
def M4p_eight_calls_kept(answer: Answer, calls: tuple[Call, ...], results: tuple[Result, ...]) -> History:
    return RIGHT.round_entries(answer, calls[:8], results[:8])

@MUTANTS.replaces("round_entries", "a call stays in the history, also if there is text with it",
    OPENCLAWP, {"round-trip/text-beside-a-call": "paired", "streaming/narration-and-call": "paired"})
def M4c_drop_tool_call_message(answer: Answer, calls: tuple[Call, ...], results: tuple[Result, ...]) -> History:
    if not answer.text.strip():
        return RIGHT.round_entries(answer, calls, results)
    return (Entry("model", answer.text), Entry("results", results=results))

@MUTANTS.replaces("wire_names", "the provider gets no internal prefix", OPENCLAWP,
    {"declarations/allowed-names-are-kept[double-underscore, capitals]": "accepted:*",
     "declarations/odd-names[too-long]": "accepted:*"})
def M4d_leak_internal_prefix(names: Iterable[str]) -> dict[str, str]:
    return {name: f"client/{name}" if re.search(r"[^a-z_]", name) else name for name in names}

@MUTANTS.replaces("last_pass", "a result has the id of its call",
    "https://github.com/lezama/openclawp/pull/88",
    {"parallel/all-answered": "*", "parallel/no-ids": "*", "parallel/blank-ids": "*"})
def M4e_id_mismatch(history: History) -> History:
    def renamed(entry: Entry) -> Entry:
        odd = tuple(replace(r, call_id=f"{r.name}_{n}") for n, r in enumerate(entry.results))
        return replace(entry, results=odd) if len(odd) > 1 else entry

    return tuple(renamed(entry) for entry in history)

@MUTANTS.replaces("last_pass", "empty arguments go back as an object",
    "https://github.com/lezama/openclawp/pull/89",
    {"arguments/no-parameters": "accepted:*", "round-trip/restored-call-without-arguments": "accepted:*"})
def M4f_empty_args_as_list(history: History) -> History:
    def empty(call: Call) -> Call:
        return call if call.arguments else replace(call, arguments=[])  # type: ignore[arg-type]

    return tuple(replace(entry, calls=tuple(empty(call) for call in entry.calls)) for entry in history)

@MUTANTS.replaces("final_text", "the reply is of this turn",
    OPENCLAWP, {"finish/stale-reply": "*"})
def M4g_stale_reply(answer: Answer, history: History) -> str:
    texts = [entry.text for entry in history if entry.role == "model" and entry.text.strip()]
    return answer.text if answer.text.strip() or not texts else texts[-1]

MUTANTS.row("M6_args_default_empty", "arguments that are no object do not run as an empty one",
    "https://github.com/openclaw/openclaw/issues/111730", {"arguments/no-object[*]": "sent-arguments"},
    arguments_of=lambda call: call.arguments or {})

MUTANTS.row("M9_empty_final", "a request with an empty answer is repeated; it is not a reply",
    "zeroclaw, empty completions",
    {"finish/empty-after-a-tool": "answers",
     **dict.fromkeys((f"finish/empty-{when}[*]" for when in EMPTY_WHEN), "answers"),
     "finish/empty-completion[once, again-and-again]": "answers",
     "finish/reason-of-calls-without-calls[nothing]": "answers",
     "finish/call-that-gemini-refuses[malformed, undeclared]": "answers", "reasoning/nothing-else": "answers"},
    give_up=lambda answer, closing: "", bounds=lambda limits: Bounds(empty_answers=99))

@MUTANTS.replaces("arguments_of", "calls of a message that was cut off do not run",
    "https://github.com/earendil-works/pi/issues/6285",
    {"finish/cut-off-call": "*", "finish/cut-off-call-that-looks-whole[token-limit, filter]": "1.executed"},
    may_run=lambda answer: True)
def M10_truncated_exec(call: Call) -> Mapping[str, Any] | None:
    cut = call.problem.partition("): ")[2]
    for ending in ("", "}", '"}', "]}", '"]}') if call.arguments is None else ():
        arguments, _ = read_arguments(cut + ending)
        if arguments:
            return arguments
    return call.arguments

MUTANTS.row("M11_retry_whole_turn", "only a failed request is repeated; tools do not run again",
    "https://github.com/agno-agi/agno/issues/10366",
    {"faults/passing[*]": "paired", "turns/overloaded-after-a-call[mistral, gemini]": "paired",
     "long-sessions/connection-lost-in-the-ninth-round[*]": "paired"},
    history_on_retry=lambda history, start: history[: start + 1])

@MUTANTS.replaces("wire_names", "two tools never share a name on the wire",
    "notion.search and notion_search, merged into one", {"declarations/names-that-collide": "*"})
def M15_names_collide(names: Iterable[str]) -> dict[str, str]:
    return {name: re.sub(r"[^A-Za-z0-9_]", "_", name)[:64] for name in names}

@MUTANTS.replaces("last_pass", "the signature of reasoning goes back with its call",
    "https://github.com/google-gemini/gemini-cli, missing thought_signature",
    {"reasoning/call-after-reasoning-field": "accepted:*", "reasoning/kept-over-a-restart": "accepted:*",
     "reasoning/thoughts-go-back-with-the-result": "1.should.requests*",
     "reasoning/field-goes-back": "1.should.requests*", "reasoning/parallel-calls-after-reasoning": "accepted:*",
     "reasoning/signature-goes-back-to-gemini": "accepted:*"}, placeholder_signature="")
def M16_thoughts_forgotten(history: History) -> History:
    def bare(entry: Entry) -> Entry:
        calls = tuple(replace(call, signature=None) for call in entry.calls)
        return replace(entry, thoughts=(), calls=calls) if entry.thoughts or calls else entry

    return tuple(bare(entry) for entry in history)

@MUTANTS.replaces("round_entries", "an empty result is a result",
    "https://github.com/continuedev/continue/issues/6510", {"round-trip/empty-result[no-text]": "paired"})
def M4j_empty_result_dropped(answer: Answer, calls: tuple[Call, ...], results: tuple[Result, ...]) -> History:
    return RIGHT.round_entries(answer, calls, results) if any(result.text for result in results) else ()

@MUTANTS.replaces("run_tool", "a result that is not text reaches the model in full",
    "https://github.com/agentclientprotocol/claude-agent-acp/issues/229",
    {"round-trip/kinds-of-result[object, text-like-json]": "arrives"})
async def M4k_objects_by_their_type(tool: Tool, call: Call, arguments: Mapping[str, Any]) -> Result:
    result = await RIGHT.run_tool(tool, call, arguments)
    return replace(result, text="[object Object]") if result.text.startswith("{") else result

@MUTANTS.replaces("final_text", "the reply is the model's, however short",
    OPENCLAWP, {"round-trip/reply-is-no-placeholder[digit, word-for-nothing]": "stream-is-reply"})
def M4l_placeholder_reply(answer: Answer, history: History) -> str:
    called = [call.name for entry in history for call in entry.calls]
    return f"Calling {called[-1]}" if called and answer.text in ("", "0", "null") else answer.text

MUTANTS.row("M23_two_rounds", "a turn has as many rounds of tools as it needs",
    "zeroclaw, three sequential calls", {"loops/several-rounds": "1.executed"},
    bounds=lambda limits: Bounds(requests=3))

@MUTANTS.replaces("last_pass", "a call goes back with its own arguments",
    "https://github.com/lezama/openclawp/pull/88", {"round-trip/ids-and-numbers": "kept-whole"})
def M4m_arguments_not_sent_back(history: History) -> History:
    return tuple(
        replace(entry, calls=tuple(replace(call, arguments={}) for call in entry.calls)) for entry in history
    )

MUTANTS.row("M4n_narration_repeated", "text with a call is shown once",
    "zeroclaw, narration that was forwarded already", {"streaming/narration-and-call": "1.reply"},
    final_text=narration_joined(2))

MUTANTS.row("M4o_narration_joined", "the reply is the model's answer, without what it said beside an earlier call",
    "https://github.com/NetGreenChat/TgLlmBot/pull/29",
    {"round-trip/text-beside-a-call": "narration-apart", "streaming/narration-and-call": "narration-apart"},
    final_text=narration_joined(1))

@MUTANTS.replaces("round_entries", "each result stands under the call that it answers",
    "https://github.com/theopenco/llmgateway/pull/2789",
    {"parallel/all-answered": "own-result", "parallel/results-of-several-tools": "own-result"})
def M8b_results_rotated(answer: Answer, calls: tuple[Call, ...], results: tuple[Result, ...]) -> History:
    texts = [result.text for result in (*results[1:], *results[:1])]
    rotated = (replace(result, text=text) for result, text in zip(results, texts, strict=True))
    return RIGHT.round_entries(answer, calls, tuple(rotated))

@MUTANTS.replaces("last_pass", "a result has the name of its call",
    "https://github.com/AstrBotDevs/AstrBot/issues/9876", {"round-trip/result-comes-back": "own-result"})
def M8c_results_named_by_id(history: History) -> History:
    return tuple(
        replace(entry, results=tuple(replace(r, name=r.call_id or r.name) for r in entry.results))
        for entry in history
    )

@MUTANTS.replaces("last_pass", "a message of the user is sent whole",
    "https://github.com/preset-io/agor/issues/2744", {"round-trip/messages-of-any-length[*]": "asked"})
def M75a_long_messages_cut(history: History) -> History:
    return tuple(replace(entry, text=entry.text[:1600]) if entry.role == "user" else entry for entry in history)


def user_messages(change: Callable[[str], str]) -> RepairPass:
    """Sends what the user said as this function writes it."""

    def changed(history: History) -> History:
        return tuple(replace(entry, text=change(entry.text)) if entry.role == "user" else entry for entry in history)

    return changed


MUTANTS.row("M76a_message_in_one_line", "the layout of a message of the user is kept",
    "https://github.com/beekeeper-studio/bks-ai-shell/issues/50",
    {"round-trip/message-as-it-was-written[code, table]": "1.requests*"},
    last_pass=user_messages(lambda text: " ".join(text.split())))

MUTANTS.row("M76b_message_composed", "letters and accents of a message are sent as they came",
    "https://github.com/heypinchy/pinchy/pull/729", {"round-trip/message-as-it-was-written[decomposed]": "*"},
    last_pass=user_messages(lambda text: unicodedata.normalize("NFC", text)))

MUTANTS.row("M76c_invisible_characters_cut_out", "what joins letters and emojis of a message is part of it",
    "https://github.com/SolaceLabs/solace-agent-mesh/pull/145",
    {"round-trip/message-as-it-was-written[joiners]": "asked"},
    last_pass=user_messages(lambda text: "".join(c for c in text if unicodedata.category(c) != "Cf")))

@MUTANTS.replaces("last_pass", "a message of the user is kept, also if it was said before",
    "https://github.com/microsoft/agent-framework/issues/4682", {"round-trip/same-words-in-three-turns": "kept-whole"})
def M76d_said_before(history: History) -> History:
    first = {entry.text: entry for entry in reversed(history) if entry.role == "user"}
    return tuple(entry for entry in history if entry.role != "user" or entry is first[entry.text])

MUTANTS.row("M76f_message_as_a_template", "braces in a message are text",
    "https://github.com/SWE-agent/SWE-agent/issues/1019", {"round-trip/message-as-it-was-written[braces]": "*"},
    last_pass=user_messages(lambda text: re.sub(r"\{\{?\s*\w*\s*\}?\}", "", text)))
