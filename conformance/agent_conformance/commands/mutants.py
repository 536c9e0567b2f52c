"""The subcommand `mutants`: run the historic bugs over scenarios, to see which scenario catches which bug."""

import argparse
import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

SUMMARY = "run the historic bugs over scenarios: which scenario catches which bug"
DESCRIPTION = """\
Run mutants, each the reference agent with one historic bug, over the bundled scenarios or over your own, and print
which scenarios catch which mutant, with the findings. They are in a checkout of the project, and not in an installed
package. Exit code 1 if no bundled scenario catches one of them."""
EXAMPLES = """\
examples:
  agent-conformance mutants --list
  agent-conformance mutants M2a --named
  agent-conformance mutants 'M2*' --scenarios scenarios"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "names",
        nargs="*",
        metavar="MUTANT",
        help="names, their beginnings up to the `_`, or globs (default: all; --list prints them)",
    )
    parser.add_argument(
        "--list", action="store_true", help="print the names, with what each mutant lacks, and run none"
    )
    parser.add_argument(
        "--scenarios", type=Path, metavar="DIR", help="run the scenarios of this folder (default: the bundled ones)"
    )
    parser.add_argument(
        "--named", action="store_true", help="run only the scenarios that a mutant names as those that catch it"
    )
    parser.add_argument("--json", action="store_true", help="print the list, or what was caught, as JSON")


def run(options: argparse.Namespace) -> int:
    if find_spec("agent_mutants") is None:
        print("The mutants are not installed: run this command in a checkout of the project.", file=sys.stderr)
        return 2
    code: int = import_module("agent_mutants.command").run_mutants(
        options.names, only_list=options.list, scenarios=options.scenarios, named=options.named, json=options.json
    )
    return code
