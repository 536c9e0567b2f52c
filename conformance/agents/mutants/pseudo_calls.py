"""Bugs with calls that models write as text: hero_shrimp issue 24 and what openclaw and zeroclaw did about it."""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from conformance.agents.mutants.mutant import Mutant
from conformance.agents.reference import Parts
from conformance.agents.reference.bounds import Bounds
from conformance.agents.reference.finishes import Answer
from conformance.agents.reference.pseudo_calls.found import Block, Dialect, Place, Reader
from conformance.agents.reference.pseudo_calls.reading import Cut, Reading, Rules, read_text
from conformance.agents.reference.pseudo_calls.values import Found
from conformance.agents.reference.turns import Turns

SHRIMP = "hero_shrimp issue 24"
ZEROCLAW = "zeroclaw, tool call parser: untagged JSON in prose is no call"
BRACKETS = "bracket-arrow"
BARE = "bare-json"


def _reading(parts: Parts, **changes: object) -> Parts:
    return replace(parts, reading=replace(parts.reading, **changes))  # type: ignore[arg-type]


def _with_reader(parts: Parts, name: str, change: Callable[[Reader], Reader]) -> tuple[Dialect, ...]:
    return tuple(replace(d, read=change(d.read)) if d.name == name else d for d in parts.reading.dialects)


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
    def demanding(dialect_read: Reader) -> Reader:
        def read(place: Place) -> Block | None:
            block = dialect_read(place)
            return None if block is not None and any(not call.arguments for call in block.calls) else block

        return read

    return _reading(parts, dialects=_with_reader(parts, BRACKETS, demanding))


def blank_after_hiding(parts: Parts) -> Parts:
    return replace(
        parts,
        after_hidden=lambda rejected: False,
        give_up=lambda answer, closing: "",
        bounds=lambda limits: Bounds(blanks=99),
    )


def json_hidden(parts: Parts) -> Parts:
    """Whatever begins like the JSON of a call counts as one."""

    def hiding(dialect_read: Reader) -> Reader:
        def read(place: Place) -> Block | None:
            alike = re.match(r'[\[{\s]+"(name|type|content|tools|tool_calls|function_call)"', place.text[place.at :])
            return dialect_read(place) or (Block(place.at, len(place.text)) if alike else None)

        return read

    return _reading(parts, dialects=_with_reader(parts, BARE, hiding))


def _json_anywhere(parts: Parts) -> Parts:
    return _reading(
        parts, dialects=tuple(replace(d, lead=False) if d.name == BARE else d for d in parts.reading.dialects)
    )


def _functions_unread(parts: Parts) -> Parts:
    def json_alone(dialect_read: Reader) -> Reader:
        def read(place: Place) -> Block | None:
            return None if re.search("<(parameter|invoke|function=)", place.text[place.at :]) else dialect_read(place)

        return read

    known = [d for d in _with_reader(parts, "tag", json_alone) if not d.name.startswith(("function-", "element"))]
    return _reading(parts, dialects=tuple(known))


def _question_read(parts: Parts) -> Parts:
    def read(answer: Answer, reading: Reading, turns: Turns, names: frozenset[str]) -> tuple[Found, ...]:
        asked = turns[-1].text if turns[-1].role == "user" else ""
        return (*parts.calls_in_text(answer, reading, turns, names), *read_text(asked, names, parts.reading).calls)

    return replace(parts, calls_in_text=read)


def _results_read(parts: Parts) -> Parts:
    def read(answer: Answer, reading: Reading, turns: Turns, names: frozenset[str]) -> tuple[Found, ...]:
        brought = "\n".join(result.text for result in turns[-1].results)
        return (*parts.calls_in_text(answer, reading, turns, names), *read_text(brought, names, parts.reading).calls)

    return replace(parts, calls_in_text=read)


def _both_run(parts: Parts) -> Parts:
    return replace(parts, calls_in_text=lambda answer, reading, turns, names: reading.calls)


MUTANTS = (
    Mutant(
        "M3a_passthrough_bracket",
        "[TOOL_CALL] blocks never reach the user",
        SHRIMP,
        (("pseudo-calls/bracket-arrow*", "no-protocol-text"), ("pseudo-calls/unclosed-marker", "no-protocol-text")),
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
        (("pseudo-calls/function-name-tags", "no-protocol-text"), ("pseudo-calls/tagged-json", "no-protocol-text")),
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
        blank_after_hiding,
    ),
    Mutant(
        "M3j_question_read_for_calls",
        "what the user writes is no call",
        "https://github.com/vellum-ai/vellum-assistant/issues/42234",
        (("injection/call-in-a-question", "declared-only"),),
        _question_read,
    ),
    Mutant(
        "M3k_results_read_for_calls",
        "what a tool brings is no call",
        "https://github.com/vellum-ai/vellum-assistant/issues/42234",
        (("injection/call-in-a-tool-result", "declared-only"),),
        _results_read,
    ),
    Mutant(
        "M3l_json_in_prose_run",
        "JSON in the middle of an answer is data",
        ZEROCLAW,
        (("injection/json-in-prose", "declared-only"),),
        _json_anywhere,
    ),
    Mutant(
        "M3m_business_json_hidden",
        "JSON that only resembles a call is an answer",
        "zeroclaw, protocol text and business text",
        (("pseudo-calls/business-json", "1.reply"),),
        json_hidden,
    ),
    Mutant(
        "M3n_functions_unread",
        "calls as function and parameter tags are read as well as those with JSON",
        "https://github.com/nesquena/hermes-webui/issues/702",
        (("pseudo-calls/tagged-functions", "no-protocol-text"),),
        _functions_unread,
    ),
    Mutant(
        "M3o_both_run",
        "text is not read for calls where the model made them natively",
        "https://github.com/lidge-jun/opencodex/issues/5499",
        (("pseudo-calls/native-and-text", "once"),),
        _both_run,
    ),
)
