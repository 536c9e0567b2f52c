"""The explanation of a rule: by which a provider refuses a request."""

import ast
import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from agent_conformance.explain.texts import (
    OF_SAMPLE,
    Example,
    Explanation,
    Place,
    Source,
    UnknownId,
    bugs_about,
    rule_texts,
)
from fake_providers import PROVIDERS, Request, Rule, Violation, Wire
from fake_providers.registry import wire_for


def all_rules() -> Iterator[tuple[str, str, Rule]]:
    """Provider, wire and rule, in the order of the registry and of the provider's checks."""
    for provider, wires in PROVIDERS.items():
        for wire in wires:
            for rule in wire_for(provider, wire).rules:
                if rule.id.startswith(f"{provider}/"):
                    yield provider, wire, rule


def explain_rule(id: str, *, finding: str = "") -> Explanation:
    """`finding` is the id that was asked for, if it is not the rule's own. Raises `UnknownId`."""
    wire, rule = _find(id)
    provider = id.partition("/")[0]
    family = rule_texts()[rule.remedy.family]
    example = example_of(rule)
    change = (f"{OF_SAMPLE}{example.change}.",) if example is not None else ()
    cited = tuple(Source(citation.source, citation.quote) for citation in rule.evidence)
    violation = refusal_of(wire, provider, rule)
    quoted = next((citation.quote for citation in rule.evidence if citation.quote), "")
    message = violation.message.strip() if violation is not None else quoted
    facts = [("status", str(rule.status)), ("wire", wire.name), ("models", rule.models)]
    facts += [("confidence", rule.confidence), ("checked", rule.checked)]
    return Explanation(
        id=finding or id,
        kind="rule",
        about=id,
        title=f"{provider} refuses this on {wire.name}",
        level="should" if rule.confidence == "inferred" else "must",
        demands=f"A request that {provider} takes. It refuses: {rule.why}",
        why=family.why,
        evidence=cited + bugs_about("rule", id),
        seen=(
            (f"The provider answers {rule.status}" + (f": {message}" if message else ", and the turn ends there.")),
            family.seen,
        ),
        fixes=(*change, *family.fixes),
        reference=tuple(place_of(symbol) for symbol in family.reference),
        law="accepted",
        facts=(*facts, *([("path", rule.path)] if rule.path else [])),
        example=example,
    )


def _find(id: str) -> tuple[Wire, Rule]:
    provider = id.partition("/")[0]
    for name in PROVIDERS.get(provider, ()):
        wire = wire_for(provider, name)
        for rule in wire.rules:
            if rule.id == id:
                return wire, rule
    raise UnknownId(id)


SHORT = 200


def example_of(rule: Rule) -> Example | None:
    """None where no body shows the rule: for a missing key, or a window."""
    if rule.breaking is None and rule.accepted is None:
        return None
    change = next(_changes(rule.breaking, rule.accepted, ""), "")
    return Example(_shown(rule.breaking), _shown(rule.accepted), change)


def refusal_of(wire: Wire, provider: str, rule: Rule) -> Violation | None:
    """What the fake answers to the request that breaks the rule."""
    if rule.breaking is None and rule.accepted is None:
        return None
    content = rule.breaking if isinstance(rule.breaking, bytes) else json.dumps(rule.breaking).encode()
    headers = {"content-type": "application/json", **(rule.headers or {})}
    return wire.judge(Request("POST", rule.path or "/", headers, content), provider=provider)


def _changes(one: Any, other: Any, at: str) -> Iterator[str]:
    if isinstance(one, dict) and isinstance(other, dict):
        for key in [*one, *(key for key in other if key not in one)]:
            yield from _member_changes(one, other, key, f"{at}.{key}".removeprefix("."))
    elif isinstance(one, list) and isinstance(other, list) and len(one) != len(other):
        shorter, longer = sorted((one, other), key=len)
        place = next((i for i, item in enumerate(shorter) if repr(item) != repr(longer[i])), len(shorter))
        if longer is one:
            yield f"leave out `{at}[{place}]`"
        else:
            yield f"add `{at}[{place}]`: {_short(longer[place])}"
    elif isinstance(one, list) and isinstance(other, list):
        for place, (a, b) in enumerate(zip(one, other, strict=True)):
            yield from _changes(a, b, f"{at}[{place}]")
    elif repr(one) != repr(other):  # true is not 1
        yield f"write {_short(other)} in place of {_short(one)}" + (f" at `{at}`" if at else "")


def _member_changes(one: dict[str, Any], other: dict[str, Any], key: str, at: str) -> Iterator[str]:
    if key not in other:
        yield f"leave out `{at}`"
    elif key not in one:
        yield f"add `{at}`: {_short(other[key])}"
    else:
        yield from _changes(one[key], other[key], at)


def _shown(body: Any) -> str:
    return body.decode(errors="replace") if isinstance(body, bytes) else json.dumps(body, ensure_ascii=False)


def _short(value: Any) -> str:
    text = _shown(value)
    return text if len(text) <= SHORT else f"{text[:SHORT]} ..."


# Where the reference agent does something: found by name in its source, so that lines are those of today


PACKAGE = "agent_conformance.agents.reference"
ROOT = Path(__file__).parent.parent.parent


@cache
def place_of(symbol: str) -> Place:
    """The place of `module:name` or `module:Class.method` in the reference agent. Raises `LookupError`."""
    module, _, name = symbol.partition(":")
    folder = ROOT.joinpath(*PACKAGE.split("."), *module.split("."))
    path = folder / "__init__.py" if folder.is_dir() else folder.with_suffix(".py")
    try:
        text, tree = _parsed(path)
    except OSError:
        raise LookupError(f"{symbol}: the reference agent has no module {module}") from None
    body = tree.body
    node = None
    for part in name.split("."):
        node = next((statement for statement in body if _defines(statement, part)), None)
        body = node.body if isinstance(node, ast.ClassDef) else []
    if node is None or node.end_lineno is None:
        raise LookupError(f"{symbol}: {path.name} of the reference agent defines no {name}")
    decorators = node.decorator_list if isinstance(node, ast.ClassDef | ast.FunctionDef) else []
    first = min([node.lineno, *(decorator.lineno for decorator in decorators)])
    code = "\n".join(text.splitlines()[first - 1 : node.end_lineno])
    return Place(symbol, path.relative_to(ROOT).as_posix(), first, node.end_lineno, _first_sentence(node), code)


@cache
def _parsed(path: Path) -> tuple[str, ast.Module]:
    """Once for all the places in a module."""
    text = path.read_text(encoding="utf-8")
    return text, ast.parse(text)


def _defines(statement: ast.stmt, name: str) -> bool:
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return statement.name == name
    targets = [statement.target] if isinstance(statement, ast.AnnAssign) else getattr(statement, "targets", [])
    return any(isinstance(target, ast.Name) and target.id == name for target in targets)


def _first_sentence(node: ast.stmt) -> str:
    if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return ""
    return " ".join((ast.get_docstring(node) or "").split("\n\n")[0].split())
