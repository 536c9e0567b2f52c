"""The subcommand `minimise`: the smallest scenario in which an agent has the same finding."""

import argparse
from pathlib import Path

from agent_conformance.commands.shared import positive

SUMMARY = "make a scenario smaller while an agent has the same finding in it"
DESCRIPTION = """\
Run a scenario with an agent, and leave out of it whatever the finding does not need: turns, messages of the history,
tools, replies, arguments, expectations, and most of long texts. No other finding may join, and the reference agent must
pass what it passed before. The agent runs in a process of its own. The result is the same each time."""
EXAMPLES = """\
examples:
  agent-conformance minimise scenarios/incidents/long.yaml --agent=mymodule:Adapter
  agent-conformance minimise 'history/pruned-past-the-user@gemini-generate+plain' --agent=mymodule:Adapter
  agent-conformance minimise long.yaml --agent=mymodule:Adapter --finding=paired --to=scenarios/incidents/short.yaml"""

MOST_RUNS = 2000


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "scenario",
        metavar="SCENARIO",
        help="a file; or a bundled scenario or one of its cases, by the id that a report shows",
    )
    parser.add_argument("-v", "--verbose", action="store_true", help="show what the agent prints")
    parser.add_argument("--agent", required=True, metavar="SPEC", help="as for pytest: module:Adapter, cmd:..., ...")
    parser.add_argument("--row", metavar="NAME", help="the row of `examples` (default: the first with a finding)")
    parser.add_argument("--wire", metavar="NAME", help="default: the first wire with a finding")
    parser.add_argument("--mode", choices=("plain", "stream"), help="default: the first mode with a finding")
    parser.add_argument(
        "--finding", metavar="ID", help="the finding to keep: a law, a rule or an id (default: the first of the case)"
    )
    parser.add_argument("--to", type=Path, metavar="FILE", help="write the scenario there (default: print it)")
    parser.add_argument(
        "--runs", type=positive, default=MOST_RUNS, metavar="N", help=f"run it at most so often (default: {MOST_RUNS})"
    )
    parser.add_argument(
        "--timeout", type=float, default=10.0, metavar="SECONDS", help="silence before a case hangs (default: 10)"
    )


def run(options: argparse.Namespace) -> int:
    """0: the scenario is as small as it gets, or as the runs allowed; 1: there is no such finding; 2: a usage error;
    4: there is no such agent."""
    from agent_conformance.commands.shared.minimising import minimise

    return minimise(options)
