"""Units are measured in several processes, and their map is that of one."""

import os
from pathlib import Path

import pytest

from tests.tools.mutation import toy
from tools.mutation import coverage_map
from tools.mutation.coverage_map import known_map

FILE = "tests/tools/mutation/toy.py"
UNITS = ("many", "kept", "fails", "many again", "kept again")


@pytest.fixture(autouse=True)
def chunks_of_two(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(coverage_map, "CHUNK", 2)
    monkeypatch.setattr(coverage_map, "FOLDER", tmp_path)
    monkeypatch.setattr(coverage_map, "READ", ("tests/tools",))


def run(unit: int) -> bool:
    if UNITS[unit].startswith("many"):
        return toy.is_many(3)
    if UNITS[unit].startswith("kept"):
        return toy.kept(["a"]) == ["a"]
    return False


def run_to_the_third(unit: int) -> bool:
    return unit < 2 or os._exit(3)


def test_units_of_all_chunks_are_in_the_map_by_their_numbers() -> None:
    found = known_map("toys", UNITS, run, [FILE])

    assert (found.lines[FILE][7], found.lines[FILE][11]) == ([0, 3], [1, 4])
    assert (found.failing, len(found.seconds)) == ([2], 5)


def test_chunk_that_ends_without_a_map_is_named() -> None:
    with pytest.raises(RuntimeError, match="toys 2 to 3 could not be run for coverage: the process ended with 3"):
        known_map("toys", UNITS, run_to_the_third, [FILE])
