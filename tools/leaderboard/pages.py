"""A page for each agent of the leaderboard, as Markdown for the documentation site: results, causes, verdicts by hand.

Reads what docs/leaderboard.json and docs/verdicts have; runs nothing.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template

from agent_conformance.explain import UnknownId, explain
from agent_conformance.scenario.files import case_and_finding
from agent_conformance.transcripts.finding import subject_of

COUNTED = ("passed", "failed", "not verified")
KINDS = {
    "defect": "a defect of the agent",
    "adapter": "a mistake of the adapter, fixed",
    "ours": "a mistake of the suite, fixed",
}


@dataclass(frozen=True, slots=True)
class Cause:
    """What findings of several scenarios have in common: a rule, a law or a kind of expectation."""

    name: str
    words: str
    source: str
    scenarios: int
    cases: int


@dataclass(frozen=True, slots=True)
class Pair:
    """A finding of one scenario, as `area/scenario#finding`: in how many cases, and the first of them."""

    id: str
    cases: int
    first: str


@dataclass(frozen=True, slots=True)
class JudgedVerdict:
    """A verdict by hand, with the findings of this agent that it is about; none if they are fixed."""

    what: str
    before: str
    """What the verdict before it says, if it begins with `The same`."""
    kind: str
    framework: str
    transcript: str
    done: str
    pairs: Sequence[Pair]


def agent_page(row: Mapping[str, Any], verdicts: Iterable[Mapping[str, Any]]) -> str:
    """`row` is that of the agent in leaderboard.json, `verdicts` are all of docs/verdicts."""
    pairs = [Pair(id, failing["cases"], failing["first"]) for id, failing in row["failing"].items()]
    judged = [
        _judged(verdict, pairs, before)
        for verdict, before in _with_those_before(verdicts)
        if row["agent"] in verdict["agents"]
    ]
    return _template().render(
        row=row,
        counted=COUNTED,
        causes=_causes(pairs),
        standing=[verdict for verdict in judged if verdict.pairs],
        fixed=[verdict for verdict in judged if not verdict.pairs],
        unexplained=[pair for pair in pairs if not any(pair in verdict.pairs for verdict in judged)],
    )


def _with_those_before(verdicts: Iterable[Mapping[str, Any]]) -> Iterator[tuple[Mapping[str, Any], str]]:
    """Each verdict, and what the last one said that did not begin with `The same`, if it begins so itself."""
    said = ""
    for verdict in verdicts:
        refers = verdict["what"].startswith("The same")
        yield verdict, said if refers else ""
        said = said if refers else verdict["what"]


def _judged(verdict: Mapping[str, Any], pairs: Iterable[Pair], before: str) -> JudgedVerdict:
    return JudgedVerdict(
        verdict["what"],
        before,
        KINDS[verdict["kind"]],
        verdict["framework"],
        "\n".join(verdict["transcript"]),
        verdict["done"],
        [pair for pair in pairs if any(_matches(pair.id, pattern) for pattern in verdict.get("covers", ()))],
    )


def _matches(pair: str, pattern: str) -> bool:
    """Brackets are literal: `1.requests[0]` is an id, not a set of characters."""
    return fnmatchcase(pair, pattern.replace("[", "[[]"))


def _causes(pairs: Iterable[Pair]) -> list[Cause]:
    """The most frequent first."""
    grouped: dict[str, list[Pair]] = {}
    for pair in pairs:
        grouped.setdefault(subject_of(case_and_finding(pair.id)[1]).code, []).append(pair)
    causes = [_cause(name, group) for name, group in grouped.items()]
    return sorted(causes, key=lambda cause: (-cause.cases, cause.name))


def _cause(name: str, pairs: Sequence[Pair]) -> Cause:
    try:
        explanation = explain(name)
    except UnknownId:  # of an earlier suite
        return Cause(name, "", "", len(pairs), sum(pair.cases for pair in pairs))
    words = explanation.demands if explanation.kind == "rule" else explanation.title
    source = explanation.evidence[0].source if explanation.evidence else ""
    return Cause(name, words, source, len(pairs), sum(pair.cases for pair in pairs))


def escaped(text: str) -> str:
    """Text that Markdown shows as it is; what stands between backticks stays code."""
    parts = re.split(r"(`[^`\n]+`)", " ".join(text.split()))
    return "".join(part if number % 2 else _escaped(part) for number, part in enumerate(parts)).replace("|", "\\|")


def _escaped(text: str) -> str:
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return re.sub(r"([\\`*_{}\[\]#!])", r"\\\1", text)


def linked(source: str) -> str:
    """A link, if the source is an address."""
    return f"<{source}>" if re.fullmatch(r"https://[^\s<>|]+", source) else escaped(source)


def fenced(text: str) -> str:
    """A block of code that no line of the text can end."""
    inert = re.sub(r"^(\s*)```", r"\1'''", text, flags=re.MULTILINE)
    return f"```text\n{inert}\n```"


@cache
def _template() -> Template:
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent),
        autoescape=False,  # it is Markdown: the filters escape
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters |= {"escaped": escaped, "fenced": fenced, "linked": linked}
    return environment.get_template("agent.md.j2")
