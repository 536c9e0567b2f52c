"""Errors inside the fakes are reported as theirs, and do not affect other requests."""

import asyncio
import json
from typing import Any

import pytest
from transport_doubles import CLIENTS, Breaking, Client, Site

from fake_providers import Request, Response
from fake_providers.http import json_response


def fail_with(error: BaseException):
    def answer(request: Request) -> Response:
        raise error

    return answer


@pytest.mark.parametrize("error", [KeyError("x"), SystemExit(3), RecursionError("deep")])
def test_exception_of_a_handler_is_a_500_that_names_the_suite(error: BaseException, site: Site, client: Client) -> None:
    url = f"{site.place(fail_with(error))}/v1/messages"
    received = client.send(url)

    assert received.status == 500
    assert (b"x-should-retry", b"false") in received.headers
    message = json.loads(received.body)["error"]["message"]
    assert "not the agent's" in message
    assert type(error).__name__ in message
    assert [(path, found) for path, found in site.errors] == [(url.removeprefix(site.url), error)]


def test_next_request_after_an_exception_is_answered(site: Site, client: Client) -> None:
    client.send(site.place(fail_with(SystemExit(3))))

    assert client.send(site.place(json_response(200, {}))).status == 200


def test_header_that_cannot_be_sent_is_an_error_of_the_fakes(site: Site, client: Client) -> None:
    received = client.send(site.place(Response(200, (("x-name", "日本"),), ())))

    assert received.status == 500
    assert isinstance(site.errors[0][1], UnicodeEncodeError)


def test_exception_of_a_listener_cuts_the_response(site: Site, client: Client) -> None:
    received = client.send(site.place(Response(200, (), (b"a", b"b"), listener=Breaking())))

    assert received.chunks == (b"a",)
    assert received.error.startswith("RemoteProtocolError")
    assert [str(error) for _, error in site.errors] == ["hold", "done"]


async def close_on_another_loop() -> None:
    raise RuntimeError("Event loop is closed")


@pytest.mark.parametrize(
    ("left_behind", "reported"),
    [(close_on_another_loop, []), (lambda: asyncio.sleep("x"), [TypeError])],  # type: ignore[arg-type]
    ids=["by a finaliser of a client", "by the server, which runs what asyncio has"],
)
def test_task_on_the_loop_of_the_server_is_an_error_of_whose_code_it_runs(
    left_behind: Any, reported: list[type], loopback: Site, caplog: pytest.LogCaptureFixture
) -> None:
    def answer(request: Request) -> Response:
        asyncio.get_running_loop().create_task(left_behind())
        return json_response(200, {})

    for _ in range(2):  # the second answer comes after the first task
        assert CLIENTS["httpx2"].send(loopback.place(answer)).status == 200
    logged = [record for record in caplog.records if record.name == "asyncio"]

    assert [type(error) for _, error in loopback.errors[:1]] == reported
    assert bool(logged) is not bool(reported)


def test_unknown_token_is_a_404_that_says_so(site: Site, client: Client) -> None:
    received = client.send(f"{site.url}/v1/chat/completions")

    assert received.status == 404
    assert (b"x-should-retry", b"false") in received.headers
    assert json.loads(received.body)["error"]["message"].startswith("No fake provider is at /v1/chat/completions")
    assert site.errors == []


def test_ended_token_is_a_404_that_says_so(site: Site, client: Client) -> None:
    url = site.place(json_response(200, {}))
    before = client.send(f"{url}/v1/messages")
    site.mounts.unmount(url.rpartition("/")[2])
    after = client.send(f"{url}/v1/messages")

    assert (before.status, after.status) == (200, 404)
    assert "has ended" in json.loads(after.body)["error"]["message"]


def test_ctrl_c_in_a_handler_reaches_the_person_who_pressed_it(process: Site) -> None:
    with pytest.raises(KeyboardInterrupt):
        CLIENTS["httpx2"].send(process.place(fail_with(KeyboardInterrupt())))
