"""The subcommand `rules`: the rules of all providers as a list, or as the page `fakes/RULES.md`."""

import argparse
import sys
from collections.abc import Iterator
from fnmatch import fnmatchcase
from typing import Any

from agent_conformance.commands.shared import fitted, print_json
from agent_conformance.explain import all_rules
from agent_conformance.scenario.yaml_files import did_you_mean
from fake_providers import PROVIDERS, Rule

SUMMARY = "list the rules by which providers refuse requests, with their sources"
DESCRIPTION = """\
List the rules by which the fakes refuse a request, as the real providers do. `agent-conformance explain` shows one in
full: its sources, a request that is refused and one that is accepted, and typical fixes."""
EXAMPLES = """\
examples:
  agent-conformance rules
  agent-conformance rules 'anthropic/*'
  agent-conformance rules '*/tools-*'"""

PAGE_HEAD = """# Why providers refuse a request

Written by `agent-conformance rules --markdown`; a test compares it. Rules are checked in this order. The confidence
is `recorded` (a stored request or a measured probe), `verbatim` (quoted by users), `reported` (the wording is filled
in) or `inferred` (deduced; a refusal by such a rule is advice).
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    providers = ", ".join(PROVIDERS)
    parser.add_argument(
        "id",
        nargs="?",
        metavar="ID",
        help=f"list this rule, or the matches of a glob; an id begins with its provider: {providers}",
    )
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--markdown", action="store_true", help="print all rules as one page, as fakes/RULES.md has it")
    form.add_argument("--json", action="store_true", help="print the rules as JSON")


def run(options: argparse.Namespace) -> int:
    """1 if no rule has that id."""
    rules = list(all_rules())
    if options.markdown:
        print("\n".join(page(rules)), end="")
        return 0
    chosen = [rule for _, _, rule in rules if options.id is None or fnmatchcase(rule.id, options.id)]
    if not chosen:
        print(_no_rule(options.id, [rule for _, _, rule in rules]), file=sys.stderr)
        return 1
    if options.json:
        listed = [(where, wire, rule) for where, wire, rule in rules if rule in chosen]
        print_json({"rules": [_as_json(*one) for one in listed]})
        return 0
    for rule in chosen:
        print(fitted(f"{rule.id:44} {rule.status} {rule.confidence:9} {rule.why}"))
    if len(chosen) == 1:
        print(f"agent-conformance explain {chosen[0].id}")
    return 0


def _as_json(provider: str, wire: str, rule: Rule) -> dict[str, Any]:
    return {
        "id": rule.id,
        "provider": provider,
        "wire": wire,
        "status": rule.status,
        "confidence": rule.confidence,
        "why": rule.why,
        "models": rule.models,
        "evidence": [{"source": one.source, "quote": one.quote} for one in rule.evidence],
    }


def _no_rule(id: str, rules: list[Rule]) -> str:
    near = did_you_mean(id, [rule.id for rule in rules])
    return f"no rule `{id}`.{near} `agent-conformance rules` lists them."


def page(rules: list[tuple[str, str, Rule]]) -> Iterator[str]:
    """The lines of `RULES.md`, the last one empty."""
    yield PAGE_HEAD
    heading = ""
    for provider, wire, rule in rules:
        title = f"## {provider} on {wire}"
        if title != heading:
            heading = title
            yield title
            yield ""
            yield "| rule | status | confidence | checked | models | refuses | source |"
            yield "|---|---|---|---|---|---|---|"
        sources = "; ".join(citation.source for citation in rule.evidence)
        cells = (f"`{rule.id}`", str(rule.status), rule.confidence, rule.checked, rule.models, rule.why, sources)
        yield "| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in cells) + " |"
    yield ""
