"""The subcommand `doctor`: what of an adapter works, tried with a few small scenarios of its own."""

import argparse

SUMMARY = "try an adapter: what works, what does not, and what to change in it"
DESCRIPTION = """\
Try an adapter with a few small scenarios: what works, what is declared and does not work, what works and is not
declared, and what to change. It judges the adapter, not the agent. Exit code 1 if something does not work, 4 if there
is no such adapter."""
EXAMPLES = """\
examples:
  agent-conformance doctor --agent=mymodule:Adapter
  agent-conformance doctor --agent="cmd:node agent.mjs" --timeout=30
  agent-conformance doctor --agent=mymodule:Adapter --transcripts"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("-v", "--verbose", action="store_true", help="show what the agent prints, and each item")
    parser.add_argument(
        "--agent",
        required=True,
        metavar="SPEC",
        help="module:Attribute, path/to/file.py:Attribute, cmd:COMMAND or acp:COMMAND for any language",
    )
    parser.add_argument(
        "--timeout",
        type=float,
        default=10.0,
        metavar="SECONDS",
        help="after this much silence the agent counts as hanging (default: 10)",
    )
    parser.add_argument(
        "--transcripts",
        action="store_true",
        help="print what happened in each probe before the report: requests, replies, tools, tracebacks",
    )

    parser.add_argument("--json", action="store_true", help="print the report as JSON")


def run(options: argparse.Namespace) -> int:
    from agent_conformance.commands.doctor.command import run_doctor

    return run_doctor(
        options.agent,
        timeout=options.timeout,
        transcripts=options.transcripts,
        verbose=options.verbose,
        json=options.json,
    )
