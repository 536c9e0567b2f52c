"""The commands that users type, under simulated Windows and macOS: they work, and show no traceback."""

import json
import re
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from agent_conformance.scenario.files import bundled_scenarios
from tests.patience import PATIENCE
from tests.platforms.simulated import NAMES, environment_of

ROOT = Path(__file__).parents[2]
REFERENCE = "--agent=agent_conformance.reference:Adapter"
BRIDGE = f"--agent=cmd:{sys.executable} {ROOT / 'tests/command_agent/bridge.py'} agent_conformance.reference:Adapter"
PYTEST = (sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider")
COMMAND = (sys.executable, "-m", "agent_conformance.commands.main")
SMOKE = (*PYTEST, "--agent-profile=smoke", "--agent-wire=openai-chat,gemini-generate")
CALL = {"id": "c1", "type": "function", "function": {"name": "get_weather", "arguments": '{"city": "東京"}'}}
BODY = {
    "model": "gpt-5.4",
    "messages": [
        {"role": "user", "content": "Weather in 東京? → “now”"},
        {"role": "assistant", "content": None, "tool_calls": [CALL]},
        {"role": "tool", "tool_call_id": "c1", "content": "7 °C"},
        {"role": "assistant", "content": "7 °C"},
    ],
    "tools": [{"type": "function", "function": {"name": "get_weather", "parameters": {"type": "object"}}}],
}
"""With characters that cp1252 does not have."""


@pytest.fixture(params=NAMES)
def platform(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def run(platform: str, folder: Path, *command: str, code: int = 0) -> str:
    """What the command prints, which ends with this code and without a traceback."""
    done = subprocess.run(
        command, cwd=folder, env=environment_of(platform), capture_output=True, timeout=PATIENCE, check=False
    )
    said = (done.stdout + done.stderr).decode(errors="replace")
    assert done.returncode == code, said
    assert "Traceback" not in said
    return said


@pytest.mark.slow
def test_agent_in_process_is_judged_and_its_files_can_be_written(platform: str, tmp_path: Path) -> None:
    said = run(platform, tmp_path, *SMOKE, REFERENCE, "--agent-report=report", "--snapshot-update")

    assert re.search(r"^(\d+) cases: \1 passed$", said, re.MULTILINE)
    assert "passed" in run(platform, tmp_path, *COMMAND, "report", "report")
    assert (tmp_path / "report" / "index.html").is_file()
    assert "snapshots" not in run(platform, tmp_path, *SMOKE, REFERENCE)


@pytest.mark.slow
def test_isolated_agent_is_judged(platform: str, tmp_path: Path) -> None:
    said = run(platform, tmp_path, *SMOKE, REFERENCE, "--agent-isolate", "-k", "round-trip")

    assert re.search(r"^(\d+) cases: \1 passed$", said, re.MULTILINE)


def test_isolated_agent_that_ends_its_process_is_one_verdict(platform: str, tmp_path: Path) -> None:
    agent = "from agent_conformance.reference import Adapter as Right\nimport os\n\n\nclass Adapter(Right):\n"
    agent += "    async def send(self, message):\n        os._exit(7)\n        yield\n"
    (tmp_path / "leaving.py").write_text(agent, encoding="utf-8")
    case = ("round-trip/result-comes-back", "--agent-wire=openai-chat")

    said = run(platform, tmp_path, *PYTEST, "--agent=leaving:Adapter", "--agent-isolate", *case, code=1)

    assert "the agent's process exited with 7" in said


@pytest.mark.slow
def test_command_is_judged(platform: str, tmp_path: Path) -> None:
    said = run(platform, tmp_path, *SMOKE, BRIDGE)

    assert re.search(r"^(\d+) cases: \1 passed$", said, re.MULTILINE)


@pytest.mark.slow
def test_program_over_acp_is_judged(platform: str, tmp_path: Path) -> None:
    agent = f"--agent=acp:wire=openai-chat mode=plain {sys.executable} {ROOT / 'tests/acp/small_agent.py'}"

    assert "1 case: 1 passed" in run(platform, tmp_path, *PYTEST, agent, "round-trip/result-comes-back")


@pytest.mark.slow
def test_project_is_set_up_and_judged(platform: str, tmp_path: Path) -> None:
    run(platform, tmp_path, *COMMAND, "init", "--only-files", "--for", "http", "--to", "project")

    said = run(platform, tmp_path / "project", *PYTEST, "--agent=agent_adapter:Adapter", "incidents")

    assert "1 case: 1 passed" in said


@pytest.mark.slow
def test_doctor_finds_nothing(platform: str, tmp_path: Path) -> None:
    assert "not working: 0" in run(platform, tmp_path, *COMMAND, "doctor", REFERENCE)


@pytest.mark.slow
def test_request_is_checked_and_becomes_a_scenario(platform: str, tmp_path: Path) -> None:
    (tmp_path / "body.json").write_text(json.dumps(BODY), encoding="utf-8")

    assert "vllm: accepted" in run(platform, tmp_path, *COMMAND, "check-request", "body.json", code=1)
    written = run(platform, tmp_path, *COMMAND, "new", "--from", "body.json")

    assert "東京" in written
    run(platform, tmp_path, *COMMAND, "new", "--from", "body.json", "--to", "scenarios/weather/tokyo.yaml")
    assert "東京" in (tmp_path / "scenarios/weather/tokyo.yaml").read_text(encoding="utf-8")
    assert "problems: 0" in run(platform, tmp_path, *COMMAND, "check", "scenarios")


@pytest.fixture
def port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


@pytest.fixture
def served(platform: str, port: int, tmp_path: Path) -> Iterator[str]:
    """The base URL of a fake that `serve` serves."""
    command = (*COMMAND, "serve", "--provider", "openai", "--port", str(port))
    server = subprocess.Popen(command, cwd=tmp_path, env=environment_of(platform), stdout=subprocess.PIPE)
    assert server.stdout is not None
    with server.stdout as said:
        try:
            yield said.readline().decode().rpartition(" ")[2].strip()
        finally:
            server.terminate()
            server.wait()


@pytest.mark.slow
def test_fake_is_served(served: str) -> None:
    body = {"model": "gpt-5.4", "messages": [{"role": "user", "content": "Hello."}]}
    headers = {"Content-Type": "application/json", "Authorization": "Bearer a-key"}
    request = urllib.request.Request(f"{served}/chat/completions", json.dumps(body).encode(), headers)

    with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
        assert json.loads(answer.read())["choices"][0]["message"]["content"]


def test_scenarios_of_a_checkout_with_other_ends_of_lines_are_the_same(platform: str, tmp_path: Path) -> None:
    """git writes `\\r\\n` on Windows, where the project asks for nothing else."""
    folder = tmp_path / "scenarios" / "round-trip"
    folder.mkdir(parents=True)
    text = (bundled_scenarios() / "round-trip" / "result-comes-back.yaml").read_bytes()
    (folder / "comes-back.yaml").write_bytes(text.replace(b"\n", b"\r\n"))

    assert yaml.safe_load(text) == yaml.safe_load((folder / "comes-back.yaml").read_bytes())
    said = run(platform, tmp_path, *PYTEST, REFERENCE, "--agent-scenarios=scenarios", "round-trip/comes-back")
    assert re.search(r"^(\d+) cases: \1 passed$", said, re.MULTILINE)
