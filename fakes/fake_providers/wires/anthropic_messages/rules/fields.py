"""Rules on the other fields of the request, in the provider's order, and on unknown keys.

Last come the rules on the request as a whole, which are outside the rulebooks: its size,
its JSON, the key, and the context window. Those that depend on a header or on the total size have no sample requests.
"""

import json
import re
from collections.abc import Callable
from typing import Any

from msgspec import Struct

from fake_providers.rule import Citation, Confidence, Rule
from fake_providers.rulebook import ANY_PARAMETER, Breach, RequestContext, Rulebook
from fake_providers.wires.anthropic_messages.errors import envelope
from fake_providers.wires.anthropic_messages.rules import values
from fake_providers.wires.anthropic_messages.rules.samples import (
    PROBES,
    SMALL,
    TOOL,
    TOOL_PROBES,
    measured,
    sample_request,
    user,
)
from fake_providers.wires.anthropic_messages.rules.values import uses_newer_beta

BOOK = Rulebook(envelope)


class Field(Struct, frozen=True):
    """One field: its check, a value that is refused, one that is accepted, and the measured sentence."""

    name: str
    value: values.ValueCheck
    bad: Any
    good: Any
    quote: str
    why: str


LONGEST_USER_ID = 256


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
        BOOK.row(
            "anthropic/max-tokens-missing",
            "`max_tokens` is missing; unlike on other wires it is required.",
            ANY_PARAMETER,
            max_tokens_missing,
            wrong=sample_request(max_tokens=...),
            right=sample_request(),
            recorded=measured("max_tokens: Field required"),
        )
    BOOK.row(
        f"anthropic/{_field.name.replace('_', '-')}-type",
        _field.why,
        ANY_PARAMETER,
        _check_of(_field),
        wrong=sample_request(**{"model": SMALL, _field.name: _field.bad}),
        right=sample_request(**{"model": SMALL, _field.name: _field.good}),
        recorded=measured(_field.quote),
    )


def stop_sequence_blank(context: RequestContext) -> Breach | None:
    if all(sequence.strip() for sequence in context.body.get("stop_sequences", ())):
        return None
    return Breach("stop_sequences", "stop_sequences: each stop sequence must contain non-whitespace")


EMAIL = re.compile(r"[^@\s]+@[^@\s]+\.[^@\s]+")
"""Enough to tell an address from an id."""


def user_id_personal(context: RequestContext) -> Breach | None:
    user = (context.body.get("metadata") or {}).get("user_id")
    if user is None or not EMAIL.search(user):
        return None
    sentence = "user_id appears to contain an email address. Please send a uuid or hash value instead."
    return Breach("metadata.user_id", f"metadata.user_id: {sentence}")


def user_id_too_long(context: RequestContext) -> Breach | None:
    user = (context.body.get("metadata") or {}).get("user_id")
    if user is None or len(user) <= LONGEST_USER_ID:
        return None
    sentence = f"String should have at most {LONGEST_USER_ID} characters"
    return Breach("metadata.user_id", f"metadata.user_id: {sentence}")


def extra_key(context: RequestContext) -> Breach | None:
    key = None if uses_newer_beta(context.headers) else values.unknown_key(context.body, values.FIELDS)
    return Breach(key, f"{key}: {values.EXTRA}") if key is not None else None


# A table: two rows are to be compared.
# fmt: off
BOOK.row("anthropic/stop-sequence-blank", "A stop sequence is empty or only white space, such as a line break.",
    ANY_PARAMETER, stop_sequence_blank, needs="stop_sequences", checked="2026-11-23",
    wrong=sample_request(stop_sequences=["\n"]), right=sample_request(stop_sequences=["\nHuman:"]),
    verbatim={"ten public projects": "stop_sequences: each stop sequence must contain non-whitespace"})
BOOK.row("anthropic/user-id-personal", "`metadata.user_id` is an email address; a UUID or a hash is accepted.",
    ANY_PARAMETER, user_id_personal, needs="user_id", checked="2026-11-27",
    wrong=sample_request(metadata={"user_id": "ada@example.com"}), right=sample_request(metadata={"user_id": "3f1c"}),
    reported={"BerriAI/litellm#10106": "metadata.user_id: user_id appears to contain an email address. Please send",
        "two public projects that hash it therefore": "user_id appears to contain an email address"})
BOOK.row("anthropic/user-id-too-long", "`metadata.user_id` has more than 256 characters.",
    ANY_PARAMETER, user_id_too_long, needs="user_id", checked="2026-11-27",
    wrong=sample_request(metadata={"user_id": "0" * 257}), right=sample_request(metadata={"user_id": "0" * 256}),
    inferred={"https://platform.claude.com/docs/en/api/messages: at most 256 characters": "",
        "worded like the refusals of other long texts": ""})
BOOK.row("anthropic/extra-key",
    "The request has an unknown key, and no header of a beta that is newer than the known keys: `n`, `seed`, "
        "`parallel_tool_calls`, and other wires' keys set to null are refused.",
    ANY_PARAMETER, extra_key,
    wrong=sample_request(parallel_tool_calls=True), right=sample_request(),
    recorded=(*measured("zzz_unknown: Extra inputs are not permitted"), Citation("Aider-AI/aider#4404"),
        Citation("anthropics/claude-code#31033: fields of a beta are refused without its header")))
# fmt: on


MODEL_BOOK = Rulebook(envelope)
CHOICES = ("auto", "any", "tool", "none")


def choose(choice: Any) -> dict[str, Any]:
    return sample_request(tools=[TOOL], tool_choice=choice)


