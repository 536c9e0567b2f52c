"""From the options of `serve` to an exit code: builds the fake, and says what is wrong with an option."""

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from conformance.commands.serve.running import run_server
from conformance.commands.serve.script import read_script
from fakes.serving.journal import Journal
from fakes.serving.scripted_fake import ScriptedFake

KEPT, KEPT_BYTES = 100, 4 * 1024 * 1024
"""Requests that are remembered, and the bytes of their bodies: nobody reads more of them than the last."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ServeOptions:
    """What the command line says. `port` 0 is any free port."""

    provider: str
    wire: str | None = None
    port: int = 0
    script: Path | None = None
    window: int | None = None


def serve(options: ServeOptions, until: Callable[[], object] | None = None) -> int:
    """Serve until `until` returns, or until the keyboard interrupts. 2: a usage error."""
    try:
        fake = _fake(options)
    except (LookupError, ValueError, OSError) as error:
        print(error, file=sys.stderr)
        return 2
    return run_server(fake, port=options.port, until=until)


def _fake(options: ServeOptions) -> ScriptedFake:
    """Raises `LookupError`, `ValueError` or `OSError` for what an option says wrongly."""
    replies = None if options.script is None else read_script(options.script)
    journal = Journal(most=KEPT, most_bytes=KEPT_BYTES)
    return ScriptedFake(options.provider, replies, wire=options.wire, window=options.window, journal=journal)
