"""Groq's responses: timings in the usage, a member `x_groq`, and a check of the model's own output before any client
gets it."""

from collections.abc import Iterator, Mapping
from typing import Any

from fake_providers.http import Request
from fake_providers.ids import Ids, uuid
from fake_providers.models import families_of
from fake_providers.providers.groq.chat_rules import BOOK, OF_ITS_MODEL, error_body
from fake_providers.providers.groq.go_schema_errors import go_words
from fake_providers.replies.call_validation import CallFault, arguments_of, fault_of_call, mismatches
from fake_providers.reply import Call, Reply
from fake_providers.wire import ReplyContext
from fake_providers.wires.openai_chat.completion_parts import arguments_text
from fake_providers.wires.openai_chat.provider import Answers, Provider
from fake_providers.wires.openai_chat.rendered_reply import CREATED, RenderedCall, RenderedReply
from fake_providers.wires.openai_chat.request import view_of
from fake_providers.wires.openai_chat.rules.samples import cite
from fake_providers.wires.openai_shared.events import Chunk, event
from fake_providers.wires.openai_shared.provider_errors import Errors, Headers, context_length_rule, missing_key_rule
from fake_providers.wires.openai_shared.request_body import body_of, model_of

LOWER = "0123456789abcdefghjkmnpqrstvwxyz"
FINGERPRINT = "fp_3d50e63726"
MISSING_KEY = missing_key_rule(
    "groq/missing-key",
    confidence="recorded",
    evidence=cite("recording, llama-3.1-8b-instant", "Invalid API Key"),
)
CONTEXT_LENGTH = context_length_rule(
    "groq/context-length",
    confidence="recorded",
    evidence=cite("recording, llama-3.1-8b-instant", "Please reduce the length of the messages or completion."),
)
NO_KEY = error_body("Invalid API Key", code="invalid_api_key")
ORGANISATION = "in organization `org_conformance` service tier `on_demand` on tokens per minute (TPM): Limit 6000,"


def _failure(status: int, context: ReplyContext, retry_after: float | None) -> Any:
    model = model_of(body_of(context.request))
    if status == 401:
        return NO_KEY
    if status == 404:
        message = f"The model `{model}` does not exist or you do not have access to it."
        return error_body(message, code="model_not_found")
    if status == 413:
        details = "Requested 9000, please reduce your message size and try again."
        message = f"Request too large for model `{model}` {ORGANISATION} {details}"
        return error_body(message, kind="tokens", code="rate_limit_exceeded")
    if status == 429:
        details = f"Used 5814, Requested 709. Please try again in {retry_after or 5.23:g}s."
        more = "Need more tokens? Upgrade to Dev Tier today at https://console.groq.com/settings/billing"
        message = f"Rate limit reached for model `{model}` {ORGANISATION} {details} {more}"
        return error_body(message, kind="tokens", code="rate_limit_exceeded")
    if status >= 500:
        busy = f"{model} is currently over capacity. Please try again and back off exponentially."
        return error_body(busy if status == 503 else "Internal Server Error", kind="internal_server_error")
    return error_body("The request could not be processed.")


def _too_long(request: Request, tokens: int, window: int) -> tuple[str, Any]:
    message = "Please reduce the length of the messages or completion."
    return message, {"error": {"message": message, "param": "messages", "type": "invalid_request_error"}}


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
    schemas = {tool.name: tool.parameters for tool in view_of(context.request).tools}
    for call in reply.calls:
        fault = fault_of_call(call, schemas)
        if fault is not None:
            written = f'{{"name": "{call.name}", "arguments": {arguments_text(call)}}}'
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


def _usage(rendered: RenderedReply) -> dict[str, Any]:
    tokens = rendered.tokens
    thought = {"completion_tokens_details": {"reasoning_tokens": tokens.thinking}}
    return {
        "queue_time": 0.002,
        "prompt_tokens": tokens.prompt,
        "prompt_time": 0.004,
        "completion_tokens": tokens.completion,
        "completion_time": 0.05,
        "total_tokens": tokens.total,
        "total_time": 0.054,
        **({"prompt_tokens_details": {"cached_tokens": tokens.cached}} if tokens.cached else {}),
        **({} if rendered.thinking is None else thought),
    }


