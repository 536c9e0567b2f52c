"""xAI's chat completions: errors are `{code: sentence, error: string}`. Nearly every shape was recorded as accepted.

Calls come in one piece; reasoning tokens are counted apart from the completion.
"""

from collections.abc import Iterator
from typing import Any, Final

from fake_providers.ids import DIGITS, uuid
from fake_providers.models import families_of
from fake_providers.providers.shared.chat_reading import MESSAGE, MESSAGES, refuse_unread
from fake_providers.providers.shared.chat_types import Dialect, Samples, refuse_wrong_types
from fake_providers.providers.shared.pydantic_words import serde_breach
from fake_providers.rule import Rule
from fake_providers.rulebook import ANY_PARAMETER, Breach, RequestContext, Rulebook, sets
from fake_providers.wire import ReplyContext
from fake_providers.wires.openai_chat.provider import Answers, Provider
from fake_providers.wires.openai_chat.rendered_reply import CREATED, RenderedReply
from fake_providers.wires.openai_chat.rules.samples import USER, cite, sample_request
from fake_providers.wires.openai_shared.errors import masked
from fake_providers.wires.openai_shared.provider_errors import (
    Errors,
    bearer,
    context_length_rule,
    missing_key_rule,
    window_sentence,
)
from fake_providers.wires.openai_shared.request_body import Chunk, body_of, model_of

MODEL: Final = "grok-4"
INVALID: Final = "Client specified an invalid argument"


def error_body(message: str, code: str = INVALID) -> dict[str, Any]:
    return {"code": code, "error": message}


def envelope(rule: Rule, found: Breach, _context: RequestContext) -> Any:
    return {"error": found.message} if rule.status == 422 else error_body(found.message)


NOT_JSON: Final = Breach("body",
    "Failed to parse the request body as JSON: EOF while parsing a value at line 1 column 0")  # fmt: skip
BOOK = Rulebook(envelope)
refuse_unread(BOOK, "xai", MESSAGES, model=MODEL, not_json=NOT_JSON,
    missing=lambda body: Breach("messages",
        "Failed to deserialize the JSON body into the target type: missing field `messages` at line 1"),
    source="the envelope of other refusals, with the message of other servers in Rust")  # fmt: skip

ROLES: Final = ("system", "developer", "user", "assistant", "tool", "function")
refuse_wrong_types(BOOK, "xai",
    Dialect(words=lambda found, context: serde_breach(found, context, ROLES),
        source="the sentences of serde, which it has for tools, in the envelope of its Responses", roles=ROLES,
        required=("messages[].role", "messages[].tool_calls[].function", "tools[].function.name"),
        known={
            "tools-type": ("verbatim",
                cite("public code that quotes it, with status 422",
                    "tools[0].type: unknown variant `web_search`, expected `function` or `live_search`")),
            "member-missing": ("verbatim",
                cite("public code that quotes it, with status 422", "missing field  name  at line 1 column 52195"))}),
    Samples(MODEL), status=422)  # fmt: skip

CAMEL = {"presence_penalty": "presencePenalty", "frequency_penalty": "frequencyPenalty", "stop": "stop"}


# A table: two rows are to be compared.
# fmt: off
BOOK.row("xai/content-missing",
    "A message has neither tool calls nor content: its content is missing, null or an empty list.",
    MESSAGE, lambda one: one.get("content") in (None, []) and not one.get("tool_calls"),
    "Invalid request content: Each message must have at least one content element.", ".content", checked="2026-11-21",
    wrong=sample_request(USER, {"role": "assistant", "content": []}, USER, model=MODEL),
    right=sample_request(USER, {"role": "assistant", "content": "Rain."}, USER, model=MODEL),
    verbatim={"AstrBotDevs/AstrBot#6447": "Each message must have at least one content element.",
        "charmbracelet/crush#964": "", "n8n-io/n8n#14797": ""})
# fmt: on
for name, camel in CAMEL.items():
    BOOK.row(f"xai/{name.replace('_', '-')}-unsupported", f"`{name}` is set for a model that reasons.",
        ANY_PARAMETER, sets(name), f"Model {{model}} does not support parameter {camel}.", name, trait="no-penalty",
        models="grok-4, grok-4.5, grok-code-fast-1", checked="2026-11-23",
        wrong=sample_request(model=MODEL, **{name: ["END"] if name == "stop" else 0.5}),
        right=sample_request(model=MODEL, **{name: None}),
        verbatim={"ten public projects, grok-4":
            "Model grok-4 does not support parameter presencePenalty."})  # fmt: skip


WHERE = "You can obtain an API key from https://console.x.ai."
NO_KEY = f"No API key provided. {WHERE}"
FINGERPRINT = "fp_eb3c003fc66c14ed"

MISSING_KEY = missing_key_rule(
    "xai/missing-key",
    confidence="inferred",
    evidence=cite("recordings with a wrong key, answered with status 400", "Incorrect API key provided:"),
)
CONTEXT_LENGTH = context_length_rule(
    "xai/context-length",
    confidence="recorded",
    evidence=cite("recording, grok-3-mini", "This model's maximum prompt length is 131072 but the request"),
)


