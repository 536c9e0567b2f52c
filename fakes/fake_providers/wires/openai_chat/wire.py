"""The strict fake of OpenAI's Chat Completions, and of the other providers with this wire."""

from fake_providers.http import Request, Response
from fake_providers.ids import Ids
from fake_providers.reply import Fault, Reply
from fake_providers.rule import Violation
from fake_providers.view import View
from fake_providers.wire import ReplyContext, Route, ServedModels, Wire
from fake_providers.wires.openai_chat import errors, rules
from fake_providers.wires.openai_chat.request import route_of, view_of
from fake_providers.wires.openai_chat.response import call_id, encode
from fake_providers.wires.openai_shared import model_list, moderations
from fake_providers.wires.openai_shared.errors import error_body, stopped
from fake_providers.wires.openai_shared.model_list import models_response


class OpenAIChat:
    """`POST .../chat/completions`."""

    name = "openai-chat"
    providers: tuple[str, ...] = ("openai",)
    rules = (*rules.RULES, errors.MISSING_KEY, errors.CONTEXT_LENGTH)
    base_path = "/v1"
    endpoints = (model_list.ENDPOINT, moderations.ENDPOINT)

    def route(self, request: Request) -> Route | None:
        return route_of(request)

    def models(self, request: Request, served: ServedModels) -> Response | None:
        return models_response(request, served)

    def endpoint(self, request: Request, served: ServedModels) -> Response | None:
        embeddings = model_list.embeddings_response(request, served.provider, error_body)
        return embeddings or moderations.moderations_response(request, error_body)

    def missing_key(self, request: Request) -> Violation | None:
        return errors.missing_key(request)

    def judge(self, request: Request, *, provider: str) -> Violation | None:
        return rules.judge(request, provider=provider)

    def view(self, request: Request) -> View:
        return view_of(request)

    def call_id(self, ids: Ids) -> str:
        return call_id(ids)

    def encode(self, reply: Reply, context: ReplyContext) -> Response:
        return encode(reply, context)

    def fail(self, fault: Fault, context: ReplyContext) -> Response:
        return errors.fail(fault, context)

    def refuse(self, violation: Violation, context: ReplyContext) -> Response:
        return errors.refuse(violation, context)

    def too_long(self, request: Request, *, provider: str, tokens: int, window: int) -> Violation:
        return errors.too_long(tokens=tokens, window=window)

    def stopped(self, message: str, context: ReplyContext) -> Response:
        return stopped(message, context)


WIRE: Wire = OpenAIChat()
