"""A fake on a port, until somebody stops it. Knows no options and no scripts."""

import sys
import threading
from collections.abc import Callable, Mapping

from conformance.commands.serve.paths import base_urls, mounts_of
from conformance.commands.shared.served import Served
from fakes.transport.bounds import Bounds
from fakes.transport.server import LoopbackServer


def run_server(providers: Mapping[str, Served], *, port: int, until: Callable[[], object] | None = None) -> int:
    """Serve providers by the path that each is below, until `until` returns, or until the keyboard interrupts.

    2: the port is not available.
    """
    try:
        server = LoopbackServer(mounts_of(providers), _report, port=port, bounds=Bounds())
    except OSError as error:
        print(f"--port={port}: the port is not available: {error.strerror}", file=sys.stderr)
        return 2
    with server:
        _print_base_urls(providers, server.url)
        try:
            (until or threading.Event().wait)()
        except KeyboardInterrupt:
            print()
    return 0


def _print_base_urls(providers: Mapping[str, Served], url: str) -> None:
    """Of a provider that is alone, the default wire's."""
    for provider, wire, base_url in base_urls(providers, url):
        print(f"{provider} on {wire}: base URL {base_url}", flush=True)
        if "" in providers:
            return


def _report(path: str, error: BaseException) -> None:
    print(f"the fake itself failed: {error!r}", file=sys.stderr, flush=True)
