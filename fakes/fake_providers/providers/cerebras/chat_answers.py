"""Cerebras's responses: the times of a request beside its usage, and the thoughts as `reasoning`."""

from collections.abc import Iterator
from typing import Any

from fake_providers.http import Request
from fake_providers.ids import Ids, uuid
from fake_providers.models import families_of
from fake_providers.providers.cerebras.chat_rules import BOOK, error_body
from fake_providers.wire import ReplyContext
from fake_providers.wires.openai_chat.provider import Answers, Provider
from fake_providers.wires.openai_chat.rendered_reply import CREATED, RenderedReply
from fake_providers.wires.openai_chat.rules.samples import cite
from fake_providers.wires.openai_shared.events import Chunk, event
from fake_providers.wires.openai_shared.provider_errors import Errors, context_length_rule, missing_key_rule
from fake_providers.wires.openai_shared.request_body import body_of, model_of

MISSING_KEY = missing_key_rule(
    "cerebras/missing-key",
    confidence="reported",
    evidence=cite("the recorded refusal of a wrong key", "Wrong API Key"),
)
CONTEXT_LENGTH = context_length_rule(
    "cerebras/context-length",
    confidence="verbatim",
    evidence=cite("public code that quotes it", "Please reduce the length of the messages or completion."),
)
NO_KEY = error_body("Wrong API Key", "api_key", code="wrong_api_key")


def _envelope_of(message: str) -> dict[str, Any]:
    return error_body(message, "validation_error")


def _failure(status: int, context: ReplyContext, retry_after: float | None) -> Any:
    if status == 401:
        return NO_KEY
    if status == 404:
        model = model_of(body_of(context.request))
        message = f"Model {model} does not exist or you do not have access to it."
        return error_body(message, "model", code="model_not_found", kind="not_found_error")
    if status == 429:
        message = "Requests per second limit exceeded - too many requests sent."
        return error_body(message, "quota", code="request_quota_exceeded", kind="too_many_requests_error")
    if status >= 500:
        message = "We're experiencing high traffic right now! Please try again soon."
        return error_body(message, "queue", code="queue_exceeded", kind="too_many_requests_error")
    return _envelope_of("The request could not be processed.")


def _stream_error(body: Any, context: ReplyContext) -> bytes:
    return event({"error": body})


def _too_long(request: Request, tokens: int, window: int) -> tuple[str, Any]:
    message = (
        f"Please reduce the length of the messages or completion. Current length is {tokens} while limit is {window}"
    )
    return message, error_body(message, "messages", code="context_length_exceeded")


TIMES = {"queue_time": 0.005, "prompt_time": 0.003, "completion_time": 0.02, "total_time": 0.05, "created": CREATED}


def _head(rendered: RenderedReply) -> dict[str, Any]:
    return {"created": CREATED, "model": rendered.model, "system_fingerprint": "fp_46358675aa6b1ba4d98d"}


def _usage(rendered: RenderedReply) -> dict[str, Any]:
    return {**rendered.tokens.counts, "prompt_tokens_details": {"cached_tokens": rendered.tokens.cached}}


def _completion(rendered: RenderedReply) -> dict[str, Any]:
    message: dict[str, Any] = {} if rendered.content is None else {"content": rendered.content}
    if rendered.thinking is not None:
        message["reasoning"] = rendered.thinking
    message["role"] = "assistant"
    if rendered.calls:
        message["tool_calls"] = [
            {**call.with_id, "type": "function", "function": call.function} for call in rendered.calls
        ]
    return {
        "id": rendered.id,
        "choices": [{"finish_reason": rendered.finish, "index": 0, "message": message}],
        **_head(rendered),
        "object": "chat.completion",
        "usage": _usage(rendered),
        "time_info": TIMES,
    }


def _chunk(rendered: RenderedReply, choices: list[dict[str, Any]], **more: Any) -> dict[str, Any]:
    return {"id": rendered.id, "choices": choices, **_head(rendered), "object": "chat.completion.chunk", **more}


def _deltas(rendered: RenderedReply) -> Iterator[Chunk]:
    """Each call comes in one chunk."""
    yield _chunk(rendered, [{"delta": {"role": "assistant"}, "index": 0}])
    for piece in rendered.thoughts():
        yield _chunk(rendered, [{"delta": {"reasoning": piece}, "index": 0}])
    for piece in rendered.texts():
        yield _chunk(rendered, [{"delta": {"content": piece}, "index": 0}])
    for index, call in enumerate(rendered.calls):
        whole = {"function": call.function, "type": "function", **call.with_id, "index": index}
        yield _chunk(rendered, [{"delta": {"tool_calls": [whole]}, "index": 0}])


def _ending(rendered: RenderedReply) -> Iterator[Chunk]:
    """The usage is in the last chunk, whether it was asked for or not."""
    last: list[dict[str, Any]] = [{"delta": {}, "finish_reason": rendered.finish, "index": 0}]
    yield _chunk(rendered, last, usage=_usage(rendered), time_info=TIMES)


def _id(ids: Ids) -> str:
    return f"chatcmpl-{uuid(ids)}"


def _call_id(ids: Ids) -> str:
    return ids.make("", 9, "0123456789abcdef")


PROVIDER = Provider(
    name="cerebras",
    base_path="/v1",
    errors=Errors(
        failure=_failure,
        envelope_of=_envelope_of,
        window=CONTEXT_LENGTH,
        too_long=_too_long,
        missing_key=MISSING_KEY,
        no_key=("Wrong API Key", NO_KEY),
        stream_error=_stream_error,
    ),
    answers=Answers(
        id=_id,
        call_id=_call_id,
        completion=_completion,
        deltas=_deltas,
        final_chunks=_ending,
    ),
    books=(BOOK,),
    traits=families_of("openai-chat", "cerebras"),
)
