"""Bugs with what a tool returns: nothing, empty values, numbers, lists and texts are not all results to an agent."""

import json
import re
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import groupby
from typing import Any

from agent_conformance.adapter.types import Tool
from agent_conformance.agents.mutants.mutant import Mutants
from agent_conformance.agents.reference import Defences
from agent_conformance.agents.reference.answers import Answer
from agent_conformance.agents.reference.history import Call, History, Result

OPENCLAWP = "https://github.com/lezama/openclawp/pull/83"
CONTINUE = "https://github.com/continuedev/continue/issues/6510"
MISSING = "(missing)"


def _written_by(defences: Defences, text_of: Callable[[Any], str]) -> Defences:
    """The agent whose results are written by this function."""

    async def run(tool: Tool, call: Call, arguments: Mapping[str, Any]) -> Result:
        return Result(call.id, call.name, text_of(await tool.acall(dict(arguments))))

    return replace(defences, run_tool=run)


def _left_out(defences: Defences, is_missing: Callable[[Any], bool]) -> Defences:
    """The agent that keeps no round whose results are all missing."""

    def kept(answer: Answer, calls: tuple[Call, ...], results: tuple[Result, ...]) -> History:
        lost = results and all(result.text == MISSING for result in results)
        return () if lost else defences.round_entries(answer, calls, results)

    changed = _written_by(defences, lambda value: MISSING if is_missing(value) else Tool.text(value))
    return replace(changed, round_entries=kept)


MUTANTS = Mutants()


@MUTANTS.add(
    "M70l_lines_trimmed",
    "the layout of a result is kept",
    "https://github.com/openclaw/openclaw/issues/127587",
    (("round-trip/kinds-of-result[layout]", "1.requests*"),),
)
def _lines_trimmed(defences: Defences) -> Defences:
    return _written_by(defences, lambda value: "\n".join(map(str.strip, Tool.text(value).splitlines())))


@MUTANTS.add(
    "M77a_text_tidied",
    "the characters of a result are kept, also those that nobody sees",
    "https://github.com/SolaceLabs/solace-agent-mesh/pull/145",
    (("round-trip/values-of-a-result[joiners, decomposed]", "1.requests*"),),
)
def _text_tidied(defences: Defences) -> Defences:
    def tidy(value: Any) -> str:
        composed = unicodedata.normalize("NFC", Tool.text(value))
        return "".join(character for character in composed if unicodedata.category(character) != "Cf")

    return _written_by(defences, tidy)


@MUTANTS.add(
    "M77c_results_as_templates",
    "braces in a result are text",
    "https://github.com/aiming-lab/AutoResearchClaw/issues/47",
    (("round-trip/values-of-a-result[braces]", "1.requests*"),),
)
def _results_as_templates(defences: Defences) -> Defences:
    return _written_by(defences, lambda value: re.sub(r"\{\{?\s*\w*\s*\}?\}", "", Tool.text(value)))


@MUTANTS.add(
    "M77b_json_through_floats",
    "a long number in a result keeps its digits",
    "https://github.com/NousResearch/hermes-agent/issues/55314",
    (("round-trip/values-of-a-result[digits]", "1.requests*"),),
)
def _json_through_floats(defences: Defences) -> Defences:
    def rewritten(value: Any) -> str:
        try:
            return json.dumps(json.loads(Tool.text(value), parse_int=float))
        except ValueError:
            return Tool.text(value)

    return _written_by(defences, rewritten)


@MUTANTS.add(
    "M70m_written_by_python",
    "an object that a tool returns is sent as JSON",
    "https://github.com/microsoft/autogen/issues/7873",
    (("round-trip/object-as-json", "1.should.requests*"),),
)
def _written_by_python(defences: Defences) -> Defences:
    return _written_by(defences, str)


@MUTANTS.add(
    "M70n_parts_as_json",
    "a text that a tool returns is sent as it is",
    "https://github.com/openai/codex/issues/31136",
    (("round-trip/text-is-sent-as-text", "1.should.requests*"),),
)
def _parts_as_json(defences: Defences) -> Defences:
    return _written_by(defences, lambda value: json.dumps([{"type": "text", "text": Tool.text(value)}]))


