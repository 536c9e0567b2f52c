"""Every rule of every wire: its breaking request breaks it and nothing before it; the accepted one is a field away."""

import json
import re
from importlib.util import find_spec
from pathlib import Path

import pytest
from differing import differences

import fake_providers
from fake_providers import PROVIDERS, WIRES, Rule, Wire, provider_wires, wire_named
from fake_providers.provider_facts import own_provider
from tests.fakes.refusals_of_rules import judged, rules_to_break
from tests.tables import rows

BUILT = [wire_named(name) for name, package in WIRES.items() if find_spec(package)]
SERVED = [(provider, wire) for provider in PROVIDERS for wire in provider_wires(provider)]
RULES = [(wire, rule) for provider, wire in SERVED for rule in wire.rules if rule.id.startswith(f"{provider}/")]
PAIRS = list(rules_to_break())


def named(cases: list[tuple[Wire, Rule]]) -> list[str]:
    return [rule.id for _, rule in cases]


def provider_on_wire(case: tuple[Wire, Rule]) -> str:
    wire, rule = case
    return f"{wire.name}:{rule.id.partition('/')[0]}"


each_pair = rows("wire, rule", PAIRS, ids=named(PAIRS), group=provider_on_wire)


@each_pair
def test_breaking_request_breaks_exactly_this_rule(wire: Wire, rule: Rule) -> None:
    violation = judged(wire, rule, rule.breaking)

    assert violation is not None
    assert (violation.rule, violation.status, violation.confidence) == (rule.id, rule.status, rule.confidence)
    said = json.dumps(violation.body).encode().decode("unicode_escape")
    # A gateway passes on the whole body of another provider, as a text.
    assert violation.message in said or violation.message in said.encode().decode("unicode_escape")


@each_pair
def test_accepted_request_breaks_no_rule(wire: Wire, rule: Rule) -> None:
    assert judged(wire, rule, rule.accepted) is None


@each_pair
def test_both_requests_differ_in_one_field(wire: Wire, rule: Rule) -> None:
    assert len(list(differences(rule.breaking, rule.accepted))) == 1


@rows("wire, rule", RULES, ids=named(RULES), group=provider_on_wire)
def test_rule_says_who_refuses_and_how_it_is_known(wire: Wire, rule: Rule) -> None:
    provider, _, what = rule.id.partition("/")

    assert provider in wire.providers
    assert what == what.lower()
    assert " " not in what
    assert rule.why
    assert rule.evidence
    assert all(evidence.source for evidence in rule.evidence)
    assert rule.checked


def test_no_thread_is_evidence_of_two_providers() -> None:
    """A citation that was copied with a provider's folder says nothing about the new one."""
    providers: dict[str, set[str]] = {}
    for module in (Path(fake_providers.__file__).parent / "providers").glob("*/*.py"):
        for thread in re.findall(r"[\w.-]+/[\w.-]+#\d+", module.read_text(encoding="utf-8")):
            providers.setdefault(thread, set()).add(module.parent.name)

    assert providers
    assert {thread: names for thread, names in providers.items() if len(names) > 1} == {}


def test_every_rule_of_every_wire_is_some_providers() -> None:
    assert {rule.id for wire in BUILT for rule in wire.rules} <= set(named(RULES))


def test_no_two_rules_have_one_id() -> None:
    ids = named(RULES)

    assert sorted(set(ids)) == sorted(ids)


@pytest.mark.parametrize("wire", BUILT, ids=[wire.name for wire in BUILT])
def test_own_provider_of_a_wire_is_its_first(wire: Wire) -> None:
    assert own_provider(wire.name) == wire.providers[0]


@pytest.mark.parametrize("wire", BUILT, ids=[wire.name for wire in BUILT])
def test_some_rules_can_be_shown(wire: Wire) -> None:
    assert sum(1 for built, _ in PAIRS if built is wire) >= 20


@pytest.mark.parametrize(("provider", "wire"), SERVED, ids=[f"{wire.name}:{provider}" for provider, wire in SERVED])
def test_every_provider_has_rules_that_can_be_shown(provider: str, wire: Wire) -> None:
    shown = [rule for built, rule in PAIRS if built is wire and rule.id.startswith(f"{provider}/")]

    assert len(shown) >= 3
