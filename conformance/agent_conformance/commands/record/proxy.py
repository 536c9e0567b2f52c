"""The loopback port that passes requests on to the server behind it, and responses back as they come.

The fakes' own server answers with what is complete, so this one has a thread for each connection. It judges nothing and
writes nothing.
"""

import contextlib
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

import httpx2

from agent_conformance.cassettes.bodies import LARGEST
from agent_conformance.commands.shared.served import refusal_of_foreigners
from fake_providers.http import Request, Response, json_response

CONNECT_SECONDS, READ_SECONDS = 10.0, 600.0
"""To read, as long as the SDKs of OpenAI and Anthropic wait for an answer."""
OF_THE_CONNECTION = frozenset(
    (
        "connection",
        "content-length",
        "expect",
        "host",
        "keep-alive",
        "proxy-authenticate",
        "proxy-authorization",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
    )
)
"""Headers that are about one connection, and are not passed on."""
LOOPBACK = re.compile(r"localhost|127(?:\.\d+){3}|::1")


class UpstreamDown(Exception):
    """Nobody answers there. The message is one line."""


class Upstream:
    """`url` may be the base URL that the provider's SDK takes, or the same without its last part, `base_path`.

    Raises `ValueError` for what is no address.
    """

    def __init__(self, url: str, *, base_path: str) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError(f"--upstream={url}: this is no address. Expected one such as https://api.openai.com/v1.")
        self.url = url.rstrip("/")
        self._root = self.url.removesuffix(base_path) if base_path else self.url
        self._client = httpx2.Client(
            timeout=httpx2.Timeout(READ_SECONDS, connect=CONNECT_SECONDS),
            trust_env=LOOPBACK.fullmatch(parts.hostname) is None,
            limits=httpx2.Limits(max_connections=None),
        )

    def address(self, request: Request) -> str:
        return self._root + request.path

    @contextmanager
    def response(self, request: Request) -> Iterator[httpx2.Response]:
        """The response, whose body is still to be read. Raises `UpstreamDown` where there is none."""
        headers = {name: value for name, value in request.headers.items() if name not in OF_THE_CONNECTION}
        headers["accept-encoding"] = "identity"  # what is compressed comes in other pieces
        sent = self._client.build_request(request.method, self.address(request), headers=headers, content=request.body)
        try:
            response = self._client.send(sent, stream=True, follow_redirects=False)
        except (httpx2.HTTPError, httpx2.InvalidURL) as error:
            raise UpstreamDown(f"{self.url} does not answer: {_reason(error)}") from None
        try:
            yield response
        finally:
            response.close()

    def close(self) -> None:
        self._client.close()


def _reason(error: Exception) -> str:
    if isinstance(error, httpx2.TimeoutException):
        return "it took too long"
    return " ".join(str(error).split()) or type(error).__name__


LONGEST_BODY = 50 * 1024 * 1024
"""Bytes of a request, as of the fakes."""
IDLE_SECONDS = 60.0
CONNECTIONS = 200
ENDING = 10.0
"""Seconds for responses that still come in when the recording ends."""


class BadBody(Exception):
    """The body of a request cannot be read. `status` is what the client gets."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


@dataclass(frozen=True, slots=True)
class Passed:
    """What went through: the response as the upstream sent it. `is_whole` is false where the upstream cut it off."""

    request: Request
    address: str
    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes
    is_whole: bool = True


@dataclass(frozen=True, slots=True)
class Notices:
    """Who is told what happened. Called from the threads of connections.

    `passed`: a response went through. `lost`: there is nothing to record, with the reason. `down` makes the response
    for a client whose request reached nobody.
    """

    passed: Callable[[Passed], None]
    lost: Callable[[Request, str], None]
    down: Callable[[Request, str], Response]


class Proxy:
    """Raises `OSError` for a port that is not available. Serves from `start` on until `stop`."""

    def __init__(self, upstream: Upstream, notices: Notices, *, port: int = 0) -> None:
        self._server = _Server(("127.0.0.1", port), _Connection)
        self._server.upstream, self._server.notices = upstream, notices
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.1,), name="record", daemon=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> "Proxy":
        self._thread.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
        for request in self._server.unfinished():
            self._server.notices.lost(request, "the recording ended before the response did")


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 128
    upstream: Upstream
    notices: Notices

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.room = threading.BoundedSemaphore(CONNECTIONS)
        self._passing: list[Request] = []
        self._changed = threading.Condition()

    @contextmanager
    def passing(self, request: Request) -> Iterator[None]:
        """A client that has its response may end the recording before the response was noted."""
        with self._changed:
            self._passing.append(request)
        try:
            yield
        finally:
            with self._changed:
                self._passing = [one for one in self._passing if one is not request]
                self._changed.notify_all()

    def unfinished(self) -> list[Request]:
        """The requests that are not done after `ENDING`; none as soon as all are."""
        with self._changed:
            self._changed.wait_for(lambda: not self._passing, ENDING)
            return self._passing

    def process_request(self, request: Any, client_address: Any) -> None:
        """Beyond so many connections a new one is closed: a client that never reads must not fill the machine."""
        if not self.room.acquire(blocking=False):
            self.shutdown_request(request)
            return
        super().process_request(request, client_address)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        try:
            super().process_request_thread(request, client_address)
        finally:
            self.room.release()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that has left is no error, and has nobody to be told."""