def _failure(status: int, context: ReplyContext, retry_after: float | None) -> Any:
    if status in (400, 401):
        return error_body(f"Incorrect API key provided: {masked(bearer(context.request))}. {WHERE}")
    if status == 403:
        code = "The caller does not have permission to execute the specified operation"
        return error_body("Your team does not have access to this model.", code)
    if status == 404:
        message = f"The model {model_of(body_of(context.request))} does not exist or your team does not have access."
        return error_body(message, "Some requested entity was not found")
    if status == 429:
        code = "Some resource has been exhausted"
        return error_body("Too many requests. Please wait before you try again.", code)
    if status >= 500:
        message = (
            "Service temporarily unavailable. The model is at capacity and currently cannot serve this request. "
            "Please try again later."
        )
        return error_body(message, "The service is currently unavailable")
    return error_body("The request could not be processed.")


def _usage(rendered: RenderedReply) -> dict[str, Any]:
    """The reasoning tokens are in the total, and not in the completion."""
    tokens = rendered.tokens
    return {
        "prompt_tokens": tokens.prompt,
        "completion_tokens": tokens.completion - tokens.thinking,
        "total_tokens": tokens.total,
        "prompt_tokens_details": {
            "text_tokens": tokens.prompt,
            "audio_tokens": 0,
            "image_tokens": 0,
            "cached_tokens": tokens.cached,
        },
        "completion_tokens_details": {
            "reasoning_tokens": tokens.thinking,
            "audio_tokens": 0,
            "accepted_prediction_tokens": 0,
            "rejected_prediction_tokens": 0,
        },
        "num_sources_used": 0,
        "cost_in_usd_ticks": 0,
    }


def _completion(rendered: RenderedReply) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": rendered.content or ""}
    if rendered.thinking is not None:
        message["reasoning_content"] = rendered.thinking
    if rendered.calls:
        message["tool_calls"] = [
            {**call.with_id, "function": call.function, "type": "function"} for call in rendered.calls
        ]
    message["refusal"] = None
    return {
        "id": rendered.id,
        "object": "chat.completion",
        "created": CREATED,
        "model": rendered.model,
        "choices": [{"index": 0, "message": message, "finish_reason": rendered.finish}],
        "usage": _usage(rendered),
        "system_fingerprint": FINGERPRINT,
        "service_tier": "default",
    }


def _chunk(rendered: RenderedReply, choices: list[dict[str, Any]], **more: Any) -> dict[str, Any]:
    head = {"id": rendered.id, "object": "chat.completion.chunk", "created": CREATED, "model": rendered.model}
    return {**head, "choices": choices, **more, "system_fingerprint": FINGERPRINT}


def _deltas(rendered: RenderedReply) -> Iterator[Chunk]:
    """The role comes with the first delta; `finish_reason` is left out until the end."""
    said: list[dict[str, Any]] = [{"reasoning_content": piece} for piece in rendered.thoughts()]
    said += [{"content": piece} for piece in rendered.texts()]
    if rendered.calls:
        said.append(
            {
                "tool_calls": [
                    {**call.with_id, "function": call.function, "index": index, "type": "function"}
                    for index, call in enumerate(rendered.calls)
                ]
            }
        )
    for place, delta in enumerate(said or [{"content": ""}]):
        role = {} if place else {"role": "assistant"}
        first = {**role, **delta} if "tool_calls" in delta else {**delta, **role}
        yield _chunk(rendered, [{"index": 0, "delta": first}])


def _ending(rendered: RenderedReply) -> Iterator[Chunk]:
    yield _chunk(rendered, [{"index": 0, "delta": {}, "finish_reason": rendered.finish}])
    if rendered.is_counted:
        yield _chunk(rendered, [], usage=_usage(rendered))


TOO_LONG = "This model's maximum prompt length is {window} but the request contains {tokens} tokens."


# A table: two rows are to be compared.
# fmt: off
BOOK.row("xai/effort-unsupported", "An effort is set for a model that has none.",
    ANY_PARAMETER, sets("reasoning_effort"), "Model {model} does not support parameter reasoningEffort.",
    "reasoning_effort", trait="no-effort", models="grok-code-fast-1", checked="2026-11-23",
    wrong=sample_request(model="grok-code-fast-1", reasoning_effort="low"),
    right=sample_request(model="grok-code-fast-1"),
    recorded={"recording, grok-code-fast-1": "does not support parameter reasoningEffort."})
# fmt: on

PROVIDER = Provider(
    name="xai",
    base_path="/v1",
    errors=Errors(
        failure=_failure,
        envelope_of=error_body,
        window=CONTEXT_LENGTH,
        too_long=window_sentence(TOO_LONG, error_body),
        missing_key=MISSING_KEY,
        no_key=(NO_KEY, error_body(NO_KEY)),
    ),
    answers=Answers(
        id=uuid,
        call_id=lambda ids: ids.make("call_", 8, DIGITS),
        completion=_completion,
        deltas=_deltas,
        final_chunks=_ending,
        stream_content_type="text/event-stream",
    ),
    books=(BOOK,),
    traits=families_of("openai-chat", "xai"),
)
