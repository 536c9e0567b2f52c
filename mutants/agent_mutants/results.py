"""Bugs with what a tool returns: nothing, empty values, numbers, lists and texts are not all results to an agent."""

import json
import re
import unicodedata
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from itertools import groupby
from typing import Any

from agent_conformance.adapter.types import Tool
from agent_conformance.agents.reference.answers import Answer
from agent_conformance.agents.reference.history import Call, History, Result
from agent_mutants.mutant import RIGHT, Mutants

OPENCLAWP = "https://github.com/lezama/openclawp/pull/83"
CONTINUE = "https://github.com/continuedev/continue/issues/6510"
MISSING = "(missing)"


RunTool = Callable[[Tool, Call, Mapping[str, Any]], Awaitable[Result]]


def written_by(text_of: Callable[[Any], str]) -> RunTool:
    """The results of tools, written by this function."""

    async def run(tool: Tool, call: Call, arguments: Mapping[str, Any]) -> Result:
        return Result(call.id, call.name, text_of(await tool.acontent(dict(arguments))))

    return run


def written_as(change: Callable[[Any], Any]) -> RunTool:
    """The results of tools, of which each value is changed before it is written."""
    return written_by(lambda value: Tool.text(change(value)))


def fields_as(change: Callable[[Any], Any]) -> RunTool:
    """The results of tools, of which the fields of an object are changed."""
    return written_as(
        lambda value: {key: change(one) for key, one in value.items()} if isinstance(value, dict) else value
    )


def left_out(is_missing: Callable[[Any], bool]) -> dict[str, Any]:
    """Keeps no round whose results are all missing."""

    def kept(answer: Answer, calls: tuple[Call, ...], results: tuple[Result, ...]) -> History:
        lost = results and all(result.text == MISSING for result in results)
        return () if lost else RIGHT.round_entries(answer, calls, results)

    return {"run_tool": written_as(lambda value: MISSING if is_missing(value) else value), "round_entries": kept}


# The rows of a table, laid out so that they can be compared.
# fmt: off
MUTANTS = Mutants()

MUTANTS.row("M70l_lines_trimmed", "the layout of a result is kept",
    "https://github.com/openclaw/openclaw/issues/127587", {"round-trip/kinds-of-result[layout]": "1.requests*"},
    run_tool=written_by(lambda value: "\n".join(map(str.strip, Tool.text(value).splitlines()))))

@MUTANTS.replaces("run_tool", "the characters of a result are kept, also those that nobody sees",
    "https://github.com/SolaceLabs/solace-agent-mesh/pull/145",
    {"round-trip/values-of-a-result[joiners, decomposed]": "1.requests*"}, through=written_by)
def M77a_text_tidied(value: Any) -> str:
    composed = unicodedata.normalize("NFC", Tool.text(value))
    return "".join(character for character in composed if unicodedata.category(character) != "Cf")

MUTANTS.row("M77c_results_as_templates", "braces in a result are text",
    "https://github.com/aiming-lab/AutoResearchClaw/issues/47",
    {"round-trip/values-of-a-result[braces]": "1.requests*"},
    run_tool=written_by(lambda value: re.sub(r"\{\{?\s*\w*\s*\}?\}", "", Tool.text(value))))

@MUTANTS.replaces("run_tool", "a long number in a result keeps its digits",
    "https://github.com/NousResearch/hermes-agent/issues/55314",
    {"round-trip/values-of-a-result[digits, long-number]": "1.requests*"}, through=written_by)
def M77b_json_through_floats(value: Any) -> str:
    try:
        return json.dumps(json.loads(Tool.text(value), parse_int=float))
    except ValueError:
        return Tool.text(value)

MUTANTS.row("M70m_written_by_python", "an object that a tool returns is sent as JSON",
    "https://github.com/microsoft/autogen/issues/7873", {"round-trip/object-as-json": "1.should.requests*"},
    run_tool=written_by(str))

MUTANTS.row("M70n_parts_as_json", "a text that a tool returns is sent as it is",
    "https://github.com/openai/codex/issues/31136", {"round-trip/text-is-sent-as-text": "1.should.requests*"},
    run_tool=written_by(lambda value: json.dumps([{"type": "text", "text": Tool.text(value)}])))

