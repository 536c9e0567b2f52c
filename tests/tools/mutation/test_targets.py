"""What is mutated, and what is left out of it."""

import pytest

from tools.mutation import targets


def test_methods_that_make_examples_of_rules_are_not_mutated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(targets, "JUDGE", ("fakes/fake_providers/providers/shared/member_types_other_wires.py",))
    monkeypatch.setattr(targets, "functions_of_examples", frozenset)  # they take seconds to find
    functions = {mutant.function for mutant in targets.judge_mutants()}

    assert "blocks" in functions
    assert not any(function.endswith("Samples.at") for function in functions)
