"""Bodies that are invalid JSON, or difficult JSON: the provider's 4xx or a reply, and never a 500."""

import itertools
import json
from collections.abc import Iterator

import httpx2
import pytest
from hostile_bodies import ALL, INVALID_JSON, JSON
from load_requests import LOAD_REQUESTS, NAMES, OWN, OWN_NAMES, LoadRequest
from load_site import Site, open_site

from fake_providers import Reply, ScriptedFake, judge
from tests.tables import rows

REFUSAL = {
    "openai-chat": "We could not parse the JSON body of your request.",
    "openai-responses": "We could not parse the JSON body of your request.",
    "anthropic-messages": "The request body is not valid JSON: ",
    "gemini-generate": "Invalid JSON payload received. ",
    "bedrock-converse": ("The body is no JSON.", "A conversation must start with a user message."),
    "cohere-chat": "invalid json syntax: ",
}
"""How the refusal begins, on Bedrock also of an empty body. Ollama has Go's messages and, as Cohere, accepts what Go
accepts."""
ACCEPTED_BY_GO = {"twice", "bad-utf-8", "half-a-character", "surrogate-in-utf-8"}
GO_MESSAGES = ("missing request body", "unexpected EOF", "invalid character ")


@pytest.fixture(params=["loopback", "process"])
def site(request: pytest.FixtureRequest) -> Iterator[Site]:
    with open_site(request.param) as site:
        yield site


@pytest.mark.slow
@pytest.mark.parametrize("load_request", OWN, ids=OWN_NAMES)
def test_every_body_gets_the_providers_response_on_both_transports(load_request: LoadRequest, site: Site) -> None:
    with httpx2.Client(trust_env=False, verify=False) as client:
        for name, make in ALL.items():
            body = make(load_request)
            violation = judge(load_request.provider, load_request.path, body, load_request.headers)
            fake = ScriptedFake(load_request.provider, [Reply(text="7 degrees.")], wire=load_request.wire.name)
            response = client.post(site.place(fake) + load_request.path, content=body, headers=load_request.headers)

            assert response.status_code == (violation.status if violation else 200), name
            assert violation is None or response.json() == violation.body, name
            assert [refusal.rule for refusal in fake.violations] == ([violation.rule] if violation else []), name
    assert site.errors == []


@rows(
    "load_request name",
    itertools.product(OWN, INVALID_JSON),
    ids=["-".join(names) for names in itertools.product(OWN_NAMES, INVALID_JSON)],
)
def test_invalid_json_is_refused_with_the_providers_message(load_request: LoadRequest, name: str) -> None:
    violation = judge(load_request.provider, load_request.path, INVALID_JSON[name](load_request), load_request.headers)

    if load_request.wire.name in ("ollama-chat", "cohere-chat") and name in ACCEPTED_BY_GO:
        assert violation is None
        return
    assert violation is not None
    assert violation.status == 400
    assert violation.message.startswith(REFUSAL.get(load_request.wire.name, GO_MESSAGES))


@pytest.mark.parametrize("load_request", LOAD_REQUESTS, ids=NAMES)
def test_every_provider_responds_to_every_body(load_request: LoadRequest) -> None:
    statuses: dict[str, int] = {}
    for name, make in ALL.items():
        violation = judge(load_request.provider, load_request.path, make(load_request), load_request.headers)
        statuses[name] = violation.status if violation else 200

    assert all(400 <= statuses[name] < 500 or name in ACCEPTED_BY_GO for name in INVALID_JSON)
    assert set(statuses.values()) <= {200, 400, 404, 413, 422}
    assert statuses["escaped-nul"] == statuses["long-text"] == statuses["many-brackets-in-text"] == 200


def test_bodies_match_their_names() -> None:
    """The bodies are wrong in themselves and not because they were built wrongly."""
    load_request = OWN[0]
    for name in ("same-key-twice", "lone-surrogate", "long-text", "escaped-nul", "many-keys"):
        assert isinstance(json.loads(JSON[name](load_request)), dict)
    for make in ALL.values():
        assert make(load_request) != load_request.content
