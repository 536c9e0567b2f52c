"""Bugs with classes of characters and kinds of schemas, each at one place: cut, unescaped, rendered, left out."""

import difflib
import html
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from agent_conformance.adapter.types import Tool
from agent_conformance.agents.reference.history import Entry, History
from agent_conformance.agents.reference.tools import Offer
from agent_mutants.cleaners import cleaned
from agent_mutants.mutant import RIGHT, Mutants
from agent_mutants.results import fields_as, written_by

LONGEST = 500
TEXT = {"type": "string"}


def spoil(text: str) -> str:
    """The text up to its first NUL or rare line end, in ASCII, without layout, unescaped, rendered and cut."""
    text = re.sub(r"[*#`~]|(?<=\w)\?\S+", "", text.removeprefix("Sure, ")).partition("\u2028")[0]
    text = text.partition("\0")[0].partition("\r\n")[0].encode("ascii", "ignore").decode()
    text = re.sub(r"\n\s+", "\n", text)
    text = re.sub(r"\{\{.*?\}\}|\$?\{\w+\}", "", html.unescape(text))
    return text.replace("\\", "")[:LONGEST]


def spoiled_entry(entry: Entry) -> Entry:
    results = tuple(replace(result, text=spoil(result.text)) for result in entry.results)
    return replace(entry, text=spoil(entry.text) if entry.role == "user" else entry.text, results=results)


def with_texts(change: Callable[[str], str]) -> Callable[..., Mapping[str, Any]]:
    def fit(arguments: Mapping[str, Any], schema: Mapping[str, Any]) -> Mapping[str, Any]:
        return {name: change(value) if isinstance(value, str) else value for name, value in arguments.items()}

    return fit


def nearest(value: Any, schema: Mapping[str, Any]) -> Any:
    """The value of an enum that is most like this one."""
    if isinstance(value, list):
        return [nearest(item, schema.get("items") or {}) for item in value]
    known = {str(one): one for one in schema.get("enum") or ()}
    found = difflib.get_close_matches(str(value), known, n=1, cutoff=0)
    return known[found[0]] if found and value not in known.values() else value


# The rows of a table, laid out so that they can be compared.
# fmt: off
MUTANTS = Mutants()

@MUTANTS.replaces("last_pass", "a message of the user is sent with all of its characters",
    "https://github.com/beekeeper-studio/bks-ai-shell/issues/50", {"round-trip/characters-in-a-message[*]": "*"})
def M80a_messages_spoiled(history: History) -> History:
    return tuple(spoiled_entry(entry) if entry.role == "user" else entry for entry in history)

MUTANTS.row("M80b_instructions_spoiled", "the system prompt is sent with all of its characters",
    "https://github.com/langchain-ai/deepagents/issues/6198", {"round-trip/characters-in-the-instructions[*]": "*"},
    system_text=lambda system, enabled, known: spoil(system))

MUTANTS.row("M80c_arguments_spoiled", "an argument reaches the tool with all of its characters",
    "https://github.com/Kilo-Org/kilocode/pull/4052",
    {"round-trip/characters-in-an-argument[*]": ("sent-arguments", "*")}, fit_to_schema=with_texts(spoil))

MUTANTS.row("M80d_results_spoiled", "a result reaches the model with all of its characters",
    "https://github.com/agynio/v1/issues/1250", {"round-trip/characters-in-a-result[*]": "*"},
    run_tool=written_by(lambda value: spoil(Tool.text(value))))

MUTANTS.row("M80e_replies_spoiled", "a reply reaches the user with all of its characters",
    "https://github.com/newo-ether/Agora/issues/72", {"round-trip/characters-in-a-reply[*]": "*"},
    final_text=cleaned(spoil))

@MUTANTS.replaces("load", "a conversation is restored with all of its characters",
    "https://github.com/ginlix-ai/LangAlpha/pull/190", {"history/characters-after-a-restart[*]": "*"})
def M80f_spoiled_in_the_store(folder: Path) -> History | None:
    history = RIGHT.load(folder)
    return history and tuple(spoiled_entry(entry) for entry in history)

MUTANTS.row("M80g_summaries_spoiled", "a summary keeps its characters",
    "https://github.com/openJiuwen-ai/agent-core/pull/46",
    {"limits/characters-after-a-compaction[nul, line-ends, scripts, escapes, html, templates]": "2.should.requests*",
     "limits/characters-after-a-compaction[other-line-ends]": "2.should.requests*",
     "limits/characters-after-a-compaction[without-blanks]": "restored"},
    summarised=lambda text, history, start: RIGHT.summarised(spoil(text), history, start))

@MUTANTS.replaces("declare", "a tool is offered, whatever the types and words of its schema",
    "https://github.com/Eigenwise/atomic-agents/pull/283",
    {"declarations/kinds-of-schema[*]": "offered", "declarations/shapes-of-schema[*]": "offered"})
