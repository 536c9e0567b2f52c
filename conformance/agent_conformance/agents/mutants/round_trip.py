"""Bugs with calls and results on their way: openclaWP pull 83 and similar ones."""

import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

from agent_conformance.adapter.types import Tool
from agent_conformance.agents.mutants.mutant import Mutants
from agent_conformance.agents.reference import Defences
from agent_conformance.agents.reference.answers import Answer
from agent_conformance.agents.reference.arguments import read_arguments
from agent_conformance.agents.reference.bounds import Bounds
from agent_conformance.agents.reference.history import Call, Entry, History, Result
from agent_conformance.agents.reference.tools import Offer, declare

OPENCLAWP = "https://github.com/lezama/openclawp/pull/83"


def _narration_joined(defences: Defences, times: int) -> Defences:
    def all_of_the_turn(answer: Answer, history: History) -> str:
        start = max(index for index, entry in enumerate(history) if entry.role == "user")
        narration = [entry.text for entry in history[start:] if entry.role == "model" and entry.text]
        return "\n".join([*narration * times, answer.text])

    return replace(defences, final_text=all_of_the_turn)


MUTANTS = Mutants()


@MUTANTS.add(
    "M4a_declaration_names_invalid",
    "every tool is offered, whatever its name",
    OPENCLAWP,
    (
        (
            "declarations/odd-names[dot, colon, space, slashes, digit-first, other-letters, no-latin-letter]",
            "offered",
        ),
    ),
)
def _odd_names_dropped(defences: Defences) -> Defences:
    def only_plain(enabled: Mapping[str, Tool]) -> Offer | None:
        return declare({n: tool for n, tool in enabled.items() if re.fullmatch(r"[a-z][a-z_]*", tool.name)})

    return replace(defences, declare=only_plain)


@MUTANTS.add(
    "M4b_result_as_user_text",
    "results go back natively, also those of a batch",
    OPENCLAWP,
    (("parallel/all-answered", "paired"),),
)
def _result_as_user_text(defences: Defences) -> Defences:
    def as_text(answer: Answer, calls: tuple[Call, ...], results: tuple[Result, ...]) -> History:
        if len(results) < 2:
            return defences.round_entries(answer, calls, results)
        text = "\n".join(f"{result.name} returned: {result.text}" for result in results)
        return (Entry("model", answer.text or "Let me look."), Entry("user", text))

    return replace(defences, round_entries=as_text)


@MUTANTS.add(
    "M4p_eight_calls_kept",
    "however many calls a reply has, all of them go back with their results",
    "batches of eight at most, and no word of what is left over",
    (("parallel/twelve-calls", "paired"),),
)
def _eight_calls_kept(defences: Defences) -> Defences:
    def first_eight(answer: Answer, calls: tuple[Call, ...], results: tuple[Result, ...]) -> History:
        return defences.round_entries(answer, calls[:8], results[:8])

    return replace(defences, round_entries=first_eight)


@MUTANTS.add(
    "M4c_drop_tool_call_message",
    "a call stays in the history, also if there is text with it",
    OPENCLAWP,
    (("round-trip/text-beside-a-call", "paired"), ("streaming/narration-and-call", "paired")),
)
def _calls_dropped(defences: Defences) -> Defences:
    def words_only(answer: Answer, calls: tuple[Call, ...], results: tuple[Result, ...]) -> History:
        if not answer.text.strip():
            return defences.round_entries(answer, calls, results)
        return (Entry("model", answer.text), Entry("results", results=results))

    return replace(defences, round_entries=words_only)


@MUTANTS.add(
    "M4d_leak_internal_prefix",
    "the provider gets no internal prefix",
    OPENCLAWP,
    (
        ("declarations/allowed-names-are-kept[double-underscore, capitals]", "accepted:*"),
        ("declarations/odd-names[too-long]", "accepted:*"),
    ),
)
def _prefix_leaked(defences: Defences) -> Defences:
    def prefixed(names: Iterable[str]) -> dict[str, str]:
        return {name: f"client/{name}" if re.search(r"[^a-z_]", name) else name for name in names}

    return replace(defences, wire_names=prefixed)


