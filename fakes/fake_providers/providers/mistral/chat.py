"""Mistral's responses: ids of nine characters, flat errors, thinking as parts of the content, the finish reason in the
last delta."""

from collections.abc import Iterator
from typing import Any

from fake_providers.ids import HEXADECIMAL
from fake_providers.models import families_of
from fake_providers.providers.mistral import chat_rules
from fake_providers.providers.mistral.chat_rules import error_body
from fake_providers.wire import ReplyContext
from fake_providers.wires.openai_chat.provider import Answers, Provider
from fake_providers.wires.openai_chat.rendered_reply import CREATED, RenderedCall, RenderedReply
from fake_providers.wires.openai_chat.rules.samples import cite
from fake_providers.wires.openai_shared.provider_errors import (
    Errors,
    context_length_rule,
    missing_key_rule,
    window_sentence,
)
from fake_providers.wires.openai_shared.request_body import Chunk, body_of, event, model_of

PADDING = "abcdefghijkl"
MISSING_KEY = missing_key_rule(
    "mistral/missing-key",
    confidence="recorded",
    evidence=cite("recording, mistral-small-latest", '{"detail": "Unauthorized"}'),
)
CONTEXT_LENGTH = context_length_rule(
    "mistral/context-length",
    confidence="verbatim",
    evidence=cite("public code that quotes it", "too large for model with 8192 maximum context length"),
)


def _failure(status: int, context: ReplyContext, retry_after: float | None) -> Any:
    if status == 401:
        return {"detail": "Unauthorized"}
    if status == 404:
        return error_body(f"Invalid model: {model_of(body_of(context.request))}", kind="invalid_model", code="1500")
    if status == 422:
        problem = {"type": "value_error", "loc": ["body"], "msg": "The request could not be processed.", "input": {}}
        return {"detail": [problem]}
    if status == 429:
        return {"message": "Requests rate limit exceeded"}
    if status >= 500:
        return error_body("Service unavailable.", kind="internal_server_error", code="3000")
    return error_body("The request could not be processed.", kind="invalid_request_invalid_args", code="3051")


def _usage(rendered: RenderedReply) -> dict[str, Any]:
    counts = rendered.tokens.counts
    order = {name: counts[name] for name in ("prompt_tokens", "total_tokens", "completion_tokens")}
    return {**order, "prompt_tokens_details": {"cached_tokens": rendered.tokens.cached}, "service_tier": "standard"}


def _call(index: int, call: RenderedCall) -> dict[str, Any]:
    return {**call.with_id, "type": "function", "function": call.function, "index": index}


def _thought(text: str) -> dict[str, Any]:
    return {"type": "thinking", "thinking": [{"type": "text", "text": text}]}


def _completion(rendered: RenderedReply) -> dict[str, Any]:
    content: Any = rendered.content or ""
    if rendered.thinking is not None:
        said = [{"type": "text", "text": rendered.content}] if rendered.content else []
        content = [{**_thought(rendered.thinking), "closed": True}, *said]
    calls = [_call(index, call) for index, call in enumerate(rendered.calls)] or None
    message = {"role": "assistant", "tool_calls": calls, "content": content}
    return {
        "id": rendered.id,
        "created": CREATED,
        "model": rendered.model,
        "usage": _usage(rendered),
        "object": "chat.completion",
        "choices": [{"index": 0, "finish_reason": rendered.finish, "message": message}],
    }


def _said(rendered: RenderedReply) -> list[dict[str, Any]]:
    """The deltas behind the role; all calls come in one."""
    said: list[dict[str, Any]] = [{"content": [_thought(piece)]} for piece in rendered.thoughts()]
    if rendered.thinking is not None:
        said.append({"content": [{"type": "thinking", "thinking": []}]})
    said += [{"content": piece} for piece in rendered.texts()]
    if rendered.calls:
        said.append({"tool_calls": [_call(index, call) for index, call in enumerate(rendered.calls)]})
    return said or [{"content": ""}]


def _chunk(rendered: RenderedReply, delta: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    head = {"id": rendered.id, "object": "chat.completion.chunk", "created": CREATED, "model": rendered.model}
    return {**head, "choices": [choice]}


def _padding(delta: dict[str, Any]) -> str:
    """Letters from the beginning of the alphabet. Their number depends on the delta alone, so that every run sends the
    same."""
    return PADDING[: 1 + len(str(delta)) % len(PADDING)]


def _deltas(rendered: RenderedReply) -> Iterator[Chunk]:
    """All but the last delta, which has the finish reason."""
    yield _chunk(rendered, {"role": "assistant", "content": ""})
    said = _said(rendered)
    for delta in said if rendered.interrupted else said[:-1]:
        yield {**_chunk(rendered, delta), "p": _padding(delta)}


def _ending(rendered: RenderedReply) -> Iterator[Chunk]:
    delta = _said(rendered)[-1]
    last = _chunk(rendered, delta, rendered.finish)
    yield {**last, "usage": _usage(rendered), "p": _padding(delta)}


PROVIDER = Provider(
    name="mistral",
    base_path="/v1",
    errors=Errors(
        failure=_failure,
        envelope_of=error_body,
        window=CONTEXT_LENGTH,
        too_long=window_sentence(
            "Prompt contains {tokens} tokens and 0 draft tokens, too large for model with {window} maximum context "
            "length",
            error_body,
        ),
        missing_key=MISSING_KEY,
        no_key=("Unauthorized", {"detail": "Unauthorized"}),
        # Inferred: no recording of an error in the middle of a stream was found.
        stream_error=lambda body, context: event({"error": body}),
        # Errors of the gateway have a charset: recorded.
        content_type=lambda status, body: (
            "application/json; charset=utf-8" if status in (401, 429) else "application/json"
        ),
        limits={
            "ratelimitbysize-limit": "500000",
            "ratelimitbysize-query-cost": "4000",
            "ratelimitbysize-remaining": "0",
            "ratelimitbysize-reset": "20",
            "x-ratelimitbysize-limit-minute": "500000",
            "x-ratelimitbysize-limit-month": "1000000000",
            "x-ratelimitbysize-remaining-minute": "0",
            "x-ratelimitbysize-remaining-month": "999000000",
        },
    ),
    answers=Answers(
        id=lambda ids: ids.make("", 32, HEXADECIMAL),
        call_id=lambda ids: ids.make("", 9),
        completion=_completion,
        deltas=_deltas,
        final_chunks=_ending,
        delta_size=8,
    ),
    books=(chat_rules.BOOK, chat_rules.CHAT_CONVERSATION_RULES_BOOK),
    traits=families_of("openai-chat", "mistral"),
)
