"""Cohere's rules: the body, then the messages, the tools, the parameters.

The order within the body is that of Go's decoder, which has to be through before anything else is looked at; that of
the rest is not known. Sentences: Cohere's page of errors, recordings, and what clients quote.
"""

from typing import Annotated, Any, Literal

import msgspec

from fake_providers.http import Request
from fake_providers.models import traits
from fake_providers.rule import Violation
from fake_providers.rulebook import RequestContext, RuleFilter, first_violation, has_parts
from fake_providers.skippable_forms import Conversation, Form, Function, FunctionCall, FunctionTool, Id, Said, Usual
from fake_providers.values.go_json_body import PARTS, TOO_DEEP, body_of
from fake_providers.verdict_cache import VerdictCache
from fake_providers.wires.cohere_chat.request import model_of, wants_stream
from fake_providers.wires.cohere_chat.rules import messages, parameters, shape, tools
from fake_providers.wires.cohere_chat.rules.messages import is_object_text
from fake_providers.wires.cohere_chat.rules.shape import ParsedBody, misfit

BOOKS = (shape.BOOK, messages.BOOK, tools.BOOK, parameters.BOOK)


class _Answer(Form):
    role: Literal["assistant"]
    content: str | msgspec.UnsetType = msgspec.UNSET
    tool_calls: Annotated[list[FunctionCall], msgspec.Meta(min_length=1)] | msgspec.UnsetType = msgspec.UNSET

    def follow(self, conversation: Conversation) -> Conversation | None:
        if self.tool_calls is msgspec.UNSET:
            return conversation.model(self.content or "")
        if self.content or not all(is_object_text(call.function.arguments) for call in self.tool_calls):
            return None
        return conversation.calls([call.id for call in self.tool_calls])


class _Result(Form):
    role: Literal["tool"]
    tool_call_id: Id
    content: Annotated[str, msgspec.Meta(min_length=1)]

    def follow(self, conversation: Conversation) -> Conversation | None:
        return conversation.result(self.tool_call_id)


class _Function(Function):
    name: Annotated[str, msgspec.Meta(pattern=rf"^{tools.NAME.pattern}\Z")]


class _Tool(FunctionTool):
    function: _Function


MESSAGES = Usual("role", Said, _Answer, _Result)

TOOLS = Usual("type", _Tool)

_ACCEPTED = VerdictCache(*BOOKS, messages=MESSAGES, tools=TOOLS)
RULES = tuple(rule for book in BOOKS for rule in book.rules)


def judge(request: Request, *, provider: str) -> Violation | None:
    value = body_of(request)
    if value is TOO_DEEP:
        return None
    model, stream = model_of(value), wants_stream(value)
    known = traits("cohere-chat", model, provider)

    def found_in(value: Any, reads: RuleFilter | None = None) -> Violation | None:
        value = {} if value is None else value  # as Go reads null into a struct
        body = ParsedBody(value, misfit(value) if has_parts(reads) else None)
        context = RequestContext(body, request.headers, model, known, stream, provider)
        return first_violation(BOOKS, context, reads)

    try:
        parts = PARTS.read(request.body)
        if parts is None:
            return found_in(value)
        return _ACCEPTED.judge(request, parts, provider=provider, traits=known, judge=found_in)
    except RecursionError:  # nested so deep that Python can just parse it: Cohere's answer is not known
        return None
