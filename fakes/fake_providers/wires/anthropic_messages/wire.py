"""The strict fake of Anthropic's Messages API. Knows only this wire; no sockets and no scenarios.

Shapes: `MessageCountTokensParams` and `MessageTokensCount` of anthropic-sdk-python.
"""

import hashlib
import re
from dataclasses import replace
from typing import Any, Final
from urllib.parse import parse_qs, unquote

from fake_providers.http import AS_ESCAPE, Request, Response, compact, json_response
from fake_providers.ids import Ids
from fake_providers.models import traits
from fake_providers.replies.wire_limits import refuse_inexpressible
from fake_providers.reply import Fault, Reply
from fake_providers.rule import Violation
from fake_providers.view import View
from fake_providers.wire import ReplyContext, Route, ServedModels
from fake_providers.wires.anthropic_messages import errors, message_threads, rules, stream, thinking_signatures
from fake_providers.wires.anthropic_messages.errors import headers
from fake_providers.wires.anthropic_messages.json_parser import NOTHING, tolerant, wants_stream
from fake_providers.wires.anthropic_messages.limits import LIMITS
from fake_providers.wires.anthropic_messages.request import route, view
from fake_providers.wires.anthropic_messages.response import as_offered, call_id, plain

ENDPOINT = "POST /v1/messages/count_tokens"
ENDING = "/v1/messages/count_tokens"


def counted(request: Request) -> Request | None:
    """The request for a message; it gets the least `max_tokens` that its thinking allows, since a count has none."""
    path = request.path.partition("?")[0]
    if request.method.upper() != "POST" or not path.endswith(ENDING):
        return None
    return replace(request, path=path.removesuffix("/count_tokens"), body=_body(request))


def _body(request: Request) -> bytes:
    body = tolerant(request)
    if body is NOTHING:
        return request.body
    thinking = body.get("thinking")
    budget = thinking.get("budget_tokens") if isinstance(thinking, dict) else None
    return compact({**body, "max_tokens": (budget if type(budget) is int and budget > 0 else 0) + 1}).encode(
        errors=AS_ESCAPE
    )


def count_response(request: Request, tokens: int) -> Response:
    request_id = f"req_011C{hashlib.sha256(request.body).hexdigest()[:20]}"
    return json_response(200, {"input_tokens": tokens}, headers(request_id))


class AnthropicMessages:
    """`POST /v1/messages`, plain and streamed.

    Implements `fake_providers.wire.Wire`, and for threads `fake_providers.wire.ResumesConversations`.
    """

    name = "anthropic-messages"
    providers = ("anthropic",)
    rules = rules.RULES
    base_path = ""
    endpoints = (ENDPOINT,)

    def route(self, request: Request) -> Route | None:
        return route(request)

    def models(self, request: Request, served: ServedModels) -> Response | None:
        return models_response(request, served)

    def endpoint(self, request: Request, served: ServedModels) -> Response | None:
        return None

    def counted(self, request: Request) -> Request | None:
        return counted(request)

    def count_response(self, request: Request, tokens: int) -> Response:
        return count_response(request, tokens)

    def missing_key(self, request: Request) -> Violation | None:
        return rules.missing_key(request)

    def judge(self, request: Request, *, provider: str) -> Violation | None:
        return rules.judge(request, provider=provider)

    def view(self, request: Request) -> View:
        return view(request)

    def continued(self, request: Request) -> str | None:
        return message_threads.continued(request)

    def response_id(self, response: Response) -> str | None:
        return message_threads.response_id(response)

    def resumed(self, request: Request, *, earlier: Request, response: Response) -> Request:
        return message_threads.resumed(request, earlier=earlier, response=response)

    def call_id(self, ids: Ids) -> str:
        return call_id(ids)

    def sign(self, thinking: str, ids: Ids) -> str:
        return thinking_signatures.sign(thinking)

    def encode(self, reply: Reply, context: ReplyContext) -> Response:
        refuse_inexpressible(reply, LIMITS)
        reply = as_offered(reply, context.request)
        fault = reply.fault
        if fault is not None and (fault.status is not None or fault.body is not None):
            return errors.fail(fault, context.ids)
        if wants_stream(tolerant(context.request)):
            response = stream.streamed(reply, context)
        else:
            response = plain(reply, context)
            if fault is not None and fault.cut_after is not None:
                response = errors.cut_in_the_middle(response)
        return (
            _with_content_type(response, fault.content_type) if fault is not None and fault.content_type else response
        )

    def fail(self, fault: Fault, context: ReplyContext) -> Response:
        return errors.fail(fault, context.ids)

    def refuse(self, violation: Violation, context: ReplyContext) -> Response:
        return errors.refuse(violation)

    def too_long(self, request: Request, *, provider: str, tokens: int, window: int) -> Violation:
        return rules.too_long(request, tokens=tokens, window=window)

    def stopped(self, message: str, context: ReplyContext) -> Response:
        return errors.stopped(message, context.ids)


