"""`agent-conformance mutants` over many mutants: what they leave behind ends with the process of each batch."""

import pytest

from agent_conformance.scenario.loading import ScenarioFile
from agent_mutants import MUTANTS, command
from agent_mutants.command import MutantResult
from tests.bundled import bundled_files


@pytest.fixture
def files() -> list[ScenarioFile]:
    files = bundled_files()
    return [file for file in files if file.id == "declarations/offered-whole"]


def of(*beginnings: str, files: list[ScenarioFile]) -> list[MutantResult]:
    chosen = [mutant for name in beginnings for mutant in MUTANTS if mutant.name.startswith(f"{name}_")]
    return list(command.results_of_all(chosen, files))


@pytest.mark.slow
def test_results_of_several_processes_are_those_of_one(
    files: list[ScenarioFile], monkeypatch: pytest.MonkeyPatch
) -> None:
    names = "M19c", "M19h", "M1a"
    in_this_process = of(*names, files=files)
    monkeypatch.setattr(command, "BATCH", 1)
    monkeypatch.setattr(command, "result_of", None)  # of this process

    in_others = of(*names, files=files)

    assert in_others == in_this_process
    assert [result.mutant.partition("_")[0] for result in in_others] == [*names]
    assert [result.catching for result in in_others] == [["declarations/offered-whole"]] * 2 + [[]]


def test_few_mutants_need_no_other_process(files: list[ScenarioFile], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "ProcessPoolExecutor", None)

    assert [result.mutant for result in of("M19c", files=files)] == ["M19c_optional_dropped"]