MUTANTS.row("M70a_nothing_is_no_result", "a tool that returns nothing has a result",
    "https://github.com/zeroclaw-labs/zeroclaw/issues/5564", {"round-trip/empty-result[nothing]": "paired"},
    **left_out(lambda value: value is None))

MUTANTS.row("M70b_blanks_are_no_result", "a result of white space is a result",
    CONTINUE, {"round-trip/empty-result[no-text, blanks]": "paired"},
    **left_out(lambda value: isinstance(value, str) and not value.strip()))

MUTANTS.row("M70c_empty_lists_are_no_result", "a list or an object without entries is a result",
    CONTINUE, {"round-trip/empty-result[no-entries, no-fields]": "paired"},
    **left_out(lambda value: isinstance(value, list | dict) and not value))

MUTANTS.row("M70d_false_is_no_result", "zero and false are results",
    CONTINUE, {"round-trip/empty-result[falsehood, zero]": "paired"},
    **left_out(lambda value: isinstance(value, bool | int) and not value))

@MUTANTS.replaces("run_tool", "a result that is no JSON reaches the model",
    OPENCLAWP, {"round-trip/kinds-of-result[text, other-scripts]": "arrives"}, through=written_by)
def M70e_json_demanded(value: Any) -> str:
    try:
        return json.dumps(json.loads(value) if isinstance(value, str) else value, ensure_ascii=False)
    except ValueError:
        return "Error: the tool returned no JSON."

@MUTANTS.replaces("run_tool", "a number is a result",
    "https://github.com/NousResearch/hermes-agent/issues/48244", {"round-trip/kinds-of-result[number]": "arrives"},
    through=written_by)
def M70f_numbers_have_no_text(value: Any) -> str:
    """Reads the members of a value that may have a text, and a number has none of them."""
    return Tool.text(value) if hasattr(value, "__len__") else str(getattr(value, "text", ""))

@MUTANTS.replaces("run_tool", "a long result is not replaced by what is made of it",
    "https://github.com/xorbitsai/xagent/issues/2416", {"round-trip/results-of-any-length[*]": "arrives"},
    through=written_by)
def M70y_long_results_summed_up(value: Any) -> str:
    text = Tool.text(value)
    return text if len(text) < 2000 else "These are the orders."

@MUTANTS.replaces("round_entries", "a call that ran keeps its result where another one fails",
    OPENCLAWP, {"parallel/one-fails": "arrives"})
def M70z_batch_cancelled(answer: Answer, calls: tuple[Call, ...], results: tuple[Result, ...]) -> History:
    has_failed = any(result.is_error for result in results)
    cancelled = (one if one.is_error or not has_failed else replace(one, text="Cancelled.") for one in results)
    return RIGHT.round_entries(answer, calls, tuple(cancelled))

@MUTANTS.replaces("run_tool", "every entry of a list reaches the model",
    "https://github.com/microsoft/autogen/pull/7873", {"round-trip/kinds-of-result[list]": "1.requests*"},
    through=written_by)
def M70g_first_part_only(value: Any) -> str:
    return Tool.text(value[0] if isinstance(value, list) and value else value)

MUTANTS.row("M70h_ascii_only", "a result keeps the letters of every script",
    "https://github.com/anomalyco/opencode/pull/17758", {"round-trip/kinds-of-result[other-scripts]": "arrives"},
    run_tool=written_by(lambda value: Tool.text(value).encode("ascii", "ignore").decode()))

# Results stand in tags, and are read up to the first one that closes.
MUTANTS.row("M70i_tag_closes_the_result", "a tag in a result closes nothing",
    "https://github.com/NousResearch/hermes-agent/pull/56172",
    {"round-trip/kinds-of-result[quotes-and-tags]": "1.requests*"},
    run_tool=written_by(lambda value: Tool.text(value).partition("</")[0]))

@MUTANTS.replaces("final_text", "a reply of one word is a reply",
    OPENCLAWP, {"round-trip/reply-is-no-placeholder[one-word]": "*"})
def M70j_short_replies_blank(answer: Answer, history: History) -> str:
    return answer.text if len(answer.text.split()) > 1 else f"Done: {history[-1].role}"

