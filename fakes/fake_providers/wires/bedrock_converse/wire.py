"""The strict fake of Amazon Bedrock's `converse` and `converse-stream`, and of `invoke` for Claude and Nova."""

import re
from typing import Protocol

from fake_providers.http import Request, Response, json_response
from fake_providers.ids import Ids
from fake_providers.reply import Fault, Reply
from fake_providers.rule import Violation
from fake_providers.view import View
from fake_providers.wire import Alike, ReplyContext, Route, ServedModels
from fake_providers.wire_facts import refuse_inexpressible
from fake_providers.wires.anthropic_messages.thinking_signatures import sign
from fake_providers.wires.bedrock_converse import errors, invoke, invoke_nova, rules
from fake_providers.wires.bedrock_converse.request import is_invoke, is_nova, route, target_of, view
from fake_providers.wires.bedrock_converse.response import call_id, plain, streamed

LOST = {"Output": {"__type": "com.amazon.coral.service#UnknownOperationException"}, "Version": "1.0"}
LOST_PATH = re.compile("/model/[^/]*/.*/(converse|converse-stream|invoke|invoke-with-response-stream)$")


class BedrockConverse:
    """Implements `fake_providers.wire.Wire`."""

    name = "bedrock-converse"
    providers: tuple[str, ...] = ("bedrock",)
    rules = (*rules.RULES, *invoke.BOOK.rules, *invoke_nova.BOOK.rules)
    base_path = ""
    endpoints: tuple[str, ...] = ()
    profiles = True

    def route(self, request: Request) -> Route | None:
        return route(request)

    def endpoint(self, request: Request, served: ServedModels) -> Response | None:
        """What a path gets whose model has a slash that is not encoded, as in an ARN: it is no operation."""
        path = request.path.partition("?")[0]
        if request.method.upper() != "POST" or not LOST_PATH.search(path):
            return None
        return json_response(404, LOST)

    def missing_key(self, request: Request) -> Violation | None:
        return rules.missing_key(request)

    def judge(self, request: Request, *, provider: str) -> Violation | None:
        judge = _vendors(request).judge if is_invoke(request) else rules.judge
        return judge(request, provider=provider)

    def view(self, request: Request) -> View:
        return _vendors(request).view(request) if is_invoke(request) else view(request)

    def call_id(self, ids: Ids) -> str:
        return call_id(ids)

    def sign(self, thinking: str, ids: Ids) -> str:
        return sign(thinking)

    def alike(self, request: Request) -> Alike | None:
        return None if is_invoke(request) else Alike(request.stored)

    def encode(self, reply: Reply, context: ReplyContext) -> Response:
        refuse_inexpressible(reply, "bedrock-converse")
        fault = reply.fault
        if fault is not None and (fault.status is not None or fault.body is not None):
            return errors.fail(fault, context.ids)
        streams = target_of(context.request).stream
        if is_invoke(context.request):
            response = _vendors(context.request).encode(reply, context)
        else:
            response = streamed(reply, context) if streams else plain(reply, context)
        if not streams and fault is not None and fault.cut_after is not None:
            response = response.halved()
        return response.of_type(fault.content_type) if fault is not None and fault.content_type else response

    def fail(self, fault: Fault, context: ReplyContext) -> Response:
        return errors.fail(fault, context.ids)

    def refuse(self, violation: Violation, context: ReplyContext) -> Response:
        return errors.refuse(violation, context.ids)

    def too_long(self, request: Request, *, provider: str, tokens: int, window: int) -> Violation:
        return rules.too_long(request, provider=provider)

    def stopped(self, message: str, context: ReplyContext) -> Response:
        return errors.stopped(message, context.ids)


class VendorsBody(Protocol):
    """What is known of the body of a model's vendor: a module for each."""

    def judge(self, request: Request, *, provider: str) -> Violation | None: ...

    def view(self, request: Request) -> View: ...

    def encode(self, reply: Reply, context: ReplyContext) -> Response: ...


def _vendors(request: Request) -> VendorsBody:
    return invoke_nova if is_nova(target_of(request).model) else invoke


WIRE = BedrockConverse()
