"""The subcommand `agents`: list the ready-made adapters, and how to install what each needs."""

import argparse

SUMMARY = "list the ready-made adapters, and how to install what each needs"
DESCRIPTION = """\
List the ready-made adapters. Each can be judged by its name: pytest --agent=NAME. An adapter whose framework or program
is installed is listed with its version, any other with the command that installs it."""
EXAMPLES = """\
examples:
  agent-conformance agents
  pytest --agent=langchain --agent-profile=smoke"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print the list as JSON")


def run(options: argparse.Namespace) -> int:
    from agent_conformance.attach.ready_made import READY
    from agent_conformance.commands.shared import fitted, print_json

    if options.json:
        listed = [
            {"name": ready.name, "agent": ready.spec, "version": ready.version, "install": ready.install}
            for ready in READY
        ]
        print_json({"agents": listed})
        return 0
    wide = max(len(ready.name) for ready in READY)
    for ready in READY:
        print(fitted(f"{ready.name:{wide}}  {ready.version or ready.install}"))
    return 0
