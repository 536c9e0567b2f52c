"""The real frameworks over what must hold and over the scenarios of the origins. Only under `--frameworks`:

    pytest tests/ready_made --frameworks

takes some five minutes, three without the origins (`-m "not weekly"`, as in `.ci/run`), and is red where a framework is
missing, where the suite or an adapter errs, where nothing is executed, and where a finding has not been looked at in
docs/verdicts.
"""

from pathlib import Path
from typing import Any

import pytest

from agent_conformance.attach.ready_made import Ready
from tests.ready_made.verdicts import without_verdict
from tools.leaderboard.judging import judged
from tools.leaderboard.table import row_of, unfit

ORIGINS = (
    "history",
    "no-tools",
    "declarations",
    "tool-names",
    "round-trip",
    "pseudo-calls",
    "streaming",
    "reasoning",
)
"""The areas of the bugs that the project began with."""


PROFILES = [
    pytest.param(("core", ()), id="core"),
    pytest.param(("hardened", ORIGINS), id="origins", marks=pytest.mark.weekly),
]


@pytest.fixture(scope="module", params=PROFILES)
def row(
    request: pytest.FixtureRequest, ready: Ready, requested_frameworks: str, tmp_path_factory: pytest.TempPathFactory
) -> Any:
    if not requested_frameworks:
        pytest.skip("the corpus runs over frameworks under pytest tests/ready_made --frameworks")
    profile, areas = request.param
    folder: Path = tmp_path_factory.mktemp("judged")
    agent, cases = judged(ready, folder, profiles=(profile,), areas=areas)
    return row_of(ready.name, ready.version or "", agent["wires"], cases, day="")


def test_every_case_is_a_verdict_on_the_agent(row: Any) -> None:
    assert row["errors"] == []
    assert unfit(row) == ""


def test_every_finding_has_a_verdict(row: Any) -> None:
    assert without_verdict([row]) == []
