"""What `init` writes for each kind runs as it is, until its first verdict."""

import shutil
import socket
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from agent_conformance.commands.init.kinds import KINDS, READY_MADE, TEMPLATES, WRITTEN
from agent_conformance.commands.main import main
from tests.commands.init.generated_project import report_on, verdict_of
from tests.patience import PATIENCE

FRAMEWORKS = {"langchain", "pydantic-ai", "strands", *READY_MADE}
"""They are tried where they are installed: tests/ready_made/test_init_for_frameworks.py."""

AGENTS = {
    kind: {"node": "cmd:node agent_adapter.mjs", "cmd": "cmd:python3 agent_command.py"}.get(
        kind, "agent_adapter:Adapter"
    )
    for kind in KINDS
    if kind not in FRAMEWORKS
}


def set_up(folder: Path, kind: str) -> Path:
    assert main(["init", "--only-files", "--for", kind, "--to", str(folder)]) == 0
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("kind", AGENTS)
def test_what_is_written_runs_to_its_first_verdict(kind: str, tmp_path: Path) -> None:
    assert verdict_of(set_up(tmp_path, kind), AGENTS[kind]) == "3 cases: 3 passed"


@pytest.mark.slow
@pytest.mark.parametrize("kind", AGENTS)
def test_what_is_written_can_do_all_that_it_declares(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.delitem(sys.modules, "agent_adapter", raising=False)
    monkeypatch.chdir(set_up(tmp_path, kind))

    report = report_on(tmp_path, AGENTS[kind])
    assert report.is_clean
    assert not report.with_status("works, not declared")


@pytest.mark.slow
def test_service_is_started_for_each_case_where_there_is_a_command(tmp_path: Path) -> None:
    set_up(tmp_path, "http")
    command = f"{sys.executable} agent_adapter.py {{port}}"

    assert verdict_of(tmp_path, AGENTS["http"], AGENT_COMMAND=command) == "3 cases: 3 passed"

    without = verdict_of(tmp_path, AGENTS["http"], AGENT_COMMAND=f"{sys.executable} nosuch.py")
    assert without == "3 cases: 0 passed, 3 errors: nothing was judged"


STARTER = """\
import os, subprocess, sys
daemon = subprocess.Popen(["sleep", "600"], start_new_session=True)
with open("daemons.txt", "a") as daemons:
    print(daemon.pid, file=daemons)
os.execv(sys.executable, [sys.executable, "agent_adapter.py", *sys.argv[1:]])
"""


@pytest.mark.slow
def test_what_a_started_service_has_started_ends_with_it(tmp_path: Path) -> None:
    set_up(tmp_path, "http")
    (tmp_path / "starter.py").write_text(STARTER, encoding="utf-8")

    verdict = verdict_of(tmp_path, AGENTS["http"], AGENT_COMMAND=f"{sys.executable} starter.py {{port}}")

    assert verdict == "3 cases: 3 passed"
    daemons = [int(line) for line in (tmp_path / "daemons.txt").read_text(encoding="utf-8").split()]
    assert len(daemons) == 3
    assert [one for one in daemons if psutil.pid_exists(one) and psutil.Process(one).status() != "zombie"] == []


@pytest.mark.slow
def test_service_that_runs_is_used_where_its_address_is_given(tmp_path: Path) -> None:
    set_up(tmp_path, "http")
    port = free_port()
    with subprocess.Popen([sys.executable, "agent_adapter.py", str(port)], cwd=tmp_path) as service:
        try:
            wait_for(port)
            verdict = verdict_of(tmp_path, AGENTS["http"], AGENT_URL=f"http://127.0.0.1:{port}")
        finally:
            service.terminate()

    assert verdict == "3 cases: 3 passed"


@pytest.mark.parametrize("kind", [kind for kind in KINDS if KINDS[kind].file.endswith(".py")])
def test_python_that_is_written_is_clean(kind: str, tmp_path: Path) -> None:
    """By ruff's own settings, and the rules that many projects add."""
    [written] = [path for path in set_up(tmp_path, kind).iterdir() if path.name in WRITTEN]
    ruff = Path(sys.executable).parent / "ruff"
    rules = "--select=E,F,I,B,UP,SIM,C4,RET,PT"

    for command in ([ruff, "check", "--isolated", rules, written], [ruff, "format", "--isolated", "--diff", written]):
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.skipif(not shutil.which("node"), reason="node is not installed")
def test_javascript_that_is_written_parses(tmp_path: Path) -> None:
    subprocess.run(["node", "--check", set_up(tmp_path, "node") / "agent_adapter.mjs"], check=True)


@pytest.mark.parametrize("kind", KINDS)
def test_template_is_filled_in(kind: str, tmp_path: Path) -> None:
    [written] = [path for path in set_up(tmp_path, kind).iterdir() if path.name in WRITTEN]
    text = written.read_text(encoding="utf-8")

    assert "YOUR AGENT" in text
    assert "{{" not in text


def test_each_template_belongs_to_a_kind() -> None:
    names = {f"{kind.name}{Path(kind.file).suffix}.template" for kind in KINDS.values() if kind.name not in READY_MADE}

    shared = {"first-scenario.yaml.template", "ready.py.template"}
    assert {path.name for path in TEMPLATES.iterdir()} == names | shared


def free_port() -> int:
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        return int(sock.getsockname()[1])


def wait_for(port: int) -> None:
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        except OSError:
            time.sleep(0.05)
    pytest.fail("the service does not answer")
