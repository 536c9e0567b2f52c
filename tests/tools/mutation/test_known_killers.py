"""A remembered mutant is found after its module and its killer were moved, and a file that has rotted is an error."""

from dataclasses import replace

import pytest

from tools.mutation import __main__ as command
from tools.mutation.known_killers import are_enough, found_again, known_killers
from tools.mutation.mutants import mutants_of
from tools.mutation.targets import judge_mutants, reference_mutants

TOY = "tests/tools/mutation/toy.py"
HERE = "tests/tools/mutation/test_known_killers.py"
MUTANT = next(mutant for mutant in mutants_of([TOY]) if mutant.function == "never_called")


def test_mutant_is_found_by_its_change_when_its_module_was_renamed() -> None:
    renamed = replace(MUTANT, file="elsewhere/other.py")

    assert found_again({MUTANT.name: "area/scenario@wire+plain"}, [renamed]) == {renamed: "area/scenario@wire+plain"}


def test_mutant_of_the_same_name_comes_before_one_that_was_renamed() -> None:
    renamed = replace(MUTANT, file="elsewhere/other.py")

    assert found_again({MUTANT.name: "area/case"}, [renamed, MUTANT]) == {MUTANT: "area/case"}


def test_change_that_is_twice_elsewhere_is_left_out() -> None:
    twice = [replace(MUTANT, file="one.py"), replace(MUTANT, file="other.py")]

    assert found_again({MUTANT.name: "area/case"}, twice) == {}


def test_change_that_is_gone_is_left_out() -> None:
    assert found_again({f"{TOY}|gone|return 1|return 2|1": "area/case"}, [MUTANT]) == {}


@pytest.mark.parametrize(
    ("killer", "now"),
    [
        (f"{HERE}::test_change_that_is_gone_is_left_out", f"{HERE}::test_change_that_is_gone_is_left_out"),
        ("tests/gone.py::test_share_of_what_is_gone[0-0]", f"{HERE}::test_share_of_what_is_gone[0-0]"),
    ],
)
def test_test_that_was_moved_is_found_by_its_name(killer: str, now: str) -> None:
    assert found_again({MUTANT.name: killer}, [MUTANT]) == {MUTANT: now}


def test_test_that_is_gone_kills_nothing() -> None:
    nobody = "_".join(("test", "of", "nothing"))

    assert found_again({MUTANT.name: f"tests/gone.py::{nobody}"}, [MUTANT]) == {}


@pytest.mark.parametrize(("found", "remembered", "enough"), [(16, 20, True), (15, 20, False), (0, 0, False)])
def test_share_of_what_is_gone(found: int, remembered: int, enough: bool) -> None:
    assert are_enough(found, remembered) is enough


def test_file_that_has_rotted_fails_and_says_how_to_renew_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(command.MUTANTS_OF, "reference", lambda: [MUTANT])
    monkeypatch.setattr(command, "known_killers", lambda _: {"a.py|gone|return 1|return 2|1": "area/case"})
    monkeypatch.setattr(command, "listed", list)

    assert command.main(["reference", "--known"]) == 1
    assert "--sample 20 --remember" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("target", "mutants"),
    [("reference", reference_mutants), pytest.param("judge", judge_mutants, marks=pytest.mark.slow)],
)
def test_what_is_remembered_is_in_the_code(target: str, mutants: object) -> None:
    assert callable(mutants)
    killers = known_killers(target)

    assert are_enough(len(found_again(killers, mutants())), len(killers))
