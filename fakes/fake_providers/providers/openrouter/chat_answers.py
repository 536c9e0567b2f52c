"""OpenRouter's responses: the name of the provider in every chunk, comments while it waits, errors inside a chunk."""

from collections.abc import Iterator
from typing import Any

from fake_providers.http import Request
from fake_providers.ids import Ids
from fake_providers.models import families_of
from fake_providers.providers.openrouter.chat_rules import BOOK, error_body
from fake_providers.wire import ReplyContext
from fake_providers.wires.openai_chat.provider import Answers, Provider
from fake_providers.wires.openai_chat.rendered_reply import CREATED, RenderedReply
from fake_providers.wires.openai_chat.rules.samples import cite
from fake_providers.wires.openai_shared.events import Chunk, event
from fake_providers.wires.openai_shared.provider_errors import Errors, bodiless_rule, missing_key_rule
from fake_providers.wires.openai_shared.request_body import body_of, model_of

WAITING = b": OPENROUTER PROCESSING\n\n"
SERVERS = {"openai": "OpenAI", "anthropic": "Anthropic", "google": "Google", "x-ai": "xAI", "mistralai": "Mistral"}
NO_KEY = "Missing Authentication header"
NATIVE = {"tool_calls": "tool_calls", "length": "max_output_tokens"}

MISSING_KEY = missing_key_rule(
    "openrouter/missing-key",
    confidence="recorded",
    evidence=cite("recording, openai/gpt-4o-mini", NO_KEY),
)
CONTEXT_LENGTH = bodiless_rule(
    "openrouter/context-length",
    status=400,
    why="The conversation is longer than the context window of every endpoint of the model.",
    confidence="recorded",
    evidence=cite("recording, anthropic/claude-haiku-4.5", "This endpoint's maximum context length is 200000"),
)


def _server(model: str) -> str:
    return SERVERS.get(model.partition("/")[0], "DeepInfra")


def _failure(status: int, context: ReplyContext, retry_after: float | None) -> Any:
    model = model_of(body_of(context.request))
    if status == 401:
        return error_body("No auth credentials found", 401, owned=False)
    if status == 402:
        return error_body("Insufficient credits. Add more using https://openrouter.ai/settings/credits", 402)
    if status == 404:
        return error_body(f"No endpoints found for {model}.", 404)
    if status == 429:
        wait = "Please retry shortly, or add your own key to accumulate your rate limits:"
        raw = f"{model} is temporarily rate-limited upstream. {wait} https://openrouter.ai/settings/integrations"
        metadata = {"raw": raw, "provider_name": _server(model)}
        return error_body("Provider returned error", 429, metadata=metadata)
    if status in (500, 520):
        return error_body("Internal Server Error", status, owned=False)
    return error_body("Provider returned error", status, metadata={"provider_name": _server(model)})


def _too_long(request: Request, tokens: int, window: int) -> tuple[str, Any]:
    message = (
        f"This endpoint's maximum context length is {window} tokens. However, you requested about {tokens} tokens "
        f"({tokens} of text input). Please reduce the length of either one, or use the context-compression plugin to "
        "compress your prompt automatically."
    )
    return message, error_body(message, 400, metadata={"provider_name": None})


def _stream_error(body: Any, context: ReplyContext) -> bytes:
    """A chunk without choices that contains the error."""
    model = model_of(body_of(context.request))
    return event({**_head(_id(context.ids), model), "choices": [], "error": body.get("error", body)})


def _head(id: str, model: str) -> dict[str, Any]:
    shared = {"id": id, "object": "chat.completion.chunk", "created": CREATED, "model": model}
    return {**shared, "provider": _server(model)}


