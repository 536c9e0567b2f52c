"""The strict fake of Anthropic's Messages API. Knows only this wire; no sockets and no scenarios."""

from dataclasses import replace

from fake_providers.http import Request, Response
from fake_providers.ids import Ids
from fake_providers.replies.unsupported import refuse_inexpressible
from fake_providers.reply import Fault, Reply
from fake_providers.rule import Violation
from fake_providers.view import View
from fake_providers.wire import ReplyContext, Route, ServedModels
from fake_providers.wires.anthropic_messages import (
    errors,
    message_threads,
    rules,
    stream,
    thinking_signatures,
    token_count,
)
from fake_providers.wires.anthropic_messages.json_body import tolerant, wants_stream
from fake_providers.wires.anthropic_messages.limits import LIMITS
from fake_providers.wires.anthropic_messages.model_list import models_response
from fake_providers.wires.anthropic_messages.request import route, view
from fake_providers.wires.anthropic_messages.response import call_id, plain
from fake_providers.wires.anthropic_messages.server_calls import as_offered


class AnthropicMessages:
    """`POST /v1/messages`, plain and streamed.

    Implements `fake_providers.wire.Wire`, and for threads `fake_providers.wire.ResumesConversations`.
    """

    name = "anthropic-messages"
    providers = ("anthropic",)
    rules = rules.RULES
    base_path = ""
    endpoints = (token_count.ENDPOINT,)

    def route(self, request: Request) -> Route | None:
        return route(request)

    def models(self, request: Request, served: ServedModels) -> Response | None:
        return models_response(request, served)

    def endpoint(self, request: Request, served: ServedModels) -> Response | None:
        return None

    def counted(self, request: Request) -> Request | None:
        return token_count.counted(request)

    def count_response(self, request: Request, tokens: int) -> Response:
        return token_count.count_response(request, tokens)

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
