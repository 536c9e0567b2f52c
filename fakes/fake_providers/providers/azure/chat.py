"""Azure's chat completions: OpenAI's own checks, with the same messages, under Azure's name.

A deployment in the path names the model, the key is in `api-key`, and content filters report on every text.
"""

from collections.abc import Iterator
from typing import Any
from urllib.parse import unquote, urlsplit

from fake_providers.http import Request
from fake_providers.models import traits
from fake_providers.rule import Citation
from fake_providers.rulebook import RenamedBook, Rulebook
from fake_providers.wire import ReplyContext
from fake_providers.wires.openai_chat.provider import Answers, Provider
from fake_providers.wires.openai_chat.rendered_reply import CREATED, RenderedReply
from fake_providers.wires.openai_chat.response import call_id
from fake_providers.wires.openai_chat.rules import BOOKS
from fake_providers.wires.openai_chat.rules.samples import cite
from fake_providers.wires.openai_shared.errors import error_body
from fake_providers.wires.openai_shared.provider_errors import (
    Errors,
    bearer,
    bodiless_rule,
    context_length_rule,
    window_sentence,
)
from fake_providers.wires.openai_shared.request_body import Chunk, body_of, model_of

SAME: tuple[Citation, ...] = (
    *cite("recording, gpt-5-mini on openai.azure.com", "Unsupported parameter: 'max_tokens' is not supported"),
    *cite("recording, gpt-4o through OpenRouter", "Missing required parameter: 'messages[1].content[1]"),
)


OPENAI_BOOKS: tuple[Rulebook, ...] = tuple(RenamedBook(book, "azure", SAME) for book in BOOKS)


DEPLOYMENTS = "/openai/deployments/"
OPENAI_NAMES = ("gpt-3", "gpt-4", "gpt-5", "gpt-6", "gpt-audio", "chatgpt-", "o1", "o3", "o4")
FINGERPRINT = "fp_4a331a0222"
DENIED = (
    "Access denied due to invalid subscription key or wrong API endpoint. Make sure to provide a valid key for an "
    "active subscription and use a correct regional API endpoint for your resource."
)
SAFE = {name: {"filtered": False, "severity": "safe"} for name in ("hate", "self_harm", "sexual", "violence")}

MISSING_KEY = bodiless_rule(
    "azure/missing-key",
    status=401,
    why="The request has no key, neither in `api-key` nor in its Authorization header.",
    confidence="recorded",
    evidence=cite("recording, gpt-4o", "Access denied due to invalid subscription key or wrong API endpoint."),
)
CONTEXT_LENGTH = context_length_rule(
    "azure/context-length",
    confidence="reported",
    evidence=cite("OpenAI's own message", "maximum context length is 128000 tokens"),
)


def _denied(message: str, code: str) -> dict[str, Any]:
    return {"error": {"code": code, "message": message}}


def _deployment(request: Request) -> str:
    path = urlsplit(request.path).path
    return unquote(path.partition(DEPLOYMENTS)[2].partition("/")[0])


def _model(request: Request) -> str:
    return _deployment(request) or model_of(body_of(request))


def _seen(request: Request) -> Any:
    """The body with the deployment as its model; a search of one's own data is no parameter of OpenAI's."""
    body = body_of(request)
    deployment = _deployment(request)
    if not isinstance(body, dict):
        return body
    known = {key: value for key, value in body.items() if key != "data_sources"}
    return {**known, "model": deployment} if deployment else known


def _failure(status: int, context: ReplyContext, retry_after: float | None) -> Any:
    if status == 401:
        return _denied(DENIED, "401")
    if status == 404:
        missing = "The API deployment for this resource does not exist. If you created the deployment within the last"
        return _denied(f"{missing} 5 minutes, please wait a moment and try again.", "DeploymentNotFound")
    if status == 429:
        wait = f"Please retry after {max(1, round(retry_after or 1))} seconds."
        message = f"Your requests to {_model(context.request)} have exceeded the token rate limit of your tier. {wait}"
        return _denied(message, "429")
    if status >= 500:
        return error_body(
            "The server had an error while processing your request. Sorry about that!", kind="server_error"
        )
    return error_body("The request could not be processed.")


def _usage(rendered: RenderedReply) -> dict[str, Any]:
    tokens = rendered.tokens
    return {
        "completion_tokens": tokens.completion,
        "completion_tokens_details": {
            "accepted_prediction_tokens": 0,
            "audio_tokens": 0,
            "reasoning_tokens": tokens.thinking,
            "rejected_prediction_tokens": 0,
        },
        "prompt_tokens": tokens.prompt,
        "prompt_tokens_details": {"audio_tokens": 0, "cached_tokens": tokens.cached},
        "total_tokens": tokens.total,
    }


