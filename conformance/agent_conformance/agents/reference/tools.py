"""The tools of an agent: which are offered now, under which names, and running one.

Some are offered once the model has found them, by a tool of the agent's own that searches for tools. What was found is
read from the results in the conversation, so that it stays over a restart, and is found anew where a summary has taken
their place.
"""

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from agent_conformance.adapter.types import NamedTool, Part, Pending, Setup, Tool, ToolCall, ToolChoice, ToolError
from agent_conformance.agents.reference import prompts
from agent_conformance.agents.reference.history import Call, History, Result, error_result, text_and_pictures


@dataclass(frozen=True, slots=True)
class Declaration:
    """One tool as a request offers it: name on the wire, description, JSON Schema of an object."""

    name: str
    description: str
    schema: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Offer:
    """The declarations of one request. `closing` asks for the final answer: no tool may be called.

    `forced`: the tool that the model has to call, or `ANY`. `forbidden`: no request of this agent lets it call any.
    """

    declarations: tuple[Declaration, ...]
    closing: bool = False
    forced: str | None = None
    forbidden: bool = False

    @property
    def characters(self) -> int:
        return sum(len(d.name) + len(d.description) + len(json.dumps(d.schema)) for d in self.declarations)


def declare(tools: Mapping[str, Tool]) -> Offer | None:
    """The declarations of these tools for a request; None if there are none: no empty list is sent."""
    if not tools:
        return None
    return Offer(
        tuple(Declaration(name, tool.description, object_schema(tool.parameters)) for name, tool in tools.items())
    )


ANY = "*"
"""Some tool, where a request forces a call."""
REASON_UNFORCED = frozenset({"deepseek"})
"""Providers whose models reason by default, and then refuse a forced call."""


def forced_tool(choice: ToolChoice | None, names: Mapping[str, str], turn: History, provider: str) -> str | None:
    """What the next request of a turn forces: nothing once the tool has its result, or the model could not answer."""
    if choice in (None, "auto", "none") or provider in REASON_UNFORCED:
        return None
    called = {result.name for entry in turn for result in entry.results}
    wanted = names[choice.tool] if isinstance(choice, NamedTool) else ANY
    return None if wanted in called or (wanted == ANY and called) else wanted


def forbids_calls(choice: ToolChoice | None) -> bool:
    """Whether the model may call nothing at all."""
    return choice == "none"


UNIONS = ("anyOf", "oneOf", "allOf", "not", "enum")


def object_schema(schema: Mapping[str, Any]) -> dict[str, Any]:
    """The schema in a form that every provider accepts: an object, no union at its top. The tool checks in full."""
    kept = {key: value for key, value in schema.items() if key not in UNIONS}
    merged: dict[str, Any] = dict(kept.get("properties") or {})
    required = list(kept.get("required") or ())
    for union in UNIONS[:3]:
        for branch in schema.get(union) or ():
            if isinstance(branch, Mapping) and isinstance(branch.get("properties"), Mapping):
                merged = {**branch["properties"], **merged}
                required += branch.get("required") or () if union == "allOf" else ()
    objects = {name: _without_booleans(value) for name, value in merged.items()}
    return {**kept, "type": "object", "properties": objects, **({"required": required} if required else {})}


def _without_booleans(schema: Any) -> Any:
    """A property's schema with `true` and `false`, which Ollama cannot read, in the words of an object."""
    if not isinstance(schema, Mapping):
        return schema if not isinstance(schema, bool) else {} if schema else {"not": {}}
    changed: dict[str, Any] = {}
    if isinstance(within := schema.get("properties"), Mapping):
        changed["properties"] = {name: _without_booleans(value) for name, value in within.items()}
    for key in UNIONS[:3]:
        if isinstance(branches := schema.get(key), list):
            changed[key] = [_without_booleans(branch) for branch in branches]
    if isinstance(schema.get("items"), (bool, Mapping)):
        changed["items"] = _without_booleans(schema["items"])
    return {**schema, **changed}


async def ask_user(setup: Setup, tool: Tool, call: Call, arguments: Mapping[str, Any]) -> Result | None:
    """None if the call may run; else what stands in place of its result."""
    if tool.approval is None:
        return None
    try:
        allowed = await setup.aapprove(ToolCall(call.id, tool.name, dict(arguments)))
    except Pending:
        return replace(error_result(call, prompts.PENDING), pending=True)
    return None if allowed else error_result(call, prompts.DENIED)


