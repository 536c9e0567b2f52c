"""`agent-conformance init`: an adapter, a configuration, a scenario and a workflow for the project at hand."""

import argparse
from pathlib import Path

from conformance.commands.init.kinds import KINDS

DESCRIPTION = """\
Set up a project: an adapter to put the agent into, the pytest configuration, a first scenario and a workflow for CI.
Asks nothing: what --for does not say, the project does. Overwrites nothing: what is there is kept."""

EXAMPLES = """\
examples:
  agent-conformance init
  agent-conformance init --for anthropic --into services/support"""


def add_command(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add `init` to the command line. What it needs is imported when it runs."""
    init = commands.add_parser(
        "init",
        help="set up a project: adapter, pytest configuration, first scenario, CI",
        description=DESCRIPTION,
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    kinds = f"what the agent is built on: {', '.join(KINDS)} (default: what the project uses)"
    init.add_argument("--for", dest="kind", choices=KINDS, metavar="KIND", help=kinds)
    init.add_argument(
        "--into", type=Path, default=Path(), metavar="DIR", help="the folder of the project (default: this one)"
    )
    init.set_defaults(run=_init)


def _init(options: argparse.Namespace) -> int:
    from conformance.commands.init.command import run_init

    return run_init(options.kind, into=options.into)
