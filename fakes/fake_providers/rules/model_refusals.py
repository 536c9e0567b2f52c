"""What some models cannot do, as tables: each row is a refusal of the models with a trait, and becomes a rule.

Which model has which trait is in the facts of its provider. Knows no provider.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from fake_providers.rule import Citation, Confidence
from fake_providers.rulebook import Breach, RequestContext, Rulebook


@dataclass(frozen=True, slots=True)
class ModelRefusal:
    """`asks` returns the place in the body where it asks for what the models cannot do, or an empty text.

    `trait` is empty where no model can. In the `sentence`, `{model}` and `{value}` stand for the model and for the
    value in the place. `extra` is the rest of the error.
    """

    rule: str
    trait: str
    asks: Callable[[dict[str, Any]], str]
    sentence: str
    why: str
    models: str
    confidence: Confidence
    evidence: tuple[Citation, ...]
    breaking: Any
    accepted: Any
    path: str = ""
    extra: Mapping[str, Any] = field(default_factory=dict)
    streams_only: bool = False


def refuse_by_model(
    book: Rulebook,
    rows: Iterable[ModelRefusal],
    *,
    body: Callable[[RequestContext], Any] = lambda context: context.body,
    providers: tuple[str, ...] | None = None,
) -> None:
    """Add a rule for each row, in their order; `body` is the whole body of the request."""

    def add(row: ModelRefusal) -> None:
        def check(context: RequestContext) -> Breach | None:
            if (row.trait and row.trait not in context.traits) or (row.streams_only and not context.stream):
                return None
            whole = body(context)
            place = row.asks(whole)
            if not place:
                return None
            value = whole.get(place) if isinstance(whole, dict) else None
            sentence = row.sentence.replace("{model}", context.model).replace("{value}", str(value))
            return Breach(place, sentence, row.extra)

        book.rule(
            row.rule,
            why=row.why,
            models=row.models,
            confidence=row.confidence,
            evidence=row.evidence,
            breaking=row.breaking,
            accepted=row.accepted,
            path=row.path,
            providers=providers,
            checked="2026-11-23",
        )(check)

    for row in rows:
        add(row)


def sets(*names: str) -> Callable[[dict[str, Any]], str]:
    """Asks with one of these members: true, or any other value but null, false and nothing."""
    return lambda body: next((name for name in names if body.get(name) not in (None, False, [], "")), "")
