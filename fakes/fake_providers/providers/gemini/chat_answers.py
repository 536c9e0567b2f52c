"""Gemini's OpenAI-compatible endpoint: calls have Google's signatures in `extra_content`, errors come in an array."""

from collections.abc import Iterator
from typing import Any

from fake_providers.http import Request
from fake_providers.ids import DIGITS, Ids
from fake_providers.models import families_of
from fake_providers.providers.gemini.chat_rules import BOOK, error_body
from fake_providers.wire import ReplyContext
from fake_providers.wires.openai_chat.provider import Answers, Provider
from fake_providers.wires.openai_chat.rendered_reply import CREATED, RenderedReply
from fake_providers.wires.openai_chat.rules.samples import cite
from fake_providers.wires.openai_shared.events import Chunk, event
from fake_providers.wires.openai_shared.provider_errors import Errors, context_length_rule, missing_key_rule

NO_KEY = "Missing or invalid Authorization header."
MISSING_KEY = missing_key_rule(
    "gemini/missing-bearer",
    status=400,
    confidence="reported",
    evidence=cite("ychoi-kr/llm-api-prog#1", "Invalid Authorization header."),
)
WINDOW = context_length_rule(
    "gemini/prompt-too-long",
    confidence="reported",
    evidence=cite("the native endpoint's message", "exceeds the maximum number of tokens allowed"),
)
FAMILIES = families_of("openai-chat", "gemini")
SENTENCES = {
    401: "Request had invalid authentication credentials.",
    403: "Permission denied.",
    404: "Requested entity was not found.",
    429: "You exceeded your current quota, please check your plan and billing details.",
    500: "An internal error has occurred.",
    503: "This model is currently experiencing high demand. Please try again later.",
    504: "Deadline expired before operation could complete.",
}


def _failure(status: int, context: ReplyContext, retry_after: float | None) -> Any:
    return error_body(SENTENCES.get(status, "Request contains an invalid argument."), status)


def _too_long(request: Request, tokens: int, window: int) -> tuple[str, Any]:
    message = f"The input token count ({tokens}) exceeds the maximum number of tokens allowed ({window})."
    return message, error_body(message)


def _calls(rendered: RenderedReply) -> list[dict[str, Any]]:
    """The first call of an answer is signed if the model requires signatures."""
    signs = "thought-signatures" in FAMILIES(rendered.model)
    made: list[dict[str, Any]] = []
    for call in rendered.calls:
        signature = (
            {"extra_content": {"google": {"thought_signature": rendered.ids.make("", 64)}}}
            if signs and not made
            else {}
        )
        function = {"arguments": call.arguments, "name": call.name}
        made.append({**signature, "function": function, **call.with_id, "type": "function"})
    return made


def _usage(rendered: RenderedReply) -> dict[str, Any]:
    tokens = rendered.tokens
    counts = {"completion_tokens": tokens.completion - tokens.thinking, "prompt_tokens": tokens.prompt}
    return {**counts, "total_tokens": tokens.total}


def _completion(rendered: RenderedReply) -> dict[str, Any]:
    """Thoughts are not sent, and missing content is left out."""
    message: dict[str, Any] = {} if rendered.content is None else {"content": rendered.content}
    message["role"] = "assistant"
    if rendered.calls:
        message["tool_calls"] = _calls(rendered)
    return {
        "choices": [{"finish_reason": rendered.finish, "index": 0, "message": message}],
        "created": CREATED,
        "id": rendered.id,
        "model": rendered.model,
        "object": "chat.completion",
        "usage": _usage(rendered),
    }


def _chunk(rendered: RenderedReply, delta: dict[str, Any], **finish: str | None) -> dict[str, Any]:
    head = {"created": CREATED, "id": rendered.id, "model": rendered.model, "object": "chat.completion.chunk"}
    return {"choices": [{"delta": {**delta, "role": "assistant"}, **finish, "index": 0}], **head}


def _deltas(rendered: RenderedReply) -> Iterator[Chunk]:
    """Each call comes in one chunk."""
    for piece in rendered.texts():
        yield _chunk(rendered, {"content": piece})
    for index, call in enumerate(_calls(rendered)):
        yield _chunk(rendered, {"tool_calls": [{**call, "index": index}]})


def _ending(rendered: RenderedReply) -> Iterator[Chunk]:
    last = _chunk(rendered, {"content": ""}, finish_reason=rendered.finish)
    yield {**last, "usage": _usage(rendered)} if rendered.is_counted else last


def _call_id(ids: Ids) -> str:
    return ids.make("function-call-", 19, DIGITS)


PROVIDER = Provider(
    name="gemini",
    base_path="/v1beta/openai",
    errors=Errors(
        failure=_failure,
        envelope_of=error_body,
        window=WINDOW,
        too_long=_too_long,
        missing_key=MISSING_KEY,
        no_key=(NO_KEY, error_body(NO_KEY)),
        stream_error=lambda body, context: event(body[0] if isinstance(body, list) else body),
    ),
    answers=Answers(
        id=lambda ids: ids.make("", 23),
        call_id=_call_id,
        completion=_completion,
        deltas=_deltas,
        final_chunks=_ending,
        delta_size=40,
        stream_content_type="text/event-stream",
    ),
    books=(BOOK,),
    traits=FAMILIES,
)
