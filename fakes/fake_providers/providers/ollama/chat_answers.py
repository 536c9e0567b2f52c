"""The responses of Ollama's `/v1/chat/completions`: no key, and reasoning in `reasoning`."""

from collections.abc import Iterator
from typing import Any

from fake_providers.http import Request
from fake_providers.ids import DIGITS, Ids
from fake_providers.models import families_of
from fake_providers.providers.ollama.chat_rules import BOOK, SOURCE, error_body
from fake_providers.wire import ReplyContext
from fake_providers.wires.ollama_chat.errors import SENTENCES, TOO_LONG
from fake_providers.wires.openai_chat.provider import Answers, Provider
from fake_providers.wires.openai_chat.rendered_reply import CREATED, RenderedReply
from fake_providers.wires.openai_chat.rules.samples import cite
from fake_providers.wires.openai_shared.events import Chunk
from fake_providers.wires.openai_shared.provider_errors import Errors, context_length_rule
from fake_providers.wires.openai_shared.request_body import body_of, model_of

LETTERS = "0123456789abcdefghijklmnopqrstuvwxyz"
FINGERPRINT = "fp_ollama"
CONTEXT_LENGTH = context_length_rule("ollama/chat-prompt-too-long", confidence="inferred", evidence=cite(SOURCE))


def _failure(status: int, context: ReplyContext, retry_after: float | None) -> Any:
    if status == 404:
        return error_body(f"model '{model_of(body_of(context.request))}' not found", 404)
    return error_body(SENTENCES.get(status, "the request could not be processed"), status)


def _too_long(request: Request, tokens: int, window: int) -> tuple[str, Any]:
    return TOO_LONG, error_body(TOO_LONG)


def _calls(rendered: RenderedReply) -> list[dict[str, Any]]:
    return [
        {**call.with_id, "index": index, "type": "function", "function": call.function}
        for index, call in enumerate(rendered.calls)
    ]


def _completion(rendered: RenderedReply) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": rendered.content or ""}
    if rendered.thinking is not None:
        message["reasoning"] = rendered.thinking
    if rendered.calls:
        message["tool_calls"] = _calls(rendered)
    return {
        "id": rendered.id,
        "object": "chat.completion",
        "created": CREATED,
        "model": rendered.model,
        "system_fingerprint": FINGERPRINT,
        "choices": [{"index": 0, "message": message, "finish_reason": rendered.finish}],
        "usage": rendered.tokens.counts,
    }


def _chunk(rendered: RenderedReply, choices: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "id": rendered.id,
        "object": "chat.completion.chunk",
        "created": CREATED,
        "model": rendered.model,
        "system_fingerprint": FINGERPRINT,
        "choices": choices,
    }


def _delta(rendered: RenderedReply, finish: str | None = None, **members: Any) -> dict[str, Any]:
    delta = {"role": "assistant", "content": "", **members}
    return _chunk(rendered, [{"index": 0, "delta": delta, "finish_reason": finish}])


def _deltas(rendered: RenderedReply) -> Iterator[Chunk]:
    """Each call comes whole, all of them in one chunk."""
    for piece in rendered.thoughts():
        yield _delta(rendered, reasoning=piece)
    for piece in rendered.texts():
        yield _delta(rendered, content=piece)
    if rendered.calls:
        yield _delta(rendered, tool_calls=_calls(rendered))


def _ending(rendered: RenderedReply) -> Iterator[Chunk]:
    yield _delta(rendered, rendered.finish)
    if rendered.is_counted:
        yield {**_chunk(rendered, []), "usage": rendered.tokens.counts}


def _id(ids: Ids) -> str:
    return ids.make("chatcmpl-", 3, DIGITS)


def _call_id(ids: Ids) -> str:
    return ids.make("call_", 8, LETTERS)


PROVIDER = Provider(
    name="ollama",
    base_path="/v1",
    errors=Errors(
        failure=_failure,
        envelope_of=error_body,
        window=CONTEXT_LENGTH,
        too_long=_too_long,
        content_type=lambda status, body: "application/json; charset=utf-8",
    ),
    answers=Answers(
        id=_id,
        call_id=_call_id,
        completion=_completion,
        deltas=_deltas,
        final_chunks=_ending,
        stream_content_type="text/event-stream",
    ),
    books=(BOOK,),
    traits=families_of("openai-chat", "ollama"),
)
