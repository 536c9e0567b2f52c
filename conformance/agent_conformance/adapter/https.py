"""https on loopback, for programs that refuse plain http: a front for any loopback URL, with an authority of its own.

`trustme` makes the certificates; it is imported when it is needed.
"""

import asyncio
import ssl
import tempfile
from collections.abc import Coroutine, Mapping
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from agent_conformance.adapter.background import Background, connections_to
from agent_conformance.machine.installation import install_command

VARIABLES = (
    "SSL_CERT_FILE",  # OpenSSL, Python, Go, rustls with native roots, Deno
    "NODE_EXTRA_CA_CERTS",  # Node
    "REQUESTS_CA_BUNDLE",  # requests
    "CURL_CA_BUNDLE",  # curl, requests
)


class HttpsFront(Background):
    """An https server at `url` that forwards everything to a plain http server on loopback, until `close`.

    Its authority is made for it alone, and the key of the authority is never written to disk.
    """

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        if parts.scheme != "http" or parts.port is None:
            raise ValueError(f"{url} is no plain http URL with a port; an https front needs one")
        self._folder = tempfile.TemporaryDirectory(prefix="agent-conformance-authority-")
        self.authority = Path(self._folder.name, "authority.pem")
        """The certificate to trust, as a PEM file."""
        # A server's context with a new certificate. The certificate of its authority is written to the file.
        try:
            import trustme
        except ModuleNotFoundError as error:
            raise ImportError(f"https needs trustme: {install_command('mcp')}", name="trustme") from error
        authority = trustme.CA(organization_name="agent-conformance, for one run")
        authority.cert_pem.write_to_path(str(self.authority))
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        authority.issue_cert("127.0.0.1", "localhost").configure_cert(context)
        self._path = parts.path
        super().__init__(lambda: _serving(parts.hostname or "127.0.0.1", parts.port or 0, context), name="https-front")

    @property
    def url(self) -> str:
        """`https://127.0.0.1:<free port>` and the path of the plain URL. The certificate is for `localhost` too."""
        return f"https://127.0.0.1:{self.address}{self._path}"

    @property
    def environment(self) -> Mapping[str, str]:
        """Environment variables with which a program trusts this front, and no other server."""
        return dict.fromkeys(VARIABLES, str(self.authority))

    def close(self) -> None:
        super().close()
        self._folder.cleanup()


def serve_https(url: str) -> HttpsFront:
    """An https front for a plain loopback URL: `setup.base_url`, or that of tools over MCP. A context manager."""
    return HttpsFront(url)


def _serving(host: str, port: int, context: ssl.SSLContext) -> AbstractAsyncContextManager[str]:
    async def forward(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        upstream_reader, upstream_writer = await asyncio.open_connection(host, port)
        try:
            await _until_one_ends(_copy(reader, upstream_writer), _copy(upstream_reader, writer))
        finally:
            upstream_writer.close()

    return connections_to(forward, context=context)


async def _until_one_ends(*copies: Coroutine[Any, Any, None]) -> None:
    """Copy until one side ends; then close the other, as TLS has no half-closed connections."""
    tasks = [asyncio.ensure_future(copy) for copy in copies]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while data := await reader.read(65536):
        writer.write(data)
        await writer.drain()
