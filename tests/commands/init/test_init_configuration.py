"""The keys for pytest go into the file that pytest reads, and nothing else in it changes."""

import pytest

from tests.commands.init.project import Project, run

AGENT = 'agent = "agent_adapter:Adapter"\n'
TABLE = "[tool.pytest.ini_options]\n"

BEFORE_AND_AFTER = {
    "pyproject without a table": (
        "pyproject.toml",
        '[tool.ruff]\nselect = [\n  "E", # why\n]\n',
        '[tool.ruff]\nselect = [\n  "E", # why\n]\n\n' + TABLE + AGENT,
    ),
    "no line end at the end": ("pyproject.toml", "[tool.ruff]", "[tool.ruff]\n\n" + TABLE + AGENT),
    "a table, and a comment on the next one": (
        "pyproject.toml",
        "[ tool.pytest . ini_options ]  # ours\nminversion='8'\n\n# style\n[tool.ruff]\n",
        "[ tool.pytest . ini_options ]  # ours\n" + AGENT + "minversion='8'\n\n# style\n[tool.ruff]\n",
    ),
    "line ends of Windows": (
        "pyproject.toml",
        "[tool.pytest.ini_options]\r\naddopts = '-q'\r\n",
        TABLE.replace("\n", "\r\n") + AGENT.replace("\n", "\r\n") + "addopts = '-q'\r\n",
    ),
    "pytest's own types": (
        "pyproject.toml",
        '[tool.pytest]\nminversion = "9"\n',
        "[tool.pytest]\n" + AGENT + 'minversion = "9"\n',
    ),
    "pytest.toml": ("pytest.toml", '[pytest]\naddopts = ["-q"]\n', "[pytest]\n" + AGENT + 'addopts = ["-q"]\n'),
    "pytest.ini": (
        "pytest.ini",
        "[pytest]\n# a\naddopts = -q\n",
        "[pytest]\nagent = agent_adapter:Adapter\n# a\naddopts = -q\n",
    ),
    "an empty pytest.ini": ("pytest.ini", "", "[pytest]\nagent = agent_adapter:Adapter\n"),
    "tox.ini": (
        "tox.ini",
        "[tox]\nenvlist = py\n\n[pytest]\naddopts =\n    -q\n",
        "[tox]\nenvlist = py\n\n[pytest]\nagent = agent_adapter:Adapter\naddopts =\n    -q\n",
    ),
    "setup.cfg": (
        "setup.cfg",
        "[tool:pytest]\naddopts = -q\n",
        "[tool:pytest]\nagent = agent_adapter:Adapter\naddopts = -q\n",
    ),
}


@pytest.mark.parametrize("case", BEFORE_AND_AFTER)
def test_keys_are_added_and_the_rest_stays(project: Project, case: str) -> None:
    name, before, after = BEFORE_AND_AFTER[case]
    project.write(name, before)
    printed = project.init("--for", "openai")

    assert project.read(name) == after
    assert f"added {name} pytest's options agent" in printed


def test_without_any_file_pytest_ini_is_written(project: Project) -> None:
    assert "written pytest.ini pytest's options agent" in project.init("--for", "openai")
    assert project.read("pytest.ini") == "[pytest]\nagent = agent_adapter:Adapter\n"


def test_file_that_pytest_prefers_gets_the_keys(project: Project) -> None:
    project.write("pyproject.toml", "[tool.ruff]\n")
    project.write("tox.ini", "[pytest]\n")
    project.init("--for", "openai")

    assert project.read("pyproject.toml") == "[tool.ruff]\n"  # a table there would hide the one of tox.ini
    assert "agent = agent_adapter:Adapter" in project.read("tox.ini")


def test_agent_that_is_configured_stays_and_gets_no_adapter(project: Project) -> None:
    before = TABLE + 'agent = "shop.conformance:Adapter"\n'
    project.write("pyproject.toml", before)
    printed = project.init("--for", "openai")

    assert project.read("pyproject.toml") == before
    assert "left out agent_adapter.py the configured agent is shop.conformance:Adapter" in printed
    assert printed[-2].endswith("agent-conformance doctor --agent=shop.conformance:Adapter")
    assert project.commands_in_ci()[-1] == "pytest --agent=shop.conformance:Adapter --agent-isolate"
    assert not (project.folder / "agent_adapter.py").exists()


@pytest.mark.parametrize(
    "odd", ['[tool]\npytest.ini_options.addopts = "-q"\n', "tool = {pytest = {ini_options = {}}}\n"]
)
def test_table_of_another_form_is_left_alone(project: Project, odd: str) -> None:
    project.write("pyproject.toml", odd)
    printed = project.init("--for", "openai")

    assert project.read("pyproject.toml") == odd
    assert any('add yourself: agent = "agent_adapter:Adapter"' in line for line in printed)


def test_configuration_above_is_not_replaced(project: Project) -> None:
    project.write("pytest.ini", "[pytest]\nagent = other:Adapter\n")
    project.write("services/support/scenarios/load.py", "from locust import task\n")
    project.write("services/support/src/support/__init__.py")
    printed = project.init("--for", "openai", "--to", "services/support")

    assert project.read("pytest.ini") == "[pytest]\nagent = other:Adapter\n"
    assert not list(project.folder.glob("services/**/pytest.ini"))
    assert any("configures pytest for this folder too" in line for line in printed)
    expected = "pytest --agent=agent_adapter:Adapter --agent-scenarios=agent-scenarios -o pythonpath=src"
    assert printed[-1] == f"then: {expected}"


def test_source_folder_is_put_on_the_path(project: Project) -> None:
    project.write("pyproject.toml", '[project]\nname = "shop"\n')
    project.write("src/shop/__init__.py")
    project.init("--for", "openai")

    assert project.read("pyproject.toml").endswith(TABLE + AGENT + 'pythonpath = ["src"]\n')


@pytest.mark.slow
@pytest.mark.parametrize("paths", ['["lib", "src"]', '"lib src"'])
def test_doctor_finds_what_pytest_finds(project: Project, paths: str) -> None:
    project.write("pyproject.toml", f"{TABLE}pythonpath = {paths}\n")
    project.write("src/shop/__init__.py", "NAME = 'shop'\n")
    project.init("--for", "http")
    adapter = project.read("agent_adapter.py")
    project.write("agent_adapter.py", adapter.replace("import httpx2\n", "import httpx2\nfrom shop import NAME\n"))

    doctor = run(project.folder, "agent-conformance", "doctor", "--agent=agent_adapter:Adapter")

    assert doctor.returncode == 0, doctor.stdout + doctor.stderr


def test_path_that_is_configured_stays(project: Project) -> None:
    project.write("pyproject.toml", TABLE + 'pythonpath = ["lib"]\n')
    project.write("src/shop/__init__.py")
    printed = project.init("--for", "openai")

    assert project.read("pyproject.toml") == TABLE + AGENT + 'pythonpath = ["lib"]\n'
    assert "note: pythonpath of pyproject.toml lacks src, where the package is" in printed