def _filtered() -> list[dict[str, Any]]:
    return [{"prompt_index": 0, "content_filter_results": SAFE}]


def _completion(rendered: RenderedReply) -> dict[str, Any]:
    message: dict[str, Any] = {"annotations": [], "content": rendered.content}
    if rendered.thinking is not None:
        message["reasoning_content"] = rendered.thinking
    message |= {"refusal": None, "role": "assistant"}
    if rendered.calls:
        message["tool_calls"] = [
            {"function": {"arguments": call.arguments, "name": call.name}, **call.with_id, "type": "function"}
            for call in rendered.calls
        ]
    choice = {"content_filter_results": SAFE if rendered.content else {}, "finish_reason": rendered.finish, "index": 0}
    return {
        "choices": [{**choice, "logprobs": None, "message": message}],
        "created": CREATED,
        "id": rendered.id,
        "model": rendered.model,
        "object": "chat.completion",
        "prompt_filter_results": _filtered(),
        "system_fingerprint": FINGERPRINT,
        "usage": _usage(rendered),
    }


def _chunk(rendered: RenderedReply, choices: list[dict[str, Any]], usage: Any = None) -> dict[str, Any]:
    return {
        "choices": choices,
        "created": CREATED,
        "id": rendered.id,
        "model": rendered.model,
        "obfuscation": rendered.ids.make("", 7),
        "object": "chat.completion.chunk",
        "system_fingerprint": FINGERPRINT,
        **({"usage": usage} if rendered.is_counted else {}),
    }


def _step(rendered: RenderedReply, delta: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
    results = SAFE if delta.get("content") else {}
    ended = {"finish_reason": finish, "index": 0, "logprobs": None}
    return _chunk(rendered, [{"content_filter_results": results, "delta": delta, **ended}])


def _deltas(rendered: RenderedReply) -> Iterator[Chunk]:
    """The first chunk has only the results of the content filter for the prompt."""
    nameless = {"choices": [], "created": 0, "id": "", "model": "", "object": ""}
    yield {**nameless, "prompt_filter_results": _filtered()}
    empty = None if rendered.calls and not rendered.content else ""
    yield _step(rendered, {"content": empty, "refusal": None, "role": "assistant"})
    for piece in rendered.thoughts():
        yield _step(rendered, {"reasoning_content": piece})
    for piece in rendered.texts():
        yield _step(rendered, {"content": piece})
    for index, call, arguments in rendered.calls_in_pieces():
        function = {"arguments": "", "name": call.name}
        yield _step(
            rendered, {"tool_calls": [{"function": function, **call.with_id, "index": index, "type": "function"}]}
        )
        for piece in arguments:
            yield _step(rendered, {"tool_calls": [{"function": {"arguments": piece}, "index": index}]})


def _ending(rendered: RenderedReply) -> Iterator[Chunk]:
    yield _step(rendered, {}, rendered.finish)
    if rendered.is_counted:
        yield _chunk(rendered, [], _usage(rendered))


PROVIDER = Provider(
    name="azure",
    base_path="/openai/v1",
    errors=Errors(
        failure=_failure,
        envelope_of=error_body,
        window=CONTEXT_LENGTH,
        too_long=window_sentence(
            "This model's maximum context length is {window} tokens. However, your messages resulted in {tokens} "
            "tokens. "
            "Please reduce the length of the messages.",
            lambda message: error_body(message, param="messages", code="context_length_exceeded"),
        ),
        missing_key=MISSING_KEY,
        no_key=(DENIED, _denied(DENIED, "401")),
        key=lambda request: request.headers.get("api-key", "").strip() or bearer(request),
        key_path="headers.api-key",
        limits={"x-ratelimit-remaining-requests": "0", "x-ratelimit-remaining-tokens": "0"},
    ),
    answers=Answers(
        id=lambda ids: ids.make("chatcmpl-", 29),
        call_id=call_id,
        completion=_completion,
        deltas=_deltas,
        final_chunks=_ending,
    ),
    books=OPENAI_BOOKS,
    # The traits of the model; none for a deployment that is not named after a model of OpenAI's.
    traits=lambda model: traits("openai-chat", model) if model.startswith(OPENAI_NAMES) else frozenset(),
    model=_model,
    body_of=_seen,
)
