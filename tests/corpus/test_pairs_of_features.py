"""The scenarios of `tools/pairs.py` are those in the corpus, and what it leaves out cannot be said."""

import copy

import pytest

from agent_conformance.scenario.files import bundled_scenarios
from agent_conformance.scenario.loading import validated
from agent_conformance.scenario.model import Scenario
from tools import pairs_in_a_turn
from tools.pairs import FEATURES, UNSAID, files, pair

FOLDER = bundled_scenarios() / "pairs"


def test_files_are_as_they_are_written() -> None:
    written = {path.name: path.read_text(encoding="utf-8") for path in FOLDER.glob("*.yaml")}

    assert written == files(), "write them again: ./dev python -m tools pairs"


@pytest.mark.parametrize(("one", "other"), UNSAID)
def test_pair_that_is_left_out_is_refused(one: str, other: str) -> None:
    document, _ = pair(one, other)

    assert not isinstance(validated(copy.deepcopy(document)), Scenario)


def test_each_feature_is_in_as_many_pairs() -> None:
    between = [name for name in files() if "-and-" in name]
    within = [name for name in files() if "-with-" in name]

    assert len(between) + len(UNSAID) == _pairs_of(len(FEATURES))
    assert len(within) + len(pairs_in_a_turn.UNSAID) == _pairs_of(len(pairs_in_a_turn.FEATURES))


def _pairs_of(count: int) -> int:
    return count * (count - 1) // 2
