"""Kinds that send what no client should: floods, bombs, other people's addresses, garbage on the wire."""

import gzip
import os
import socket
import subprocess
import sys
import zlib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, ClassVar
from urllib.parse import urlsplit

import httpx2

from tests.hostile.right_agent import CLIENT, LeavingThreads, Right, hang
from tests.hostile.right_agent import weekly_kind as kind

SOCKET = ("--agent-transport=socket",)
MEGABYTE = 1_000_000


class Sending(Right):
    """Sends something before what a right agent sends."""

    def before(self) -> Any: ...

    def request(self) -> dict[str, Any]:
        if self.is_hostile and len(self.messages) == 1:
            self.before()
        return super().request()

    @property
    def url(self) -> str:
        return f"{self.setup.base_url}/chat/completions"

    def raw(self, *pieces: bytes, wait: bool = True) -> bytes:
        """Bytes on a connection of its own, and what comes back first."""
        parts = urlsplit(self.setup.base_url)
        with socket.create_connection((parts.hostname or "", parts.port or 80), timeout=20) as connection:
            for piece in pieces:
                connection.sendall(piece)
            return connection.recv(65536) if wait else b""

    def head(self, *lines: str, method: str = "POST") -> bytes:
        path = f"{urlsplit(self.setup.base_url).path}/chat/completions"
        return "\r\n".join((f"{method} {path} HTTP/1.1", "host: x", *lines, "", "")).encode()


def headers_of(agent: Right) -> dict[str, str]:
    return {"authorization": f"Bearer {agent.setup.api_key}", "content-type": "application/json"}


@kind("failed")
class SendsThousandsOfRequests(Sending):
    def before(self) -> None:
        for _ in range(3000):
            CLIENT.post(self.url, content=b"{}", headers=headers_of(self))


@kind("failed")
class SendsInManyThreads(Sending):
    def before(self) -> None:
        body = {"model": self.setup.model, "messages": self.messages}
        with ThreadPoolExecutor(20) as pool:
            list(pool.map(lambda _: CLIENT.post(self.url, json=body, headers=headers_of(self)), range(200)))


@kind("failed", "413")
class SendsAHugeBody(Sending):
    def before(self) -> None:
        CLIENT.post(self.url, content=b"x" * 60 * MEGABYTE, headers=headers_of(self)).raise_for_status()


@kind("failed", "413", options=SOCKET)
class SendsAHugeBodyOnASocket(SendsAHugeBody): ...


@kind("failed", "413")
class SendsAnEndlessBody(Sending):
    """It is read to a limit in process, and on a socket to its end, but not kept."""

    def before(self) -> None:
        def pieces() -> Iterator[bytes]:
            while True:
                yield b"x" * MEGABYTE

        CLIENT.post(self.url, content=pieces(), headers=headers_of(self)).raise_for_status()


@kind("error", "the fake received no request", options=SOCKET)
class SendsAnEndlessBodyOnASocket(SendsAnEndlessBody): ...


@kind("failed", "413")
class SendsAnAsynchronousBodyWithoutEnd(Right):
    async def send(self, message: str) -> Any:
        if self.is_hostile:

            async def pieces() -> Any:
                while True:
                    yield b"x" * MEGABYTE

            async with httpx2.AsyncClient(timeout=60) as client:
                answer = await client.post(f"{self.setup.base_url}/chat/completions", content=pieces())
                answer.raise_for_status()
        return super().send(message)


@kind("failed", "413")
class SendsAGzipBomb(Sending):
    def before(self) -> None:
        deflater = zlib.compressobj(9, wbits=-zlib.MAX_WBITS)
        block = deflater.compress(bytes(MEGABYTE)) + deflater.flush(zlib.Z_FULL_FLUSH)
        bomb = gzip.compress(b"")[:10] + block * 1000
        headers = {**headers_of(self), "content-encoding": "gzip"}
        CLIENT.post(self.url, content=bomb, headers=headers).raise_for_status()


@kind("failed", "413", options=SOCKET)
class SendsAGzipBombOnASocket(SendsAGzipBomb): ...


@kind("failed")
class SendsDeepJson(Sending):
    def before(self) -> None:
        CLIENT.post(self.url, content=b"[" * MEGABYTE, headers=headers_of(self))


@kind("failed")
class SendsNoJson(Sending):
    def before(self) -> None:
        CLIENT.post(self.url, content=bytes(range(256)), headers=headers_of(self))


@kind("failed")
class SendsManyHeaders(Sending):
    def before(self) -> None:
        more = {f"x-{number}": "y" * 100 for number in range(5000)}
        CLIENT.post(self.url, content=b"{}", headers={**headers_of(self), **more})


@kind("failed")
class SendsToAnotherPath(Sending):
    def before(self) -> None:
        CLIENT.post(f"{self.setup.base_url}/\x00/..%2f..%2fetc/passwd", json={}).raise_for_status()


