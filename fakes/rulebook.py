"""The ordered rules of one wire and how they are checked. Knows no rule itself."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from fakes.rule import Confidence, Evidence, Rule, Violation


@dataclass(frozen=True, slots=True)
class Broken:
    """What a check found: the place, the provider's sentence and further members of the error body."""

    at: str
    message: str
    extra: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Asked:
    """What a check may look at: the JSON body, the headers, the model's traits, and who is asked."""

    body: Any
    headers: Mapping[str, str]
    model: str
    traits: frozenset[str]
    stream: bool
    provider: str


Check = Callable[[Asked], Broken | None]


class Rulebook:
    """Rules in the provider's order: the first that is broken is what the client hears."""

    def __init__(self, envelope: Callable[[Rule, Broken, Asked], Any]) -> None:
        self._envelope = envelope
        self._entries: list[tuple[Rule, Check, frozenset[str] | None]] = []

    @property
    def rules(self) -> tuple[Rule, ...]:
        return tuple(rule for rule, _, _ in self._entries)

    def rule(
        self,
        id: str,
        *,
        status: int = 400,
        why: str,
        confidence: Confidence,
        evidence: tuple[Evidence, ...],
        breaking: Any,
        accepted: Any,
        models: str = "all",
        checked: str = "2026-11-20",
        path: str = "",
        headers: Mapping[str, str] | None = None,
        providers: tuple[str, ...] | None = None,
    ) -> Callable[[Check], Check]:
        """Add the decorated check at the end of the order; `providers` None means every provider of the wire."""

        def add(check: Check) -> Check:
            rule = Rule(id, status, why, models, confidence, evidence, checked, breaking, accepted, path, headers)
            self._entries.append((rule, check, frozenset(providers) if providers else None))
            return check

        return add

    def judge(self, asked: Asked) -> Violation | None:
        """The first broken rule as a violation, or None."""
        for rule, check, providers in self._entries:
            if providers is not None and asked.provider not in providers:
                continue
            broken = check(asked)
            if broken is not None:
                body = self._envelope(rule, broken, asked)
                return Violation(rule.id, rule.status, body, broken.message, broken.at, rule.confidence)
        return None
