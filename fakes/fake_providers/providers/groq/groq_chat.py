"""Groq's responses: timings in the usage, a member `x_groq`, and a check of the model's own output before any client
gets it.

The words are those of version 5 of `santhosh-tekuri/jsonschema`. Recordings of Groq show missing properties,
additional properties and a wrong type, each with its place; users have quoted an enum, a length and a format.
Everything else is from the library's source. It is deduced that `anyOf` and `oneOf` report the errors of each
branch, and a `$ref` those of its target. A keyword without a message of its own is reported as `not failed` is.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any
from urllib.parse import quote

from jsonschema_rs import ValidationError

from fake_providers.ids import Ids, uuid
from fake_providers.models import families_of
from fake_providers.providers.groq.groq_chat_rules import BOOK, OF_ITS_MODEL, error_body
from fake_providers.replies.call_validation import CallFault, arguments_as_json, arguments_of, fault_of_call, mismatches
from fake_providers.replies.documents import ABSENT, ByStatus, Document, Failure, headers
from fake_providers.reply import Call, Reply
from fake_providers.wire import ReplyContext
from fake_providers.wires.openai_chat.provider import PLAIN, Answers, Provider, Said, Step
from fake_providers.wires.openai_chat.request import view_of
from fake_providers.wires.openai_shared.provider_errors import (
    Errors,
    context_length_rule,
    missing_key_rule,
)
from fake_providers.wires.openai_shared.request_body import body_of, event, model_of


def go_words(errors: Iterable[ValidationError], schema: Any) -> list[str]:
    """A sentence for each error, with its place; `schema` is the one that the value was checked against."""
    leaves = sorted((leaf for error in errors for leaf in _leaves(error)), key=_rank)
    mistyped = {_check_of(leaf) for leaf in leaves if leaf.kind.name == "type"}
    rendered: dict[tuple[str, str], list[ValidationError]] = {}
    for leaf in leaves:
        if leaf.kind.name == "type" or _check_of(leaf) not in mistyped:  # Go's validator stops at a wrong type
            parts = [str(part).replace("~", "~0").replace("/", "~1") for part in leaf.instance_path]
            pointer = "".join("/" + quote(part, safe="$&+=:@") for part in parts)
            rendered.setdefault((f"`{pointer}`: " if parts else "", str(leaf.schema_path)), []).append(leaf)
    return [place + _sentence(same, schema) for (place, _), same in rendered.items()]


def _rank(error: ValidationError) -> list[tuple[int, int, str]]:
    """A value comes before the values in it, and additional properties after them. Go leaves names in any order."""
    path = [(0, part, "") if isinstance(part, int) else (1, 0, part) for part in error.instance_path]
    return [*path, (2, 0, "")] if error.kind.name == "additionalProperties" else path


def _check_of(error: ValidationError) -> tuple[tuple[str | int, ...], tuple[str | int, ...]]:
    """The value, and the schema that it was checked against."""
    return tuple(error.instance_path), tuple(error.schema_path[:-1])


def _leaves(error: ValidationError) -> Iterator[ValidationError]:
    branches = error.kind.value if error.kind.name in ("anyOf", "oneOf") else []
    if not branches or not all(branches):
        yield error
    else:
        for branch in branches:
            for inner in branch:
                yield from _leaves(inner)


def _sentence(errors: list[ValidationError], schema: Any) -> str:
    """All errors are of one keyword at one place; there are several only for missing properties."""
    error = errors[0]
    keyword = str(error.kind.name)
    if keyword == "required" and error.schema_path[-1] == "required":
        return f"missing properties: {', '.join(_quoted(each.kind.value) for each in errors)}"
    if keyword == "type":
        return f"expected {' or '.join(_types(error, schema))}, but got {_type_of(error.instance)}"
    words = WORDS.get(keyword)
    return words(error.kind.value, error.instance) if words else f"{keyword} failed"


def _types(error: ValidationError, schema: Any) -> list[str]:
    """The types in the schema's own order, which the error does not keep, if the path leads to it from the root."""
    at = schema
    try:
        for part in error.schema_path:
            at = at[part]
    except (KeyError, IndexError, TypeError):
        return list(error.kind.value)
    return at if isinstance(at, list) else list(error.kind.value)


def _type_of(value: Any) -> str:
    if value is None:
        return "null"
    names = {bool: "boolean", int: "number", float: "number", str: "string", list: "array"}
    return names.get(type(value), "object")


def _quoted(text: str) -> str:
    return "'" + json.dumps(text, ensure_ascii=False)[1:-1].replace('\\"', '"').replace("'", "\\'") + "'"


def _number(bound: float) -> str:
    """As Go prints a float: with an exponent from a million on."""
    try:
        short = f"{bound:g}"
    except OverflowError:
        return "+Inf" if bound > 0 else "-Inf"
    return short if float(short) == bound else json.dumps(bound)


