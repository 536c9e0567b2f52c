"""`python -m tools drift`, against fakes on loopback that keep to the rules, and against ones that have drifted."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from agent_conformance.commands.shared.served import Everywhere
from fake_providers import PROVIDERS, Request, Response, ScriptedFake, provider_wires
from fake_providers.http import json_response
from fake_providers.provider_facts import facts_by_provider
from fake_providers.transport.server import LoopbackServer
from tools import run
from tools.drift.command import comparable, pairs_of, sentence_of
from tools.drift.provider_accounts import CannotConnect, account_of

RULE = "anthropic/tool-result-without-use"
KEY_VARIABLES = {name: facts.key_variable for name, facts in facts_by_provider().items() if facts.key_variable}
Answer = Callable[[Request], Response | None]


class Provider:
    """A strict fake on all of its wires; a response of `instead` replaces its own."""

    def __init__(self, provider: str, instead: Answer = lambda request: None) -> None:
        self._fakes = [ScriptedFake(provider, wire=wire.name) for wire in provider_wires(provider)]
        self._instead = instead
        self.requests: list[Request] = []

    def handle(self, request: Request) -> Response:
        self.requests.append(request)
        fake = next((one for one in self._fakes if one.wire.route(request) is not None), self._fakes[0])
        return self._instead(request) or fake.handle(request)


@contextmanager
def served(fake: Provider) -> Iterator[str]:
    errors: list[BaseException] = []
    with LoopbackServer(Everywhere(fake), lambda path, error: errors.append(error)) as server:
        yield server.url
    assert errors == []


@pytest.fixture(autouse=True)
def account(monkeypatch: pytest.MonkeyPatch) -> None:
    """A developer's machine with keys, wherever these tests run."""
    monkeypatch.delenv("CI", raising=False)
    for variable in KEY_VARIABLES.values():
        monkeypatch.setenv(variable, "k")
    monkeypatch.setenv("GOOGLE_CLOUD_PROJECT", "acme")


def run_drift(provider: str, *more: str, instead: Answer = lambda request: None) -> tuple[int, list[Request]]:
    fake = Provider(provider, instead)
    with served(fake) as url:
        code = run(["drift", "--provider", provider, "--base-url", url, *more])
    return code, fake.requests


def lines(capsys: pytest.CaptureFixture[str]) -> list[str]:
    return capsys.readouterr().out.splitlines()


