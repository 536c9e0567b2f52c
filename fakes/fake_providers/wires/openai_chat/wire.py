"""The strict fake of OpenAI's Chat Completions, and of the other providers with this wire.

The others are one class, and a `Provider` with what differs.
"""

from dataclasses import replace
from typing import Any

from fake_providers.http import AS_ESCAPE, Request, Response, compact
from fake_providers.ids import Ids
from fake_providers.replies.wire_limits import LIMITS, refuse_inexpressible
from fake_providers.reply import NO_FAULT, CannotExpress, Fault, Reply, inside_characters
from fake_providers.request_parts import AcceptedParts
from fake_providers.rule import Violation
from fake_providers.rulebook import Asked, RequestContext
from fake_providers.view import View
from fake_providers.wire import ReplyContext, Route, ServedModels, Wire
from fake_providers.wires.openai_chat import errors, rules, text_completions
from fake_providers.wires.openai_chat.choices import choices_asked, joined
from fake_providers.wires.openai_chat.provider import Provider
from fake_providers.wires.openai_chat.quirks import plain_with_quirks, stream_with_quirks
from fake_providers.wires.openai_chat.rendered_reply import RenderedReply, render
from fake_providers.wires.openai_chat.request import route_of, view_of
from fake_providers.wires.openai_chat.response import call_id, encode
from fake_providers.wires.openai_chat.text_completions import as_chat, as_text, is_text_completion
from fake_providers.wires.openai_shared import other_endpoints
from fake_providers.wires.openai_shared.errors import error_body, stopped, with_fault
from fake_providers.wires.openai_shared.other_endpoints import models_response
from fake_providers.wires.openai_shared.provider_errors import ErrorResponses
from fake_providers.wires.openai_shared.request_body import DONE, body_of, event, judge_body, wants_stream


class OpenAIChat:
    """`POST .../chat/completions`."""

    name = "openai-chat"
    providers: tuple[str, ...] = ("openai",)
    rules = (*rules.RULES, *text_completions.BOOK.rules, errors.MISSING_KEY, errors.CONTEXT_LENGTH)
    base_path = "/v1"
    endpoints = (text_completions.ENDPOINT, other_endpoints.EMBEDDINGS, other_endpoints.MODERATIONS)

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
        refused = text_completions.judged(request, provider) if is_text_completion(request) else None
        return refused or rules.judge(as_chat(request), provider=provider)

    def view(self, request: Request) -> View:
        return view_of(as_chat(request))

    def call_id(self, ids: Ids) -> str:
        return call_id(ids)

    def encode(self, reply: Reply, context: ReplyContext) -> Response:
        if not is_text_completion(context.request):
            return encode(reply, context)
        chat = as_chat(context.request)
        answer = encode(replace(reply, calls=()), replace(context, request=chat))
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
        self._accepted = AcceptedParts()

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

        def found_in(value: Any, reads: Asked | None) -> Violation | None:
            context = RequestContext(value, request.headers, model, known, wants_stream(value), provider)
            return next((found for book in self._provider.books if (found := book.judge(context, reads))), None)

        return judge_body(request, found_in, provider=provider, accepted=self._accepted, read=self._provider.body_of)

    def view(self, request: Request) -> View:
        return view_of(self._as_chat(request))

    def call_id(self, ids: Ids) -> str:
        return self._provider.answers.call_id(ids)

    def encode(self, reply: Reply, context: ReplyContext) -> Response:
        """If the provider refuses its own model's output, the response is that refusal, with status 400 or 200."""
        if self._provider.completes_texts and is_text_completion(context.request):
            chat = as_chat(context.request)
            answer = self.encode(replace(reply, calls=()), replace(context, request=chat))
            return as_text(answer, streamed=wants_stream(body_of(chat)))
        fault = reply.fault or NO_FAULT
        if fault.status is not None or fault.body is not None:
            return self.fail(fault, context)
        refuse_inexpressible(reply, LIMITS["openai-chat"])
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
        answer = plain_with_quirks(self._provider.answers.completion(self._rendered(reply, context)), reply.quirks)
        headers = (("content-type", self._provider.answers.content_type), *self._provider.headers(context.ids))
        return Response(200, headers, (compact(answer).encode(errors=AS_ESCAPE),))

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
        headers = (("content-type", answers.stream_content_type), *self._provider.headers(context.ids))
        if refusal is not None:
            return Response(200, headers, (errors.stream_error(refusal, context),))
        whole = self._rendered(reply, context)
        wrong = reply.fault.error_event if reply.fault else None
        chunks = list(answers.first_chunks)
        if wrong is None or reply.text or reply.thinking or reply.calls:
            chunks += [event(chunk) for chunk in answers.deltas(whole)]
        if wrong is None:
            chunks += [*(event(chunk) for chunk in answers.final_chunks(whole)), DONE]
        else:
            body = errors.failure(int(wrong), context, None) if wrong.isdecimal() else errors.envelope_of(wrong)
            chunks.append(errors.stream_error(body, context))
        chunks = [*stream_with_quirks(chunks, reply.quirks, usage=whole.tokens.counts)]
        return Response(200, headers, inside_characters(chunks) if context.split == "bytes" else tuple(chunks))


def wire_of(provider: Provider) -> Wire:
    return ProviderChat(provider)
