"""Who may ask a server of `serve`: clients of this machine, and pages in browsers that are of this machine too."""

import json
from typing import Any

import pytest

from agent_conformance.commands.record.proxy import Notices, Proxy, Upstream
from agent_conformance.commands.serve.control import PREFIX
from agent_conformance.commands.shared.served import refusal_of_foreigners
from tests.commands.control_client import CHAT, Server, server_of

KEY = "sk-proj-first-0123456789"
PATHS = {
    "model": ("POST", "/v1/chat/completions"),
    "stored responses": ("GET", "/v1/responses/resp_1"),
    "models": ("GET", "/v1/models"),
    "nothing": ("GET", "/"),
    "requests": ("GET", f"{PREFIX}/requests"),
    "reset": ("POST", f"{PREFIX}/reset"),
    "document": ("GET", f"{PREFIX}/openapi.json"),
}
OWN_PAGES = [
    "http://localhost:3000",
    "http://127.0.0.1",
    "https://app.localhost",
    "http://[::1]:1",
    "app://obsidian.md",
]
FOREIGN_PAGES = ["https://evil.example", "null", "http://localhost.evil.example", "http://evil.example/.localhost"]
ASKING: dict[str, str] = {
    "access_control_request_method": "POST",
    "access_control_request_headers": "authorization,content-type,x-stainless-os",
}


def message_of(server: Server, method: str, path: str, **headers: str) -> tuple[int, str]:
    response = server.send(method, path, CHAT if method == "POST" else None, **headers)
    return response.status, json.loads(response.body)["error"]["message"]


@pytest.mark.parametrize(
    "host", ["localhost", "LOCALHOST:8080", "127.0.0.1:1", "127.1.2.3", "[::1]:8080", "me.localhost"]
)
def test_names_of_this_machine_are_served(host: str) -> None:
    assert refusal_of_foreigners({"host": host}) is None


@pytest.mark.parametrize(
    "host",
    ["evil.example", "127.0.0.1.evil.example", "localhost.evil", "10.0.0.1", "", "evil@127.0.0.1", "evil/.localhost"],
)
def test_names_that_lead_here_are_refused(host: str, capsys: pytest.CaptureFixture[str]) -> None:
    server = server_of()
    status, message = message_of(server, "POST", "/v1/chat/completions", host=host)

    assert (status, message) == (421, f"This server answers for localhost and 127.0.0.1 alone, not for {host}.")
    assert server.requests() == []
    assert "POST /v1/chat/completions: 421" in capsys.readouterr().out


@pytest.mark.parametrize("origin", FOREIGN_PAGES)
@pytest.mark.parametrize("name", PATHS)
def test_page_of_another_machine_is_refused_on_every_path(name: str, origin: str) -> None:
    server, several = server_of(), server_of(beside=("anthropic",))
    method, path = PATHS[name]
    for one in (server, several):
        status, message = message_of(one, method, path, origin=origin)

        assert status == 403
        assert message == f"The request comes from a page of {origin}; only pages of this machine are answered."
        assert one.send("OPTIONS", path, **ASKING, origin=origin).status == 403
        assert one.requests() == []


@pytest.mark.parametrize("name", PATHS)
def test_page_of_another_site_that_names_no_origin_is_refused(name: str) -> None:
    method, path = PATHS[name]
    status, message = message_of(server_of(), method, path, sec_fetch_site="cross-site")

    assert (status, "a page of another site" in message) == (403, True)


@pytest.mark.parametrize("site", ["none", "same-origin", "same-site"])
def test_address_that_is_typed_is_answered(site: str) -> None:
    assert server_of().send("GET", f"{PREFIX}/requests", sec_fetch_site=site).status == 200


@pytest.mark.parametrize("origin", OWN_PAGES)
@pytest.mark.parametrize("name", PATHS)
def test_page_of_this_machine_is_answered_and_can_read_the_answer(name: str, origin: str) -> None:
    method, path = PATHS[name]
    server = server_of()
    asked = dict(server.send("OPTIONS", path, **ASKING, origin=origin).headers)
    plain = server.send(method, path, CHAT if method == "POST" else None)
    response = server.send(method, path, CHAT if method == "POST" else None, origin=origin, sec_fetch_site="cross-site")

    assert asked["access-control-allow-origin"] == origin
    assert asked["access-control-allow-methods"] == "POST"
    assert asked["access-control-allow-headers"] == "authorization,content-type,x-stainless-os"
    assert response.status == plain.status
    assert dict(response.headers)["access-control-allow-origin"] == origin
    assert dict(response.headers)["access-control-expose-headers"] == "*"
    assert dict(plain.headers).keys() & {"access-control-allow-origin"} == set()


def test_preflight_is_no_request_of_the_client(capsys: pytest.CaptureFixture[str]) -> None:
    server = server_of(beside=("gemini",))
    path = "/gemini/v1beta/models/gemini-2.5-flash:generateContent"

    assert server.send("OPTIONS", path, **ASKING, origin="http://localhost:1").status == 204
    assert server.requests() == []
    assert capsys.readouterr().out == ""


def test_options_without_a_question_reach_the_provider() -> None:
    assert server_of().send("OPTIONS", "/v1/chat/completions", origin="http://localhost:1").status == 404


def test_error_of_the_provider_can_be_read_by_a_page() -> None:
    response = server_of().send("POST", "/v1/chat/completions", {**CHAT, "tools": []}, origin="http://localhost:1")

    assert response.status == 400
    assert dict(response.headers)["access-control-allow-origin"] == "http://localhost:1"


@pytest.mark.parametrize(
    ("lines", "status", "sentence"),
    [
        (["host: evil.example"], b"421", b"answers for localhost and 127.0.0.1 alone"),
        (["host: localhost", "origin: https://evil.example"], b"403", b"a page of https://evil.example"),
        ([], b"400", b"no Host header"),
    ],
)
def test_recording_is_for_this_machine_alone(lines: list[str], status: bytes, sentence: bytes) -> None:
    import socket

    def unexpected(*arguments: Any) -> Any:
        raise AssertionError(arguments)

    upstream = Upstream("http://127.0.0.1:9", base_path="/v1")
    with Proxy(upstream, Notices(unexpected, unexpected, unexpected)) as proxy:
        port = int(proxy.url.rpartition(":")[2])
        with socket.create_connection(("127.0.0.1", port), 20) as connection:
            head = ["POST /v1/chat/completions HTTP/1.1", *lines, "content-length: 0", "connection: close", "", ""]
            connection.sendall("\r\n".join(head).encode())
            received = b"".join(iter(lambda: connection.recv(65536), b""))

    assert received.split()[1] == status
    assert sentence in received
