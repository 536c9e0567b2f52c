"""The agents with environments of their own in their newest releases, over the profile `smoke`. Only under `--agents`:

    pytest tests/ready_made --agents

installs what is missing, and is red where the suite or an adapter errs, or a finding has no verdict.
"""

from pathlib import Path

import pytest

from agent_conformance.attach.ready_made import READY, Ready
from tests.ready_made.verdicts import without_verdict
from tools.leaderboard.environments import environment_of
from tools.leaderboard.judging import judged
from tools.leaderboard.table import row_of, unfit

OWN = [ready for ready in READY if ready.npm or ready.tool or not ready.extra]


@pytest.mark.parametrize("agent", OWN, ids=lambda ready: ready.name)
def test_newest_release_has_no_finding_without_a_verdict(
    agent: Ready, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    if not request.config.getoption("--agents"):
        pytest.skip("installs the newest releases of agents: pytest tests/ready_made --agents")

    head, cases = judged(agent, tmp_path, profiles=("smoke",), environment=environment_of(agent, None))
    row = row_of(agent.name, head["version"], head["wires"], cases, day="")

    assert row["errors"] == []
    assert unfit(row) == ""
    assert without_verdict([row]) == []


def test_agents_that_exclude_others_are_among_them() -> None:
    assert {"strands", "qwen-code", "pi"} <= {agent.name for agent in OWN}
    assert not any(agent.light for agent in OWN)
