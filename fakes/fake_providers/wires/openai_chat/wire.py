"""The strict fake of OpenAI's Chat Completions, of the other providers with this wire, and of completions without chat.

The other providers are one class, and a `Provider` with what differs. `POST .../completions` is played as a chat with
one message of the user, and its answer comes back as text, in the shapes of openai-python's `Completion`; `echo`,
`best_of`, `suffix` and `logprobs` are accepted and not obeyed.
"""

import json
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any, Final

from msgspec import structs

from fake_providers import remedies
from fake_providers.http import AS_ESCAPE, Request, Response, compact
from fake_providers.ids import Ids
from fake_providers.reply import NO_FAULT, CannotExpress, Fault, Reply, inside_characters
from fake_providers.rule import Violation
from fake_providers.rulebook import ANY_PART, RequestContext, Rulebook, RuleFilter, first_violation
from fake_providers.stored_batches import BatchSetting, StoredBatches
from fake_providers.stored_files import ENDPOINTS as FILES
from fake_providers.stored_files import StoredFiles
from fake_providers.verdict_cache import VerdictCache
from fake_providers.view import View
from fake_providers.wire import Alike, ReplyContext, Route, ServedModels, Wire
from fake_providers.wire_facts import refuse_inexpressible
from fake_providers.wires.openai_chat import errors, rules
from fake_providers.wires.openai_chat.choices import choices_asked, joined
from fake_providers.wires.openai_chat.provider import Provider
from fake_providers.wires.openai_chat.quirks import plain_with_quirks, stream_with_quirks
from fake_providers.wires.openai_chat.rendered_reply import RenderedReply, render
from fake_providers.wires.openai_chat.request import route_of, view_of
from fake_providers.wires.openai_chat.response import call_id, encode
from fake_providers.wires.openai_shared import other_endpoints
from fake_providers.wires.openai_shared.batches import ENDPOINTS as BATCHES
from fake_providers.wires.openai_shared.batches import OpenAIBatches
from fake_providers.wires.openai_shared.errors import envelope, error_body, stopped, with_fault
from fake_providers.wires.openai_shared.files import OpenAIFiles
from fake_providers.wires.openai_shared.other_endpoints import models_response
from fake_providers.wires.openai_shared.provider_errors import ErrorResponses
from fake_providers.wires.openai_shared.request_body import (
    DONE,
    LONGEST_TARGET,
    PARTS,
    body_of,
    event,
    judge_body,
    model_of,
    wants_stream,
)
from fake_providers.wires.openai_shared.wording import breach

CHAT: Final = "/chat/completions"
ENDING: Final = "/completions"
COMPLETIONS: Final = "POST /v1/completions"
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

COMPLETIONS_BOOK = Rulebook(envelope)


def is_text_completion(request: Request) -> bool:
    is_kept = len(request.path) <= LONGEST_TARGET
    return (_kept_is_of_text if is_kept else _is_of_text)(request.method, request.path)


def _is_of_text(method: str, target: str) -> bool:
    path = target.partition("?")[0].rstrip("/")
    return method.upper() == "POST" and path.endswith(ENDING) and not path.endswith(CHAT)


_kept_is_of_text = lru_cache(maxsize=64)(_is_of_text)


def as_chat(request: Request) -> Request:
    """The same request of chat completions; any other as it is."""
    if not is_text_completion(request):
        return request
    body = body_of(request)
    path = request.path.partition("?")[0].rstrip("/").removesuffix(ENDING) + CHAT
    if not isinstance(body, dict):
        return structs.replace(request, path=path)
    messages = [{"role": "user", "content": _prompt(body)}]
    chat = {name: body[name] for name in SHARED if name in body} | {"messages": messages}
    return structs.replace(request, path=path, body=compact(chat).encode(errors=AS_ESCAPE))


def _prompt(body: Mapping[str, Any]) -> str:
    """The text, or the first of several; tokens are not read."""
    prompt = body.get("prompt")
    first = prompt[0] if isinstance(prompt, list) and prompt else prompt
    return first if isinstance(first, str) and first else START


def refused_completion(request: Request, provider: str) -> Any:
    """The refusal of OpenAI itself of a model that only chats."""
    body = body_of(request)
    context = RequestContext(body, request.headers, model_of(body), frozenset(), False, provider)
    return COMPLETIONS_BOOK.judge(context)


