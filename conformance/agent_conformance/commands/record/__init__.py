"""The subcommand `record`: stand between an agent and whatever speaks the wire, judge, and write a cassette."""

import argparse
from pathlib import Path

from agent_conformance.commands.shared import add_provider, one_of
from fake_providers import WIRES

SUMMARY = "record what an agent and a provider say into a cassette, and judge it"
DESCRIPTION = """\
Serve a loopback port that passes every request on to another server, a real provider or anything that speaks its wire,
and the response back as it comes. Each request is judged by the rules of the fake; where the two disagree, a line says
so. At the end, also with Ctrl-C or SIGTERM, the requests and responses are written to a cassette, without keys, which
`agent-conformance serve --replay` answers from."""
EXAMPLES = """\
examples:
  agent-conformance record --provider openai --upstream https://api.openai.com/v1 --to weather.jsonl
  agent-conformance record --provider vllm --upstream http://127.0.0.1:8000 --to local.jsonl --port 9000"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_provider(parser)
    parser.add_argument(
        "--wire",
        type=one_of("wire", WIRES),
        metavar="NAME",
        help="for a provider with several wires: the only one whose requests are judged (default: each by its path)",
    )
    parser.add_argument(
        "--upstream",
        required=True,
        metavar="URL",
        help="where the requests go: the base URL of the provider, or of another server that speaks its wire",
    )
    parser.add_argument("--to", required=True, type=Path, metavar="FILE", help="the cassette that is written")
    parser.add_argument("--overwrite", action="store_true", help="replace FILE if it exists")
    parser.add_argument("--port", type=int, default=0, metavar="N", help="default: any free port")


def run(options: argparse.Namespace) -> int:
    from agent_conformance.commands.record.command import RecordOptions, record

    return record(
        RecordOptions(
            provider=options.provider,
            wire=options.wire,
            upstream=options.upstream,
            to=options.to,
            overwrite=options.overwrite,
            port=options.port,
        )
    )
