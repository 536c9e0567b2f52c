"""What a run without `--agent-profile` plays: of some scenarios not every example, and still something for each bug."""

import json
from pathlib import Path

from agent_conformance.scenario.files import Patterns, bundled_scenarios
from agent_conformance.scenario.files.selection import default_examples
from agent_mutants import MUTANTS
from tests.bundled import bundled_files
from tests.docs.shares import is_played as is_played_of
from tests.docs.shares import shares
from tests.wrong_agents.wrong import wrong_agents

EXAMPLES = default_examples(bundled_scenarios())
FILES = bundled_files()
FOUND = Path(__file__).parents[1] / "mutants" / "findings_of_mutants.jsonl"


FARTHEST = 10
"""Percentage points."""


def is_played(name: str) -> bool:
    """Whether a row or a scenario is run by default."""
    return is_played_of(f"{name}@openai-chat+plain", Patterns(EXAMPLES))


def names_of_rows() -> set[str]:
    return {f"{file.id}[{row}]" for file in FILES for row in file.rows if row is not None}


def test_every_name_is_that_of_an_example() -> None:
    assert names_of_rows() >= EXAMPLES


def test_no_scenario_names_all_its_examples() -> None:
    whole = {file.id for file in FILES if all(f"{file.id}[{row}]" in EXAMPLES for row in file.rows)}

    assert whole == set()


def test_every_mutant_is_caught_by_something_that_is_played() -> None:
    caught = {mutant.name: set[str]() for mutant in MUTANTS if mutant.reachable}
    for line in filter(None, FOUND.read_text(encoding="utf-8").split("\n")):
        found = json.loads(line)
        caught[found["mutant"]].add(found["case"].partition("@")[0])
    for mutant in MUTANTS:
        for pair in mutant.pairs if mutant.reachable else ():
            surely = (
                file.id if row is None else f"{file.id}[{row}]"
                for file in FILES
                for row in file.rows
                if pair.names_row(file.id, row) and (pair.rows or len(file.rows) == 1)
            )
            caught[mutant.name].update(surely)

    assert [name for name, cases in caught.items() if not any(map(is_played, cases))] == []


def test_every_wrong_agent_is_caught_by_something_that_is_played() -> None:
    unseen = [
        agent.name
        for agent in wrong_agents()
        if not any(
            agent.names(file.id) if row is None else agent.names_row(file.id, row) and is_played(f"{file.id}[{row}]")
            for file in FILES
            for row in file.rows
        )
    ]

    assert unseen == []


def test_cases_of_a_run_are_divided_as_reports_are() -> None:
    far = {name: found[:2] for name, found in shares().items() if abs(found[0] - found[1]) > FARTHEST}

    assert far == {}
