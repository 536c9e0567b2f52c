"""A tolerated rule refuses nothing: its breach is noted, the rules after it are checked, and a reply is sent.

Only a body that is no JSON object is refused all the same: there is nothing that a reply could answer.
"""

import json

from fake_providers import PROVIDERS, Reply, Request, Response, Violation, Wire, provider_wires
from fake_providers.ids import Ids
from fake_providers.rule import Rule
from fake_providers.serving.request_loop import ModelRequest, ModelSide, Refusal, RequestLoop
from tests.wire_samples import PATHS

KEYS = {"authorization": "Bearer k", "x-api-key": "k", "x-goog-api-key": "k", "anthropic-version": "2023-06-01"}
PAIRS = [
    (provider, wire, rule)
    for provider in PROVIDERS
    for wire in provider_wires(provider)
    for rule in wire.rules
    if rule.id.startswith(f"{provider}/") and rule.breaking is not None
]


class Notes(ModelSide):
    """Says Hello, and notes what is refused and what is tolerated."""

    def __init__(self) -> None:
        self.why: list[str] = []
        self.breaches: list[str] = []

    def refused(self, request: ModelRequest, violation: Violation, why: Refusal) -> None:
        self.why.append(violation.rule)

    def tolerated(self, request: ModelRequest, breaches: tuple[Violation, ...]) -> None:
        self.breaches += [breach.rule for breach in breaches]

    def next_reply(self, request: ModelRequest) -> Reply:
        return Reply(text="Hello.")


def answered(wire: Wire, provider: str, rule: Rule, *tolerated: str) -> tuple[Response, Notes]:
    body = rule.breaking if isinstance(rule.breaking, bytes) else json.dumps(rule.breaking).encode()
    headers = {"content-type": "application/json", **KEYS, **(rule.headers or {})}
    loop = RequestLoop(wire, provider, ids=Ids("x"), tolerated=frozenset(tolerated))
    notes = Notes()
    return loop.handle(Request("POST", rule.path or PATHS[wire.name], headers, body), notes), notes


def test_breach_of_every_rule_is_noted_and_not_refused() -> None:
    wrong = {}
    for provider, wire, rule in PAIRS:
        response, notes = answered(wire, provider, rule, rule.id)
        if notes.breaches != [rule.id] or rule.id in notes.why or (response.status != 200 and not notes.why):
            wrong[rule.id] = (response.status >= 400, notes.breaches, notes.why)

    assert wrong == {id: (True, [], [id]) for id in wrong if "body-not-" in id}


def test_other_rules_still_refuse() -> None:
    [(provider, wire, rule)] = [pair for pair in PAIRS if pair[2].id == "openai/tools-empty"]
    response, notes = answered(wire, provider, rule, "openai/role", "anthropic/tools-empty")

    assert response.status == 400
    assert (notes.why, notes.breaches) == (["openai/tools-empty"], [])


def test_rule_after_a_tolerated_one_refuses() -> None:
    [(provider, wire, rule)] = [pair for pair in PAIRS if pair[2].id == "openai/tools-empty"]
    worse = {**rule.breaking, "temperature": "warm"}
    loop = RequestLoop(wire, provider, ids=Ids("x"), tolerated=frozenset({rule.id}))
    notes = Notes()
    response = loop.handle(Request("POST", PATHS[wire.name], KEYS, json.dumps(worse).encode()), notes)

    assert response.status == 400
    assert len(notes.why) == 1
    assert notes.why != [rule.id]


def test_nothing_is_tolerated_without_being_named() -> None:
    [(provider, wire, rule)] = [pair for pair in PAIRS if pair[2].id == "openai/tools-empty"]
    response, notes = answered(wire, provider, rule)

    assert (response.status, notes.why) == (400, ["openai/tools-empty"])
