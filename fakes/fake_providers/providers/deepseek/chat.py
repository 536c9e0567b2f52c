"""DeepSeek's responses: reasoning in every answer of a thinking model, usage in the last chunk, errors as
`application/octet-stream`."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from fake_providers.ids import uuid
from fake_providers.models import families_of
from fake_providers.providers.deepseek.chat_rules import BOOK, error_body, thinks
from fake_providers.reply import Reply
from fake_providers.wire import ReplyContext
from fake_providers.wires.openai_chat.provider import Answers, Provider
from fake_providers.wires.openai_chat.rendered_reply import CREATED, RenderedReply
from fake_providers.wires.openai_chat.rules.samples import cite
from fake_providers.wires.openai_shared.provider_errors import (
    Errors,
    context_length_rule,
    missing_key_rule,
    window_sentence,
)
from fake_providers.wires.openai_shared.request_body import Chunk, body_of, model_of

UNSAID = "Let me see."
"""The reasoning of a model that thinks, if the script has none."""
NO_KEY = "Authentication Fails (auth header format should be Bearer sk-...)"

MISSING_KEY = missing_key_rule(
    "deepseek/missing-key",
    confidence="reported",
    evidence=cite("recordings with a wrong key", "Authentication Fails"),
)
CONTEXT_LENGTH = context_length_rule(
    "deepseek/context-length",
    confidence="recorded",
    evidence=cite("recording, deepseek-chat", "This model's maximum context length is 1048565 tokens."),
)
FAMILIES = families_of("openai-chat", "deepseek")


def _failure(status: int, context: ReplyContext, retry_after: float | None) -> Any:
    if status == 400:
        return error_body("The request could not be processed.")
    if status == 401:
        key = context.request.headers.get("authorization", "")[-4:]
        message = f"Authentication Fails, Your api key: ****{key} is invalid"
        return error_body(message, kind="authentication_error")
    if status == 402:
        return error_body("Insufficient Balance", kind="unknown_error")
    if status == 404:
        return error_body(
            f"The supported API model names are deepseek-v4-pro or deepseek-v4-flash, but you passed "
            f"{model_of(body_of(context.request))}."
        )
    if status == 422:
        return (
            "Failed to deserialize the JSON body into the target type: messages[0]: data did not match any variant of "
            "untagged enum ChatCompletionRequestContent at line 1 column 1"
        )
    if status == 429:
        return error_body("Rate limit reached. Please slow down your requests.", kind="rate_limit_error")
    if status == 503:
        return error_body(
            "Service is too busy. We advise users to temporarily switch to alternative LLM API service providers.",
            kind="service_unavailable_error",
        )
    return error_body("Internal Server Error", kind="internal_error")


def _label(status: int, body: Any) -> str:
    """Plain text for a body that cannot be parsed, JSON for a wrong key, else octets: recorded."""
    if isinstance(body, str):
        return "text/plain; charset=utf-8"
    return "application/octet-stream" if status == 400 else "application/json"


def _completed(reply: Reply, context: ReplyContext) -> Reply:
    """The reply with reasoning: a thinking model always sends some, and requires it back."""
    body = body_of(context.request)
    if reply.thinking or not thinks(body, FAMILIES(model_of(body))):
        return reply
    return replace(reply, thinking=UNSAID)


def _usage(rendered: RenderedReply) -> dict[str, Any]:
    thought = {"reasoning_tokens": rendered.tokens.thinking}
    return {
        **rendered.tokens.counts,
        "prompt_tokens_details": {"cached_tokens": rendered.tokens.cached},
        **({} if rendered.thinking is None else {"completion_tokens_details": thought}),
        "prompt_cache_hit_tokens": rendered.tokens.cached,
        "prompt_cache_miss_tokens": rendered.tokens.prompt - rendered.tokens.cached,
    }


def _completion(rendered: RenderedReply) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": rendered.content or ""}
    if rendered.thinking is not None:
        message["reasoning_content"] = rendered.thinking
    if rendered.calls:
        message["tool_calls"] = [call.delta(index, call.arguments) for index, call in enumerate(rendered.calls)]
    return {
        "id": rendered.id,
        "object": "chat.completion",
        "created": CREATED,
        "model": rendered.model,
        "choices": [{"index": 0, "message": message, "logprobs": None, "finish_reason": rendered.finish}],
        "usage": _usage(rendered),
        "system_fingerprint": FINGERPRINT,
    }


FINGERPRINT = "fp_058df29938_prod0820_fp8_kvcache_20260402"


def _chunk(rendered: RenderedReply, delta: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
    return {
        "id": rendered.id,
        "object": "chat.completion.chunk",
        "created": CREATED,
        "model": rendered.model,
        "system_fingerprint": FINGERPRINT,
        "choices": [{"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}],
        **({"usage": None} if rendered.is_counted else {}),
    }


def _deltas(rendered: RenderedReply) -> Iterator[Chunk]:
    thinks = rendered.thinking is not None
    first = {"content": None, "reasoning_content": ""} if thinks else {"content": ""}
    yield _chunk(rendered, {"role": "assistant", **first})
    for piece in rendered.thoughts():
        yield _chunk(rendered, {"content": None, "reasoning_content": piece})
    for piece in rendered.texts():
        yield _chunk(rendered, {"content": piece, **({"reasoning_content": None} if thinks else {})})
    for index, call, arguments in rendered.calls_in_pieces():
        yield _chunk(rendered, {"tool_calls": [call.delta(index, "")]})
        for piece in arguments:
            yield _chunk(rendered, {"tool_calls": [{"index": index, "function": {"arguments": piece}}]})


def _ending(rendered: RenderedReply) -> Iterator[Chunk]:
    """The usage is always sent, requested or not."""
    delta = {"content": "", **({} if rendered.thinking is None else {"reasoning_content": None})}
    yield {**_chunk(rendered, delta, rendered.finish), "usage": _usage(rendered)}


PROVIDER = Provider(
    name="deepseek",
    base_path="",
    completes_texts=True,
    errors=Errors(
        failure=_failure,
        envelope_of=error_body,
        window=CONTEXT_LENGTH,
        too_long=window_sentence(
            "This model's maximum context length is {window} tokens. However, you requested {tokens} tokens ({tokens} "
            "in "
            "the messages, 0 in the completion). Please reduce the length of the messages or completion.",
            error_body,
        ),
        missing_key=MISSING_KEY,
        no_key=(NO_KEY, error_body(NO_KEY, kind="authentication_error")),
        content_type=_label,
    ),
    answers=Answers(
        id=uuid,
        call_id=lambda ids: ids.make("call_00_", 24),
        completion=_completion,
        deltas=_deltas,
        final_chunks=_ending,
        complete_reply=_completed,
    ),
    books=(BOOK,),
    traits=FAMILIES,
)
