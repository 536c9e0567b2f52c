"""Rules that both OpenAI wires share. Each is declared once; a wire adds it to a book of its own, under its own id and
with its own evidence. Knows no single rule."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from fake_providers.rule import Citation, Confidence
from fake_providers.rulebook import Breach, Check, Condition, RequestContext, Rulebook

Subjects = Callable[[RequestContext], Iterable[tuple[Any, Any]]]
"""What a check is called with, one after the other: mostly a place in the body, and the value there."""
SubjectCheck = Callable[[Any, Any], Breach | None]
Sample = Callable[..., Any]
"""Makes a request body of one wire; the arguments change what the rule is about."""


def unchanged(sample: Sample) -> Any:
    return sample()


@dataclass(frozen=True, slots=True)
class SharedRule:
    """What two wires have in common of a rule. `breaking` and `accepted` make its samples with those of the wire."""

    why: str
    check: SubjectCheck
    breaking: Callable[[Sample], Any]
    accepted: Callable[[Sample], Any] = unchanged


def shared_rule(
    why: str, *, breaking: Callable[[Sample], Any], accepted: Callable[[Sample], Any] = unchanged
) -> Callable[[SubjectCheck], SharedRule]:
    """Make a rule of the decorated check."""
    return lambda check: SharedRule(why, check, breaking, accepted)


@dataclass(frozen=True, slots=True)
class SharedRules:
    """Adds shared rules to a book of one wire, which says where their subjects are and makes their samples."""

    book: Rulebook
    subjects: Subjects
    sample: Sample
    only: Condition | None = None

    def add(
        self,
        id: str,
        rule: SharedRule,
        *,
        confidence: Confidence,
        evidence: tuple[Citation, ...],
        models: str = "all",
        only: Condition | None = None,
    ) -> None:
        """Add the rule at the end of the book's order. `only` restricts it to some requests, as `models` says."""
        self.book.rule(
            id,
            why=rule.why,
            confidence=confidence,
            evidence=evidence,
            breaking=rule.breaking(self.sample),
            accepted=rule.accepted(self.sample),
            models=models,
            only=only or self.only,
        )(each(self.subjects)(rule.check))


def each(subjects: Subjects) -> Callable[[SubjectCheck], Check]:
    """Make a check of a request from a check of each subject; the first breach counts."""

    def of_request(check: SubjectCheck) -> Check:
        def first_breach(context: RequestContext) -> Breach | None:
            for place, value in subjects(context):
                breach = check(place, value)
                if breach is not None:
                    return breach
            return None

        return first_breach

    return of_request
