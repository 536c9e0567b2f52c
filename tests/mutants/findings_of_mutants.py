"""What the findings about historic bugs say, in whole: a case for each finding that a scenario must have for a bug.

`findings_of_mutants.jsonl` has them, as `./dev python -m tests.docs.regenerate --figures=mutants` writes it. Look at
each line that it changes: it is what someone with this bug reads.
"""

import json
import re
import zlib
from collections.abc import Iterator
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import Any

from agent_conformance.attach.loading import checked_agent
from agent_conformance.baseline.case_report import facts_of
from agent_conformance.run.case_session import CaseSession
from agent_conformance.scenario.cases import Case, RunOptions, cases_of
from agent_conformance.scenario.loading import ScenarioFile
from agent_conformance.transcripts.finding import Finding, Verdict
from agent_mutants import MUTANTS, Mutant, mutant_adapter
from tests.bundled import bundled_files

FILE = Path(__file__).with_name("findings_of_mutants.jsonl")
MEASURED = re.compile(r"(?<=\.py:)\d+|^\d+\.\d+(?= s$)")
"""Lines of the agent's own code, which may move, and how long it waited."""

BY_NAME = {mutant.name: mutant for mutant in MUTANTS}


@cache
def scenarios() -> dict[str, ScenarioFile]:
    files = bundled_files()
    return {file.id: file for file in files}


def found_in(mutant: str, case_id: str) -> list[dict[str, Any]]:
    """The findings of this mutant in this case."""
    agent = checked_agent(mutant, mutant_adapter(BY_NAME[mutant]))
    file = scenarios()[case_id.partition("@")[0].partition("[")[0]]
    (case,) = (case for case in cases_of(file, agent, RunOptions()) if case.id == case_id)
    with CaseSession(agent) as runner:
        return _written(runner.run(case))


def _written(verdict: Verdict) -> list[dict[str, Any]]:
    return [_whole(finding) for finding in verdict.findings]


def _whole(finding: Finding) -> dict[str, Any]:
    facts = {name: value for name, value in facts_of(finding) if name != "stderr"}
    also = {
        "also": list(map(str, finding.consequences)),
        "not checked": list(finding.not_checked),
        "detail": finding.detail,
    }
    kept = {"id": finding.id, "level": finding.level, "cause": finding.code, **facts, **also}
    return {
        name: MEASURED.sub("N", value) if isinstance(value, str) else value for name, value in kept.items() if value
    }


def cases() -> Iterator[dict[str, Any]]:
    """For each finding that some mutant must have in a scenario, the first such mutant and one of its cases."""
    known: dict[str, set[str]] = {}
    for mutant in MUTANTS:
        for pair in mutant.pairs if mutant.reachable else ():
            file = next(file for name, file in scenarios().items() if pair.names(name))
            shown = known.setdefault(file.id, set())
            if not any(fnmatchcase(one, pair.finding) for one in shown):
                line = _first_with(mutant, file, pair.finding)
                shown |= {finding["id"] for finding in line["findings"]}
                yield line


def _first_with(mutant: Mutant, file: ScenarioFile, finding: str) -> dict[str, Any]:
    """Beginning with another wire for another mutant."""
    agent = checked_agent(mutant.name, mutant_adapter(mutant))
    chosen = [case for case in cases_of(file, agent, RunOptions()) if mutant.names_row(file.id, case.row)]
    start = zlib.crc32(mutant.name.encode()) % len(chosen)
    with CaseSession(agent) as runner:
        for case in (*chosen[start:], *chosen[:start]):
            verdict = runner.run(case)
            if any(fnmatchcase(one.id, finding) for one in verdict.findings):
                return _line(mutant, case, verdict)
    raise AssertionError(f"{mutant.name} has no {finding} in {file.id}")


def _line(mutant: Mutant, case: Case, verdict: Verdict) -> dict[str, Any]:
    return {"mutant": mutant.name, "case": case.id, "findings": _written(verdict)}


def written() -> list[dict[str, Any]]:
    return [json.loads(line) for line in FILE.read_text(encoding="utf-8").split("\n") if line]


def write() -> None:
    FILE.write_text("".join(f"{json.dumps(one, ensure_ascii=False)}\n" for one in cases()), encoding="utf-8")
