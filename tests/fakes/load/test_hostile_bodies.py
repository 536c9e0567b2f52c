"""Bodies that are no JSON, or JSON that parsers stumble over: the provider's 4xx or its answer, and no 500 of ours."""

import json
from collections.abc import Iterator

import httpx2
import pytest
from hostile import ALL, JSON, NO_JSON
from load_requests import ASKS, NAMES, OWN, OWN_NAMES, Ask
from load_site import Site, open_site

from fakes import Reply, ScriptedFake, judge

REFUSAL = {
    "openai-chat": "We could not parse the JSON body of your request.",
    "openai-responses": "We could not parse the JSON body of your request.",
    "anthropic-messages": "The request body is not valid JSON: ",
    "gemini-generate": "Invalid JSON payload received. ",
}
"""How the refusal begins on each wire, but Ollama's: it has Go's words, and takes what Go takes."""
GO_READS = {"twice", "bad-utf-8", "half-a-character", "surrogate-in-utf-8"}
GO_SAYS = ("missing request body", "unexpected EOF", "invalid character ")


@pytest.fixture(params=["loopback", "process"])
def site(request: pytest.FixtureRequest) -> Iterator[Site]:
    with open_site(request.param) as opened:
        yield opened


@pytest.mark.parametrize("ask", OWN, ids=OWN_NAMES)
def test_every_body_gets_what_the_provider_says_on_both_transports(ask: Ask, site: Site) -> None:
    with httpx2.Client(trust_env=False, verify=False) as client:
        for name, make in ALL.items():
            body = make(ask)
            violation = judge(ask.provider, ask.path, body, ask.headers)
            fake = ScriptedFake(ask.provider, [Reply(text="7 degrees.")], wire=ask.wire.name)
            response = client.post(site.place(fake) + ask.path, content=body, headers=ask.headers)

            assert response.status_code == (violation.status if violation else 200), name
            assert violation is None or response.json() == violation.body, name
            assert [refusal.rule for refusal in fake.violations] == ([violation.rule] if violation else []), name
    assert site.errors == []


@pytest.mark.parametrize("name", NO_JSON)
@pytest.mark.parametrize("ask", OWN, ids=OWN_NAMES)
def test_what_is_no_json_is_refused_in_the_provider_s_words(ask: Ask, name: str) -> None:
    violation = judge(ask.provider, ask.path, NO_JSON[name](ask), ask.headers)

    if ask.wire.name == "ollama-chat" and name in GO_READS:
        assert violation is None
        return
    assert violation is not None
    assert violation.status == 400
    assert violation.message.startswith(REFUSAL.get(ask.wire.name, GO_SAYS))


@pytest.mark.parametrize("ask", ASKS, ids=NAMES)
def test_every_provider_answers_every_body(ask: Ask) -> None:
    statuses: dict[str, int] = {}
    for name, make in ALL.items():
        violation = judge(ask.provider, ask.path, make(ask), ask.headers)
        statuses[name] = violation.status if violation else 200

    assert all(400 <= statuses[name] < 500 or name in GO_READS for name in NO_JSON)
    assert set(statuses.values()) <= {200, 400, 404, 413, 422}
    assert statuses["escaped-nul"] == statuses["long-text"] == statuses["many-brackets-in-text"] == 200


def test_bodies_are_what_their_names_say() -> None:
    """That the bodies are wrong by themselves, and not because they were made wrongly."""
    ask = OWN[0]
    for name in ("same-key-twice", "lone-surrogate", "long-text", "escaped-nul", "many-keys"):
        assert isinstance(json.loads(JSON[name](ask)), dict)
    for make in ALL.values():
        assert make(ask) != ask.content
