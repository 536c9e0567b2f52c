"""What is known of the rules that findings name. Knows the fakes' rules."""

from collections.abc import Iterator

from conformance.results.model import Results, RuleText
from fakes import PROVIDERS, Rule
from fakes.registry import wire_for


def rule_texts(results: Results) -> dict[str, RuleText]:
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


def _rules(id: str, provider: str, wire: str) -> Iterator[Rule]:
    """Those among which this one is: a rule is named after its provider, which need not be the case's."""
    own = id.partition("/")[0]
    targets = [*((own, one) for one in PROVIDERS.get(own, ())), (provider, wire)]
    return (rule for target in targets for rule in wire_for(*target).rules)


def _text(rule: Rule) -> RuleText:
    first = rule.evidence[0] if rule.evidence else None
    return RuleText(rule.why, rule.confidence, first.source if first else "", first.quote if first else "")
