"""Bugs on the way of a call there and back: openclaWP pull 83 and its relatives."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from conformance.adapter.types import Tool
from conformance.agents.mutants.mutant import Mutant
from conformance.agents.reference import Parts
from conformance.agents.reference.arguments import read_arguments
from conformance.agents.reference.bounds import Bounds
from conformance.agents.reference.finishes import Answer
from conformance.agents.reference.tools import Offer, declare
from conformance.agents.reference.turns import Call, Result, Turn, Turns

OPENCLAWP = "https://github.com/lezama/openclawp/pull/83"


def _odd_names_dropped(parts: Parts) -> Parts:
    def only_plain(enabled: Mapping[str, Tool]) -> Offer | None:
        return declare({n: tool for n, tool in enabled.items() if re.fullmatch(r"[a-z][a-z_]*", tool.name)})

    return replace(parts, declare=only_plain)


def _result_as_user_text(parts: Parts) -> Parts:
    def as_text(answer: Answer, calls: tuple[Call, ...], results: tuple[Result, ...]) -> Turns:
        if len(results) < 2:
            return parts.round_turns(answer, calls, results)
        told = "\n".join(f"{result.name} returned: {result.text}" for result in results)
        return (Turn("model", answer.text or "Let me look."), Turn("user", told))

    return replace(parts, round_turns=as_text)


def _calls_dropped(parts: Parts) -> Parts:
    def words_only(answer: Answer, calls: tuple[Call, ...], results: tuple[Result, ...]) -> Turns:
        if not answer.text.strip():
            return parts.round_turns(answer, calls, results)
        return (Turn("model", answer.text), Turn("results", results=results))

    return replace(parts, round_turns=words_only)


def _prefix_leaked(parts: Parts) -> Parts:
    def prefixed(names: Iterable[str]) -> dict[str, str]:
        return {name: f"client/{name}" if re.search(r"[^a-z_]", name) else name for name in names}

    return replace(parts, wire_names=prefixed)


def _ids_mismatched(parts: Parts) -> Parts:
    def unmatched(turns: Turns) -> Turns:
        def renamed(turn: Turn) -> Turn:
            odd = tuple(replace(r, call_id=f"{r.name}_{n}") for n, r in enumerate(turn.results))
            return replace(turn, results=odd) if len(odd) > 1 else turn

        return tuple(renamed(turn) for turn in turns)

    return replace(parts, passes=(*parts.passes, unmatched))


def _empty_arguments_as_list(parts: Parts) -> Parts:
    def listed(turns: Turns) -> Turns:
        def empty(call: Call) -> Call:
            return call if call.arguments else replace(call, arguments=[])  # type: ignore[arg-type]

        return tuple(replace(turn, calls=tuple(empty(call) for call in turn.calls)) for turn in turns)

    return replace(parts, passes=(*parts.passes, listed))


def _stale_reply(parts: Parts) -> Parts:
    def last_words(answer: Answer, turns: Turns) -> str:
        said = [turn.text for turn in turns if turn.role == "model" and turn.text.strip()]
        return answer.text if answer.text.strip() or not said else said[-1]

    return replace(parts, final_text=last_words)


def _no_arguments_invented(parts: Parts) -> Parts:
    return replace(parts, arguments_of=lambda call: call.arguments or {})


def _blank_taken_for_an_answer(parts: Parts) -> Parts:
    return replace(parts, give_up=lambda answer, closing: "", bounds=lambda limits: Bounds(blanks=99))


def _cut_off_calls_run(parts: Parts) -> Parts:
    def completed(call: Call) -> Mapping[str, Any] | None:
        cut = call.problem.partition("): ")[2]
        for ending in ("", "}", '"}', "]}", '"]}') if call.arguments is None else ():
            arguments, _ = read_arguments(cut + ending)
            if arguments:
                return arguments
        return call.arguments

    return replace(parts, may_run=lambda answer: True, arguments_of=completed)


def _step_retried(parts: Parts) -> Parts:
    return replace(parts, kept_on_retry=lambda turns, start: turns[: start + 1])


def _thoughts_forgotten(parts: Parts) -> Parts:
    def bare(turn: Turn) -> Turn:
        calls = tuple(replace(call, signature=None) for call in turn.calls)
        return replace(turn, thoughts=(), calls=calls) if turn.thoughts else turn

    def forget(turns: Turns) -> Turns:
        return tuple(bare(turn) for turn in turns)

    return replace(parts, passes=(*parts.passes, forget), unsigned_call="")


def _names_collide(parts: Parts) -> Parts:
    def squeezed(names: Iterable[str]) -> dict[str, str]:
        return {name: re.sub(r"[^A-Za-z0-9_]", "_", name)[:64] for name in names}

    return replace(parts, wire_names=squeezed)


def _empty_result_dropped(parts: Parts) -> Parts:
    def round_turns(answer: Answer, calls: tuple[Call, ...], results: tuple[Result, ...]) -> Turns:
        return parts.round_turns(answer, calls, results) if any(result.text for result in results) else ()

    return replace(parts, round_turns=round_turns)


def _objects_by_their_type(parts: Parts) -> Parts:
    async def run(tool: Tool, call: Call, arguments: Mapping[str, Any]) -> Result:
        result = await parts.run_tool(tool, call, arguments)
        return replace(result, text="[object Object]") if result.text.startswith("{") else result

    return replace(parts, run_tool=run)


def _placeholder_told(parts: Parts) -> Parts:
    def last_text(answer: Answer, turns: Turns) -> str:
        called = [call.name for turn in turns for call in turn.calls]
        return f"Calling {called[-1]}" if called and answer.text in ("", "0", "null") else answer.text

    return replace(parts, final_text=last_text)


def _two_rounds(parts: Parts) -> Parts:
    return replace(parts, bounds=lambda limits: Bounds(exchanges=3))


def _arguments_not_sent_back(parts: Parts) -> Parts:
    def bare(turns: Turns) -> Turns:
        return tuple(replace(turn, calls=tuple(replace(call, arguments={}) for call in turn.calls)) for turn in turns)

    return replace(parts, passes=(*parts.passes, bare))


def _narration_told_again(parts: Parts) -> Parts:
    def all_of_the_step(answer: Answer, turns: Turns) -> str:
        asked = max(index for index, turn in enumerate(turns) if turn.role == "user")
        beside = [turn.text for turn in turns[asked:] if turn.role == "model" and turn.text]
        return "\n".join([*beside, *beside, answer.text])

    return replace(parts, final_text=all_of_the_step)


MUTANTS = (
    Mutant(
        "M4a_declaration_names_invalid",
        "every tool is offered, whatever its name",
        OPENCLAWP,
        (("declarations/odd-names", "offered"),),
        _odd_names_dropped,
    ),
    Mutant(
        "M4b_result_as_user_text",
        "results go back natively, those of a batch too",
        OPENCLAWP,
        (("parallel/all-answered", "paired"),),
        _result_as_user_text,
    ),
    Mutant(
        "M4c_drop_tool_call_message",
        "a call stays in the history though words stand beside it",
        OPENCLAWP,
        (("round-trip/text-beside-a-call", "paired"), ("streaming/narration-and-call", "paired")),
        _calls_dropped,
    ),
    Mutant(
        "M4d_leak_internal_prefix",
        "the provider sees no internal prefix",
        OPENCLAWP,
        (("declarations/allowed-names-are-kept", "accepted:*"), ("declarations/odd-names", "accepted:*")),
        _prefix_leaked,
    ),
    Mutant(
        "M4e_id_mismatch",
        "a result carries the id of its call",
        "https://github.com/lezama/openclawp/pull/88",
        (("parallel/all-answered", "*"), ("parallel/no-ids", "*")),
        _ids_mismatched,
    ),
    Mutant(
        "M4f_empty_args_as_list",
        "empty arguments go back as an object",
        "https://github.com/lezama/openclawp/pull/89",
        (("arguments/no-parameters", "accepted:*"), ("round-trip/restored-call-without-arguments", "accepted:*")),
        _empty_arguments_as_list,
    ),
    Mutant(
        "M4g_stale_reply",
        "the reply is of this step",
        OPENCLAWP,
        (("finish/stale-reply", "*"),),
        _stale_reply,
    ),
    Mutant(
        "M6_args_default_empty",
        "text that is no object is not run as an empty one",
        "https://github.com/openclaw/openclaw/issues/111730",
        (("arguments/no-object", "sent-arguments"),),
        _no_arguments_invented,
    ),
    Mutant(
        "M9_empty_final",
        "an empty answer is asked for again, and is no reply",
        "zeroclaw, empty completions",
        (("finish/empty-*", "answers"), ("reasoning/nothing-else", "answers")),
        _blank_taken_for_an_answer,
    ),
    Mutant(
        "M10_truncated_exec",
        "calls of a message that was cut off do not run",
        "https://github.com/earendil-works/pi/issues/6285",
        (("finish/cut-off-call", "*"),),
        _cut_off_calls_run,
    ),
    Mutant(
        "M11_retry_whole_turn",
        "a failed request is repeated alone; what ran stays done",
        "https://github.com/agno-agi/agno/issues/10366",
        (("faults/passing", "1.should.requests*"),),
        _step_retried,
    ),
    Mutant(
        "M15_names_collide",
        "two tools never share a name on the wire",
        "notion.search and notion_search, merged into one",
        (("declarations/names-that-collide", "*"),),
        _names_collide,
    ),
    Mutant(
        "M16_thoughts_forgotten",
        "what vouches for reasoning goes back with the call it belongs to",
        "https://github.com/google-gemini/gemini-cli, missing thought_signature",
        (("reasoning/call-after-reasoning-field", "accepted:*"),),
        _thoughts_forgotten,
    ),
    Mutant(
        "M4j_empty_result_dropped",
        "an empty result is a result",
        "https://github.com/continuedev/continue/issues/6510",
        (("round-trip/empty-result", "paired"),),
        _empty_result_dropped,
    ),
    Mutant(
        "M4k_objects_by_their_type",
        "a result that is no text reaches the model whole",
        "https://github.com/agentclientprotocol/claude-agent-acp/issues/229",
        (("round-trip/kinds-of-result", "1.requests*"),),
        _objects_by_their_type,
    ),
    Mutant(
        "M4l_placeholder_told",
        "the reply is the model's, however short",
        OPENCLAWP,
        (("round-trip/reply-is-no-placeholder", "stream-is-reply"),),
        _placeholder_told,
    ),
    Mutant(
        "M23_two_rounds",
        "a step has as many rounds of tools as it needs",
        "zeroclaw, three sequential calls",
        (("loops/several-rounds", "1.executed"),),
        _two_rounds,
    ),
    Mutant(
        "M4m_arguments_not_sent_back",
        "a call goes back with the arguments that it came with",
        "https://github.com/lezama/openclawp/pull/88",
        (("round-trip/ids-and-numbers", "1.requests*"),),
        _arguments_not_sent_back,
    ),
    Mutant(
        "M4n_narration_told_again",
        "words beside a call are told once",
        "zeroclaw, narration that was forwarded already",
        (("streaming/narration-and-call", "1.reply"),),
        _narration_told_again,
    ),
)
