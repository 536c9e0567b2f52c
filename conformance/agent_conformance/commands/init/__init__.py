"""The subcommand `init`: an adapter, a configuration, a scenario and a workflow for the project at hand."""

import argparse
from pathlib import Path

from agent_conformance.commands.init.kinds import KINDS

SUMMARY = "set up a project: adapter, pytest configuration, first scenario, CI"
DESCRIPTION = """\
Set up a project: an adapter to put the agent into, the pytest configuration, a first scenario and a workflow for CI.
It asks nothing: what --for does not say, it finds out from the project. It overwrites no file. At its end it tries the
adapter with the doctor and twenty cases, and names the three worst causes; what they find does not change the exit
code."""
EXAMPLES = """\
examples:
  agent-conformance init
  agent-conformance init --for anthropic --to services/support"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    kinds = f"what the agent is built on: {', '.join(KINDS)} (default: what the project uses)"
    parser.add_argument("--for", dest="kind", choices=KINDS, metavar="KIND", help=kinds)
    parser.add_argument(
        "--to",
        type=Path,
        default=Path(),
        metavar="DIR",
        help="the folder of the project (default: this one)",
    )
    parser.add_argument(
        "--only-files", action="store_true", help="write the files, and do not try the agent with `doctor` and `smoke`"
    )


def run(options: argparse.Namespace) -> int:
    from agent_conformance.commands.init.command import run_init

    return run_init(options.kind, into=options.to, only_files=options.only_files)
