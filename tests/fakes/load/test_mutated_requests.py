"""Any mutated request can be judged and answered; the only exception raised is for a path that is not supported."""

import json
import random
from collections.abc import Iterator

import pytest
from load_requests import LOAD_REQUESTS, NAMES, LoadRequest
from mutated_requests import Seed, mutated, nested, seeds_of

from fake_providers import Call, Reply, Request, Response, ScriptedFake, judge
from fake_providers.provider_facts import own_provider
from fake_providers.registry import wire_for
from fake_providers.replies.event_frames import decode_frames

pytestmark = pytest.mark.slow

SEED = 20261121
MUTATIONS_OF_OWN_WIRE, MUTATIONS_OF_OTHER_PROVIDERS = 2000, 400
"""Numbers of mutations: for the provider that the wire belongs to, and for each other provider."""
SCRIPT = [Reply(text="7 degrees.", calls=(Call("get_weather", {"city": "Oslo"}),))] * 3
DEPTHS = (90, 110, 330, 490, 700, 940, 5000)
"""Depths around the limits of the providers' parsers, of Python's, and of recursive rules."""
UNREADABLE = 900
"""Levels near Python's limit of recursion."""


def is_on_own_wire(load_request: LoadRequest) -> bool:
    return load_request.provider == own_provider(load_request.wire.name)


def seeds_for(load_request: LoadRequest) -> list[Seed]:
    """Also those of the wire's own provider, where this provider has their path."""
    own = wire_for(own_provider(load_request.wire.name), load_request.wire.name)
    seeds = seeds_of(load_request.wire, load_request.path)
    others = seeds_of(own, load_request.path) if own is not load_request.wire else []
    return seeds + [seed for seed in others if load_request.wire.route(Request("POST", seed[0], {}, b"{}")) is not None]


def check(load_request: LoadRequest, request: Request, context: str, levels: int = 0) -> bool:
    """Whether the request was refused. Assertion messages contain `context`: how to get the request again."""
    try:
        violation = judge(load_request.provider, request.path, request.body, request.headers)
        for script in (SCRIPT, None):
            fake = ScriptedFake(load_request.provider, script, wire=load_request.wire.name)
            response = fake.handle(request)
            refusals = fake.violations
            # A served fake may refuse more: it knows which responses it has sent, and which of them a request refers
            # to. Whether a body of nearly a thousand levels can be read depends on how deep the caller's stack is.
            if levels < UNREADABLE:
                assert violation is None or [refusal.rule for refusal in refusals] == [violation.rule]
            # Groq sends a 400 for a reply that does not match the request, DashScope a refusal within a stream.
            in_the_stream = [200] if b'data: {"error"' in b"".join(response.chunks)[:20] else []
            assert response.status in ([refusal.status for refusal in refusals] + in_the_stream or (200, 400))
            read(response)
    except Exception as error:
        raise AssertionError(f"{load_request.name}, {context}: {request.path} {request.body[:2000]!r}") from error
    return violation is not None


def read(response: Response) -> None:
    """Raises if the body says that it is JSON, or frames of JSON, and is not."""
    kind = dict(response.headers).get("content-type", "")
    if "amazon.eventstream" in kind:
        for frame in decode_frames(response.body):
            json.loads(frame.payload, parse_constant=refuse)
        return
    text = response.body.decode()
    lines = text.splitlines() if "ndjson" in kind else [text] if "json" in kind else []
    events = [line.removeprefix("data:") for line in text.splitlines() if line.startswith("data:")]
    for document in events if "event-stream" in kind else lines:
        if document.strip() != "[DONE]":
            json.loads(document, parse_constant=refuse)


def refuse(name: str) -> None:
    raise ValueError(f"{name} is no JSON")


def requests(load_request: LoadRequest, count: int) -> Iterator[tuple[int, Request]]:
    chance = random.Random(SEED)
    seeds = seeds_for(load_request)
    for number in range(count):
        path, headers, body = chance.choice(seeds)
        content = json.dumps(mutated(body, chance)).encode()
        yield number, Request("POST", path, {**load_request.headers, **headers}, content)


@pytest.mark.parametrize("load_request", LOAD_REQUESTS, ids=NAMES)
def test_mutated_requests_are_judged_and_answered(load_request: LoadRequest) -> None:
    count = MUTATIONS_OF_OWN_WIRE if is_on_own_wire(load_request) else MUTATIONS_OF_OTHER_PROVIDERS
    refused = sum(
        check(load_request, request, f"seed {SEED}, number {number}")
        for number, request in requests(load_request, count)
    )

    assert count * 0.2 < refused < count


@pytest.mark.parametrize("load_request", LOAD_REQUESTS, ids=NAMES)
def test_nested_requests_are_judged_and_answered(load_request: LoadRequest) -> None:
    chance = random.Random(SEED)
    seeds = seeds_for(load_request)
    for number in range(100 if is_on_own_wire(load_request) else 30):
        path, headers, body = chance.choice(seeds)
        levels = chance.choice(DEPTHS)
        content = nested(body, chance, depth=levels)
        check(
            load_request,
            Request("POST", path, {**load_request.headers, **headers}, content),
            f"seed {SEED}, number {number}",
            levels,
        )
