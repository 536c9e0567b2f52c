"""What a finding, a law or a rule means: what is demanded and why, the evidence, what to look at.

An id leads to its explanation, a rule to what a provider refuses. Usable without the command line: the page and the
report show the same texts.
"""

import ast
import json
import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from agent_conformance.explain.texts import (
    OF_SAMPLE,
    Example,
    Explanation,
    Kind,
    Place,
    Scenario,
    Source,
    Text,
    UnknownId,
    bugs_about,
    expectation_texts,
    law_texts,
    rule_texts,
    without_links,
)
from agent_conformance.judge.laws import LAWS
from agent_conformance.scenario.files import bundled_scenarios, case_and_finding
from agent_conformance.scenario.loading import ScenarioFile, load_file
from agent_conformance.scenario.yaml_files import did_you_mean
from agent_conformance.transcripts.finding import Level, Subject, subject_of
from fake_providers import PROVIDERS, Request, Rule, Violation, Wire
from fake_providers.registry import wire_for

__all__ = [
    "OF_SAMPLE",
    "Example",
    "Explanation",
    "Place",
    "Scenario",
    "Source",
    "UnknownId",
    "explain",
    "known_ids",
    "scenario_of",
]


def explain(id: str) -> Explanation:
    """The explanation of `paired`, `openai/tools-empty`, `accepted:openai/tools-empty` or `1.reply`.

    The id of a finding may stand behind that of its case, as a report shows it: `round-trip/zero@openai-chat#1.reply`.
    Raises `UnknownId`.
    """
    case, finding = case_and_finding(id.strip())
    if not finding:
        case, finding = "", case
    try:
        subject = subject_of(finding)
        if subject.rule:
            explanation = explain_rule(subject.rule, finding=finding)
        elif subject.law in law_texts():
            explanation = explain_law(subject.law)
        else:
            explanation = explain_expectation(subject, finding=finding)
    except UnknownId:
        raise UnknownId(_unknown(finding)) from None
    return replace(explanation, scenario=scenario_of(case)) if case else explanation


def known_ids() -> tuple[str, ...]:
    """All laws, kinds of expectations and rules."""
    return (*law_texts(), *expectation_texts(), *(rule.id for _, _, rule in all_rules()))


@cache
def scenario_of(case: str) -> Scenario | None:
    """The bundled scenario of a case; None for one of the user's own."""
    root = bundled_scenarios()
    id = re.split(r"[\[@]", case)[0]
    if not re.fullmatch(r"[\w-]+/[\w-]+", id):
        return None
    path = root / f"{id}.yaml"
    file = load_file(path, root=root) if path.is_file() else None
    if not isinstance(file, ScenarioFile):
        return None
    first = next(iter(file.rows.values()))
    text = _without_head(path.read_text(encoding="utf-8"))
    return Scenario(file.id, first.description, file.comment, first.source or "", text)


def _without_head(text: str) -> str:
    """A scenario file from its first key: without the comment on top."""
    lines = text.splitlines()
    first = next((at for at, line in enumerate(lines) if line.strip() and not line.startswith("#")), 0)
    return "\n".join(lines[first:])


def _unknown(finding: str) -> str:
    subject = subject_of(finding)
    hint = did_you_mean(subject.part or subject.name, known_ids())
    return (
        f"no finding, law or rule `{finding}`.{hint} `agent-conformance rules` lists the rules, docs/laws.md the laws."
    )


RELATIONS = ("repeat", "stream", "cuts", "wire", "names", "order")
LOOK = "Look first at"
"""What the first fix begins with that says only where to look."""
OTHER = ("snapshot", "foreign-host", *(f"relation:{name}" for name in RELATIONS))
ADVICE = ("foreign-host", "means", "images", "relation:repeat")


def explain_law(id: str, *, finding: str = "") -> Explanation:
    """Raises `UnknownId`."""
    level = next((law.level for law in LAWS if law.id == id), None)
    if level is None:
        raise UnknownId(id)
    return _explanation(finding or id, "law", id, law_texts()[id], level=level, bugs=bugs_about("law", id))


def explain_expectation(subject: Subject, *, finding: str) -> Explanation:
    """The explanation of an expectation, a relation, `snapshot` or `foreign-host`. Raises `UnknownId`."""
    kind = subject.part or subject.code
    text = expectation_texts().get(kind)
    if text is None:
        raise UnknownId(kind)
    is_advice = kind in ADVICE or subject.is_advice
    level: Level = "should" if is_advice else "must"
    is_other = kind in OTHER
    bugs = () if is_other else bugs_about("expectation", kind)
    return _explanation(finding, "other" if is_other else "expectation", kind, text, level=level, bugs=bugs)


def _explanation(id: str, kind: Kind, about: str, text: Text, *, level: Level, bugs: tuple[Source, ...]) -> Explanation:
    look = f"{LOOK} {without_links(text.look)}."
    return Explanation(
        id=id,
        kind=kind,
        about=about,
        title=without_links(text.title),
        level=level,
        demands=without_links(text.demands),
        why=text.why,
        evidence=(*(Source(source) for source in text.evidence), *bugs),
        seen=(text.seen,),
        fixes=((look, *text.fixes) if text.look else text.fixes),
        reference=tuple(place_of(symbol) for symbol in text.reference),
    )


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
