"""From the options of `serve` to an exit code: builds the fake, and says what is wrong with an option."""

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from conformance.commands.serve.running import run_server
from conformance.commands.serve.script import Script, read_script
from fakes import PROVIDERS
from fakes.serving.journal import Journal
from fakes.serving.provider_fake import ProviderFake
from fakes.serving.scripted_fake import ScriptedFake

KEPT, KEPT_BYTES = 100, 4 * 1024 * 1024
"""Requests that are remembered, and the bytes of their bodies: nobody reads more of them than the last."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ServeOptions:
    """What the command line says. `port` 0 is any free port.

    `beside` are more providers: then each is below a path of its own name, with all of its wires.
    """

    provider: str
    beside: tuple[str, ...] = ()
    wire: str | None = None
    port: int = 0
    script: Path | None = None
    window: int | None = None


def serve(options: ServeOptions, until: Callable[[], object] | None = None) -> int:
    """Serve until `until` returns, or until the keyboard interrupts. 2: a usage error."""
    try:
        fakes = _fakes(options)
    except (LookupError, ValueError, OSError) as error:
        print(error, file=sys.stderr)
        return 2
    return run_server(fakes, port=options.port, until=until)


def _fakes(options: ServeOptions) -> dict[str, ProviderFake]:
    """By the path that each provider is below. Raises `LookupError`, `ValueError` or `OSError` for what an option says
    wrongly."""
    providers = dict.fromkeys((options.provider, *options.beside))
    if options.wire and len(providers) > 1:
        raise ValueError(f"--wire={options.wire}: of several providers all wires are served. Leave it out.")
    script = None if options.script is None else read_script(options.script)
    if script is not None:
        script.check_for([options.wire] if options.wire else [wire for name in providers for wire in PROVIDERS[name]])
    if len(providers) == 1:
        return {"": _provider_fake(options.provider, options, script)}
    return {f"/{name}": _provider_fake(name, options, script) for name in providers}


def _provider_fake(provider: str, options: ServeOptions, script: Script | None) -> ProviderFake:
    names = [options.wire] if options.wire else list(PROVIDERS[provider])
    return ProviderFake([_fake(provider, name, options, script) for name in names])


def _fake(provider: str, wire: str, options: ServeOptions, script: Script | None) -> ScriptedFake:
    replies = None if script is None else script.new_replies()
    journal = Journal(most=KEPT, most_bytes=KEPT_BYTES)
    return ScriptedFake(provider, replies, wire=wire, window=options.window, journal=journal)
