"""Connections that are closed, reset or silent: the same for each client, on a socket and through the hook."""

import threading

import httpx2
import pytest
from msgspec.structs import replace
from transport_doubles import BRIEF, Client, Gate, Received, Site, open_site

from fake_providers import Response
from fake_providers.reply import Loss
from fake_providers.transport import waiting
from tests.patience import PATIENCE

STREAM = (("content-type", "text/event-stream"),)
JSON = (("content-type", "application/json"), ("content-length", "40"))
BODIES = {
    "stream": Response(200, STREAM, (b"data: a\n\n", b"data: b")),
    "plain": Response(200, JSON, (b'{"text": "gr',)),
}
ERRORS: dict[Loss, str] = {"closed": "RemoteProtocolError", "reset": "ReadError", "silent": "ReadTimeout"}


def lost(body: str, loss: Loss, *, headless: bool = False, **more: object) -> Response:
    return replace(BODIES[body], cut=True, loss=loss, headless=headless, **more)  # type: ignore[arg-type]


def received_from(site: Site, client: Client, response: Response) -> Received:
    for seconds in BRIEF if response.loss == "silent" else (PATIENCE,):
        received = client.send(site.place(response), timeout=seconds)
        if response.headless or received.body == b"".join(response.chunks):
            break
    return received


@pytest.mark.parametrize("loss", ERRORS)
@pytest.mark.parametrize("body", BODIES)
def test_written_bytes_arrive_before_the_loss(site: Site, client: Client, body: str, loss: Loss) -> None:
    received = received_from(site, client, lost(body, loss))

    assert (received.status, received.body) == (200, BODIES[body].body)
    assert received.error.partition(":")[0] == ERRORS[loss]


@pytest.mark.parametrize("loss", ERRORS)
def test_a_loss_before_the_status_shows_nothing(site: Site, client: Client, loss: Loss) -> None:
    received = received_from(site, client, lost("stream", loss, headless=True))

    assert (received.status, received.headers, received.chunks) == (0, (), ())
    assert received.error.partition(":")[0] == ERRORS[loss]


@pytest.mark.parametrize("loss", ["closed", "reset"])
def test_error_message_is_the_same_on_both_transports(client: Client, loss: Loss) -> None:
    for headless in (False, True):
        words = []
        for transport in ("loopback", "process"):
            with open_site(transport) as site:
                words.append(received_from(site, client, lost("plain", loss, headless=headless)).error)

        assert words[0] == words[1]


@pytest.mark.parametrize("headless", [False, True])
def test_silence_ends_when_it_is_released(site: Site, client: Client, headless: bool) -> None:
    release = threading.Event()
    release.set()
    received = client.send(site.place(lost("stream", "silent", headless=headless, release=release)))

    assert received.error.startswith("RemoteProtocolError")


@pytest.mark.parametrize("headless", [False, True])
@pytest.mark.parametrize("loss", ERRORS)
def test_lost_response_is_reported_once_and_as_complete(site: Site, client: Client, loss: Loss, headless: bool) -> None:
    for seconds in BRIEF if loss == "silent" else (PATIENCE,):
        gate = Gate()
        client.send(site.place(lost("stream", loss, headless=headless, listener=gate)), timeout=seconds)
        if gate.endings == [True]:
            break

    assert gate.endings == [True]


def test_next_request_is_answered_as_usual(site: Site, client: Client) -> None:
    whole = Response(200, STREAM, (b"data: a\n\n",))
    for loss in ("closed", "reset"):
        received_from(site, client, lost("stream", loss, headless=True))

        assert client.send(site.place(whole)).body == b"data: a\n\n"


@pytest.mark.parametrize("release", [None, threading.Event()])
def test_silence_in_process_lasts_as_long_as_the_client_waits(
    release: threading.Event | None, process: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    waited: list[tuple[object, ...]] = []

    async def wait_for(*given: object) -> None:
        waited.append(given)

    monkeypatch.setattr(waiting, "wait_for", wait_for)
    response = lost("stream", "silent", release=release)
    received = Client(httpx2, is_async=True).send(process.place(response), timeout=0.15)

    assert (received.error.partition(":")[0], waited) == ("ReadTimeout", [(release, 0.15)])
