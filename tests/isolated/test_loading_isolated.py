"""What `--agent-isolate` says of an adapter that it cannot load, and what it loads as ever."""

from pathlib import Path

import pytest

from agent_conformance.attach.isolated.eligible import load_isolated_agent
from agent_conformance.attach.loading import AgentNotFound


def test_another_copy_of_the_suite_beside_the_agent_is_not_loaded(tmp_path: Path) -> None:
    (tmp_path / "agent_conformance").mkdir()
    (tmp_path / "agent_conformance" / "__init__.py").write_text("raise RuntimeError('another copy')")
    (tmp_path / "agent.py").write_text("from agent_conformance.reference import Adapter")

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


def test_what_an_adapter_declares_is_known_of_its_process_too(tmp_path: Path) -> None:
    (tmp_path / "agent.py").write_text(
        "class Adapter:\n"
        "    wires, send = ['openai-chat'], print\n"
        "    reply_tool, instructions_as_message = ('answer', None), True\n"
    )

    agent = load_isolated_agent("agent:Adapter", cwd=tmp_path)

    assert (agent.reply_tool, agent.instructions_as_message) == (("answer", None), True)
    agent.adapter.processes.close()  # type: ignore[attr-defined]
