"""The subcommand `compare`: two reports, finding by finding."""

import argparse
from pathlib import Path

SUMMARY = "compare two reports: what is new, fixed or changed"
DESCRIPTION = """\
Compare the results that two runs wrote with --agent-report, finding by finding: what is new, fixed or changed, and what
cannot be compared and why. Exit code 1 if a finding is new that the baseline of the second run does not know, or if
fewer cases are judged."""
EXAMPLES = """\
examples:
  agent-conformance compare before after
  agent-conformance compare main/results.json agent-report --markdown >> $GITHUB_STEP_SUMMARY"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("first", type=Path, metavar="A", help="the earlier run: a folder of --agent-report, or a file")
    parser.add_argument("second", type=Path, metavar="B", help="the later run")
    parser.add_argument("--accept-fewer", action="store_true", help="exit with 0 though fewer cases are judged")
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="print JSON")
    form.add_argument("--markdown", action="store_true", help="print Markdown, for a pull request")


def run(options: argparse.Namespace) -> int:
    """1: something is new, or fewer cases are judged; 2: one of the two is no report."""
    from agent_conformance.commands.shared import ends_command, fitted, printable_json
    from agent_conformance.report_data.comparing import as_json, as_markdown, as_text, compare
    from agent_conformance.report_data.encoding import BrokenResults
    from agent_conformance.report_data.folder import read_results

    with ends_command(2, BrokenResults):
        before, after = read_results(options.first), read_results(options.second)
    found = compare(before, after)
    if options.json:
        print(printable_json(as_json(found)))
    elif options.markdown:
        print(as_markdown(before, after, found), end="")
    else:
        print(*map(fitted, as_text(before, after, found)), sep="\n")
    return 1 if found.has_new or (found.no_longer_judged and not options.accept_fewer) else 0
