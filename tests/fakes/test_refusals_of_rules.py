"""Every rule refuses its breaking sample at the place and with the body that are written out: pinned here alone."""

from fake_providers import Rule, Wire
from tests.fakes.goldens import ANEW
from tests.fakes.refusals_of_rules import refusal_of, rules_to_break, written
from tests.tables import rows

RULES = list(rules_to_break())
WRITTEN = written()


@rows(
    "wire, rule",
    RULES,
    ids=[rule.id for _, rule in RULES],
    group=lambda row: f"{row[0].name}:{row[1].id.partition('/')[0]}",
)
def test_rule_refuses_as_it_is_written_out(wire: Wire, rule: Rule) -> None:
    assert refusal_of(wire, rule) == WRITTEN.get(rule.id), ANEW


def test_what_is_written_out_is_about_rules_that_there_are() -> None:
    assert sorted(WRITTEN) == sorted(rule.id for _, rule in RULES)
