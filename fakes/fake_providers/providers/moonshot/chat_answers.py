"""Moonshot's responses: the thoughts as `reasoning_content`, and the cached tokens beside the others.

The ids of its calls have the names of the tools (`get_weather:0`); those of the fake have a number only.
"""

from collections.abc import Iterator
from typing import Any

from fake_providers.http import Request
from fake_providers.ids import HEXADECIMAL, Ids
from fake_providers.models import families_of
from fake_providers.providers.moonshot.chat_rules import BOOK, error_body
from fake_providers.wire import ReplyContext
from fake_providers.wires.openai_chat.provider import Answers, Provider
from fake_providers.wires.openai_chat.rendered_reply import CREATED, RenderedCall, RenderedReply
from fake_providers.wires.openai_chat.rules.samples import cite
from fake_providers.wires.openai_shared.events import Chunk
from fake_providers.wires.openai_shared.provider_errors import Errors, context_length_rule, missing_key_rule
from fake_providers.wires.openai_shared.request_body import body_of, model_of

MISSING_KEY = missing_key_rule(
    "moonshot/missing-key",
    confidence="reported",
    evidence=cite("platform.moonshot.ai, error codes", "Invalid Authentication"),
)
CONTEXT_LENGTH = context_length_rule(
    "moonshot/context-length",
    confidence="verbatim",
    evidence=cite("public code that quotes it", "Invalid request: Your request exceeded model token limit: 262144"),
)
NO_KEY = error_body("Invalid Authentication", "invalid_authentication_error")


def _failure(status: int, context: ReplyContext, retry_after: float | None) -> Any:
    if status == 401:
        return NO_KEY
    if status == 404:
        model = model_of(body_of(context.request))
        return error_body(f"Not found the model {model} or Permission denied", "resource_not_found_error")
    if status == 429:
        again = f"please try again after {retry_after or 1:g} seconds"
        return error_body(f"Your account request reached organization max RPM: 3, {again}", "rate_limit_reached_error")
    if status >= 500:
        return error_body("The server is currently overloaded, please try again later", "engine_overloaded_error")
    return error_body("Invalid request")


def _too_long(request: Request, tokens: int, window: int) -> tuple[str, Any]:
    message = f"Invalid request: Your request exceeded model token limit: {window} (requested: {tokens})"
    return message, error_body(message)


def _usage(rendered: RenderedReply) -> dict[str, Any]:
    counts, cached = rendered.tokens.counts, rendered.tokens.cached
    order = {name: counts[name] for name in ("prompt_tokens", "completion_tokens", "total_tokens")}
    more = {"cached_tokens": cached, "prompt_tokens_details": {"cached_tokens": cached}}
    return {**order, **(more if cached else {})}


def _completion(rendered: RenderedReply) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": rendered.content or ""}
    if rendered.thinking is not None:
        message["reasoning_content"] = rendered.thinking
    if rendered.calls:
        message["tool_calls"] = [
            {"index": index, **call.with_id, "type": "function", "function": call.function}
            for index, call in enumerate(rendered.calls)
        ]
    return {
        "id": rendered.id,
        "object": "chat.completion",
        "created": CREATED,
        "model": rendered.model,
        "choices": [{"index": 0, "message": message, "finish_reason": rendered.finish}],
        "usage": _usage(rendered),
    }


def _chunk(rendered: RenderedReply, delta: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
    return {
        "id": rendered.id,
        "object": "chat.completion.chunk",
        "created": CREATED,
        "model": rendered.model,
        "choices": [{"index": 0, "delta": delta, "finish_reason": finish}],
        "system_fingerprint": "fpv0_ff52a3ef",
    }


def _opened(index: int, call: RenderedCall) -> dict[str, Any]:
    return {"index": index, **call.with_id, "type": "function", "function": {"name": call.name, "arguments": ""}}


def _deltas(rendered: RenderedReply) -> Iterator[Chunk]:
    yield _chunk(rendered, {"role": "assistant", "content": ""})
    for piece in rendered.thoughts():
        yield _chunk(rendered, {"reasoning_content": piece})
    for piece in rendered.texts():
        yield _chunk(rendered, {"content": piece})
    for index, call, arguments in rendered.calls_in_pieces():
        yield _chunk(rendered, {"tool_calls": [_opened(index, call)]})
        for piece in arguments:
            yield _chunk(rendered, {"tool_calls": [{"index": index, "function": {"arguments": piece}}]})


def _ending(rendered: RenderedReply) -> Iterator[Chunk]:
    """The usage is in the last choice, whether it was asked for or not."""
    last = _chunk(rendered, {}, rendered.finish)
    yield {**last, "choices": [{**last["choices"][0], "usage": _usage(rendered)}]}
    if rendered.is_counted:
        yield {**_chunk(rendered, {}), "choices": [], "usage": _usage(rendered)}


def _id(ids: Ids) -> str:
    return ids.make("chatcmpl-", 24, HEXADECIMAL)


def _call_id(ids: Ids) -> str:
    return ids.make("call_", 24, HEXADECIMAL)


PROVIDER = Provider(
    name="moonshot",
    base_path="/v1",
    errors=Errors(
        failure=_failure,
        envelope_of=error_body,
        window=CONTEXT_LENGTH,
        too_long=_too_long,
        missing_key=MISSING_KEY,
        no_key=("Invalid Authentication", NO_KEY),
    ),
    answers=Answers(
        id=_id,
        call_id=_call_id,
        completion=_completion,
        deltas=_deltas,
        final_chunks=_ending,
    ),
    books=(BOOK,),
    traits=families_of("openai-chat", "moonshot"),
)
