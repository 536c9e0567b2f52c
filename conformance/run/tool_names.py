"""The name under which a request offers a tool, and the way back. Knows no wire."""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

from fakes import View

ToolNames = Mapping[str, str] | Callable[[str], str | None] | None
SEPARATORS = ("__", "_", "-", ".", ":", "/")
OWN = " (the agent's own)"


def offered_name(name: str, offered: Iterable[str], tool_names: ToolNames) -> str | None:
    """The name under which `offered` has the scenario's tool.

    The name that the adapter declares, or the only one that ends in that; the same name, the only one that ends in it
    after a separator, or the only one that differs from it in special characters.
    """
    names = list(offered)
    declared = _declared(name, tool_names)
    if declared is not None and declared in names:
        return declared  # first, since the agent may have a tool of its own with the scenario's name
    if declared is not None and (ending := _only_ending(declared, names)) is not None:
        return ending
    if name in names:
        return name
    endings = [other for other in names if any(other.endswith(separator + name) for separator in SEPARATORS)]
    if len(endings) == 1:
        return endings[0]
    bare = _bare(name)
    alike = [other for other in names if bare and _bare(other) == bare]
    return alike[0] if len(alike) == 1 else None


def _only_ending(name: str, names: list[str]) -> str | None:
    """The only one of `names` that ends in `name` after a separator, maybe with other special characters."""
    exact = [other for other in names if any(other.endswith(separator + name) for separator in SEPARATORS)]
    alike = [other for other in names if _bare(name) and f"_{_bare(other)}".endswith(f"_{_bare(name)}")]
    return next((found[0] for found in (exact, alike) if len(found) == 1), None)


def _bare(name: str) -> str:
    """What remains of a name in every provider's pattern of names."""
    return re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")


def _declared(name: str, tool_names: ToolNames) -> str | None:
    if tool_names is None:
        return None
    return tool_names.get(name) if isinstance(tool_names, Mapping) else tool_names(name)


def mapped_back(view: View, names: Iterable[str], tool_names: ToolNames) -> View:
    """The view with the scenario's names for offered tools and for calls and results of them.

    A tool of the agent's own that has the name of one of the scenario's is marked as the agent's own.
    """
    offered = [tool.name for tool in view.tools]
    names = list(names)
    back: dict[str, str] = {}
    for name in names:
        wire_name = offered_name(name, offered, tool_names) or _declared(name, tool_names)
        if wire_name in names:
            continue
        if wire_name is not None and wire_name != name:
            back[wire_name] = name
            if name in offered:
                back.setdefault(name, f"{name}{OWN}")
    if not back:
        return view
    return replace(
        view,
        tools=tuple(replace(tool, name=back.get(tool.name, tool.name)) for tool in view.tools),
        messages=tuple(
            replace(
                message,
                calls=tuple(replace(call, name=back.get(call.name, call.name)) for call in message.calls),
                results=tuple(
                    replace(result, name=back.get(result.name, result.name) if result.name else result.name)
                    for result in message.results
                ),
            )
            for message in view.messages
        ),
    )
