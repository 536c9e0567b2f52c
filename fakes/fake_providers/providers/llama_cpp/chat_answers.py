"""The responses of llama.cpp's server: no key unless it was started with one, timings at the end of every answer."""

from collections.abc import Iterator
from typing import Any

from fake_providers.http import Request
from fake_providers.ids import Ids
from fake_providers.models import families_of
from fake_providers.providers.llama_cpp.chat_rules import BOOK, TOOLS_NEED_JINJA, error_body
from fake_providers.wire import ReplyContext
from fake_providers.wires.openai_chat.provider import Answers, Provider
from fake_providers.wires.openai_chat.rendered_reply import CREATED, RenderedReply
from fake_providers.wires.openai_chat.rules.samples import cite
from fake_providers.wires.openai_shared.events import Chunk
from fake_providers.wires.openai_shared.provider_errors import Errors, bodiless_rule

JSON = "application/json; charset=utf-8"
FINGERPRINT = "b10452-b94041a98"
CONTEXT_LENGTH = bodiless_rule(
    "llama.cpp/context-length",
    status=400,
    why="The conversation is longer than the context window that the server was started with.",
    confidence="recorded",
    evidence=cite("recording, Qwen3-1.7B", "exceeds the available context size (512 tokens)"),
)
KINDS = {401: "authentication_error", 403: "permission_error", 404: "not_found_error", 501: "not_supported_error"}


def _failure(status: int, context: ReplyContext, retry_after: float | None) -> Any:
    if status == 401:
        return error_body("Invalid API Key", 401, "authentication_error")
    if status == 503:
        return error_body("Loading model", 503, "unavailable_error")
    if status >= 500:
        return error_body("Compute error.", status, KINDS.get(status, "server_error"))
    kind = KINDS.get(status, "invalid_request_error")
    return error_body("The request could not be processed.", status, kind)


def _too_long(request: Request, tokens: int, window: int) -> tuple[str, Any]:
    message = f"request ({tokens} tokens) exceeds the available context size ({window} tokens), try increasing it"
    counts = {"n_prompt_tokens": tokens, "n_ctx": window}
    return message, error_body(message, 400, "exceed_context_size_error", **counts)


def _usage(rendered: RenderedReply) -> dict[str, Any]:
    counts = rendered.tokens.counts
    order = {name: counts[name] for name in ("completion_tokens", "prompt_tokens", "total_tokens")}
    return {**order, "prompt_tokens_details": {"cached_tokens": rendered.tokens.cached}}


def _timings(rendered: RenderedReply) -> dict[str, Any]:
    cached, predicted = rendered.tokens.cached, rendered.tokens.completion
    prompt = rendered.tokens.prompt - cached
    return {
        "cache_n": cached,
        "prompt_n": prompt,
        "prompt_ms": 10.0 * prompt,
        "prompt_per_token_ms": 10.0,
        "prompt_per_second": 100.0,
        "predicted_n": predicted,
        "predicted_ms": 20.0 * predicted,
        "predicted_per_token_ms": 20.0,
        "predicted_per_second": 50.0,
    }


def _completion(rendered: RenderedReply) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": rendered.content or ""}
    if rendered.thinking is not None:
        message["reasoning_content"] = rendered.thinking
    if rendered.calls:
        message["tool_calls"] = [
            {"type": "function", "function": call.function, **call.with_id} for call in rendered.calls
        ]
    return {
        "choices": [{"finish_reason": rendered.finish, "index": 0, "message": message}],
        "created": CREATED,
        "model": rendered.model,
        "system_fingerprint": FINGERPRINT,
        "object": "chat.completion",
        "usage": _usage(rendered),
        "id": rendered.id,
        "timings": _timings(rendered),
    }


def _chunk(rendered: RenderedReply, choices: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "choices": choices,
        "created": CREATED,
        "id": rendered.id,
        "model": rendered.model,
        "system_fingerprint": FINGERPRINT,
        "object": "chat.completion.chunk",
    }


def _step(rendered: RenderedReply, delta: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
    return _chunk(rendered, [{"finish_reason": finish, "index": 0, "delta": delta}])


def _deltas(rendered: RenderedReply) -> Iterator[Chunk]:
    """A call is opened with the first piece of its arguments."""
    yield _step(rendered, {"role": "assistant", "content": None})
    for piece in rendered.thoughts():
        yield _step(rendered, {"reasoning_content": piece})
    for piece in rendered.texts():
        yield _step(rendered, {"content": piece})
    for index, call, arguments in rendered.calls_in_pieces():
        yield _step(rendered, {"tool_calls": [call.delta(index, arguments[0] if arguments else "")]})
        for piece in arguments[1:]:
            yield _step(rendered, {"tool_calls": [{"index": index, "function": {"arguments": piece}}]})


def _ending(rendered: RenderedReply) -> Iterator[Chunk]:
    """The timings are in the last chunk, whichever that is."""
    last = _step(rendered, {}, rendered.finish)
    if not rendered.is_counted:
        yield {**last, "timings": _timings(rendered)}
        return
    yield last
    yield {**_chunk(rendered, []), "usage": _usage(rendered), "timings": _timings(rendered)}


def _id(ids: Ids) -> str:
    return ids.make("chatcmpl-", 32)


def _call_id(ids: Ids) -> str:
    return ids.make("", 32)


PROVIDER = Provider(
    name="llama.cpp",
    base_path="/v1",
    errors=Errors(
        failure=_failure,
        envelope_of=error_body,
        window=CONTEXT_LENGTH,
        too_long=_too_long,
        content_type=lambda status, body: JSON,
    ),
    answers=Answers(
        id=_id,
        call_id=_call_id,
        completion=_completion,
        deltas=_deltas,
        final_chunks=_ending,
        content_type=JSON,
        stream_content_type="text/event-stream",
    ),
    books=(BOOK,),
    traits=families_of("openai-chat", "llama.cpp"),
    bodiless_rules=(TOOLS_NEED_JINJA,),
)
