"""What the breaking request of each rule gets, written out in `refusals_of_rules/`: the place and the body.

The status and the confidence are in `fakes/RULES.md`, and `test_rule_pairs` compares them with what comes.
"""

import json
from collections.abc import Iterator
from importlib.util import find_spec
from typing import Any

from fake_providers import PROVIDERS, Request, Rule, Violation, Wire, provider_wires
from fake_providers.registry import WIRES
from tests.fakes.goldens import Goldens
from tests.wire_samples import PATHS

FILES = Goldens("refusals_of_rules")


def rules_to_break() -> Iterator[tuple[Wire, Rule]]:
    for provider in PROVIDERS:
        for wire in provider_wires(provider):
            for rule in wire.rules if find_spec(WIRES[wire.name]) else ():
                if rule.id.startswith(f"{provider}/") and (rule.breaking, rule.accepted) != (None, None):
                    yield wire, rule


def judged(wire: Wire, rule: Rule, body: Any) -> Violation | None:
    """What the rule's provider makes of this body, or of these bytes, where the samples of the rule are sent to."""
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    headers = {"content-type": "application/json", **(rule.headers or {})}
    request = Request("POST", rule.path or PATHS[wire.name], headers, content)
    assert wire.route(request) is not None
    return wire.judge(request, provider=rule.id.partition("/")[0])


def refusal_of(wire: Wire, rule: Rule) -> dict[str, Any]:
    violation = judged(wire, rule, rule.breaking)
    assert violation is not None, rule.id
    found = {"rule": violation.rule, "at": violation.at, "body": violation.body}
    return json.loads(json.dumps(found, default=repr))  # type: ignore[no-any-return]


def written() -> dict[str, dict[str, Any]]:
    return {line["rule"]: line for line in FILES.read()}


def write() -> None:
    FILES.write((rule.id.partition("/")[0], refusal_of(wire, rule)) for wire, rule in rules_to_break())
