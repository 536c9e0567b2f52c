"""Bugs with the arguments of a call: refused, invented, decoded or changed before the tool gets them."""

import html
import json
import re
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from agent_conformance.adapter.types import AgentError, Tool
from agent_conformance.agents.mutants.mutant import Mutants
from agent_conformance.agents.reference import Defences
from agent_conformance.agents.reference.history import Call, Result


def _refusal_aborts(defences: Defences) -> Defences:
    async def run(tool: Tool, call: Call, arguments: Mapping[str, Any]) -> Result:
        result = await defences.run_tool(tool, call, arguments)
        if result.is_error or result.text.startswith("Error:"):
            raise AgentError(f"failed to make a decision: {result.text}")
        return result

    return replace(defences, run_tool=run)


def _odd_numbers_as(value: int | None, defences: Defences) -> Defences:
    def read(call: Call) -> Mapping[str, Any] | None:
        written = re.search(r"is no JSON\): (.*)|is too large\): (.*)", call.problem)
        if written is None:
            return defences.arguments_of(call)
        text = written[1] or written[2]
        return dict(json.loads(text, parse_constant=lambda name: value, parse_float=lambda number: value))

    return replace(defences, arguments_of=read)


def _texts_changed(defences: Defences, change: Callable[[str], str]) -> Defences:
    def fit(arguments: Mapping[str, Any], schema: Mapping[str, Any]) -> Mapping[str, Any]:
        return {name: change(value) if isinstance(value, str) else value for name, value in arguments.items()}

    return replace(defences, fit_to_schema=fit)


MUTANTS = Mutants()


@MUTANTS.add(
    "M17i_texts_trimmed",
    "the white space around an argument is part of it",
    "https://github.com/epam/dm.ai/pull/461",
    (("arguments/exact-values[quotes]", "sent-arguments"),),
)
def _texts_trimmed(defences: Defences) -> Defences:
    return _texts_changed(defences, str.strip)


@MUTANTS.add(
    "M17j_markers_cut_out",
    "a marker in an argument is part of it",
    "https://github.com/openclaw/openclaw/blob/main/src/shared/text/assistant-visible-text.test.ts",
    (("arguments/exact-values[closing-tag]", "sent-arguments"),),
)
def _markers_cut_out(defences: Defences) -> Defences:
    return _texts_changed(defences, lambda text: re.sub(r"</?tool_call>|\[/?TOOL_CALL\]", "", text))


@MUTANTS.add(
    "M17k_bytes_as_letters",
    "an argument keeps the letters of every script",
    "https://github.com/aixplain/aiXplain/pull/923",
    (("arguments/exact-values[scripts]", "sent-arguments"),),
)
def _bytes_as_letters(defences: Defences) -> Defences:
    return _texts_changed(defences, lambda text: text.encode().decode("latin-1"))


@MUTANTS.add(
    "M17l_texts_cut",
    "a long argument reaches the tool whole",
    "https://github.com/lucianfialho/effect-gates/issues/69",
    (("arguments/exact-values[long]", "sent-arguments"),),
)
def _texts_cut(defences: Defences) -> Defences:
    return _texts_changed(defences, lambda text: f"{text[:1000]}…" if len(text) > 1000 else text)


@MUTANTS.add(
    "M17a_texts_decoded",
    "a string stays a string, also if it looks like JSON",
    "https://github.com/epam/dm.ai/pull/461",
    (("arguments/exact-values[json-in-text]", "1.executed"),),
)
def _texts_decoded(defences: Defences) -> Defences:
    def decoded(value: Any) -> Any:
        try:
            read = json.loads(value)
        except (TypeError, ValueError):
            return value
        return read if isinstance(read, dict | list) else value

    def fit(arguments: Mapping[str, Any], schema: Mapping[str, Any]) -> Mapping[str, Any]:
        return {name: decoded(value) for name, value in arguments.items()}

    return replace(defences, fit_to_schema=fit)


@MUTANTS.add(
    "M17r_digits_as_numbers",
    "the zeros at the start of a text are part of it",
    "https://github.com/NousResearch/hermes-agent/pull/55401",
    (
        ("arguments/exact-values[digits]", "sent-arguments"),
        ("pseudo-calls/functions-as-tags[postcode]", "sent-arguments"),
    ),
)
def _digits_as_numbers(defences: Defences) -> Defences:
    def fit(arguments: Mapping[str, Any], schema: Mapping[str, Any]) -> Mapping[str, Any]:
        return {name: int(value) if str(value).isdecimal() else value for name, value in arguments.items()}

    return replace(defences, fit_to_schema=fit)


