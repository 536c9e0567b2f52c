"""A rule that comes from recordings holds for the models that were recorded, and for none that nobody has seen."""

import re
from collections.abc import Iterator

import pytest

from fake_providers import Rule, Wire, provider_wires
from fake_providers.models import traits
from fake_providers.provider_facts import facts_by_provider
from fake_providers.rulebook import NEEDS
from tests.docs.model_families import verdict

UNSEEN = ("model-of-tomorrow-1", "gpt-8-nova", "claude-opus-8", "gemini-5-pro", "command-z", "tomorrow.model-1")
NUMBER = re.compile(r"\d+(?!\d*[bB]\b)")
"""Of a version, and not of a size."""
MAKER = re.compile(r"^[a-z0-9]+\.(?=[a-z])")
OF_MAKERS = ("openrouter/", "litellm/", "bedrock/claude-")
"""Rules of a maker at a gateway: what they hold for is said by the maker's own."""
DOCUMENTED = "later"
"""Where a provider's page says that its newer models refuse it too, the models of a rule say so."""


def rules_of(provider: str) -> Iterator[tuple[Wire, Rule]]:
    for wire in provider_wires(provider):
        for rule in wire.rules:
            if rule.id.startswith(f"{provider}/"):
                yield wire, rule


def is_named(family: str, rule: Rule) -> bool:
    """Whether the evidence or the models of a rule have the family, or one of its models: `Llama 4` is `Llama-4`, and
    `gpt-5*` every family whose name begins so. Bedrock's have their maker before a point."""
    said = [rule.models, *(f"{cited.source} {cited.quote}" for cited in rule.evidence)]
    plain = [re.sub(r"[ -]", "-", text.lower()) for text in said]
    beginnings = tuple(found for text in plain for found in re.findall(r"([a-z][\w.-]*)\*", text))
    name = MAKER.sub("", family.lower().strip("-:"))
    return name.startswith(beginnings) or any(name in text for text in plain)


def holds_for_some(rule: Rule) -> bool:
    """Whether it is said to hold for some models alone."""
    return not (rule.models.startswith("all") or DOCUMENTED in rule.models or rule.id.startswith(OF_MAKERS))


def newer(family: str) -> Iterator[str]:
    """Made-up names of models that come after those of a family."""
    name = family.strip("-:.")
    for found in NUMBER.finditer(name):
        after = int(found[0]) + (1 if len(found[0]) < len("2512") else 100)
        yield f"{name[: found.start()]}{after:0{len(found[0])}}{name[found.end() :]}"
    if name == family:
        yield f"{name}-2" if name[-1].isalpha() else re.sub(r"^(\D+\d+)$", r"\1.8", name)


def not_seen(wire: str, provider: str) -> list[str]:
    """Made-up models of which neither the provider nor a maker that has a wire has a family."""
    models = facts_by_provider()[provider].models.get(wire)
    names = [*UNSEEN, *(name for family in (models.families if models else ()) for name in newer(family))]
    nothing = traits(wire, UNSEEN[0], provider)
    return [name for name in dict.fromkeys(names) if traits(wire, name, provider) == nothing and name not in KNOWN]


KNOWN = {
    family.strip("-:.")
    for facts in facts_by_provider().values()
    for models in facts.models.values()
    for family in models.families
}


@pytest.mark.parametrize("provider", facts_by_provider())
def test_no_rule_is_said_to_hold_for_all_but_a_few_models(provider: str) -> None:
    assert [rule.models for _, rule in rules_of(provider) if "all but" in rule.models] == []


@pytest.mark.parametrize("provider", facts_by_provider())
def test_model_that_nobody_has_seen_is_refused_by_no_rule_of_some_models(provider: str) -> None:
    refused = [
        (rule.id, model)
        for wire, rule in rules_of(provider)
        if holds_for_some(rule) and rule.breaking is not None and "/invoke" not in rule.path
        for model in not_seen(wire.name, provider)
        if verdict(provider, wire.name, rule, rule.breaking, model) == rule.id
    ]

    assert refused == []


@pytest.mark.parametrize("provider", facts_by_provider())
def test_newer_version_of_a_family_is_none_of_it(provider: str) -> None:
    models = facts_by_provider()[provider].models
    taken = [
        (family, name)
        for wire in models
        for family, special in models[wire].families.items()
        for name in newer(family)
        if name.startswith(family) and name not in models[wire].families
        if traits(wire, name, provider) == frozenset(special) != frozenset(models[wire].families[models[wire].newest])
    ]

    assert taken == []


@pytest.mark.parametrize("provider", facts_by_provider())
def test_recorded_rule_holds_for_families_that_its_evidence_names(provider: str) -> None:
    models = facts_by_provider()[provider].models
    wider = [
        (rule.id, family)
        for wire, rule in rules_of(provider)
        for family, has in (models[wire.name].families.items() if wire.name in models else ())
        if rule.confidence == "recorded" and not rule.models.startswith("all") and not rule.id.startswith(OF_MAKERS)
        if rule.id in NEEDS and NEEDS[rule.id].traits.intersection(has)
        if not (is_named(family, rule) or (DOCUMENTED in rule.models and family == models[wire.name].newest))
    ]

    assert wider == []
