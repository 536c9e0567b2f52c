"""The output and the exit code of `agent-conformance leaderboard`: each adapter is judged in a process of its own.

Knows which adapters there are and how to run one; what the rows contain is in `table`.
"""

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from datetime import date
from pathlib import Path
from typing import Any

from conformance.agents.ready_made import READY, Ready
from conformance.commands.leaderboard.table import FORMAT, PROFILES, row_of, table, unfit

SECONDS = 1800.0
"""For one adapter over the whole corpus; on two idle cores the slowest takes a tenth of it."""


class NotJudged(Exception):
    """The process that judged an adapter failed, or took too long."""


def run_leaderboard(options: argparse.Namespace) -> int:
    """1: an adapter is not installed, broken or out of time, or its row is not fit to be listed."""
    adapters = {ready.name: ready for ready in READY}
    chosen = [adapters[name] for name in options.names] or list(READY)
    if options.judge:
        judge(chosen[0], options)
    output = options.out / "leaderboard.json"
    leaderboard = _leaderboard(output)
    problems = [problem for ready in chosen if (problem := _add_row(ready, options, leaderboard))]
    if not (options.profile or options.area) and leaderboard != _leaderboard(output):
        options.out.mkdir(parents=True, exist_ok=True)
        output.write_text(json.dumps(leaderboard, indent=1) + "\n", encoding="utf-8")
        output.with_suffix(".md").write_text(table(leaderboard), encoding="utf-8")
    for problem in problems:
        print(f"failed: {problem}")
    return 1 if problems else 0


def judge(ready: Ready, options: argparse.Namespace) -> None:
    """Judge one adapter in this process, a JSON line for each case, and end it: a thread may still be running."""
    from conformance.agents.loading import load_agent
    from conformance.run.session import Session
    from conformance.scenario.cases import RunOptions, cases_of
    from conformance.scenario.corpus import bundled_scenarios
    from conformance.scenario.loading import load_folder

    agent = load_agent(ready.spec, cwd=Path.cwd())
    files, problems = load_folder(bundled_scenarios())
    if problems:
        raise SystemExit("\n".join(map(str, problems)))
    run_options = RunOptions(profiles=tuple(options.profile or PROFILES))
    with options.judge.open("w", encoding="utf-8") as out, Session(agent) as session:
        out.write(json.dumps({"wires": agent.wires}) + "\n")
        for file in files:
            for case in cases_of(file, agent, run_options) if not options.area or file.area in options.area else ():
                result = asdict(session.run(case)) | {"profile": case.scenario.profile}
                out.write(json.dumps(result) + "\n")
                out.flush()
    sys.stdout.flush()
    os._exit(0)


def judged(
    ready: Ready,
    folder: Path,
    *,
    profiles: Sequence[str] = PROFILES,
    areas: Sequence[str] = (),
    seconds: float = SECONDS,
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Judge one adapter in a process of its own: what it declares, and the result of each case.

    `folder` then has the case lines and the log. Raises `NotJudged`.
    """
    lines, log = folder / f"{ready.name}.jsonl", folder / f"{ready.name}.log"
    command = [sys.executable, "-m", "conformance.commands.main", "leaderboard", ready.name, "--judge", str(lines)]
    command += [argument for profile in profiles for argument in ("--profile", profile)]
    command += [argument for area in areas for argument in ("--area", area)]
    with log.open("wb") as out:
        worker = subprocess.Popen(command, stdout=out, stderr=subprocess.STDOUT, start_new_session=True)
        try:
            code = worker.wait(seconds)
        except subprocess.TimeoutExpired:
            raise NotJudged(f"not done after {seconds:g} s") from None
        finally:
            _end_group(worker)
    if code:
        last = log.read_text(encoding="utf-8", errors="replace").strip().rpartition("\n")[2]
        raise NotJudged(f"its process ended with {code}: {last}")
    agent, *cases = map(json.loads, lines.read_text(encoding="utf-8").splitlines())
    return agent, cases


def _add_row(ready: Ready, options: argparse.Namespace, leaderboard: dict[str, Any]) -> str:
    """Judge one adapter and add its row. Returns what is wrong, or nothing."""
    version = ready.version
    if version is None:
        return "" if options.installed_only else f"{ready.name}: {ready.distribution} is not installed"
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.keep or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        profiles, areas = options.profile or PROFILES, options.area or ()
        try:
            agent, cases = judged(ready, folder, profiles=profiles, areas=areas, seconds=options.seconds)
        except NotJudged as problem:
            return f"{ready.name} {version}: {problem}"
    row = row_of(ready.name, version, agent["wires"], cases, day=date.today().isoformat())
    print("\n".join(_summary(row)))
    reason = unfit(row)
    _put(leaderboard, row, reason)
    if row["errors"]:
        reason = reason or f"{len(row['errors'])} errors of the suite, the first in {row['errors'][0]}"
    return f"{ready.name} {version}: {reason}" if reason else ""


def _end_group(worker: subprocess.Popen[bytes]) -> None:
    try:
        os.killpg(worker.pid, signal.SIGKILL)
    except ProcessLookupError:
        return
    worker.wait()


def _leaderboard(path: Path) -> dict[str, Any]:
    """What the file has, or an empty leaderboard."""
    if path.is_file():
        leaderboard: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        return leaderboard
    return {"format": FORMAT, "agents": [], "not listed": []}


def _put(leaderboard: dict[str, Any], row: dict[str, Any], reason: str) -> None:
    """Put the row in the place of the agent's earlier one; in the order of `READY`."""
    order = [ready.name for ready in READY]
    for part in ("agents", "not listed"):
        leaderboard[part] = [entry for entry in leaderboard[part] if entry["agent"] != row["agent"]]
    if reason:
        leaderboard["not listed"].append({"agent": row["agent"], "version": row["version"], "reason": reason})
    else:
        leaderboard["agents"].append(row)
    leaderboard["agents"].sort(key=lambda entry: order.index(entry["agent"]))


def _summary(row: dict[str, Any]) -> Iterator[str]:
    by_profile = "; ".join(
        f"{profile}: " + ", ".join(f"{number} {column}" for column, number in counts.items())
        for profile, counts in row["profiles"].items()
        if any(counts.values())
    )
    yield f"{row['agent']} {row['version']}: {row['cases']} cases, {row['tools executed']} tools executed; {by_profile}"
    for pair, failing in row["failing"].items():
        yield f"  {pair} · {failing['cases']}   {failing['first']}"
