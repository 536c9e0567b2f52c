"""Sentences that no breaking sample gets, pinned here alone: the whole refusals of samples with one value changed."""

from typing import Any

from fake_providers import Rule, Wire
from tests.fakes.goldens import ANEW
from tests.fakes.refusals_of_changes import FILES, answer_to, changed
from tests.fakes.refusals_of_rules import rules_to_break
from tests.tables import rows

RULES: dict[str, tuple[Wire, Rule]] = {rule.id: (wire, rule) for wire, rule in rules_to_break()}
WRITTEN = FILES.read()


@rows(
    "line",
    WRITTEN,
    ids=[f"{number} {line['of']}" for number, line in enumerate(WRITTEN, 1)],
    group=lambda line: line["of"].partition("/")[0],
)
def test_changed_sample_is_refused_as_it_is_written_out(line: dict[str, Any]) -> None:
    wire, rule = RULES[line["of"]]
    body = changed(getattr(rule, line["sample"]), tuple(line["change"]), line["to"])

    expected = {name: line[name] for name in ("rule", "at", "status", "body")}
    assert answer_to(wire, rule, body) == expected, ANEW


def test_places_of_a_change_are_those_of_the_sample() -> None:
    sample = {"a": [1, {"b": 2}]}

    assert changed(sample, ("a", 1, "b"), "x") == {"a": [1, {"b": "x"}]}
    assert changed(sample, ("a", 0), "(removed)") == {"a": [{"b": 2}]}
    assert sample == {"a": [1, {"b": 2}]}


def test_name_that_is_a_list_is_refused_at_its_place() -> None:
    wire, rule = RULES["anthropic/computer-tool-unsupported"]

    found = answer_to(wire, rule, changed(rule.accepted, ("tools", 0, "name"), ["computer"]))

    assert found["at"] == "tools[0].name"
