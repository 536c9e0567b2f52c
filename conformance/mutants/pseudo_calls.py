"""Bugs with calls that models write as text: hero_shrimp issue 24 and what openclaw and zeroclaw did about it."""

from collections.abc import Sequence
from dataclasses import replace

from conformance.mutants.mutant import Mutant
from conformance.reference import Parts
from conformance.reference.bounds import Bounds
from conformance.reference.pseudo_calls.found import Block, Place
from conformance.reference.pseudo_calls.reading import Cut, Rules

SHRIMP = "hero_shrimp issue 24"
BRACKETS = "bracket-arrow"


def _reading(parts: Parts, **changes: object) -> Parts:
    return replace(parts, reading=replace(parts.reading, **changes))  # type: ignore[arg-type]


def _brackets_passed(parts: Parts) -> Parts:
    return _reading(parts, dialects=tuple(d for d in parts.reading.dialects if d.name != BRACKETS))


def _stream_unfiltered(parts: Parts) -> Parts:
    def nothing_held(rules: Rules) -> Rules:
        return replace(rules, dialects=())

    return replace(parts, stream_rules=nothing_held)


def _never_lifted(parts: Parts) -> Parts:
    return _reading(parts, lift=lambda found: ())


def _brackets_only(parts: Parts) -> Parts:
    return _reading(parts, dialects=tuple(d for d in parts.reading.dialects if d.name == BRACKETS))


def _greedy(parts: Parts) -> Parts:
    def first_to_last(text: str, cuts: Sequence[Cut]) -> str:
        if not cuts:
            return text
        return text[: cuts[0].start] + text[cuts[-1].end :]

    return _reading(parts, leave_out=first_to_last)


def _examples_stripped(parts: Parts) -> Parts:
    return _reading(parts, code_end=lambda text, at: None, is_example=lambda text, start, end: False)


def _unknown_shown(parts: Parts) -> Parts:
    return _reading(parts, hides_unknown=False)


def _empty_arguments_dropped(parts: Parts) -> Parts:
    def demanding(dialect_read: object) -> object:
        def read(place: Place) -> Block | None:
            block = dialect_read(place)  # type: ignore[operator]
            return None if block is not None and any(not call.arguments for call in block.calls) else block

        return read

    brackets = [replace(d, read=demanding(d.read)) if d.name == BRACKETS else d for d in parts.reading.dialects]  # type: ignore[arg-type]
    return _reading(parts, dialects=tuple(brackets))


def _blank_reply(parts: Parts) -> Parts:
    return replace(
        parts,
        after_hidden=lambda rejected: False,
        give_up=lambda answer, closing: "",
        bounds=lambda limits: Bounds(blanks=99),
    )


MUTANTS = (
    Mutant(
        "M3a_passthrough_bracket",
        "[TOOL_CALL] blocks never reach the user",
        SHRIMP,
        (("pseudo-calls/bracket-arrow", "no-protocol-text"),),
        _brackets_passed,
    ),
    Mutant(
        "M3b_strip_final_only",
        "a stream holds back what may become a marker",
        SHRIMP,
        (("pseudo-calls/markers-across-chunks", "*"),),
        _stream_unfiltered,
    ),
    Mutant(
        "M3c_strip_but_never_execute",
        "a call in the text of a tool that is offered runs",
        "https://github.com/openclaw/openclaw/issues/41839",
        (("pseudo-calls/bracket-arrow", "1.should.*"),),
        _never_lifted,
    ),
    Mutant(
        "M3d_bracket_only",
        "every dialect is known, not only the first that was reported",
        SHRIMP,
        (("pseudo-calls/function-name-tags", "*"),),
        _brackets_only,
    ),
    Mutant(
        "M3e_greedy_strip",
        "text between two blocks stays",
        "zeroclaw, text between blocks",
        (("pseudo-calls/two-calls-in-one-text", "*"),),
        _greedy,
    ),
    Mutant(
        "M3f_strip_examples",
        "code, quotations and examples are left alone",
        SHRIMP,
        (("pseudo-calls/examples-in-code", "*"),),
        _examples_stripped,
    ),
    Mutant(
        "M3g_show_unknown_pseudo",
        "a block with a name that no tool has is hidden",
        SHRIMP,
        (("pseudo-calls/unknown-name-in-text", "no-protocol-text"),),
        _unknown_shown,
    ),
    Mutant(
        "M3h_empty_args_dropped",
        "a block without arguments is a call like any other",
        SHRIMP,
        (("pseudo-calls/bracket-arrow", "*"),),
        _empty_arguments_dropped,
    ),
    Mutant(
        "M3i_blank_reply_after_suppress",
        "the model is asked again when all that it said was hidden",
        SHRIMP,
        (("pseudo-calls/nothing-but-a-hidden-block", "answers"),),
        _blank_reply,
    ),
)
