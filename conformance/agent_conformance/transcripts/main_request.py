"""What tells the requests of an agent's conversation from those of another agent beside it: instructions and tools."""

from collections.abc import Callable
from typing import NamedTuple

from agent_conformance.transcripts.tool_search import is_name_of_search
from fake_providers import View

SHORTEST_LINE = 12
"""Characters by which a line of instructions is recognised."""


class MainRequest(NamedTuple):
    """The instructions of the agent's conversations, and the names of its own tools in them."""

    system: str
    tools: frozenset[str]

    def is_of_another(self, view: View, is_of_case: Callable[[str], bool]) -> bool:
        """Whether a request has other instructions and other tools, and none of the case's or one that searches for
        them. Where the conversations have no instructions, the tools alone tell.
        """
        names = {tool.name for tool in view.tools}
        if not view.system.strip() or keeps_instructions(view.system, self.system):
            return False
        if any(is_of_case(name) or is_name_of_search(name) for name in names):
            return False
        return not names >= self.tools if names else bool(self.system.strip())


def keeps_instructions(now: str, before: str) -> bool:
    """Whether these instructions have half of the lines of those before: dates and folders in others may differ, and
    programs put the same rules of a sandbox or of style into the instructions of all their agents.
    """
    flat = " ".join(now.split())
    lines = [line for one in before.splitlines() if len(line := " ".join(one.split())) >= SHORTEST_LINE]
    return bool(lines) and 2 * sum(line in flat for line in lines) >= len(lines)
