"""The subcommand `merge`: the reports of all shards of a run as one report."""

import argparse
import os
from pathlib import Path

SUMMARY = "merge the reports of the shards of a run"
DESCRIPTION = """\
Merge the reports that runs with --agent-shard=1/3, 2/3 and 3/3 wrote into one report, and print its verdict. The exit
code is the worst of theirs, and at least 1 where a shard is missing, which is named."""
EXAMPLES = """\
examples:
  agent-conformance merge shards/* --to agent-report"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("shards", nargs="+", type=Path, metavar="DIR", help="a folder that --agent-report wrote")
    parser.add_argument("--to", required=True, type=Path, metavar="DIR", help="where to write the report")
    parser.add_argument("--json", action="store_true", help="print the verdict as JSON")


def run(options: argparse.Namespace) -> int:
    """2: the folders are not those of shards of one run, or the report cannot be written."""
    from agent_conformance.commands.shared import ends_command, print_json
    from agent_conformance.html_report import write_page
    from agent_conformance.report_data.encoding import BrokenResults
    from agent_conformance.report_data.folder import (
        NotMergeable,
        append_step_summary,
        merged,
        read_results,
        write_report,
    )
    from agent_conformance.report_data.summary import counted, verdict_of

    with ends_command(2, BrokenResults, NotMergeable, OSError, file=options.to):
        results = merged([(str(path), read_results(path)) for path in options.shards])
        write_report(results, options.to, write_page=write_page)
        append_step_summary(results, os.environ)
    verdict = verdict_of(results)
    if options.json:
        said = {"verdict": verdict.word, "counts": counted(results), "gaps": [str(gap) for gap in verdict.gaps]}
        print_json({**said, "exit_code": results.exit_code or 0})
    else:
        print(f"{verdict.word}: {counted(results)}")
        print("".join(f"{gap}\n" for gap in verdict.gaps), end="")
    return results.exit_code or 0
