"""The tools a request offers, out of their namespaces. Knows names; judges nothing.

Codex groups its tools, `{"type": "namespace", "name": "weather", "tools": [...]}`, and a call carries `namespace`.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

Offered = tuple[str, Mapping[str, Any]]
"""A tool after the name of its namespace, which is empty outside of any."""


def offered_tools(body: Any) -> tuple[Offered, ...]:
    """The tools of `tools` and those that an `additional_tools` item brings, in order."""
    if not isinstance(body, Mapping):
        return ()
    listed = list(_objects(body.get("tools")))
    for item in _objects(body.get("input")):
        if item.get("type") == "additional_tools":
            listed += _objects(item.get("tools"))
    return tuple(offered for tool in listed for offered in _spread(tool))


def names_of(offered: Iterable[Offered]) -> Mapping[tuple[str, str], str]:
    """For namespace and name a name that nobody shares: the bare one, its namespace in front where it must be."""
    keys = [(namespace, name) for namespace, tool in offered if isinstance(name := tool.get("name"), str)]
    count = Counter(name for _, name in dict.fromkeys(keys))
    return {(space, name): f"{space}.{name}" if space and count[name] > 1 else name for space, name in keys}


def _spread(tool: Mapping[str, Any]) -> Iterable[Offered]:
    if tool.get("type") != "namespace":
        return [("", tool)]
    name = tool.get("name")
    return [(name if isinstance(name, str) else "", inner) for inner in _objects(tool.get("tools"))]


def _objects(value: Any) -> Iterable[Mapping[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []
