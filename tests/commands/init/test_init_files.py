"""`init` overwrites nothing, finds the right place for scenarios, and says what it did."""

import json
import re
import shlex
from pathlib import Path

import pytest
import yaml

from agent_conformance.commands.main import main
from agent_conformance.machine.installation import DISTRIBUTION, ELSEWHERE, install_command, requirements_of
from agent_conformance.scenario.loading import load_folder
from tests.commands.init.project import WORKFLOW, Project

SCENARIO = "incidents/order-is-looked-up.yaml"
SETUPTOOLS = '[build-system]\nbuild-backend = "setuptools.build_meta"\n[project]\nname = "shop"\n'


def test_first_run_says_what_it_wrote_and_what_to_type(project: Project) -> None:
    assert project.init("--for", "openai") == [
        "--for openai: as --for says",
        "",
        "written agent_adapter.py the adapter: put your agent in at YOUR AGENT",
        "written pytest.ini pytest's options agent",
        "written scenarios/scenario.schema.json completes scenarios in editors",
        f"written scenarios/{SCENARIO} a first scenario",
        f"written {WORKFLOW} the same run in CI",
        "",
        "note: add the suite to what your tests install: without it pytest does not know these options",
        "note: no package index has the suite: in agent-conformance.yml, put the address of its repository in place of "
        "git+https://YOUR-HOST/agent-conformance.git",
        "next: agent-conformance doctor --agent=agent_adapter:Adapter",
        "then: pytest --agent=agent_adapter:Adapter",
    ]


@pytest.mark.parametrize("second", [[], ["--for", "openai"], ["--for", "node"]])
def test_second_run_changes_nothing(project: Project, second: list[str]) -> None:
    project.write("src/shop/__init__.py")
    project.write("pyproject.toml", "[tool.ruff]\n")
    project.init("--for", "openai")
    before = project.files()
    printed = project.init(*second)

    assert project.files() == before
    assert not [line for line in printed if line.startswith(("written ", "added "))]
    assert [line for line in printed if line.startswith("kept ")]


@pytest.mark.parametrize(
    "path", ["agent_adapter.py", WORKFLOW, "scenarios/scenario.schema.json", f"scenarios/{SCENARIO}"]
)
def test_file_that_is_there_is_kept_and_named(project: Project, path: str) -> None:
    project.write(path, "conversation: mine")
    printed = project.init("--for", "openai")

    assert project.read(path) == "conversation: mine"
    assert any(line.startswith(f"kept {path} ") for line in printed)


def test_schema_of_another_version_is_kept_with_the_way_to_renew_it(project: Project) -> None:
    project.write("scenarios/scenario.schema.json", "{}")

    assert (
        "kept scenarios/scenario.schema.json of another version; `agent-conformance schema` prints today's"
        in project.init("--for", "openai")
    )


def test_schema_is_what_the_command_prints_and_the_scenario_names_it(project: Project) -> None:
    project.init("--for", "openai")
    main(["schema"])

    assert project.read("scenarios/scenario.schema.json") == project.capsys.readouterr().out
    named = re.match(r"# yaml-language-server: \$schema=(\S+)\n", project.read(f"scenarios/{SCENARIO}"))
    assert named
    schema = project.folder / "scenarios" / "incidents" / named[1]
    assert json.loads(schema.read_text())["title"]


def test_scenario_is_right(project: Project) -> None:
    project.init("--for", "openai")
    files, problems = load_folder(project.folder / "scenarios")

    assert [file.id for file in files] == ["incidents/order-is-looked-up"]
    assert not problems


def test_project_that_has_scenarios_gets_no_other(project: Project) -> None:
    project.init("--for", "openai")
    path = project.folder / "scenarios" / SCENARIO
    path.rename(path.with_name("mine.yaml"))

    assert f"left out scenarios/{SCENARIO} there are scenarios already" in project.init()
    assert not path.exists()


@pytest.mark.parametrize(
    "foreign", [{"login.feature": "Feature: x\n"}, {"load.py": "import locust\n"}, {"a/b.yaml": "users: 5\n"}]
)
def test_foreign_folder_of_scenarios_is_left_alone(project: Project, foreign: dict[str, str]) -> None:
    for path, text in foreign.items():
        project.write(f"scenarios/{path}", text)
    printed = project.init("--for", "openai")

    assert {path.removeprefix("scenarios/") for path in project.files() if path.startswith("scenarios/")} == set(
        foreign
    )
    assert f"written agent-scenarios/{SCENARIO} a first scenario" in printed
    assert "agent_scenarios = agent-scenarios\n" in project.read("pytest.ini")
    assert "note: scenarios/ holds something else, so the scenarios are in agent-scenarios/" in printed


