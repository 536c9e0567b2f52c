"""The module behind `--agent` is the project's own, wherever else one of that name lies."""

import sys
from pathlib import Path

import pytest

from conformance.agents.loading import AgentNotFound, load_agent

ADAPTER = "class Adapter:\n    wires = ('openai-chat',)\n    mine = {mine}\n    def send(self, message): ...\n"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that stands last in `sys.path`, behind one with a module of the same name."""
    monkeypatch.setattr(sys, "path", [*sys.path, str(tmp_path / "library"), str(tmp_path / "project")])
    for name in ("library", "project"):
        tmp_path.joinpath(name).mkdir()
        tmp_path.joinpath(name, "agent_of_two_places.py").write_text(ADAPTER.format(mine=name == "project"))
    monkeypatch.delitem(sys.modules, "agent_of_two_places", raising=False)
    return tmp_path / "project"


def test_module_of_the_working_directory_comes_first(project: Path) -> None:
    agent = load_agent("agent_of_two_places:Adapter", cwd=project)

    assert agent.adapter.mine


def test_missing_module_names_the_working_directory(project: Path) -> None:
    with pytest.raises(AgentNotFound, match=f"nosuch was not found; looked in {project} and the environment"):
        load_agent("nosuch:Adapter", cwd=project)


def test_file_name_for_a_module_is_told_without_its_ending(project: Path) -> None:
    with pytest.raises(AgentNotFound, match=r"write agent_of_two_places, without \.py$"):
        load_agent("agent_of_two_places.py:Adapter", cwd=project)


@pytest.mark.parametrize(
    ("errors", "said"),
    [
        ("5", "`errors` is 5; write a tuple of exception classes"),
        ("('MyError',)", "`errors` has 'MyError', which is no exception class"),
        ("(Exception,)", "`errors` has Exception, which would hide crashes"),
    ],
)
def test_errors_that_are_no_exception_classes_are_told(project: Path, errors: str, said: str) -> None:
    project.joinpath("agent_of_two_places.py").write_text(ADAPTER.format(mine=True) + f"    errors = {errors}\n")

    with pytest.raises(AgentNotFound) as raised:
        load_agent("agent_of_two_places:Adapter", cwd=project)

    assert said in str(raised.value)
