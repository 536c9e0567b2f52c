"""Bugs with calls that models write as text: hero_shrimp issue 24 and what openclaw and zeroclaw did about it."""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from agent_conformance.agents.mutants.mutant import Mutants
from agent_conformance.agents.reference import Defences
from agent_conformance.agents.reference.answers import Answer
from agent_conformance.agents.reference.bounds import Bounds
from agent_conformance.agents.reference.history import History
from agent_conformance.agents.reference.pseudo_calls import blocks
from agent_conformance.agents.reference.pseudo_calls.blocks import Block, Dialect, Position, Reader
from agent_conformance.agents.reference.pseudo_calls.reading import Cut, Reading, Rules, read_text
from agent_conformance.agents.reference.pseudo_calls.values import TextCall

SHRIMP = "hero_shrimp issue 24"
ZEROCLAW = "zeroclaw, tool call parser: untagged JSON in prose is no call"
BRACKETS = "bracket-arrow"
BARE = "bare-json"


def _reading(defences: Defences, **changes: object) -> Defences:
    return replace(defences, reading=replace(defences.reading, **changes))  # type: ignore[arg-type]


def _with_reader(defences: Defences, name: str, change: Callable[[Reader], Reader]) -> tuple[Dialect, ...]:
    return tuple(replace(d, read=change(d.read)) if d.name == name else d for d in defences.reading.dialects)


MUTANTS = Mutants()


@MUTANTS.add(
    "M3a_passthrough_bracket",
    "[TOOL_CALL] blocks never reach the user",
    SHRIMP,
    (
        ("pseudo-calls/bracket-arrow*[*]", "no-protocol-text"),
        ("pseudo-calls/unclosed-marker[brackets-without-an-end, only-an-opening]", "no-protocol-text"),
    ),
)
def _brackets_passed(defences: Defences) -> Defences:
    return _reading(defences, dialects=tuple(d for d in defences.reading.dialects if d.name != BRACKETS))


@MUTANTS.add(
    "M3r_held_back_to_the_end",
    "a stream holds back no more than what may become a marker",
    "https://github.com/ROCm/ATOM/pull/1961",
    (("limits/cancelled-in-the-stream", "1.should.reply"),),
)
def _held_back_to_the_end(defences: Defences) -> Defences:
    def any_bracket(rules: Rules) -> Rules:
        return replace(rules, dialects=(*rules.dialects, Dialect("any", lambda position: None, ("<",))))

    return replace(defences, stream_rules=any_bracket)


@MUTANTS.add(
    "M3b_strip_final_only",
    "a stream holds back text that may become a marker",
    SHRIMP,
    (("pseudo-calls/markers-across-chunks[*]", "*"),),
)
def _stream_unfiltered(defences: Defences) -> Defences:
    def nothing_held(rules: Rules) -> Rules:
        return replace(rules, dialects=())

    return replace(defences, stream_rules=nothing_held)


@MUTANTS.add(
    "M3c_strip_but_never_execute",
    "a call written as text runs if its tool is offered",
    "https://github.com/openclaw/openclaw/issues/41839",
    (("pseudo-calls/bracket-arrow[*]", "1.should.*"),),
)
def _never_lifted(defences: Defences) -> Defences:
    return _reading(defences, lift=lambda found: ())


@MUTANTS.add(
    "M3d_bracket_only",
    "every dialect is recognised, not only the first one",
    SHRIMP,
    (
        ("pseudo-calls/function-name-tags[reported, on-lines]", "no-protocol-text"),
        ("pseudo-calls/tagged-json[*]", "no-protocol-text"),
    ),
)
def _brackets_only(defences: Defences) -> Defences:
    return _reading(defences, dialects=tuple(d for d in defences.reading.dialects if d.name == BRACKETS))


@MUTANTS.add(
    "M3e_greedy_strip",
    "text between two blocks stays",
    "zeroclaw, text between blocks",
    (("pseudo-calls/two-calls-in-one-text[tags, brackets]", "*"),),
)
def _greedy(defences: Defences) -> Defences:
    def first_to_last(text: str, cuts: Sequence[Cut]) -> str:
        if not cuts:
            return text
        return text[: cuts[0].start] + text[cuts[-1].end :]

    return _reading(defences, leave_out=first_to_last)


@MUTANTS.add(
    "M3f_strip_examples",
    "code, quotations and examples are left alone",
    SHRIMP,
    (
        (
            "pseudo-calls/examples-in-code[fence*, inline-code, tildes, block-quote*]",
            "*",
        ),
    ),
)
def _examples_stripped(defences: Defences) -> Defences:
    return _reading(defences, code_end=lambda text, at: None, is_example=lambda text, start, end: False)


@MUTANTS.add(
    "M3p_block_quotes_read",
    "a call in a Markdown block quote is not run",
    "zeroclaw, tool call parser: quoted text is no call",
    (("pseudo-calls/examples-in-code[block-quote-on-one-line]", "declared-only"),),
)
def _block_quotes_read(defences: Defences) -> Defences:
    def code_only(text: str, at: int) -> int | None:
        return None if text[at] == ">" else blocks.code_end(text, at)

    return _reading(defences, code_end=code_only)


@MUTANTS.add(
    "M3q_prose_examples_read",
    "a call that the prose around it calls an example is not run",
    "zeroclaw, tool call parser: examples are no calls, in English and in Chinese",
    (("pseudo-calls/examples-in-prose[*]", "declared-only"),),
)
def _prose_examples_read(defences: Defences) -> Defences:
    return _reading(defences, is_example=lambda text, start, end: False)


