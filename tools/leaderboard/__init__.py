"""The subcommand `leaderboard`: run the corpus over the ready-made adapters."""

import argparse
from pathlib import Path

SUMMARY = "run the corpus over the ready-made adapters"
DESCRIPTION = """\
Run the corpus over the ready-made adapters, each in a process and an environment of its own, and write leaderboard.json
and leaderboard.md. Environments are made once and kept, in CONFORMANCE_CACHE or ~/.cache/agent-conformance, as are the
results: a run that was interrupted goes on where it stopped. Rows of adapters that are not run stay as they are. Exit
code 1 if an adapter could not be installed or judged."""
EXAMPLES = """\
examples:
  ./dev python -m tools leaderboard --changed --jobs 2
  ./dev python -m tools leaderboard --installed-only
  ./dev python -m tools leaderboard langchain --keep transcripts
  ./dev python -m tools leaderboard codex --profile core --area loops
  ./dev python -m tools leaderboard claude-code --holds"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    from agent_conformance.attach.ready_made import READY
    from agent_conformance.commands.shared import one_of
    from agent_conformance.scenario.loading import AREAS
    from tools.leaderboard.judging import SECONDS
    from tools.leaderboard.table import PROFILES, SMOKE

    names = [ready.name for ready in READY]
    parser.add_argument(
        "names",
        nargs="*",
        type=one_of("adapter", names),
        metavar="ADAPTER",
        help=f"default: all; one of {', '.join(names)}",
    )
    parser.add_argument(
        "--out", type=Path, default=Path("docs"), metavar="DIR", help="output directory (default: docs)"
    )
    parser.add_argument(
        "--profile", action="append", choices=(*PROFILES, SMOKE), help="run only this profile, and write nothing"
    )
    parser.add_argument(
        "--area",
        action="append",
        type=one_of("area", AREAS),
        metavar="AREA",
        help=f"run only this area, and write nothing: one of {', '.join(AREAS)}",
    )
    parser.add_argument(
        "--put", action="store_true", help="with --area: put these areas into the rows, if they were not judged before"
    )
    parser.add_argument(
        "--verdicts",
        action="store_true",
        help="run only cases that verdicts quote and that have no run, and keep these",
    )
    parser.add_argument(
        "--keep", type=Path, metavar="DIR", help="keep a JSON line for each case, with its transcript, in DIR"
    )
    parser.add_argument(
        "--seconds", type=float, default=SECONDS, help=f"time limit for one adapter (default: {SECONDS:g})"
    )
    parser.add_argument("--changed", action="store_true", help="only adapters without results of today's suite")
    parser.add_argument("--newest", action="store_true", help="the newest releases, not the versions that are listed")
    parser.add_argument(
        "--holds",
        action="store_true",
        help="judge the newest releases over smoke, and mark the rows that no longer hold",
    )
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="judge so many at a time (default: 1)")
    parser.add_argument("--here", action="store_true", help="use what is installed in this environment")
    parser.add_argument("--installed-only", action="store_true", help="the same, without those that are not installed")
    parser.add_argument("--judge", metavar="FILE", type=Path, help=argparse.SUPPRESS)


def run(options: argparse.Namespace) -> int:
    from tools.leaderboard.command import run_leaderboard

    return run_leaderboard(options)
