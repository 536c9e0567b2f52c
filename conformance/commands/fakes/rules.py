"""The rules of all providers as text: a list, one rule whole, or the page `fakes/RULES.md`."""

import json
import sys
from collections.abc import Iterator
from fnmatch import fnmatchcase

from fakes import PROVIDERS, Rule
from fakes.registry import wire_for

PAGE_HEAD = """# Why providers refuse a request

Made by `agent-conformance rules --markdown`; a test keeps it so. Rules are checked in the order given here. How sure we
are: `recorded` (a stored request or a measured probe), `verbatim` (quoted by users), `reported` (the wording is filled
in), `inferred` (deduced; a refusal by such a rule is advice).
"""


def all_rules() -> Iterator[tuple[str, str, Rule]]:
    """Provider, wire and rule, in the order of the registry and of the provider's checks."""
    for provider, wires in PROVIDERS.items():
        for wire in wires:
            for rule in wire_for(provider, wire).rules:
                if rule.id.startswith(f"{provider}/"):
                    yield provider, wire, rule


def tell_rules(wanted: str | None, *, markdown: bool) -> int:
    """Prints; gives 1 where no rule has that id."""
    rules = list(all_rules())
    if markdown:
        print("\n".join(page(rules)), end="")
        return 0
    chosen = [rule for _, _, rule in rules if wanted is None or fnmatchcase(rule.id, wanted)]
    if not chosen:
        print(f"no rule `{wanted}`; `agent-conformance rules` lists them", file=sys.stderr)
        return 1
    if len(chosen) == 1:
        print("\n".join(whole(chosen[0])))
    else:
        for rule in chosen:
            print(f"{rule.id:44} {rule.status} {rule.confidence:9} {rule.why}")
    return 0


def whole(rule: Rule) -> Iterator[str]:
    """Everything that is known of one rule."""
    yield rule.id
    yield f"  refuses    {rule.why}"
    yield f"  status     {rule.status}"
    yield f"  models     {rule.models}"
    yield f"  sure       {rule.confidence}, checked {rule.checked}"
    for evidence in rule.evidence:
        yield f"  seen       {evidence.source}" + (f': "{evidence.quote}"' if evidence.quote else "")
    if rule.path:
        yield f"  posted to  {rule.path}"
    for label, body in (("refused", rule.breaking), ("accepted", rule.accepted)):
        if body is not None:
            yield f"  {label:9}  {_json(body)}"


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
            yield "| rule | status | sure | checked | models | refuses | seen |"
            yield "|---|---|---|---|---|---|---|"
        seen = "; ".join(evidence.source for evidence in rule.evidence)
        cells = (f"`{rule.id}`", str(rule.status), rule.confidence, rule.checked, rule.models, rule.why, seen)
        yield "| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in cells) + " |"
    yield ""


def _json(body: object) -> str:
    return body.decode(errors="replace") if isinstance(body, bytes) else json.dumps(body, ensure_ascii=False)
