"""The subcommand `fuzz`: made-up conversations, in search of findings that no scenario has."""

import argparse
import sys
from importlib.util import find_spec
from pathlib import Path

from agent_conformance.commands.shared import positive

SUMMARY = "look for findings that no scenario has, with made-up conversations"
DESCRIPTION = """\
Try an agent on made-up scenarios: histories as crashes and pruners leave them, odd streams, names and arguments, calls
written as text, faults, several turns. Laws and the fakes judge. Of each kind of finding that is new, the smallest
scenario is written to a file that replays alone. A kind is a law, a rule or an expectation, with the place. What the
reference agent does not pass is left out. The same seed makes the same documents. Ctrl-C keeps what was found."""
EXAMPLES = """\
examples:
  agent-conformance fuzz --agent=mymodule:Adapter
  agent-conformance fuzz --agent=mymodule:Adapter --minutes=10 --seed=7 --to=scenarios/fuzzed
  agent-conformance fuzz --agent=mymodule:Adapter --known=agent-report --baseline=agent-baseline.yaml"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("-v", "--verbose", action="store_true", help="show what the agent prints")
    parser.add_argument("--agent", required=True, metavar="SPEC", help="as for pytest: module:Adapter, cmd:..., ...")
    length = parser.add_mutually_exclusive_group()
    length.add_argument("--minutes", type=_minutes, default=1.0, metavar="N", help="search so long (default: 1)")
    length.add_argument("--examples", type=positive, metavar="N", help="try so many documents instead")
    parser.add_argument("--seed", type=int, metavar="S", help="default: another one each time, which is printed")
    parser.add_argument(
        "--start", type=int, default=0, metavar="N", help="begin with document N of the seed (default: 0)"
    )
    parser.add_argument(
        "--to",
        type=Path,
        default=Path("scenarios/fuzzed"),
        metavar="DIR",
        help="write the scenarios there (default: scenarios/fuzzed)",
    )
    parser.add_argument(
        "--known", type=Path, action="append", default=[], metavar="DIR", help="leave out what this report has"
    )
    parser.add_argument(
        "--corpus", action="store_true", help="run the bundled scenarios first; leave out what they find"
    )
    parser.add_argument(
        "--baseline", type=Path, metavar="FILE", help="leave out the laws and rules that this file knows"
    )
    parser.add_argument("--level", choices=("must", "should"), default="must", help="should: look for advice as well")
    parser.add_argument(
        "--shrink-runs", type=positive, default=200, metavar="N", help="runs to make one finding smaller (default: 200)"
    )
    parser.add_argument(
        "--timeout", type=float, default=10.0, metavar="SECONDS", help="silence before a case hangs (default: 10)"
    )


def _minutes(text: str) -> float:
    try:
        minutes = float(text)
    except ValueError:
        minutes = 0.0
    if not 0 < minutes < float("inf"):
        raise argparse.ArgumentTypeError(f"`{text}` is no number above 0.")
    return minutes


def run(options: argparse.Namespace) -> int:
    """0: nothing new; 1: something was found; 2: a usage error; 4: there is no such agent."""
    if find_spec("hypothesis") is None:
        from agent_conformance.machine.installation import install_command

        print(f"fuzz needs Hypothesis: {install_command('fuzz')}", file=sys.stderr)
        return 2
    from agent_conformance.commands.fuzz.command import fuzz

    return fuzz(options)