def as_text(response: Response, *, streamed: bool) -> Response:
    """The answer to a chat as one of completions; a refusal as it is."""
    if response.status != 200:
        return response
    if not streamed:
        return structs.replace(response, chunks=tuple(_body(chunk) for chunk in response.chunks))
    return structs.replace(
        response, chunks=tuple(found for chunk in response.chunks if (found := _event(chunk)) is not None)
    )


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


# A table: two rows are to be compared.
# fmt: off
COMPLETIONS_BOOK.row("openai/completions-of-a-chat-model", "A completion without chat is asked of a chat model.",
    ANY_PART, lambda body, context: "instruct" not in context.model and context.model.startswith(CHAT_MODELS)
        and breach("model",
        "This is a chat model and not supported in the v1/completions endpoint. Did you mean to use "
        "v1/chat/completions?"), even_usual=True, status=404, checked="2026-11-27", path="/v1/completions",
    remedy=remedies.OTHER_MODEL,
    wrong={"model": "gpt-4.1", "prompt": "Hi."}, right={"model": "gpt-3.5-turbo-instruct", "prompt": "Hi."},
    verbatim={"ten public threads": "This is a chat model and not supported in the v1/completions endpoint."})
# fmt: on


class OpenAIChat:
    """`POST .../chat/completions`."""

    name = "openai-chat"
    providers: tuple[str, ...] = ("openai",)
    rules = (*rules.RULES, *COMPLETIONS_BOOK.rules, errors.MISSING_KEY, errors.CONTEXT_LENGTH)
    base_path = "/v1"
    endpoints = (COMPLETIONS, other_endpoints.EMBEDDINGS, other_endpoints.MODERATIONS, *FILES, *BATCHES)

    def new_files(self) -> StoredFiles:
        return StoredFiles(OpenAIFiles())

    def new_batches(self, setting: BatchSetting) -> StoredBatches:
        return OpenAIBatches(setting)

    def route(self, request: Request) -> Route | None:
        return route_of(as_chat(request))

    def models(self, request: Request, served: ServedModels) -> Response | None:
        return models_response(request, served)

    def endpoint(self, request: Request, served: ServedModels) -> Response | None:
        embeddings = other_endpoints.embeddings_response(request, served.provider, error_body)
        return embeddings or other_endpoints.moderations_response(request, error_body)

    def missing_key(self, request: Request) -> Violation | None:
        return errors.missing_key(request)

    def judge(self, request: Request, *, provider: str) -> Violation | None:
        if not is_text_completion(request):
            return rules.judge(request, provider=provider)
        return refused_completion(request, provider) or rules.judge(as_chat(request), provider=provider)

    def view(self, request: Request) -> View:
        return view_of(as_chat(request))

    def call_id(self, ids: Ids) -> str:
        return call_id(ids)

    def alike(self, request: Request) -> Alike | None:
        parts = PARTS.read(request.body)
        return None if parts is None else Alike(parts.parameters)

    def encode(self, reply: Reply, context: ReplyContext) -> Response:
        if not is_text_completion(context.request):
            return encode(reply, context)
        chat = as_chat(context.request)
        answer = encode(replace(reply, calls=()), structs.replace(context, request=chat))
        return as_text(answer, streamed=wants_stream(body_of(chat)))

    def fail(self, fault: Fault, context: ReplyContext) -> Response:
        return errors.fail(fault, context)

    def refuse(self, violation: Violation, context: ReplyContext) -> Response:
        return errors.refuse(violation, context)

    def too_long(self, request: Request, *, provider: str, tokens: int, window: int) -> Violation:
        return errors.too_long(tokens=tokens, window=window)

    def stopped(self, message: str, context: ReplyContext) -> Response:
        return stopped(message, context)


WIRE: Wire = OpenAIChat()


