"""Programs that are on no list play `smoke` without an adapter, and are accused of nothing but what they do wrong."""

import shutil
import sys
from pathlib import Path

import pytest

from agent_conformance.attach.acp import acp_adapter
from agent_conformance.attach.loading import checked_agent
from agent_conformance.run.case_session import CaseSession
from agent_conformance.scenario.cases import RunOptions, cases_of
from agent_conformance.scenario.files import bundled_scenarios
from agent_conformance.scenario.files.selection import smoke_ids
from agent_conformance.transcripts.finding import Verdict
from tests.bundled import bundled_files

FOLDER = Path(__file__).with_name("unlisted")
PAGE = Path(__file__).parents[2] / "docs" / "acp.md"
PROGRAMS = [
    ("titles_in_parallel.mjs", "node", ("node",)),
    ("tools_over_sse.py", sys.executable, ()),
    ("in_a_shell.sh", "bash", ("bash", "jq", "curl")),
]
CALLS_IN_TEXT = {"no-protocol-text"}
"""They show a call that the model wrote as text, as most agents do."""


def smoke_verdicts(command: str) -> list[Verdict]:
    agent = checked_agent("unlisted", acp_adapter(command))
    chosen = smoke_ids(bundled_scenarios())
    files = bundled_files()
    cases = [case for file in files for case in cases_of(file, agent, RunOptions(brief=True))]
    examples = [(case, case.id.partition("@")[0]) for case in cases]
    with CaseSession(agent) as runner:
        return [runner.run(case) for case, id in examples if chosen & {id, id.partition("[")[0]}]


@pytest.mark.slow
@pytest.mark.parametrize(("file", "interpreter", "needed"), PROGRAMS)
def test_program_that_nobody_has_seen_is_accused_of_nothing_wrongly(
    file: str, interpreter: str, needed: tuple[str, ...]
) -> None:
    if missing := [name for name in needed if not shutil.which(name)]:
        pytest.skip(f"{', '.join(missing)} is not installed")

    found = smoke_verdicts(f"{interpreter} {FOLDER / file}")

    assert {verdict.outcome for verdict in found} <= {"pass", "fail", "not-verified"}
    assert {finding.id for verdict in found for finding in verdict.findings if finding.level == "must"} <= CALLS_IN_TEXT
    judged = [verdict for verdict in found if verdict.outcome != "not-verified"]
    (row,) = (line for line in PAGE.read_text(encoding="utf-8").splitlines() if f"`{file}`" in line)
    assert f"| {len(judged)} | 0 |" in row
    assert sum(verdict.executions for verdict in judged) >= 10