@MUTANTS.add(
    "M70a_nothing_is_no_result",
    "a tool that returns nothing has a result",
    "https://github.com/zeroclaw-labs/zeroclaw/issues/5564",
    (("round-trip/empty-result[nothing]", "paired"),),
)
def _nothing_is_no_result(defences: Defences) -> Defences:
    return _left_out(defences, lambda value: value is None)


@MUTANTS.add(
    "M70b_blanks_are_no_result",
    "a result of white space is a result",
    CONTINUE,
    (("round-trip/empty-result[no-text, blanks]", "paired"),),
)
def _blanks_are_no_result(defences: Defences) -> Defences:
    return _left_out(defences, lambda value: isinstance(value, str) and not value.strip())


@MUTANTS.add(
    "M70c_empty_lists_are_no_result",
    "a list or an object without entries is a result",
    CONTINUE,
    (("round-trip/empty-result[no-entries, no-fields]", "paired"),),
)
def _empty_lists_are_no_result(defences: Defences) -> Defences:
    def has_no_entry(value: Any) -> bool:
        return isinstance(value, list | dict) and not any(True for _ in value)

    return _left_out(defences, has_no_entry)


@MUTANTS.add(
    "M70d_false_is_no_result",
    "zero and false are results",
    CONTINUE,
    (("round-trip/empty-result[falsehood, zero]", "paired"),),
)
def _false_is_no_result(defences: Defences) -> Defences:
    """Asks whether a value is true, but for texts and lists."""
    return _left_out(defences, lambda value: isinstance(value, bool | int) and not value)


@MUTANTS.add(
    "M70e_json_demanded",
    "a result that is no JSON reaches the model",
    OPENCLAWP,
    (("round-trip/kinds-of-result[text, other-scripts]", "1.requests*"),),
)
def _json_demanded(defences: Defences) -> Defences:
    def read(value: Any) -> str:
        try:
            return json.dumps(json.loads(value) if isinstance(value, str) else value, ensure_ascii=False)
        except ValueError:
            return "Error: the tool returned no JSON."

    return _written_by(defences, read)


@MUTANTS.add(
    "M70f_numbers_have_no_text",
    "a number is a result",
    "https://github.com/NousResearch/hermes-agent/issues/48244",
    (("round-trip/kinds-of-result[number]", "kept-whole"),),
)
def _numbers_have_no_text(defences: Defences) -> Defences:
    """Reads the members of a value that may have a text, and a number has none of them."""

    def text_of(value: Any) -> str:
        return Tool.text(value) if hasattr(value, "__len__") else str(getattr(value, "text", ""))

    return _written_by(defences, text_of)


@MUTANTS.add(
    "M70g_first_part_only",
    "every entry of a list reaches the model",
    "https://github.com/microsoft/autogen/pull/7873",
    (("round-trip/kinds-of-result[list]", "1.requests*"),),
)
def _first_part_only(defences: Defences) -> Defences:
    def text_of(value: Any) -> str:
        return Tool.text(value[0] if isinstance(value, list) and value else value)

    return _written_by(defences, text_of)


@MUTANTS.add(
    "M70h_ascii_only",
    "a result keeps the letters of every script",
    "https://github.com/anomalyco/opencode/pull/17758",
    (("round-trip/kinds-of-result[other-scripts]", "1.requests*"),),
)
def _ascii_only(defences: Defences) -> Defences:
    return _written_by(defences, lambda value: Tool.text(value).encode("ascii", "ignore").decode())


@MUTANTS.add(
    "M70i_tag_closes_the_result",
    "a tag in a result closes nothing",
    "https://github.com/NousResearch/hermes-agent/pull/56172",
    (("round-trip/kinds-of-result[quotes-and-tags]", "1.requests*"),),
)
def _tag_closes_the_result(defences: Defences) -> Defences:
    """Results stand in tags, and are read up to the first one that closes."""
    return _written_by(defences, lambda value: Tool.text(value).partition("</")[0])


