"""A rulebook under another provider's name, for one that refuses the same requests as another. Knows no single rule."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from fake_providers.rule import CURRENT, Citation, Confidence, Rule, Tolerance, Violation, tolerating
from fake_providers.rulebook import Reads, RequestContext, Rulebook

FIRST_CHECKED = "2026-11-21"
"""The day on which it was looked up which providers refuse what others do; a rule may be newer."""

Envelope = Callable[[Violation], Any]
"""The whole body of the refusal, of the violation that the other provider reports."""


class RenamedBook(Rulebook):
    """Another provider's book under this provider's name.

    What is recorded or quoted of the other provider is `reported` of this one, with `evidence` that the two agree.
    `envelope` makes the body, where this provider has another than the book's own. `prefix` begins the names of the
    rules, where the provider has others of the same name, and `path` is that of their samples. `never` are the names of
    rules that no request to this provider can break.
    """

    def __init__(
        self,
        book: Rulebook,
        provider: str,
        evidence: tuple[Citation, ...],
        *,
        envelope: Envelope | None = None,
        prefix: str = "",
        path: str = "",
        never: tuple[str, ...] = (),
    ) -> None:
        super().__init__(lambda rule, breach, context: None)
        self._book = book
        self._provider = provider
        self._envelope_of = envelope
        self._prefix = prefix
        self._path = path
        self._never = never
        self._rules = {rule.id: self._renamed(rule, evidence) for rule in book.rules}

    @property
    def rules(self) -> tuple[Rule, ...]:
        return tuple(rule for id, rule in self._rules.items() if id.partition("/")[2] not in self._never)

    def judge(self, context: RequestContext, reads: Reads | None = None) -> Violation | None:
        tolerance = CURRENT.get()
        if tolerance is None:
            return self._under_own_name(self._book.judge(context, reads))
        theirs = Tolerance(frozenset(id for id, rule in self._rules.items() if rule.id in tolerance.rules))
        try:
            with tolerating(theirs):
                return self._under_own_name(self._book.judge(context, reads))
        finally:
            for breach in map(self._under_own_name, theirs.breaches):
                if breach is not None:
                    tolerance.takes(breach)

    def _under_own_name(self, found: Violation | None) -> Violation | None:
        if found is None:
            return None
        rule = self._rules[found.rule]
        renamed = replace(found, rule=rule.id, confidence=rule.confidence)
        return renamed if self._envelope_of is None else replace(renamed, body=self._envelope_of(renamed))

    def _renamed(self, rule: Rule, evidence: tuple[Citation, ...]) -> Rule:
        what = rule.id.partition("/")[2]
        sure: Confidence = "inferred" if rule.confidence == "inferred" else "reported"
        return replace(
            rule,
            id=f"{self._provider}/{self._prefix}{what}",
            path=self._path or rule.path,
            confidence=sure,
            evidence=(*evidence, *rule.evidence),
            checked=max(rule.checked, FIRST_CHECKED),
        )
