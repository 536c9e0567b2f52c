"""`agent-conformance mutants`: what it prints, and with which code it ends."""

import itertools
import re
import sys
from pathlib import Path

import pytest

from agent_conformance.commands.main import main
from agent_mutants import MUTANTS, command


@pytest.mark.slow
def test_named_mutant_is_caught_by_the_scenario_it_names(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["mutants", "M2a", "--named"]) == 0
    assert capsys.readouterr().out.endswith("1 mutant, 1 caught\n")


def test_progress_is_on_one_line_of_a_terminal_and_nowhere_else(
    scenarios: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert main(["mutants", "M2a", "--scenarios", str(scenarios)]) == 0
    assert capsys.readouterr().err == ""

    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    assert main(["mutants", "M2a", "--scenarios", str(scenarios)]) == 0
    assert capsys.readouterr().err == "\r\033[K1 of 1 mutants, M2a_prune_first_user\r\033[K"


def test_pipe_gets_a_line_of_progress_for_each_minute(
    scenarios: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    minutes = itertools.count(step=100)
    monkeypatch.setattr(command.time, "monotonic", lambda: next(minutes))

    assert main(["mutants", "M2a", "M2b", "--scenarios", str(scenarios)]) == 0
    first, second = capsys.readouterr().err.splitlines()
    assert first.startswith("1 of 2 mutants, M2a_")
    assert second.startswith("2 of 2 mutants, M2b_")
    assert second.endswith(" minutes left")


def test_scenario_of_a_project_shows_which_mutants_it_catches(
    scenarios: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["mutants", "M5d_*", "M2a_*", "--scenarios", str(scenarios)]) == 0

    first, *_, last = capsys.readouterr().out.splitlines()
    assert first.split()[:2] == ["M5d_abort_run", "incidents/invented-tool"]
    assert last.endswith(" mutants, 1 caught")


def test_unknown_mutant_is_a_usage_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["mutants", "M2a", "M99"]) == 2
    said = capsys.readouterr().err
    assert re.fullmatch(r"no mutant `M99`\. Did you mean `M\d+`\? `--list` prints them\.\n", said)


def test_an_area_is_a_folder_of_scenarios_too(scenarios: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["mutants", "M2a_*", "--scenarios", str(next(scenarios.iterdir()))]) == 0
    assert capsys.readouterr().err == ""


def test_folder_without_scenarios_is_a_usage_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["mutants", "--scenarios", str(tmp_path)]) == 2
    assert capsys.readouterr().err == f"{tmp_path}: there are no scenarios in it\n"


def test_list_prints_every_mutant_and_runs_none(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["mutants", "--list"]) == 0

    printed = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in printed] == [mutant.name for mutant in MUTANTS]
