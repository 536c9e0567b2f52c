"""`agent-conformance agents`, and an agent that is named by its ready-made name."""

import re
import sys
from pathlib import Path

import pytest

from agent_conformance.attach.loading import AgentNotFound, load_agent
from agent_conformance.attach.ready_made import READY
from agent_conformance.commands.main import main


def test_every_adapter_is_listed_with_its_version_or_how_to_install_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["agents"]) == 0

    listed = dict(line.split(maxsplit=1) for line in capsys.readouterr().out.splitlines())
    assert listed == {ready.name: ready.version or ready.install for ready in READY}


def test_missing_framework_is_one_line_that_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "langchain", None)
    monkeypatch.setattr("agent_conformance.attach.ready_made.version", _nothing_is_installed)
    monkeypatch.delitem(sys.modules, "agent_conformance.agents.ready_made.langchain", raising=False)

    with pytest.raises(AgentNotFound) as raised:
        load_agent("langchain", cwd=Path.cwd())

    assert str(raised.value).startswith(
        "--agent=langchain: agent_conformance.agents.ready_made.langchain cannot be imported"
    )
    install = str(raised.value).partition("; install it: ")[2]
    assert re.fullmatch(r"pip install ('langchain[\w.>=-]*' )+langchain-aws", install)


def test_name_that_is_nearly_right_is_suggested() -> None:
    with pytest.raises(AgentNotFound, match=r"`agent-conformance agents` lists\. Did you mean langchain\?$"):
        load_agent("langchian", cwd=Path.cwd())


def test_agent_has_the_name_by_which_it_was_named() -> None:
    assert load_agent("google-genai", cwd=Path.cwd()).spec == "google-genai"


def _nothing_is_installed(name: str) -> str:
    from importlib.metadata import PackageNotFoundError

    raise PackageNotFoundError(name)
