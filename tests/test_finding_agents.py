"""The module behind `--agent` is the project's own, wherever else there is one of that name."""

import re
import sys
from pathlib import Path

import pytest

from agent_conformance.attach.loading import AgentNotFound, load_agent, written_in_file

ADAPTER = "class Adapter:\n    wires = ('openai-chat',)\n    mine = {mine}\n    def send(self, message): ...\n"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that stands last in `sys.path`, after one with a module of the same name."""
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


def test_agent_is_named_by_its_file(project: Path) -> None:
    assert load_agent("agent_of_two_places.py:Adapter", cwd=project).adapter.mine
    assert load_agent(f"{project}/agent_of_two_places.py:Adapter", cwd=project.parent).adapter.mine


def test_file_is_looked_for_in_the_project_after_the_working_directory(project: Path) -> None:
    agent = load_agent("project/agent_of_two_places.py:Adapter", cwd=project, root=project.parent)

    assert agent.adapter.mine


def test_missing_file_says_where_it_was_looked_for_and_how_a_module_is_written(project: Path) -> None:
    with pytest.raises(AgentNotFound) as raised:
        load_agent("tests/agent.py:Adapter", cwd=project)

    path = project / "tests/agent.py"
    assert str(raised.value) == (
        f"--agent=tests/agent.py:Adapter: there is no file {path}; a module is written tests.agent, without .py"
    )


def test_file_in_a_package_is_imported_as_a_part_of_it(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = project / "src" / "own_package_of_a_file"
    package.mkdir(parents=True)
    package.joinpath("__init__.py").write_text("WIRES = ('openai-chat',)\n")
    package.joinpath("adapter.py").write_text(
        "from . import WIRES\n\nclass Adapter:\n    wires = WIRES\n    def send(self, message): ...\n"
    )
    for name in ("own_package_of_a_file", "own_package_of_a_file.adapter"):
        monkeypatch.delitem(sys.modules, name, raising=False)

    agent = load_agent("src/own_package_of_a_file/adapter.py:Adapter", cwd=project)

    assert agent.adapter.__module__ == "own_package_of_a_file.adapter"


def test_file_may_have_the_name_of_a_module_that_is_imported_already(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.joinpath("json.py").write_text(ADAPTER.format(mine=True))
    monkeypatch.delitem(sys.modules, "agent_file_json", raising=False)

    assert load_agent("json.py:Adapter", cwd=project).adapter.mine
    assert "loads" in dir(sys.modules["json"])


def test_mistake_in_a_file_names_its_line(project: Path) -> None:
    project.joinpath("broken_file_of_an_agent.py").write_text("\n1 / 0\n")

    with pytest.raises(AgentNotFound, match=r"broken_file_of_an_agent cannot be .*: ZeroDivisionError: .*\.py:2\)"):
        load_agent("broken_file_of_an_agent.py:Adapter", cwd=project)


@pytest.mark.parametrize(
    ("errors", "message"),
    [
        ("5", "`errors` is 5; write a tuple of exception classes"),
        ("('MyError',)", "`errors` has 'MyError', which is no module; of a class, write the class itself"),
        ("(5,)", "`errors` has 5, which is no exception class"),
        ("('./',)", "`errors` has './'; write a module or package, such as 'haystack.core'"),
        ("(Exception,)", "`errors` has Exception, which would hide crashes"),
    ],
)
def test_errors_that_are_no_exception_classes_are_reported(project: Path, errors: str, message: str) -> None:
    project.joinpath("agent_of_two_places.py").write_text(ADAPTER.format(mine=True) + f"    errors = {errors}\n")

    with pytest.raises(AgentNotFound) as raised:
        load_agent("agent_of_two_places:Adapter", cwd=project)

    assert message in str(raised.value)


def test_agent_in_a_package_by_its_former_name_is_told_the_name_of_today(tmp_path: Path) -> None:
    with pytest.raises(AgentNotFound, match=r"conformance\.reference was not found.*; it is called agent_conformance"):
        load_agent("conformance.reference:Adapter", cwd=tmp_path)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("agent = 'agent_of_two_places:Adapter'", "agent_of_two_places:Adapter"),
        ("cmd = 'node agent.mjs --fast'", "cmd:node agent.mjs --fast"),
        (
            """acp = "my-agent --acp --model='{model}'"\nwire = "openai-chat"\nhome = "my home"\n"""
            """[variables]\nMY_CONFIG = '{"url": "{base_url}"}'""",
            "acp:wire=openai-chat 'home=my home' "
            """'MY_CONFIG={"url": "{base_url}"}' my-agent --acp --model='{model}'""",
        ),
    ],
)
def test_file_says_which_agent(project: Path, text: str, says: str) -> None:
    (project / "agent.toml").write_text(text)

    assert written_in_file("@agent.toml", project) == (says, project)
    assert written_in_file("@project/agent.toml", project / "src", project.parent) == (says, project)


def test_agent_of_a_file_is_named_by_it(project: Path) -> None:
    (project / "agent.toml").write_text("agent = 'agent_of_two_places:Adapter'")

    agent = load_agent("@project/agent.toml", cwd=project.parent)

    assert (agent.spec, agent.adapter.mine) == ("@project/agent.toml", True)  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (None, "there is no file "),
        ("agent = ", "agent.toml is no TOML file: "),
        ("wire = 'openai-chat'", "has no agent; write one of agent = "),
        ("agent = 'a:B'\ncmd = 'x'", "has agent and cmd; write one of "),
        ("acp = 'x'\nsied = 'y'", "has 'sied'; with acp it may have wire, model, mode, "),
        ("cmd = 'x'\nwire = 'y'", "has 'wire'; with cmd it may have nothing but cmd"),
        ("acp = ['x']", "acp is ['x']; write a text"),
        ("cmd = 'x'\n[variables]\nA = 'b'", "variables belong to acp; a command has them in front"),
    ],
)
def test_file_that_does_not_say_which_agent_is_one_line(project: Path, text: str | None, words: str) -> None:
    if text is not None:
        (project / "agent.toml").write_text(text)

    with pytest.raises(AgentNotFound, match=re.escape(words)):
        load_agent("@agent.toml", cwd=project)