def _usage(rendered: RenderedReply) -> dict[str, Any]:
    return {
        **rendered.tokens.counts,
        "cost": 0.0001,
        "is_byok": False,
        "prompt_tokens_details": {
            "cached_tokens": rendered.tokens.cached,
            "cache_write_tokens": 0,
            "audio_tokens": 0,
            "video_tokens": 0,
        },
        "cost_details": {
            "upstream_inference_cost": 0.0001,
            "upstream_inference_prompt_cost": 0.00004,
            "upstream_inference_completions_cost": 0.00006,
        },
        "completion_tokens_details": {
            "reasoning_tokens": rendered.tokens.thinking,
            "image_tokens": 0,
            "audio_tokens": 0,
        },
    }


def _thought(text: str) -> dict[str, Any]:
    return {"type": "reasoning.text", "text": text, "format": "unknown", "index": 0}


def _native(rendered: RenderedReply) -> str:
    return NATIVE.get(rendered.finish or "", "completed")


def _completion(rendered: RenderedReply) -> dict[str, Any]:
    message: dict[str, Any] = {
        "role": "assistant",
        "content": rendered.content,
        "refusal": None,
        "reasoning": rendered.thinking,
    }
    if rendered.calls:
        message["tool_calls"] = [call.delta(index, call.arguments) for index, call in enumerate(rendered.calls)]
    if rendered.thinking is not None:
        message["reasoning_details"] = [_thought(rendered.thinking)]
    finish = {"logprobs": None, "finish_reason": rendered.finish, "native_finish_reason": _native(rendered)}
    return {
        **_head(rendered.id, rendered.model),
        "object": "chat.completion",
        "system_fingerprint": None,
        "service_tier": None,
        "choices": [{"index": 0, **finish, "message": message}],
        "usage": _usage(rendered),
    }


def _chunk(rendered: RenderedReply, delta: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
    ended = {"finish_reason": finish, "native_finish_reason": _native(rendered) if finish else None}
    choice = {"index": 0, "delta": {"role": "assistant", **delta}, **ended}
    return {**_head(rendered.id, rendered.model), "choices": [choice]}


def _deltas(rendered: RenderedReply) -> Iterator[Chunk]:
    """Every delta has the role; calls are opened and then continued."""
    for piece in rendered.thoughts():
        yield _chunk(rendered, {"content": "", "reasoning": piece, "reasoning_details": [_thought(piece)]})
    for piece in rendered.texts():
        yield _chunk(rendered, {"content": piece})
    for index, call, arguments in rendered.calls_in_pieces():
        yield _chunk(rendered, {"content": None, "tool_calls": [call.delta(index, "")]})
        for piece in arguments:
            more = {"index": index, "function": {"arguments": piece}}
            yield _chunk(rendered, {"content": None, "tool_calls": [more]})


def _ending(rendered: RenderedReply) -> Iterator[Chunk]:
    """The usage is always sent, in a chunk like the last one."""
    yield _chunk(rendered, {"content": ""}, rendered.finish)
    last = _chunk(rendered, {"content": ""}, rendered.finish)
    choices = last.pop("choices")
    yield {**last, "service_tier": None, "choices": choices, "usage": _usage(rendered)}


def _id(ids: Ids) -> str:
    return ids.make(f"gen-{CREATED}-", 20)


def _call_id(ids: Ids) -> str:
    return ids.make("call_", 24)


PROVIDER = Provider(
    name="openrouter",
    base_path="/api/v1",
    errors=Errors(
        failure=_failure,
        envelope_of=lambda message: error_body(message, 400),
        window=CONTEXT_LENGTH,
        too_long=_too_long,
        missing_key=MISSING_KEY,
        no_key=(NO_KEY, error_body(NO_KEY, 401, owned=False)),
        stream_error=_stream_error,
        limits={"x-ratelimit-limit": "20", "x-ratelimit-remaining": "0", "x-ratelimit-reset": "1763596860000"},
    ),
    answers=Answers(
        id=_id,
        call_id=_call_id,
        completion=_completion,
        deltas=_deltas,
        final_chunks=_ending,
        stream_content_type="text/event-stream",
        first_chunks=(WAITING,),
    ),
    books=(BOOK,),
    traits=families_of("openai-chat", "openrouter"),
)