def _literal(value: Any) -> str:
    """A number is text to Go's decoder, and is shown as text."""
    if value is None or isinstance(value, bool):
        return {None: "<nil>", True: "true", False: "false"}[value]
    return json.dumps(value if isinstance(value, str) else json.dumps(value), ensure_ascii=False)


def _one_of(options: list[Any], _value: Any) -> str:
    if any(isinstance(option, (dict, list)) for option in options):
        return "enum failed"
    one = "" if len(options) == 1 else "one of "
    return f"value must be {one}{', '.join(map(_literal, options))}"


def _not_unique(_limit: Any, value: list[Any]) -> str:
    found = ((j, i) for i in range(len(value)) for j in range(i) if value[i] == value[j])
    return "items at index {} and {} are equal".format(*next(found))


WORDS: dict[str, Callable[[Any, Any], str]] = {
    "const": lambda constant, _value: (
        "const failed" if isinstance(constant, (dict, list)) else f"value must be {_literal(constant)}"
    ),
    "enum": _one_of,
    "format": lambda name, value: f"{_quoted(value)} is not valid {_quoted(name)}",
    "minProperties": lambda least, value: f"minimum {least} properties allowed, but found {len(value)} properties",
    "maxProperties": lambda most, value: f"maximum {most} properties allowed, but found {len(value)} properties",
    "additionalProperties": lambda names, _: f"additionalProperties {', '.join(map(_quoted, names))} not allowed",
    "minItems": lambda least, value: f"minimum {least} items required, but found {len(value)} items",
    "maxItems": lambda most, value: f"maximum {most} items required, but found {len(value)} items",
    "uniqueItems": _not_unique,
    "minLength": lambda least, value: f"length must be >= {least}, but got {len(value)}",
    "maxLength": lambda most, value: f"length must be <= {most}, but got {len(value)}",
    "pattern": lambda pattern, _: f"does not match pattern {_quoted(pattern)}",
    "minimum": lambda least, value: f"must be >= {_number(least)} but found {json.dumps(value)}",
    "exclusiveMinimum": lambda bound, value: f"must be > {_number(bound)} but found {json.dumps(value)}",
    "maximum": lambda most, value: f"must be <= {_number(most)} but found {json.dumps(value)}",
    "exclusiveMaximum": lambda bound, value: f"must be < {_number(bound)} but found {json.dumps(value)}",
    "multipleOf": lambda step, value: f"{json.dumps(value)} not multipleOf {_number(step)}",
    "oneOf": lambda branches, _value: "valid against schemas at indexes {} and {}".format(
        *[i for i, found in enumerate(branches) if not found]
    ),
    "falseSchema": lambda _limit, _value: "not allowed",
}
"""By keyword of a schema, the sentence of an error: made of what the keyword asks for or finds, and of the value."""


LOWER = "0123456789abcdefghjkmnpqrstvwxyz"
FINGERPRINT = "fp_3d50e63726"
MISSING_KEY = missing_key_rule("groq/missing-key", recorded={"recording, llama-3.1-8b-instant": "Invalid API Key"})
TOO_LONG = "Please reduce the length of the messages or completion."
CONTEXT_LENGTH = context_length_rule("groq/context-length", recorded={"recording, llama-3.1-8b-instant": TOO_LONG})
ORGANISATION = "in organization `org_conformance` service tier `on_demand` on tokens per minute (TPM): Limit 6000,"


LIMITED = {"type": "tokens", "code": "rate_limit_exceeded"}
FAILING = Failure("Internal Server Error", {"type": "internal_server_error"})
FAILURES = ByStatus(
    {
        401: Failure("Invalid API Key", {"code": "invalid_api_key"}),
        404: Failure(
            "The model `{model}` does not exist or you do not have access to it.", {"code": "model_not_found"}
        ),
        413: Failure(
            f"Request too large for model `{{model}}` {ORGANISATION} Requested 9000, please reduce your message size "
            "and try again.",
            LIMITED,
        ),
        429: Failure(
            f"Rate limit reached for model `{{model}}` {ORGANISATION} Used 5814, Requested 709. Please try again in "
            "{wait:g}s. Need more tokens? Upgrade to Dev Tier today at https://console.groq.com/settings/billing",
            LIMITED,
            wait=5.23,
        ),
        500: FAILING,
        503: Failure(
            "{model} is currently over capacity. Please try again and back off exponentially.", FAILING.members
        ),
    },
    "The request could not be processed.",
)


def _stream_error(body: Any, context: ReplyContext) -> bytes:
    """A named event; the error itself has the status that a plain response would have."""
    error = body.get("error", body)
    return b"event: error\n" + event({"error": {**error, "status_code": error.get("status_code", 400)}})


