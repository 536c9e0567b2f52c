"""A mutant that a unit notices is killed; one that nothing executes, or nothing notices, survives."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.tools.mutation import toy
from tools.mutation.applying import functions_of_process, import_again, put_in_place
from tools.mutation.coverage_map import CoverageMap
from tools.mutation.forking import limit_cpu, run_forked
from tools.mutation.killing import Fated, fates, ordered
from tools.mutation.mutants import Mutant, mutants_of
from tools.mutation.new_process import runs_at_import

FILE = "tests/tools/mutation/toy.py"
SIGNATURE = "def is_many(number: int, *, more: int"
CHECKS: dict[str, Callable[[], bool]] = {
    "runs": lambda: toy.is_many(3) is not None and toy.kept(["a"]) != [],
    "limit": lambda: toy.is_many(3) and not toy.is_many(2),
    "words": lambda: toy.kept(["a", "", "b"]) == ["a", "b"],
}


class ToyOracle:
    name = "toy"
    units = tuple(CHECKS)
    cases = 0
    tried_first = range(len(CHECKS))
    tests_anew = ("tests/tools/mutation/checks_of_toy.py",)

    def __init__(self) -> None:
        self._functions = functions_of_process()

    def apply(self, mutant: Mutant) -> None:
        put_in_place(mutant, self._functions)

    def passes(self, unit: int) -> bool:
        return CHECKS[self.units[unit]]()


def covered(checks: range = range(3)) -> CoverageMap:
    """All checks execute all but the function that nothing calls."""
    return CoverageMap([0.01] * 3, [], {FILE: {line: list(checks) for line in range(1, 18)}})


def fate(function: str, was: str, now: str, covered: CoverageMap) -> Fated:
    found = [m for m in mutants_of([FILE]) if (m.function, m.was, m.now) == (function, was, now)]
    (fated,) = fates(found, ToyOracle(), covered, {}, at_once=1)
    return fated


@pytest.mark.parametrize(
    ("function", "was", "now", "by"),
    [
        ("is_many", "return number + more >= LIMIT", "return number + more > LIMIT", "limit"),
        ("is_many", f"{SIGNATURE}=0) -> bool:", f"{SIGNATURE}=1) -> bool:", "limit"),
        ("", "LIMIT = 3", "LIMIT = 4", "limit"),
        ("kept", "if not word:", "pass", "words"),
        ("kept", "if not word:", "if word:", "runs"),
    ],
)
def test_mutant_that_a_unit_notices_is_killed(function: str, was: str, now: str, by: str) -> None:
    fated = fate(function, was, now, covered())

    assert (fated.fate, fated.by) == ("killed", by)


def test_no_more_than_so_many_units_are_run_for_a_mutant_and_the_survivor_says_so() -> None:
    (mutant,) = (m for m in mutants_of([FILE]) if (m.function, m.now) == ("kept", "pass") and m.was == "if not word:")

    (all_run,) = fates([mutant], ToyOracle(), covered(), {}, at_once=1)
    (two_run,) = fates([mutant], ToyOracle(), covered(), {}, at_once=1, most=2)

    assert (all_run.fate, all_run.by) == ("killed", "words")
    assert (two_run.fate, two_run.by) == ("survived", "3 of 3 execute it, and all but 1, not run, pass")


def test_mutant_that_nothing_executes_survives() -> None:
    fated = fate("never_called", "return 1", "return 2", covered())

    assert (fated.fate, fated.by) == ("survived", "no unit of 3 executes it")


@pytest.mark.slow
def test_mutant_of_what_runs_at_import_is_noticed_in_a_new_process() -> None:
    killed = fate("doubled", "return word * 2", "return word * 3", covered())
    equal = fate("doubled", "return word * 2", "return None", covered())

    assert (killed.fate, killed.by) == ("killed", "tests/tools/mutation/checks_of_toy.py::test_word_is_doubled")
    assert (equal.fate, equal.by) == ("broken", "pytest ended with 2")


@pytest.mark.slow
def test_function_that_makes_rules_of_other_modules_runs_when_they_are_imported() -> None:
    mutants = mutants_of(["fakes/fake_providers/rulebook.py"])

    assert runs_at_import(next(one for one in mutants if one.function == "Rulebook.row"))
    assert not runs_at_import(next(one for one in mutants if one.function == "Rulebook.judge"))


def test_mutant_that_nothing_notices_survives() -> None:
    fated = fate("kept", "if not word:", "pass", covered(range(2)))

    assert (fated.fate, fated.by) == ("survived", "2 of 3 execute it, and all pass")


def test_mutant_that_cannot_be_put_in_place_is_no_mutant() -> None:
    class BrokenOracle(ToyOracle):
        def apply(self, mutant: Mutant) -> None:
            raise TypeError("no pattern")

    (fated,) = fates(mutants_of([FILE])[:1], BrokenOracle(), covered(), {}, at_once=1)

    assert (fated.fate, fated.by) == ("broken", "TypeError: no pattern")


def test_endless_loop_counts_as_killed() -> None:
    def spin(job: str) -> None:
        limit_cpu(0.05)
        while True:
            pass

    ((_, ended),) = run_forked(["job"], spin, seconds=lambda _: 60)

    assert ended.stopped == "time limit"


def test_process_that_waits_for_ever_is_ended() -> None:
    from time import sleep

    ((_, ended),) = run_forked(["job"], lambda _: sleep(60), seconds=lambda _: 0.05)

    assert ended.stopped == "waited too long"


def test_results_are_those_of_each_job() -> None:
    ended = dict(run_forked([1, 2, 3], lambda job: job * 2, seconds=lambda _: 60, at_once=2))

    assert {job: end.value for job, end in ended.items()} == {1: 2, 2: 4, 3: 6}


def test_package_is_imported_again_with_the_mutant() -> None:
    mutant = next(m for m in mutants_of([FILE]) if m.now == "LIMIT = 4")

    def limit(job: str) -> int:
        import_again("tests.tools.mutation.toy", mutant)
        from tests.tools.mutation import toy as again

        return again.LIMIT

    ((_, ended),) = run_forked(["job"], limit, seconds=lambda _: 60)

    assert (ended.value, toy.LIMIT) == (4, 3)


def test_cheapest_unit_of_each_scenario_comes_first_and_what_has_killed_a_neighbour_before_it() -> None:
    units = ["a[1]@x", "a[2]@x", "b@x", "c@x"]
    costs = CoverageMap([0.2, 0.1, 0.3, 0.4], [], {FILE: {7: [0, 1, 2, 3]}})
    mutant = next(m for m in mutants_of([FILE]) if m.lines == (7,))

    assert ordered(units, costs, mutant) == (1, 2, 3, 0)
    assert ordered(units, costs, mutant, first=[3]) == (3, 1, 2, 0)
    assert ordered(units, costs, mutant, first=[3], early=range(2)) == (1, 0, 3, 2)


def test_toy_is_where_the_mutants_are() -> None:
    assert Path(toy.__file__ or "").as_posix().endswith(FILE)