def test_folder_that_is_configured_gets_the_scenario(project: Project) -> None:
    project.write("pyproject.toml", '[tool.pytest.ini_options]\nagent_scenarios = ["qa/agent"]\n')

    assert f"written qa/agent/{SCENARIO} a first scenario" in project.init("--for", "openai")


@pytest.mark.parametrize(
    ("files", "folder"),
    [
        ({"pyproject.toml": SETUPTOOLS, "shop/__init__.py": ""}, "agent-scenarios"),
        ({"pyproject.toml": '[project]\nname = "shop"\n', "shop/__init__.py": ""}, "agent-scenarios"),
        ({"setup.py": "setup(name='shop')\n", "shop/__init__.py": ""}, "agent-scenarios"),
        ({"setup.py": "setup(packages=find_packages())\n", "shop/__init__.py": ""}, "scenarios"),
        ({"pyproject.toml": SETUPTOOLS, "src/shop/__init__.py": ""}, "scenarios"),
        ({"pyproject.toml": SETUPTOOLS + "[tool.setuptools.packages.find]\n", "shop/__init__.py": ""}, "scenarios"),
        ({"pyproject.toml": SETUPTOOLS.replace("setuptools.build_meta", "hatchling.build")}, "scenarios"),
        ({"pyproject.toml": '[project]\nname = "shop"\n', "uv.lock": "", "shop/__init__.py": ""}, "scenarios"),
    ],
)
def test_folder_that_setuptools_would_pack_has_another_name(
    project: Project, files: dict[str, str], folder: str
) -> None:
    """With `scenarios/` beside a package that nobody names, `pip install .` fails."""
    for path, text in files.items():
        project.write(path, text)
    printed = project.init("--for", "openai")

    assert f"written {folder}/{SCENARIO} a first scenario" in printed
    assert "written agent_adapter.py the adapter: put your agent in at YOUR AGENT" in printed


def test_adapter_beside_a_single_module_of_setuptools_is_in_tests(project: Project) -> None:
    project.write("pyproject.toml", SETUPTOOLS)
    project.write("shop.py")
    printed = project.init("--for", "openai")

    assert (project.folder / "tests" / "agent_adapter.py").is_file()
    assert printed[-1] == "then: pytest --agent=tests.agent_adapter:Adapter"


def test_folder_that_is_not_there_is_made(project: Project) -> None:
    printed = project.init("--for", "openai", "--to", "deep/new")

    assert (project.folder / "deep" / "new" / "agent_adapter.py").is_file()
    assert "next: cd deep/new" in printed


def test_file_for_a_folder_is_refused(project: Project) -> None:
    path = project.write("a.txt")

    assert main(["init", "--to", str(path)]) == 2
    assert project.capsys.readouterr().err == f"--to={path}: is a file; name the project's folder\n"


def test_file_that_cannot_be_written_is_named(project: Project) -> None:
    project.write(".github", "a file")

    assert main(["init", "--for", "openai"]) == 1
    assert ".github/workflows: cannot be written: " in project.capsys.readouterr().err


