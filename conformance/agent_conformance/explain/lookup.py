"""From an id to its explanation: of a finding, with or without its case, of a law, a rule or an expectation."""

import re
from dataclasses import replace

from agent_conformance.explain.explanation import Explanation, Scenario, UnknownId
from agent_conformance.explain.laws import explain_expectation, explain_law
from agent_conformance.explain.rules import all_rules, explain_rule
from agent_conformance.explain.texts import expectation_texts, law_texts
from agent_conformance.scenario.corpus import bundled_scenarios
from agent_conformance.scenario.loading import ScenarioFile, load_file
from agent_conformance.scenario.problems import did_you_mean

EXPECTATION = re.compile(r"(?:\d+\.)?(?:should\.)?(?P<kind>[\w-]+)(?:\[\d+\])?(?:\.(?P<part>\w+))?")


def explain(id: str) -> Explanation:
    """The explanation of `paired`, `openai/tools-empty`, `accepted:openai/tools-empty` or `1.reply`.

    The id of a finding may stand behind that of its case, as a report shows it: `round-trip/zero@openai-chat#1.reply`.
    Raises `UnknownId`.
    """
    case, _, finding = id.strip().rpartition("#")
    try:
        explanation = _of_finding(finding)
    except UnknownId:
        raise UnknownId(_unknown(finding)) from None
    return replace(explanation, scenario=_scenario_of(case)) if case else explanation


def known_ids() -> tuple[str, ...]:
    """All laws, kinds of expectations and rules."""
    return (*law_texts(), *expectation_texts(), *(rule.id for _, _, rule in all_rules()))


def _of_finding(finding: str) -> Explanation:
    law, _, rule = finding.partition(":")
    if law in law_texts():
        return explain_rule(rule, finding=finding) if rule else explain_law(law)
    if "/" in finding:
        return explain_rule(finding)
    kind = _kind_of(finding)
    return explain_expectation(kind, finding=finding)


def _kind_of(finding: str) -> str:
    """`requests` of `2.should.requests[0]`, `images` of `1.should.requests[0].images`."""
    match = EXPECTATION.fullmatch(finding)
    return (match["part"] or match["kind"]) if match else finding


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
    word = finding.partition(":")[2] or finding
    hint = did_you_mean(word if "/" in word else _kind_of(word), known_ids())
    return (
        f"no finding, law or rule `{finding}`.{hint} `agent-conformance rules` lists the rules, docs/laws.md the laws."
    )
