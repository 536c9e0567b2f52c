"""The bundled scenarios, which one process of the tests reads once."""

from functools import cache

from agent_conformance.scenario.files import bundled_scenarios
from agent_conformance.scenario.loading import AREAS, ScenarioFile, load_folder
from agent_conformance.scenario.yaml_files import Problem


@cache
def bundled() -> tuple[tuple[ScenarioFile, ...], tuple[Problem, ...]]:
    return load_folder(bundled_scenarios(), areas=AREAS)


def bundled_files() -> tuple[ScenarioFile, ...]:
    files, problems = bundled()
    assert not problems, problems
    return files
