"""A fake on a port, until somebody stops it. Knows no options and no scripts."""

import gc
import sys
import threading
from collections.abc import Callable, Mapping

from agent_conformance.commands.serve.control.handler import Control, WithControl
from agent_conformance.commands.serve.paths import base_urls, handler_of
from agent_conformance.commands.serve.sessions import SessionFake, Sessions
from agent_conformance.commands.shared.line_printing import LINES
from agent_conformance.commands.shared.served import Everywhere, ForThisMachine, Served
from agent_conformance.commands.shared.signals import stopped_by_signals
from fake_providers import Handler
from fake_providers.transport.bounds import Bounds
from fake_providers.transport.server import LoopbackServer


def run_server(sessions: Sessions, *, port: int, until: Callable[[], object] | None = None) -> int:
    """Serve every client its own session, until `until` returns, or until Ctrl-C or SIGTERM: 0.

    2: the port is not available.
    """
    providers = sessions.new_providers()
    try:
        server = LoopbackServer(Everywhere(server_handler(sessions, providers)), _report, port=port, bounds=Bounds())
    except OSError as error:
        print(f"--port={port}: the port is not available: {error.strerror}", file=sys.stderr)
        return 2
    with server, stopped_by_signals():
        try:
            _print_base_urls(providers, server.url)
            if until is None:
                _leave_out_of_collections()
                LINES.gathers = True
            (until or threading.Event().wait)()
        except KeyboardInterrupt:
            LINES.flush()
            print()
    LINES.flush()
    return 0


def server_handler(sessions: Sessions, providers: Mapping[str, Served]) -> Handler:
    """The providers, and the control interface beside them, for this machine."""
    answers = {prefix: SessionFake(sessions, prefix) for prefix in providers}
    return ForThisMachine(WithControl(Control(sessions), handler_of(providers, answers)))


def _print_base_urls(providers: Mapping[str, Served], url: str) -> None:
    """Of a provider that is alone, the default wire's."""
    for provider, wire, base_url in base_urls(providers, url):
        print(f"{provider} on {wire}: base URL {base_url}", flush=True)
        if "" in providers:
            return


def _leave_out_of_collections() -> None:
    """What is there before the first request stays until the process ends, and there is much of it."""
    gc.collect()
    gc.freeze()


def _report(path: str, error: BaseException) -> None:
    print(f"the fake itself failed: {error!r}", file=sys.stderr, flush=True)