class _Connection(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    timeout = IDLE_SECONDS
    server: _Server

    def do_POST(self) -> None:
        try:
            request = self._request()
        except BadBody as error:
            self.close_connection = True
            self._answer(json_response(error.status, {"error": {"message": str(error)}}))
            return
        refusal = refusal_of_foreigners(request.headers)
        if refusal is not None:
            status, message = refusal
            self._answer(json_response(status, {"error": {"message": message}}))
            return
        with self.server.passing(request):
            try:
                with self.server.upstream.response(request) as response:
                    self._pass_back(request, response)
            except UpstreamDown as problem:
                self._answer(self.server.notices.down(request, str(problem)))

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing: who hears of what passed prints it."""

    def _request(self) -> Request:
        """Raises `BadBody`."""
        names: dict[str, str] = {}
        for name, value in self.headers.items():
            lower = name.lower()
            names[lower] = f"{names[lower]}, {value}" if lower in names else value
        if not self.path.startswith("/"):  # what else stands there would become a part of the upstream's address
            raise BadBody(
                400, "the target of a request begins with a slash here; this server is no proxy for other hosts."
            )
        if "host" not in names and self.request_version != "HTTP/1.0":
            raise BadBody(400, "the request has no Host header, which HTTP/1.1 demands.")
        return Request(self.command, self.path, names, self._body(names))

    def _body(self, headers: dict[str, str]) -> bytes:
        if headers.get("transfer-encoding", "").lower() == "chunked":
            return b"".join(self._chunks())
        length = headers.get("content-length", "0")
        if not length.isdecimal():
            raise BadBody(400, f"content-length is {length!r}, which is no number.")
        if int(length) > LONGEST_BODY:
            raise BadBody(413, f"the body has more than {LONGEST_BODY:,} bytes.")
        return self.rfile.read(int(length))

    def _chunks(self) -> Iterator[bytes]:
        total = 0
        while True:
            line = self.rfile.readline(64).split(b";")[0].strip()
            try:
                size = int(line, 16)
            except ValueError:
                raise BadBody(400, "a chunk of the body has no length.") from None
            total += size
            if size < 0 or total > LONGEST_BODY:
                raise BadBody(413, f"the body has more than {LONGEST_BODY:,} bytes.")
            if size == 0:
                while self.rfile.readline(8192).strip():
                    pass
                return
            yield self.rfile.read(size)
            self.rfile.readline(4)

    def _pass_back(self, request: Request, response: httpx2.Response) -> None:
        """The body goes back piece by piece; what the client has not taken is not recorded."""
        headers = [(name.lower(), value) for name, value in response.headers.multi_items()]
        kept: list[bytes] = []
        is_whole = True
        try:
            self._head(response.status_code, [pair for pair in headers if pair[0] not in OF_THE_CONNECTION])
            is_whole = self._pieces(response, kept)
        except OSError:
            self.close_connection = True
            self.server.notices.lost(request, "the client left before the end of the response")
            return
        if sum(map(len, kept)) > LARGEST:
            self.server.notices.lost(request, f"the response has more than {LARGEST:,} bytes")
            return
        address = self.server.upstream.address(request)
        self.server.notices.passed(
            Passed(request, address, response.status_code, tuple(headers), b"".join(kept), is_whole)
        )

    def _pieces(self, response: httpx2.Response, kept: list[bytes]) -> bool:
        """Whether the upstream sent all. Raises `OSError` where the client has left."""
        chunked = self.request_version != "HTTP/1.0"
        size = 0
        try:
            for piece in response.iter_raw():
                if piece:
                    self.wfile.write(b"%x\r\n%b\r\n" % (len(piece), piece) if chunked else piece)
                    if size <= LARGEST:  # the piece that is too much is kept: it shows that there was more
                        kept.append(piece)
                    size += len(piece)
        except httpx2.HTTPError:
            self.close_connection = True
            return False
        if chunked and self.command != "HEAD":
            self.wfile.write(b"0\r\n\r\n")
        return True

    def _head(self, status: int, headers: list[tuple[str, str]]) -> None:
        chunked = self.request_version != "HTTP/1.0" and self.command != "HEAD"
        self.send_response_only(status)
        for name, value in headers:
            self.send_header(name, value)
        if chunked:
            self.send_header("transfer-encoding", "chunked")
        else:
            self.close_connection = True
            self.send_header("connection", "close")
        self.end_headers()

    def _answer(self, response: Response) -> None:
        """A response of our own."""
        with contextlib.suppress(OSError):
            self.send_response_only(response.status)
            for name, value in (*response.headers, ("content-length", str(len(response.body)))):
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(response.body)


for _method in ("GET", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"):
    setattr(_Connection, f"do_{_method}", _Connection.do_POST)
