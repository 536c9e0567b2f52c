"""The strict fake of Ollama's chat: `POST /api/chat`, which needs no key and streams by default."""

from fake_providers.http import Request, Response
from fake_providers.ids import Ids
from fake_providers.reply import Fault, Reply
from fake_providers.rule import Rule, Violation
from fake_providers.view import View
from fake_providers.wire import ReplyContext, Route, ServedModels, Wire
from fake_providers.wires.ollama_chat import errors, local_server, rules
from fake_providers.wires.ollama_chat.message_parts import call_id
from fake_providers.wires.ollama_chat.model_list import models_response
from fake_providers.wires.ollama_chat.request import route_of, view_of
from fake_providers.wires.ollama_chat.response import encode


class OllamaChat:
    """Implements `fake_providers.wire.Wire`."""

    name = "ollama-chat"
    providers: tuple[str, ...] = ("ollama",)
    rules: tuple[Rule, ...] = (*rules.RULES, *errors.RULES)
    base_path = ""
    endpoints = local_server.ENDPOINTS

    def route(self, request: Request) -> Route | None:
        return route_of(request)

    def models(self, request: Request, served: ServedModels) -> Response | None:
        return models_response(request, served)

    def endpoint(self, request: Request, served: ServedModels) -> Response | None:
        return local_server.local_response(request, served)

    def missing_key(self, request: Request) -> Violation | None:
        """None: a local server needs no key."""
        return None

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
        return errors.refuse(violation)

    def too_long(self, request: Request, *, provider: str, tokens: int, window: int) -> Violation:
        return errors.too_long()

    def stopped(self, message: str, context: ReplyContext) -> Response:
        return errors.stopped(message)


WIRE: Wire = OllamaChat()