@MUTANTS.add(
    "M3g_show_unknown_pseudo",
    "a block with the name of no tool is hidden",
    SHRIMP,
    (("pseudo-calls/unknown-name-in-text[*]", "no-protocol-text"),),
)
def _unknown_shown(defences: Defences) -> Defences:
    return _reading(defences, hides_unknown=False)


@MUTANTS.add(
    "M3h_empty_args_dropped",
    "a block without arguments is a call like any other",
    SHRIMP,
    (
        ("pseudo-calls/bracket-arrow[reported]", "*"),
        ("pseudo-calls/no-arguments-in-tags[arrow*]", "no-protocol-text"),
    ),
)
def _empty_arguments_dropped(defences: Defences) -> Defences:
    def demanding(dialect_read: Reader) -> Reader:
        def read(position: Position) -> Block | None:
            block = dialect_read(position)
            return None if block is not None and any(not call.arguments for call in block.calls) else block

        return read

    return _reading(defences, dialects=_with_reader(defences, BRACKETS, demanding))


@MUTANTS.add(
    "M3i_blank_reply_after_suppress",
    "the model gets another request when all of its text was hidden",
    SHRIMP,
    (("pseudo-calls/nothing-but-a-hidden-block", "answers"),),
)
def blank_after_hiding(defences: Defences) -> Defences:
    return replace(
        defences,
        retry_after_hidden=lambda rejected: False,
        give_up=lambda answer, closing: "",
        bounds=lambda limits: Bounds(empty_answers=99),
    )


@MUTANTS.add(
    "M3j_question_read_for_calls",
    "text of the user is not read for calls",
    "https://github.com/vellum-ai/vellum-assistant/issues/42234",
    (("injection/call-in-a-question", "declared-only"),),
)
def _question_read(defences: Defences) -> Defences:
    def read(answer: Answer, reading: Reading, history: History, names: frozenset[str]) -> tuple[TextCall, ...]:
        question = history[-1].text if history[-1].role == "user" else ""
        return (
            *defences.calls_in_text(answer, reading, history, names),
            *read_text(question, names, defences.reading).calls,
        )

    return replace(defences, calls_in_text=read)


@MUTANTS.add(
    "M3k_results_read_for_calls",
    "text of a tool's result is not read for calls",
    "https://github.com/vellum-ai/vellum-assistant/issues/42234",
    (("injection/call-in-a-tool-result[tags, brackets]", "declared-only"),),
)
def _results_read(defences: Defences) -> Defences:
    def read(answer: Answer, reading: Reading, history: History, names: frozenset[str]) -> tuple[TextCall, ...]:
        results = "\n".join(result.text for result in history[-1].results)
        return (
            *defences.calls_in_text(answer, reading, history, names),
            *read_text(results, names, defences.reading).calls,
        )

    return replace(defences, calls_in_text=read)


@MUTANTS.add(
    "M3l_json_in_prose_run",
    "JSON in the middle of an answer is data",
    ZEROCLAW,
    (("injection/json-in-prose", "declared-only"),),
)
def _json_anywhere(defences: Defences) -> Defences:
    return _reading(
        defences, dialects=tuple(replace(d, lead=False) if d.name == BARE else d for d in defences.reading.dialects)
    )


@MUTANTS.add(
    "M3m_business_json_hidden",
    "JSON that only looks like a call is an answer",
    "zeroclaw, protocol text and business text",
    (
        (
            "pseudo-calls/business-json[support-case, settings, no-calls, names-of-calls, count-of-calls, planner]",
            "1.reply",
        ),
        ("pseudo-calls/business-json[calls-that-are-null]", "1.reply"),
    ),
)
def json_hidden(defences: Defences) -> Defences:
    """Everything that begins like the JSON of a call counts as one."""

    def hiding(dialect_read: Reader) -> Reader:
        def read(position: Position) -> Block | None:
            alike = re.match(
                r'[\[{\s]+"(name|type|content|tools|tool_calls|function_call)"', position.text[position.at :]
            )
            return dialect_read(position) or (Block(position.at, len(position.text)) if alike else None)

        return read

    return _reading(defences, dialects=_with_reader(defences, BARE, hiding))


@MUTANTS.add(
    "M3n_functions_unread",
    "calls as function and parameter tags are read as well as those with JSON",
    "https://github.com/nesquena/hermes-webui/issues/702",
    (("pseudo-calls/tagged-functions[*]", "no-protocol-text"),),
)
def _functions_unread(defences: Defences) -> Defences:
    def json_alone(dialect_read: Reader) -> Reader:
        def read(position: Position) -> Block | None:
            return (
                None
                if re.search("<(parameter|invoke|function=)", position.text[position.at :])
                else dialect_read(position)
            )

        return read

    known = [d for d in _with_reader(defences, "tag", json_alone) if not d.name.startswith(("function-", "element"))]
    return _reading(defences, dialects=tuple(known))


@MUTANTS.add(
    "M3o_both_run",
    "text is not read for calls if the model made native ones",
    "https://github.com/lidge-jun/opencodex/issues/5499",
    (("pseudo-calls/native-and-text", "once"),),
)
def _both_run(defences: Defences) -> Defences:
    return replace(defences, calls_in_text=lambda answer, reading, history, names: reading.calls)