@MUTANTS.add(
    "M70j_short_replies_blank",
    "a reply of one word is a reply",
    OPENCLAWP,
    (("round-trip/reply-is-no-placeholder[one-word]", "*"),),
)
def _short_replies_blank(defences: Defences) -> Defences:
    def text(answer: Answer, history: History) -> str:
        return answer.text if len(answer.text.split()) > 1 else f"Done: {history[-1].role}"

    return replace(defences, final_text=text)


@MUTANTS.add(
    "M70k_signs_are_blank",
    "a reply without letters is a reply",
    OPENCLAWP,
    (("round-trip/reply-is-no-placeholder[one-sign]", "*"),),
)
def _signs_are_blank(defences: Defences) -> Defences:
    def text(answer: Answer, history: History) -> str:
        return answer.text if any(sign.isalnum() for sign in answer.text) else "(no answer)"

    return replace(defences, final_text=text)


@MUTANTS.add(
    "M70u_deep_values_replaced",
    "a result is read to its depth",
    "objects that are printed for a person, to the third level",
    (("round-trip/values-of-a-result[deep]", "1.requests*"),),
)
def _deep_values_replaced(defences: Defences) -> Defences:
    def shown(value: Any, levels: int = 3) -> Any:
        if isinstance(value, dict):
            return {key: shown(one, levels - 1) for key, one in value.items()} if levels else "[Object]"
        return value

    return _written_by(defences, lambda value: Tool.text(shown(value)))


@MUTANTS.add(
    "M70o_each_value_once",
    "a list keeps its order and what is twice in it",
    "results that are merged as a set",
    (("round-trip/values-of-a-result[order]", "1.requests*"),),
)
def _each_value_once(defences: Defences) -> Defences:
    def merged(value: Any) -> Any:
        return {
            key: sorted(set(one)) if isinstance(one, list) and one and isinstance(one[0], str) else one
            for key, one in value.items()
        }

    return _written_by(defences, lambda value: Tool.text(merged(value) if isinstance(value, dict) else value))


@MUTANTS.add(
    "M70p_decimals_rounded",
    "a number keeps its decimals",
    "numbers that are rounded as for a table",
    (("round-trip/values-of-a-result[decimals]", "1.requests*"),),
)
def _decimals_rounded(defences: Defences) -> Defences:
    def rounded(value: Any) -> Any:
        return {key: round(one, 2) if isinstance(one, float) else one for key, one in value.items()}

    return _written_by(defences, lambda value: Tool.text(rounded(value) if isinstance(value, dict) else value))


@MUTANTS.add(
    "M70q_first_fifty_items",
    "a list reaches the model whole",
    "a page of fifty, of which nobody asks for the second",
    (("round-trip/values-of-a-result[many]", "1.requests*"),),
)
def _first_fifty_items(defences: Defences) -> Defences:
    return _written_by(defences, lambda value: Tool.text(value[:50] if isinstance(value, list) else value))


@MUTANTS.add(
    "M70r_nulls_left_out",
    "a null in a result says that there is no value",
    "objects that are written without what is not set",
    (("round-trip/values-of-a-result[nulls]", "1.requests*"),),
)
def _nulls_left_out(defences: Defences) -> Defences:
    def kept(value: Any) -> Any:
        return {key: one for key, one in value.items() if one is not None} if isinstance(value, dict) else value

    return _written_by(defences, lambda value: Tool.text(kept(value)))


@MUTANTS.add(
    "M70s_equal_lines_made_one",
    "lines that are equal are not one",
    "logs that are shortened by what repeats",
    (("round-trip/values-of-a-result[equal-lines]", "1.requests*"),),
)
def _equal_lines_made_one(defences: Defences) -> Defences:
    def once(value: Any) -> str:
        return "\n".join(line for line, _ in groupby(Tool.text(value).split("\n")))

    return _written_by(defences, once)


@MUTANTS.add(
    "M70t_result_as_a_template",
    "a result is put into its frame as it is",
    "a frame that is filled by a replacement with groups",
    (("round-trip/values-of-a-result[backslashes]", "1.requests*"),),
)
def _result_as_a_template(defences: Defences) -> Defences:
    def framed(value: Any) -> str:
        return re.sub("RESULT", re.sub(r"\\[1cu]", "", Tool.text(value)), "RESULT")

    return _written_by(defences, framed)