def test_package_that_is_missing_is_the_first_thing_to_install(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("agent_conformance.commands.init.command._is_installed", lambda module: False)

    [line] = [line for line in project.init("--for", "langchain") if line.startswith("next: ")]
    assert line == f"next: {install_command('langchain')}"
    assert not any("pip install" in line for line in project.init())  # the adapter is not of this run


def test_workflow_of_a_folder_below_lies_at_the_root_of_the_repository(project: Project) -> None:
    (project.folder / ".git").mkdir()
    printed = project.init("--for", "openai", "--to", "services/support")
    path = ".github/workflows/agent-conformance-services-support.yml"

    assert f"written ../../{path} the same run in CI" in printed
    [job] = yaml.safe_load(project.read(path))["jobs"].values()
    assert job["defaults"] == {"run": {"working-directory": "services/support"}}


@pytest.mark.parametrize(
    ("files", "kind", "commands"),
    [
        (
            {"pyproject.toml": '[project]\nname = "shop"\nversion = "1"\ndependencies = ["openai"]\n'},
            "openai",
            [f"pip install . {ELSEWHERE}", "pytest --agent=agent_adapter:Adapter --agent-isolate"],
        ),
        (
            {"pyproject.toml": "[tool.ruff]\n", "requirements.txt": "pytest-agent-conformance\n"},
            "anthropic",
            ["pip install -r requirements.txt anthropic", "pytest --agent=agent_adapter:Adapter --agent-isolate"],
        ),
        (
            {"setup.py": ""},
            "langchain",
            [
                f"pip install . {ELSEWHERE} {shlex.join(requirements_of('langchain'))}",
                "pytest --agent=agent_adapter:Adapter --agent-isolate",
            ],
        ),
        (
            {"uv.lock": "", "pyproject.toml": '[project]\nname = "shop"\ndependencies = ["openai"]\n'},
            "openai",
            [
                "pip install uv",
                f"uv run --with {ELSEWHERE} pytest --agent=agent_adapter:Adapter --agent-isolate",
            ],
        ),
        (
            {"package.json": "{}", "package-lock.json": "{}"},
            "node",
            ["npm ci", f"pip install {ELSEWHERE}", 'pytest --agent="cmd:node agent_adapter.mjs"'],
        ),
        ({}, "http", [f"pip install {ELSEWHERE}", "pytest --agent=agent_adapter:Adapter --agent-isolate"]),
        (
            {},
            "openai",
            [f"pip install {ELSEWHERE} openai", "pytest --agent=agent_adapter:Adapter --agent-isolate"],
        ),
        (  # no version: pip refuses it
            {"pyproject.toml": '[project]\nname = "shop"\ndependencies = ["openai>=3"]\n'},
            "openai",
            [
                f"pip install 'openai>=3' {ELSEWHERE}",
                "pytest --agent=agent_adapter:Adapter --agent-isolate",
            ],
        ),
        (  # two modules, and nobody says which of them are to be packed: setuptools refuses that
            {"pyproject.toml": '[project]\nname = "shop"\nversion = "1"\n', "bot.py": "", "shop.py": ""},
            "openai",
            [f"pip install {ELSEWHERE} openai", "pytest --agent=agent_adapter:Adapter --agent-isolate"],
        ),
        (
            {"pyproject.toml": '[project]\nname = "shop"\n', "requirements-dev.txt": "openai\n"},
            "openai",
            [
                f"pip install -r requirements-dev.txt {ELSEWHERE}",
                "pytest --agent=agent_adapter:Adapter --agent-isolate",
            ],
        ),
    ],
)
def test_workflow_installs_the_project_and_runs_the_same_line(
    project: Project, files: dict[str, str], kind: str, commands: list[str]
) -> None:
    for path, text in files.items():
        project.write(path, text)
    printed = project.init("--for", kind)

    assert [command.replace("--agent=tests.", "--agent=") for command in project.commands_in_ci()] == commands
    at_home = project.commands_in_ci()[-1].removeprefix(f"uv run --with {ELSEWHERE} ")
    assert printed[-1] == f"then: {at_home.removesuffix(' --agent-isolate')}"


@pytest.mark.parametrize(
    ("wanted", "taken"), [("", "3.11"), (">=3.9", "3.11"), (">=3.12,<4", "3.12"), ("~=3.13.1", "3.13")]
)
def test_workflow_has_the_lowest_python_that_fits(project: Project, wanted: str, taken: str) -> None:
    project.write("pyproject.toml", f'[project]\nname = "shop"\nrequires-python = "{wanted}"\n')
    project.init("--for", "openai")

    assert f'python-version: "{taken}"' in project.read(WORKFLOW)


@pytest.mark.parametrize(
    ("suite", "written"),
    [(DISTRIBUTION, DISTRIBUTION), ("git+https://example.org/suite@abc", "git+https://example.org/suite@abc")],
)
def test_workflow_installs_the_suite_from_where_it_was_installed(
    project: Project, monkeypatch: pytest.MonkeyPatch, suite: str, written: str
) -> None:
    monkeypatch.setattr("agent_conformance.commands.init.plan.suite_for_pip", lambda: suite)
    printed = project.init("--for", "http")

    assert project.commands_in_ci()[0] == f"pip install {written}"
    assert not any("no package index has the suite" in line for line in printed)


def test_address_is_asked_for_until_it_is_filled_in(project: Project) -> None:
    project.init("--for", "http")
    assert any("no package index has the suite" in line for line in project.init())

    project.write(WORKFLOW, project.read(WORKFLOW).replace(ELSEWHERE, "git+https://example.org/suite"))
    assert not any("no package index has the suite" in line for line in project.init())


def test_workflow_runs_the_line_of_the_readme(project: Project) -> None:
    project.write(
        "pyproject.toml", '[project]\nname = "shop"\n[tool.setuptools]\npackages = ["shop"]\ndependencies = []\n'
    )
    project.init("--for", "http")
    steps = yaml.safe_load(project.read(WORKFLOW))["jobs"]["agent"]["steps"]
    readme = (Path(__file__).parents[3] / "README.md").read_text(encoding="utf-8")

    for step in steps:
        assert step.get("uses", step.get("run", "")).replace("agent_adapter:", "mymodule:") in readme
