"""Consulting the fakes from the command line: their rules, one request, a server, and what the real providers say.

Knows no scenario but its replies.
"""

import argparse
from pathlib import Path


def add_commands(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add `rules`, `check-request` and `serve` to the command line. What they need is imported when they run."""
    rules = commands.add_parser("rules", help="for which reasons providers refuse a request, and how that is known")
    rules.add_argument("id", nargs="?", metavar="ID", help="a rule, or a glob: one is told whole, several are listed")
    rules.add_argument("--markdown", action="store_true", help="all of them as one page, as fakes/RULES.md has it")
    rules.set_defaults(run=_rules)

    check = commands.add_parser("check-request", help="which providers accept this request body, and which refuse it")
    check.add_argument("body", nargs="?", default="-", metavar="FILE", help="a JSON file; standard input without one")
    check.add_argument("--provider", action="append", metavar="P", help="only this provider; repeatable")
    check.add_argument("--path", help="the path it is posted to; told from the body without it")
    check.set_defaults(run=_check_request)

    serve = commands.add_parser("serve", help="serve a strict fake provider on loopback until it is interrupted")
    serve.add_argument("--provider", required=True, metavar="P")
    serve.add_argument("--wire", metavar="W", help="where the provider speaks several")
    serve.add_argument("--port", type=int, default=0, metavar="N", help="a free one without it")
    serve.add_argument("--script", type=Path, metavar="FILE", help="YAML: a list of replies as scenarios have them")
    serve.set_defaults(run=_serve)

    drift = commands.add_parser("drift", help="ask a real provider both requests of each rule: what has changed")
    drift.add_argument("--provider", required=True, metavar="P")
    drift.add_argument("--rule", default="*", metavar="GLOB", help="only these rules; all without it")
    drift.add_argument("--base-url", metavar="URL", help="another address than the provider's own")
    drift.add_argument("--yes", action="store_true", help="in CI too, where it refuses otherwise")
    drift.set_defaults(run=_drift)


def _rules(options: argparse.Namespace) -> int:
    from conformance.commands.fakes.rules import tell_rules

    return tell_rules(options.id, markdown=options.markdown)


def _check_request(options: argparse.Namespace) -> int:
    from conformance.commands.fakes.check_request import check_request

    return check_request(options.body, providers=tuple(options.provider or ()), path=options.path)


def _serve(options: argparse.Namespace) -> int:
    from conformance.commands.fakes.serve import stand

    return stand(options.provider, wire=options.wire, port=options.port, script=options.script)


def _drift(options: argparse.Namespace) -> int:
    from conformance.commands.fakes.drift import drift

    return drift(options.provider, base_url=options.base_url, only=options.rule, yes=options.yes)
