"""What is known of the rules and the laws that findings name. Knows the fakes' rules, and what explains the laws."""

from collections.abc import Iterator

from agent_conformance.explain.texts import expectation_texts, law_texts, without_links
from agent_conformance.results.model import LawText, Results, RuleText
from fake_providers import PROVIDERS, Rule
from fake_providers.registry import wire_for


def texts_of_rules(results: Results) -> dict[str, RuleText]:
    """By rule, in order of the ids."""
    named = {
        (finding.rule, case.provider, case.wire) for case in results.cases for finding in case.findings if finding.rule
    }
    found: dict[str, RuleText] = {}
    for id, provider, wire in sorted(named):
        rule = next((rule for rule in _rules(id, provider, wire) if rule.id == id), None)
        if rule is not None:
            found[id] = _text(rule)
    return found


def texts_of_laws(results: Results) -> dict[str, LawText]:
    """By law, in order of the ids. Without a finding nothing is read."""
    named = sorted({finding.law for case in results.cases for finding in case.findings if finding.law})
    texts = {**expectation_texts(), **law_texts()} if named else {}
    return {
        id: LawText(without_links(texts[id].title), without_links(texts[id].demands), texts[id].why)
        for id in named
        if id in texts
    }


def _rules(id: str, provider: str, wire: str) -> Iterator[Rule]:
    """Those among which this one is: a rule is named after its provider, which need not be the case's."""
    own = id.partition("/")[0]
    targets = [*((own, one) for one in PROVIDERS.get(own, ())), (provider, wire)]
    return (rule for target in targets for rule in wire_for(*target).rules)


def _text(rule: Rule) -> RuleText:
    first = rule.evidence[0] if rule.evidence else None
    return RuleText(rule.why, rule.confidence, first.source if first else "", first.quote if first else "")
