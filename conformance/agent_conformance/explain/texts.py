"""Explanations, and the texts of laws, of families of rules and of expectations, from the files beside this one."""

import re
import textwrap
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal

import msgspec

from agent_conformance.scenario.yaml_files.reading import read
from agent_conformance.transcripts.finding import Level
from fake_providers.wire_neutral_lines import printable

FORMAT = 1


class UnknownId(LookupError):
    """No finding, law or rule has this id; the message names the nearest."""


Kind = Literal["law", "rule", "expectation", "other"]
"""`other`: a finding of the suite itself, `snapshot` or `foreign-host`."""


@dataclass(frozen=True, slots=True)
class Source:
    """Where something is known from: a thread, a page or a recording, its decisive sentence, and what was wrong."""

    source: str
    quote: str = ""
    says: str = ""


@dataclass(frozen=True, slots=True)
class Place:
    """A definition in the reference agent. `file` begins with `agent_conformance/`; lines count from 1."""

    symbol: str
    file: str
    first: int
    last: int
    says: str
    code: str

    def __str__(self) -> str:
        return f"{self.file}:{self.first}-{self.last}"


@dataclass(frozen=True, slots=True)
class Example:
    """Two requests that differ in one field. `change` makes the refused one accepted."""

    refused: str
    accepted: str
    change: str


@dataclass(frozen=True, slots=True)
class Scenario:
    """The bundled scenario of a finding whose id names a case. `comment` says why it matters, `text` is the rest of the
    file.
    """

    id: str
    description: str
    comment: str
    source: str
    text: str = ""


OF_SAMPLE = "Here: "
"""Begins the fix of a rule's own sample, which is the smallest change and seldom that of a request."""


@dataclass(frozen=True, slots=True)
class Explanation:
    """Everything that is known about one finding, law or rule; texts are plain and may have backticks.

    `about` is the law, the rule or the kind of expectation, and `law` the law that a broken rule breaks. `facts` are
    labelled lines of a rule. `seen` is what the provider answers and what the user would have noticed.
    """

    id: str
    kind: Kind
    about: str
    title: str
    level: Level
    demands: str
    why: str
    evidence: tuple[Source, ...]
    seen: tuple[str, ...]
    fixes: tuple[str, ...]
    reference: tuple[Place, ...]
    law: str = ""
    facts: tuple[tuple[str, str], ...] = ()
    example: Example | None = None
    scenario: Scenario | None = None

    def as_json(self) -> dict[str, Any]:
        return {"format": FORMAT, **asdict(self), "facts": dict(self.facts)}


LABEL = 11
"""The columns that the label of a row takes."""


def explanation_lines(explanation: Explanation, *, width: int = 100) -> Iterator[str]:
    """Each label once; texts are fitted to the width, while requests, addresses and code stay as they are."""
    yield printable(explanation.id)
    level = ", advice" if explanation.level == "should" else ""
    law = f"; breaks the law `{explanation.law}`" if explanation.law else ""
    about = "" if explanation.about == explanation.id else f"`{explanation.about}`: "
    yield from _labelled(explanation.kind, [f"{about}{explanation.title}{level}{law}"], width)
    if explanation.scenario is not None:
        scenario = explanation.scenario
        yield from _labelled("scenario", [f"{scenario.id}: {scenario.description}", scenario.comment], width)
        yield from _labelled("", [scenario.source], 0)
    yield from _labelled("demands", [explanation.demands], width)
    yield from _labelled("why", [explanation.why], width)
    # Under one label what is cited, each with its quote; under another the bugs, each with what did not
    # hold
    known = list(explanation.evidence)
    yield from _sources("evidence", [(f'"{s.quote}"' if s.quote else "", s.source) for s in known if not s.says], width)
    bugs = [(s.says, s.source) for s in known if s.says]
    if bugs:
        yield from _labelled("bugs", ["In each of these reports, the sentence above the address did not hold."], width)
        yield from _sources("", bugs, width)
    yield from _labelled("seen", explanation.seen, width)
    for label, value in explanation.facts:
        yield from _labelled(label, [value], width)
    if explanation.example is not None:
        yield from _labelled("refused", [explanation.example.refused], 0)
        yield from _labelled("accepted", [explanation.example.accepted], 0)
    yield from _labelled("fixes", [f"{number}. {fix}" for number, fix in enumerate(explanation.fixes, 1)], width)
    for place in explanation.reference:
        yield from _labelled("reference", [str(place)], 0)
        yield from (f"    {line}".rstrip() for line in textwrap.dedent(place.code).splitlines())


def _sources(label: str, sources: Iterable[tuple[str, str]], width: int) -> Iterator[str]:
    for text, source in sources:
        yield from _labelled(label, [text], width)
        yield from _labelled("" if text else label, [source], 0)
        label = ""


def _labelled(label: str, texts: Iterable[str], width: int) -> Iterator[str]:
    """The texts, one under the other; without a width each is one line."""
    indent = " " * (LABEL + 2)
    lines = [line for text in texts if text for line in _fitted(printable(" ".join(text.split())), width)]
    head = f"{label} ".ljust(LABEL)
    for place, line in enumerate(lines):
        yield f"  {head}{line}".rstrip() if place == 0 else f"{indent}{line}"


def _fitted(text: str, width: int) -> list[str]:
    if not width:
        return [text]
    most = max(width - LABEL - 2, 40)
    return textwrap.wrap(text, most, break_long_words=False, break_on_hyphens=False) or [""]


_LINK = re.compile(r"\[([^\]]+)\]\([^)]+\)")


@dataclass(frozen=True, slots=True)
class Text:
    """`reference` names places in the reference agent as `module:name`."""

    why: str
    seen: str
    fixes: tuple[str, ...]
    reference: tuple[str, ...]
    title: str = ""
    demands: str = ""
    look: str = ""
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


def bugs_about(kind: Literal["law", "rule", "expectation"], id: str) -> tuple[Source, ...]:
    """Historic bugs that show in such findings, a few of them."""
    return tuple(Source(source, says=breaks) for source, breaks in _bugs()[kind].get(id, ()))


@cache
def _bugs() -> dict[str, dict[str, list[tuple[str, str]]]]:
    """Generated from the mutants, which are not installed: tools/historic_bugs.py."""
    bugs: dict[str, dict[str, list[tuple[str, str]]]] = msgspec.json.decode(
        Path(__file__).with_name("historic_bugs.json").read_bytes()
    )
    return bugs