def _with_content_type(response: Response, content_type: str) -> Response:
    others = [header for header in response.headers if header[0] != "content-type"]
    return replace(response, headers=(("content-type", content_type), *others))


WIRE = AnthropicMessages()

__all__ = ["WIRE", "AnthropicMessages"]


PATH: Final = re.compile(r".*/v1/models(?:/([^/]+))?")
WINDOW: Final = 200_000
"""What the fake says where it has no bound."""


def models_response(request: Request, served: ServedModels) -> Response | None:
    """None for a request that asks for no models."""
    path, _, query = request.path.partition("?")
    found = PATH.fullmatch(unquote(path).rstrip("/"))
    if request.method.upper() != "GET" or found is None:
        return None
    if found[1]:
        return json_response(200, _model(found[1], served))
    asked = parse_qs(query)
    data = [] if asked.keys() & {"after_id", "before_id"} else [_model(id, served) for id in served.names]
    ends = {"first_id": data[0]["id"], "last_id": data[-1]["id"]} if data else {"first_id": None, "last_id": None}
    return json_response(200, {"data": data, "has_more": False, **ends})


def _model(id: str, served: ServedModels) -> dict[str, Any]:
    # `Claude Sonnet 4.6` of `claude-sonnet-4-6`
    undated = re.sub(r"-20\d{6}$", "", id)
    return {
        "type": "model",
        "id": id,
        "display_name": re.sub(r"(?<=\d) (?=\d)", ".", undated.replace("-", " ").title()),
        "created_at": "2026-02-17T00:00:00Z",
        "lifecycle": "active",
        "deprecated_at": None,
        "retires_at": None,
        "line": None,
        "max_input_tokens": served.window or WINDOW,
        "max_tokens": 64_000,
        "capabilities": _capabilities(traits("anthropic-messages", id)),
    }


def _capabilities(traits: frozenset[str]) -> dict[str, Any]:
    """As far as rules of the fake say what the model refuses."""
    budgets, old = "adaptive-only" not in traits, "thinking-first" in traits
    effort = "no-effort" not in traits and "words-of-2025" not in traits
    return {
        **{name: _is(True) for name in ("batch", "citations", "code_execution", "image_input", "pdf_input")},
        "structured_outputs": _is(True),
        "effort": {
            **_is(effort),
            **{level: _is(effort) for level in ("low", "medium", "high")},
            "max": _is(effort),
            "xhigh": _is(effort and "effort-but-xhigh" not in traits),
        },
        "thinking": {
            **_is(True),
            "types": {
                "adaptive": _is(not old),
                "between_tools": _is("between-tools" in traits),
                "disabled": _is("always-thinks" not in traits and "between-tools" not in traits),
                "enabled": _is(budgets),
            },
        },
        "context_management": {
            **_is(True),
            "clear_thinking_20251015": _is(True),
            "clear_tool_uses_20250919": _is(True),
            "compact_20260112": _is(not old),
        },
        "server_tools": {**_is(True), "code_execution": _is(True), "web_search": _is(True)},
    }


def _is(supported: bool) -> dict[str, Any]:
    return {"supported": supported}
