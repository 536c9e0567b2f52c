"""Bugs with declarations: dropped, shortened, or sent only once."""

import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

from agent_conformance.adapter.types import AgentError, Limits, Tool
from agent_conformance.agents.reference import Defences
from agent_conformance.agents.reference.bounds import Bounds
from agent_conformance.agents.reference.tools import Offer, forced_tool
from agent_conformance.agents.reference.wires import CompletionRequest
from agent_mutants.mutant import RIGHT, Mutants

OPENCLAWP = "https://github.com/lezama/openclawp/pull/83"
FIRST = 10
FEW = 5
UNIONS = ("oneOf", "allOf", "not", "enum")
REFUSED_WORDS = re.compile(r'"(anyOf|const|exclusiveMinimum)":|"type": \[|"enum": \[\d')


def rewritten(
    rewrite: Callable[[Mapping[str, Any]], Mapping[str, Any]],
) -> Callable[[Mapping[str, Tool]], Offer | None]:
    """The declarations with their schemas rewritten."""

    def declare(enabled: Mapping[str, Tool]) -> Offer | None:
        offer = RIGHT.declare(enabled)
        declarations = offer.declarations if offer else ()
        return offer and replace(
            offer, declarations=tuple(replace(d, schema=dict(rewrite(d.schema))) for d in declarations)
        )

    return declare


# The rows of a table, laid out so that they can be compared.
# fmt: off
MUTANTS = Mutants()

@MUTANTS.replaces("wire_names", "a name of one letter is offered as it is",
    OPENCLAWP, {"declarations/allowed-names-are-kept[one-letter]": "accepted:*"})
def M19i_short_names_prefixed(names: Iterable[str]) -> Mapping[str, str]:
    return {name: wire if len(name) > 1 else f"tool/{wire}" for name, wire in RIGHT.wire_names(names).items()}

@MUTANTS.replaces("declare", "a declaration has no word of unions at its top",
    "https://github.com/nspady/google-calendar-mcp/issues/39", {"declarations/other-words-at-the-top[*]": "accepted:*"})
def M19k_one_word_of_unions(enabled: Mapping[str, Tool]) -> Offer | None:
    offer = RIGHT.declare(enabled)
    own = {name: {w: tool.parameters[w] for w in UNIONS if w in tool.parameters} for name, tool in enabled.items()}
    declarations = offer.declarations if offer else ()
    kept = tuple(replace(d, schema={**d.schema, **own[d.name]}) for d in declarations)
    return offer and replace(offer, declarations=kept)

MUTANTS.row("M19l_restored_names_cleaned", "a restored call goes under the name by which its tool is offered",
    "https://github.com/zeroclaw-labs/zeroclaw", {"history/names-that-collide": "1.should.requests*"},
    full_request=lambda request: RIGHT.full_request(replace(request, names={})))

@MUTANTS.replaces("declare", "a declaration has the parameters of a union at its top",
    "https://github.com/anthropics/claude-code/issues/95504", {"declarations/union-at-the-top": "offered"})
def M19j_unions_dropped(enabled: Mapping[str, Tool]) -> Offer | None:
    offer = RIGHT.declare(enabled)
    own = {name: dict(tool.parameters.get("properties") or {}) for name, tool in enabled.items()}
    declarations = offer.declarations if offer else ()
    kept = tuple(replace(d, schema={**d.schema, "properties": own[d.name]}) for d in declarations)
    return offer and replace(offer, declarations=kept)

MUTANTS.row("M19a_first_ten", "all tools are offered, however many there are",
    "https://github.com/diegosouzapw/OmniRoute/issues/13190", {"declarations/dozen-tools": "offered"},
    declare=lambda enabled: RIGHT.declare(dict([*enabled.items()][:FIRST])))

@MUTANTS.replaces("full_request", "the tools are offered in every request",
    OPENCLAWP, {"declarations/kept-in-every-request": "offered"})
def M19b_first_request_only(request: CompletionRequest) -> CompletionRequest:
    return request if request.history[-1].role == "user" else replace(request, offer=None)

@MUTANTS.replaces("declare", "a declaration has its optional parameters",
    OPENCLAWP, {"declarations/offered-whole": "offered", "declarations/optional-left-out": "offered"},
    through=rewritten)
