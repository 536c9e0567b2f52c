"""Which cases or tests may notice a change of a constant: those that run a function which reads it."""

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
