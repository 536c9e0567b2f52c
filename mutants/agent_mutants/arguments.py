"""Bugs with the arguments of a call: refused, invented, decoded or changed before the tool gets them."""

import html
import json
import re
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from agent_conformance.adapter.types import AgentError, Tool
from agent_conformance.agents.reference.history import Call, Result
from agent_mutants.mutant import RIGHT, Mutants

Arguments = Mapping[str, Any]


async def refusal_aborts(tool: Tool, call: Call, arguments: Arguments) -> Result:
    result = await RIGHT.run_tool(tool, call, arguments)
    if result.is_error or result.text.startswith("Error:"):
        raise AgentError(f"failed to make a decision: {result.text}")
    return result


def odd_numbers_as(value: int | None) -> Callable[[Call], Arguments | None]:
    def read(call: Call) -> Arguments | None:
        written = re.search(r"is no JSON\): (.*)|is too large\): (.*)", call.problem)
        if written is None:
            return RIGHT.arguments_of(call)
        text = written[1] or written[2]
        return dict(json.loads(text, parse_constant=lambda name: value, parse_float=lambda number: value))

    return read


def texts(change: Callable[[str], str]) -> Callable[[Arguments, Arguments], Arguments]:
    """The arguments with each text changed."""

    def fit(arguments: Arguments, schema: Arguments) -> Arguments:
        return {name: change(value) if isinstance(value, str) else value for name, value in arguments.items()}

    return fit


# The rows of a table, laid out so that they can be compared.
# fmt: off
MUTANTS = Mutants()

MUTANTS.row("M17i_texts_trimmed", "the white space around an argument is part of it",
    "https://github.com/epam/dm.ai/pull/461", {"arguments/exact-values[quotes]": "sent-arguments"},
    fit_to_schema=texts(str.strip))

MUTANTS.row("M954_nulls_left_out", "a required argument that is null reaches the tool",
    "https://github.com/modelcontextprotocol/typescript-sdk/issues/1402",
    {"arguments/null-that-is-meant": "1.executed"},
    fit_to_schema=lambda arguments, schema: {name: one for name, one in arguments.items() if one is not None})

MUTANTS.row("M17j_markers_cut_out", "a marker in an argument is part of it",
    "https://github.com/openclaw/openclaw/blob/main/src/shared/text/assistant-visible-text.test.ts",
    {"arguments/exact-values[closing-tag]": "sent-arguments"},
    fit_to_schema=texts(lambda text: re.sub(r"</?tool_call>|\[/?TOOL_CALL\]", "", text)))

MUTANTS.row("M17k_bytes_as_letters", "an argument keeps the letters of every script",
    "https://github.com/aixplain/aiXplain/pull/923", {"arguments/exact-values[scripts]": "sent-arguments"},
    fit_to_schema=texts(lambda text: text.encode().decode("latin-1")))

MUTANTS.row("M17l_texts_cut", "a long argument reaches the tool whole",
    "https://github.com/lucianfialho/effect-gates/issues/69", {"arguments/exact-values[long]": "sent-arguments"},
    fit_to_schema=texts(lambda text: f"{text[:1000]}…" if len(text) > 1000 else text))

@MUTANTS.replaces("fit_to_schema", "a string stays a string, also if it looks like JSON",
    "https://github.com/epam/dm.ai/pull/461", {"arguments/exact-values[json-in-text]": "1.executed"})
def M17a_texts_decoded(arguments: Arguments, schema: Arguments) -> Arguments:
    def decoded(value: Any) -> Any:
        try:
            read = json.loads(value)
        except (TypeError, ValueError):
            return value
        return read if isinstance(read, dict | list) else value

    return {name: decoded(value) for name, value in arguments.items()}

@MUTANTS.replaces("fit_to_schema", "the zeros at the start of a text are part of it",
    "https://github.com/NousResearch/hermes-agent/pull/55401",
    {"arguments/exact-values[digits]": "sent-arguments", "pseudo-calls/functions-as-tags[postcode]": "sent-arguments"})
def M17r_digits_as_numbers(arguments: Arguments, schema: Arguments) -> Arguments:
    return {name: int(value) if str(value).isdecimal() else value for name, value in arguments.items()}

@MUTANTS.replaces("fit_to_schema", "a text that reads null is a text",
    "https://github.com/usestrix/strix/pull/1164", {"arguments/exact-values[word-null]": "sent-arguments"})
def M17s_null_as_nothing(arguments: Arguments, schema: Arguments) -> Arguments:
    return {name: None if value == "null" else value for name, value in arguments.items()}

MUTANTS.row("M17b_no_arguments_refused", "a call without arguments is a call",
    "mudler/cogito, decision: an empty argument text fails the run",
    {"arguments/nothing-at-all": "1.executed", "arguments/no-parameters": "1.executed",
     "arguments/null-for-no-arguments": "1.executed"}, arguments_of=lambda call: call.arguments or None)

MUTANTS.row("M17c_refusal_aborts", "arguments that the tool refuses get a result and do not end the turn",
    "mudler/cogito, decision: the run fails where the model may correct itself",
    {"arguments/wrong-type[*]": "1.outcome"}, run_tool=refusal_aborts)

@MUTANTS.replaces("run_tool", "the model is told which argument is missing or wrong",
    "https://github.com/microsoft/agent-framework/issues/7222", {"arguments/wrong-type[*]": "1.should.requests*"})
async def M17t_refusal_without_a_reason(tool: Tool, call: Call, arguments: Arguments) -> Result:
    result = await RIGHT.run_tool(tool, call, arguments)
    refused = result.text.startswith(f"Error: {tool.name} was not run")
    return replace(result, text="Error: Argument parsing failed.") if refused else result

