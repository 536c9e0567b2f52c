"""The strict fake of Cohere's chat: `POST /v2/chat`, and the list of its models. Knows no socket.

Shapes: `GetModelResponse` of cohere-python, and `cohere-openapi.yaml` of cohere-developer-experience.
"""

import re
from typing import Any, Final
from urllib.parse import unquote, urlsplit

from fake_providers.http import Request, Response, json_response
from fake_providers.ids import Ids
from fake_providers.models import traits
from fake_providers.reply import Fault, Reply
from fake_providers.rule import Rule, Violation
from fake_providers.values.go_json_body import PARTS
from fake_providers.view import View
from fake_providers.wire import Alike, ReplyContext, Route, ServedModels, Wire
from fake_providers.wires.cohere_chat import errors, rules
from fake_providers.wires.cohere_chat.request import route_of, view_of
from fake_providers.wires.cohere_chat.response import call_id, encode

MODELS: Final = re.compile(r".*/v1/models(?:/([^/]+))?")
WINDOW: Final = 256_000
"""What the fake says where it has no bound."""
FEATURES: Final = {
    "tools": "no-tools",
    "tool_choice": "no-tool-choice",
    "vision": "no-pictures",
    "json_mode": "no-schema",
    "logprobs": "no-logprobs",
}
"""The features of a model's entry, and the trait that takes one away."""


class CohereChat:
    """Implements `fake_providers.wire.Wire`."""

    name = "cohere-chat"
    providers: tuple[str, ...] = ("cohere",)
    rules: tuple[Rule, ...] = (*rules.RULES, *errors.RULES)
    base_path = ""
    endpoints: tuple[str, ...] = ()

    def route(self, request: Request) -> Route | None:
        return route_of(request)

    def models(self, request: Request, served: ServedModels) -> Response | None:
        found = MODELS.fullmatch(unquote(urlsplit(request.path).path).rstrip("/"))
        if request.method.upper() != "GET" or found is None:
            return None
        if found[1]:
            return json_response(200, _model(found[1], served))
        return json_response(200, {"models": [_model(name, served) for name in served.names]})

    def endpoint(self, request: Request, served: ServedModels) -> Response | None:
        return None

    def missing_key(self, request: Request) -> Violation | None:
        return None if request.headers.get("authorization") else errors.missing_key()

    def judge(self, request: Request, *, provider: str) -> Violation | None:
        return rules.judge(request, provider=provider)

    def view(self, request: Request) -> View:
        return view_of(request)

    def call_id(self, ids: Ids) -> str:
        return call_id(ids)

    def alike(self, request: Request) -> Alike | None:
        parts = PARTS.read(request.body)
        return None if parts is None else Alike(parts.parameters)

    def encode(self, reply: Reply, context: ReplyContext) -> Response:
        return encode(reply, context)

    def fail(self, fault: Fault, context: ReplyContext) -> Response:
        return errors.fail(fault, context)

    def refuse(self, violation: Violation, context: ReplyContext) -> Response:
        return json_response(violation.status, violation.body)

    def too_long(self, request: Request, *, provider: str, tokens: int, window: int) -> Violation:
        return errors.too_long(tokens, window)

    def stopped(self, message: str, context: ReplyContext) -> Response:
        return errors.stopped(message, context.ids)


WIRE: Wire = CohereChat()


def _model(name: str, served: ServedModels) -> dict[str, Any]:
    lacking = traits("cohere-chat", name)
    return {
        "name": name,
        "is_deprecated": False,
        "endpoints": ["chat"],
        "finetuned": False,
        "context_length": served.window or WINDOW,
        "tokenizer_url": f"https://storage.googleapis.com/cohere-public/tokenizers/{name}.json",
        "default_endpoints": [],
        "features": [feature for feature, trait in FEATURES.items() if trait not in lacking],
    }
