"""What `docs/deviations.md` says of the fakes is so: each row is shown by a request."""

import json
from typing import Any

import pytest

import fake_providers
from fake_providers import Reply, Request, ScriptedFake, provider_wires
from fake_providers.http import Response
from tests.docs.deviations import (
    CLAUDE,
    CONTENTS,
    IGNORED,
    LET_PASS,
    MESSAGES,
    NOT_BUILT,
    SCRIPTED,
    VERTEX,
    Ignored,
    LetPass,
)

PATHS = [(provider, path) for provider, _, paths in NOT_BUILT for path in paths]


@pytest.mark.parametrize("deviation", LET_PASS, ids=[f"{one.provider}: {one.what}" for one in LET_PASS])
def test_what_is_said_to_pass_does(deviation: LetPass) -> None:
    assert fake_providers.judge(deviation.provider, deviation.path, json.dumps(deviation.body).encode(), {}) is None


def test_each_is_documented_once() -> None:
    assert len({(one.provider, one.what) for one in LET_PASS}) == len(LET_PASS)
    assert len({(one.provider, one.what) for one in IGNORED}) == len(IGNORED)
    assert len({(provider, what) for provider, what, _ in NOT_BUILT}) == len(NOT_BUILT)


@pytest.mark.parametrize(("provider", "path"), PATHS)
def test_what_is_said_not_to_be_built_is_not(provider: str, path: str) -> None:
    with pytest.raises(LookupError):
        fake_providers.judge(provider, path, b"{}", {})
    for wire in provider_wires(provider):
        assert ScriptedFake(provider, wire=wire.name).handle(Request("POST", path, {}, b"{}")).status == 404


@pytest.mark.parametrize("deviation", IGNORED, ids=[f"{one.provider}: {one.what}" for one in IGNORED])
def test_what_is_said_to_be_ignored_is(deviation: Ignored) -> None:
    fake = fake_for(deviation.provider, deviation.path)
    key = {"authorization": "Bearer k", "x-api-key": "k", "x-goog-api-key": "k", "anthropic-version": "2023-06-01"}

    response = response_to(fake, deviation.path, deviation.body, **key)

    assert response.status == 200
    assert response.body.decode().count(SCRIPTED) == 1
    assert b'"token":' not in response.body


def fake_for(provider: str, path: str) -> ScriptedFake:
    """On the wire that has this path, with one reply."""
    request = Request("POST", path, {}, b"{}")
    wire = next(wire for wire in provider_wires(provider) if wire.route(request) is not None)
    return ScriptedFake(provider, [Reply(text=SCRIPTED)], wire=wire.name)


def response_to(fake: ScriptedFake, path: str, body: Any, **headers: str) -> Response:
    return fake.handle(Request("POST", path, headers, json.dumps(body).encode()))


def test_any_key_is_taken_and_no_limit_is_reached() -> None:
    fake = ScriptedFake("anthropic", [Reply(text="Hello.")])
    key = {"x-api-key": "any", "anthropic-version": "2023-06-01"}

    assert {response_to(fake, MESSAGES, CLAUDE, **key).status for _ in range(200)} == {200}


def test_tokens_are_four_characters_each() -> None:
    fake = ScriptedFake("anthropic", [Reply(text="a" * 400)])
    key = {"x-api-key": "any", "anthropic-version": "2023-06-01"}

    usage = json.loads(response_to(fake, MESSAGES, CLAUDE, **key).body)["usage"]

    assert usage["output_tokens"] == 100


def test_ids_signatures_and_times_are_the_same_in_every_run() -> None:
    def answer() -> bytes:
        fake = ScriptedFake("vertex", [Reply(text="Hello.")])
        return response_to(fake, VERTEX, {"contents": CONTENTS}, authorization="Bearer any").body

    assert answer() == answer()
    assert {"createTime", "responseId"} <= json.loads(answer()).keys()
