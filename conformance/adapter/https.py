"""https on loopback, for programs that refuse plain http: a throw-away authority, and a front before any loopback URL.

Knows TLS and bytes; neither MCP nor providers. `trustme` makes the certificates when they are asked for.
"""

import asyncio
import ssl
import tempfile
from collections.abc import Coroutine, Mapping
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from conformance.adapter.background import Background, connections_to

VARIABLES = (
    "SSL_CERT_FILE",  # OpenSSL, Python, Go, rustls with native roots, Deno
    "NODE_EXTRA_CA_CERTS",  # Node
    "REQUESTS_CA_BUNDLE",  # requests
    "CURL_CA_BUNDLE",  # curl, requests
)


class HttpsFront(Background):
    """An https server at `url` that passes everything on to a plain http one on loopback, until `close`.

    Its authority is made for it alone and its key is never written down.
    """

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        if parts.scheme != "http" or parts.port is None:
            raise ValueError(f"{url} is no plain http URL with a port, which is what an https front stands before")
        self._folder = tempfile.TemporaryDirectory(prefix="agent-conformance-authority-")
        self.authority = Path(self._folder.name, "authority.pem")
        """The certificate to trust, as a PEM file."""
        context = _certified(self.authority)
        self._path = parts.path
        super().__init__(lambda: _serving(parts.hostname or "127.0.0.1", parts.port or 0, context), name="https-front")

    @property
    def url(self) -> str:
        """`https://127.0.0.1:<free port>` and the path of the URL behind it; `localhost` is in the certificate too."""
        return f"https://127.0.0.1:{self.address}{self._path}"

    @property
    def environment(self) -> Mapping[str, str]:
        """What makes a program that is started with it trust this front, and nobody else."""
        return dict.fromkeys(VARIABLES, str(self.authority))

    def close(self) -> None:
        super().close()
        self._folder.cleanup()


def serve_https(url: str) -> HttpsFront:
    """Put https before a plain loopback URL: `setup.base_url`, or that of tools over MCP. A context manager."""
    return HttpsFront(url)


def _certified(authority_file: Path) -> ssl.SSLContext:
    """A server's context with a new certificate; the authority that vouches for it is written to the file."""
    try:
        import trustme
    except ModuleNotFoundError as error:
        raise ImportError("https needs trustme: pip install 'agent-conformance[mcp]'", name="trustme") from error
    authority = trustme.CA(organization_name="agent-conformance, for one run")
    authority.cert_pem.write_to_path(str(authority_file))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("127.0.0.1", "localhost").configure_cert(context)
    return context


def _serving(host: str, port: int, context: ssl.SSLContext) -> AbstractAsyncContextManager[str]:
    async def pass_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        behind_reader, behind_writer = await asyncio.open_connection(host, port)
        try:
            await _either_way(_copy(reader, behind_writer), _copy(behind_reader, writer))
        finally:
            behind_writer.close()

    return connections_to(pass_on, context=context)


async def _either_way(*copies: Coroutine[Any, Any, None]) -> None:
    """Until one side ends; the other is closed then, as TLS knows no half-closed connection."""
    ways = [asyncio.ensure_future(copy) for copy in copies]
    try:
        await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for way in ways:
            way.cancel()
        await asyncio.gather(*ways, return_exceptions=True)


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while data := await reader.read(65536):
        writer.write(data)
        await writer.drain()
