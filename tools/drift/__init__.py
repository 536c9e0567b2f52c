"""The subcommand `drift`: what has changed at a real provider since its rules were written down."""

import argparse

SUMMARY = "post the requests of each rule to the real provider, and report what has changed"
DESCRIPTION = """\
Post both requests of each rule, the one that it refuses and the one that it accepts, to the real provider, and report
where the answers differ from the fake's. This needs a key and costs money. Exit code 1 if something has changed."""
EXAMPLES = """\
examples:
  OPENAI_API_KEY=... ./dev python -m tools drift --provider openai
  ./dev python -m tools drift --provider anthropic --rule 'anthropic/tool-*'
  ./dev python -m tools drift --provider openai --base-url https://proxy.example.org"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    from agent_conformance.commands.shared import add_provider

    add_provider(parser)
    parser.add_argument("--rule", default="*", metavar="GLOB", help="only these rules (default: all)")
    parser.add_argument("--base-url", metavar="URL", help="default: the provider's own address")
    parser.add_argument("--yes", action="store_true", help="run in CI too, where it refuses to otherwise")


def run(options: argparse.Namespace) -> int:
    from tools.drift.command import drift

    return drift(options.provider, base_url=options.base_url, only=options.rule, yes=options.yes)
