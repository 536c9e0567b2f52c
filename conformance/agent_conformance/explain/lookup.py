"""From an id to its explanation: of a finding, with or without its case, of a law, a rule or an expectation."""

import re
from dataclasses import replace

from agent_conformance.explain.explanation import Explanation, Scenario, UnknownId
from agent_conformance.explain.laws import explain_expectation, explain_law
from agent_conformance.explain.rules import all_rules, explain_rule
from agent_conformance.explain.texts import expectation_texts, law_texts
from agent_conformance.record.subject import subject_of
from agent_conformance.scenario.corpus import bundled_scenarios
from agent_conformance.scenario.id_patterns import case_and_finding
from agent_conformance.scenario.loading import ScenarioFile, load_file
from agent_conformance.scenario.problems import did_you_mean


def explain(id: str) -> Explanation:
    """The explanation of `paired`, `openai/tools-empty`, `accepted:openai/tools-empty` or `1.reply`.

    The id of a finding may stand behind that of its case, as a report shows it: `round-trip/zero@openai-chat#1.reply`.
    Raises `UnknownId`.
    """
    case, finding = case_and_finding(id.strip())
    if not finding:
        case, finding = "", case
    try:
        explanation = _of_finding(finding)
    except UnknownId:
        raise UnknownId(_unknown(finding)) from None
    return replace(explanation, scenario=_scenario_of(case)) if case else explanation


def known_ids() -> tuple[str, ...]:
    """All laws, kinds of expectations and rules."""
    return (*law_texts(), *expectation_texts(), *(rule.id for _, _, rule in all_rules()))


def _of_finding(finding: str) -> Explanation:
    subject = subject_of(finding)
    if subject.rule:
        return explain_rule(subject.rule, finding=finding)
    if subject.law in law_texts():
        return explain_law(subject.law)
    return explain_expectation(subject, finding=finding)


def _scenario_of(case: str) -> Scenario | None:
    """None for a scenario of the project's own."""
    root = bundled_scenarios()
    id = re.split(r"[\[@]", case)[0]
    if not re.fullmatch(r"[\w-]+/[\w-]+", id):
        return None
    path = root / f"{id}.yaml"
    file = load_file(path, root=root) if path.is_file() else None
    if not isinstance(file, ScenarioFile):
        return None
    first = next(iter(file.rows.values()))
    return Scenario(file.id, first.description, file.comment, first.source or "")


def _unknown(finding: str) -> str:
    subject = subject_of(finding)
    hint = did_you_mean(subject.part or subject.name, known_ids())
    return (
        f"no finding, law or rule `{finding}`.{hint} `agent-conformance rules` lists the rules, docs/laws.md the laws."
    )
