"""The explanation of a rule: by which a provider refuses a request. Knows no agent."""

from collections.abc import Iterator

from agent_conformance.explain.examples import example_of, refusal_of
from agent_conformance.explain.explanation import Explanation, Source, UnknownId
from agent_conformance.explain.places import place_of
from agent_conformance.explain.texts import family_of
from agent_conformance.explain.threads import threads_of_rule
from fake_providers import PROVIDERS, Rule, Wire
from fake_providers.registry import wire_for


def all_rules() -> Iterator[tuple[str, str, Rule]]:
    """Provider, wire and rule, in the order of the registry and of the provider's checks."""
    for provider, wires in PROVIDERS.items():
        for wire in wires:
            for rule in wire_for(provider, wire).rules:
                if rule.id.startswith(f"{provider}/"):
                    yield provider, wire, rule


def explain_rule(id: str, *, finding: str = "") -> Explanation:
    """`finding` is the id that was asked for, if it is not the rule's own. Raises `UnknownId`."""
    wire, rule = _find(id)
    provider = id.partition("/")[0]
    family = family_of(id)
    example = example_of(rule)
    change = (f"Here: {example.change}.",) if example is not None else ()
    cited = tuple(Source(citation.source, citation.quote) for citation in rule.evidence)
    return Explanation(
        id=finding or id,
        kind="rule",
        about=id,
        title=f"{provider} refuses this on {wire.name}",
        level="should" if rule.confidence == "inferred" else "must",
        demands=f"A request that {provider} takes. It refuses: {rule.why}",
        why=family.why,
        evidence=cited + threads_of_rule(id),
        seen=(_answer(wire, provider, rule), family.seen),
        fixes=(*change, *family.fixes),
        reference=tuple(place_of(symbol) for symbol in family.reference),
        law="accepted",
        facts=_facts(wire, rule),
        example=example,
    )


def _find(id: str) -> tuple[Wire, Rule]:
    provider = id.partition("/")[0]
    for name in PROVIDERS.get(provider, ()):
        wire = wire_for(provider, name)
        for rule in wire.rules:
            if rule.id == id:
                return wire, rule
    raise UnknownId(id)


def _answer(wire: Wire, provider: str, rule: Rule) -> str:
    violation = refusal_of(wire, provider, rule)
    quoted = next((citation.quote for citation in rule.evidence if citation.quote), "")
    message = violation.message.strip() if violation is not None else quoted
    return f"The provider answers {rule.status}" + (f": {message}" if message else ", and the turn ends there.")


def _facts(wire: Wire, rule: Rule) -> tuple[tuple[str, str], ...]:
    facts = [("status", str(rule.status)), ("wire", wire.name), ("models", rule.models)]
    facts += [("confidence", rule.confidence), ("checked", rule.checked)]
    return (*facts, *([("path", rule.path)] if rule.path else []))
