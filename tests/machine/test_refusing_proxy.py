"""Programs under test reach no other host, and which they asked for is known."""

import http.client
import socket
import urllib.error
import urllib.request

import pytest

from agent_conformance.machine.refusing_proxy import RefusingProxy


@pytest.mark.parametrize("url", ["http://models.example.org/list?key=secret", "https://models.example.org/list"])
def test_host_is_noted_and_not_reached(url: str) -> None:
    proxy = RefusingProxy()
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({"http": proxy.address, "https": proxy.address}))

    for _ in range(2):
        with pytest.raises((urllib.error.URLError, http.client.HTTPException, OSError)):
            opener.open(url)

    assert proxy.since(0).startswith("it asked for models.example.org")
    assert "secret" not in proxy.since(0)
    assert proxy.since(proxy.count) == ""


def test_client_that_says_nothing_keeps_nobody_waiting() -> None:
    proxy = RefusingProxy()
    port = int(proxy.address.rpartition(":")[2])
    with socket.create_connection(("127.0.0.1", port)), socket.create_connection(("127.0.0.1", port)) as second:
        second.sendall(b"CONNECT one.example:443 HTTP/1.1\r\n\r\n")

        assert second.recv(1) == b""
    assert proxy.since(0) == "it asked for one.example:443, and only loopback can be reached"


def test_many_hosts_are_not_all_shown() -> None:
    proxy = RefusingProxy()
    for number in range(8):
        with socket.create_connection(("127.0.0.1", int(proxy.address.rpartition(":")[2]))) as client:
            client.sendall(f"CONNECT {number}.example:443 HTTP/1.1\r\n\r\n".encode())
            client.recv(1)

    assert proxy.since(0).count(".example") == 6
    assert " and others, and only loopback" in proxy.since(0)