@MUTANTS.add(
    "M4e_id_mismatch",
    "a result has the id of its call",
    "https://github.com/lezama/openclawp/pull/88",
    (("parallel/all-answered", "*"), ("parallel/no-ids", "*"), ("parallel/blank-ids", "*")),
)
def _ids_mismatched(defences: Defences) -> Defences:
    def unmatched(history: History) -> History:
        def renamed(entry: Entry) -> Entry:
            odd = tuple(replace(r, call_id=f"{r.name}_{n}") for n, r in enumerate(entry.results))
            return replace(entry, results=odd) if len(odd) > 1 else entry

        return tuple(renamed(entry) for entry in history)

    return replace(defences, repair_passes=(*defences.repair_passes, unmatched))


@MUTANTS.add(
    "M4f_empty_args_as_list",
    "empty arguments go back as an object",
    "https://github.com/lezama/openclawp/pull/89",
    (("arguments/no-parameters", "accepted:*"), ("round-trip/restored-call-without-arguments", "accepted:*")),
)
def _empty_arguments_as_list(defences: Defences) -> Defences:
    def listed(history: History) -> History:
        def empty(call: Call) -> Call:
            return call if call.arguments else replace(call, arguments=[])  # type: ignore[arg-type]

        return tuple(replace(entry, calls=tuple(empty(call) for call in entry.calls)) for entry in history)

    return replace(defences, repair_passes=(*defences.repair_passes, listed))


@MUTANTS.add(
    "M4g_stale_reply",
    "the reply is of this turn",
    OPENCLAWP,
    (("finish/stale-reply", "*"),),
)
def _stale_reply(defences: Defences) -> Defences:
    def last_words(answer: Answer, history: History) -> str:
        texts = [entry.text for entry in history if entry.role == "model" and entry.text.strip()]
        return answer.text if answer.text.strip() or not texts else texts[-1]

    return replace(defences, final_text=last_words)


@MUTANTS.add(
    "M6_args_default_empty",
    "arguments that are no object do not run as an empty one",
    "https://github.com/openclaw/openclaw/issues/111730",
    (("arguments/no-object[*]", "sent-arguments"),),
)
def _no_arguments_invented(defences: Defences) -> Defences:
    return replace(defences, arguments_of=lambda call: call.arguments or {})


@MUTANTS.add(
    "M9_empty_final",
    "a request with an empty answer is repeated; it is not a reply",
    "zeroclaw, empty completions",
    (
        ("finish/empty-after-a-tool", "answers"),
        ("finish/empty-completion[once, again-and-again]", "answers"),
        ("finish/reason-of-calls-without-calls[nothing]", "answers"),
        ("finish/call-that-gemini-refuses[malformed, undeclared]", "answers"),
        ("reasoning/nothing-else", "answers"),
    ),
)
def _empty_answer_accepted(defences: Defences) -> Defences:
    return replace(defences, give_up=lambda answer, closing: "", bounds=lambda limits: Bounds(empty_answers=99))


@MUTANTS.add(
    "M10_truncated_exec",
    "calls of a message that was cut off do not run",
    "https://github.com/earendil-works/pi/issues/6285",
    (("finish/cut-off-call", "*"), ("finish/cut-off-call-that-looks-whole[token-limit, filter]", "1.executed")),
)
def _cut_off_calls_run(defences: Defences) -> Defences:
    def completed(call: Call) -> Mapping[str, Any] | None:
        cut = call.problem.partition("): ")[2]
        for ending in ("", "}", '"}', "]}", '"]}') if call.arguments is None else ():
            arguments, _ = read_arguments(cut + ending)
            if arguments:
                return arguments
        return call.arguments

    return replace(defences, may_run=lambda answer: True, arguments_of=completed)


@MUTANTS.add(
    "M11_retry_whole_turn",
    "only a failed request is repeated; tools do not run again",
    "https://github.com/agno-agi/agno/issues/10366",
    (
        ("faults/passing[*]", "paired"),
        ("turns/overloaded-after-a-call[mistral, gemini]", "paired"),
        ("long-sessions/connection-lost-in-the-ninth-round[*]", "paired"),
    ),
)
def _turn_retried(defences: Defences) -> Defences:
    return replace(defences, history_on_retry=lambda history, start: history[: start + 1])


@MUTANTS.add(
    "M15_names_collide",
    "two tools never share a name on the wire",
    "notion.search and notion_search, merged into one",
    (("declarations/names-that-collide", "*"),),
)
def _names_collide(defences: Defences) -> Defences:
    def squeezed(names: Iterable[str]) -> dict[str, str]:
        return {name: re.sub(r"[^A-Za-z0-9_]", "_", name)[:64] for name in names}

    return replace(defences, wire_names=squeezed)


