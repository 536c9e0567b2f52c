"""The strict fake of OpenAI's Responses, and of the other providers with this wire.

The others are one class, and a `Provider` with what differs. Shapes: `InputTokenCountParams` and
`InputTokenCountResponse` of openai-python.
"""

from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

from msgspec.structs import replace

from fake_providers.http import AS_ESCAPE, Request, Response, compact, json_response
from fake_providers.ids import Ids
from fake_providers.reply import NO_FAULT, CannotExpress, Fault, Reply, inside_characters
from fake_providers.rule import Violation
from fake_providers.rulebook import RequestContext, RuleFilter, first_violation
from fake_providers.stored_batches import BatchSetting, StoredBatches
from fake_providers.stored_files import ENDPOINTS as FILES
from fake_providers.stored_files import StoredFiles
from fake_providers.verdict_cache import VerdictCache
from fake_providers.view import View
from fake_providers.wire import Alike, ReplyContext, ResponseStore, Route, ServedModels, Wire
from fake_providers.wire_facts import refuse_inexpressible
from fake_providers.wires.openai_responses import errors, rules, stored_responses
from fake_providers.wires.openai_responses.conversation import conversation_of
from fake_providers.wires.openai_responses.provider import Event, Provider, RenderedReply, message_of, render
from fake_providers.wires.openai_responses.request import body_of, encrypt, model_of, route_of, view_of, wants_stream
from fake_providers.wires.openai_responses.response import call_id, encode, tools_of
from fake_providers.wires.openai_responses.stored_responses import ENDPOINTS as STORED_ENDPOINTS
from fake_providers.wires.openai_responses.stored_responses import ServedResponses
from fake_providers.wires.openai_shared import other_endpoints
from fake_providers.wires.openai_shared.batches import ENDPOINTS as BATCHES
from fake_providers.wires.openai_shared.batches import OpenAIBatches
from fake_providers.wires.openai_shared.errors import error_body, with_fault
from fake_providers.wires.openai_shared.files import OpenAIFiles
from fake_providers.wires.openai_shared.other_endpoints import models_response
from fake_providers.wires.openai_shared.provider_errors import ErrorResponses
from fake_providers.wires.openai_shared.request_body import PARTS, judge_body

ENDPOINT = "POST /v1/responses/input_tokens"
ENDING = "/responses/input_tokens"


def counted(request: Request) -> Request | None:
    """The request for a response."""
    path = urlsplit(request.path).path
    if request.method.upper() != "POST" or not path.endswith(ENDING):
        return None
    return replace(request, path=path.removesuffix("/input_tokens"))


def count_response(tokens: int) -> Response:
    return json_response(200, {"object": "response.input_tokens", "input_tokens": tokens})


class OpenAIResponses:
    """`POST .../responses`, plain and streamed.

    Implements `fake_providers.wire.Wire`, and `fake_providers.wire.StoresResponses` for `new_store`.
    """

    name = "openai-responses"
    providers: tuple[str, ...] = ("openai",)
    rules = (*rules.RULES, errors.MISSING_KEY, errors.CONTEXT_LENGTH)
    base_path = "/v1"
    endpoints = (
        other_endpoints.EMBEDDINGS,
        other_endpoints.MODERATIONS,
        ENDPOINT,
        *stored_responses.ENDPOINTS,
        *stored_responses.CONVERSATION_ENDPOINTS,
        *FILES,
        *BATCHES,
    )

    def new_files(self) -> StoredFiles:
        return StoredFiles(OpenAIFiles())

    def new_batches(self, setting: BatchSetting) -> StoredBatches:
        return OpenAIBatches(setting)

    def new_store(self) -> ResponseStore:
        return ServedResponses(error_body, has_conversations=True)

    def route(self, request: Request) -> Route | None:
        return route_of(request)

    def models(self, request: Request, served: ServedModels) -> Response | None:
        return models_response(request, served)

    def endpoint(self, request: Request, served: ServedModels) -> Response | None:
        embeddings = other_endpoints.embeddings_response(request, served.provider, error_body)
        return embeddings or other_endpoints.moderations_response(request, error_body)

    def counted(self, request: Request) -> Request | None:
        return counted(request)

    def count_response(self, request: Request, tokens: int) -> Response:
        return count_response(tokens)

    def missing_key(self, request: Request) -> Violation | None:
        return errors.missing_key(request)

    def judge(self, request: Request, *, provider: str) -> Violation | None:
        return rules.judge(request, provider=provider)

    def view(self, request: Request) -> View:
        return view_of(request)

    def call_id(self, ids: Ids) -> str:
        return call_id(ids)

    def sign(self, thinking: str, ids: Ids) -> str:
        return encrypt(thinking)

    def alike(self, request: Request) -> Alike | None:
        parts = PARTS.read(request.body)
        return None if parts is None or request.stored is not None else Alike(parts.parameters, tools_of(request))

    def encode(self, reply: Reply, context: ReplyContext) -> Response:
        return encode(reply, context)

    def fail(self, fault: Fault, context: ReplyContext) -> Response:
        return errors.fail(fault, context)

    def refuse(self, violation: Violation, context: ReplyContext) -> Response:
        return errors.refuse(violation, context)

    def too_long(self, request: Request, *, provider: str, tokens: int, window: int) -> Violation | None:
        """With `truncation: auto` the provider drops the oldest items instead, as its API reference says."""
        body = body_of(request)
        return None if isinstance(body, dict) and body.get("truncation") == "auto" else errors.too_long()

    def stopped(self, message: str, context: ReplyContext) -> Response:
        return errors.stopped(message, context)


