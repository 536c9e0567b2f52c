"""The first verdict on the agent of a project: what the doctor finds, and the three worst causes in `smoke`.

Both run in a process of their own, as the user would type them. Writes nothing into the project.
"""

import json
import os
import shlex
import subprocess
import sys
import tempfile
import textwrap
from collections.abc import Iterator, Sequence
from pathlib import Path

from agent_conformance.explain import UnknownId, explain
from agent_conformance.explain.lookup import LOOK
from agent_conformance.explain.texts import without_links
from agent_conformance.results.causes import causes
from agent_conformance.results.encoding import BrokenResults
from agent_conformance.results.folder import read_results
from agent_conformance.results.summary import counted

WORST = 3
"""Causes that are named; a run shows them all."""
SECONDS = 300
"""For each of the two; an agent that hangs in each case of `smoke` is ended by then."""


class NoVerdict(Exception):
    """The doctor or the run did not come to a result; the message is what it printed last."""


def verdict_lines(folder: Path, *, agent: str, pytest_command: str, width: int) -> Iterator[str]:
    """What works, what is worst, and what to type next. `pytest_command` is the line that runs everything."""
    try:
        said = _run(folder, "agent_conformance.commands.main", "doctor", f"--agent={agent}", "--json")
        try:
            report = json.loads(said.stdout)
        except ValueError:
            raise NoVerdict(_last_words(said)) from None
        broken = [check for check in report["checks"] if check["status"] == "not working"]
        fine = sum(check["status"] == "ok" for check in report["checks"])
        yield f"doctor: {fine} ok, {len(broken)} not working"
        for check in broken[:WORST]:
            yield from fitted(f"{check['topic']}: {check['got']} {check['fix']}", width, indent="  ")
        words = shlex.split(pytest_command)[1:]
        with tempfile.TemporaryDirectory() as written:
            options = ("-q", "-p", "no:cacheprovider", "--agent-profile=smoke", f"--agent-report={written}")
            said = _run(folder, "pytest", *words, *options)
            try:
                results = read_results(Path(written))
            except BrokenResults:
                raise NoVerdict(_last_words(said)) from None
        yield f"smoke: {counted(results)}"
        worst = causes(results)[:WORST]
        said_fixes = {""}
        for number, cause in enumerate(worst, 1):
            # What was found, where in the agent's code, and the first fix that `explain` has, where to look apart.
            finding, count = cause.first, len(cause.cases)
            yield from fitted(
                f"{number}. {cause.label} · {count} case{'s' * (count > 1)}", width, indent="  ", more="   "
            )
            what = finding.refused or dict(finding.facts).get("got", "")
            yield from fitted(f"found: {what[:300]}", width, indent="     ")
            if finding.file_line:
                yield f"     line: {finding.file_line}"
            try:
                fixes = explain(finding.id).fixes
            except UnknownId:
                continue
            fix = next((without_links(one) for one in fixes if not one.startswith(LOOK)), "")
            if fix not in said_fixes:
                said_fixes.add(fix)
                yield from fitted(f"fix: {fix}", width, indent="     ")
        yield f"next: {pytest_command}" + (f" {shlex.quote(worst[0].cases[0].id)}" if worst else "")
        if worst:
            yield f"then: {pytest_command}"
    except NoVerdict as error:
        yield from fitted(f"no verdict yet: {error}", width)
        yield f"next: agent-conformance doctor --agent={shlex.quote(agent)}"


def _run(folder: Path, module: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(
            [sys.executable, "-m", module, *arguments],
            cwd=folder,
            env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise NoVerdict(f"`{module.rpartition('.')[2]}` took more than {SECONDS} seconds") from None


def _last_words(said: subprocess.CompletedProcess[str]) -> str:
    lines: Sequence[str] = (said.stderr.strip() or said.stdout.strip()).splitlines()
    return lines[-1].strip() if lines else f"it ended with exit code {said.returncode} and said nothing"


def fitted(text: str, width: int, *, indent: str = "", more: str = "  ") -> list[str]:
    """Lines that fit the terminal; an id or a path that fits stays whole."""
    return textwrap.wrap(
        " ".join(text.split()),
        width,
        initial_indent=indent,
        subsequent_indent=indent + more,
        break_on_hyphens=False,
    )