@MUTANTS.add(
    "M17s_null_as_nothing",
    "a text that reads null is a text",
    "https://github.com/usestrix/strix/pull/1164",
    (("arguments/exact-values[word-null]", "sent-arguments"),),
)
def _null_as_nothing(defences: Defences) -> Defences:
    def fit(arguments: Mapping[str, Any], schema: Mapping[str, Any]) -> Mapping[str, Any]:
        return {name: None if value == "null" else value for name, value in arguments.items()}

    return replace(defences, fit_to_schema=fit)


@MUTANTS.add(
    "M17b_no_arguments_refused",
    "a call without arguments is a call",
    "mudler/cogito, decision: an empty argument text fails the run",
    (
        ("arguments/nothing-at-all", "1.executed"),
        ("arguments/no-parameters", "1.executed"),
        ("arguments/null-for-no-arguments", "1.executed"),
    ),
)
def _no_arguments_refused(defences: Defences) -> Defences:
    return replace(defences, arguments_of=lambda call: call.arguments or None)


MUTANTS.add(
    "M17c_refusal_aborts",
    "arguments that the tool refuses get a result and do not end the turn",
    "mudler/cogito, decision: the run fails where the model may correct itself",
    (("arguments/wrong-type[*]", "1.outcome"),),
)(_refusal_aborts)


@MUTANTS.add(
    "M17t_refusal_without_a_reason",
    "the model is told which argument is missing or wrong",
    "https://github.com/microsoft/agent-framework/issues/7222",
    (("arguments/wrong-type[*]", "1.should.requests*"),),
)
def _refusal_without_a_reason(defences: Defences) -> Defences:
    async def run(tool: Tool, call: Call, arguments: Mapping[str, Any]) -> Result:
        result = await defences.run_tool(tool, call, arguments)
        refused = result.text.startswith(f"Error: {tool.name} was not run")
        return replace(result, text="Error: Argument parsing failed.") if refused else result

    return replace(defences, run_tool=run)


@MUTANTS.add(
    "M17d_missing_filled",
    "an argument that was left out stays left out",
    "https://github.com/openclaw/openclaw/issues/111730",
    (
        ("declarations/optional-left-out", "sent-arguments"),
        ("arguments/wrong-type[list-under-another-name]", "sent-arguments"),
    ),
)
def _missing_filled(defences: Defences) -> Defences:
    def fit(arguments: Mapping[str, Any], schema: Mapping[str, Any]) -> Mapping[str, Any]:
        known = schema.get("properties") or {}
        return {**{name: "" for name, one in known.items() if one.get("type") == "string"}, **arguments}

    return replace(defences, fit_to_schema=fit)


@MUTANTS.add(
    "M17m_odd_numbers_as_null",
    "a number that JSON does not have is no argument",
    "https://github.com/Alishahryar1/free-claude-code/pull/1768",
    (("arguments/numbers-that-json-lacks[not-a-number]", "sent-arguments"),),
)
def _odd_numbers_as_null(defences: Defences) -> Defences:
    return _odd_numbers_as(None, defences)


@MUTANTS.add(
    "M17q_odd_numbers_as_zero",
    "a number that is too large is no argument",
    "https://github.com/Alishahryar1/free-claude-code/pull/1768",
    (("arguments/numbers-that-json-lacks[infinite, too-large]", "sent-arguments"),),
)
def _odd_numbers_as_zero(defences: Defences) -> Defences:
    return _odd_numbers_as(0, defences)


@MUTANTS.add(
    "M17e_nested_as_text",
    "an object within the arguments reaches the tool as one",
    "https://github.com/Hmbown/Codewhale/issues/5349",
    (("declarations/offered-whole", "sent-arguments"),),
)
def _nested_as_text(defences: Defences) -> Defences:
    def fit(arguments: Mapping[str, Any], schema: Mapping[str, Any]) -> Mapping[str, Any]:
        return {name: json.dumps(value) if isinstance(value, dict) else value for name, value in arguments.items()}

    return replace(defences, fit_to_schema=fit)


@MUTANTS.add(
    "M17f_text_refused_for_good",
    "a list in a text is parsed, and null leaves an optional argument out; at worst the model is corrected",
    "https://github.com/earendil-works/pi/issues/9931",
    (
        ("arguments/list-as-text[two, with-line-breaks]", "1.outcome"),
        ("arguments/null-for-an-optional", "1.outcome"),
        ("arguments/values-as-text[*]", "1.outcome"),
    ),
)
def _text_refused_for_good(defences: Defences) -> Defences:
    return replace(_refusal_aborts(defences), fit_to_schema=lambda arguments, schema: arguments)


