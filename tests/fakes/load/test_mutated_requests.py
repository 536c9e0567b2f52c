"""Whatever becomes of a request, it is judged and answered, and nothing is raised but for a path that is not built."""

import json
import random
from collections.abc import Iterator

import pytest
from load_requests import ASKS, NAMES, Ask
from mutating import Seed, mutated, nested, seeds_of

from fakes import Call, Reply, Request, Response, ScriptedFake, judge
from fakes.provider_facts import own_provider
from fakes.registry import wire_for

pytestmark = pytest.mark.slow

SEED = 20261121
AT_HOME, ELSEWHERE = 2000, 400
"""Mutations for the provider whose wire it is, and for each of the others that speak it."""
SCRIPT = [Reply(text="7 degrees.", calls=(Call("get_weather", {"city": "Oslo"}),))] * 3
DEPTHS = (90, 110, 330, 490, 700, 940, 5000)
"""Around what the parsers of providers and of Python take, and what recursive rules would."""


def is_at_home(ask: Ask) -> bool:
    return ask.provider == own_provider(ask.wire.name)


def seeds_for(ask: Ask) -> list[Seed]:
    own = wire_for(own_provider(ask.wire.name), ask.wire.name)
    return seeds_of(ask.wire, ask.path) + (seeds_of(own, ask.path) if own is not ask.wire else [])


def check(ask: Ask, request: Request, told: str) -> bool:
    """Whether the request was refused. Whatever is raised says with `told` how to get the request again."""
    try:
        violation = judge(ask.provider, request.path, request.body, request.headers)
        for script in (SCRIPT, None):
            fake = ScriptedFake(ask.provider, script, wire=ask.wire.name)
            response = fake.handle(request)
            refusals = fake.violations
            # A served fake may refuse more: it knows what it has served, and what a request names of that.
            assert violation is None or [refusal.rule for refusal in refusals] == [violation.rule]
            # Groq says 400 of a reply that does not fit the request.
            assert response.status in ([refusal.status for refusal in refusals] or (200, 400))
            read(response)
    except Exception as error:
        raise AssertionError(f"{ask.name}, {told}: {request.path} {request.body[:2000]!r}") from error
    return violation is not None


def read(response: Response) -> None:
    """Raises for a body that no client could read, where it says that it is JSON."""
    text, kind = response.body.decode(), dict(response.headers).get("content-type", "")
    lines = text.splitlines() if "ndjson" in kind else [text] if "json" in kind else []
    events = [line.removeprefix("data:") for line in text.splitlines() if line.startswith("data:")]
    for document in events if "event-stream" in kind else lines:
        if document.strip() != "[DONE]":
            json.loads(document, parse_constant=refuse)


def refuse(name: str) -> None:
    raise ValueError(f"{name} is no JSON")


def requests(ask: Ask, count: int) -> Iterator[tuple[int, Request]]:
    chance = random.Random(SEED)
    seeds = seeds_for(ask)
    for number in range(count):
        path, headers, body = chance.choice(seeds)
        content = json.dumps(mutated(body, chance)).encode()
        yield number, Request("POST", path, {**ask.headers, **headers}, content)


@pytest.mark.parametrize("ask", ASKS, ids=NAMES)
def test_mutated_requests_are_judged_and_answered(ask: Ask) -> None:
    count = AT_HOME if is_at_home(ask) else ELSEWHERE
    refused = sum(check(ask, request, f"seed {SEED}, number {number}") for number, request in requests(ask, count))

    assert count * 0.2 < refused < count


@pytest.mark.parametrize("ask", ASKS, ids=NAMES)
def test_nested_requests_are_judged_and_answered(ask: Ask) -> None:
    chance = random.Random(SEED)
    seeds = seeds_for(ask)
    for number in range(100 if is_at_home(ask) else 30):
        path, headers, body = chance.choice(seeds)
        content = nested(body, chance, depth=chance.choice(DEPTHS))
        check(ask, Request("POST", path, {**ask.headers, **headers}, content), f"seed {SEED}, number {number}")
