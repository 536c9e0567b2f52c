"""What measures the suite and keeps its pages: `python -m tools COMMAND`, in a checkout. It is not installed.

The mutation score is a program of its own, `python -m tools.mutation`.
"""

from collections.abc import Sequence
from pathlib import Path

from agent_conformance.commands.main import Program, commands_in, main

NO_COMMANDS = ("__main__", "mutation", "historic_bugs", "pairs_in_a_turn", "schema_of_scenarios")
TOOLS = Program(
    "python -m tools",
    "What measures the suite, and writes pages of the documentation from it.",
    "examples:\n  ./dev python -m tools trace\n  ./dev python -m tools leaderboard langchain",
    commands_in("tools", Path(__file__).parent, *NO_COMMANDS),
)


def run(arguments: Sequence[str] | None = None) -> int:
    """Run one of the tools and return its exit code, as `agent_conformance.commands.main.main` does."""
    return main(arguments, TOOLS)