def model_missing(context: RequestContext) -> Breach | None:
    return None if "model" in context.body else Breach("model", "model: Field required")


def model_type(context: RequestContext) -> Breach | None:
    model = context.body.get("model")
    if not isinstance(model, str):
        return Breach("model", "model: Input should be a valid string")
    return None if model else Breach("model", "model: String should have at least 1 character")


def tool_choice_type(context: RequestContext) -> Breach | None:
    if "tool_choice" not in context.body or isinstance(context.body["tool_choice"], dict):
        return None
    return Breach("tool_choice", "tool_choice: Input should be an object")


def tool_choice_unknown(context: RequestContext) -> Breach | None:
    choice = context.body.get("tool_choice")
    if not isinstance(choice, dict) or choice.get("type") in CHOICES:
        return None
    if "type" not in choice:
        return Breach("tool_choice", "tool_choice.type: Field required")
    return Breach("tool_choice", f"tool_choice: {values.unknown_tag(choice['type'], CHOICES)}")


def tool_choice_name(context: RequestContext) -> Breach | None:
    choice = context.body.get("tool_choice")
    if not isinstance(choice, dict) or choice.get("type") != "tool" or isinstance(choice.get("name"), str):
        return None
    sentence = "Input should be a valid string" if "name" in choice else values.REQUIRED
    return Breach("tool_choice.name", f"tool_choice.tool.name: {sentence}")


CHECKED = "2026-11-20"
LARGEST = 32 * 1024 * 1024
"""The most bytes that a request may have; the server in front of the API refuses a larger one unread."""


def _rule(
    id: str,
    status: int,
    why: str,
    confidence: Confidence,
    *evidence: Citation,
    breaking: Any = None,
    accepted: Any = None,
) -> Rule:
    return Rule(id, status, why, "all", confidence, evidence, CHECKED, breaking, accepted)


NOT_JSON = _rule(
    "anthropic/not-json",
    400,
    "The body is not JSON.",
    "verbatim",
    Citation("anthropics/claude-code#77525", "The request body is not valid JSON: unexpected control character"),
    breaking=b"{",
    accepted=json.dumps(sample_request()).encode(),
)
LONE_SURROGATE = _rule(
    "anthropic/lone-surrogate",
    400,
    "A string contains half of a surrogate pair, which is left when text is cut in the middle of an emoji.",
    "verbatim",
    Citation("anthropics/claude-code#3277", "The request body is not valid JSON: no low surrogate in string"),
    Citation("anthropics/claude-code#60394", "no low surrogate in string: line 1 column 195621 (char 195620)"),
    breaking=json.dumps(sample_request(user("7 \ud83d"))).encode(),
    accepted=json.dumps(sample_request(user("7 \U0001f600"))).encode(),
)
NOT_OBJECT = _rule(
    "anthropic/body-type",
    400,
    "The body is JSON but not an object.",
    "inferred",
    Citation(PROBES, "tool_choice: Input should be an object"),
    breaking=[],
    accepted=sample_request(),
)
TOO_LARGE = _rule(
    "anthropic/request-too-large",
    413,
    "The request is larger than 32 MB.",
    "verbatim",
    Citation("anthropics/anthropic-sdk-python#938", "32 MB for the Messages API"),
    Citation("the API's documentation of errors", "Request exceeds the maximum allowed number of bytes."),
)
KEY_MISSING = _rule(
    "anthropic/key-missing",
    401,
    "The request has no key, neither in `x-api-key` nor as a bearer token.",
    "recorded",
    Citation("recordings of 2026", "x-api-key header is required"),
)
TOO_LONG = _rule(
    "anthropic/prompt-too-long",
    400,
    "The conversation is longer than the model's context window.",
    "recorded",
    Citation("recordings", "prompt is too long: 200021 tokens > 200000 maximum"),
)
RULES = (TOO_LARGE, NOT_JSON, LONE_SURROGATE, NOT_OBJECT, KEY_MISSING, TOO_LONG)


# A table: two rows are to be compared.
# fmt: off
MODEL_BOOK.row("anthropic/model-missing", "The request has no `model`.",
    ANY_PARAMETER, model_missing,
    wrong=sample_request(model=...), right=sample_request(),
    recorded=measured("model: Field required"))
MODEL_BOOK.row("anthropic/model-type", "The model's name is not a string, or it is empty.",
    ANY_PARAMETER, model_type,
    wrong=sample_request(model=""), right=sample_request(),
    recorded=measured("model: String should have at least 1 character"))
MODEL_BOOK.row("anthropic/tool-choice-type", "`tool_choice` is not an object; other wires accept a string or null.",
    ANY_PARAMETER, tool_choice_type, needs="tool_choice",
    wrong=choose("auto"), right=choose({"type": "auto"}),
    recorded=measured("tool_choice: Input should be an object"))
MODEL_BOOK.row("anthropic/tool-choice-unknown",
    "The type of `tool_choice` is not auto, any, tool or none; `required` and `function` are OpenAI's.",
    ANY_PARAMETER, tool_choice_unknown, needs="tool_choice",
    wrong=choose({"type": "required"}), right=choose({"type": "any"}),
    recorded={TOOL_PROBES: "tool_choice: Input tag 'required' found using 'type' does not match any"})
MODEL_BOOK.row("anthropic/tool-choice-name", "A `tool_choice` of type `tool` has no name.",
    ANY_PARAMETER, tool_choice_name, needs="tool_choice",
    wrong=choose({"type": "tool"}), right=choose({"type": "tool", "name": "f"}),
    inferred=measured("messages.0.content.0.type: Field required"))
# fmt: on
