"""The subcommand `serve`: a strict fake on a loopback port, until it is interrupted. Prints each refusal."""

import argparse
from pathlib import Path

from conformance.commands.shared.arguments import add_provider, one_of, positive
from fakes import WIRES

SUMMARY = "serve a strict fake provider on a loopback port"
DESCRIPTION = """\
Serve a strict fake provider on a loopback port until it is interrupted, and print each request with its refusal. The
fake answers with the replies of a script. Without a script it obeys each request: it calls the first tool once for each
question of the user, and then answers."""
EXAMPLES = """\
examples:
  agent-conformance serve --provider openai
  agent-conformance serve --provider gemini --port 8080 --script replies.yaml"""


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
    from conformance.commands.serve.command import ServeOptions, serve

    return serve(
        ServeOptions(
            provider=options.provider,
            wire=options.wire,
            port=options.port,
            script=options.script,
            window=options.window,
        )
    )
