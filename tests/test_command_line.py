"""`agent-conformance`: what each command prints, and with which code it ends."""

import json
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from conformance.commands.main import main

SCENARIO = """\
# A tool that is not there was asked for, and the agent fell over.
description: an invented tool is answered
profile: hardened
wires: [openai-chat]
modes: [plain]

tools:
  - name: get_weather
    description: Current weather for a city.
    parameters: {city: string}
    returns: 7 degrees and rain

conversation:
  - user: What is the weather in Oslo?
    model:
      - calls: [{name: get_wether, arguments: {city: Oslo}}]
      - text: I do not know.
"""


@pytest.fixture
def scenarios(tmp_path: Path) -> Path:
    path = tmp_path / "incidents" / "invented-tool.yaml"
    path.parent.mkdir()
    path.write_text(SCENARIO)
    return tmp_path


def test_version_is_that_of_the_package(capsys: pytest.CaptureFixture[str]) -> None:
    project = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text(encoding="utf-8"))["project"]

    with pytest.raises(SystemExit) as ended:
        main(["--version"])

    assert ended.value.code == 0
    assert capsys.readouterr().out == f"agent-conformance {project['version']}\n"


def test_check_says_which_bundled_scenario_has_the_id_already(
    scenarios: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    own = scenarios / "incidents" / "invented-tool.yaml"
    (scenarios / "tool-names").mkdir()
    own.rename(scenarios / "tool-names" / "invented-name.yaml")

    assert main(["check", str(scenarios)]) == 1
    printed = capsys.readouterr().out
    assert "invented-name.yaml:1: the id tool-names/invented-name is already that of " in printed
    assert main(["check"]) == 0  # the bundled ones do not stand in their own way


def test_check_counts_what_is_right(scenarios: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(scenarios)]) == 0
    assert capsys.readouterr().out == "files: 1, scenarios with their examples: 1, problems: 0\n"


def test_check_names_what_is_wrong(scenarios: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = scenarios / "incidents" / "invented-tool.yaml"
    path.write_text(SCENARIO.replace("profile:", "profle:"))

    assert main(["check", str(scenarios)]) == 1
    assert "invented-tool.yaml:3: `profle`" in capsys.readouterr().out


def test_check_of_a_folder_that_is_not_there_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(tmp_path / "nowhere")]) == 2
    assert capsys.readouterr().err.endswith("nowhere: no such file or folder\n")


def test_named_mutant_dies_of_the_scenario_it_names(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["mutants", "M2a", "--named"]) == 0
    assert capsys.readouterr().out.endswith("mutants: 1, of which die: 1\n")


def test_scenario_of_a_project_shows_which_mutants_it_finds(
    scenarios: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["mutants", "M5d_*", "M2a_*", "--scenarios", str(scenarios)]) == 0

    first, *_, last = capsys.readouterr().out.splitlines()
    assert first.split()[:2] == ["M5d_abort_run", "incidents/invented-tool"]
    assert last.endswith(", of which die: 1")


def test_unknown_mutant_is_no_success(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["mutants", "M2a", "M99"]) == 2
    assert capsys.readouterr().err == "M99: no such mutant\n"


def test_folder_without_scenarios_is_no_success(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["mutants", "--scenarios", str(tmp_path)]) == 2
    assert capsys.readouterr().err == "there is no scenario to run\n"


def test_schema_is_that_of_the_corpus(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["schema"]) == 0
    assert json.loads(capsys.readouterr().out)["title"]


def test_a_reader_that_has_enough_is_no_fault() -> None:
    asked = [sys.executable, "-m", "conformance.commands.main", "rules"]
    with subprocess.Popen(asked, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as running:
        assert running.stdout is not None
        assert running.stderr is not None
        assert running.stdout.readline().startswith(b"openai/")
        running.stdout.close()

        assert running.stderr.read() == b""
    assert running.returncode == 0