@MUTANTS.replaces("final_text", "a reply without letters is a reply",
    OPENCLAWP, {"round-trip/reply-is-no-placeholder[one-sign]": "*"})
def M70k_signs_are_blank(answer: Answer, history: History) -> str:
    return answer.text if any(sign.isalnum() for sign in answer.text) else "(no answer)"

@MUTANTS.replaces("run_tool", "a result is read to its depth",
    "objects that are printed for a person, to the third level", {"round-trip/values-of-a-result[deep]": "1.requests*"},
    through=written_as)
def M70u_deep_values_replaced(value: Any, levels: int = 3) -> Any:
    if isinstance(value, dict):
        return {key: M70u_deep_values_replaced(one, levels - 1) for key, one in value.items()} if levels else "[Object]"
    return value

@MUTANTS.replaces("run_tool", "a list keeps its order and what is twice in it",
    "results that are merged as a set", {"round-trip/values-of-a-result[order]": "1.requests*"},
    through=fields_as)
def M70o_each_value_once(value: Any) -> Any:
    return sorted(set(value)) if isinstance(value, list) and value and isinstance(value[0], str) else value

MUTANTS.row("M70p_decimals_rounded", "a number keeps its decimals",
    "numbers that are rounded as for a table", {"round-trip/values-of-a-result[decimals]": "1.requests*"},
    run_tool=fields_as(lambda value: round(value, 2) if isinstance(value, float) else value))

MUTANTS.row("M70q_first_fifty_items", "a list reaches the model whole",
    "a page of fifty, of which nobody asks for the second", {"round-trip/values-of-a-result[many]": "1.requests*"},
    run_tool=written_by(lambda value: Tool.text(value[:50] if isinstance(value, list) else value)))

@MUTANTS.replaces("run_tool", "a null in a result says that there is no value",
    "objects that are written without what is not set", {"round-trip/values-of-a-result[nulls]": "1.requests*"},
    through=written_as)
def M70r_nulls_left_out(value: Any) -> Any:
    return {key: one for key, one in value.items() if one is not None} if isinstance(value, dict) else value

@MUTANTS.replaces("run_tool", "lines that are equal are not one",
    "logs that are shortened by what repeats", {"round-trip/values-of-a-result[equal-lines]": "1.requests*"},
    through=written_by)
def M70s_equal_lines_made_one(value: Any) -> str:
    return "\n".join(line for line, _ in groupby(Tool.text(value).split("\n")))

@MUTANTS.replaces("run_tool", "a result is put into its frame as it is",
    "a frame that is filled by a replacement with groups",
    {"round-trip/values-of-a-result[backslashes]": "1.requests*"}, through=written_by)
def M70t_result_as_a_template(value: Any) -> str:
    return re.sub("RESULT", re.sub(r"\\[1cu]", "", Tool.text(value)), "RESULT")

@MUTANTS.replaces("run_tool", "a tool that failed is told as one that failed",
    "https://github.com/FerroxLabs/wayland-core/pull/177", {"faults/tool-raises": "arrives"})
def M896_failure_told_as_nothing(tool: Tool, call: Call, arguments: Mapping[str, Any]) -> Awaitable[Result]:
    async def run() -> Result:
        result = await RIGHT.run_tool(tool, call, arguments)
        return Result(call.id, call.name, "The tool returned nothing.") if result.is_error else result

    return run()

MUTANTS.row("M910_text_of_a_result_alone", "the structured data of a result reach the model",
    "https://github.com/can1357/oh-my-pi/issues/10522",
    {"round-trip/structured-data[short-text, no-text, text-that-tells-half]": "arrives"},
    run_tool=written_by(lambda value: getattr(value, "said", Tool.text(value))))

MUTANTS.row("M911_data_where_there_is_no_text", "structured data reach the model also beside a text",
    "data that are read where the content is empty", {"round-trip/structured-data[short-text]": "arrives"},
    run_tool=written_by(lambda value: getattr(value, "said", "") or Tool.text(value)))

MUTANTS.row("M912_data_as_an_object_of_the_language", "structured data reach the model as JSON or in words",
    "data that are joined to a text as `[object Object]`", {"round-trip/structured-data[no-text]": "arrives"},
    run_tool=written_by(lambda value: f"{value.said}[object Object]" if hasattr(value, "said") else Tool.text(value)))
