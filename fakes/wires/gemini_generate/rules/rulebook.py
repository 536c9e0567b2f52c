"""The rulebook of this wire, what its checks look at, and the requests that prove them. Knows no single rule."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from fakes.rule import Citation, Confidence, Rule
from fakes.rulebook import Breach, Check, RequestContext, Rulebook
from fakes.wires.gemini_generate.errors import error_body, field_violations
from fakes.wires.gemini_generate.field_violation import FieldViolation

OLD = "gemini-2.5-flash"
DEFAULT = "gemini-3-flash-preview"
NEWEST = "gemini-3.7-flash"
GEMINI, VERTEX = ("gemini",), ("vertex",)
"""Whose rule it is, where the other service is not so strict or says it in other words."""

SIGNED = "c2tpcF90aG91Z2h0X3NpZ25hdHVyZV92YWxpZGF0b3I="
"""The documented way out for a history of another model: `skip_thought_signature_validator`, in base64."""


@dataclass(frozen=True, slots=True)
class Payload:
    """`RequestContext.body` of this wire: the value, and what the first two stages found wrong with it.

    `remarks` are of one stage: the parser's, and only where it found nothing the validator's.
    """

    value: Any
    remarks: tuple[FieldViolation, ...]


def _envelope(rule: Rule, breach: Breach, context: RequestContext) -> Any:
    return error_body(rule.status, breach.message, breach.extra.get("details", ()))


BOOK = Rulebook(_envelope)


class Stage(NamedTuple):
    """How a stage tells its remarks: the parser joins lines and lists violations, the validator joins bullets."""

    joint: str
    detailed: bool


PARSER = Stage("\n", True)
VALIDATOR = Stage("", False)


def remarked(rule: str, stage: Stage) -> Check:
    """The check of a rule that a stage remarks on: broken where the first remark is its own; the message has all."""

    def check(context: RequestContext) -> Breach | None:
        remarks: Sequence[FieldViolation] = context.body.remarks
        if not remarks or remarks[0].rule != rule:
            return None
        message = stage.joint.join(remark.message for remark in remarks)
        violations = [(remark.field, remark.message) for remark in remarks]
        details = [field_violations(violations)] if stage.detailed else []
        return Breach(remarks[0].at, message, {"details": details})

    return check


def remark_rule(
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
    BOOK.rule(
        f"gemini/{id}",
        why=why,
        confidence=confidence,
        evidence=evidence,
        breaking=breaking,
        accepted=accepted,
        path=path or posted(),
    )(remarked(id, stage))


def posted(model: str = DEFAULT) -> str:
    return f"/v1beta/models/{model}:generateContent"


def posted_to_vertex(model: str = DEFAULT) -> str:
    return f"/v1/projects/p/locations/global/publishers/google/models/{model}:generateContent"


def said(*sources: str, quote: str = "") -> tuple[Citation, ...]:
    """Evidence from several places; the quote stands with the first."""
    return tuple(Citation(source, quote if i == 0 else "") for i, source in enumerate(sources))


def user(*parts: Any) -> dict[str, Any]:
    return {"role": "user", "parts": [{"text": part} if isinstance(part, str) else part for part in parts]}


def model(*parts: Any) -> dict[str, Any]:
    return {"role": "model", "parts": [{"text": part} if isinstance(part, str) else part for part in parts]}


def call(name: str = "get_weather", args: Any = None, *, signed: bool = True) -> dict[str, Any]:
    part: dict[str, Any] = {"functionCall": {"name": name, "args": {"city": "Oslo"} if args is None else args}}
    return part | {"thoughtSignature": SIGNED} if signed else part


def result(name: str = "get_weather", response: Any = None) -> dict[str, Any]:
    return {"functionResponse": {"name": name, "response": {"result": "rain"} if response is None else response}}


def asking(*contents: Any, **fields: Any) -> dict[str, Any]:
    return {"contents": list(contents) or [user("Is it raining in Oslo?")], **fields}


def declaring(*declared: Any, **fields: Any) -> dict[str, Any]:
    return asking(tools=[{"functionDeclarations": list(declared)}], **fields)


def declared(parameters: Any, *, name: str = "get_weather") -> dict[str, Any]:
    return {"name": name, "description": "Current weather.", "parameters": parameters}


def with_property(schema: Any, **fields: Any) -> dict[str, Any]:
    """A request that declares one tool with one property `city`."""
    return declaring(declared({"type": "object", "properties": {"city": schema}, **fields}))


def first(found: Iterable[Breach]) -> Breach | None:
    return next(iter(found), None)
