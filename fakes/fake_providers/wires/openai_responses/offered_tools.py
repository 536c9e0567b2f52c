"""The tools of a request, taken out of their namespaces. Knows names; checks nothing.

Codex groups its tools, `{"type": "namespace", "name": "weather", "tools": [...]}`, and a call has a `namespace`.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

Offered = tuple[str, Mapping[str, Any]]
"""The name of the namespace, "" outside of any, and the tool."""


def offered_tools(body: Any) -> tuple[Offered, ...]:
    """The tools of `tools` and those that an `additional_tools` item adds, in order."""
    if not isinstance(body, Mapping):
        return ()
    tools = list(_objects(body.get("tools")))
    for item in _objects(body.get("input")):
        if item.get("type") == "additional_tools":
            tools += _objects(item.get("tools"))
    return tuple(offered for tool in tools for offered in _without_namespace(tool))


def names_of(offered: Iterable[Offered]) -> Mapping[tuple[str, str], str]:
    """A unique name for each pair of namespace and name: the plain name, or with the namespace if several tools share
    it."""
    keys = [(namespace, name) for namespace, tool in offered if isinstance(name := tool.get("name"), str)]
    count = Counter(name for _, name in dict.fromkeys(keys))
    return {
        (namespace, name): f"{namespace}.{name}" if namespace and count[name] > 1 else name for namespace, name in keys
    }


def _without_namespace(tool: Mapping[str, Any]) -> Iterable[Offered]:
    if tool.get("type") != "namespace":
        return [("", tool)]
    name = tool.get("name")
    return [(name if isinstance(name, str) else "", inner) for inner in _objects(tool.get("tools"))]


def _objects(value: Any) -> Iterable[Mapping[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []
