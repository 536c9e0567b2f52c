"""The subcommand `new`: a scenario out of what an incident left."""

import argparse
from pathlib import Path

from agent_conformance.commands.shared import positive

SUMMARY = "write a scenario from a request, a cassette, a chat log, a trace or a report"
DESCRIPTION = """\
Read what an incident left, and write a scenario of it: a refused request body, a cassette (vcrpy, HAR, aimock, or what
`record` writes), a chat log (messages of OpenAI, Anthropic or Gemini, also as JSON Lines), an OpenTelemetry trace with
messages (JSON), a results.json, or any text with a request in it, such as a log line or an issue. Names, keys,
addresses and long texts are replaced. With --agent, the scenario is one in which that agent has a finding."""
EXAMPLES = """\
examples:
  agent-conformance new --from refused.json --to scenarios/incidents/refused.yaml
  agent-conformance new --from - --to scenarios/incidents/pasted.yaml   (paste, then Ctrl-D)
  agent-conformance new --from session.yaml --agent=mymodule:Adapter --minimise --to scenarios/incidents/session.yaml
  agent-conformance new --from log.jsonl --agent=mymodule:Adapter --source https://github.com/me/agent/issues/7"""

KINDS = ("request", "cassette", "chat-log", "session", "debug-log", "curl", "trace", "report", "paste")
"""As in `agent_conformance.scenario_drafts.sources`, which takes longer to import than this command's help may."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--from", dest="file", type=Path, required=True, metavar="FILE", help="what the incident left; - for a paste"
    )
    parser.add_argument("--kind", choices=KINDS, help="what the file is (default: its content says it)")
    parser.add_argument("--answer", type=Path, metavar="FILE", help="the body of the provider's answer to a request")
    parser.add_argument("--provider", default="", metavar="NAME", help="where a request was sent")
    parser.add_argument("--model", default="", metavar="NAME", help="the model of a request whose body names none")
    parser.add_argument("--case", default="", metavar="ID", help="a case of a report (default: the first that failed)")
    parser.add_argument("-v", "--verbose", action="store_true", help="show what the agent prints")
    parser.add_argument("--agent", metavar="SPEC", help="as for pytest: module:Adapter, cmd:..., ...")
    parser.add_argument("--minimise", action="store_true", help="make it smaller while the agent has the finding")
    parser.add_argument("--to", type=Path, metavar="FILE", help="write the scenario there (default: print it)")
    parser.add_argument("--source", default="", metavar="URL", help="where the incident is described")
    parser.add_argument(
        "--replace", action="append", default=[], metavar="TEXT", help="replace this text as well; may be repeated"
    )
    parser.add_argument("--rename-tools", action="store_true", help="replace the names of tools as well")
    parser.add_argument(
        "--runs",
        type=positive,
        default=2000,
        metavar="N",
        help="of --minimise: run it at most so often (default: 2000)",
    )
    parser.add_argument(
        "--timeout", type=float, default=10.0, metavar="SECONDS", help="silence before a case hangs (default: 10)"
    )


def run(options: argparse.Namespace) -> int:
    """0: a scenario was written; 1: one was written that the agent passes; 2: a source that cannot be used, or another
    usage error; 4: there is no such agent."""
    from agent_conformance.commands.new.command import new

    return new(options)
