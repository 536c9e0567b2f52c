"""A rule that comes from recordings holds for the models that were recorded, and for none that nobody has seen."""

import re
from collections.abc import Iterator

import pytest

from fake_providers import Rule, provider_wires
from fake_providers.models import traits
from fake_providers.provider_facts import facts_by_provider
from fake_providers.rulebook import NEEDS

COMPATIBLE = [name for name, facts in facts_by_provider().items() if "open-models" in facts.makers]
UNSEEN = "model-of-tomorrow-1"


def rules_by_trait(provider: str) -> Iterator[tuple[str, Rule, frozenset[str]]]:
    """Each rule that holds for some models alone, with its wire and its traits."""
    for wire in provider_wires(provider):
        for rule in wire.rules:
            if rule.id.startswith(f"{provider}/") and rule.id in NEEDS and NEEDS[rule.id].traits:
                yield wire.name, rule, NEEDS[rule.id].traits


def is_named(family: str, rule: Rule) -> bool:
    """Whether the evidence or the models of a rule have the family, or one of its models: `Llama 4` is `Llama-4`."""
    said = [rule.models, *(f"{cited.source} {cited.quote}" for cited in rule.evidence)]
    plain = [re.sub(r"[ -]", "-", text.lower()) for text in said]
    return any(family.lower().strip("-:") in text for text in plain)


def test_no_rule_of_some_models_is_said_to_hold_for_all_but_a_few() -> None:
    said = [(rule.id, rule.models) for name in COMPATIBLE for _, rule, _ in rules_by_trait(name)]

    assert [one for one in said if "all but" in one[1]] == []


@pytest.mark.parametrize("provider", COMPATIBLE)
def test_model_that_nobody_has_seen_is_refused_by_no_rule_of_some_models(provider: str) -> None:
    known = {wire: traits(wire, UNSEEN, provider) for wire, _, _ in rules_by_trait(provider)}

    assert [rule.id for wire, rule, needed in rules_by_trait(provider) if needed & known[wire]] == []


@pytest.mark.parametrize("provider", COMPATIBLE)
def test_recorded_rule_holds_for_families_that_its_evidence_names(provider: str) -> None:
    models = facts_by_provider()[provider].models
    wider = [
        (rule.id, family)
        for wire, rule, needed in rules_by_trait(provider)
        for family, has in (models[wire].families.items() if wire in models else ())
        if rule.confidence == "recorded" and needed.intersection(has) and not is_named(family, rule)
    ]

    assert wider == []