@kind("failed")
class SendsToAnEarlierCase(Sending):
    earlier: ClassVar[list[str]] = []

    def before(self) -> None:
        CLIENT.post(f"{self.earlier[0]}/chat/completions", json={}).raise_for_status()

    def request(self) -> dict[str, Any]:
        self.earlier.append(self.setup.base_url)
        return super().request()


@kind("failed", "example.com")
class SendsToAForeignHost(Sending):
    def before(self) -> None:
        CLIENT.post("https://example.com/v1/chat/completions", json={})


@kind("failed", "192.0.2.1")
class ConnectsToAForeignAddress(Sending):
    def before(self) -> None:
        socket.create_connection(("192.0.2.1", 80), timeout=1)


@kind("failed", "192.0.2.1")
class SendsADatagram(Sending):
    def before(self) -> None:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as datagrams:
            datagrams.sendto(b"secret", ("192.0.2.1", 53))


@kind("passed")
class LeavesThreadsThatSend(LeavingThreads):
    """Again and again, while the next case runs, and at full speed."""

    def send(self, message: str) -> Any:
        reply = super().send(message)
        if self.is_hostile and len(self.messages) < 5:  # and not in the follow-up
            for _ in range(3):
                self.leave(self.go_on)
        return reply

    def go_on(self) -> None:
        while True:
            CLIENT.post(f"{self.setup.base_url}/chat/completions", json={"messages": self.messages})


@kind("passed", options=SOCKET)
class LeavesThreadsThatSendOnASocket(LeavesThreadsThatSend): ...


@kind("failed", "bounded: one more")
class HangsWhileItsThreadsSend(LeavesThreadsThatSend):
    def send(self, message: str) -> Any:
        reply = super().send(message)
        if self.is_hostile:
            for next_case in self.left:  # in its own case already
                next_case.set()
            hang()
        return reply


CHILD = """
import sys, urllib.request
request = urllib.request.Request(sys.argv[1], b'{}', {'content-type': 'application/json'})
try: urllib.request.urlopen(request, timeout=20)
except OSError: pass
"""


@kind("failed")
class SendsFromAChild(Sending):
    def before(self) -> None:
        subprocess.run([sys.executable, "-c", CHILD, self.url], check=True)


@kind("passed")
class SendsFromAForkedChild(Sending):
    """It has a copy of all fakes: what they answer there is not judged."""

    def before(self) -> None:
        if (child := os.fork()) == 0:
            try:
                CLIENT.post(self.url, json={})
            finally:
                os._exit(0)
        os.waitpid(child, 0)


# Not with a client: the bytes themselves.


@kind("passed", options=SOCKET)
class SendsGarbage(Sending):
    def before(self) -> None:
        assert self.raw(b"\x16\x03\x01\x02\x00\x01" + bytes(range(256)) + b"\r\n\r\n").startswith(b"HTTP/1.1 400")


@kind("passed", options=SOCKET)
class LeavesInTheMiddleOfARequest(Sending):
    def before(self) -> None:
        for _ in range(50):
            self.raw(self.head("content-length: 1000"), b"{", wait=False)


@kind("passed", options=SOCKET)
class NeverEndsItsRequests(Sending):
    """Connections that stay open, with half a request each."""

    def before(self) -> None:
        parts = urlsplit(self.setup.base_url)
        address = (parts.hostname or "", parts.port or 80)
        self.left = [socket.create_connection(address) for _ in range(100)]
        for connection in self.left:
            connection.sendall(self.head("content-length: 1000") + b"{")


@kind("failed", options=SOCKET)
class SmugglesARequest(Sending):
    """Two lengths: the fake refuses what another server may read as two requests."""

    def before(self) -> None:
        lines = ("content-length: 6", "transfer-encoding: chunked")
        assert self.raw(self.head(*lines), b"0\r\n\r\nX").startswith(b"HTTP/1.1 400")
        raise ValueError("it was refused")


@kind("failed", options=SOCKET)
class PipelinesRequests(Sending):
    def before(self) -> None:
        self.raw((self.head("content-length: 2", *(f"{n}: {v}" for n, v in headers_of(self).items())) + b"{}") * 50)


@kind("failed", options=SOCKET)
class NeverReadsItsAnswers(Sending):
    def before(self) -> None:
        self.raw((self.head("content-length: 2") + b"{}") * 200, wait=False)


@kind("passed", options=SOCKET)
class UsesAbsurdMethods(Sending):
    def before(self) -> None:
        for method in ("BREW", "PRI", "x" * 1000, "GET\x00"):
            self.raw(self.head("connection: close", method=method))


@kind("passed", options=SOCKET)
class SendsHeadersWithoutEnd(Sending):
    def before(self) -> None:
        try:
            self.raw(self.head()[:-2], b"x: y\r\n" * 500_000)
        except OSError:
            return
