"""The output and the exit code of `./dev python -m tools leaderboard`: each adapter is judged in a process of its own.

Knows which adapters there are; how one is judged is in `judging`, what the rows contain in `table`.
"""

import argparse
import json
import tempfile
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from agent_conformance.attach.ready_made import BY_NAME, OUTDATED, READY, Ready
from tools.leaderboard.environments import (
    HERE,
    AgentEnvironment,
    NotInstalled,
    cache_folder,
    environment_of,
)
from tools.leaderboard.judging import NotJudged, is_complete, judge, judged
from tools.leaderboard.runs_of_verdicts import compare, not_compared
from tools.leaderboard.table import FORMAT, NO_LONGER, PROFILES, SMOKE, held, row_of, table, unfit, with_areas

PUBLISHED = Path(__file__).parents[2] / "docs" / "leaderboard.json"
"""What the package knows of rows is of this file alone."""


@dataclass(frozen=True, slots=True)
class Result:
    """What came of one adapter: its row, or why there is none."""

    row: dict[str, Any] | None = None
    problem: str = ""


def run_leaderboard(options: argparse.Namespace) -> int:
    """1: an adapter is not installed, broken or out of time, or its row is not fit to be listed."""
    if options.put and (options.profile or not options.area):
        raise SystemExit("--put is for --area, without --profile: it puts these areas into the rows that are there")
    chosen = [BY_NAME[name] for name in options.names] or list(READY)
    if options.judge:
        judge(chosen[0], options)
    folder = options.keep or cache_folder() / "results"
    if options.changed:
        chosen = [ready for ready in chosen if not is_complete(folder / f"{ready.name}.jsonl", ready)]
    output = options.out / "leaderboard.json"
    leaderboard = _leaderboard(output)
    versions = {row["agent"]: row["version"] for row in leaderboard["agents"]}
    if options.holds:
        return _check_rows(leaderboard, chosen, output, options)
    problems = []
    with ThreadPoolExecutor(options.jobs) as pool:
        for result in pool.map(lambda ready: _result(ready, options, versions.get(ready.name)), chosen):
            problem = result.problem
            row = result.row
            if row is not None:
                print("\n".join(_summary(row)), flush=True)
            if row is not None and options.put:
                row, problem = _with_areas(leaderboard, row, options.area)
            if row is not None:
                problem = _put(leaderboard, row)
                _write(leaderboard, output, options)
            if problem:
                problems.append(problem)
    for problem in problems:
        print(f"failed: {problem}")
    return 1 if problems else 0


def _result(ready: Ready, options: argparse.Namespace, listed: str | None) -> Result:
    """Judge one adapter: here, or in its own environment, in the version that is listed or in the newest."""
    is_part = bool(options.profile or options.area or options.verdicts)
    try:
        environment = _environment(ready, options, None if options.newest else listed)
    except NotInstalled as missing:
        return Result(problem="" if options.installed_only else f"{ready.name}: {missing}")
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.keep or (Path(temporary) if is_part else cache_folder() / "results")
        folder.mkdir(parents=True, exist_ok=True)
        profiles = options.profile or {"core": PROFILES[:1], "smoke": (SMOKE,)}.get(ready.part, PROFILES)
        areas = options.area or ()
        if options.verdicts and not not_compared(ready.name):
            return Result()
        try:
            agent, cases = judged(
                ready,
                folder,
                profiles=profiles,
                areas=areas,
                seconds=options.seconds,
                environment=environment,
                verdicts=options.verdicts,
            )
        except NotJudged as problem:
            return Result(problem=f"{ready.name}: {problem}")
        if options.put or options.verdicts or not is_part:
            for made_up in compare(ready.name, cases):
                print(made_up)
        if options.verdicts:
            left = len(not_compared(ready.name))
            print(f"{ready.name}: {len(cases)} runs; {left} cases of verdicts were not compared with one")
            return Result()
    today = date.today().isoformat()
    return Result(row_of(ready.name, agent["version"], agent["wires"], cases, day=today, part=ready.part))


def _check_rows(leaderboard: dict[str, Any], chosen: list[Ready], output: Path, options: argparse.Namespace) -> int:
    """Judge the newest release of each chosen adapter that has a row, over `smoke`, as a user who installs it today."""
    listed = {row["agent"]: row for row in leaderboard["agents"]}
    fallen = 0
    for ready in chosen:
        if ready.name not in listed:
            continue
        newest: dict[str, Any] | str
        with tempfile.TemporaryDirectory() as folder:
            try:
                environment = _environment(ready, options, None)
                agent, cases = judged(
                    ready, Path(folder), profiles=(SMOKE,), seconds=options.seconds, environment=environment
                )
                newest = row_of(ready.name, agent["version"], agent["wires"], cases, day="")
            except (NotInstalled, NotJudged) as problem:
                newest = str(problem)
        row = held(listed[ready.name], newest, day=date.today().isoformat())
        said = row.get(NO_LONGER)
        what = f"{said['version']} does otherwise: {said['why']}" if said else "holds"
        print(f"{ready.name} {row['version']}: {what}", flush=True)
        fallen += bool(said)
        leaderboard["agents"] = [row if one["agent"] == ready.name else one for one in leaderboard["agents"]]
        _write(leaderboard, output, options)
    return 1 if fallen else 0


