"""What each provider makes of values and names in each place of its samples: which rule refuses them, and where.

`verdicts_of_places/` has a line for each place of each provider and wire in which some value is refused. Where not
every word is taken, the line has each word of the code of which the verdict is another than of a word that nobody
knows, so that no entry of a list changes unnoticed. In place of each schema come schemas with a fault below each
keyword.
"""

import ast
import inspect
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

from fake_providers import Request, Rule, Wire
from fake_providers.models import default_model
from fake_providers.provider_facts import facts_by_provider, own_provider
from fake_providers.registry import PROVIDERS, wire_for
from tests.fakes.goldens import Goldens
from tests.fakes.refusals_of_changes import REMOVED, Path_, changed, paths_in
from tests.fakes.refusals_of_rules import rules_to_break
from tests.wire_samples import PATHS

FILES = Goldens("verdicts_of_places")
FAKES = Path(inspect.getfile(Wire)).parent
VALUES: tuple[Any, ...] = (REMOVED, None, True, 7, "x", [], {})
UNKNOWN = "nobody_knows"
ADDED = True
"""The value of a member that a sample does not have."""
SCHEMA_KEYS = {"parameters", "input_schema", "json", "schema", "responseSchema", "responseJsonSchema", "json_schema"}
BELOW: dict[str, Any] = {
    **{name: lambda inner, name=name: {name: {"a": inner}} for name in ("properties", "$defs", "definitions")},
    **{name: lambda inner, name=name: {name: {"a": inner}} for name in ("patternProperties", "dependentSchemas")},
    **{name: lambda inner, name=name: {name: [inner]} for name in ("anyOf", "oneOf", "allOf", "prefixItems")},
    **{name: lambda inner, name=name: {name: inner} for name in ("items", "additionalProperties", "not", "if", "then")},
}
"""A schema with another below this keyword."""
INNER: dict[str, Any] = {
    "open": {"type": "object", "properties": {"b": {"type": "string"}}},
    "no type": {"type": "nothing"},
    "bound": {"type": "string", "minLength": 1, "format": "x"},
    "reference": {"$ref": "#/$defs/missing"},
    "union": {"type": ["string", "null"]},
    "text": "x",
}
SCHEMAS: dict[str, Any] = {
    f"{keyword}: {fault}": {"type": "object", "properties": {"p": {"type": "object", **below(inner)}}}
    for keyword, below in BELOW.items()
    for fault, inner in INNER.items()
}
MEDIA_KEYS = {"mimeType", "media_type", "format"}
"""Members that refuse words of a list, and take all others."""
WORD = re.compile(r"[A-Za-z$_][\w./:$+-]{1,50}")
PROSE = re.compile(r" (a|an|the|is|are|be|of|to|not|no|in|must|for|and|it|with|by) ")
LARGEST = 1500
"""Samples with more characters are left out: each of their places would be tried."""
SAME_RULES = ("azure", "vertex", "litellm")
"""Providers whose rules are those of the wires' own providers under another name: their words are not tried again."""

As = Literal["value", "member", "schema"]
"""Whether a word of a line is put into the place, or added to it as a member, or is the name of a schema for it."""
RULES: dict[str, tuple[Wire, Rule]] = {rule.id: (wire, rule) for wire, rule in rules_to_break()}


def sample(of: str, wire: str, provider: str) -> tuple[Any, Rule]:
    """The accepted sample of this rule, for a model of this provider, and the rule."""
    rule = RULES[of][1]
    body = rule.accepted
    if of.partition("/")[0] != provider and "model" in body:
        body = {**body, "model": default_model(wire, provider)}
    return body, rule


def verdict(wire: str, provider: str, rule: Rule, body: Any) -> str:
    """The rule that refuses the body, and the place; empty if it is accepted."""
    headers = {"content-type": "application/json", **(rule.headers or {})}
    path = rule.path or PATHS[wire]
    found = wire_for(provider, wire).judge(Request("POST", path, headers, json.dumps(body).encode()), provider=provider)
    return "" if found is None else f"{found.rule.partition('/')[2]} at {found.at}"


def verdicts(line: dict[str, Any]) -> dict[str, list[Any]]:
    """The values of the line by what becomes of them now: each in the place, as a member that is added there, or
    as the schema of this name."""
    body, rule = sample(line["of"], line["wire"], line["provider"])
    values = [value for known in line["verdicts"].values() for value in known]
    return _by_verdict(line["wire"], line["provider"], rule, body, line["place"], values, tried_as=line["as"])


def _by_verdict(
    wire: str, provider: str, rule: Rule, body: Any, place: list[str | int], values: list[Any], *, tried_as: As
) -> dict[str, list[Any]]:
    found: dict[str, list[Any]] = {}
    for value in values:
        if tried_as == "member":
            new = changed(body, (*place, value), ADDED)
        else:
            new = changed(body, tuple(place), SCHEMAS[value] if tried_as == "schema" else value)
        found.setdefault(verdict(wire, provider, rule, new), []).append(value)
    return found