def M80h_tools_of_texts_alone(enabled: Mapping[str, Tool]) -> Offer | None:
    def is_known(schema: Mapping[str, Any]) -> bool:
        return "allOf" not in schema and all(one == TEXT for one in (schema.get("properties") or {}).values())

    return RIGHT.declare({name: tool for name, tool in enabled.items() if is_known(tool.parameters)})

@MUTANTS.replaces("fit_to_schema", "an argument reaches the tool, whatever its schema",
    "https://github.com/modelcontextprotocol/php-sdk/issues/298",
    {"declarations/kinds-of-schema[*]": "*", "declarations/shapes-of-schema[*]": "*"})
def M80i_arguments_of_known_schemas(arguments: Mapping[str, Any], schema: Mapping[str, Any]) -> Mapping[str, Any]:
    known = schema.get("properties") or {}
    return {name: value for name, value in arguments.items() if known.get(name) == TEXT}

MUTANTS.row("M80j_fields_as_texts", "a field of a result keeps its type",
    "https://github.com/microsoft/autogen/issues/7873", {"declarations/kinds-of-schema[*]": "1.requests*"},
    run_tool=fields_as(str))

@MUTANTS.replaces("fit_to_schema", "a value outside an enum is not replaced by another",
    "an agent that takes the value which begins alike", {"arguments/value-outside-an-enum[*]": "sent-arguments"})
def M80k_nearest_of_an_enum(arguments: Mapping[str, Any], schema: Mapping[str, Any]) -> Mapping[str, Any]:
    known = schema.get("properties") or {}
    return {name: nearest(value, known.get(name) or {}) for name, value in arguments.items()}

@MUTANTS.replaces("load", "what is long outlives a restart",
    "https://github.com/prasadgaikwad/langchain4j-demo/issues/263",
    {"history/long-texts-after-a-restart[message, longer-message, result, longer-result, answer]": "restored"})
def M820_columns_of_4000_characters(folder: Path) -> History | None:
    def cut(entry: Entry) -> Entry:
        results = tuple(replace(result, text=result.text[:4000]) for result in entry.results)
        return replace(entry, text=entry.text[:4000], results=results)

    history = RIGHT.load(folder)
    return history and tuple(map(cut, history))

MUTANTS.row("M821_results_escaped", "a result is no markup, and nothing in it is escaped",
    "https://github.com/open-webui/open-webui/issues/20600",
    {"round-trip/kinds-of-result[quotes-and-tags]": "*", "round-trip/characters-in-a-result[html]": "*"},
    run_tool=written_by(lambda value: html.escape(Tool.text(value))))

MUTANTS.row("M891_markdown_taken_out", "the Markdown of a result is a part of it",
    "https://github.com/browser-use/browser-use/pull/981", {"round-trip/characters-in-a-result[markup]": "1.requests*"},
    run_tool=written_by(lambda value: re.sub(r"[*#`]|(?<=\])\(\S+\)", "", Tool.text(value))))

MUTANTS.row("M892_queries_taken_out", "an address in a result is kept with its query",
    "https://github.com/browser-use/browser-use/pull/981", {"round-trip/characters-in-a-result[markup]": "kept-whole"},
    run_tool=written_by(lambda value: re.sub(r"(https?://[^\s?]+)\?[^\s)]*", r"\1", Tool.text(value))))

@MUTANTS.replaces("last_pass", "a message of the user may begin with the path of a file",
    "https://github.com/huggingface/tau/pull/350", {"round-trip/message-as-it-was-written[path]": "*"})
def M893_paths_taken_for_commands(history: History) -> History:
    return tuple(
        replace(entry, text=re.sub(r"^/\S+ ?", "", entry.text)) if entry.role == "user" else entry for entry in history
    )

@MUTANTS.replaces("last_pass", "what a message of the user mentions is a part of it",
    "https://github.com/beekeeper-studio/bks-ai-shell/issues/50",
    {"round-trip/characters-in-a-message[markup]": "asked"})
def M894_mentions_taken_out(history: History) -> History:
    return tuple(
        replace(entry, text=re.sub(r"@\w+ ?", "", entry.text)) if entry.role == "user" else entry for entry in history
    )

MUTANTS.row("M895_openings_cut", "a reply has the words with which it begins",
    "https://github.com/newo-ether/Agora/issues/72", {"round-trip/characters-in-a-reply[markup]": "stream-is-reply"},
    final_text=cleaned(lambda text: re.sub(r"^(?:Sure|Certainly|Of course)[,!] ", "", text)))

MUTANTS.row("M967_straight_quotes", "a reply has the signs that the model wrote",
    "an output that is made for terminals of ASCII", {"round-trip/characters-in-a-reply[scripts]": "*"},
    final_text=cleaned(lambda text: text.translate({0x201C: '"', 0x201D: '"', 0x2019: "'", 0x2026: "..."})))
