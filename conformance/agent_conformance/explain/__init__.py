"""What a finding, a law or a rule means: what is demanded and why, the evidence, what to look at.

Usable without the command line: the page and the report show the same texts.
"""

import re
from dataclasses import replace
from functools import cache

from agent_conformance.explain.rules import all_rules, explain_rule, place_of
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
    without_links,
)
from agent_conformance.judge.laws import LAWS
from agent_conformance.scenario.files import bundled_scenarios
from agent_conformance.scenario.files.id_patterns import case_and_finding
from agent_conformance.scenario.loading import ScenarioFile, load_file
from agent_conformance.scenario.yaml_files import did_you_mean
from agent_conformance.transcripts.finding import Level, Subject, subject_of

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
