"""`serve/action.yml`: what its step leaves for the later steps of a job, with a stand-in for the runner's files."""

import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx2
import pytest
import yaml

from tests.github.stand_ins import ROOT, outputs_in
from tests.github.test_action_file import texts
from tests.patience import PATIENCE

ACTION = yaml.safe_load(ROOT.joinpath("serve/action.yml").read_text())
INSTALL, SERVE = ACTION["runs"]["steps"]
COMMAND = Path(sys.executable).with_name("agent-conformance")


@dataclass
class Step:
    """What the step left: its exit code, what it printed, its outputs, and the variables of later steps."""

    code: int
    printed: str
    outputs: dict[str, str]
    variables: dict[str, str]


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    binaries = tmp_path / "agent-conformance" / "bin"
    binaries.mkdir(parents=True)
    (binaries / "agent-conformance").write_text(f'#!/bin/sh\necho $$ > "{tmp_path}/pid"\nexec "{COMMAND}" "$@"\n')
    (binaries / "agent-conformance").chmod(0o755)
    yield tmp_path
    if (tmp_path / "pid").is_file():
        with_pid = int((tmp_path / "pid").read_text())
        try:
            os.kill(with_pid, signal.SIGTERM)
        except ProcessLookupError:
            return


def run_in(folder: Path, **inputs: str) -> Step:
    values = {name: about["default"] for name, about in ACTION["inputs"].items()} | inputs
    given = {name: re.fullmatch(r"\$\{\{ inputs\.(\S+) \}\}", text) for name, text in SERVE["env"].items()}
    environment = {
        **os.environ,
        "RUNNER_TEMP": str(folder),
        "GITHUB_ENV": str(folder / "env.txt"),
        "GITHUB_OUTPUT": str(folder / "output.txt"),
        **{name: values[found[1]] for name, found in given.items() if found},
    }
    for name in ("env.txt", "output.txt"):
        (folder / name).write_text("")
    command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", SERVE["run"]]
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False, timeout=PATIENCE
    )
    outputs, variables = (outputs_in((folder / name).read_text()) for name in ("output.txt", "env.txt"))
    return Step(done.returncode, done.stdout + done.stderr, outputs, variables)


def free_port() -> str:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        return str(listening.getsockname()[1])


def test_later_steps_find_the_server_by_their_environment(folder: Path) -> None:
    (folder / "replies.yaml").write_text("- text: Hello from the job.\n")
    port = free_port()

    step = run_in(folder, providers="openai anthropic", port=port, args="--script replies.yaml")

    assert (step.code, step.outputs["url"]) == (0, f"http://127.0.0.1:{port}"), step.printed
    assert step.variables == {
        "OPENAI_BASE_URL": f"http://127.0.0.1:{port}/openai/v1",
        "ANTHROPIC_BASE_URL": f"http://127.0.0.1:{port}/anthropic",
    }
    body = {"model": "gpt-4.1", "messages": [{"role": "user", "content": "Hi."}]}
    headers = {"authorization": "Bearer any"}
    url = f"{step.variables['OPENAI_BASE_URL']}/chat/completions"
    answer = httpx2.post(url, json=body, headers=headers, trust_env=False).json()
    assert answer["choices"][0]["message"]["content"] == "Hello from the job."
    assert "POST /openai/v1/chat/completions: 200" in Path(step.outputs["log"]).read_text(encoding="utf-8")


def test_server_that_does_not_start_ends_the_job_with_its_words(folder: Path) -> None:
    step = run_in(folder, providers="opnai", port=free_port())

    assert step.code == 2
    assert "Did you mean `openai`" in step.printed
    assert step.variables == {}


def test_port_of_another_server_ends_the_job(folder: Path) -> None:
    port = free_port()
    assert run_in(folder, providers="openai", port=port).code == 0
    first = (folder / "pid").read_text()

    step = run_in(folder, providers="anthropic", port=port)

    (folder / "pid").write_text(first)
    assert step.code == 2
    assert f"--port={port}: the port is not available" in step.printed
    assert step.variables == {}


def test_all_providers_can_be_served(folder: Path) -> None:
    step = run_in(folder, providers="all", port=free_port())

    assert step.variables["GOOGLE_GEMINI_BASE_URL"] == step.outputs["url"] + "/gemini"


@pytest.mark.parametrize(
    ("args", "installed"),
    [("", "root/serve/.."), ("--script mcp.yaml", "root/serve/.."), ("--mcp a.yaml", "root/serve/..[mcp]")],
)
def test_sdk_of_tools_over_mcp_is_installed_where_they_are_served(args: str, installed: str, folder: Path) -> None:
    (folder / "python3").write_text("#!/bin/sh\n")
    (folder / "agent-conformance/bin/python").write_text('#!/bin/sh\nfor last; do :; done\necho "$last"\n')
    for program in ("python3", "agent-conformance/bin/python"):
        (folder / program).chmod(0o755)
    paths = {"RUNNER_TEMP": str(folder), "GITHUB_ACTION_PATH": "root/serve", "PATH": f"{folder}:{os.environ['PATH']}"}
    command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", INSTALL["run"]]

    done = subprocess.run(command, env={**paths, "ARGS": args}, capture_output=True, text=True, check=True)

    assert done.stdout.strip() == installed


def test_no_input_is_part_of_a_script() -> None:
    assert not any("${{" in step["run"] for step in ACTION["runs"]["steps"])
    assert set(ACTION["inputs"]) == {"providers", "port", "args", "working-directory"}
    assert all(about["description"] and "default" in about for about in ACTION["inputs"].values())
    assert len(ACTION["description"]) <= 125
    assert ACTION["runs"]["using"] == "composite"
    assert all("inputs." in text or "RUNNER" not in text for text in texts(SERVE["env"]))
    assert "$GITHUB_ACTION_PATH/.." in INSTALL["run"]
