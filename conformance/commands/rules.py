"""The subcommand `rules`: the rules of all providers as a list, one rule in full, or the page `fakes/RULES.md`."""

import argparse
import json
import sys
from collections.abc import Iterator
from fnmatch import fnmatchcase

from conformance.scenario.problems import did_you_mean
from fakes import PROVIDERS, Rule
from fakes.registry import wire_for

SUMMARY = "list the rules by which providers refuse requests, with their sources"
DESCRIPTION = """\
List the rules by which the fakes refuse a request, as the real providers do. One rule is shown in full: what it
refuses, the confidence, its sources, a request that is refused and one that is accepted."""
EXAMPLES = """\
examples:
  agent-conformance rules
  agent-conformance rules 'anthropic/*'
  agent-conformance rules openai/tools-empty"""

PAGE_HEAD = """# Why providers refuse a request

Written by `agent-conformance rules --markdown`; a test compares it. Rules are checked in this order. The confidence
is `recorded` (a stored request or a measured probe), `verbatim` (quoted by users), `reported` (the wording is filled
in) or `inferred` (deduced; a refusal by such a rule is advice).
"""


def all_rules() -> Iterator[tuple[str, str, Rule]]:
    """Provider, wire and rule, in the order of the registry and of the provider's checks."""
    for provider, wires in PROVIDERS.items():
        for wire in wires:
            for rule in wire_for(provider, wire).rules:
                if rule.id.startswith(f"{provider}/"):
                    yield provider, wire, rule


def add_arguments(parser: argparse.ArgumentParser) -> None:
    providers = ", ".join(PROVIDERS)
    parser.add_argument(
        "id",
        nargs="?",
        metavar="ID",
        help=f"show one rule in full, or list the matches of a glob; an id begins with its provider: {providers}",
    )
    parser.add_argument("--markdown", action="store_true", help="print all rules as one page, as fakes/RULES.md has it")


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
    if len(chosen) == 1:
        print("\n".join(in_full(chosen[0])))
    else:
        for rule in chosen:
            print(f"{rule.id:44} {rule.status} {rule.confidence:9} {rule.why}")
    return 0


def _no_rule(id: str, rules: list[Rule]) -> str:
    near = did_you_mean(id, [rule.id for rule in rules])
    return f"no rule `{id}`.{near} `agent-conformance rules` lists them."


def in_full(rule: Rule) -> Iterator[str]:
    """Everything that is known of one rule."""
    yield rule.id
    yield f"  refuses     {rule.why}"
    yield f"  status      {rule.status}"
    yield f"  models      {rule.models}"
    yield f"  confidence  {rule.confidence}, checked {rule.checked}"
    for citation in rule.evidence:
        yield f"  source      {citation.source}" + (f': "{citation.quote}"' if citation.quote else "")
    if rule.path:
        yield f"  path        {rule.path}"
    for label, body in (("refused", rule.breaking), ("accepted", rule.accepted)):
        if body is not None:
            yield f"  {label:10}  {_json(body)}"


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


def _json(body: object) -> str:
    return body.decode(errors="replace") if isinstance(body, bytes) else json.dumps(body, ensure_ascii=False)
