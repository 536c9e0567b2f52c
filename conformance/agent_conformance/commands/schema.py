"""The subcommand `schema`: print a JSON Schema that comes with the suite."""

import argparse
from importlib.resources import files

SUMMARY = "print the JSON Schema of scenario files, of results, of check-request or of the protocol of `cmd:` agents"
DESCRIPTION = """\
Print the JSON Schema of scenario files, which gives editors completion and checks, that of the results.json of
--agent-report, that of what `check-request --json` prints, or the schema of the lines of JSON that the suite and a
`cmd:` agent exchange."""
EXAMPLES = """\
examples:
  agent-conformance schema > scenarios/scenario.schema.json
  agent-conformance schema results > results.schema.json
  agent-conformance schema protocol > protocol.schema.json"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    kinds = ("scenario", "results", "check-request", "protocol")
    parser.add_argument("of", nargs="?", choices=kinds, default="scenario", help="which schema (default: scenario)")


def run(options: argparse.Namespace) -> int:
    from agent_conformance.scenario.files import bundled_scenarios

    schemas = {
        "scenario": bundled_scenarios() / "scenario.schema.json",
        "results": files("agent_conformance.report_data") / "results.schema.json",
        "check-request": files("agent_conformance.commands") / "check_request" / "check_request.schema.json",
        "protocol": files("agent_conformance.attach") / "command" / "protocol.schema.json",
    }
    print(schemas[options.of].read_text(encoding="utf-8"), end="")
    return 0
