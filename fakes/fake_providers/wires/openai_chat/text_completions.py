"""Completions without chat: `POST .../completions`, played as a chat with one message of the user.

A request becomes one of chat completions, and its answer comes back as text. Shapes: `Completion` of openai-python.
`echo`, `best_of`, `suffix` and `logprobs` are accepted and not obeyed.
"""

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from fake_providers.http import AS_ESCAPE, Request, Response, compact
from fake_providers.rulebook import Breach, RequestContext, Rulebook
from fake_providers.wires.openai_chat.rules.samples import cite
from fake_providers.wires.openai_shared.errors import envelope
from fake_providers.wires.openai_shared.request_body import body_of, model_of
from fake_providers.wires.openai_shared.wording import breach

CHAT: Final = "/chat/completions"
ENDING: Final = "/completions"
ENDPOINT: Final = "POST /v1/completions"
SHARED: Final = (
    "model",
    "n",
    "max_tokens",
    "temperature",
    "top_p",
    "stop",
    "stream",
    "stream_options",
    "seed",
    "user",
    "presence_penalty",
    "frequency_penalty",
)
"""The members that both endpoints have, with the same meaning."""
START: Final = "<|endoftext|>"
"""What a request without a prompt continues: OpenAI's reference."""
CHAT_MODELS: Final = ("gpt-3.5", "gpt-4", "gpt-5", "gpt-6", "chatgpt-", "o1", "o3", "o4")

BOOK = Rulebook(envelope)


@BOOK.rule(
    "openai/completions-of-a-chat-model",
    status=404,
    why="A completion without chat is asked of a chat model.",
    confidence="verbatim",
    evidence=cite("ten public threads", "This is a chat model and not supported in the v1/completions endpoint."),
    breaking={"model": "gpt-4.1", "prompt": "Hi."},
    accepted={"model": "gpt-3.5-turbo-instruct", "prompt": "Hi."},
    path="/v1/completions",
    checked="2026-11-27",
)
def _chat_model(context: RequestContext) -> Breach | None:
    if "instruct" in context.model or not context.model.startswith(CHAT_MODELS):
        return None
    message = "This is a chat model and not supported in the v1/completions endpoint. "
    return breach("model", f"{message}Did you mean to use v1/chat/completions?", None)


def is_text_completion(request: Request) -> bool:
    path = request.path.partition("?")[0].rstrip("/")
    return request.method.upper() == "POST" and path.endswith(ENDING) and not path.endswith(CHAT)


def as_chat(request: Request) -> Request:
    """The same request of chat completions; any other as it is."""
    if not is_text_completion(request):
        return request
    body = body_of(request)
    path = request.path.partition("?")[0].rstrip("/").removesuffix(ENDING) + CHAT
    if not isinstance(body, dict):
        return replace(request, path=path)
    messages = [{"role": "user", "content": _prompt(body)}]
    chat = {name: body[name] for name in SHARED if name in body} | {"messages": messages}
    return replace(request, path=path, body=compact(chat).encode(errors=AS_ESCAPE))


def _prompt(body: Mapping[str, Any]) -> str:
    """The text, or the first of several; tokens are not read."""
    prompt = body.get("prompt")
    first = prompt[0] if isinstance(prompt, list) and prompt else prompt
    return first if isinstance(first, str) and first else START


def judged(request: Request, provider: str) -> Any:
    """The refusal of OpenAI itself of a model that only chats."""
    body = body_of(request)
    context = RequestContext(body, request.headers, model_of(body), frozenset(), False, provider)
    return BOOK.judge(context)


def as_text(response: Response, *, streamed: bool) -> Response:
    """The answer to a chat as one of completions; a refusal as it is."""
    if response.status != 200:
        return response
    if not streamed:
        return replace(response, chunks=tuple(_body(chunk) for chunk in response.chunks))
    return replace(response, chunks=tuple(found for chunk in response.chunks if (found := _event(chunk)) is not None))


def _body(chunk: bytes) -> bytes:
    try:
        return compact(_renamed(json.loads(chunk), "message")).encode(errors=AS_ESCAPE)
    except ValueError:  # it was cut
        return chunk


def _event(chunk: bytes) -> bytes | None:
    """None for the event that only names a role."""
    try:
        body = json.loads(chunk.removeprefix(b"data:"))
    except ValueError:  # a comment, or the end of the stream
        return chunk
    if not isinstance(body, dict) or "choices" not in body:
        return chunk
    if any("role" in choice["delta"] and not choice["delta"].get("content") for choice in body["choices"]):
        return None
    return f"data: {compact(_renamed(body, 'delta'))}\n\n".encode(errors=AS_ESCAPE)


def _renamed(body: dict[str, Any], member: str) -> dict[str, Any]:
    choices = [
        {
            "text": choice[member].get("content") or "",
            "index": choice["index"],
            "logprobs": None,
            "finish_reason": choice.get("finish_reason"),
        }
        for choice in body["choices"]
    ]
    id = str(body.get("id")).replace("chatcmpl-", "cmpl-", 1)
    members = {name: value for name, value in body.items() if name not in ("service_tier", "obfuscation")}
    return {**members, "id": id, "object": "text_completion", "choices": choices}
