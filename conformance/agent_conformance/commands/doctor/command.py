"""The output and the exit code of `agent-conformance doctor`. Judges nothing."""

import atexit
import contextlib
import os
import re
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from shutil import get_terminal_size
from typing import Any

from agent_conformance.attach.loading import AgentNotFound, load_agent
from agent_conformance.commands.doctor.check import TOPICS
from agent_conformance.commands.doctor.report import Report, make_report
from agent_conformance.commands.shared.settings import python_path
from agent_conformance.commands.shared.terminal import print_json
from agent_conformance.gate.printing import shown
from agent_conformance.run.process.quiet import no_output

CANNOT_LOAD = 4
"""The exit code that pytest has for a usage error."""


def run_doctor(
    spec: str, *, timeout: float, transcripts: bool = False, verbose: bool = False, json: bool = False
) -> int:
    """0: all that is declared works; 1: something does not; 4: there is no such agent.

    With `transcripts`, what happened in each probe comes before the report. What the agent prints is shown
    nowhere, or with `verbose` on standard error.
    """
    sys.path[:0] = map(str, python_path(Path.cwd()))  # the adapter is found where pytest finds it
    with contextlib.redirect_stdout(sys.stderr):
        try:
            agent = load_agent(spec, cwd=Path.cwd())
        except AgentNotFound as error:
            print(error, file=sys.stderr)
            return CANNOT_LOAD
        with contextlib.nullcontext() if verbose else no_output():
            report = make_report(agent, timeout=timeout)
    if json:
        print_json(as_json(report, transcripts=transcripts))
    else:
        print("\n".join([*(transcript_lines(report) if transcripts else ()), *report_lines(report)]))
    code = 0 if report.is_clean else 1
    if report.has_stuck_thread:
        # Exit without joining threads that never return; registered exit functions still run
        atexit._run_exitfuncs()
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
    return code


HEADINGS = {
    "reached": "wires and modes",
    "requests": "what each request carries",
    "tools": "one round with a tool",
    "features": "features",
}
WIDTH = 100
INDENT = 30
ADDRESS = re.compile(r"https?://127\.0\.0\.1:\d+/\w+")
"""The address of one case, which is different in each run."""


def report_lines(report: Report) -> Iterator[str]:
    """A line for each check, under its group; below it what happened and what to change."""
    yield report.agent.spec
    for group in TOPICS:
        checks = [check for check in report.checks if check.group == group]
        if checks:
            yield ""
            yield HEADINGS[group]
        for check in checks:
            yield f"  {check.topic:{INDENT - 4}}  {check.status}"
            for text in (_sentence(check.got), check.fix):
                yield from textwrap.wrap(
                    text,
                    min(_columns(), WIDTH),
                    initial_indent=" " * INDENT,
                    subsequent_indent=" " * INDENT,
                    break_long_words=False,
                    break_on_hyphens=False,
                )
    yield ""
    if report.transcripts:
        probes = "1 probe" if len(report.transcripts) == 1 else f"{len(report.transcripts)} probes"
        yield f"{probes} in {report.seconds:.2f}s"
    yield _summary(report)


def as_json(report: Report, *, transcripts: bool) -> dict[str, Any]:
    """`checks` in the order of the report, each with what happened (`got`) and what to change (`fix`)."""
    return {
        "agent": report.agent.spec,
        "clean": report.is_clean,
        "checks": [
            {
                "group": check.group,
                "topic": check.topic,
                "status": check.status,
                "got": _sentence(check.got),
                "fix": check.fix,
            }
            for check in report.checks
        ],
        "transcripts": [ADDRESS.sub("<base_url>", text) for text in report.transcripts] if transcripts else [],
        "seconds": round(report.seconds, 3),
    }


def transcript_lines(report: Report) -> Iterator[str]:
    """What happened in each probe, in the order in which they ran."""
    for text in report.transcripts:
        yield from map(shown, ADDRESS.sub("<base_url>", text).split("\n"))
        yield ""


def _columns() -> int:
    """Of the terminal; elsewhere there is room."""
    return get_terminal_size().columns if sys.stdout.isatty() else sys.maxsize


def _sentence(text: str) -> str:
    if not text:
        return ""
    text = ADDRESS.sub("<base_url>", text)
    return text[0].upper() + text[1:] + ("" if text.endswith((".", "!", "?")) else ".")


def _summary(report: Report) -> str:
    counted = [(status, len(report.with_status(status))) for status in ("ok", "not working", "works, not declared")]
    counts = "; ".join(f"{status}: {count}" for status, count in counted)
    if report.is_clean:
        line = f"{counts}. Next: pytest --agent={_quoted(report.agent.spec)}"
        return line if len(line) <= _columns() else line.replace(" Next: ", "\nNext: ", 1)
    return f"{counts}. Fix these from top to bottom."


def _quoted(spec: str) -> str:
    return f'"{spec}"' if " " in spec else spec
