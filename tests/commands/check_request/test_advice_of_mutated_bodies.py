"""Bodies that nobody would send: every refusal has advice, and a change is accepted and harms nothing."""

import json
import random
from typing import Any

from agent_conformance.cassettes.decoding import path_of
from agent_conformance.commands.check_request.advice import advise
from agent_conformance.commands.check_request.targets import Target
from agent_conformance.explain import all_rules
from fake_providers import PROVIDERS, Rule, judge
from tests.commands.check_request.test_advice_of_rules import assert_harmless, conversation, patched
from tests.fakes.mutated_bodies import mutated
from tests.tables import rows

BODIES = 40
"""For each provider."""


@rows("provider", PROVIDERS, group=str)
def test_mutated_body_is_advised(provider: str) -> None:
    chance = random.Random(f"{provider} 2026")
    known = [(wire, rule) for name, wire, rule in all_rules() if name == provider and isinstance(rule.accepted, dict)]
    for _ in range(BODIES):
        wire, rule = chance.choice(known)
        check_advice(provider, wire, rule, mutated(rule.accepted, chance))


def check_advice(provider: str, wire: str, rule: Rule, body: Any) -> None:
    target = Target(provider, wire, rule.path or path_of(provider, wire, body))
    headers = {"content-type": "application/json", **(rule.headers or {})}
    sent = json.dumps(body).encode()
    violation = judge(provider, target.path, sent, headers)
    if violation is None:
        return
    for change in advise(target, sent, headers, violation).changes:
        after = patched(body, [operation.as_json() for operation in change.operations])
        assert judge(provider, target.path, json.dumps(after).encode(), headers) is None, (body, change.words)
        if all(isinstance(message.get("role", ""), str) for message in conversation(body)):
            assert_harmless(body, after)
