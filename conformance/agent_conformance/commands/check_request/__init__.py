"""The subcommand `check-request`: which providers accept a request body, and what to do about a refused one."""

import argparse

SUMMARY = "check request bodies: which providers accept them, which refuse them, and what to do"
DESCRIPTION = """\
Check request bodies against the fakes of every provider that serves their wire. A file has a JSON body, JSON Lines,
curl commands as a browser or an SDK shows them, or a cassette. For a refusal it prints the rule, the provider's
status and message, the place in the body, the remedy for this rule, and the smallest change that was tried and
accepted. Exit code 1 if a provider refuses a body, 2 if a body cannot be checked."""
EXAMPLES = """\
examples:
  agent-conformance check-request body.json
  agent-conformance check-request --provider openai --provider mistral < body.json
  agent-conformance check-request --provider bedrock --model us.amazon.nova-pro-v1:0 body.json
  pbpaste | agent-conformance check-request -
  agent-conformance check-request bodies.jsonl copied-as-curl.sh --json"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    from agent_conformance.commands.shared import one_of
    from fake_providers import PROVIDERS

    parser.add_argument(
        "bodies",
        nargs="*",
        default=["-"],
        metavar="FILE",
        help="JSON, JSON Lines, curl commands or a cassette (default: -, standard input)",
    )
    parser.add_argument(
        "--provider",
        action="append",
        type=one_of("provider", PROVIDERS),
        metavar="NAME",
        help=f"only this provider (repeatable): one of {', '.join(PROVIDERS)}",
    )
    parser.add_argument("--path", help="the path that bodies are posted to (default: of the address, or inferred)")
    parser.add_argument(
        "--model", help="the model of a path that is inferred, on Bedrock, Gemini and Vertex (default: the provider's)"
    )
    parser.add_argument(
        "--json", action="store_true", help="print JSON, as `agent-conformance schema check-request` describes"
    )


def run(options: argparse.Namespace) -> int:
    from agent_conformance.commands.check_request.command import check_request

    providers = tuple(options.provider or ())
    path, model = options.path or "", options.model or ""
    return check_request(options.bodies, providers=providers, path=path, is_json=options.json, model=model)
