"""OpenAI's rules for chat completions, in the order in which the API checks them.

The order was measured with bodies that break two rules at once: a missing model, missing messages, an unknown key, then
the fields (messages, functions, tools, ...), then parameters and values that the model does not support, and the
content of messages last of all. The place of the schemas of functions and of the pairing of calls is inferred.
"""

from functools import partial
from typing import Annotated, Any, Literal

import msgspec

from fake_providers.http import Request
from fake_providers.models import traits
from fake_providers.rule import Violation
from fake_providers.rulebook import RequestContext, RuleFilter, first_violation
from fake_providers.skippable_forms import Conversation, Form, FunctionCall, FunctionTool, Id, Said, Usual
from fake_providers.verdict_cache import VerdictCache
from fake_providers.wires.openai_chat.rules import calls, capabilities, declared, media, messages, parameters, tools
from fake_providers.wires.openai_shared.request_body import judge_body, model_of, wants_stream

BOOKS = (
    parameters.BODY_BOOK,
    messages.LIST,
    calls.ITEM_RULES,
    tools.LIST,
    tools.ITEM_RULES,
    tools.BOOK,
    parameters.ITEM_RULES,
    parameters.BOOK,
    tools.SCHEMAS_ITEM_RULES,
    capabilities.ABILITIES_BOOK,
    capabilities.BOOK,
    media.BOOK,
    parameters.DEDUCED,
    parameters.COMBINED,
    messages.CONVERSATION_ITEM_RULES,
    messages.MISSING_CONTENT_ITEM_RULES,
    declared.BOOK,
)
RULES = tuple(rule for book in BOOKS for rule in book.rules)


class _Answer(Form):
    role: Literal["assistant"]
    content: str | None = None
    tool_calls: Annotated[list[FunctionCall], msgspec.Meta(min_length=1)] | msgspec.UnsetType = msgspec.UNSET

    def follow(self, conversation: Conversation) -> Conversation | None:
        if self.tool_calls is msgspec.UNSET:
            return conversation.model(self.content or "")
        return conversation.calls([call.id for call in self.tool_calls])


class _Result(Form):
    role: Literal["tool"]
    tool_call_id: Id
    content: str

    def follow(self, conversation: Conversation) -> Conversation | None:
        return conversation.result(self.tool_call_id)


MESSAGES = Usual("role", Said, _Answer, _Result)
TOOLS = Usual("type", FunctionTool)

_traits = partial(traits, "openai-chat")
_ACCEPTED = VerdictCache(*BOOKS, messages=MESSAGES, tools=TOOLS)


def judge(request: Request, *, provider: str) -> Violation | None:
    def found_in(value: Any, reads: RuleFilter | None) -> Violation | None:
        model = model_of(value)
        context = RequestContext(value, request.headers, model, _traits(model), wants_stream(value), provider)
        return first_violation(BOOKS, context, reads)

    return judge_body(request, found_in, provider=provider, traits=_traits, accepted=_ACCEPTED)
