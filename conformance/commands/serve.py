"""The subcommand `serve`: a strict fake on a loopback port, until it is interrupted. Prints each refusal."""

import argparse
import sys
import threading
from collections.abc import Callable
from pathlib import Path

from conformance.commands.shared.arguments import add_provider, one_of, positive
from conformance.commands.shared.served import Everywhere, PrintingFake
from fakes import WIRES, Reply
from fakes.serving.journal import Journal
from fakes.serving.scripted_fake import ScriptedFake
from fakes.transport.bounds import Bounds
from fakes.transport.server import LoopbackServer

SUMMARY = "serve a strict fake provider on a loopback port"
DESCRIPTION = """\
Serve a strict fake provider on a loopback port until it is interrupted, and print each request with its refusal. The
fake answers with the replies of a script. Without a script it calls the first tool of a request once, and then says
`Done.`."""
EXAMPLES = """\
examples:
  agent-conformance serve --provider openai
  agent-conformance serve --provider gemini --port 8080 --script replies.yaml"""

KEPT, KEPT_BYTES = 100, 4 * 1024 * 1024
"""Requests that are remembered, and the bytes of their bodies: nobody reads more of them than the last."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_provider(parser)
    parser.add_argument(
        "--wire",
        type=one_of("wire", WIRES),
        metavar="NAME",
        help=f"for a provider with several wires (default: its first): one of {', '.join(WIRES)}",
    )
    parser.add_argument("--port", type=int, default=0, metavar="N", help="default: any free port")
    parser.add_argument(
        "--script", type=Path, metavar="FILE", help="a YAML list of replies, written as in a scenario's `model`"
    )
    parser.add_argument(
        "--window",
        type=positive,
        metavar="N",
        help="refuse a conversation of more than N tokens, counted as one for four characters (default: no limit)",
    )


def run(options: argparse.Namespace) -> int:
    return serve(options.provider, wire=options.wire, port=options.port, script=options.script, window=options.window)


def serve(
    provider: str,
    *,
    wire: str | None,
    port: int,
    script: Path | None,
    window: int | None = None,
    until: Callable[[], object] | None = None,
) -> int:
    """Serve until `until` returns, or until the keyboard interrupts. 2: a usage error."""
    try:
        replies = None if script is None else replies_of(script)
        journal = Journal(most=KEPT, most_bytes=KEPT_BYTES)
        fake = ScriptedFake(provider, replies, wire=wire, window=window, journal=journal)
    except (LookupError, ValueError, OSError) as error:
        print(error, file=sys.stderr)
        return 2
    try:
        server = LoopbackServer(Everywhere(PrintingFake(fake)), _report, port=port, bounds=Bounds())
    except OSError as error:
        print(f"--port={port}: the port is not available: {error.strerror}", file=sys.stderr)
        return 2
    with server:
        print(f"{provider} on {fake.wire.name}: base URL {server.url}{fake.wire.base_path}", flush=True)
        try:
            (until or threading.Event().wait)()
        except KeyboardInterrupt:
            print()
    return 0


def replies_of(path: Path) -> tuple[Reply, ...]:
    """The replies of a YAML file: a list as a scenario's `model`. Raises `ValueError` with file and line."""
    from pydantic import TypeAdapter, ValidationError

    from conformance.run.model_script import reply_of
    from conformance.scenario.data_files import read_data
    from conformance.scenario.model import ReplySpec
    from conformance.scenario.reading import read

    document = read(read_data(path))
    if document.mistakes:
        raise ValueError("\n".join(f"{path}:{mistake.line}: {mistake.message}" for mistake in document.mistakes))
    if not isinstance(document.value, list):
        raise ValueError(f"{path}:1: a script is a list of replies, each as in a scenario's `model`.")
    try:
        specs = TypeAdapter(list[ReplySpec]).validate_python(document.value)
    except ValidationError as error:
        first = error.errors()[0]
        place = (int(first["loc"][0]),) if first["loc"] else ()
        raise ValueError(f"{path}:{document.lines.get(place, 1)}: {first['msg']} at {first['loc']}") from None
    return tuple(reply_of(spec, repetition, names={})[0] for spec in specs for repetition in range(1, spec.times + 1))


def _report(path: str, error: BaseException) -> None:
    print(f"the fake itself failed: {error!r}", file=sys.stderr, flush=True)
