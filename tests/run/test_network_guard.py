"""Foreign hosts are refused and recorded, loopback is not, and outside a watch nothing is."""

import asyncio
import errno
import os
import socket
import sys
import urllib.request
from collections.abc import Callable, Iterator

import httpx
import httpx2
import pytest

from agent_conformance.run.process.network_guard import NetworkGuard, is_local

TEST_NET = "192.0.2.1"
"""An address of RFC 5737 that belongs to nobody, should the guard let it through."""


@pytest.fixture
def listener() -> Iterator[tuple[str, int]]:
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()


def udp(address: tuple[str, int], family: int = socket.AF_INET) -> None:
    with socket.socket(family, socket.SOCK_DGRAM) as sock:
        sock.sendto(b"x", address)


def tcp(address: tuple[str, int], family: int = socket.AF_INET) -> None:
    with socket.socket(family, socket.SOCK_STREAM) as sock:
        sock.settimeout(1)
        sock.connect(address)


def udp_message() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        sock.sendmsg([b"x"], [], 0, (TEST_NET, 53))


def asyncio_to(host: str, port: int) -> None:
    async def connect() -> None:
        _, writer = await asyncio.open_connection(host, port)
        writer.close()
        await writer.wait_closed()

    asyncio.run(connect())


def client_get(module: object, url: str) -> None:
    with module.Client(trust_env=False, verify=False) as client:  # type: ignore[attr-defined]
        client.get(url)


FOREIGN: dict[str, tuple[Callable[[], object], tuple[str, int | None]]] = {
    "name": (lambda: socket.getaddrinfo("api.example.test", 443), ("api.example.test", 443)),
    "name-of-a-service": (lambda: socket.getaddrinfo("api.example.test", "https"), ("api.example.test", 443)),
    "name-in-bytes": (lambda: socket.getaddrinfo(b"api.example.test", b"443"), ("api.example.test", 443)),
    "old-name": (lambda: socket.gethostbyname("api.example.test"), ("api.example.test", None)),
    "address": (lambda: tcp((TEST_NET, 443)), (TEST_NET, 443)),
    "address-6": (lambda: tcp(("2001:db8::1", 443), socket.AF_INET6), ("2001:db8::1", 443)),
    "mapped-address": (lambda: tcp((f"::ffff:{TEST_NET}", 443), socket.AF_INET6), (f"::ffff:{TEST_NET}", 443)),
    "create-connection": (lambda: socket.create_connection(("api.example.test", 80)), ("api.example.test", 80)),
    "datagram": (lambda: udp((TEST_NET, 53)), (TEST_NET, 53)),
    "message": (udp_message, (TEST_NET, 53)),
    "asyncio-name": (lambda: asyncio_to("api.example.test", 443), ("api.example.test", 443)),
    "asyncio-address": (lambda: asyncio_to(TEST_NET, 443), (TEST_NET, 443)),
}


@pytest.mark.parametrize("way", FOREIGN)
def test_foreign_host_is_refused_and_recorded(way: str) -> None:
    go, host = FOREIGN[way]
    with NetworkGuard.watch() as refused, pytest.raises(OSError, match=r"fake provider only, not to") as caught:
        go()

    assert refused == [host]
    assert host[0] in str(caught.value)
    by_name = "example" in host[0]
    assert isinstance(caught.value, socket.gaierror) is by_name
    assert by_name or caught.value.errno == errno.ENETUNREACH


@pytest.mark.parametrize("module", [httpx, httpx2])
def test_http_client_is_refused_with_any_exception(module: object) -> None:
    with NetworkGuard.watch() as refused, pytest.raises(module.ConnectError):  # type: ignore[attr-defined]
        client_get(module, "https://api.example.test/v1")

    assert refused == [("api.example.test", 443)]


def test_urllib_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(urllib.request, "getproxies", dict)
    with NetworkGuard.watch() as refused, pytest.raises(OSError, match="not to"):
        urllib.request.urlopen("http://api.example.test/")

    assert refused == [("api.example.test", 80)]


def test_references_taken_before_the_watch_are_refused() -> None:
    connect = socket.socket.connect
    with socket.socket() as sock, NetworkGuard.watch() as refused, pytest.raises(OSError, match="not to"):
        connect(sock, (TEST_NET, 80))

    assert refused == [(TEST_NET, 80)]


def test_host_tried_again_is_recorded_once() -> None:
    with NetworkGuard.watch() as refused:
        for port in (443, 443, 80):
            with pytest.raises(OSError, match="not to"):
                tcp((TEST_NET, port))

    assert refused == [(TEST_NET, 443), (TEST_NET, 80)]


def test_loopback_is_allowed(listener: tuple[str, int]) -> None:
    port = listener[1]
    with NetworkGuard.watch() as refused:
        tcp(("127.0.0.1", port))
        udp(("127.0.0.1", port))
        asyncio_to("127.0.0.1", port)
        socket.create_connection(("localhost", port)).close()
        socket.getaddrinfo(None, port)
        socket.gethostbyname("localhost")
        with socket.create_server(("", 0)):
            pass

    assert refused == []


def test_unix_socket_is_allowed(tmp_path: object) -> None:
    path = os.path.join(str(tmp_path), "s")
    with socket.socket(socket.AF_UNIX) as server, socket.socket(socket.AF_UNIX) as client:
        server.bind(path)
        server.listen()
        with NetworkGuard.watch() as refused:
            client.connect(path)

    assert refused == []


@pytest.mark.parametrize(
    "host",
    ["localhost", "LOCALHOST.", "a.localhost", "127.0.0.1", "127.8.9.10", "::1", "::ffff:127.0.0.1", "", "0.0.0.0"],
)
def test_local_hosts(host: str) -> None:
    assert is_local(host)


@pytest.mark.parametrize("host", ["localhost.example.test", "notlocalhost", "128.0.0.1", "::2", "fe80::1%eth0", "1"])
def test_foreign_hosts(host: str) -> None:
    assert not is_local(host)


def refuse() -> bool:
    """Raises the guard's own event, as a socket would: nothing is sent where the guard is off."""
    with socket.socket() as sock:
        try:
            sys.audit("socket.connect", sock, (TEST_NET, 80))
        except OSError:
            return True
    return False


def test_guard_is_inactive_outside_a_watch() -> None:
    before = refuse()
    with NetworkGuard.watch():
        during = refuse()

    assert (before, during, refuse()) == (False, True, False)


def test_guard_is_inactive_after_a_watch_that_failed() -> None:
    with pytest.raises(ZeroDivisionError), NetworkGuard.watch():
        raise ZeroDivisionError

    assert not refuse()


def test_innermost_watch_records() -> None:
    with NetworkGuard.watch() as outer:
        with NetworkGuard.watch() as inner:
            refuse()
        inner_saw = list(inner)
        outer_saw = list(outer)
        refuse()

    assert inner_saw == [(TEST_NET, 80)]
    assert outer_saw == []
    assert outer == [(TEST_NET, 80)]


def test_other_threads_are_refused_too() -> None:
    import threading

    with NetworkGuard.watch() as refused:
        thread = threading.Thread(target=refuse)
        thread.start()
        thread.join()

    assert refused == [(TEST_NET, 80)]
