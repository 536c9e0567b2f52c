"""The strict fake of OpenAI's Responses, and of the other providers with this wire.

Shapes: `InputTokenCountParams` and `InputTokenCountResponse` of openai-python.
"""

from dataclasses import replace
from urllib.parse import urlsplit

from fake_providers.http import Request, Response, json_response
from fake_providers.ids import Ids
from fake_providers.reply import Fault, Reply
from fake_providers.rule import Violation
from fake_providers.view import View
from fake_providers.wire import ReplyContext, ResponseStore, Route, ServedModels, Wire
from fake_providers.wires.openai_responses import encrypted_reasoning, errors, rules, stored_responses
from fake_providers.wires.openai_responses.request import body_of, route_of, view_of
from fake_providers.wires.openai_responses.response import call_id, encode
from fake_providers.wires.openai_responses.stored_responses import ServedResponses
from fake_providers.wires.openai_shared import model_list, moderations
from fake_providers.wires.openai_shared.errors import error_body
from fake_providers.wires.openai_shared.model_list import models_response

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
        model_list.ENDPOINT,
        moderations.ENDPOINT,
        ENDPOINT,
        *stored_responses.ENDPOINTS,
        *stored_responses.CONVERSATION_ENDPOINTS,
    )

    def new_store(self) -> ResponseStore:
        return ServedResponses(error_body, has_conversations=True)

    def route(self, request: Request) -> Route | None:
        return route_of(request)

    def models(self, request: Request, served: ServedModels) -> Response | None:
        return models_response(request, served)

    def endpoint(self, request: Request, served: ServedModels) -> Response | None:
        embeddings = model_list.embeddings_response(request, served.provider, error_body)
        return embeddings or moderations.moderations_response(request, error_body)

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
        return encrypted_reasoning.encrypt(thinking)

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