class ProviderChat(ErrorResponses):
    """`POST .../chat/completions` of one provider."""

    name = "openai-chat"

    def __init__(self, provider: Provider) -> None:
        super().__init__(provider)
        self._provider = provider
        self._accepted = VerdictCache(*provider.books, messages=rules.MESSAGES, tools=rules.TOOLS)

    def models(self, request: Request, served: ServedModels) -> Response | None:
        return self._provider.models(request, served)

    def route(self, request: Request) -> Route | None:
        found = route_of(self._as_chat(request))
        return None if found is None else Route(self._provider.model(request), found.stream)

    def _as_chat(self, request: Request) -> Request:
        return as_chat(request) if self._provider.completes_texts else request

    def judge(self, request: Request, *, provider: str) -> Violation | None:
        request = self._as_chat(request)
        model = self._provider.model(request)
        known = self._provider.traits(model)

        def found_in(value: Any, reads: RuleFilter | None) -> Violation | None:
            context = RequestContext(value, request.headers, model, known, wants_stream(value), provider)
            return first_violation(self._provider.books, context, reads)

        return judge_body(
            request,
            found_in,
            provider=provider,
            traits=lambda _: known,
            accepted=self._accepted,
            read=self._provider.body_of,
        )

    def view(self, request: Request) -> View:
        return view_of(self._as_chat(request))

    def call_id(self, ids: Ids) -> str:
        return self._provider.answers.call_id(ids)

    def encode(self, reply: Reply, context: ReplyContext) -> Response:
        """If the provider refuses its own model's output, the response is that refusal, with status 400 or 200."""
        if self._provider.completes_texts and is_text_completion(context.request):
            chat = as_chat(context.request)
            answer = self.encode(replace(reply, calls=()), structs.replace(context, request=chat))
            return as_text(answer, streamed=wants_stream(body_of(chat)))
        fault = reply.fault or NO_FAULT
        if fault.status is not None or fault.body is not None:
            return self.fail(fault, context)
        refuse_inexpressible(reply, "openai-chat")
        if reply.sources:
            raise CannotExpress("sources")
        refusal = self._provider.answers.refusal_of(reply, context)
        streamed = wants_stream(body_of(context.request))
        count = choices_asked(body_of(context.request))
        if count > 1 and reply.fault is None and refusal is None:
            make = self._streamed if streamed else self._plain
            return joined([make(each, context, None) for each in reply.choices(count)], streamed=streamed)
        if streamed:
            return with_fault(self._streamed(reply, context, refusal), fault)
        if fault.error_event is not None:
            raise CannotExpress("error-event")
        return with_fault(self._plain(reply, context, refusal), fault)

    def _plain(self, reply: Reply, context: ReplyContext, refusal: Any) -> Response:
        if refusal is not None:
            return self._error(400, refusal, context)
        rendered = self._rendered(reply, context)
        answer = plain_with_quirks(self._provider.answers.whole(rendered), reply.quirks)
        kind = self._provider.answers.content_type
        return Response(200, self._headers(kind, rendered), (compact(answer).encode(errors=AS_ESCAPE),))

    def _headers(self, kind: str, rendered: RenderedReply) -> tuple[tuple[str, str], ...]:
        return (("content-type", kind), *self._provider.headers.fill(rendered).items())

    def _rendered(self, reply: Reply, context: ReplyContext) -> RenderedReply:
        answers = self._provider.answers
        return render(
            answers.complete_reply(reply, context),
            context,
            id=reply.id or answers.id(context.ids),
            model=self._provider.model(context.request),
            call_id=answers.call_id,
            size=answers.delta_size,
            interrupted=reply.fault is not None and reply.fault.error_event is not None,
        )

    def _streamed(self, reply: Reply, context: ReplyContext, refusal: Any) -> Response:
        errors, answers = self._provider.errors, self._provider.answers
        failed = None if refusal is None else errors.stream_error(refusal, context)
        whole = self._rendered(reply, context)
        if failed is not None:
            return Response(200, self._headers(answers.stream_content_type, whole), (failed,))
        wrong = reply.fault.error_event if reply.fault else None
        chunks = list(answers.first_chunks)
        if wrong is None or reply.text or reply.thinking or reply.calls:
            chunks += [event(chunk) for chunk in answers.streamed(whole)]
        if wrong is None:
            chunks.append(DONE)
        else:
            body = errors.failure(int(wrong), context, None) if wrong.isdecimal() else errors.envelope(wrong)
            chunks.append(errors.stream_error(body, context))
        chunks = [*stream_with_quirks(chunks, reply.quirks, usage=whole.tokens.counts)]
        sent = inside_characters(chunks) if context.split == "bytes" else tuple(chunks)
        return Response(200, self._headers(answers.stream_content_type, whole), sent)


def wire_of(provider: Provider) -> Wire:
    return ProviderChat(provider)
