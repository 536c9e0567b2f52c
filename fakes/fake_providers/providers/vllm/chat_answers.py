"""The responses of a vLLM server: no key unless it was started with one, many null members, ids of its own."""

from collections.abc import Iterator
from typing import Any

from fake_providers.http import Request
from fake_providers.ids import HEXADECIMAL, Ids
from fake_providers.models import families_of
from fake_providers.providers.vllm.chat_rules import BOOK, error_body
from fake_providers.wire import ReplyContext
from fake_providers.wires.openai_chat.provider import Answers, Provider
from fake_providers.wires.openai_chat.rendered_reply import CREATED, RenderedReply
from fake_providers.wires.openai_chat.rules.samples import cite
from fake_providers.wires.openai_shared.events import Chunk
from fake_providers.wires.openai_shared.provider_errors import Errors, bodiless_rule
from fake_providers.wires.openai_shared.request_body import body_of, model_of

CONTEXT_LENGTH = bodiless_rule(
    "vllm/context-length",
    status=400,
    why="The conversation is longer than the context window that the server was started with.",
    confidence="verbatim",
    evidence=cite("public code that quotes it", "However, your request has 40000 input tokens."),
)


def _failure(status: int, context: ReplyContext, retry_after: float | None) -> Any:
    if status == 401:
        return {"error": "Unauthorized"}
    if status == 404:
        message = f"The model `{model_of(body_of(context.request))}` does not exist."
        return error_body(message, 404, "NotFoundError")
    if status >= 500:
        return error_body(
            "EngineCore encountered an issue. See stack trace (above) for the root cause.",
            status,
            "InternalServerError",
        )
    return error_body("The request could not be processed.", status)


def _too_long(request: Request, tokens: int, window: int) -> tuple[str, Any]:
    message = (
        f"This model's maximum context length is {window} tokens. However, your request has {tokens} input tokens. "
        "Please reduce the length of the input messages."
    )
    return message, error_body(message)


def _usage(rendered: RenderedReply) -> dict[str, Any]:
    counts = rendered.tokens.counts
    order = {name: counts[name] for name in ("prompt_tokens", "total_tokens", "completion_tokens")}
    cached = rendered.tokens.cached
    return {**order, "prompt_tokens_details": {"cached_tokens": cached} if cached else None}


def _completion(rendered: RenderedReply) -> dict[str, Any]:
    message = {
        "role": "assistant",
        "content": rendered.content,
        "refusal": None,
        "annotations": None,
        "audio": None,
        "function_call": None,
        "tool_calls": [{**call.with_id, "type": "function", "function": call.function} for call in rendered.calls],
        "reasoning": rendered.thinking,
    }
    choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": rendered.finish}
    return {
        "id": rendered.id,
        "object": "chat.completion",
        "created": CREATED,
        "model": rendered.model,
        "choices": [{**choice, "stop_reason": None, "token_ids": None}],
        "service_tier": None,
        "system_fingerprint": None,
        "usage": _usage(rendered),
        "prompt_logprobs": None,
        "prompt_token_ids": None,
        "kv_transfer_params": None,
    }


def _chunk(rendered: RenderedReply, choices: list[dict[str, Any]]) -> dict[str, Any]:
    head = {"id": rendered.id, "object": "chat.completion.chunk", "created": CREATED, "model": rendered.model}
    return {**head, "choices": choices}


def _step(rendered: RenderedReply, delta: dict[str, Any]) -> dict[str, Any]:
    choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": None, "token_ids": None}
    return _chunk(rendered, [choice])


def _deltas(rendered: RenderedReply) -> Iterator[Chunk]:
    first = _chunk(
        rendered, [{"index": 0, "delta": {"role": "assistant", "content": ""}, "logprobs": None, "finish_reason": None}]
    )
    yield {**first, "prompt_token_ids": None}
    for piece in rendered.thoughts():
        yield _step(rendered, {"reasoning": piece})
    for piece in rendered.texts():
        yield _step(rendered, {"content": piece})
    for index, call, arguments in rendered.calls_in_pieces():
        function = {"name": call.name, "arguments": ""}
        yield _step(
            rendered, {"tool_calls": [{**call.with_id, "type": "function", "index": index, "function": function}]}
        )
        for piece in arguments:
            yield _step(rendered, {"tool_calls": [{"index": index, "function": {"arguments": piece}}]})


def _ending(rendered: RenderedReply) -> Iterator[Chunk]:
    choice = {"index": 0, "delta": {"content": ""}, "logprobs": None, "finish_reason": rendered.finish}
    yield _chunk(rendered, [{**choice, "stop_reason": None, "token_ids": None}])
    if rendered.is_counted:
        yield {**_chunk(rendered, []), "usage": _usage(rendered)}


def _id(ids: Ids) -> str:
    return ids.make("chatcmpl-", 32, HEXADECIMAL)


def _call_id(ids: Ids) -> str:
    return ids.make("chatcmpl-tool-", 32, HEXADECIMAL)


PROVIDER = Provider(
    name="vllm",
    base_path="/v1",
    errors=Errors(failure=_failure, envelope_of=error_body, window=CONTEXT_LENGTH, too_long=_too_long),
    answers=Answers(
        id=_id,
        call_id=_call_id,
        completion=_completion,
        deltas=_deltas,
        final_chunks=_ending,
    ),
    books=(BOOK,),
    traits=families_of("openai-chat", "vllm"),
)
