"""Bugs with calls that models write as text: hero_shrimp issue 24 and what openclaw and zeroclaw did about it."""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from agent_conformance.agents.reference.answers import Answer
from agent_conformance.agents.reference.bounds import Bounds
from agent_conformance.agents.reference.history import History
from agent_conformance.agents.reference.pseudo_calls import Cut, Reading, Rules, blocks, read_text
from agent_conformance.agents.reference.pseudo_calls.blocks import Block, Dialect, Position, Reader
from agent_conformance.agents.reference.pseudo_calls.values import TextCall
from agent_mutants.dialects import readers
from agent_mutants.mutant import RIGHT, Mutants

SHRIMP = "hero_shrimp issue 24"
ZEROCLAW = "zeroclaw, tool call parser: untagged JSON in prose is no call"
BRACKETS = "bracket-arrow"
BARE = "bare-json"


BLANK_AFTER_HIDING: dict[str, Any] = {
    "retry_after_hidden": lambda rejected: False,
    "give_up": lambda answer, closing: "",
    "bounds": lambda limits: Bounds(empty_answers=99),
}


def json_alone(read: Callable[[Reader, Position], Block | None]) -> tuple[Dialect, ...]:
    return tuple(d for d in readers("tag")(read) if not d.name.startswith(("function-", "element")))


# The rows of a table, laid out so that they can be compared.
# fmt: off
MUTANTS = Mutants()

MUTANTS.row("M3a_passthrough_bracket", "[TOOL_CALL] blocks never reach the user", SHRIMP,
    {"pseudo-calls/bracket-arrow*[*]": "no-protocol-text",
     "pseudo-calls/unclosed-marker[brackets-without-an-end, only-an-opening]": "no-protocol-text"},
    dialects=tuple(d for d in RIGHT.reading.dialects if d.name != BRACKETS))

@MUTANTS.replaces("stream_rules", "a stream holds back no more than what may become a marker",
    "https://github.com/ROCm/ATOM/pull/1961", {"limits/cancelled-in-the-stream": "1.should.reply"})
def M3r_held_back_to_the_end(rules: Rules) -> Rules:
    return replace(rules, dialects=(*rules.dialects, Dialect("any", lambda position: None, ("<",))))

@MUTANTS.replaces("stream_rules", "a stream holds back text that may become a marker",
    SHRIMP, {"pseudo-calls/markers-across-chunks[*]": "*"})
def M3b_strip_final_only(rules: Rules) -> Rules:
    return replace(rules, dialects=())

MUTANTS.row("M3c_strip_but_never_execute", "a call written as text runs if its tool is offered",
    "https://github.com/openclaw/openclaw/issues/41839", {"pseudo-calls/bracket-arrow[*]": "1.should.*"},
    lift=lambda found: ())

MUTANTS.row("M3d_bracket_only", "every dialect is recognised, not only the first one", SHRIMP,
    {"pseudo-calls/function-name-tags[reported, on-lines]": "no-protocol-text",
     "pseudo-calls/tagged-json[*]": "no-protocol-text"},
    dialects=tuple(d for d in RIGHT.reading.dialects if d.name == BRACKETS))

@MUTANTS.replaces("leave_out", "text between two blocks stays",
    "zeroclaw, text between blocks", {"pseudo-calls/two-calls-in-one-text[tags, brackets]": "*"})
def M3e_greedy_strip(text: str, cuts: Sequence[Cut]) -> str:
    if not cuts:
        return text
    return text[: cuts[0].start] + text[cuts[-1].end :]

MUTANTS.row("M3f_strip_examples", "code, quotations and examples are left alone",
    SHRIMP, {"pseudo-calls/examples-in-code[fence*, inline-code, tildes, block-quote*]": "*"},
    code_end=lambda text, at: None, is_example=lambda text, start, end: False)

@MUTANTS.replaces("code_end", "a call in a Markdown block quote is not run",
    "zeroclaw, tool call parser: quoted text is no call",
    {"pseudo-calls/examples-in-code[block-quote-on-one-line]": "declared-only"})
def M3p_block_quotes_read(text: str, at: int) -> int | None:
    return None if text[at] == ">" else blocks.code_end(text, at)

