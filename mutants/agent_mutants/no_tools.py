"""Bugs of agents that have no tools to offer, or not all of them: zeroclaw pull 6546 and similar ones."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from agent_conformance.adapter.types import Tool
from agent_conformance.agents.reference import Defences
from agent_conformance.agents.reference.answers import Answer
from agent_conformance.agents.reference.bounds import Bounds
from agent_conformance.agents.reference.history import Entry, History
from agent_conformance.agents.reference.pruning import Shorten
from agent_conformance.agents.reference.tools import Offer, declare
from agent_conformance.agents.reference.wires import Reader
from agent_mutants.dialects import readers
from agent_mutants.mutant import RIGHT, Mutants
from agent_mutants.pseudo_calls import BARE, BLANK_AFTER_HIDING, M3m_business_json_hidden

PROTOCOL = '\n\n## Tool Use Protocol\nTo call a tool, write <tool_call>{"name": ..., "arguments": ...}</tool_call>.'


def calls_in_text_without_tools(enabled: Mapping[str, Tool], known: Iterable[Tool]) -> frozenset[str]:
    return frozenset(enabled) or frozenset({"(no tool)"})


# The rows of a table, laid out so that they can be compared.
# fmt: off
MUTANTS = Mutants()

MUTANTS.row("M1a_always_prompt_protocol", "the system prompt does not mention tools if there are none",
    "https://github.com/zeroclaw-labs/zeroclaw/pull/6546", {"no-tools/nothing-is-taught": "*requests*"},
    system_text=lambda system, enabled, known: system + PROTOCOL)

MUTANTS.row("M1b_send_empty_tools", "no empty list of tools is sent",
    "https://github.com/zeroclaw-labs/zeroclaw/pull/6546",
    {"no-tools/nothing-is-taught": "accepted:*", "no-tools/all-disabled": "accepted:*"},
    declare=lambda enabled: declare(enabled) or Offer(()))

@MUTANTS.changes("a tool that was not offered does not run",
    "https://github.com/zeroclaw-labs/zeroclaw/pull/6546",
    {"no-tools/native-call-beside-text": "declared-only",
     "no-tools/native-call-without-text[the-tool-is-disabled]": "declared-only",
     "no-tools/text-like-a-call-of-a-disabled-tool[*]": "declared-only"})
def M1c_parse_when_no_tools(defences: Defences) -> Defences:
    def resolve(name: str, enabled: Mapping[str, Tool], known: Iterable[Tool]) -> Tool | None:
        return next((tool for tool in known if tool.name == name), None)

    def all_there_are(enabled: Mapping[str, Tool], known: Iterable[Tool]) -> frozenset[str]:
        return frozenset(tool.name for tool in known)

    return replace(defences, resolve=resolve, may_call=lambda offered: True, names_in_text=all_there_are)

MUTANTS.row("M1d_skip_think_strip_without_tools", "reasoning is removed from the text, with and without tools",
    "https://github.com/zeroclaw-labs/zeroclaw/pull/6546",
    {"no-tools/reasoning-still-stripped": "no-protocol-text", "reasoning/tags-in-text[*]": "no-protocol-text"},
    hides_thoughts_without_tools=False)

@MUTANTS.replaces("system_text", "a disabled tool is not mentioned",
    "https://github.com/zeroclaw-labs/zeroclaw/pull/6546",
    {"no-tools/one-of-two-disabled": "*requests*", "no-tools/switched-between-turns": "*requests*"})
def M1e_catalog_drift(system: str, enabled: Mapping[str, Tool], known: Iterable[Tool]) -> str:
    return system + "\n\n## Tools\n" + "\n".join(f"- {tool.name}: {tool.description}" for tool in known)

@MUTANTS.replaces("system_text", "tools are declared natively, and not in the prompt too",
    "https://github.com/zeroclaw-labs/zeroclaw/issues/6544",
    {"declarations/not-repeated-in-the-instructions": "*requests*"})
def M1f_native_plus_xml_catalog(system: str, enabled: Mapping[str, Tool], known: Iterable[Tool]) -> str:
    listed = "\n".join(f"- {name}: {tool.description}" for name, tool in enabled.items())
    return f"{system}{PROTOCOL}\n{listed}" if enabled else system

@MUTANTS.replaces("resolve", "a disabled tool does not run",
    "zeroclaw, excluded tools: the called name and the resolved tool are both checked",
    {"tool-names/disabled-tool-is-unknown[by-its-name]": "declared-only"})
def M13_filter_ignored(name: str, enabled: Mapping[str, Tool], known: Iterable[Tool]) -> Tool | None:
    return next((tool for tool in known if tool.name == name), None)

MUTANTS.row("M1g_blank_without_tools", "text that looks like a call is an answer if there is no tool",
    "https://github.com/zeroclaw-labs/zeroclaw/pull/6546",
    {"no-tools/text-like-a-call[tagged-json, bracket-arrow, leaked-address]": "answers"},
    names_in_text=calls_in_text_without_tools, **BLANK_AFTER_HIDING)

MUTANTS.row("M1h_data_hidden_without_tools", "JSON is an answer if there is no tool",
    "https://github.com/zeroclaw-labs/zeroclaw/pull/6546", {"no-tools/json-answer-is-delivered[*]": "1.reply"},
    names_in_text=calls_in_text_without_tools, dialects=readers(BARE)(M3m_business_json_hidden))

@MUTANTS.replaces("system_text", "tools that were all filtered out are not described in the prompt",
    "https://github.com/zeroclaw-labs/zeroclaw/pull/6546",
    {"no-tools/all-disabled": "*requests*", "no-tools/switched-between-turns": "*requests*"})
def M1i_filtered_tools_still_described(system: str, enabled: Mapping[str, Tool], known: Iterable[Tool]) -> str:
    return system + PROTOCOL if not enabled and any(known) else system

MUTANTS.row("M1j_calls_printed", "a call that was not offered is no answer, as an object that is printed",
    "crewai 1.15.30: without tools, what the provider returns becomes the answer by str()",
    {"no-tools/native-call-without-text[no-tools-at-all]": "no-protocol-text"},
    final_text=lambda answer, history: answer.text or "".join(map(str, answer.calls)))


class PausesUncounted(Bounds):
    """Counts the requests of a turn, but not those that go on after a pause."""

    @property
    def last_request(self) -> bool:
        return False


SERVER_TOOLS = Mutants()

SERVER_TOOLS.row("M34d_pauses_uncounted", "the requests after a pause count like any other",
    "https://github.com/vellum-ai/vellum-assistant/issues/40145",
    {"finish/paused-at-the-last-request[again-and-again]": "bounded"},
    bounds=lambda limits: PausesUncounted(requests=limits.requests or 20))

SERVER_TOOLS.row("M34a_pause_is_the_end", "a turn that the provider has paused goes on",
    "https://github.com/WordPress/ai-provider-for-anthropic/issues/29",
    {"finish/paused-turn[search-left-open, between-two-searches]": "1.reply"}, is_to_be_continued=lambda answer: False)

SERVER_TOOLS.row("M34b_open_search_kept", "a search that a pause has left open does not stay in the history",
    "https://github.com/anthropics/anthropic-sdk-python/issues/961",
    {"finish/paused-at-the-last-request[left-open]": "survives"}, drop_open_blocks=None)

@SERVER_TOOLS.replaces("prune", "pruning drops a search together with what it found",
    "https://github.com/anthropics/claude-code/issues/64026", {"history/half-of-a-search-after-pruning": "accepted:*"})
def M34c_half_of_a_search_kept(history: History, budget: int, declared: int, shorten: Shorten) -> History:
    def halved(entry: Entry) -> Entry:
        return replace(entry, blocks=tuple(block for block in entry.blocks if "id" not in block))

    return tuple(halved(entry) for entry in RIGHT.prune(history, budget, declared, shorten))

@SERVER_TOOLS.replaces("final_text",
    "the answer is the text of a reply, wherever it stands among searches and reasoning",
    "https://github.com/openclaw/openclaw/issues/13094", {"finish/answer-after-a-search[*]": "stream-is-reply"})
def M34e_answer_at_a_fixed_place(answer: Answer, history: History) -> str:
    is_first = not answer.blocks or answer.blocks[0]["type"] in ("text", "message")
    return answer.text if is_first else "No response"

@SERVER_TOOLS.replaces("answer_at_end", "a search that the provider ran goes back with its query",
    "https://github.com/ahmadrosid/nakama/issues/333",
    {"finish/paused-turn[search-left-open, between-two-searches]": "kept-whole"})
def M34f_query_lost(reader: Reader) -> Answer:
    def as_it_began(block: Mapping[str, Any]) -> Mapping[str, Any]:
        return {**block, "input": {}} if block["type"] == "server_tool_use" else block

    answer = RIGHT.answer_at_end(reader)
    return replace(answer, blocks=tuple(map(as_it_began, answer.blocks)))
