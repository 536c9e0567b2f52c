"""The subcommand `explain`: what a finding, a law or a rule means, and what to do about it."""

import argparse
import sys
from pathlib import Path

SUMMARY = "explain a finding, a law or a rule: what is demanded and why, the evidence, typical fixes"
DESCRIPTION = """\
Explain one finding, law or rule: what is demanded and why, the evidence, what the provider or the user would have
noticed, how the reference agent does it, and typical fixes. An id is taken as a report shows it, with or without its
case. Texts are fitted to the terminal; requests, addresses and code stay whole, to be copied."""
EXAMPLES = """\
examples:
  agent-conformance explain paired
  agent-conformance explain accepted:gemini/call-after-user-turn
  agent-conformance explain openai/tools-empty --json
  agent-conformance explain 'history/pruned-past-the-user@gemini-generate#1.outcome'
  agent-conformance explain answers --prompt --report report/ > fix.md"""

WIDEST = 110


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("id", metavar="ID", help="the id of a finding, a law, a rule or an expectation")
    parser.add_argument("--json", action="store_true", help="print it as JSON, with the same parts")
    parser.add_argument("--prompt", action="store_true", help="print what a coding agent needs to fix it, as Markdown")
    parser.add_argument(
        "--report",
        type=Path,
        metavar="DIR",
        help="the folder that --agent-report wrote, for a finding of a case and for --prompt (default: the newest one "
        "in this folder)",
    )


def run(options: argparse.Namespace) -> int:
    """1 if nothing has that id; 2 for a report that cannot be read."""
    if options.prompt:
        return _print_prompt(options.id, options.report)
    from shutil import get_terminal_size

    from agent_conformance.commands.shared import ends_command, json_text
    from agent_conformance.explain import UnknownId, explain
    from agent_conformance.explain.texts import explanation_lines

    with ends_command(1, UnknownId):
        explanation = explain(rule_of_finding(options.id, options.report))
    if options.json:
        print(json_text(explanation.as_json()))
    else:
        print("\n".join(explanation_lines(explanation, width=min(get_terminal_size((100, 24)).columns, WIDEST))))
    return 0


def rule_of_finding(id: str, folder: Path | None) -> str:
    """Of a turn that ended in a refusal the rule, if the report has the case: what to do depends on it."""
    from agent_conformance.scenario.files import case_and_finding

    case_id, finding_id = case_and_finding(id.strip())
    if not finding_id:
        return id
    from agent_conformance.report_data.encoding import BrokenResults
    from agent_conformance.report_data.folder import newest_report, read_results

    folder = folder or newest_report(Path.cwd())
    if folder is None:
        return id
    try:
        cases = read_results(folder).cases
    except BrokenResults as broken:
        print(f"{broken} Without it, the finding is explained for all cases.", file=sys.stderr)
        return id
    found = (one for case in cases if case.id == case_id for one in case.findings if one.id == finding_id)
    return next((f"{case_id}#{one.explained_by}" for one in found), id)


def _print_prompt(id: str, folder: Path | None) -> int:
    from agent_conformance.commands.shared import CommandEnds, ends_command
    from agent_conformance.report_data.encoding import BrokenResults
    from agent_conformance.report_data.fix_prompts import NoFinding, prompt_for
    from agent_conformance.report_data.folder import newest_report, read_results

    folder = folder or newest_report(Path.cwd())
    if folder is None:
        raise CommandEnds("there is no report here. Run the suite with --agent-report=DIR, and name DIR.", 2)
    try:
        with ends_command(2, BrokenResults):
            print(prompt_for(read_results(folder), id), end="")
    except NoFinding as gone:
        raise CommandEnds(f"{folder}: {gone}", 1) from None
    return 0
