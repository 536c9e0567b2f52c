"""Which cases or tests run which lines, and which of them may notice a change of a constant: those that run a function
which reads it."""

import os
import runpy
from collections.abc import Callable
from pathlib import Path

import pytest

from tools.mutation import coverage_map
from tools.mutation.coverage_map import CoverageMap, lines_reading
from tools.mutation.mutants import mutants_of

FILES = {
    "fakes/a.py": """\
LIMIT = 3
WIDER = (LIMIT, 4)
UNREAD = 5
SHOWN = str(6)


def within(number: int) -> bool:
    return number < LIMIT


def near(number: int) -> bool:
    return number in WIDER


class Kind:
    shown = SHOWN
""",
    "conformance/b.py": """\
from a import WIDER


def both() -> int:
    return len(WIDER)
""",
}


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for file, text in FILES.items():
        path = tmp_path / file
        path.parent.mkdir()
        path.write_text(text, encoding="utf-8")
    monkeypatch.setattr(coverage_map, "ROOT", tmp_path)
    monkeypatch.setattr(coverage_map, "FOLDER", tmp_path / "maps")
    monkeypatch.setattr(coverage_map, "CHUNK", 2)
    monkeypatch.setattr("tools.mutation.mutants.ROOT", tmp_path)
    monkeypatch.setattr(coverage_map, "readers_of", lambda file: list(FILES) if file == "fakes/a.py" else [file])


def test_constant_is_read_where_another_that_is_made_of_it_is_read_too():
    assert lines_reading("fakes/a.py", 1) == {("fakes/a.py", 8), ("fakes/a.py", 12), ("conformance/b.py", 5)}
    assert lines_reading("fakes/a.py", 2) == {("fakes/a.py", 12), ("conformance/b.py", 5)}


def test_constant_that_nothing_reads_has_no_line():
    assert lines_reading("fakes/a.py", 3) == set()


def test_what_a_class_reads_at_import_may_be_read_anywhere():
    assert lines_reading("fakes/a.py", 4) is None


def test_only_units_that_run_such_a_line_may_notice_the_change():
    covered = CoverageMap([0.1] * 4, [], {"fakes/a.py": {8: [0], 12: [1]}, "conformance/b.py": {5: [2], 1: [3]}})
    by_line = {mutant.line: mutant for mutant in mutants_of(["fakes/a.py"]) if not mutant.lines}

    assert covered.covering(by_line[1]) == {0, 1, 2}
    assert covered.covering(by_line[2]) == {1, 2}
    assert covered.covering(by_line[3]) == set()
    assert covered.covering(by_line[4]) == {0, 1, 2, 3}


def map_of(run: Callable[[int], bool]) -> CoverageMap:
    return coverage_map.known_map("toy", [f"unit {number}" for number in range(5)], run, ["fakes/a.py"])


def test_units_run_in_several_processes_make_one_map(tmp_path: Path):
    def run(unit: int) -> bool:
        members = runpy.run_path(str(tmp_path / "fakes" / "a.py"))
        return unit == 3 or members["within"](unit)

    found = map_of(run)

    assert found.lines["fakes/a.py"][8] == [0, 1, 2, 4]
    assert found.lines["fakes/a.py"][1] == [0, 1, 2, 3, 4]
    assert 12 not in found.lines["fakes/a.py"]
    assert found.failing == [4]
    assert len(found.seconds) == 5
    assert map_of(lambda unit: pytest.fail("what is known is not measured again")) == found


def test_unit_that_ends_its_process_is_named_with_those_beside_it():
    with pytest.raises(RuntimeError, match="toy 2 to 3 could not be run for coverage: the process ended with 3"):
        map_of(lambda unit: os._exit(3) if unit == 3 else True)
