"""Rules on the request's other fields, in the provider's order, and on keys it does not know. Knows no message."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from fakes.rule import Citation
from fakes.rulebook import Breach, RequestContext, Rulebook
from fakes.wires.anthropic_messages.errors import envelope
from fakes.wires.anthropic_messages.rules import values, wording
from fakes.wires.anthropic_messages.rules.tool_examples import SMALL, ask, measured

BOOK = Rulebook(envelope)


@dataclass(frozen=True, slots=True)
class Field:
    """One field: what it may be, a value that it may not be and one that it may, and the measured sentence."""

    name: str
    value: values.Value
    bad: Any
    good: Any
    quote: str
    why: str


def metadata(value: Any) -> values.Fault | None:
    if fault := values.shape(value):
        return fault
    if (key := values.unknown(value, {"user_id"})) is not None:
        return f".{key}", values.EXTRA
    fault = values.optional(values.string)(value.get("user_id"))
    return (".user_id", fault[1]) if fault else None


def container(value: Any) -> values.Fault | None:
    """An object that has an id and no skills was recorded to be refused (pydantic/pydantic-ai, claude-sonnet-4-5)."""
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
        "`system` is a text or a list of text blocks; leave it out where there is none",
    ),
    Field(
        "thinking",
        values.obj,
        None,
        {"type": "disabled"},
        "thinking: Input should be an object",
        "`thinking` is an object; leave it out where it is not wanted",
    ),
    Field(
        "output_config",
        values.shape,
        None,
        {},
        "output_config: Input does not match the expected shape.",
        "`output_config` is an object",
    ),
    Field(
        "cache_control",
        values.optional(values.obj),
        "x",
        {"type": "ephemeral"},
        "cache_control: Input should be an object",
        "`cache_control` is an object",
    ),
    Field(
        "max_tokens",
        values.not_negative,
        None,
        16,
        "max_tokens: Input should be a valid integer",
        "`max_tokens` is a whole number that is not negative",
    ),
    Field(
        "metadata",
        metadata,
        {"bogus": "x"},
        {},
        "metadata.bogus: Extra inputs are not permitted",
        "`metadata` has a `user_id` at most",
    ),
    Field(
        "stop_sequences",
        values.array_of(values.string),
        "ZZ",
        ["ZZ"],
        "stop_sequences: Input should be a valid array",
        "`stop_sequences` is a list of texts",
    ),
    Field(
        "temperature",
        values.at_most_one,
        2,
        1,
        "temperature: range: 0..1",
        "`temperature` goes from 0 to 1, where OpenAI's goes to 2, and is never null",
    ),
    Field(
        "service_tier",
        values.one_of("auto", "standard_only"),
        "default",
        "auto",
        "service_tier: Input should be 'auto' or 'standard_only'",
        "`service_tier` is one of two words",
    ),
    Field(
        "top_k",
        values.integer,
        None,
        5,
        "top_k: Input should be a valid integer",
        "`top_k` is a whole number and never null",
    ),
    Field(
        "top_p",
        values.at_most_one,
        1.5,
        1,
        "top_p: range: 0..1",
        "`top_p` goes up to 1 and is never null",
    ),
    Field(
        "stream",
        values.boolean,
        None,
        False,
        "stream: Input should be a valid boolean",
        "`stream` is a boolean and never null",
    ),
    Field(
        "container",
        container,
        7,
        None,
        "container.ContainerParams: Input does not match the expected shape.",
        "`container` is a text or an object with skills; an id alone is a text",
    ),
    Field(
        "inference_geo",
        values.optional(values.string),
        7,
        "us",
        "inference_geo: Input should be a valid string",
        "`inference_geo` is a text",
    ),
)


def _checking(field: Field) -> Callable[[RequestContext], Breach | None]:
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
            why="`max_tokens` is required, unlike on other wires",
            confidence="recorded",
            evidence=measured("max_tokens: Field required"),
            breaking=ask(max_tokens=...),
            accepted=ask(),
        )(max_tokens_missing)
    BOOK.rule(
        f"anthropic/{_field.name.replace('_', '-')}-type",
        why=_field.why,
        confidence="recorded",
        evidence=measured(_field.quote),
        breaking=ask(**{"model": SMALL, _field.name: _field.bad}),
        accepted=ask(**{"model": SMALL, _field.name: _field.good}),
    )(_checking(_field))


@BOOK.rule(
    "anthropic/extra-key",
    why="a request has no keys but the documented ones: no n, no seed, no parallel_tool_calls, no nulls of other wires",
    confidence="recorded",
    evidence=(
        *measured("zzz_unknown: Extra inputs are not permitted"),
        Citation("Aider-AI/aider#4404"),
    ),
    breaking=ask(parallel_tool_calls=True),
    accepted=ask(),
)
def extra_key(context: RequestContext) -> Breach | None:
    key = values.unknown(context.body, wording.FIELDS)
    return Breach(key, f"{key}: {values.EXTRA}") if key is not None else None
