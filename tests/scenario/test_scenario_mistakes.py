"""Each mistake is one sentence at its line."""

from pathlib import Path

import jsonschema_rs
import pytest
from scenario_mistakes import MISTAKES, RIGHT, Mistake

from agent_conformance.scenario.loading import ScenarioFile
from agent_conformance.scenario.yaml_files.reading import read
from tools.schema_of_scenarios import scenario_schema

SCHEMA = jsonschema_rs.validator_for(scenario_schema())
CASES = [pytest.param(mistake, id=name) for name, mistake in MISTAKES.items()]


def test_the_right_scenario_is_loaded(load):
    assert isinstance(load(RIGHT), ScenarioFile)
    assert SCHEMA.is_valid(read(RIGHT.encode()).value)


@pytest.mark.parametrize("mistake", CASES)
def test_mistake_is_one_sentence_at_its_line(load, mistake: Mistake):
    problems = load(mistake.text)

    assert isinstance(problems, list)
    assert [problem.line for problem in problems] == [mistake.line]
    assert problems[0].message.startswith(mistake.message)
    assert "invalid" not in problems[0].message.lower()


@pytest.mark.parametrize("mistake", [case for case in CASES if case.values[0].structural])
def test_structural_mistake_is_refused_by_the_schema_too(mistake: Mistake):
    assert not SCHEMA.is_valid(read(mistake.text.encode()).value)


def test_every_mistake_of_a_file_is_reported_by_line(load):
    text = RIGHT.replace("hardened", "hardend").replace("blank: false", "blank: no").replace("{city: Rome}", "7")

    problems = load(text)

    assert [problem.line for problem in problems] == [4, 15, 28]


def test_problem_reads_as_file_line_and_sentence(load, tmp_path: Path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    [problem] = load(RIGHT.replace("city: Oslo}", "city: Oslo, city: Rome}"), "tools/parallel-calls.yaml")

    assert str(problem) == ("tools/parallel-calls.yaml:21: `city` is given twice. Keep one; the other would be lost.")
