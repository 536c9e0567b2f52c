"""llama.cpp's server: no key unless it was started with one, and timings at the end of every answer."""

from collections.abc import Iterator
from typing import Any

from fakes.http import Request
from fakes.ids import Ids
from fakes.providers.llama_cpp.chat_rules import BOOK, TOOLS_NEED_JINJA, error_body
from fakes.wire import Telling
from fakes.wires.openai_chat.provider import Answers, Chunk, Errors, Provider, families_of, outside
from fakes.wires.openai_chat.rendered_reply import CREATED, Told, ToldCall
from fakes.wires.openai_chat.rules.samples import seen

JSON = "application/json; charset=utf-8"
FINGERPRINT = "b10452-b94041a98"
CONTEXT_LENGTH = outside(
    "llama.cpp/context-length",
    status=400,
    why="the conversation is longer than the context that the server was started with",
    confidence="recorded",
    evidence=seen("recorded exchange, Qwen3-1.7B", "exceeds the available context size (512 tokens)"),
)
KINDS = {401: "authentication_error", 403: "permission_error", 404: "not_found_error", 501: "not_supported_error"}


def _failure(status: int, telling: Telling, retry_after: float | None) -> Any:
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


def _usage(told: Told) -> dict[str, Any]:
    counts = told.tokens.counts
    order = {name: counts[name] for name in ("completion_tokens", "prompt_tokens", "total_tokens")}
    return {**order, "prompt_tokens_details": {"cached_tokens": 0}}


def _timings(told: Told) -> dict[str, Any]:
    prompt, predicted = told.tokens.prompt, told.tokens.completion
    return {
        "cache_n": 0,
        "prompt_n": prompt,
        "prompt_ms": 10.0 * prompt,
        "prompt_per_token_ms": 10.0,
        "prompt_per_second": 100.0,
        "predicted_n": predicted,
        "predicted_ms": 20.0 * predicted,
        "predicted_per_token_ms": 20.0,
        "predicted_per_second": 50.0,
    }


def _completion(told: Told) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": told.content or ""}
    if told.thinking is not None:
        message["reasoning_content"] = told.thinking
    if told.calls:
        message["tool_calls"] = [{"type": "function", "function": call.function, **call.with_id} for call in told.calls]
    return {
        "choices": [{"finish_reason": told.finish, "index": 0, "message": message}],
        "created": CREATED,
        "model": told.model,
        "system_fingerprint": FINGERPRINT,
        "object": "chat.completion",
        "usage": _usage(told),
        "id": told.id,
        "timings": _timings(told),
    }


def _chunk(told: Told, choices: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "choices": choices,
        "created": CREATED,
        "id": told.id,
        "model": told.model,
        "system_fingerprint": FINGERPRINT,
        "object": "chat.completion.chunk",
    }


def _step(told: Told, delta: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
    return _chunk(told, [{"finish_reason": finish, "index": 0, "delta": delta}])


def _opened(index: int, call: ToldCall, arguments: str) -> dict[str, Any]:
    function = {"name": call.name, "arguments": arguments}
    return {"index": index, **call.with_id, "type": "function", "function": function}


def _deltas(told: Told) -> Iterator[Chunk]:
    """A call is opened with the first piece of its arguments."""
    yield _step(told, {"role": "assistant", "content": None})
    for piece in told.thoughts():
        yield _step(told, {"reasoning_content": piece})
    for piece in told.texts():
        yield _step(told, {"content": piece})
    for index, call, arguments in told.opened():
        yield _step(told, {"tool_calls": [_opened(index, call, arguments[0] if arguments else "")]})
        for piece in arguments[1:]:
            yield _step(told, {"tool_calls": [{"index": index, "function": {"arguments": piece}}]})


def _ending(told: Told) -> Iterator[Chunk]:
    """The timings stand in the last chunk, whichever that is."""
    last = _step(told, {}, told.finish)
    if not told.is_counted:
        yield {**last, "timings": _timings(told)}
        return
    yield last
    yield {**_chunk(told, []), "usage": _usage(told), "timings": _timings(told)}


def _id(ids: Ids) -> str:
    return ids.make("chatcmpl-", 32)


def _call_id(ids: Ids) -> str:
    return ids.make("", 32)


PROVIDER = Provider(
    name="llama.cpp",
    base_path="/v1",
    errors=Errors(
        failure=_failure,
        words=error_body,
        window=CONTEXT_LENGTH,
        too_long=_too_long,
        label=lambda status, body: JSON,
    ),
    answers=Answers(
        id=_id,
        call_id=_call_id,
        completion=_completion,
        deltas=_deltas,
        ending=_ending,
        label=JSON,
        events="text/event-stream",
    ),
    books=(BOOK,),
    traits=families_of("llama.cpp"),
    beside=(TOOLS_NEED_JINJA,),
)
