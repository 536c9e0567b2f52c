"""Rules on the other fields of the request, in the provider's order, and on unknown keys. Knows no message."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from fake_providers.rule import Citation
from fake_providers.rulebook import Breach, RequestContext, Rulebook
from fake_providers.wires.anthropic_messages.errors import envelope
from fake_providers.wires.anthropic_messages.newer_betas import uses_newer_beta
from fake_providers.wires.anthropic_messages.rules import known_names, values
from fake_providers.wires.anthropic_messages.rules.samples import SMALL, measured, sample_request

BOOK = Rulebook(envelope)


@dataclass(frozen=True, slots=True)
class Field:
    """One field: its check, a value that is refused, one that is accepted, and the measured sentence."""

    name: str
    value: values.ValueCheck
    bad: Any
    good: Any
    quote: str
    why: str


def metadata(value: Any) -> values.FieldError | None:
    if fault := values.must_be_object(value):
        return fault
    if (key := values.unknown_key(value, {"user_id"})) is not None:
        return f".{key}", values.EXTRA
    fault = values.optional(values.string)(value.get("user_id"))
    return (".user_id", fault[1]) if fault else None


def container(value: Any) -> values.FieldError | None:
    """A recorded request whose object has an id and no skills was refused (pydantic/pydantic-ai, claude-sonnet-4-5)."""
    if isinstance(value, dict) and "id" in value and not value.get("skills"):
        return values.string(value)
    if value is None or isinstance(value, str | dict):
        return None
    return ".ContainerParams", values.SHAPE


FIELDS = (
    Field(
        "system",
        values.text_or_blocks,
        None,
        "b",
        "system: Input should be a valid array",
        "`system` is neither a string nor a list of text blocks; leave it out if there is none.",
    ),
    Field(
        "thinking",
        values.obj,
        None,
        {"type": "disabled"},
        "thinking: Input should be an object",
        "`thinking` is not an object; leave it out to go without.",
    ),
    Field(
        "output_config",
        values.must_be_object,
        None,
        {},
        "output_config: Input does not match the expected shape.",
        "`output_config` is not an object.",
    ),
    Field(
        "cache_control",
        values.optional(values.obj),
        "x",
        {"type": "ephemeral"},
        "cache_control: Input should be an object",
        "`cache_control` is not an object.",
    ),
    Field(
        "max_tokens",
        values.not_negative,
        None,
        16,
        "max_tokens: Input should be a valid integer",
        "`max_tokens` is not an integer, or it is negative.",
    ),
    Field(
        "metadata",
        metadata,
        {"bogus": "x"},
        {},
        "metadata.bogus: Extra inputs are not permitted",
        "`metadata` is not an object, or it has a key other than `user_id`.",
    ),
    Field(
        "stop_sequences",
        values.array_of(values.string),
        "ZZ",
        ["ZZ"],
        "stop_sequences: Input should be a valid array",
        "`stop_sequences` is not a list of strings.",
    ),
    Field(
        "temperature",
        values.at_most_one,
        2,
        1,
        "temperature: range: 0..1",
        "`temperature` is above 1, where OpenAI allows 2, or it is null.",
    ),
    Field(
        "service_tier",
        values.one_of("auto", "standard_only"),
        "default",
        "auto",
        "service_tier: Input should be 'auto' or 'standard_only'",
        "`service_tier` is neither `auto` nor `standard_only`.",
    ),
    Field(
        "top_k",
        values.integer,
        None,
        5,
        "top_k: Input should be a valid integer",
        "`top_k` is not an integer; null is refused.",
    ),
    Field(
        "top_p",
        values.at_most_one,
        1.5,
        1,
        "top_p: range: 0..1",
        "`top_p` is above 1 or null.",
    ),
    Field(
        "stream",
        values.boolean,
        None,
        False,
        "stream: Input should be a valid boolean",
        "`stream` is not a boolean; null is refused.",
    ),
    Field(
        "container",
        container,
        7,
        None,
        "container.ContainerParams: Input does not match the expected shape.",
        "`container` is neither a string nor an object with skills; an id alone must be a string.",
    ),
    Field(
        "inference_geo",
        values.optional(values.string),
        7,
        "us",
        "inference_geo: Input should be a valid string",
        "`inference_geo` is not a string.",
    ),
)


def _check_of(field: Field) -> Callable[[RequestContext], Breach | None]:
    def check(context: RequestContext) -> Breach | None:
        if field.name not in context.body:
            return None
        fault = field.value(context.body[field.name])
        return Breach(field.name + fault[0], f"{field.name}{fault[0]}: {fault[1]}") if fault else None

    return check


def max_tokens_missing(context: RequestContext) -> Breach | None:
    return None if "max_tokens" in context.body else Breach("max_tokens", "max_tokens: Field required")


for _field in FIELDS:
    if _field.name == "max_tokens":
        BOOK.rule(
            "anthropic/max-tokens-missing",
            why="`max_tokens` is missing; unlike on other wires it is required.",
            confidence="recorded",
            evidence=measured("max_tokens: Field required"),
            breaking=sample_request(max_tokens=...),
            accepted=sample_request(),
        )(max_tokens_missing)
    BOOK.rule(
        f"anthropic/{_field.name.replace('_', '-')}-type",
        why=_field.why,
        confidence="recorded",
        evidence=measured(_field.quote),
        breaking=sample_request(**{"model": SMALL, _field.name: _field.bad}),
        accepted=sample_request(**{"model": SMALL, _field.name: _field.good}),
    )(_check_of(_field))


@BOOK.rule(
    "anthropic/stop-sequence-blank",
    why="A stop sequence is empty or only white space, such as a line break.",
    confidence="verbatim",
    evidence=(Citation("ten public projects", "stop_sequences: each stop sequence must contain non-whitespace"),),
    breaking=sample_request(stop_sequences=["\n"]),
    accepted=sample_request(stop_sequences=["\nHuman:"]),
    checked="2026-11-23",
)
def stop_sequence_blank(context: RequestContext) -> Breach | None:
    if all(sequence.strip() for sequence in context.body.get("stop_sequences", ())):
        return None
    return Breach("stop_sequences", "stop_sequences: each stop sequence must contain non-whitespace")


@BOOK.rule(
    "anthropic/extra-key",
    why=(
        "The request has an unknown key, and no header of a beta that is newer than the known keys: `n`, `seed`, "
        "`parallel_tool_calls`, and other wires' keys set to null are refused."
    ),
    confidence="recorded",
    evidence=(
        *measured("zzz_unknown: Extra inputs are not permitted"),
        Citation("Aider-AI/aider#4404"),
        Citation("anthropics/claude-code#31033: fields of a beta are refused without its header"),
    ),
    breaking=sample_request(parallel_tool_calls=True),
    accepted=sample_request(),
)
def extra_key(context: RequestContext) -> Breach | None:
    key = None if uses_newer_beta(context.headers) else values.unknown_key(context.body, known_names.FIELDS)
    return Breach(key, f"{key}: {values.EXTRA}") if key is not None else None