@MUTANTS.add(
    "M16_thoughts_forgotten",
    "the signature of reasoning goes back with its call",
    "https://github.com/google-gemini/gemini-cli, missing thought_signature",
    (
        ("reasoning/call-after-reasoning-field", "accepted:*"),
        ("reasoning/kept-over-a-restart", "accepted:*"),
        ("reasoning/thoughts-go-back-with-the-result", "1.should.requests*"),
        ("reasoning/field-goes-back", "1.should.requests*"),
        ("reasoning/parallel-calls-after-reasoning", "accepted:*"),
        ("reasoning/signature-goes-back-to-gemini", "accepted:*"),
    ),
)
def _thoughts_forgotten(defences: Defences) -> Defences:
    def bare(entry: Entry) -> Entry:
        calls = tuple(replace(call, signature=None) for call in entry.calls)
        return replace(entry, thoughts=(), calls=calls) if entry.thoughts or calls else entry

    def forget(history: History) -> History:
        return tuple(bare(entry) for entry in history)

    return replace(defences, repair_passes=(*defences.repair_passes, forget), placeholder_signature="")


@MUTANTS.add(
    "M4j_empty_result_dropped",
    "an empty result is a result",
    "https://github.com/continuedev/continue/issues/6510",
    (("round-trip/empty-result[no-text]", "paired"),),
)
def _empty_result_dropped(defences: Defences) -> Defences:
    def round_entries(answer: Answer, calls: tuple[Call, ...], results: tuple[Result, ...]) -> History:
        return defences.round_entries(answer, calls, results) if any(result.text for result in results) else ()

    return replace(defences, round_entries=round_entries)


@MUTANTS.add(
    "M4k_objects_by_their_type",
    "a result that is not text reaches the model in full",
    "https://github.com/agentclientprotocol/claude-agent-acp/issues/229",
    (("round-trip/kinds-of-result[object, text-like-json]", "1.requests*"),),
)
def _objects_by_their_type(defences: Defences) -> Defences:
    async def run(tool: Tool, call: Call, arguments: Mapping[str, Any]) -> Result:
        result = await defences.run_tool(tool, call, arguments)
        return replace(result, text="[object Object]") if result.text.startswith("{") else result

    return replace(defences, run_tool=run)


@MUTANTS.add(
    "M4l_placeholder_reply",
    "the reply is the model's, however short",
    OPENCLAWP,
    (("round-trip/reply-is-no-placeholder[digit, word-for-nothing]", "stream-is-reply"),),
)
def _placeholder_reply(defences: Defences) -> Defences:
    def last_text(answer: Answer, history: History) -> str:
        called = [call.name for entry in history for call in entry.calls]
        return f"Calling {called[-1]}" if called and answer.text in ("", "0", "null") else answer.text

    return replace(defences, final_text=last_text)


@MUTANTS.add(
    "M23_two_rounds",
    "a turn has as many rounds of tools as it needs",
    "zeroclaw, three sequential calls",
    (("loops/several-rounds", "1.executed"),),
)
def _two_rounds(defences: Defences) -> Defences:
    return replace(defences, bounds=lambda limits: Bounds(requests=3))


@MUTANTS.add(
    "M4m_arguments_not_sent_back",
    "a call goes back with its own arguments",
    "https://github.com/lezama/openclawp/pull/88",
    (("round-trip/ids-and-numbers", "kept-whole"),),
)
def _arguments_not_sent_back(defences: Defences) -> Defences:
    def bare(history: History) -> History:
        return tuple(
            replace(entry, calls=tuple(replace(call, arguments={}) for call in entry.calls)) for entry in history
        )

    return replace(defences, repair_passes=(*defences.repair_passes, bare))


MUTANTS.add(
    "M4n_narration_repeated",
    "text with a call is shown once",
    "zeroclaw, narration that was forwarded already",
    (("streaming/narration-and-call", "1.reply"),),
)(lambda defences: _narration_joined(defences, 2))


MUTANTS.add(
    "M4o_narration_joined",
    "the reply is the model's answer, without what it said beside an earlier call",
    "https://github.com/NetGreenChat/TgLlmBot/pull/29",
    (("round-trip/text-beside-a-call", "narration-apart"), ("streaming/narration-and-call", "narration-apart")),
)(lambda defences: _narration_joined(defences, 1))


