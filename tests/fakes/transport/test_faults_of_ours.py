"""What goes wrong inside the suite is told as such, and stays with the one who did it."""

import json

import pytest
from transport_doubles import CLIENTS, Breaking, Client, Site

from fakes import Request, Response
from fakes.http import json_response


def fail_with(error: BaseException):
    def answer(request: Request) -> Response:
        raise error

    return answer


@pytest.mark.parametrize("error", [KeyError("x"), SystemExit(3), RecursionError("deep")])
def test_exception_of_a_handler_is_a_500_that_blames_the_suite(
    error: BaseException, site: Site, client: Client
) -> None:
    url = f"{site.place(fail_with(error))}/v1/messages"
    seen = client.ask(url)

    assert seen.status == 500
    assert (b"x-should-retry", b"false") in seen.headers
    message = json.loads(seen.body)["error"]["message"]
    assert "not the agent's" in message
    assert type(error).__name__ in message
    assert [(path, found) for path, found in site.errors] == [(url.removeprefix(site.url), error)]


def test_next_request_after_an_exception_is_answered(site: Site, client: Client) -> None:
    client.ask(site.place(fail_with(SystemExit(3))))

    assert client.ask(site.place(json_response(200, {}))).status == 200


def test_header_that_cannot_be_sent_is_a_fault_of_ours(site: Site, client: Client) -> None:
    seen = client.ask(site.place(Response(200, (("x-name", "日本"),), ())))

    assert seen.status == 500
    assert isinstance(site.errors[0][1], UnicodeEncodeError)


def test_exception_of_a_listener_cuts_the_response(site: Site, client: Client) -> None:
    seen = client.ask(site.place(Response(200, (), (b"a", b"b"), listener=Breaking())))

    assert seen.chunks == (b"a",)
    assert seen.error.startswith("RemoteProtocolError")
    assert [str(error) for _, error in site.errors] == ["hold", "done"]


def test_unknown_token_is_a_404_that_says_so(site: Site, client: Client) -> None:
    seen = client.ask(f"{site.url}/v1/chat/completions")

    assert seen.status == 404
    assert (b"x-should-retry", b"false") in seen.headers
    assert json.loads(seen.body)["error"]["message"].startswith("No fake provider is at /v1/chat/completions")
    assert site.errors == []


def test_ended_token_is_a_404_that_says_so(site: Site, client: Client) -> None:
    url = site.place(json_response(200, {}))
    before = client.ask(f"{url}/v1/messages")
    site.mounts.unmount(url.rpartition("/")[2])
    after = client.ask(f"{url}/v1/messages")

    assert (before.status, after.status) == (200, 404)
    assert "has ended" in json.loads(after.body)["error"]["message"]


def test_ctrl_c_in_a_handler_reaches_the_person_who_pressed_it(process: Site) -> None:
    with pytest.raises(KeyboardInterrupt):
        CLIENTS["httpx2"].ask(process.place(fail_with(KeyboardInterrupt())))
