"""What families of models refuse that others of their provider accept, tried with the breaking request of each rule."""

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

from agent_conformance.cassettes.decoding import path_of
from agent_conformance.commands.check_request.targets import Target
from fake_providers import PROVIDERS, judge
from fake_providers.provider_facts import facts_by_provider
from fake_providers.registry import wire_for
from fake_providers.rule import Rule

CATCH_ALL = "unknown"
"""A family of no model: what is judged by what all models refuse."""


def verdict(provider: str, wire: str, rule: Rule, body: Any, model: str) -> str | None:
    """The rule that refuses this sample of a rule at this model, which the path names or else the body."""
    target = Target(provider, wire, rule.path or path_of(provider, wire, body))
    if target.model:
        target = target.at_model(model)
    elif isinstance(body, dict):
        body = {**body, "model": model}
    sent = body if isinstance(body, bytes) else json.dumps(body).encode()
    violation = judge(provider, target.path, sent, dict(rule.headers or {}))
    return violation.rule if violation else None


def differing(provider: str, wire: str, models: Mapping[str, str]) -> Iterator[tuple[Rule, Mapping[str, str | None]]]:
    """What each of these families, given with a model, says of a rule's breaking request: for the rules that some
    refuse it by and some accept."""
    for rule in wire_for(provider, wire).rules:
        if rule.models != "all" and rule.breaking is not None and "/invoke" not in (rule.path or ""):
            found = {name: verdict(provider, wire, rule, rule.breaking, model) for name, model in models.items()}
            if {rule.id, None} <= set(found.values()):
                yield rule, found


def rows() -> Iterator[tuple[str, str, str, str]]:
    """Families that refuse the same are one row; those that refuse no more than the others of the provider are none."""
    for provider in PROVIDERS:
        for wire, models in facts_by_provider()[provider].models.items():
            if wire == "bedrock-converse":
                continue  # has a page of its own
            # Ollama has a tag behind each name.
            families = {name: f"{name}latest" if name.endswith(":") else name for name in models.families}
            families.pop(CATCH_ALL, None)
            refused: dict[str, list[str]] = {family: [] for family in families}
            for rule, found in differing(provider, wire, families):
                for family in families:
                    if found[family] == rule.id:
                        refused[family].append(rule.id.partition("/")[2])
            alike = defaultdict(list)
            for family, rules in refused.items():
                alike[tuple(rules)].append(f"`{family}*`")
            for rules, names in alike.items():
                if rules:
                    yield provider, f"`{wire}`", ", ".join(names), ", ".join(f"`{rule}`" for rule in rules)
