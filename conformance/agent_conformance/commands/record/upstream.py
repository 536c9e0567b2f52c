"""The server behind the proxy: where a request goes, and what of its headers does. Judges nothing, writes nothing."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit

import httpx2

from fake_providers.http import Request

CONNECT_SECONDS, READ_SECONDS = 10.0, 600.0
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
