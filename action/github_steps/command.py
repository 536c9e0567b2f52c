"""The steps of the GitHub Action, which `action.yml` calls one after the other."""

import argparse
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from agent_conformance.report_data.model import Results
    from github_steps.outcome import Severity

SUMMARY = "the steps of the GitHub Action: run the suite, annotate, comment, and end the job"
DESCRIPTION = """\
The steps of the GitHub Action, in this order: `run` the cases, `report` what was found as annotations and outputs,
`comment` on the pull request, and `end` the job. A runner of GitHub Actions is told what to do by its environment."""
EXAMPLES = """\
examples:
  python action/step.py run --agent=mymodule:Adapter --report=agent-report
  python action/step.py report --report=agent-report
  python action/step.py comment --report=agent-report --name=mymodule:Adapter
  python action/step.py end --exit-code=1 --report=agent-report --fail-on=errors"""

FAIL_ON = ("findings", "errors", "nothing")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("step", choices=("run", "report", "comment", "end"), help="which step")
    parser.add_argument("--report", metavar="DIR", default="agent-report", help="the folder of the report")
    parser.add_argument("--agent", metavar="SPEC", default="", help="run: the agent, as pytest's --agent")
    parser.add_argument("--profile", default="", help="run: as --agent-profile")
    parser.add_argument("--wires", default="", help="run: as --agent-wire")
    parser.add_argument("--baseline", metavar="FILE", default="", help="run: as --agent-baseline")
    parser.add_argument("--args", default="", help="run: more arguments of pytest, quoted as in a shell")
    parser.add_argument("--name", default="", help="comment: tells comments on several agents apart")
    parser.add_argument("--report-url", metavar="URL", default="", help="comment: where the report was uploaded")
    parser.add_argument("--exit-code", metavar="N", default="", help="end: the exit code of the run")
    parser.add_argument("--fail-on", choices=FAIL_ON, default="findings", help="run, end: what fails the job")


def run(options: argparse.Namespace) -> int:
    steps = {"run": _run, "report": _report, "comment": _comment, "end": _end}
    return steps[options.step](options)


def _run(options: argparse.Namespace) -> int:
    """0 whatever was found: the last step ends the job, after the report. 2 for a mistake in the inputs."""
    from github_steps.outcome import runner_of
    from github_steps.running import RunInputs, run_suite

    inputs = RunInputs(
        options.agent, options.profile, options.wires, options.baseline, options.args, Path(options.report)
    )
    if not options.agent:
        return _usage_error("agent", "is empty; write the agent, such as mymodule:Adapter")
    try:
        run_suite(inputs, runner_of(os.environ))
    except ValueError as error:
        return _usage_error("args", f"cannot be read, {error}: {options.args}")
    except OSError as error:
        return _usage_error("report-dir", f"cannot be the folder of the report: {error.filename} {error.strerror}")
    return 0


def _report(options: argparse.Namespace) -> int:
    """Annotations, outputs, and SARIF with paths of the repository. Without results there are none, and the end says
    why.
    """
    from agent_conformance.report_data.folder import SARIF, sarif, write_whole
    from agent_conformance.transcripts.printing import write_command
    from github_steps.annotations import annotations_of, places_in_repository
    from github_steps.outcome import outputs_of, runner_of, write_outputs

    runner = runner_of(os.environ)
    results = _results(options)
    write_outputs(runner.output, {**outputs_of(results), "report": options.report})
    if results is not None:
        for annotation in annotations_of(results, start=Path.cwd(), workspace=runner.workspace):
            write_command(f"{annotation.line}\n", sys.stdout)
        place_of = places_in_repository(results.agent.name, start=Path.cwd(), workspace=runner.workspace)
        write_whole(Path(options.report, SARIF), sarif(results, lambda finding: place_of(finding.origin)).encode())
    return 0


def _comment(options: argparse.Namespace) -> int:
    """0 also where there is no comment: a fork's token may not write, and that is no fault of the agent."""
    from agent_conformance.report_data.folder import SUMMARY as SUMMARY_FILE
    from github_steps.outcome import NotWritten, comment_body, runner_of, write_comment

    name = options.name or options.agent
    path = Path(options.report, SUMMARY_FILE)
    summary = path.read_text(encoding="utf-8") if path.is_file() else "The run ended without a summary: see its log."
    body = comment_body(summary, name=name, report_url=options.report_url)
    try:
        print(f"comment {write_comment(runner_of(os.environ), body, name=name)}")
    except NotWritten as why:
        _say("notice", str(why))
    return 0


def _end(options: argparse.Namespace) -> int:
    """The job's exit code: by the results of the report, and never below `--exit-code`."""
    from github_steps.outcome import UNJUDGED, exit_code_of_job, judged_exit_code, reason_of_end

    code = int(options.exit_code) if options.exit_code.isdecimal() else UNJUDGED
    results = _results(options)
    code = judged_exit_code(code, results)
    ended = exit_code_of_job(code, options.fail_on)
    if reason := reason_of_end(code, options.fail_on, results):
        _say("error" if ended else "notice", reason)
    return ended


def _results(options: argparse.Namespace) -> "Results | None":
    from agent_conformance.report_data.encoding import BrokenResults
    from agent_conformance.report_data.folder import read_results

    try:
        return read_results(Path(options.report))
    except BrokenResults as broken:
        _say("warning", str(broken))
        return None


def _usage_error(name: str, what: str) -> int:
    _say("error", f"the input `{name}` {what}")
    return 2


def _say(severity: "Severity", text: str) -> None:
    from agent_conformance.transcripts.printing import write_command
    from github_steps.outcome import command

    write_command(f"{command(severity, text, {'title': 'agent conformance'})}\n", sys.stdout)
