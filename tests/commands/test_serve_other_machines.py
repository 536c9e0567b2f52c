"""A server that other machines reach: only whoever sends its key is answered."""

import json

import httpx2
import pytest

from agent_conformance.commands.main import main
from agent_conformance.commands.serve.command import ServeOptions, serve
from agent_conformance.commands.serve.control import PREFIX
from tests.commands.control_client import CHAT, server_of

KEY = "compose-4711"


@pytest.mark.parametrize("sent", [KEY, f"{KEY}-worker-1"])
@pytest.mark.parametrize("host", ["fake:8080", "10.0.0.7", "localhost"])
def test_client_with_the_key_is_answered_under_any_name(sent: str, host: str) -> None:
    server = server_of(host="0.0.0.0", key=KEY).seen_by(sent, host=host)

    assert server.chat()[0] == 200
    assert [request["verdict"] for request in server.requests()] == ["accepted"]


@pytest.mark.parametrize("sent", ["", "other", KEY[:-1], f"{KEY}x", f"x{KEY}", "-worker-1"])
@pytest.mark.parametrize("path", ["/v1/chat/completions", f"{PREFIX}/requests", f"{PREFIX}/health", "/"])
def test_client_without_the_key_is_refused_on_every_path(sent: str, path: str) -> None:
    server = server_of(host="0.0.0.0", key=KEY)

    response = server.seen_by(sent).send("POST", path, CHAT)

    assert response.status == 401
    assert "the one that it was started with" in json.loads(response.body)["error"]["message"]
    assert server.seen_by(KEY).requests() == []


@pytest.mark.parametrize("header", ["x_api_key", "api_key", "x_goog_api_key"])
def test_key_is_taken_where_each_provider_has_it(header: str) -> None:
    server = server_of(host="0.0.0.0", key=KEY).seen_by("")

    assert server.send("GET", f"{PREFIX}/health", **{header: KEY}).status == 200
    assert server.send("GET", f"{PREFIX}/health?key={KEY}").status == 200


def test_page_of_another_machine_is_refused_with_the_key_too() -> None:
    server = server_of(host="0.0.0.0", key=KEY).seen_by(KEY)

    assert server.send("POST", "/v1/chat/completions", CHAT, origin="https://evil.example").status == 403
    assert server.send("POST", "/v1/chat/completions", CHAT, origin="http://localhost:3000").status == 200


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--host=0.0.0.0"], "--host=0.0.0.0: other machines would reach this server. Give the API key"),
        (["--host=0.0.0.0", "--key=short"], "--key: a key has 8 characters or more"),
        (["--host=192.0.2.1", f"--key={KEY}"], "--host=192.0.2.1 --port=0: the address is not available"),
    ],
)
def test_server_is_open_to_others_with_a_key_alone(
    options: list[str], sentence: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("AGENT_CONFORMANCE_KEY", raising=False)

    assert main(["serve", "--provider", "openai", *options]) == 2
    assert sentence in capsys.readouterr().err


def test_server_listens_where_it_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    statuses: list[int] = []

    def ask() -> None:
        url = capsys.readouterr().out.split("base URL ")[1].strip()
        for key in (KEY, "other"):
            headers = {"authorization": f"Bearer {key}"}
            answer = httpx2.post(f"{url}/chat/completions", json=CHAT, headers=headers, trust_env=False)
            statuses.append(answer.status_code)

    assert serve(ServeOptions(provider="openai", host="localhost", key=KEY), until=ask) == 0
    assert statuses == [200, 401]


def test_client_that_signs_its_requests_is_one_client() -> None:
    """Each signature is another; the access key is the client's."""
    server = server_of(provider="bedrock", key=KEY, host="0.0.0.0").seen_by("")
    signed = (
        f"AWS4-HMAC-SHA256 Credential={KEY}/20261123/us-east-1/bedrock/aws4_request, SignedHeaders=host, Signature="
    )
    put = [{"text": "One."}, {"text": "Two."}]
    body = {"messages": [{"role": "user", "content": [{"text": "Hi."}]}]}
    path = "/model/us.anthropic.claude-sonnet-4-5-20250929-v1%3A0/converse"

    server.send("PUT", f"{PREFIX}/replies", put, authorization=signed + "00")
    answers = [server.send("POST", path, body, authorization=signed + number) for number in ("01", "02")]

    texts = [json.loads(answer.body)["output"]["message"]["content"][0]["text"] for answer in answers]
    assert texts == ["One.", "Two."]