def _request_id(rendered: RenderedReply) -> str:
    """One id for the whole answer."""
    return Ids(rendered.id).make("req_01", 24, LOWER)


def _call(call: RenderedCall) -> dict[str, Any]:
    return {**call.with_id, "type": "function", "function": call.function}


def _completion(rendered: RenderedReply) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant"}
    if rendered.content is not None:
        message["content"] = rendered.content
    if rendered.thinking is not None:
        message["reasoning"] = rendered.thinking
    if rendered.calls:
        message["tool_calls"] = [_call(call) for call in rendered.calls]
    return {
        "id": rendered.id,
        "object": "chat.completion",
        "created": CREATED,
        "model": rendered.model,
        "choices": [{"index": 0, "message": message, "logprobs": None, "finish_reason": rendered.finish}],
        "usage": _usage(rendered),
        "usage_breakdown": None,
        "system_fingerprint": FINGERPRINT,
        "x_groq": {"id": _request_id(rendered), "seed": 1},
        "service_tier": "on_demand",
    }


def _chunk(rendered: RenderedReply, delta: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
    return {
        "id": rendered.id,
        "object": "chat.completion.chunk",
        "created": CREATED,
        "model": rendered.model,
        "system_fingerprint": FINGERPRINT,
        "choices": [{"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}],
    }


def _deltas(rendered: RenderedReply) -> Iterator[Chunk]:
    """Each call comes in one chunk."""
    first = _chunk(rendered, {"role": "assistant", "content": ""})
    yield {**first, "x_groq": {"id": _request_id(rendered), "seed": 1}}
    for piece in rendered.thoughts():
        yield _chunk(rendered, {"reasoning": piece, "channel": "analysis"})
    for piece in rendered.texts():
        yield _chunk(rendered, {"content": piece})
    for index, call in enumerate(rendered.calls):
        yield _chunk(rendered, {"tool_calls": [{**_call(call), "index": index}]})


def _ending(rendered: RenderedReply) -> Iterator[Chunk]:
    usage = _usage(rendered)
    yield {
        **_chunk(rendered, {}, rendered.finish),
        "x_groq": {"id": _request_id(rendered), "usage": usage},
        "usage": usage,
    }


def _headers(ids: Ids) -> Headers:
    return (
        ("x-ratelimit-limit-requests", "500000"),
        ("x-ratelimit-limit-tokens", "250000"),
        ("x-ratelimit-remaining-requests", "499999"),
        ("x-ratelimit-remaining-tokens", "249900"),
        ("x-ratelimit-reset-requests", "172ms"),
        ("x-ratelimit-reset-tokens", "24ms"),
    )


def _id(ids: Ids) -> str:
    return f"chatcmpl-{uuid(ids)}"


def _call_id(ids: Ids) -> str:
    """An id as the default model, gpt-oss, has it; models of Meta and Alibaba have nine letters and digits instead."""
    return f"fc_{uuid(ids)}"


PROVIDER = Provider(
    name="groq",
    base_path="/openai/v1",
    errors=Errors(
        failure=_failure,
        envelope_of=error_body,
        window=CONTEXT_LENGTH,
        too_long=_too_long,
        missing_key=MISSING_KEY,
        no_key=("Invalid API Key", NO_KEY),
        stream_error=_stream_error,
    ),
    answers=Answers(
        id=_id,
        call_id=_call_id,
        completion=_completion,
        deltas=_deltas,
        final_chunks=_ending,
        stream_content_type="text/event-stream",
        refusal_of=_refusal,
    ),
    books=(BOOK,),
    traits=families_of("openai-chat", "groq"),
    bodiless_rules=OF_ITS_MODEL,
    headers=_headers,
)