@pytest.mark.slow
@pytest.mark.parametrize("provider", PROVIDERS)
def test_our_own_fake_has_not_changed(provider: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, requests = run_drift(provider)

    pairs, _ = pairs_of(provider, "*")
    assert (code, lines(capsys)[-1]) == (0, f"{len(pairs)} same")
    assert len(requests) == 2 * len(pairs) > 0


def only_pair() -> Any:
    (pair,), _ = pairs_of("anthropic", RULE)
    return pair


def error(status: int, sentence: str) -> Response:
    return json_response(status, {"type": "error", "error": {"type": "invalid_request_error", "message": sentence}})


def answering(body: bytes, response: Response) -> Answer:
    return lambda request: response if request.body == body else None


def test_rule_that_no_longer_refuses_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    code, _ = run_drift("anthropic", instead=answering(only_pair().breaking, json_response(200, {})))

    printed = lines(capsys)
    assert code == 1
    assert [line.split()[0] for line in printed if line.endswith("accepted now")][:1] == [RULE]
    assert printed[-1].endswith("1 accepted now")


@pytest.mark.parametrize(
    ("refused", "accepted", "outcome"),
    [
        (error(400, "Something else entirely."), None, "other message"),
        (error(422, "Something else entirely."), None, "other status"),
        (json_response(200, {}), None, "accepted now"),
        (None, error(400, "No such model."), "refused now"),
        (json_response(200, {}), error(400, "No such model."), "accepted now, refused now"),
        (error(429, "Slow down."), None, "no answer (429)"),
        (None, error(529, "Overloaded."), "no answer (529)"),
    ],
)
def test_change_of_one_rule_is_reported(
    refused: Response | None, accepted: Response | None, outcome: str, capsys: pytest.CaptureFixture[str]
) -> None:
    pair = only_pair()
    answers = {pair.breaking: refused, pair.accepted: accepted}

    code, _ = run_drift("anthropic", "--rule", RULE, instead=lambda request: answers[request.body])

    printed = lines(capsys)
    assert code == 1
    assert printed[1] == f"{RULE:52} {outcome}"
    assert printed[-1] == f"1 {outcome}"


def test_message_is_printed_as_it_was_and_as_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    run_drift("anthropic", "--rule", RULE, instead=answering(only_pair().breaking, error(400, "In new words.")))

    printed = lines(capsys)
    assert printed[2].startswith("  was  400 messages.")
    assert printed[3] == "  is   400 In new words."


@pytest.mark.parametrize("status", [401, 403])
def test_refused_key_stops_it(status: int, capsys: pytest.CaptureFixture[str]) -> None:
    code, requests = run_drift("anthropic", instead=lambda request: error(status, "invalid x-api-key"))

    assert (code, len(requests)) == (2, 1)
    assert f"{status} invalid x-api-key" in capsys.readouterr().err


def test_connection_that_fails_stops_it(capsys: pytest.CaptureFixture[str]) -> None:
    with served(Provider("anthropic")) as url:
        pass

    assert run(["drift", "--provider", "anthropic", "--base-url", url]) == 2
    assert capsys.readouterr().err.startswith("stopped: ")


def test_no_request_is_made_in_ci(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("CI", "true")

    assert run_drift("anthropic") == (2, [])
    assert "Give --yes to run it in CI." in capsys.readouterr().out
    code, requests = run_drift("anthropic", "--rule", RULE, "--yes")
    assert (code, len(requests)) == (0, 2)


@pytest.mark.parametrize("provider", KEY_VARIABLES)
def test_missing_key_is_reported_by_its_variable(
    provider: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    variable = KEY_VARIABLES[provider]
    monkeypatch.delenv(variable)

    assert run_drift(provider) == (2, [])
    assert f"set {variable}" in capsys.readouterr().err


def test_every_provider_has_an_address() -> None:
    facts = facts_by_provider().values()

    assert [one.name for one in facts if one.base_url or one.base_url_variable] == list(PROVIDERS)
    with pytest.raises(SystemExit) as ended:
        run(["drift", "--provider", "opnai"])
    assert ended.value.code == 2


def test_requests_have_the_key_as_each_provider_wants_it() -> None:
    environment = dict.fromkeys(KEY_VARIABLES.values(), "k") | {"GOOGLE_CLOUD_PROJECT": "acme"}

    def headers(provider: str, wire: str) -> Any:
        return dict(account_of(provider, environment, base_url="http://x").headers(wire))

    assert headers("openai", "openai-chat") == {"authorization": "Bearer k"}
    assert headers("anthropic", "anthropic-messages") == {"x-api-key": "k", "anthropic-version": "2023-06-01"}
    assert headers("gemini", "gemini-generate") == {"x-goog-api-key": "k"}
    assert headers("gemini", "openai-chat") == {"authorization": "Bearer k"}
    assert headers("vertex", "gemini-generate") == {"authorization": "Bearer k"}
    assert headers("azure", "openai-chat") == {"api-key": "k"}
    assert headers("ollama", "ollama-chat") == {}


def test_requests_to_vertex_go_to_the_users_project_and_location() -> None:
    environment = {
        "GOOGLE_OAUTH_ACCESS_TOKEN": "t",
        "GOOGLE_CLOUD_PROJECT": "acme",
        "GOOGLE_CLOUD_LOCATION": "us-east5",
    }

    account = account_of("vertex", environment, base_url=None)

    assert account.base_url == "https://us-east5-aiplatform.googleapis.com"
    assert account.located("/v1/projects/p/locations/global/publishers/google/models/m:x") == (
        "/v1/projects/acme/locations/us-east5/publishers/google/models/m:x"
    )
    with pytest.raises(CannotConnect, match="GOOGLE_CLOUD_PROJECT"):
        account_of("vertex", {"GOOGLE_OAUTH_ACCESS_TOKEN": "t"}, base_url=None)


def test_address_comes_from_the_option_the_variable_or_the_table() -> None:
    variables = {"OLLAMA_HOST": "box:11434"}

    assert account_of("ollama", {}, base_url=None).base_url == "http://127.0.0.1:11434"
    assert account_of("ollama", variables, base_url=None).base_url == "http://box:11434"
    assert account_of("ollama", variables, base_url="http://here/").base_url == "http://here"
    with pytest.raises(CannotConnect, match="AZURE_OPENAI_ENDPOINT"):
        account_of("azure", {"AZURE_OPENAI_API_KEY": "k"}, base_url=None)


def test_rules_with_what_only_the_fake_issues_are_not_tried(capsys: pytest.CaptureFixture[str]) -> None:
    _, left_out = pairs_of("gemini", "gemini/thought-signature-corrupted")

    assert [reason for _, reason in left_out] == ["its requests contain what only the fake issues"]
    run_drift("gemini", "--rule", "gemini/thought-signature-corrupted")
    assert "not tried: its requests contain what only the fake issues" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        ('{"error":{"message":"a"}}', "a"),
        ('[{"error":{"message":"a"}}]', "a"),
        ('{"error":"a"}', "a"),
        ('{"message":"a","type":"x"}', "a"),
        ('{"detail":[{"msg":"a"}]}', '[{"msg": "a"}]'),
        ("<html>a</html>", "<html>a</html>"),
        ("[]", "null"),
        ("1", "1"),
    ],
)
def test_sentence_is_found_in_every_envelope(body: str, sentence: str) -> None:
    assert sentence_of(body) == sentence
    assert sentence_of(json.loads(body) if body[0] != "<" else body) == sentence


def test_ids_and_numbers_make_no_other_message() -> None:
    assert comparable("call_1a at 3") == comparable("call_2b at  17")
    assert comparable("one thing") != comparable("another thing")