async def run_tool(tool: Tool, call: Call, arguments: Mapping[str, Any]) -> Result:
    """One execution of one call. A tool that fails gives an error result, and the turn continues."""
    try:
        value = await tool.acall(dict(arguments))
    except ToolError as error:
        return error_result(call, f"Error: {call.name} failed: {error}")
    if isinstance(value, list) and value and isinstance(value[0], Part):
        text, pictures = text_and_pictures(value)
        return Result(call.id, call.name, text, pictures=pictures)
    return Result(call.id, call.name, Tool.text(value))


PREFIX = re.compile(r"^(?:default_api|functions|tools?|multi_tool_use)[.:/]")
"""Namespaces that models write before a name: Gemini's `default_api`, `functions` and `multi_tool_use` of GPT."""
INDEX = re.compile(r":\d+$")
"""Of the call in its reply, as Kimi writes it: `functions.get_weather:0`."""


def bare_name(name: str) -> str:
    """The name without a prefix or an index that models put around names."""
    return INDEX.sub("", PREFIX.sub("", name.strip()))


def resolve(name: str, enabled: Mapping[str, Tool], all_tools: Iterable[Tool] = ()) -> Tool | None:
    """The enabled tool with this name on the wire, or with this name of its own; else without a prefix or an index.

    None for everything else, also for a near miss or a disabled tool of `all_tools`: the model gets the list of names
    and decides.
    """
    known = {**{tool.name: tool for tool in enabled.values()}, **enabled}
    return known.get(name) or known.get(bare_name(name))


VALID = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,63}")
LONGEST = 64
"""What every provider takes: Gemini wants a letter first, and OpenAI at most 64 characters."""


def wire_name(name: str) -> str:
    """The name if every provider accepts it, else the nearest one that they accept."""
    if VALID.fullmatch(name):
        return name
    safe = re.sub(r"[^A-Za-z0-9_]", "_", name)
    return (safe if VALID.match(safe) else f"t_{safe}")[:LONGEST]


def wire_names(names: Iterable[str]) -> Mapping[str, str]:
    """From each tool's own name to its name on the wire. Valid names stay as they are; no two tools share one."""
    wanted = list(dict.fromkeys(names))
    taken = {name for name in wanted if wire_name(name) == name}
    mapping: dict[str, str] = {}
    for name in wanted:
        candidate = wire_name(name)
        if candidate != name and candidate in taken:
            digest = hashlib.sha256(name.encode(errors="replace")).hexdigest()[:6]
            candidate = f"{candidate[: LONGEST - 7]}_{digest}"
        taken.add(candidate)
        mapping[name] = candidate
    return mapping


SEARCH = "search_tools"
MOST_FOUND = 5

Search = Callable[[str, Iterable[Tool]], tuple[Tool, ...]]


def matching_tools(query: str, tools: Iterable[Tool]) -> tuple[Tool, ...]:
    """Those whose name the query has; else the five with most of its words in their names and descriptions."""
    tools, words = tuple(tools), _words(query)
    if named := tuple(tool for tool in tools if tool.name in query.split()):
        return named
    scores = {tool.name: len(words & _words(f"{tool.name} {tool.description}")) for tool in tools}
    ranked = sorted((tool for tool in tools if scores[tool.name]), key=lambda tool: -scores[tool.name])
    return tuple(ranked[:MOST_FOUND])


def _words(text: str) -> set[str]:
    return set(re.findall(r"[^\W_]+", text.lower()))


def search_result(found: Iterable[Tool]) -> str:
    """What the model reads of a search: the names and descriptions, as JSON."""
    return json.dumps([{"name": tool.name, "description": tool.description} for tool in found], ensure_ascii=False)


def found_names(history: History) -> frozenset[str]:
    """The names of the tools that the searches in this conversation have found."""
    results = (result.text for entry in history for result in entry.results if result.name == SEARCH)
    return frozenset(name for text in results for name in re.findall(r'"name": "([^"]*)"', text))


def offered_tools(enabled: Mapping[str, Tool], found: frozenset[str], search: Search) -> Mapping[str, Tool]:
    """Of the enabled tools those that are not deferred or were found; before them the search, where any is deferred."""
    deferred = tuple(tool for tool in enabled.values() if tool.deferred)
    if not deferred:
        return enabled
    offered = {name: tool for name, tool in enabled.items() if not tool.deferred or tool.name in found}
    return {SEARCH: _search_tool(deferred, search), **offered}


def _search_tool(deferred: tuple[Tool, ...], search: Search) -> Tool:
    def run(arguments: Any) -> str:
        return search_result(search(str(arguments["query"]), deferred))

    async def arun(arguments: Any) -> str:
        return run(arguments)

    text = {"type": "string", "description": "The name of a tool, or words of what it does."}
    parameters = {"type": "object", "properties": {"query": text}, "required": ["query"]}
    return Tool(SEARCH, "Finds tools. Those that it names can be called.", parameters, run=run, arun=arun)
