"""The wire of the providers other than OpenAI: one class, and a `Provider` with what differs."""

from collections.abc import Iterator
from typing import Any

from fake_providers.http import AS_ESCAPE, Request, Response, compact
from fake_providers.ids import Ids
from fake_providers.replies.wire_limits import refuse_inexpressible
from fake_providers.reply import NO_FAULT, CannotExpress, Reply, inside_characters
from fake_providers.rule import Violation
from fake_providers.rulebook import Reads, RequestContext
from fake_providers.rules.request_parts import AcceptedParts
from fake_providers.view import View
from fake_providers.wire import ReplyContext, ResponseStore, Route, Wire
from fake_providers.wires.openai_responses.conversation import conversation_of
from fake_providers.wires.openai_responses.limits import LIMITS
from fake_providers.wires.openai_responses.provider import Event, Provider, RenderedReply, message_of, render
from fake_providers.wires.openai_responses.request import body_of, model_of, route_of, view_of, wants_stream
from fake_providers.wires.openai_responses.response import call_id, encode
from fake_providers.wires.openai_responses.stored_responses import ENDPOINTS as STORED_ENDPOINTS
from fake_providers.wires.openai_responses.stored_responses import ServedResponses
from fake_providers.wires.openai_shared.errors import with_fault
from fake_providers.wires.openai_shared.provider_errors import ErrorResponses
from fake_providers.wires.openai_shared.request_body import judge_body

CODES = {400: "invalid_prompt", 429: "rate_limit_exceeded"}
"""The `code` of an error within a stream; other statuses have `server_error`."""


class ProviderResponses(ErrorResponses):
    """`POST .../responses` of a provider that stores no responses."""

    name = "openai-responses"

    def __init__(self, provider: Provider) -> None:
        super().__init__(provider)
        self._provider = provider
        self._answers = provider.answers
        self._accepted = AcceptedParts()

    def route(self, request: Request) -> Route | None:
        return route_of(request)

    def judge(self, request: Request, *, provider: str) -> Violation | None:
        def found_in(body: Any, reads: Reads | None) -> Violation | None:
            model = model_of(body)
            known = self._provider.traits(model)
            context = RequestContext(body, request.headers, model, known, wants_stream(body), provider)
            found = next((found for book in self._provider.books if (found := book.judge(context, reads))), None)
            books = self._provider.conversation_books
            if found is not None or not books:
                return found
            whole = context.about(conversation_of(body, request.stored))
            return next((found for book in books if (found := book.judge(whole, reads))), None)

        return judge_body(request, found_in, provider=provider, accepted=self._accepted)

    def view(self, request: Request) -> View:
        return view_of(request)

    def call_id(self, ids: Ids) -> str:
        return call_id(ids) if self._answers is None else self._answers.call_id(ids, 0)

    def encode(self, reply: Reply, context: ReplyContext) -> Response:
        refuse_inexpressible(reply, LIMITS)
        fault = reply.fault or NO_FAULT
        if fault.status is not None or fault.body is not None:
            return self.fail(fault, context)
        if self._answers is None:
            return encode(reply, context)
        streamed = wants_stream(body_of(context.request))
        whole = render(reply, context, self._answers, streamed=streamed)
        if streamed:
            return with_fault(self._streamed(whole, reply), fault)
        if fault.error_event is not None:
            raise CannotExpress("error-event")
        headers = (("content-type", "application/json"), *self._provider.headers)
        return with_fault(Response(200, headers, (compact(whole.done).encode(errors=AS_ESCAPE),)), fault)

    def _streamed(self, whole: RenderedReply, reply: Reply) -> Response:
        answers = whole.answers
        events = enumerate(self._events(whole, reply))
        encoded = [
            _bytes(name, answers.order_event(name, members, number), named=answers.names_events)
            for number, (name, members) in events
        ]
        chunks = (*answers.first_chunks, *encoded, *answers.last_chunks)
        headers = (("content-type", answers.stream_content_type), *self._provider.headers)
        return Response(200, headers, inside_characters(chunks) if whole.context.split == "bytes" else chunks)

    def _events(self, whole: RenderedReply, reply: Reply) -> Iterator[Event]:
        wrong = reply.fault.error_event if reply.fault else None
        if wrong is None:
            yield from whole.events()
            yield whole.ending()
            return
        yield from whole.events() if reply.text or reply.thinking or reply.calls else whole.opening()
        status = int(wrong) if wrong.isdecimal() else 500
        body = (
            self._errors.failure(status, whole.context, None) if wrong.isdecimal() else self._errors.envelope_of(wrong)
        )
        error = {"code": CODES.get(status, "server_error"), "message": message_of(body)}
        yield whole.answers.failure_event(error, whole.initial)


def _bytes(name: str, event: object, *, named: bool) -> bytes:
    line = f"event: {name}\n" if named else ""
    return f"{line}data: {compact(event)}\n\n".encode(errors=AS_ESCAPE)


class StoringResponses(ProviderResponses):
    """The same for a provider that stores responses; see `fake_providers.wire.StoresResponses`."""

    endpoints = (*ProviderResponses.endpoints, *STORED_ENDPOINTS)

    def new_store(self) -> ResponseStore:
        return ServedResponses(self._errors.envelope_of, has_conversations=self._answers is None)


def wire_of(provider: Provider) -> Wire:
    """The wire of a provider, with or without stored responses."""
    return StoringResponses(provider) if provider.stores_responses else ProviderResponses(provider)
