"""The subcommand `show`: the transcript of a case out of a report."""

import argparse
from pathlib import Path

SUMMARY = "show the transcript of a case out of a report that `--agent-report` wrote"
DESCRIPTION = """\
Print a case of a report: its findings, and what the user, the model and the agent did, request by request. With --raw
also the requests and responses as they were sent, which a report keeps of cases with findings."""
EXAMPLES = """\
examples:
  agent-conformance show report round-trip/empty-result@openai-chat+plain
  agent-conformance show report 'round-trip/*' --raw"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("report", type=Path, metavar="DIR", help="the folder of a report, or its results.json")
    parser.add_argument("case", metavar="CASE", help="the id of a case, a finding, a scenario or an area; or a glob")
    parser.add_argument("--raw", action="store_true", help="print the requests and responses too")
    parser.add_argument(
        "--json", action="store_true", help="print the cases as results.json has them, with their bodies"
    )


def run(options: argparse.Namespace) -> int:
    """1: the report has no such case; 2: it cannot be read."""
    from msgspec import to_builtins

    from agent_conformance.commands.shared import CommandEnds, ends_command, fitted, print_json
    from agent_conformance.report_data.encoding import BrokenResults
    from agent_conformance.report_data.folder import read_results
    from agent_conformance.report_data.texts import case_lines
    from agent_conformance.scenario.files import case_and_finding
    from agent_conformance.scenario.yaml_files import did_you_mean

    with ends_command(2, BrokenResults):
        results = read_results(options.report)
    ids = [case.id for case in results.cases]
    wanted, _ = case_and_finding(options.case)
    chosen = [case for case in results.cases if _is_named(case.id, wanted)]
    if not chosen:
        raise CommandEnds(f"{options.report}: no case `{wanted}` in this report.{did_you_mean(wanted, ids)}", 1)
    if options.json:
        named = {
            body
            for case in chosen
            for turn in case.turns
            for one in turn.requests
            for body in (one.request, one.response)
        }
        kept = {name: body for name, body in results.bodies.items() if name in named}
        print_json(to_builtins({"cases": chosen, "bodies": kept}))
        return 0
    for place, case in enumerate(chosen):
        lines = "\n".join(case_lines(case, results.bodies, raw=options.raw))
        print("\n" * (place > 0) + (lines if options.raw else fitted(lines)))
    return 0


def _is_named(id: str, wanted: str) -> bool:
    """By the whole id, by a part of it up to one of its marks, or by a glob."""
    from fnmatch import fnmatchcase

    if id == wanted or id.startswith(tuple(wanted + mark for mark in "/[@+")):
        return True
    return fnmatchcase(id.replace("[", "("), wanted.replace("[", "("))