def lines() -> Iterator[dict[str, Any]]:
    for provider, wires in PROVIDERS.items():
        for wire in wires:
            words = sorted(_words(provider, wire)) if provider not in SAME_RULES else []
            for of, place in _places(wire, provider):
                yield from _lines_of(provider, wire, of, place, words)


def _lines_of(provider: str, wire: str, of: str, place: Path_, words: list[str]) -> Iterator[dict[str, Any]]:
    body, rule = sample(of, wire, provider)
    there = body
    for key in place:
        there = there[key]
    head = {"provider": provider, "wire": wire, "of": of, "place": [*place]}
    if place:
        values = [*VALUES]
        lists = isinstance(there, str) and (
            place[-1] in MEDIA_KEYS or verdict(wire, provider, rule, changed(body, place, UNKNOWN))
        )
        if lists:
            values += _telling(wire, provider, rule, body, place, words, tried_as="value")
        found = _by_verdict(wire, provider, rule, body, [*place], values, tried_as="value")
        if found.keys() != {""}:
            yield {**head, "as": "value", "verdicts": found}
    if isinstance(there, dict):
        names = [word for word in words if word not in there]
        telling = _telling(wire, provider, rule, body, place, names, tried_as="member")
        if telling:
            found = _by_verdict(wire, provider, rule, body, [*place], telling, tried_as="member")
            yield {**head, "as": "member", "verdicts": found}
        if place and place[-1] in SCHEMA_KEYS:
            found = _by_verdict(wire, provider, rule, body, [*place], [*SCHEMAS], tried_as="schema")
            if found.keys() != {""}:
                yield {**head, "as": "schema", "verdicts": found}


def _telling(
    wire: str, provider: str, rule: Rule, body: Any, place: Path_, words: list[str], *, tried_as: As
) -> list[str]:
    """Those of which the verdict is another than of an unknown one, which comes with them."""
    found = _by_verdict(wire, provider, rule, body, [*place], [UNKNOWN, *words], tried_as=tried_as)
    shown = [word for verdict, group in found.items() for word in group if not _is_as_unknown(verdict, word, found)]
    return [UNKNOWN, *shown] if shown else []


def _is_as_unknown(verdict: str, word: str, found: dict[str, list[Any]]) -> bool:
    """Where the refusal is of the member that is added, the place has its name."""
    unknown = next(verdict for verdict, group in found.items() if UNKNOWN in group)
    return verdict == unknown or (verdict.endswith(word) and verdict.removesuffix(word) + UNKNOWN == unknown)


def _places(wire: str, provider: str) -> Iterator[tuple[str, Path_]]:
    """The first of each kind of place in the samples that the provider accepts: its own before those of the wire's."""
    known = set()
    for owner in dict.fromkeys((provider, own_provider(wire))):
        for of, (one, rule) in RULES.items():
            if one.name != wire or not of.startswith(f"{owner}/") or not isinstance(rule.accepted, dict):
                continue
            body, _ = sample(of, wire, provider)
            if len(json.dumps(body)) > LARGEST or verdict(wire, provider, rule, body):
                continue
            for place in ((), *paths_in(body)):
                if (kind := _kind(body, place)) not in known:
                    known.add(kind)
                    yield of, place


def _kind(body: Any, place: Path_) -> tuple[str, ...]:
    """The names on the way, and what says of what kind each object there is."""
    found = []
    for key in place:
        found.append("" if isinstance(key, int) else key)
        body = body[key]
        if isinstance(body, dict):
            found += [str(body[name]) for name in ("type", "role") if isinstance(body.get(name), str)]
    return tuple(found)


def _words(provider: str, wire: str) -> set[str]:
    """The words in the code of this provider, of its wire and of what both share."""
    names = {wire.replace("-", "_"), *(("openai_shared",) if wire.startswith("openai") else ())}
    folders = [
        *(FAKES / "wires" / name / "rules" for name in names),
        FAKES / "providers" / facts_by_provider()[provider].folder,
    ]
    modules = [path for folder in folders for path in folder.rglob("*.py") if not path.stem.startswith("sample")]
    if wire.startswith("openai"):
        modules += (FAKES / "wires" / "openai_shared").glob("*.py")
    own = own_provider(wire) == provider
    found: set[str] = set()
    for path in modules:
        if own or path.parent.name == facts_by_provider()[provider].folder or "shared" in path.parent.name:
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Constant) and isinstance(node.value, str) and not PROSE.search(node.value):
                    found.update(word for word in re.split(r"[|,\s]+", node.value) if WORD.fullmatch(word))
    return found


def write() -> None:
    FILES.write((line["provider"], line) for line in lines())
