"""Which tool the model means. Knows only the enabled tools: no alias leads to a tool that is not offered."""

import re
from collections.abc import Iterable, Mapping

from agent_conformance.adapter.types import Tool

PREFIX = re.compile(r"^(?:default_api|functions|tools?|multi_tool_use)[.:/]")
INDEX = re.compile(r":\d+$")


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