WIRE: Wire = OpenAIResponses()


CODES = {400: "invalid_prompt", 429: "rate_limit_exceeded"}
"""The `code` of an error within a stream; other statuses have `server_error`."""


class ProviderResponses(ErrorResponses):
    """`POST .../responses` of a provider that stores no responses."""

    name = "openai-responses"

    def __init__(self, provider: Provider) -> None:
        super().__init__(provider)
        self._provider = provider
        self._answers = provider.answers
        self._accepted = VerdictCache(
            *provider.books, *provider.conversation_books, messages=rules.ITEMS, tools=rules.TOOLS
        )

    def route(self, request: Request) -> Route | None:
        return route_of(request)

    def judge(self, request: Request, *, provider: str) -> Violation | None:
        def found_in(body: Any, reads: RuleFilter | None) -> Violation | None:
            model = model_of(body)
            known = self._provider.traits(model)
            context = RequestContext(body, request.headers, model, known, wants_stream(body), provider)
            found = first_violation(self._provider.books, context, reads)
            books = self._provider.conversation_books
            if found is not None or not books:
                return found
            whole = context.about(conversation_of(body, request.stored))
            return first_violation(books, whole, reads)

        return judge_body(request, found_in, provider=provider, traits=self._provider.traits, accepted=self._accepted)

    def view(self, request: Request) -> View:
        return view_of(request)

    def call_id(self, ids: Ids) -> str:
        return call_id(ids) if self._answers is None else self._answers.call_id(ids, 0)

    def encode(self, reply: Reply, context: ReplyContext) -> Response:
        refuse_inexpressible(reply, "openai-responses")
        fault = reply.fault or NO_FAULT
        if fault.status is not None or fault.body is not None:
            return self.fail(fault, context)
        if self._answers is None:
            return encode(reply, context)
        if reply.server_calls or reply.sources:
            raise CannotExpress("server-tools" if reply.server_calls else "sources")
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
        body = self._errors.failure(status, whole.context, None) if wrong.isdecimal() else self._errors.envelope(wrong)
        error = {"code": CODES.get(status, "server_error"), "message": message_of(body)}
        yield whole.answers.failure_event(error, whole.initial)


def _bytes(name: str, event: object, *, named: bool) -> bytes:
    line = f"event: {name}\n" if named else ""
    return f"{line}data: {compact(event)}\n\n".encode(errors=AS_ESCAPE)


class StoringResponses(ProviderResponses):
    """The same for a provider that stores responses; see `fake_providers.wire.StoresResponses`."""

    endpoints = (*ProviderResponses.endpoints, *STORED_ENDPOINTS)

    def new_store(self) -> ResponseStore:
        return ServedResponses(self._errors.envelope, has_conversations=self._answers is None)


def wire_of(provider: Provider) -> Wire:
    """The wire of a provider, with or without stored responses."""
    return StoringResponses(provider) if provider.stores_responses else ProviderResponses(provider)
