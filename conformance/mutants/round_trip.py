"""Bugs on the way of a call there and back: openclaWP pull 83 and its relatives."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from conformance.adapter import Tool
from conformance.mutants.mutant import Mutant
from conformance.reference import Parts
from conformance.reference.arguments import read_arguments
from conformance.reference.bounds import Bounds
from conformance.reference.finishes import Answer
from conformance.reference.tools import Offer, declare
from conformance.reference.turns import Call, Result, Turn, Turns

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
    def last_words(text: str, turns: Turns) -> str:
        said = [turn.text for turn in turns if turn.role == "model" and turn.text.strip()]
        return text if text.strip() or not said else said[-1]

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
        (("round-trip/text-beside-a-call", "paired"),),
        _calls_dropped,
    ),
    Mutant(
        "M4d_leak_internal_prefix",
        "the provider sees no internal prefix",
        OPENCLAWP,
        (("declarations/*", "accepted:*"),),
        _prefix_leaked,
    ),
    Mutant(
        "M4e_id_mismatch",
        "a result carries the id of its call",
        "https://github.com/lezama/openclawp/pull/88",
        (("parallel/all-answered", "*"),),
        _ids_mismatched,
    ),
    Mutant(
        "M4f_empty_args_as_list",
        "empty arguments go back as an object",
        "https://github.com/lezama/openclawp/pull/89",
        (("arguments/no-parameters", "accepted:*"),),
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
        (("finish/empty-completion", "answers"),),
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
)
