"""In its own process an agent has its own packages, also those that are called as the suite's are."""

from pathlib import Path

import pytest

from agent_conformance.agents.isolated import own_packages
from agent_conformance.agents.isolated.loading import load_isolated_agent
from agent_conformance.agents.loading import AgentNotFound
from tests.trying import ONE_CALL, verdicts

ADAPTER = """
import agent_conformance, fakes, scenarios
import agent_conformance
from agent_conformance import AgentError, Setup, Tool
from agent_conformance.adapter.history import openai_chat_messages
from tests_of_the_agent import greeting

assert (conformance.OWN, fakes.OWN, scenarios.OWN) == (1, 2, 3), (conformance, fakes, scenarios)


class Adapter:
    wires = ("openai-chat",)

    def __init__(self, setup: Setup) -> None:
        assert [tool.function().__name__ for tool in setup.tools] == ["get_weather"]
        assert openai_chat_messages(setup.history) == []

    def send(self, message: str) -> str:
        raise AgentError(greeting)
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for number, name in enumerate(("conformance", "fakes", "scenarios"), 1):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text(f"OWN = {number}\n")
    (tmp_path / "tests_of_the_agent.py").write_text("greeting = 'Good-bye.'\n")
    (tmp_path / "agent.py").write_text(ADAPTER)
    return tmp_path


def test_packages_with_the_names_of_the_suite_are_the_agents_own(project: Path) -> None:
    agent = load_isolated_agent("agent:Adapter", cwd=project)

    (verdict,) = verdicts(agent.adapter, ONE_CALL)

    assert verdict.reason == "the fake received no request in turn 1: AgentError: Good-bye."
    agent.adapter.processes.close()  # type: ignore[attr-defined]


def test_without_such_packages_the_usual_names_are_the_same_modules(tmp_path: Path) -> None:
    lines = [
        "import agent_conformance, conformance, fakes, fake_providers.http, agent_conformance.adapter.types as types",
        "import agent_conformance.adapter.types",
        "assert agent_conformance.AgentError is agent_conformance.AgentError is types.AgentError",
        "assert types is agent_conformance.adapter.types",
        "from fake_providers import Reply, ScriptedFake",
        "from fake_providers.of_the_agent import OWN",
        "from agent_conformance.reference import Adapter",
    ]
    (tmp_path / "agent.py").write_text("\n".join(lines))
    (tmp_path / "fakes").mkdir()
    (tmp_path / "fakes" / "of_the_agent.py").write_text("OWN = 1")

    agent = load_isolated_agent("agent:Adapter", cwd=tmp_path)

    assert agent.wires[0] == "openai-chat"
    agent.adapter.processes.close()  # type: ignore[attr-defined]


def test_another_copy_of_the_suite_is_not_the_agents_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("conformance", "conformance/agent_conformance/agents/isolated", "fakes"):
        (tmp_path / "copy" / name).mkdir(parents=True)
        (tmp_path / "copy" / name / "__init__.py").write_text("")
    (tmp_path / "copy" / own_packages.ITSELF).write_text("")
    monkeypatch.syspath_prepend(tmp_path / "copy")
    lines = ["import agent_conformance, conformance", "assert conformance is agent_conformance, conformance"]
    (tmp_path / "agent.py").write_text("\n".join([*lines, "from agent_conformance.reference import Adapter"]))

    agent = load_isolated_agent("agent:Adapter", cwd=tmp_path)

    assert agent.wires[0] == "openai-chat"
    agent.adapter.processes.close()  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("lines", "problem"),
    [
        (
            "class Adapter: send = print",
            "`wires` is missing; list what the agent supports, for example ('openai-chat',)",
        ),
        ("raise RuntimeError('no licence')", "agent cannot be imported: RuntimeError: no licence"),
        (
            "class Adapter:\n  wires = ['openai-chat']\n  send = print\n  scrub = ['(']",
            "`scrub` has '(', which is no regular",
        ),
    ],
)
def test_adapter_that_cannot_be_used_is_one_line(tmp_path: Path, lines: str, problem: str) -> None:
    (tmp_path / "agent.py").write_text(lines)

    with pytest.raises(AgentNotFound) as raised:
        load_isolated_agent("agent:Adapter", cwd=tmp_path)

    assert str(raised.value).startswith(f"--agent=agent:Adapter: {problem}")
    assert "\n" not in str(raised.value)


def test_agent_in_a_process_of_its_own_already_is_loaded_as_ever() -> None:
    with pytest.raises(AgentNotFound, match="the command 'no-such-command' cannot be started"):
        load_isolated_agent("cmd:no-such-command", cwd=Path.cwd())
