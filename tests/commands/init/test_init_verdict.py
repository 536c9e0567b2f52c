"""`init` ends with a verdict on the agent: the doctor, the worst causes of `smoke`, the next command."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from agent_conformance.commands.init.command import verdict_lines
from tests.commands.init.project import Project, run

STREAMS = """\
from openai import OpenAI

for chunk in OpenAI(api_key="any").chat.completions.create(model="gpt-4.1", messages=[], stream=True):
    print(chunk)
"""
CRASHES = """\
import httpx2


class Adapter:
    wires = ("openai-chat",)
    features = frozenset({"conversation"})

    def __init__(self, setup):
        self.setup = setup

    def send(self, message):
        body = {"model": self.setup.model, "messages": [{"role": "user", "content": message}]}
        url = f"{self.setup.base_url}/chat/completions"
        answer = httpx2.post(url, headers={"Authorization": f"Bearer {self.setup.api_key}"}, json=body).json()
        raise RuntimeError(answer["id"])
"""


@pytest.mark.parametrize(
    ("code", "are_fixed"),
    [
        ("", True),
        ("# the mcp of old\n", True),
        ("from mcp import ClientSession\n", False),
        ("import fastmcp\n", False),
        ("from langchain_mcp_adapters.client import MultiServerMCPClient\n", False),
        ("SERVERS = read('settings.json')['mcpServers']\n", False),
    ],
)
def test_tools_are_fixed_where_nothing_takes_those_of_mcp_servers(project: Project, code: str, are_fixed: bool) -> None:
    project.write("src/shop/agent.py", STREAMS)
    project.write("src/shop/tools.py", code)

    project.init()

    assert ('"fixed-tools"' in project.read("agent_adapter.py")) is are_fixed


@pytest.mark.slow
def test_agent_that_streams_only_is_set_up_so_and_judged(project: Project) -> None:
    project.write("src/shop/agent.py", STREAMS)

    done = run(project.folder, "agent-conformance", "init")

    assert done.returncode == 0
    assert '    modes = ("stream",)' in project.read("agent_adapter.py")
    _, verdict = done.stdout.split("agent_adapter.py runs a simple loop until your agent is in. Its verdict:\n")
    doctor, smoke, *_ = verdict.splitlines()
    assert doctor == "doctor: 14 ok, 0 not working"
    assert smoke.startswith("smoke: ")
    assert verdict.splitlines()[-1] == "then: pytest --agent=agent_adapter:Adapter"
    assert not [path for path in project.files() if "__pycache__" in path or ".pytest_cache" in path]


@pytest.mark.slow
def test_worst_cause_has_the_line_of_the_agent_and_a_fix(project: Project) -> None:
    project.write("crashing.py", CRASHES)

    lines = list(said(project.folder, "crashing:Adapter"))

    assert any(line.startswith("doctor: ") and " 0 not working" not in line for line in lines)
    worst = lines[lines.index(next(line for line in lines if line.startswith("  1. "))) :]
    assert "crash at crashing.py:15" in worst[0]
    assert "     line: crashing.py:15" in worst
    fixes = [line for line in worst if line.startswith("     fix: ")]
    assert fixes
    assert len(set(fixes)) == len(fixes)
    assert not any("Look first at" in line for line in worst)
    assert all(len(line) <= 80 for line in lines if not line.startswith(("next: ", "then: ")))


@pytest.mark.slow
def test_adapter_that_cannot_be_loaded_has_no_verdict_and_the_reason(project: Project) -> None:
    project.write("broken.py", "import there_is_no_such_module\n")

    *why, following = said(project.folder, "broken:Adapter")

    assert "there_is_no_such_module" in " ".join(why)
    assert following == "next: agent-conformance doctor --agent=broken:Adapter"


def said(folder: Path, agent: str) -> Iterator[str]:
    return verdict_lines(folder, agent=agent, pytest_command=f"pytest --agent={agent}", width=80)