@MUTANTS.replaces("fit_to_schema", "an argument that was left out stays left out",
    "https://github.com/openclaw/openclaw/issues/111730",
    {"declarations/optional-left-out": "sent-arguments",
     "arguments/wrong-type[list-under-another-name]": "sent-arguments"})
def M17d_missing_filled(arguments: Arguments, schema: Arguments) -> Arguments:
    known = schema.get("properties") or {}
    return {**{name: "" for name, one in known.items() if one.get("type") == "string"}, **arguments}

MUTANTS.row("M17m_odd_numbers_as_null", "a number that JSON does not have is no argument",
    "https://github.com/Alishahryar1/free-claude-code/pull/1768",
    {"arguments/numbers-that-json-lacks[not-a-number]": "sent-arguments"}, arguments_of=odd_numbers_as(None))

MUTANTS.row("M17q_odd_numbers_as_zero", "a number that is too large is no argument",
    "https://github.com/Alishahryar1/free-claude-code/pull/1768",
    {"arguments/numbers-that-json-lacks[infinite, too-large]": "sent-arguments"}, arguments_of=odd_numbers_as(0))

@MUTANTS.replaces("fit_to_schema", "an object within the arguments reaches the tool as one",
    "https://github.com/Hmbown/Codewhale/issues/5349", {"declarations/offered-whole": "sent-arguments"})
def M17e_nested_as_text(arguments: Arguments, schema: Arguments) -> Arguments:
    return {name: json.dumps(value) if isinstance(value, dict) else value for name, value in arguments.items()}

MUTANTS.row("M17f_text_refused_for_good",
    "a list in a text is parsed, and null leaves an optional argument out; at worst the model is corrected",
    "https://github.com/earendil-works/pi/issues/9931",
    {"arguments/list-as-text[two, with-line-breaks]": "1.outcome", "arguments/null-for-an-optional": "1.outcome",
     "arguments/values-as-text[*]": "1.outcome"},
    run_tool=refusal_aborts, fit_to_schema=lambda arguments, schema: arguments)

@MUTANTS.replaces("fit_to_schema", "a number keeps all of its digits",
    "https://github.com/NousResearch/hermes-agent/issues/55314",
    {"arguments/long-numbers-are-kept[*]": "sent-arguments"})
def M17g_numbers_as_floats(arguments: Arguments, schema: Arguments) -> Arguments:
    return {name: int(float(value)) if type(value) is int else value for name, value in arguments.items()}

MUTANTS.row("M17u_line_ends_of_one_sort", "the line ends of an argument are kept",
    "editors that write every file with the line ends of their own system",
    {"arguments/exact-values[line-ends]": "sent-arguments"},
    fit_to_schema=texts(lambda text: text.replace("\r\n", "\n")))

MUTANTS.row("M17v_entities_decoded", "an argument is no markup, and has no entities",
    "calls as tags and native calls, read by one function", {"arguments/exact-values[entities]": "sent-arguments"},
    fit_to_schema=texts(html.unescape))

MUTANTS.row("M17w_escapes_read_twice", "a backslash in an argument is a backslash",
    "arguments that are unescaped once more after JSON was read",
    {"arguments/exact-values[backslashes]": "sent-arguments"},
    fit_to_schema=texts(lambda text: text.replace(r"\n", "\n").replace(r"\t", "\t")))

MUTANTS.row("M17x_quotes_taken_off", "quotes at the ends of an argument are part of it",
    "values of calls as text and of native calls, cleaned alike",
    {"arguments/exact-values[in-quotes]": "sent-arguments"}, fit_to_schema=texts(lambda text: text.strip('"')))

MUTANTS.row("M17y_variables_filled_in", "an argument is no template",
    "paths in arguments that are expanded before the tool runs",
    {"arguments/exact-values[variables]": "sent-arguments"},
    fit_to_schema=texts(lambda text: re.sub(r"^~|(?<= )~|\$HOME", "/home/ann", text)))

MUTANTS.row("M17z_letters_composed", "the accents of an argument stay as they were written",
    "names of files that are normalised, and then not found", {"arguments/exact-values[decomposed]": "sent-arguments"},
    fit_to_schema=texts(lambda text: unicodedata.normalize("NFC", text)))

@MUTANTS.replaces("fit_to_schema", "an argument that is empty, zero or false reaches the tool",
    "https://github.com/WordPress/mcp-adapter/pull/43", {"arguments/empty-values-are-kept[*]": "sent-arguments"})
def M76e_empty_values_dropped(arguments: Arguments, schema: Arguments) -> Arguments:
    required = schema.get("required", ())
    return {name: value for name, value in arguments.items() if value or name in required}

@MUTANTS.replaces("fit_to_schema", "an argument reaches the tool, whatever its name",
    "https://github.com/agno-agi/agno/issues/6760",
    {"arguments/names-of-arguments[runtime, call, method, keywords, members]": "sent-arguments"})
def M76g_names_of_its_own(arguments: Arguments, schema: Arguments) -> Arguments:
    own = {"agent", "team", "self", "name", "from", "schema"}
    return {name: value for name, value in arguments.items() if name not in own}

@MUTANTS.replaces("fit_to_schema", "an argument has the name that the tool's schema gives it",
    "https://github.com/agno-agi/agno/issues/6760", {"arguments/names-of-arguments[spelling]": "sent-arguments"})
def M76h_names_in_snake_case(arguments: Arguments, schema: Arguments) -> Arguments:
    return {re.sub(r"(?<=[a-z])([A-Z])", r"_\1", name).lower(): value for name, value in arguments.items()}
