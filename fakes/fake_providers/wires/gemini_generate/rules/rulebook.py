"""The rulebook of this wire, and the body that its checks receive. Knows no single rule."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from fake_providers.rule import Citation, Confidence, Rule
from fake_providers.rulebook import Breach, Check, RequestContext, Rulebook
from fake_providers.wires.gemini_generate.errors import bad_request_detail, error_body
from fake_providers.wires.gemini_generate.field_violation import FieldViolation
from fake_providers.wires.gemini_generate.rules.samples import gemini_path

GEMINI = ("gemini",)
"""The service that has the rule, if the other is less strict or reports it in another sentence."""


@dataclass(frozen=True, slots=True)
class Payload:
    """`RequestContext.body` of this wire: the value, and the violations that the parser or the validator found.

    The validator runs only if the parser found nothing, so all violations are of one stage.
    """

    value: Any
    field_violations: tuple[FieldViolation, ...]


def envelope(rule: Rule, breach: Breach, context: RequestContext) -> Any:
    return error_body(rule.status, breach.message, breach.extra.get("details", ()))


FORM = Rulebook(envelope)
"""What the parser and the validator refuse."""

BOOK = Rulebook(envelope)
"""What is refused after them, in single sentences."""


class Stage(NamedTuple):
    """How a stage reports its violations: the parser joins lines and lists details, the validator joins bullets."""

    separator: str
    has_details: bool


PARSER = Stage("\n", True)
VALIDATOR = Stage("", False)


def check_of_stage(rule: str, stage: Stage) -> Check:
    """The check of a rule that a stage decides: broken if the first violation is of this rule. The message has all
    violations."""

    def check(context: RequestContext) -> Breach | None:
        field_violations: Sequence[FieldViolation] = context.body.field_violations
        if not field_violations or field_violations[0].rule != rule:
            return None
        message = stage.separator.join(found.message for found in field_violations)
        violations = [(found.field, found.message) for found in field_violations]
        details = [bad_request_detail(violations)] if stage.has_details else []
        return Breach(field_violations[0].at, message, {"details": details})

    return check


def stage_rule(
    id: str,
    stage: Stage,
    *,
    why: str,
    confidence: Confidence,
    evidence: tuple[Citation, ...],
    breaking: Any,
    accepted: Any,
    path: str = "",
) -> None:
    FORM.rule(
        f"gemini/{id}",
        why=why,
        confidence=confidence,
        evidence=evidence,
        breaking=breaking,
        accepted=accepted,
        path=path or gemini_path(),
    )(check_of_stage(id, stage))


def first_breach(found: Iterable[Breach]) -> Breach | None:
    return next(iter(found), None)
