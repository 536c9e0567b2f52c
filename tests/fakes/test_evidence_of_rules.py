"""A rule that comes from recordings holds for the models that were recorded, and for none that nobody has seen."""

import re
from collections.abc import Iterator

import pytest
from msgspec.structs import replace

from fake_providers import Rule, Wire, provider_wires
from fake_providers.provider_facts import facts_by_provider
from fake_providers.rulebook import NEEDS
from tests.fakes.refusals_of_rules import judged

PROVIDERS = [name for name in facts_by_provider() if name != "bedrock"]
"""All but Bedrock, whose rules name makers and generations, and not families of its table, and whose models are in the
paths of its requests."""
UNSEEN = ("model-of-tomorrow-1", "gpt-8-nova", "claude-opus-8", "gemini-5-pro", "command-z")
OF_ANOTHER = re.compile(r"/model/[^/]+/")
DOCUMENTED = "later"
"""Where a provider's page says that its newer models refuse it too, the models of a rule say so."""


def rules_of(provider: str) -> Iterator[tuple[Wire, Rule]]:
    for wire in provider_wires(provider):
        for rule in wire.rules:
            if rule.id.startswith(f"{provider}/"):
                yield wire, rule


def is_named(family: str, rule: Rule) -> bool:
    """Whether the evidence or the models of a rule have the family, or one of its models: `Llama 4` is `Llama-4`, and
    `gpt-5*` every family whose name begins so."""
    said = [rule.models, *(f"{cited.source} {cited.quote}" for cited in rule.evidence)]
    plain = [re.sub(r"[ -]", "-", text.lower()) for text in said]
    beginnings = tuple(found for text in plain for found in re.findall(r"([a-z][\w.-]*)\*", text))
    name = family.lower().strip("-:")
    return name.startswith(beginnings) or any(name in text for text in plain)


def holds_for_some(rule: Rule) -> bool:
    """Whether it is said to hold for some models alone; what a gateway's maker holds for is said by the maker's row."""
    of_makers = rule.id.startswith(("openrouter/", "litellm/"))
    return not (rule.models.startswith("all") or DOCUMENTED in rule.models or of_makers)


def refuses(wire: Wire, rule: Rule, model: str) -> bool:
    """Whether the rule's breaking request is refused by it with this model, under the prefix of the sample's."""
    prefix, slash, _ = rule.breaking["model"].rpartition("/")
    found = judged(wire, rule, {**rule.breaking, "model": f"{prefix}{slash}{model}"})
    return found is not None and found.rule == rule.id


@pytest.mark.parametrize("provider", facts_by_provider())
def test_no_rule_is_said_to_hold_for_all_but_a_few_models(provider: str) -> None:
    assert [rule.models for _, rule in rules_of(provider) if "all but" in rule.models] == []


@pytest.mark.parametrize("provider", PROVIDERS)
def test_model_that_nobody_has_seen_is_refused_by_no_rule_of_some_models(provider: str) -> None:
    named = [
        (wire, rule)
        for wire, rule in rules_of(provider)
        if holds_for_some(rule) and isinstance(rule.breaking, dict) and isinstance(rule.breaking.get("model"), str)
    ]

    assert [(rule.id, model) for wire, rule in named for model in UNSEEN if refuses(wire, rule, model)] == []


def test_model_of_a_maker_that_nobody_has_seen_is_refused_by_no_rule_of_bedrock_for_some_models() -> None:
    refused = []
    for wire, rule in rules_of("bedrock"):
        if holds_for_some(rule) and "/converse" in rule.path and isinstance(rule.breaking, dict):
            unseen = replace(rule, path=OF_ANOTHER.sub("/model/tomorrow.model-1/", rule.path))
            found = judged(wire, unseen, rule.breaking)
            refused += [rule.id] if found is not None and found.rule == rule.id else []

    assert refused == []


@pytest.mark.parametrize("provider", PROVIDERS)
def test_recorded_rule_holds_for_families_that_its_evidence_names(provider: str) -> None:
    models = facts_by_provider()[provider].models
    wider = [
        (rule.id, family)
        for wire, rule in rules_of(provider)
        for family, has in (models[wire.name].families.items() if wire.name in models else ())
        if rule.confidence == "recorded" and rule.id in NEEDS and NEEDS[rule.id].traits.intersection(has)
        if not (is_named(family, rule) or (DOCUMENTED in rule.models and family == models[wire.name].newest))
    ]

    assert wider == []
