"""The wire of the providers other than Anthropic: one class, and a `Provider` with what differs."""

import json
import math
from dataclasses import replace
from typing import Any

from fake_providers.http import AS_ESCAPE, Request, Response, compact, json_response
from fake_providers.ids import Ids
from fake_providers.replies.wire_limits import refuse_inexpressible
from fake_providers.reply import MADE_BY_PROVIDER, NO_FAULT, Fault, Reply, inside_characters
from fake_providers.rule import Violation
from fake_providers.rulebook import Reads, RequestContext
from fake_providers.rules.request_parts import AcceptedParts
from fake_providers.view import View
from fake_providers.wire import ReplyContext, Route, Wire
from fake_providers.wires.anthropic_messages import stream, thinking_signatures
from fake_providers.wires.anthropic_messages.errors import KINDS, cut_in_the_middle
from fake_providers.wires.anthropic_messages.json_parser import PARTS, model_of, tolerant, wants_stream
from fake_providers.wires.anthropic_messages.limits import LIMITS
from fake_providers.wires.anthropic_messages.provider import Provider, has_key
from fake_providers.wires.anthropic_messages.request import view
from fake_providers.wires.anthropic_messages.response import plain

STREAM = (("content-type", "text/event-stream; charset=utf-8"), ("cache-control", "no-cache"))


class ProviderMessages:
    """`POST .../v1/messages` of one provider."""

    name = "anthropic-messages"

    def __init__(self, provider: Provider) -> None:
        self._provider = provider
        self._accepted = AcceptedParts()
        self.providers: tuple[str, ...] = (provider.name,)
        self.rules = provider.rules
        self.base_path = provider.base_path

    def _own(self, request: Request) -> Request:
        return self._provider.own_request(request) or request

    def route(self, request: Request) -> Route | None:
        own = self._provider.own_request(request)
        if own is None:
            return None
        body = tolerant(own)
        return Route(model_of(body), wants_stream(body))

    def missing_key(self, request: Request) -> Violation | None:
        rule = self._provider.missing_key
        if rule is None or has_key(request):
            return None
        return self._violation(rule.status, self._provider.key_sentence, rule.id, "headers", rule.confidence)

    def judge(self, request: Request, *, provider: str) -> Violation | None:
        own = self._own(request)

        def found_in(value: Any, reads: Reads | None = None) -> Violation | None:
            body = value if isinstance(value, dict) else {}
            model = model_of(body)
            known = self._provider.traits(model)
            context = RequestContext(value, own.headers, model, known, wants_stream(body), provider)
            return next((found for book in self._provider.books if (found := book.judge(context, reads))), None)

        try:
            parts = PARTS.read(own.body)
            if parts is None:
                return found_in(self._provider.body_of(own))
            return self._accepted.judge(own, parts, provider=provider, judge=found_in)
        except RecursionError:  # a body with a thousand levels: the provider's answer is not known
            return None

    def view(self, request: Request) -> View:
        return view(self._own(request))

    def call_id(self, ids: Ids) -> str:
        return self._provider.answers.call_id(ids)

    def sign(self, thinking: str, ids: Ids) -> str:
        return thinking_signatures.sign(thinking)

    def encode(self, reply: Reply, context: ReplyContext) -> Response:
        refuse_inexpressible(reply, LIMITS)
        fault = reply.fault or NO_FAULT
        if fault.status is not None or fault.body is not None:
            return self.fail(fault, context)
        answers = self._provider.answers
        context = replace(context, request=self._own(context.request))
        reply = replace(answers.complete_reply(reply, context), server_calls=())
        calls = [
            replace(call, id=answers.call_id(context.ids)) if call.id is MADE_BY_PROVIDER else call
            for call in reply.calls
        ]
        reply, id_ = replace(reply, calls=tuple(calls)), answers.id(context.ids)
        if wants_stream(tolerant(context.request)):
            sent = stream.streamed(reply, context if context.split != "bytes" else replace(context, split="provider"))
            chunks = tuple(chunk for one in sent.chunks if (chunk := self._event(one, id_)))
            response = replace(
                sent, headers=STREAM, chunks=inside_characters(chunks) if context.split == "bytes" else chunks
            )
        else:
            response = json_response(200, self._shaped(json.loads(plain(reply, context).body), id_))
            response = cut_in_the_middle(response) if fault.cut_after is not None else response
        return _with_content_type(response, fault)

    def _event(self, chunk: bytes, id_: str) -> bytes:
        """The same event as this provider sends it; nothing if it does not."""
        name, _, data = chunk.decode(errors=AS_ESCAPE).strip().partition("\ndata: ")
        if name == "event: ping" and not self._provider.answers.pings:
            return b""
        return f"{name}\ndata: {compact(self._shaped(json.loads(data), id_))}\n\n".encode(errors=AS_ESCAPE)

    def _shaped(self, value: dict[str, Any], id_: str) -> dict[str, Any]:
        """Without what is left out, but in the arguments of a call; a message with this id."""
        left_out = self._provider.answers.left_out
        shaped: dict[str, Any] = {}
        for name, member in value.items():
            if name in ("message", "delta", "usage", "content_block") and isinstance(member, dict):
                shaped[name] = self._shaped(member, id_)
            elif name == "content" and isinstance(member, list):
                shaped[name] = [self._shaped(block, id_) for block in member]
            elif name not in left_out:
                shaped[name] = id_ if name == "id" and value.get("type") == "message" else member
        if "input_tokens" in value and "cache_read_input_tokens" in left_out:
            shaped["input_tokens"] += value.get("cache_read_input_tokens", 0)
        return shaped

    def fail(self, fault: Fault, context: ReplyContext) -> Response:
        status = fault.status if fault.status is not None else 200
        sentence = self._provider.sentences.get(status) or KINDS.get(status, KINDS[500 if status >= 500 else 400])[1]
        body = self._provider.error(status, sentence) if fault.body is None else fault.body
        kind = "application/json"
        if isinstance(body, str):
            kind = "text/html; charset=UTF-8" if body.lstrip().startswith("<") else "text/plain"
        retry = () if fault.retry_after is None else (("retry-after", str(math.ceil(fault.retry_after))),)
        text = body if isinstance(body, str) else compact(body)
        headers = (("content-type", fault.content_type or kind), *retry)
        response = Response(status, headers, (text.encode(errors="replace"),))
        return cut_in_the_middle(response) if fault.cut_after is not None else response

    def refuse(self, violation: Violation, context: ReplyContext) -> Response:
        return json_response(violation.status, violation.body)

    def too_long(self, request: Request, *, provider: str, tokens: int, window: int) -> Violation:
        rule = self._provider.window
        sentence = self._provider.too_long(tokens, window)
        return self._violation(rule.status, sentence, rule.id, "messages", rule.confidence)

    def stopped(self, message: str, context: ReplyContext) -> Response:
        return json_response(400, self._provider.error(400, message), [("x-should-retry", "false")])

    def _violation(self, status: int, sentence: str, rule: str, at: str, confidence: Any) -> Violation:
        return Violation(rule, status, self._provider.error(status, sentence), sentence, at, confidence)


def _with_content_type(response: Response, fault: Fault) -> Response:
    if not fault.content_type:
        return response
    others = [header for header in response.headers if header[0] != "content-type"]
    return replace(response, headers=(("content-type", fault.content_type), *others))


def wire_of(provider: Provider) -> Wire:
    return ProviderMessages(provider)
