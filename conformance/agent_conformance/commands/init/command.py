"""The command `agent-conformance init`: what it prints, and the first verdict on the agent of the project.

The doctor and the scenarios of `smoke` run in a process of their own, as the user would type them. The verdict writes
nothing into the project.
"""

import importlib.util
import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from agent_conformance.commands.init.manifests import BrokenManifest
from agent_conformance.commands.init.plan import NewFile, Plan, plan_for
from agent_conformance.explain import LOOK, UnknownId, explain
from agent_conformance.explain.texts import without_links
from agent_conformance.report_data.encoding import BrokenResults
from agent_conformance.report_data.folder import read_results
from agent_conformance.report_data.summary import causes, counted

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


UNBROKEN = 1000
"""Columns where the output goes to a file or a pipe."""

# Writing what was planned: a file that is there is never overwritten, a configuration only gets new lines.


@dataclass(frozen=True, slots=True)
class Done:
    """What happened to one file."""

    what: Literal["written", "added", "kept", "left out"]
    path: Path
    note: str


def carry_out(plan: Plan) -> Iterator[Done]:
    """Write each file that the plan wants. Raises `OSError` where one cannot be written."""
    adapter, *others = plan.files
    yield from _write(adapter)
    yield from _configure(plan)
    for file in others:
        yield from _write(file)


def _write(file: NewFile) -> Iterator[Done]:
    if os.path.lexists(file.path):
        differs = file.outdated and file.path.read_bytes() != file.text.encode()
        yield Done("kept", file.path, file.outdated if differs else "it is there")
        return
    if file.instead:
        yield Done("left out", file.path, file.instead)
        return
    file.path.parent.mkdir(parents=True, exist_ok=True)
    with file.path.open("x", encoding="utf-8", newline="") as out:
        out.write(file.text)
    yield Done("written", file.path, file.purpose)


def _configure(plan: Plan) -> Iterator[Done]:
    path = plan.settings.path
    if plan.settings_text is None:
        if not plan.keys:
            yield Done("kept", path, "it has what is needed")
        return
    what: Literal["added", "written"] = "added" if path.exists() else "written"
    with path.open("w", encoding="utf-8", newline="") as out:
        out.write(plan.settings_text)
    yield Done(what, path, f"pytest's options {', '.join(plan.keys)}")


def run_init(kind: str | None, *, into: Path, only_files: bool = False) -> int:
    """0: all is there, whatever the agent does; 1: a file could not be read or written; 2: the folder is none."""
    folder = into.resolve()
    if folder.exists() and not folder.is_dir():
        print(f"--to={into}: is a file; name the project's folder", file=sys.stderr)
        return 2
    try:
        plan = plan_for(folder, kind)
        done = list(carry_out(plan))
    except BrokenManifest as error:
        print(error, file=sys.stderr)
        return 1
    except OSError as error:
        print(f"{error.filename}: cannot be written: {error.strerror}", file=sys.stderr)
        return 1
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else UNBROKEN
    print("\n".join(_lines(plan, done, width)), flush=True)
    is_new = any(one.what == "written" and one.path == plan.files[0].path for one in done)
    missing = _what_is_missing(plan, is_new=is_new)
    if only_files or missing:
        # What to type now.
        commands = [missing] if missing else []
        if plan.folder != Path.cwd():
            inside = plan.folder.is_relative_to(Path.cwd())
            commands.insert(0, f"cd {shlex.quote(os.path.relpath(plan.folder) if inside else str(plan.folder))}")
        for place, command in enumerate((*commands, plan.doctor_command, plan.pytest_command)):
            print(f"{'then' if place else 'next'}: {command}")
        return 0
    if is_new and plan.kind.has_loop:
        stands_in = f"{plan.files[0].path.name} runs a simple loop until your agent is in. Its verdict:"
        print("\n".join(fitted(stands_in, width)), flush=True)
    for line in verdict_lines(plan.folder, agent=plan.agent, pytest_command=plan.pytest_command, width=width):
        print(line, flush=True)
    return 0


def _lines(plan: Plan, done: Sequence[Done], width: int) -> Iterator[str]:
    yield from fitted(f"--for {plan.kind.name}: {plan.detected.reason}", width)
    yield ""
    paths = [os.path.relpath(one.path, plan.folder) for one in done]
    longest = max(map(len, paths))
    for one, path in zip(done, paths, strict=True):
        line = f"{one.what:8} {path:{longest}}  {one.note}"
        yield from (
            [line] if len(line) <= width else [f"{one.what:8} {path}", *fitted(one.note, width, indent="         ")]
        )
    yield ""
    for note in plan.notes:
        yield from fitted(f"note: {note}", width)


def _what_is_missing(plan: Plan, *, is_new: bool) -> str:
    """The command that installs what the adapter needs, where that is known: one that was there may import anything."""
    if is_new and plan.kind.module and not _is_installed(plan.kind.module):
        return f"pip install {' '.join(map(shlex.quote, plan.kind.packages))}"
    return ""


def _is_installed(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:
        return False
