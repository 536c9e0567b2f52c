"""The output and the exit code of `agent-conformance doctor`. Judges nothing."""

import atexit
import contextlib
import os
import sys
from pathlib import Path

from agent_conformance.agents.loading import AgentNotFound, load_agent
from agent_conformance.commands.doctor.printing import report_lines, transcript_lines
from agent_conformance.commands.doctor.report import make_report
from agent_conformance.commands.shared.settings import python_path

CANNOT_LOAD = 4
"""The exit code that pytest has for a usage error."""


def run_doctor(spec: str, *, timeout: float, transcripts: bool = False) -> int:
    """0: all that is declared works; 1: something does not; 4: there is no such agent.

    With `transcripts`, what happened in each probe comes before the report. What the agent prints goes to standard
    error.
    """
    sys.path[:0] = map(str, python_path(Path.cwd()))  # the adapter is found where pytest finds it
    with contextlib.redirect_stdout(sys.stderr):
        try:
            agent = load_agent(spec, cwd=Path.cwd())
        except AgentNotFound as error:
            print(error, file=sys.stderr)
            return CANNOT_LOAD
        report = make_report(agent, timeout=timeout)
    lines = [*(transcript_lines(report) if transcripts else ()), *report_lines(report)]
    print("\n".join(lines))
    code = 0 if report.is_clean else 1
    if report.has_stuck_thread:
        _end_process(code)
    return code


def _end_process(code: int) -> None:
    """Exit without joining threads that never return; registered exit functions still run."""
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)