def M19c_optional_dropped(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    known, names = schema.get("properties") or {}, schema.get("required") or ()
    return {**schema, "properties": {name: value for name, value in known.items() if name in names}}

@MUTANTS.replaces("declare", "a declaration has the properties within its parameters",
    OPENCLAWP, {"declarations/offered-whole": "offered"}, through=rewritten)
def M19f_one_level_deep(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    def described(value: Any) -> Any:
        return {**value, "properties": {}} if isinstance(value, dict) and "properties" in value else value

    known = schema.get("properties") or {}
    return {**schema, "properties": {name: described(value) for name, value in known.items()}}

MUTANTS.row("M19h_properties_sorted", "the properties of a declaration are in the tool's own order",
    "https://github.com/vllm-project/router/issues/186", {"declarations/offered-whole": "property-order"},
    declare=rewritten(lambda schema: json.loads(json.dumps(schema, sort_keys=True))))

MUTANTS.row("M19v_all_optional", "the model is told which parameters a tool requires",
    OPENCLAWP, {"declarations/offered-whole": "offered"},
    declare=rewritten(lambda schema: {key: value for key, value in schema.items() if key != "required"}))

@MUTANTS.replaces("declare", "the model is told which values a parameter takes",
    OPENCLAWP, {"declarations/offered-whole": "offered"}, through=rewritten)
def M19w_any_value(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    known = schema.get("properties") or {}
    free = {name: {k: v for k, v in value.items() if k != "enum"} for name, value in known.items()}
    return {**schema, "properties": free}

@MUTANTS.replaces("declare", "a tool is offered, also if a keyword of its schema must be left out",
    "mudler/cogito, nullable types: tools dropped in silence", {"declarations/schema-words-some-refuse[*]": "offered"})
def M19d_odd_schemas_dropped(enabled: Mapping[str, Tool]) -> Offer | None:
    return RIGHT.declare(
        {n: t for n, t in enabled.items() if not REFUSED_WORDS.search(json.dumps(t.parameters))}
    )

@MUTANTS.replaces("declare", "one odd name does not remove the other tools",
    OPENCLAWP, {"declarations/one-odd-name-among-good": "offered"})
def M19e_one_bad_drops_all(enabled: Mapping[str, Tool]) -> Offer | None:
    return RIGHT.declare(enabled) if all(name == tool.name for name, tool in enabled.items()) else None

MUTANTS.row("M19g_definitions_dropped", "a declaration keeps the definitions that it refers to",
    "https://github.com/google-gemini/gemini-cli/issues/13326", {"declarations/shared-definitions": "*"},
    declare=rewritten(lambda schema: {key: value for key, value in schema.items() if key != "$defs"}))

@MUTANTS.changes("a tool that another one enables is offered in the next request",
    "https://github.com/elidickinson/pi-claude-bridge/issues/81", {"declarations/tool-that-a-tool-enables": "offered"})
def M19x_collected_once_a_turn(defences: Defences) -> Defences:
    collected: dict[str, Tool] = {}

    def begun(limits: Limits) -> Bounds:
        collected.clear()
        return defences.bounds(limits)

    def declare(enabled: Mapping[str, Tool]) -> Offer | None:
        collected.update({} if collected else enabled)
        return defences.declare(collected)

    return replace(defences, bounds=begun, declare=declare)

SHAPES = Mutants()

SHAPES.row("M49a_forced_in_every_request", "a forced tool is no longer forced after its result",
    "https://github.com/openai/openai-agents-python/pull/263",
    {"loops/forced-tool-is-forced-once[named, required, required-elsewhere]": "tool-choice"},
    forced_tool=lambda choice, names, turn, provider: forced_tool(choice, names, (), provider))

SHAPES.row("M49b_forced_while_reasoning", "a tool is not forced while the model reasons",
    "https://github.com/deepseek-ai/DeepSeek-V3/issues/1376",
    {"reasoning/forced-tool-while-reasoning": "accepted:deepseek/tool-choice-while-thinking"},
    forced_tool=lambda choice, names, turn, _: forced_tool(choice, names, turn, ""))

SHAPES.row("M49c_choice_dropped", "the first request forces what the setup says",
    "https://github.com/agno-agi/agno/issues/4869",
    {"loops/forced-tool-is-forced-once[named, required-elsewhere]": "tool-choice", "pairs/*choice*": "tool-choice"},
    forced_tool=lambda *_: None)

SHAPES.row("M49d_calls_not_forbidden", "each request forbids calls where the setup does",
    "https://github.com/NousResearch/hermes-agent/pull/1714", {"no-tools/calls-are-forbidden": "tool-choice"},
    forbids_calls=lambda choice: False)

SHAPES.row("M49e_schema_in_every_request", "a schema leaves room for calls",
    "https://github.com/ollama/ollama/issues/8095", {"round-trip/answer-with-a-schema[newest-models]": "1.executed"},
    shapes_beside_tools=lambda wire, model: True)

@SHAPES.replaces("full_request", "the request that the model answers has the schema",
    "https://github.com/langchain-ai/langchain/issues/36349",
    {"round-trip/answer-with-a-schema[older-gemini]": "1.reply", "pairs/*schema*": "1.reply"})
def M49f_schema_forgotten(request: CompletionRequest) -> CompletionRequest:
    after_results = request.history[-1].role == "results"
    return replace(RIGHT.full_request(request), schema=None if after_results else request.schema)

SHAPES.row("M49g_found_is_not_offered", "what a search has found is in the next request",
    "https://github.com/bytedance/deer-flow/issues/1554", {"declarations/found-by-a-search": "offered"},
    found_names=lambda history: frozenset())

@SHAPES.replaces("matching_tools", "a search finds the tool that it names",
    "https://github.com/openai/codex/issues/21503", {"declarations/found-among-many-like-it": "offered"})
def M49h_first_few_with_a_word(query: str, tools: Iterable[Tool]) -> tuple[Tool, ...]:
    words = set(re.findall("[a-z]+", query))
    return tuple(tool for tool in tools if words & set(re.findall("[a-z]+", tool.name)))[:FEW]

@SHAPES.changes("what a compaction has dropped can be found again",
    "https://github.com/openai/codex/issues/34719", {"declarations/found-again-after-a-compaction": "offered"})
def M49i_found_once(defences: Defences) -> Defences:
    """A search leaves out what it has found before, although that is no longer offered."""
    before: set[str] = set()

    def matching(query: str, tools: Iterable[Tool]) -> tuple[Tool, ...]:
        found = tuple(tool for tool in RIGHT.matching_tools(query, tools) if tool.name not in before)
        before.update(tool.name for tool in found)
        return found

    return replace(defences, matching_tools=matching)

@SHAPES.replaces("matching_tools", "tools of one name on two servers are two tools",
    "https://github.com/kirodotdev/KiroCrew/issues/11081", {"declarations/found-on-two-servers": "offered"})
def M49j_registered_by_the_short_name(query: str, tools: Iterable[Tool]) -> tuple[Tool, ...]:
    return RIGHT.matching_tools(query, {tool.name.rpartition("__")[2]: tool for tool in tools}.values())

@SHAPES.replaces("matching_tools", "a search that finds nothing is answered",
    "https://github.com/dcSpark/shinkai-node/pull/1109", {"declarations/nothing-found-by-a-search": "1.outcome"})
def M49k_nothing_found_is_fatal(query: str, tools: Iterable[Tool]) -> tuple[Tool, ...]:
    if found := RIGHT.matching_tools(query, tools):
        return found
    raise AgentError(f"no tool matches {query!r}")

@SHAPES.replaces("declare", "a property of any sort takes no tool away",
    "https://github.com/NousResearch/hermes-agent/pull/101804",
    {"declarations/property-of-any-sort[*]": "offered"})
def M49l_one_schema_takes_all(enabled: Mapping[str, Tool]) -> Offer | None:
    def known(schema: Any) -> bool:
        if not isinstance(schema, Mapping) or "type" not in schema or "additionalProperties" in schema:
            return False
        within = [*schema.get("properties", {}).values(), *([schema["items"]] if "items" in schema else [])]
        return all(map(known, within))

    return RIGHT.declare(enabled if all(known(tool.parameters) for tool in enabled.values()) else {})
