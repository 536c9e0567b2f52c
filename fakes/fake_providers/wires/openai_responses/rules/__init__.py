"""OpenAI's rules for Responses, in the order in which the API checks them.

The order was measured with bodies that break two rules at once: model, input, unknown keys, then the fields one by one
(the items of the input first), then what the provider has stored, then an empty input, then what the model does not
support. The place of schemas and of the pairing of items is inferred.
"""

from collections.abc import Sequence
from functools import partial
from typing import Any, Literal

from msgspec.structs import replace

from fake_providers.http import Request
from fake_providers.models import traits
from fake_providers.rule import Violation
from fake_providers.rulebook import RequestContext, RuleFilter, asked_books, first_violation
from fake_providers.skippable_forms import Conversation, Form, Id, Name, Parameters, Usual
from fake_providers.verdict_cache import VerdictCache
from fake_providers.wires.openai_responses.conversation import conversation_of
from fake_providers.wires.openai_responses.request import model_of, wants_stream
from fake_providers.wires.openai_responses.rules import (
    capabilities,
    content,
    declared,
    items,
    pairing,
    parameters,
    tools,
)
from fake_providers.wires.openai_shared.request_body import body_of, judge_body

FIELDS = (
    parameters.BODY_BOOK,
    items.ITEM_RULES,
    parameters.EARLY,
    tools.BOOK,
    tools.ITEM_RULES,
    tools.SCHEMAS_ITEM_RULES,
    tools.CHOICES_BOOK,
    parameters.LATE,
    parameters.BOOK,
    declared.BOOK,
)
"""The rules on the body itself. `calls` and `content` add rules on the items of the input."""

WHOLE = (pairing.STATE_BOOK, pairing.REASONING_BOOK, capabilities.ABILITIES_BOOK, capabilities.BOOK, pairing.BOOK)
"""The rules on the body together with what it refers to: `RequestContext.body` is a `Conversation`."""

RULES = tuple(rule for book in (*FIELDS, *WHOLE) for rule in book.rules)


class _Said(Form):
    role: Literal["system", "user", "assistant"]
    content: str

    def follow(self, conversation: Conversation) -> Conversation | None:
        if self.role == "assistant":
            return conversation.model(self.content)
        return conversation.user(self.content) if self.role == "user" else conversation.system(self.content)


class _Call(Form):
    type: Literal["function_call"]
    call_id: Id
    name: Name
    arguments: str

    def follow(self, conversation: Conversation) -> Conversation | None:
        return conversation.calls((self.call_id,), beside_others=True)


class _Result(Form):
    type: Literal["function_call_output"]
    call_id: Id
    output: str

    def follow(self, conversation: Conversation) -> Conversation | None:
        return conversation.result(self.call_id)


class _Function(Form):
    type: Literal["function"]
    name: Name
    parameters: Parameters
    description: str = ""
    strict: Literal[False] = False

    @property
    def names(self) -> Sequence[str]:
        return (self.name,)


ITEMS = Usual("type", _Said, _Call, _Result)
TOOLS = Usual("type", _Function)

_traits = partial(traits, "openai-responses")
_ACCEPTED = VerdictCache(*FIELDS, *WHOLE, messages=ITEMS, tools=TOOLS)
_ACCEPTED_FIELDS = VerdictCache(*FIELDS, messages=ITEMS, tools=TOOLS)
"""What was accepted beside stored items, by the rules on the body itself."""

__all__ = ["FIELDS", "RULES", "WHOLE", "content", "judge"]


def judge(request: Request, *, provider: str) -> Violation | None:
    """What is stored is read by the rules of `WHOLE` alone: the others need not look again at what they accepted."""

    def in_fields(value: Any, reads: RuleFilter | None) -> Violation | None:
        return first_violation(FIELDS, context_of(value), reads)

    def in_all(value: Any, reads: RuleFilter | None) -> Violation | None:
        context = context_of(value)
        violation = first_violation(FIELDS, context, reads)
        if violation is not None or not asked_books(WHOLE, provider, context.traits, reads):
            return violation
        return first_violation(WHOLE, context.about(conversation_of(value, None)), reads)

    def context_of(value: Any) -> RequestContext:
        model = model_of(value)
        return RequestContext(value, request.headers, model, _traits(model), wants_stream(value), provider)

    if request.stored is None:
        return judge_body(request, in_all, provider=provider, traits=_traits, accepted=_ACCEPTED)
    apart = replace(request, stored=None)
    violation = judge_body(apart, in_fields, provider=provider, traits=_traits, accepted=_ACCEPTED_FIELDS)
    body = body_of(request)
    if violation is not None or not isinstance(body, dict):
        return violation
    try:
        return first_violation(WHOLE, context_of(body).about(conversation_of(body, request.stored)), None)
    except RecursionError:  # a body with a thousand levels: the provider's answer is not known
        return None
