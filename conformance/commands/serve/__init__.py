"""The subcommand `serve`: a strict fake on a loopback port, until it is interrupted. Prints each refusal."""

import argparse
from pathlib import Path

from conformance.commands.shared.arguments import add_providers, one_of, positive
from fakes import PROVIDERS, WIRES

SUMMARY = "serve a strict fake provider on a loopback port"
DESCRIPTION = """\
Serve a strict fake provider on a loopback port until it is interrupted, and print each request with its refusal. The
fake answers with the replies of a script. Without a script it obeys each request: it calls the first tool once for each
question of the user, and then answers."""
EXAMPLES = """\
examples:
  agent-conformance serve --provider openai
  agent-conformance serve --provider gemini --port 8080 --script replies.yaml
  agent-conformance serve --provider openai --provider anthropic --port 8080
  agent-conformance serve --all --port 8080
  agent-conformance serve --provider openai --replay weather.jsonl"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_providers(parser)
    parser.add_argument(
        "--wire",
        type=one_of("wire", WIRES),
        metavar="NAME",
        help=f"only this wire of the provider (default: all of its wires): one of {', '.join(WIRES)}",
    )
    parser.add_argument("--port", type=int, default=0, metavar="N", help="default: any free port")
    parser.add_argument(
        "--script",
        type=Path,
        metavar="FILE",
        help="a YAML list of replies, as in a scenario's `model`, or with conditions; or fixtures of aimock",
    )
    parser.add_argument(
        "--replay",
        type=Path,
        metavar="FILE",
        help="answer from a cassette: of `agent-conformance record`, vcrpy or pytest-recording, or a HAR file",
    )
    parser.add_argument(
        "--window",
        type=positive,
        metavar="N",
        help="refuse a conversation of more than N tokens, counted as one for four characters (default: no limit)",
    )


def run(options: argparse.Namespace) -> int:
    from conformance.commands.serve.command import ServeOptions, serve

    providers = tuple(PROVIDERS) if options.all else tuple(options.provider)
    return serve(
        ServeOptions(
            provider=providers[0],
            beside=providers[1:],
            wire=options.wire,
            port=options.port,
            script=options.script,
            replay=options.replay,
            window=options.window,
        )
    )
