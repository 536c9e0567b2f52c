"""The leaderboard: the corpus over every ready-made adapter whose framework is installed, each in a process of its own.

    python -m conformance.commands.leaderboard.command   every adapter; a framework that is not installed is red
    python -m conformance.commands.leaderboard.command langchain   this one; the other rows stay as they are

Knows which adapters there are and how to run one; what the rows say is in `standings`.
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
from conformance.commands.leaderboard.table import FORMAT, row_of, table, unfit

PROFILES = ("core", "hardened")
SECONDS = 1800.0
"""For one adapter over the whole corpus; on two idle cores the slowest takes a tenth of it."""


class NotJudged(Exception):
    """The process that judged an adapter did not come to its end."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit code 0: every adapter asked for was judged; 1: one is missing, broken, out of time or tells nothing."""
    parser = argparse.ArgumentParser(
        prog="python -m conformance.commands.leaderboard.command", description=__doc__.splitlines()[0]
    )
    add_options(parser)
    return run(parser.parse_args(arguments))


def add_options(parser: argparse.ArgumentParser) -> None:
    names = [ready.name for ready in READY]
    parser.add_argument("names", nargs="*", metavar="ADAPTER", help=f"of {', '.join(names)}; all without any")
    parser.add_argument("--out", type=Path, default=Path("docs"), metavar="DIR", help="where the two files are")
    parser.add_argument(
        "--profile", action="append", choices=PROFILES, help="run this profile alone, and write nothing"
    )
    parser.add_argument("--area", action="append", metavar="AREA", help="run this area alone, and write nothing")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="keep one JSON line a case, transcript included")
    parser.add_argument("--seconds", type=float, default=SECONDS, help=f"time for one adapter ({SECONDS:g})")
    parser.add_argument("--installed-only", action="store_true", help="leave out what is not installed")
    parser.add_argument("--judge", metavar="FILE", type=Path, help=argparse.SUPPRESS)


def run(options: argparse.Namespace) -> int:
    there_are = {ready.name: ready for ready in READY}
    unknown = [name for name in options.names if name not in there_are]
    if unknown:
        print(f"no adapter is called {', '.join(unknown)}; there are {', '.join(there_are)}")
        return 2
    chosen = [there_are[name] for name in options.names] or list(READY)
    if options.judge:
        judge(chosen[0], options)
    written = options.out / "leaderboard.json"
    standings = _standings(written)
    problems = [problem for ready in chosen if (problem := _place_of(ready, options, standings))]
    if not (options.profile or options.area) and standings != _standings(written):
        options.out.mkdir(parents=True, exist_ok=True)
        written.write_text(json.dumps(standings, indent=1) + "\n", encoding="utf-8")
        written.with_suffix(".md").write_text(table(standings), encoding="utf-8")
    for problem in problems:
        print(f"red: {problem}")
    return 1 if problems else 0


def judge(ready: Ready, options: argparse.Namespace) -> None:
    """Judge one adapter in this process, a JSON line a case, and end the process: a thread may have been left."""
    from conformance.agents.loading import load_agent
    from conformance.run.session import Session
    from conformance.scenario.cases import RunOptions, cases_of
    from conformance.scenario.corpus import bundled_scenarios
    from conformance.scenario.loading import load_folder

    agent = load_agent(ready.spec, cwd=Path.cwd())
    files, problems = load_folder(bundled_scenarios())
    if problems:
        raise SystemExit("\n".join(map(str, problems)))
    choice = RunOptions(profiles=tuple(options.profile or PROFILES))
    with options.judge.open("w", encoding="utf-8") as out, Session(agent) as session:
        out.write(json.dumps({"wires": agent.wires}) + "\n")
        for file in files:
            for case in cases_of(file, agent, choice) if not options.area or file.area in options.area else ():
                told = asdict(session.run(case)) | {"profile": case.scenario.profile}
                out.write(json.dumps(told) + "\n")
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
    """Judge one adapter in a process of its own: what it declares, and what became of each case.

    `folder` then has the case lines and the log. Raises `NotJudged`.
    """
    lines, log = folder / f"{ready.name}.jsonl", folder / f"{ready.name}.log"
    command = [sys.executable, "-m", "conformance.commands.leaderboard.command", ready.name, "--judge", str(lines)]
    command += [word for profile in profiles for word in ("--profile", profile)]
    command += [word for area in areas for word in ("--area", area)]
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


def _place_of(ready: Ready, options: argparse.Namespace, standings: dict[str, Any]) -> str:
    """Judge one adapter and put its row into the standings. What is wrong, or nothing."""
    version = ready.version
    if version is None:
        return "" if options.installed_only else f"{ready.name}: {ready.distribution} is not installed"
    with tempfile.TemporaryDirectory() as passing:
        folder = options.keep or Path(passing)
        folder.mkdir(parents=True, exist_ok=True)
        profiles, areas = options.profile or PROFILES, options.area or ()
        try:
            agent, cases = judged(ready, folder, profiles=profiles, areas=areas, seconds=options.seconds)
        except NotJudged as problem:
            return f"{ready.name} {version}: {problem}"
    row = row_of(ready.name, version, agent["wires"], cases, day=date.today().isoformat())
    print("\n".join(_summary(row)))
    reason = unfit(row)
    _put(standings, row, reason)
    if row["errors"]:
        reason = reason or f"{len(row['errors'])} errors that are not the agent's, the first in {row['errors'][0]}"
    return f"{ready.name} {version}: {reason}" if reason else ""


def _end_group(worker: subprocess.Popen[bytes]) -> None:
    try:
        os.killpg(worker.pid, signal.SIGKILL)
    except ProcessLookupError:
        return
    worker.wait()


def _standings(written: Path) -> dict[str, Any]:
    if written.is_file():
        found: dict[str, Any] = json.loads(written.read_text(encoding="utf-8"))
        return found
    return {"format": FORMAT, "agents": [], "not listed": []}


def _put(standings: dict[str, Any], row: dict[str, Any], reason: str) -> None:
    """Put the row in the place of the agent's earlier one; in the order of `READY`."""
    order = [ready.name for ready in READY]
    for part in ("agents", "not listed"):
        standings[part] = [entry for entry in standings[part] if entry["agent"] != row["agent"]]
    if reason:
        standings["not listed"].append({"agent": row["agent"], "version": row["version"], "reason": reason})
    else:
        standings["agents"].append(row)
    standings["agents"].sort(key=lambda entry: order.index(entry["agent"]))


def _summary(row: dict[str, Any]) -> Iterator[str]:
    counts = "; ".join(
        f"{profile}: " + ", ".join(f"{number} {column}" for column, number in told.items())
        for profile, told in row["profiles"].items()
        if any(told.values())
    )
    yield f"{row['agent']} {row['version']}: {row['cases']} cases, {row['tools executed']} tools executed; {counts}"
    for pair, told in row["failing"].items():
        yield f"  {pair} · {told['cases']}   {told['first']}"


if __name__ == "__main__":
    sys.exit(main())
