"""A failure of a table names every wrong row, and no right one."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.tables import Table, rows

SUMS = [(1, 1, 2), (1, 2, 3), (2, 2, 4), (2, 3, 5)]


@rows("left, right, both", SUMS)
def test_right_rows_pass(left: int, right: int, both: int) -> None:
    assert left + right == both


@rows("left, right, both", SUMS, group=lambda row: str(row[0]))
def test_rows_of_a_group_pass(left: int, right: int, both: int) -> None:
    assert left + right == both


def test_group_has_the_rows_with_its_value() -> None:
    table = test_rows_of_a_group_pass.table

    assert {group: list(rows) for group, rows in table.groups.items()} == {
        "1": ["1-1-2", "1-2-3"],
        "2": ["2-2-4", "2-3-5"],
    }


@rows("word", ["one", "two"], ids=str.upper)
def test_only_column_may_be_given_without_a_tuple(word: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    assert word in ("one", "two")


def is_small(number: int) -> None:
    assert number < 3
    if number == 0:
        pytest.fail("nothing")


def test_every_wrong_row_is_named() -> None:
    table = Table("number", {"all": {f"row {number}": (number,) for number in range(5)}})
    with pytest.raises(BaseExceptionGroup) as caught:
        table.run(is_small, table.groups["all"])

    assert caught.value.message == "3 of 5 rows are wrong: row 0, row 3, row 4; alone: --row 'row 0'"
    assert [error.__notes__ for error in caught.value.exceptions] == [["row: row 0"], ["row: row 3"], ["row: row 4"]]
    assert "assert 4 < 3" in str(caught.value.exceptions[-1])


def test_two_rows_with_one_id_are_a_mistake() -> None:
    with pytest.raises(AssertionError, match="two rows have the id 1"):
        rows("number", [1, 1])


PROJECT = """
from tests.tables import rows

@rows("number", [1, 2, 12], group=str)
def test_is_one(number):
    assert number == 1

def test_other():
    assert False
"""


def outcome(folder: Path, *arguments: str) -> str:
    options = ["-p", "tests.conftest", "-p", "no:cacheprovider", *arguments]
    command = [sys.executable, "-m", "pytest", *options, str(folder)]
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])}
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False, cwd=folder).stdout


def test_row_is_run_alone(tmp_path: Path) -> None:
    tmp_path.joinpath("test_project.py").write_text(PROJECT)

    said = outcome(tmp_path, "--row", "1")
    assert "1 failed, 1 passed, 2 deselected" in said
    assert "1 of 1 rows are wrong: 12; alone: --row '12'" in said
