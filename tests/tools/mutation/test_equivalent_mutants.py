from pathlib import Path

import pytest

from tools.mutation.equivalents import Equivalent, StaleEntry, equivalent_mutants, listed
from tools.mutation.mutants import mutants_of

TOY = str(Path(__file__).with_name("toy.py"))


def entry(now: str) -> Equivalent:
    return Equivalent(TOY, "never_called", "return 1", now, "nothing calls it")


def test_entry_matches_by_function_and_text() -> None:
    reasons = equivalent_mutants(mutants_of([TOY]), [entry("return 2")])

    assert list(reasons.values()) == ["nothing calls it"]


def test_entry_that_no_mutant_matches_is_an_error() -> None:
    with pytest.raises(StaleEntry, match="never_called"):
        equivalent_mutants(mutants_of([TOY]), [entry("return 7")])


def test_each_entry_has_a_reason_and_matches_the_code() -> None:
    entries = listed()

    assert [entry for entry in entries if len(entry.reason) < 20] == []
    assert len(set(entries)) == len(entries)
    assert len(equivalent_mutants(mutants_of({entry.file for entry in entries}), entries)) >= len(entries)
