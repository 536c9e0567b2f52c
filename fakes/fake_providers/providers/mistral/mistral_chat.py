"""Mistral's responses: ids of nine characters, flat errors, thinking as parts of the content, the finish reason in the
last delta."""

from collections.abc import Callable
from typing import Any

from fake_providers.ids import HEXADECIMAL, uuid
from fake_providers.models import families_of
from fake_providers.providers.mistral import mistral_chat_rules
from fake_providers.providers.mistral.mistral_chat_rules import error_body
from fake_providers.replies.documents import ABSENT, ByStatus, Document, Failure, headers
from fake_providers.wires.openai_chat.provider import Answers, Provider, Said, Step
from fake_providers.wires.openai_chat.rendered_reply import RenderedReply
from fake_providers.wires.openai_shared.provider_errors import (
    Errors,
    context_length_rule,
    missing_key_rule,
)
from fake_providers.wires.openai_shared.request_body import body_of, event, wants_stream

PADDING = "abcdefghijkl"
MISSING_KEY = missing_key_rule(
    "mistral/missing-key", recorded={"recording, mistral-small-latest": '{"detail": "Unauthorized"}'}
)
CONTEXT_LENGTH = context_length_rule(
    "mistral/context-length",
    verbatim={"public code that quotes it": "too large for model with 8192 maximum context length"},
)


UNAUTHORIZED = Failure("Unauthorized", body={"detail": "Unauthorized"})
PROBLEM = {"type": "value_error", "loc": ["body"], "msg": "The request could not be processed.", "input": {}}
FAILURES = ByStatus(
    {
        401: UNAUTHORIZED,
        404: Failure("Invalid model: {model}", {"type": "invalid_model", "code": "1500"}),
        422: Failure(body={"detail": [PROBLEM]}),
        429: Failure(body={"message": "Requests rate limit exceeded"}),
        500: Failure("Service unavailable.", {"type": "internal_server_error", "code": "3000"}),
    },
    Failure("The request could not be processed.", {"type": "invalid_request_invalid_args", "code": "3051"}),
)


def _thought(text: str) -> dict[str, Any]:
    return {"type": "thinking", "thinking": [{"type": "text", "text": text}]}


def _content(said: Said) -> Any:
    rendered = said.rendered
    if rendered.thinking is None:
        return rendered.content or ""
    text = [{"type": "text", "text": rendered.content}] if rendered.content else []
    return [{**_thought(rendered.thinking), "closed": True}, *text]


def _padding(step: Step) -> Any:
    """Letters from the beginning of the alphabet. Their number depends on the delta alone, so that every run sends the
    same."""
    return ABSENT if step.opens else PADDING[: 1 + len(str(step.delta)) % len(PADDING)]


def _unless_streamed(value: str) -> Callable[[RenderedReply], Any]:
    return lambda rendered: ABSENT if wants_stream(body_of(rendered.context.request)) else value


PROVIDER = Provider(
    name="mistral",
    base_path="/v1",
    errors=Errors(
        error_body,
        FAILURES,
        window=CONTEXT_LENGTH,
        too_long="Prompt contains {tokens} tokens and 0 draft tokens, too large for model with {window} maximum "
        "context length",
        missing_key=MISSING_KEY,
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
        stream_content_type="text/event-stream; charset=utf-8",
        completion=Document("id created model usage? object choices"),
        choice=Document("index finish_reason message"),
        message=Document(
            "role tool_calls content",
            tool_calls=lambda said: None if said.tool_calls is ABSENT else said.tool_calls,
            content=_content,
        ),
        call=Document("id? type function index"),
        usage=Document(
            "prompt_tokens total_tokens completion_tokens prompt_tokens_details:cached_details service_tier",
            service_tier="standard",
        ),
        chunk=Document("id object created model choices usage? p?", p=_padding),
        step=Document("index delta finish_reason"),
        varies=("p",),
        thought=Document("content", content=lambda said: [_thought(said.reasoning)]),
        thought_end=Document("content", content=[{"type": "thinking", "thinking": []}]),
        calls="together",
        opened_call=Document("id? type function index"),
        finishes_early=True,
        says_nothing=True,
        usage_comes="always",
        delta_size=8,
    ),
    books=(mistral_chat_rules.BOOK, mistral_chat_rules.CHAT_CONVERSATION_RULES_BOOK),
    traits=families_of("openai-chat", "mistral"),
    headers=headers(
        mistral_correlation_id=lambda rendered: uuid(rendered.ids),
        x_ratelimit_tokens_query_cost=_unless_streamed("192"),
        x_ratelimit_limit_tokens_minute=_unless_streamed("2000000"),
        x_ratelimit_remaining_tokens_minute=_unless_streamed("1999751"),
        x_ratelimit_limit_tokens_month=_unless_streamed("10000000000"),
        x_ratelimit_remaining_tokens_month=_unless_streamed("9999992035"),
    ),
)
