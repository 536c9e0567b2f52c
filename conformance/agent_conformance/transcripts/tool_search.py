"""Tools that are offered after a search alone: which of an agent's tools searches for others, and how it is asked.

Claude Code has `ToolSearch`, whose results are references to tools; Codex and the Responses API have `tool_search`, and
others a tool of their own, such as `search_tools`. What is found is declared in the next request.
"""

import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from fake_providers import View, ViewTool
from fake_providers.values.minimal_value import minimal_value

NOUN_FIRST = re.compile(r"(^|_)tools?_(search|finder|lookup|discovery)(_|$)")
VERB_FIRST = re.compile(
    r"(^|_)(search|find|discover|lookup|look_up|load|query)"
    r"(_(for|and|load|available|deferred|mcp|more|new|tool|the))*_(tools|functions|toolsets)$"
)
"""`search_tool` alone is a tool that searches something else."""
EXACT = "select:"
"""How Claude Code's `ToolSearch` is asked for tools by their names."""
ASKED = ("query", "queries", "names", "tool_names", "name", "tool_name", "pattern", "regex", "keywords", "keyword", "q")
"""How the parameter with the words is called, the likeliest first."""
CODE = re.compile(r"^(code|script|source|program|tool_?name|tool_?id|function_?name|calls)$", re.I)
"""How the parameter of a tool is called that runs other tools: by code, or by their names."""


def is_name_of_search(name: str) -> bool:
    """Whether a tool of this name searches for tools."""
    flat = re.sub(r"[^a-z0-9]+", "_", re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()).strip("_")
    return bool(NOUN_FIRST.search(flat) or VERB_FIRST.search(flat))


def search_tool_of(view: View, tools: Collection[str]) -> ViewTool | None:
    """The agent's own tool that searches for others; `tools` are those of the scenario, in whose names the view is."""
    return next((one for one in view.callable_tools if one.name not in tools and is_name_of_search(one.name)), None)


def searches(tool: ViewTool, names: Mapping[str, str], view: View, *, again: bool) -> Iterator[dict[str, Any]]:
    """The arguments of the calls that search for the tools of these names, each with its description. `again`: by other
    words than their names, since those found nothing.
    """
    schema = tool.parameters if isinstance(tool.parameters, Mapping) else {}
    properties = {name: one for name, one in _members(schema, "properties").items() if isinstance(one, Mapping)}
    filled = minimal_value(schema) if properties else {}
    least = dict(filled) if isinstance(filled, Mapping) else {}
    asked = _asked(properties, schema.get("required"))
    known = [named_in(view, tool, name) for name in names]
    if asked is None:
        yield least
    elif properties[asked].get("type") == "array":
        yield {**least, asked: known}
    elif EXACT in f"{tool.description} {properties[asked].get('description')}" and not again:
        yield {**least, asked: EXACT + ",".join(known)}
    elif again:
        yield from ({**least, asked: _words(name, text)} for name, text in names.items())
    else:
        yield from ({**least, asked: name} for name in known)


def _asked(properties: Mapping[str, Mapping[str, Any]], required: Any) -> str | None:
    texts = [name for name, one in properties.items() if one.get("type") in ("string", "array") and "enum" not in one]
    needed = required if isinstance(required, list) else []
    by_name = [name for name in ASKED if name in texts]
    return next(iter([*by_name, *(name for name in texts if name in needed), *texts]), None)


def named_in(view: View, tool: ViewTool, name: str) -> str:
    """The tool's name as the request says it, where it lists what can be found: `mcp__suite__get_weather`."""
    said = f"{tool.description}\n{view.texts}"
    found = re.findall(rf"(?<![\w.:/-])[\w.:-]*{re.escape(name)}(?![\w-])", said)
    return max(found, key=len, default=name)


def _words(name: str, description: str) -> str:
    return " ".join(f"{re.sub(r'[^A-Za-z0-9]+', ' ', name)} {description}".split())


def runs_others(view: View, tools: Collection[str], search: ViewTool) -> str:
    """The name of the agent's own tool that runs what a search has found, by code or by name; empty without one."""
    own = (one for one in view.callable_tools if one.name not in tools and one.name != search.name)
    return next((one.name for one in own if any(map(CODE.match, _members(one.parameters, "properties")))), "")


def found_for_code(view: View) -> tuple[str, str] | None:
    """The tool that searches and the one that runs what it finds, where the first says that this is how it is run."""
    search = search_tool_of(view, ())
    runner = runs_others(view, (), search) if search is not None else ""
    return (search.name, runner) if search is not None and runner and runner in search.description else None


def _members(value: Any, name: str) -> Mapping[str, Any]:
    inner = value.get(name) if isinstance(value, Mapping) else None
    return inner if isinstance(inner, Mapping) else {}
