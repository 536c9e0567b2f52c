"""The subcommand `check-request`: which providers accept a request body, and how to fix a refused one."""

import argparse

SUMMARY = "check a request body: which providers accept it, which refuse it, and how to fix it"
DESCRIPTION = """\
Check one request body against the fakes of every provider that serves its wire. For a refusal it prints the rule, the
provider's status and message, the place in the body, and the smallest change after which the body is accepted. Exit
code 1 if a provider refuses it."""
EXAMPLES = """\
examples:
  agent-conformance check-request body.json
  agent-conformance check-request --provider openai --provider mistral < body.json"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    from conformance.commands.shared.arguments import one_of
    from fakes import PROVIDERS

    parser.add_argument("body", nargs="?", default="-", metavar="FILE", help="a JSON file (default: standard input)")
    parser.add_argument(
        "--provider",
        action="append",
        type=one_of("provider", PROVIDERS),
        metavar="NAME",
        help=f"only this provider (repeatable): one of {', '.join(PROVIDERS)}",
    )
    parser.add_argument("--path", help="the path that it is posted to (default: inferred from the body)")


def run(options: argparse.Namespace) -> int:
    from conformance.commands.check_request.command import check_request

    return check_request(options.body, providers=tuple(options.provider or ()), path=options.path)
