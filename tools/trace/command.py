"""The output and the exit code of `python -m tools trace`."""

import json
import sys
from collections.abc import Sequence
from fnmatch import fnmatchcase
from pathlib import Path

from agent_conformance.commands.shared.served import progress
from agent_conformance.judge.laws import LAWS
from agent_conformance.scenario.files import bundled_scenarios
from agent_conformance.scenario.loading import load_folder
from agent_conformance.scenario.yaml_files import did_you_mean
from agent_mutants import MUTANTS
from tools.trace import page
from tools.trace.provoked import Trace, by_agents, by_mutants
from tools.trace.rows import Row, as_json, default_rules, rows_of, wrong


def trace(id: str | None, *, out: Path | None, leaderboard: Path, everything: bool) -> int:
    """1: nothing breaks a law, or no law and no rule has that id."""
    known = [*(law.id for law in LAWS), *(rule.id for _, rule in default_rules())]
    if id is not None and not any(fnmatchcase(each, id) for each in known):
        print(f"no law and no rule of the default run `{id}`.{did_you_mean(id, known)}", file=sys.stderr)
        return 1
    rows = rows_of(_traced(leaderboard, everything=everything))
    if id is not None:
        print("\n".join(line for row in rows if fnmatchcase(row.id, id) for line in page.in_full(row)))
        return 0
    if out is not None:
        _write(rows, out)
    print(page.counts(rows))
    problems = list(wrong(rows))
    print("\n".join(problems), end="\n" if problems else "")
    return 1 if problems else 0


def _traced(leaderboard: Path, *, everything: bool) -> Trace:
    files, problems = load_folder(bundled_scenarios())
    for problem in problems:
        print(problem, file=sys.stderr)
    found: Trace = {}
    for place, mutant in enumerate(by_mutants(files, found, everything=everything), 1):
        progress(f"{place} of {len(MUTANTS)} mutants, {mutant.name}")
    progress("")
    if leaderboard.exists():
        by_agents(leaderboard, found)
    return found


def _write(rows: Sequence[Row], out: Path) -> None:
    out.mkdir(parents=True, exist_ok=True)
    written = json.dumps(as_json(rows), indent=1, ensure_ascii=False) + "\n"
    (out / "traceability.json").write_text(written, encoding="utf-8")
    (out / "traceability.md").write_text("\n".join(page.page(rows)), encoding="utf-8")
