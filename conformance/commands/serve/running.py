"""A fake on a port, until somebody stops it. Knows no options and no scripts."""

import sys
import threading
from collections.abc import Callable

from conformance.commands.shared.served import Everywhere, PrintingFake
from fakes.serving.scripted_fake import ScriptedFake
from fakes.transport.bounds import Bounds
from fakes.transport.server import LoopbackServer


def run_server(fake: ScriptedFake, *, port: int, until: Callable[[], object] | None = None) -> int:
    """Serve until `until` returns, or until the keyboard interrupts. 2: the port is not available."""
    try:
        server = LoopbackServer(Everywhere(PrintingFake(fake)), _report, port=port, bounds=Bounds())
    except OSError as error:
        print(f"--port={port}: the port is not available: {error.strerror}", file=sys.stderr)
        return 2
    with server:
        print(f"{fake.provider} on {fake.wire.name}: base URL {server.url}{fake.wire.base_path}", flush=True)
        try:
            (until or threading.Event().wait)()
        except KeyboardInterrupt:
            print()
    return 0


def _report(path: str, error: BaseException) -> None:
    print(f"the fake itself failed: {error!r}", file=sys.stderr, flush=True)