MUTANTS.row("M3q_prose_examples_read", "a call that the prose around it calls an example is not run",
    "zeroclaw, tool call parser: examples are no calls, in English and in Chinese",
    {"pseudo-calls/examples-in-prose[*]": "declared-only"}, is_example=lambda text, start, end: False)

MUTANTS.row("M3g_show_unknown_pseudo", "a block with the name of no tool is hidden",
    SHRIMP, {"pseudo-calls/unknown-name-in-text[*]": "no-protocol-text"}, hides_unknown=False)

@MUTANTS.replaces("dialects", "a block without arguments is a call like any other", SHRIMP,
    {"pseudo-calls/bracket-arrow[reported]": "*", "pseudo-calls/no-arguments-in-tags[arrow*]": "no-protocol-text"},
    through=readers(BRACKETS))
def M3h_empty_args_dropped(read: Reader, position: Position) -> Block | None:
    block = read(position)
    return None if block is not None and any(not call.arguments for call in block.calls) else block

MUTANTS.row("M3i_blank_reply_after_suppress", "the model gets another request when all of its text was hidden",
    SHRIMP, {"pseudo-calls/nothing-but-a-hidden-block": "answers"}, **BLANK_AFTER_HIDING)

@MUTANTS.replaces("calls_in_text", "text of the user is not read for calls",
    "https://github.com/vellum-ai/vellum-assistant/issues/42234", {"injection/call-in-a-question": "declared-only"})
def M3j_question_read_for_calls(
    answer: Answer, reading: Reading, history: History, names: frozenset[str]
) -> tuple[TextCall, ...]:
    question = history[-1].text if history[-1].role == "user" else ""
    return (
        *RIGHT.calls_in_text(answer, reading, history, names),
        *read_text(question, names, RIGHT.reading).calls,
    )

@MUTANTS.replaces("calls_in_text", "text of a tool's result is not read for calls",
    "https://github.com/vellum-ai/vellum-assistant/issues/42234",
    {"injection/call-in-a-tool-result[tags, brackets]": "declared-only"})
def M3k_results_read_for_calls(
    answer: Answer, reading: Reading, history: History, names: frozenset[str]
) -> tuple[TextCall, ...]:
    results = "\n".join(result.text for result in history[-1].results)
    return (
        *RIGHT.calls_in_text(answer, reading, history, names),
        *read_text(results, names, RIGHT.reading).calls,
    )

MUTANTS.row("M3l_json_in_prose_run", "JSON in the middle of an answer is data",
    ZEROCLAW, {"injection/json-in-prose": "declared-only"},
    dialects=tuple(replace(d, lead=False) if d.name == BARE else d for d in RIGHT.reading.dialects))

@MUTANTS.replaces("dialects", "JSON that only looks like a call is an answer",
    "zeroclaw, protocol text and business text",
    {"pseudo-calls/business-json[support-case, settings, no-calls, names-of-calls, count-of-calls, planner]": "1.reply",
     "pseudo-calls/business-json[calls-that-are-null]": "1.reply"}, through=readers(BARE))
def M3m_business_json_hidden(read: Reader, position: Position) -> Block | None:
    """Everything that begins like the JSON of a call counts as one."""
    text = position.text[position.at :]
    alike = re.match(r'[\[{\s]+"(name|type|content|tools|tool_calls|function_call)"', text)
    return read(position) or (Block(position.at, len(position.text)) if alike else None)

@MUTANTS.replaces("dialects", "calls as function and parameter tags are read as well as those with JSON",
    "https://github.com/nesquena/hermes-webui/issues/702", {"pseudo-calls/tagged-functions[*]": "no-protocol-text"},
    through=json_alone)
def M3n_functions_unread(read: Reader, position: Position) -> Block | None:
    return None if re.search("<(parameter|invoke|function=)", position.text[position.at :]) else read(position)

MUTANTS.row("M3o_both_run", "text is not read for calls if the model made native ones",
    "https://github.com/lidge-jun/opencodex/issues/5499", {"pseudo-calls/native-and-text": "once"},
    calls_in_text=lambda answer, reading, history, names: reading.calls)
