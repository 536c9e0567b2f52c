"""The texts of laws, of families of rules and of expectations, from the files beside this one."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from agent_conformance.explain.explanation import Source
from agent_conformance.scenario.yaml_files.reading import read
from agent_conformance.transcripts.finding import subject_of

_LINK = re.compile(r"\[([^\]]+)\]\([^)]+\)")


@dataclass(frozen=True, slots=True)
class Text:
    """`reference` names places in the reference agent as `module:name`; `rules` are patterns of a family of rules."""

    why: str
    seen: str
    fixes: tuple[str, ...]
    reference: tuple[str, ...]
    title: str = ""
    demands: str = ""
    look: str = ""
    rules: tuple[str, ...] = ()
    evidence: tuple[str, ...] = ()


def law_texts() -> Mapping[str, Text]:
    """By law, in the order of the file. `demands` and `look` may have links, as docs/laws.md shows them."""
    return _texts("laws.yaml")


def rule_texts() -> Mapping[str, Text]:
    """By family of rules."""
    return _texts("rules.yaml")


def expectation_texts() -> Mapping[str, Text]:
    """By kind of expectation, and of `snapshot`, `foreign-host` and the relations."""
    return _texts("expectations.yaml")


def family_of(rule: str) -> Text:
    """That of a rule's id. Raises `LookupError`."""
    name = _without_wire(rule).partition("/")[2]
    for text in rule_texts().values():
        if any(re.fullmatch(pattern, name) for pattern in text.rules):
            return text
    raise LookupError(
        f"conformance/agent_conformance/explain/rules.yaml: no family has a pattern for {rule}. Add its name to one."
    )


def _without_wire(rule: str) -> str:
    """The id without what tells apart the wires of one provider, or the models behind it."""
    return re.sub("/(?:responses|chat|anthropic|claude)-", "/", rule)


def remedy_of(rule: str) -> str:
    """What a maintainer does about a rule, by its id. Raises `LookupError`."""
    name = _without_wire(rule)
    for patterns, remedy in _remedies():
        if any(re.fullmatch(pattern, id) for pattern in patterns for id in (rule, name, name.partition("/")[2])):
            return remedy
    raise LookupError(
        f"conformance/agent_conformance/explain/remedies.yaml: no entry has a pattern for {rule}. Add its name to one."
    )


def without_links(markdown: str) -> str:
    return _LINK.sub(r"\1", markdown)


@cache
def _texts(name: str) -> dict[str, Text]:
    document = read(Path(__file__).with_name(name).read_bytes())
    assert not document.mistakes, (name, document.mistakes)
    return {id: _text(members) for id, members in document.value.items()}


def _text(members: Mapping[str, Any]) -> Text:
    values: dict[str, Any] = {key: tuple(value) if isinstance(value, list) else value for key, value in members.items()}
    return Text(**values)


@cache
def _remedies() -> tuple[tuple[tuple[str, ...], str], ...]:
    """Patterns of ids and the remedy, in the order of the file."""
    document = read(Path(__file__).with_name("remedies.yaml").read_bytes())
    assert not document.mistakes, document.mistakes
    return tuple((tuple(entry["rules"]), entry["remedy"]) for entry in document.value)


MOST = 5


def threads_of_law(law: str) -> tuple[Source, ...]:
    return _threads(lambda finding: subject_of(finding).law == law)


def threads_of_rule(rule: str) -> tuple[Source, ...]:
    return _threads(lambda finding: subject_of(finding).rule == rule)


def threads_of_expectation(kind: str) -> tuple[Source, ...]:
    """The threads about findings of every turn and level, which a mutant may name by a pattern: `1.requests*`."""
    return _threads(lambda finding: re.search(rf"(?:^|[.*]){kind}\b", finding) is not None)


@cache
def _pairs() -> tuple[tuple[str, Source], ...]:
    """What each mutant is caught by, and its source. Those with an address stand first."""
    from agent_conformance.agents.mutants import MUTANTS  # they load the whole reference agent

    found = [(finding, Source(m.source, says=m.breaks)) for m in MUTANTS for _, finding in m.caught_by]
    return tuple(sorted(found, key=lambda pair: not pair[1].source.startswith("https://")))


def _threads(concerns: Callable[[str], bool]) -> tuple[Source, ...]:
    by_source = {source.source: source for finding, source in reversed(_pairs()) if concerns(finding)}
    return tuple(reversed(by_source.values()))[:MOST]
