"""Two releases of a program that must differ: one runs a call whose arguments were cut off, its successor does not.

    pytest tests/ready_made --programs

installs them with npm, into the cache that `./dev python -m tools leaderboard` uses.
"""

import os
import subprocess
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from agent_conformance.attach.ready_made import BY_NAME, Ready
from tools.leaderboard.environments import environment_of

CASE = "finish/cut-off-call@openai-chat+stream"
FINDING = f"{CASE}#sent-arguments"

PI, QWEN = BY_NAME["pi"], BY_NAME["qwen-code"]
PI_UNTIL_0_73 = replace(PI, distribution="@mariozechner/pi-coding-agent", npm=("@mariozechner/pi-coding-agent",))
QWEN_UNTIL_0_15 = replace(
    QWEN,
    # It uses a proxy for loopback as well, hides tools with a flag of its own, and names no tool when it asks for
    # permission.
    agent="acp:HTTP_PROXY= HTTPS_PROXY= http_proxy= https_proxy= "
    "qwen --acp --exclude-tools tool_search --approval-mode yolo",
)


@dataclass(frozen=True, slots=True)
class Release:
    """A program in one version; `agent` is what `--agent` takes for it."""

    program: Ready
    version: str

    @property
    def agent(self) -> str:
        return self.program.agent or self.program.name


@pytest.fixture
def output(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """What the run of the one case says about this release."""
    if not request.config.getoption("--programs"):
        pytest.skip("installs releases of programs with npm: pytest tests/ready_made --programs")
    release: Release = request.param
    environment = environment_of(release.program, release.version)
    command = [environment.python, "-m", "pytest", f"--agent={release.agent}", "--agent-timeout=60", "-q", CASE]
    done = subprocess.run(
        [*command, "-p", "no:cacheprovider"],
        cwd=tmp_path,
        env=os.environ | dict(environment.variables),
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout + done.stderr


@pytest.mark.parametrize(
    "output",
    [Release(PI_UNTIL_0_73, "0.73.1"), Release(QWEN_UNTIL_0_15, "0.15.10")],
    ids=["pi", "qwen-code"],
    indirect=True,
)
def test_release_that_runs_a_call_cut_off_fails(output: str) -> None:
    assert FINDING in output
    assert "1 failed" in output


@pytest.mark.parametrize(
    "output", [Release(PI, "0.87.1"), Release(QWEN, "0.24.4")], ids=["pi", "qwen-code"], indirect=True
)
def test_its_successor_passes(output: str) -> None:
    assert "1 passed" in output