def _refusal(reply: Reply, context: ReplyContext) -> Any:
    """The calls of every model are checked; those of gpt-oss, which uses the Harmony format, with other messages.

    The failed generation is in Harmony's format for all models, though other models have formats of their own.
    """
    body = body_of(context.request)
    harmony = "harmony" in families_of("openai-chat", "groq")(model_of(body))
    schemas = {tool.name: tool.parameters for tool in (context.view or view_of(context.request)).tools}
    for call in reply.calls:
        fault = fault_of_call(call, schemas)
        if fault is not None:
            written = f'{{"name": "{call.name}", "arguments": {arguments_as_json(call)}}}'
            return _failed(_found(fault, call, schemas, harmony), written)
    choice = body.get("tool_choice")
    demanded = choice == "required" or (not harmony and isinstance(choice, dict))
    if demanded and not reply.calls and reply.finish is None:
        return _failed(NO_CALL if harmony else NOT_READ, reply.text or "")
    return None


def _failed(message: str, generation: str) -> Any:
    return error_body(message, code="tool_use_failed", failed_generation=generation)


def _found(fault: CallFault, call: Call, schemas: Mapping[str, Any], harmony: bool) -> str:
    if fault == "arguments-not-json":
        return "Failed to parse tool call arguments as JSON" if harmony else NOT_READ
    found = f"attempted to call tool '{call.name}' which was not in request.tools"
    if fault == "tool-schema-mismatch":
        schema = schemas[call.name]
        errors = ", ".join(go_words(mismatches(schema, arguments_of(call)), schema))
        found = f"parameters for tool {call.name} did not match schema: errors: [{errors}]"
    return f"{'Tool call validation failed: ' if harmony else ''}tool call validation failed: {found}"


NO_CALL = "Tool choice is required, but model did not call a tool"
NOT_READ = "Failed to call a function. Please adjust your prompt. See 'failed_generation' for more details."


def _own_members(step: Step) -> Any:
    """One id for the whole answer, in its first and its last chunk."""
    id = Ids(step.rendered.id).make("req_01", 24, LOWER)
    if step.ends and step.object != PLAIN:
        return {"id": id, "usage": step.usage}
    return {"id": id, "seed": 1} if step.opens or step.ends else ABSENT


def _opening_text(said: Said) -> str | None:
    rendered = said.rendered
    return None if rendered.calls and not rendered.content and rendered.thinking is None else ""


HEADERS = headers(
    x_ratelimit_limit_requests="500000",
    x_ratelimit_limit_tokens="250000",
    x_ratelimit_remaining_requests="499999",
    x_ratelimit_remaining_tokens="249900",
    x_ratelimit_reset_requests="172ms",
    x_ratelimit_reset_tokens="24ms",
)
PROVIDER = Provider(
    name="groq",
    base_path="/openai/v1",
    errors=Errors(
        error_body,
        FAILURES,
        window=CONTEXT_LENGTH,
        too_long=lambda tokens, window: (
            TOO_LONG,
            {"error": {"message": TOO_LONG, "param": "messages", "type": "invalid_request_error"}},
        ),
        missing_key=MISSING_KEY,
        stream_error=_stream_error,
    ),
    answers=Answers(
        id=lambda ids: f"chatcmpl-{uuid(ids)}",
        # An id as the default model, gpt-oss, has it; models of Meta and Alibaba have nine letters and digits instead.
        call_id=lambda ids: f"fc_{uuid(ids)}",
        completion=Document(
            "id object created model choices usage? usage_breakdown:null system_fingerprint x_groq? service_tier",
            system_fingerprint=FINGERPRINT,
            x_groq=_own_members,
            service_tier="on_demand",
        ),
        choice=Document("index message logprobs:null finish_reason"),
        message=Document("role content:content_if_any? reasoning? tool_calls?"),
        call=Document("id? type function"),
        usage=Document(
            "queue_time prompt_tokens prompt_time completion_tokens completion_time total_tokens total_time "
            "prompt_tokens_details:cached_details_if_any? completion_tokens_details?",
            queue_time=0.002,
            prompt_time=0.004,
            completion_time=0.05,
            total_time=0.054,
            completion_tokens_details=lambda rendered: (
                ABSENT if rendered.thinking is None else {"reasoning_tokens": rendered.tokens.thinking}
            ),
        ),
        chunk=Document(
            "id object created model system_fingerprint choices x_groq? usage? service_tier?",
            system_fingerprint=FINGERPRINT,
            x_groq=_own_members,
            service_tier=lambda step: ABSENT if step.has_choice else "on_demand",
        ),
        opening=Document("role content", content=_opening_text),
        thought=Document("reasoning channel", channel="analysis"),
        calls="each",
        opened_call=Document("id? type function index"),
        last=Document(),
        usage_comes="always_and_apart",
        refusal_of=_refusal,
    ),
    books=(BOOK,),
    traits=families_of("openai-chat", "groq"),
    bodiless_rules=OF_ITS_MODEL,
    headers=HEADERS,
)
