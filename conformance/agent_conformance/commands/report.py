"""The subcommand `report`: writes the page, the summary and the badge anew from a results.json."""

import argparse
from pathlib import Path

SUMMARY = "make the page and the summary of a report again"
DESCRIPTION = """\
Make everything in the folder of a report again from its results.json: the page, the summary and the badge. Where a run
was killed there is only results.ndjson, and results.json is made of that. With --since the page says what has changed
since an earlier run, and has all runs that are named side by side."""
EXAMPLES = """\
examples:
  agent-conformance report agent-report
  agent-conformance report agent-report --since main-report
  agent-conformance report this-agent --since that-agent --since the-third"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", type=Path, metavar="DIR", help="a folder that --agent-report wrote")
    parser.add_argument(
        "--since",
        type=Path,
        action="append",
        default=[],
        metavar="EARLIER",
        help="the report of an earlier run, or of another agent, or a folder of kept reports (repeatable): all stand "
        "side by side, and what has changed is said since the last of them",
    )


def run(options: argparse.Namespace) -> int:
    """2: one of the folders has no results, or the report cannot be written."""
    from functools import partial

    from agent_conformance.commands.shared import ends_command
    from agent_conformance.html_report import write_page
    from agent_conformance.report_data.encoding import BrokenResults
    from agent_conformance.report_data.folder import kept_runs, read_results, write_report
    from agent_conformance.report_data.summary import counted, verdict_of

    with ends_command(2, BrokenResults, OSError, file=options.folder):
        results = read_results(options.folder)
        others = [run for earlier in options.since for run in kept_runs(earlier, besides=options.folder)]
        folder = options.folder if options.folder.is_dir() else options.folder.parent
        earlier = others[-1] if others else None
        write_report(results, folder, write_page=partial(write_page, earlier=earlier, others=others))
    print(f"{verdict_of(results).word}: {counted(results)}")
    return 0