@MUTANTS.add(
    "M8b_results_rotated",
    "each result stands under the call that it answers",
    "https://github.com/theopenco/llmgateway/pull/2789",
    (("parallel/all-answered", "own-result"), ("parallel/results-of-several-tools", "own-result")),
)
def _results_rotated(defences: Defences) -> Defences:
    def entries(answer: Answer, calls: tuple[Call, ...], results: tuple[Result, ...]) -> History:
        texts = [result.text for result in (*results[1:], *results[:1])]
        rotated = (replace(result, text=text) for result, text in zip(results, texts, strict=True))
        return defences.round_entries(answer, calls, tuple(rotated))

    return replace(defences, round_entries=entries)


@MUTANTS.add(
    "M8c_results_named_by_id",
    "a result has the name of its call",
    "https://github.com/AstrBotDevs/AstrBot/issues/9876",
    (("round-trip/result-comes-back", "own-result"),),
)
def _results_named_by_id(defences: Defences) -> Defences:
    def named(history: History) -> History:
        return tuple(
            replace(entry, results=tuple(replace(r, name=r.call_id or r.name) for r in entry.results))
            for entry in history
        )

    return replace(defences, repair_passes=(*defences.repair_passes, named))


@MUTANTS.add(
    "M75a_long_messages_cut",
    "a message of the user is sent whole",
    "https://github.com/preset-io/agor/issues/2744",
    (("round-trip/messages-of-any-length[*]", "asked"),),
)
def _long_messages_cut(defences: Defences) -> Defences:
    def short(history: History) -> History:
        return tuple(replace(entry, text=entry.text[:1600]) if entry.role == "user" else entry for entry in history)

    return replace(defences, repair_passes=(*defences.repair_passes, short))


def _user_messages_as(defences: Defences, change: Callable[[str], str]) -> Defences:
    """The agent that sends what the user said as this function writes it."""

    def changed(history: History) -> History:
        return tuple(replace(entry, text=change(entry.text)) if entry.role == "user" else entry for entry in history)

    return replace(defences, repair_passes=(*defences.repair_passes, changed))


@MUTANTS.add(
    "M76a_message_in_one_line",
    "the layout of a message of the user is kept",
    "https://github.com/beekeeper-studio/bks-ai-shell/issues/50",
    (("round-trip/message-as-it-was-written[code, table]", "1.requests*"),),
)
def _message_in_one_line(defences: Defences) -> Defences:
    return _user_messages_as(defences, lambda text: " ".join(text.split()))


@MUTANTS.add(
    "M76b_message_composed",
    "letters and accents of a message are sent as they came",
    "https://github.com/heypinchy/pinchy/pull/729",
    (("round-trip/message-as-it-was-written[decomposed]", "*"),),
)
def _message_composed(defences: Defences) -> Defences:
    return _user_messages_as(defences, lambda text: unicodedata.normalize("NFC", text))


@MUTANTS.add(
    "M76c_invisible_characters_cut_out",
    "what joins letters and emojis of a message is part of it",
    "https://github.com/SolaceLabs/solace-agent-mesh/pull/145",
    (("round-trip/message-as-it-was-written[joiners]", "asked"),),
)
def _invisible_characters_cut_out(defences: Defences) -> Defences:
    return _user_messages_as(defences, lambda text: "".join(c for c in text if unicodedata.category(c) != "Cf"))


@MUTANTS.add(
    "M76d_said_before",
    "a message of the user is kept, also if it was said before",
    "https://github.com/microsoft/agent-framework/issues/4682",
    (("round-trip/same-words-in-three-turns", "kept-whole"),),
)
def _said_before(defences: Defences) -> Defences:
    def once(history: History) -> History:
        first = {entry.text: entry for entry in reversed(history) if entry.role == "user"}
        return tuple(entry for entry in history if entry.role != "user" or entry is first[entry.text])

    return replace(defences, repair_passes=(*defences.repair_passes, once))


@MUTANTS.add(
    "M76f_message_as_a_template",
    "braces in a message are text",
    "https://github.com/SWE-agent/SWE-agent/issues/1019",
    (("round-trip/message-as-it-was-written[braces]", "*"),),
)
def _message_as_a_template(defences: Defences) -> Defences:
    return _user_messages_as(defences, lambda text: re.sub(r"\{\{?\s*\w*\s*\}?\}", "", text))