def _environment(ready: Ready, options: argparse.Namespace, version: str | None) -> AgentEnvironment:
    if not (options.here or options.installed_only):
        return environment_of(ready, version)
    if ready.version is None:
        raise NotInstalled(f"{ready.distribution} is not installed")
    return HERE


def _write(leaderboard: dict[str, Any], output: Path, options: argparse.Namespace) -> None:
    if (options.put or not (options.profile or options.area)) and leaderboard != _leaderboard(output):
        output.parent.mkdir(parents=True, exist_ok=True)
        output.write_text(dumped(leaderboard), encoding="utf-8")
        output.with_suffix(".md").write_text(table(leaderboard), encoding="utf-8")
        if output.resolve() == PUBLISHED:
            OUTDATED.write_text(f"{json.dumps(outdated_rows(leaderboard), indent=1)}\n", encoding="utf-8")


def outdated_rows(leaderboard: Mapping[str, Any]) -> dict[str, Any]:
    """What the package has of rows that no longer hold, by the name of the adapter."""
    return {row["agent"]: row[NO_LONGER] for row in leaderboard["agents"] if NO_LONGER in row}


def dumped(leaderboard: dict[str, Any]) -> str:
    """The document, with a line for each member of a row and for each failing pair."""
    rows = []
    for row in leaderboard["agents"]:
        members = [f"{json.dumps(name)}: {json.dumps(value)}" for name, value in row.items() if name != "failing"]
        pairs = [f"   {json.dumps(pair)}: {json.dumps(failing)}" for pair, failing in row["failing"].items()]
        rows.append("{" + ",\n".join([*members, '"failing": {\n' + ",\n".join(pairs) + "}"]) + "}")
    others = [f"{json.dumps(name)}: {json.dumps(value)}" for name, value in leaderboard.items() if name != "agents"]
    return "{" + ",\n".join([*others, '"agents": [\n' + ",\n".join(rows) + "]"]) + "}\n"


def _leaderboard(path: Path) -> dict[str, Any]:
    """What the file has, or an empty leaderboard."""
    if path.is_file():
        leaderboard: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        return leaderboard
    return {"format": FORMAT, "agents": [], "not listed": []}


def _with_areas(leaderboard: dict[str, Any], again: dict[str, Any], areas: list[str]) -> tuple[Any, str]:
    """The agent's row with these areas, or what is in the way."""
    for row in leaderboard["agents"]:
        if row["agent"] == again["agent"]:
            try:
                return with_areas(row, again, areas), ""
            except ValueError as problem:
                return None, f"{again['agent']} {again['version']}: {problem}"
    return None, f"{again['agent']}: it has no row yet: judge all areas"


def _put(leaderboard: dict[str, Any], row: dict[str, Any]) -> str:
    """Put the row in the place of the agent's earlier one, in the order of `READY`. Returns what is wrong with it."""
    order = [ready.name for ready in READY]
    reason = unfit(row)
    for part in ("agents", "not listed"):
        leaderboard[part] = [entry for entry in leaderboard[part] if entry["agent"] != row["agent"]]
    if reason:
        leaderboard["not listed"].append({"agent": row["agent"], "version": row["version"], "reason": reason})
    else:
        leaderboard["agents"].append(row)
    leaderboard["agents"].sort(key=lambda entry: order.index(entry["agent"]))
    if row["errors"]:
        reason = reason or f"{len(row['errors'])} errors of the suite, the first in {row['errors'][0]}"
    return f"{row['agent']} {row['version']}: {reason}" if reason else ""


def _summary(row: dict[str, Any]) -> Iterator[str]:
    by_profile = "; ".join(
        f"{profile}: " + ", ".join(f"{number} {column}" for column, number in counts.items())
        for profile, counts in row["profiles"].items()
        if any(counts.values())
    )
    yield f"{row['agent']} {row['version']}: {row['cases']} cases, {row['tools executed']} tools executed; {by_profile}"
    for pair, failing in row["failing"].items():
        yield f"  {pair} · {failing['cases']}   {failing['first']}"
