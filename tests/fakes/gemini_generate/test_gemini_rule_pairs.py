import json
from collections import Counter
from typing import Any

import pytest
from gemini_requests import WIRE

from fakes import judge
from fakes.rule import Rule


def differences(one: Any, other: Any, path: str = "") -> list[str]:
    """The places where two JSON values differ, as deep as both have them."""
    if type(one) is not type(other):
        return [path]
    if isinstance(one, dict):
        places = [f"{path}.{key}" for key in one.keys() ^ other.keys()]
        return places + [
            p for key in one.keys() & other.keys() for p in differences(one[key], other[key], f"{path}.{key}")
        ]
    if isinstance(one, list):
        short = min(len(one), len(other))
        places = [f"{path}[{i}]" for i in range(short, max(len(one), len(other)))]
        return places + [p for i in range(short) for p in differences(one[i], other[i], f"{path}[{i}]")]
    return [] if one == other else [path]


@pytest.mark.parametrize("rule", WIRE.rules, ids=lambda rule: rule.id)
def test_breaking_request_breaks_exactly_its_rule(rule: Rule) -> None:
    violation = judge("gemini", rule.path, json.dumps(rule.breaking).encode(), rule.headers or {})

    assert violation is not None
    assert (violation.rule, violation.status, violation.confidence) == (rule.id, rule.status, rule.confidence)


@pytest.mark.parametrize("rule", WIRE.rules, ids=lambda rule: rule.id)
def test_nearest_request_is_accepted_and_differs_in_one_field(rule: Rule) -> None:
    assert judge("gemini", rule.path, json.dumps(rule.accepted).encode(), rule.headers or {}) is None
    assert len(differences(rule.breaking, rule.accepted)) == 1


def test_every_rule_is_documented() -> None:
    assert len(WIRE.rules) == 39
    assert max(Counter(rule.id for rule in WIRE.rules).values()) == 1
    for rule in WIRE.rules:
        assert rule.id.startswith("gemini/")
        assert rule.why.endswith(".")
        assert rule.checked
        assert all(evidence.source for evidence in rule.evidence)
        assert rule.evidence[0].quote
