"""`python -m tools trace`: which scenarios, mutants and agents provoke each law and each rule, from runs."""

import argparse
from pathlib import Path

SUMMARY = "show which scenarios, mutants and agents provoke each law and each rule"
DESCRIPTION = """\
Run each mutant over the scenarios that it names, add what the agents of the leaderboard provoked, and say for each law
and for each rule of the providers in the default run which scenarios, mutants and agents provoked it. Exit code 1 if
nothing breaks a law. That the samples of all rules are refused is a test, tests/mutants."""
EXAMPLES = """\
examples:
  ./dev python -m tools trace
  ./dev python -m tools trace openai/tools-empty
  ./dev python -m tools trace --out docs"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("id", nargs="?", metavar="ID", help="show one law or rule in full, or those that match a glob")
    parser.add_argument("--out", type=Path, metavar="DIR", help="write traceability.json and traceability.md there")
    parser.add_argument(
        "--leaderboard",
        type=Path,
        metavar="FILE",
        default=Path("docs/leaderboard.json"),
        help="what the agents provoked (default: docs/leaderboard.json, if it is there)",
    )
    parser.add_argument(
        "--all", action="store_true", help="run each mutant over all scenarios, which takes most of an hour"
    )


def run(options: argparse.Namespace) -> int:
    from tools.trace.command import trace

    return trace(options.id, out=options.out, leaderboard=options.leaderboard, everything=options.all)
