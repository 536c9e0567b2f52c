"""The small agent of this folder behind `acp:`."""

import json
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from agent_conformance.attach.acp import AcpAgent, acp_adapter
from agent_conformance.attach.acp.known_programs import BY_NAME, OPENAI, Program

AGENT = Path(__file__).with_name("small_agent.py")


@pytest.fixture(scope="session")
def small() -> Callable[..., type[AcpAgent]]:
    """Gives the adapter of the small agent, with what it does wrong."""

    @cache
    def adapter(*wrong: str, options: str = "") -> type[AcpAgent]:
        return acp_adapter(f"wire=openai-chat mode=plain {options} {sys.executable} {AGENT} {' '.join(wrong)}")

    return adapter


@pytest.fixture
def shared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., tuple[type[AcpAgent], Path]]:
    """Gives the adapter of the small agent as a program whose process serves many cases, and the notes of processes."""
    python = Path(sys.executable).name
    known = Program(python, "", "", {"openai-chat": {}}, settings={"model.json": json.dumps(OPENAI)}, shared=True)
    monkeypatch.setattr("agent_conformance.attach.acp.adapter.BY_NAME", {**BY_NAME, python: known})

    def adapter(*wrong: str) -> tuple[type[AcpAgent], Path]:
        notes = tmp_path / "processes"
        command = f"mode=plain NOTES={notes} {sys.executable} {AGENT} {' '.join(wrong)}"
        made = acp_adapter(command)
        notes.unlink()  # the process that was started to find out what it can do
        return made, notes

    return adapter
