"""Tools that are offered once the model has found them, by a tool of the agent's own that searches for tools.

What was found is read from the results in the conversation, so that it stays over a restart, and is found anew where a
summary has taken their place.
"""

import json
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from agent_conformance.adapter.types import Tool
from agent_conformance.agents.reference.history import History

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
