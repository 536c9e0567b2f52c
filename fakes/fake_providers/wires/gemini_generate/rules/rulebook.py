"""The rulebook of this wire, and the body that its checks receive."""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from msgspec import Struct

from fake_providers.rule import Citation, Confidence, Rule
from fake_providers.rulebook import ANY_PART, Breach, Check, RequestContext, Rulebook
from fake_providers.wires.gemini_generate.errors import bad_request_detail, error_body
from fake_providers.wires.gemini_generate.request_validator import FieldViolation
from fake_providers.wires.gemini_generate.rules.samples import cite, gemini_path

GEMINI = ("gemini",)
"""The service that has the rule, if the other is less strict or reports it in another sentence."""


class Payload(Struct, frozen=True):
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
    path = path or gemini_path()
    rule = Rule(f"gemini/{id}", 400, why, "all", confidence, evidence, "2026-11-20", breaking, accepted, path)
    FORM.add(rule, ANY_PART, check_of_stage(id, stage), given=_has_field_violations)


def _has_field_violations(context: RequestContext) -> bool:
    return bool(context.body.field_violations)


def first_breach(found: Iterable[Breach]) -> Breach | None:
    return next(iter(found), None)


MISSING_KEY = Rule(
    id="gemini/missing-key",
    status=403,
    why=(
        "The request has no key in `x-goog-api-key`, in `?key=` or as a bearer token. (A wrong key is a 400, which no "
        "fake can detect.)"
    ),
    models="all",
    confidence="verbatim",
    evidence=cite(
        "users of Google APIs quoting it",
        quote="Method doesn't allow unregistered callers (callers without established identity).",
    ),
    checked="2026-11-20",
    breaking=None,
    accepted=None,
)

MISSING_CREDENTIAL = Rule(
    id="vertex/missing-credential",
    status=401,
    why="The request has neither a bearer token nor a key, which express mode accepts.",
    models="all",
    confidence="recorded",
    evidence=cite(
        "a recording of gemini-2.5-pro in us-central1",
        quote="Request is missing required authentication credential. Expected OAuth 2 access token, login cookie or "
        "other valid authentication credential.",
    ),
    checked="2026-11-20",
    breaking=None,
    accepted=None,
)

INPUT_TOO_LONG = Rule(
    id="gemini/input-too-long",
    status=400,
    why="The conversation has more tokens than the model's context window. An older sentence contains its count too.",
    models="all",
    confidence="recorded",
    evidence=cite(
        "a recording of gemini-2.5-flash",
        quote="The input token count exceeds the maximum number of tokens allowed (1048576).",
    ),
    checked="2026-11-20",
    breaking=None,
    accepted=None,
)
