"""Trying what `init` writes for a kind of agent, until its first verdict."""

from pathlib import Path

from agent_conformance.attach.loading import load_agent
from agent_conformance.commands.doctor.command import Report, make_report
from tests.commands.init.project import run

CASES = ("incidents", "tool-names/invented-name[misspelled]", "round-trip/result-comes-back")


def verdict_of(folder: Path, agent: str, **variables: str) -> str:
    """The line that sums up the scenario that was written and two bundled ones."""
    done = run(folder, "pytest", f"--agent={agent}", "-q", "-p", "no:cacheprovider", *CASES, **variables)
    [line] = [line for line in done.stdout.splitlines() if line.startswith("3 cases: ")] or [done.stdout + done.stderr]
    return line


def report_on(folder: Path, agent: str) -> Report:
    """What the doctor says of the adapter."""
    return make_report(load_agent(agent, cwd=folder))