@MUTANTS.add(
    "M17g_numbers_as_floats",
    "a number keeps all of its digits",
    "https://github.com/NousResearch/hermes-agent/issues/55314",
    (("arguments/long-numbers-are-kept[*]", "sent-arguments"),),
)
def _numbers_as_floats(defences: Defences) -> Defences:
    def fit(arguments: Mapping[str, Any], schema: Mapping[str, Any]) -> Mapping[str, Any]:
        return {name: int(float(value)) if type(value) is int else value for name, value in arguments.items()}

    return replace(defences, fit_to_schema=fit)


@MUTANTS.add(
    "M17u_line_ends_of_one_sort",
    "the line ends of an argument are kept",
    "editors that write every file with the line ends of their own system",
    (("arguments/exact-values[line-ends]", "sent-arguments"),),
)
def _line_ends_of_one_sort(defences: Defences) -> Defences:
    return _texts_changed(defences, lambda text: text.replace("\r\n", "\n"))


@MUTANTS.add(
    "M17v_entities_decoded",
    "an argument is no markup, and has no entities",
    "calls as tags and native calls, read by one function",
    (("arguments/exact-values[entities]", "sent-arguments"),),
)
def _entities_decoded(defences: Defences) -> Defences:
    return _texts_changed(defences, html.unescape)


@MUTANTS.add(
    "M17w_escapes_read_twice",
    "a backslash in an argument is a backslash",
    "arguments that are unescaped once more after JSON was read",
    (("arguments/exact-values[backslashes]", "sent-arguments"),),
)
def _escapes_read_twice(defences: Defences) -> Defences:
    return _texts_changed(defences, lambda text: text.replace(r"\n", "\n").replace(r"\t", "\t"))


@MUTANTS.add(
    "M17x_quotes_taken_off",
    "quotes at the ends of an argument are part of it",
    "values of calls as text and of native calls, cleaned alike",
    (("arguments/exact-values[in-quotes]", "sent-arguments"),),
)
def _quotes_taken_off(defences: Defences) -> Defences:
    return _texts_changed(defences, lambda text: text.strip('"'))


@MUTANTS.add(
    "M17y_variables_filled_in",
    "an argument is no template",
    "paths in arguments that are expanded before the tool runs",
    (("arguments/exact-values[variables]", "sent-arguments"),),
)
def _variables_filled_in(defences: Defences) -> Defences:
    return _texts_changed(defences, lambda text: re.sub(r"^~|(?<= )~|\$HOME", "/home/ann", text))


@MUTANTS.add(
    "M17z_letters_composed",
    "the accents of an argument stay as they were written",
    "names of files that are normalised, and then not found",
    (("arguments/exact-values[decomposed]", "sent-arguments"),),
)
def _letters_composed(defences: Defences) -> Defences:
    return _texts_changed(defences, lambda text: unicodedata.normalize("NFC", text))


@MUTANTS.add(
    "M76e_empty_values_dropped",
    "an argument that is empty, zero or false reaches the tool",
    "https://github.com/WordPress/mcp-adapter/pull/43",
    (("arguments/empty-values-are-kept[*]", "sent-arguments"),),
)
def _empty_values_dropped(defences: Defences) -> Defences:
    def fit(arguments: Mapping[str, Any], schema: Mapping[str, Any]) -> Mapping[str, Any]:
        required = schema.get("required", ())
        return {name: value for name, value in arguments.items() if value or name in required}

    return replace(defences, fit_to_schema=fit)


@MUTANTS.add(
    "M76g_names_of_its_own",
    "an argument reaches the tool, whatever its name",
    "https://github.com/agno-agi/agno/issues/6760",
    (("arguments/names-of-arguments[runtime, call, method, keywords, members]", "sent-arguments"),),
)
def _names_of_its_own(defences: Defences) -> Defences:
    own = {"agent", "team", "self", "name", "from", "schema"}

    def fit(arguments: Mapping[str, Any], schema: Mapping[str, Any]) -> Mapping[str, Any]:
        return {name: value for name, value in arguments.items() if name not in own}

    return replace(defences, fit_to_schema=fit)


@MUTANTS.add(
    "M76h_names_in_snake_case",
    "an argument has the name that the tool's schema gives it",
    "https://github.com/agno-agi/agno/issues/6760",
    (("arguments/names-of-arguments[spelling]", "sent-arguments"),),
)
def _names_in_snake_case(defences: Defences) -> Defences:
    def fit(arguments: Mapping[str, Any], schema: Mapping[str, Any]) -> Mapping[str, Any]:
        return {re.sub(r"(?<=[a-z])([A-Z])", r"_\1", name).lower(): value for name, value in arguments.items()}

    return replace(defences, fit_to_schema=fit)
