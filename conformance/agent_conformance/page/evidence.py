"""What a page says of the rules, laws and expectations that its findings name, the same for every case."""

from collections.abc import Iterable
from typing import Any

from agent_conformance.explain import Explanation, UnknownId, explain
from agent_conformance.results.model import CaseRecord, FindingResult, Results, RuleText


def evidence_of(results: Results, cases: Iterable[CaseRecord]) -> dict[str, Any]:
    """Explanations by what they are about, and what each finding of these cases is about."""
    about: dict[str, str] = {}
    explanations: dict[str, Any] = {}
    for finding in {finding.id: finding for case in cases for finding in case.findings}.values():
        name, explanation = _explanation(finding, results)
        if explanation:
            about[finding.id] = name
            explanations.setdefault(name, explanation)
    return {"about": about, "explanations": explanations}


def _explanation(finding: FindingResult, results: Results) -> tuple[str, dict[str, Any]]:
    """Of a suite with other laws and rules than ours, what the results themselves say."""
    try:
        explanation = explain(finding.id)
    except UnknownId:
        rule = results.rules.get(finding.rule)
        return finding.rule, {} if rule is None else _of_rule(rule)
    return explanation.about, _shown(explanation)


def _of_rule(rule: RuleText) -> dict[str, Any]:
    evidence = [{"source": rule.source, "quote": rule.quote}] if rule.source else []
    return {"title": rule.statement, "facts": {"confidence": rule.confidence}, "evidence": evidence}


def _shown(explanation: Explanation) -> dict[str, Any]:
    """Without what the finding itself says; the fields are those of `agent-conformance explain --json`."""
    whole = explanation.as_json()
    names = ("title", "demands", "why", "facts", "evidence", "seen", "fixes", "reference", "example")
    return {name: whole[name] for name in names if whole[name]}
