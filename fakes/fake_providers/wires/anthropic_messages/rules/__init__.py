"""All rules of the Messages API in the provider's order of checks, and the function that checks a request against them.

The order was measured with requests that break two rules at once: model, tool_choice, tools, messages, the other fields
one by one, unknown keys, and only then the conversation as a whole. The order within the last part is ours.
"""

from collections.abc import Sequence
from typing import Annotated, Any, Literal

import msgspec

from fake_providers.http import Request
from fake_providers.models import traits
from fake_providers.rule import Rule, Violation
from fake_providers.rulebook import Breach, RequestContext, RuleFilter, first_violation
from fake_providers.skippable_forms import Conversation, Form, Id, Name, Parameters, Untyped, Usual
from fake_providers.verdict_cache import VerdictCache
from fake_providers.wires.anthropic_messages.errors import KINDS, envelope
from fake_providers.wires.anthropic_messages.json_parser import (
    PARTS,
    LoneSurrogateError,
    NotJsonError,
    model_of,
    read,
    wants_stream,
)
from fake_providers.wires.anthropic_messages.message_threads import is_continued
from fake_providers.wires.anthropic_messages.rules import (
    blocks,
    capabilities,
    content,
    declared,
    fields,
    messages,
    pairing,
    strict,
    thinking,
    tools,
)

WIRE_NAME = "anthropic-messages"
FIELDS = (fields.MODEL_BOOK, tools.BOOK, messages.BOOK, blocks.BOOK, content.FIELDS, fields.BOOK)
CONVERSATION = (
    capabilities.BOOK,
    messages.SYSTEM_BOOK,
    content.BOOK,
    pairing.BOOK,
    thinking.BOOK,
    messages.LAST_MESSAGE_BOOK,
    strict.BOOK,
    capabilities.LAST,
    declared.BOOK,
)
ALL = (*FIELDS, *CONVERSATION)
RULES: tuple[Rule, ...] = (*fields.RULES, *(rule for book in ALL for rule in book.rules))


class _Text(Form, tag_field="type", tag="text"):
    text: Annotated[str, msgspec.Meta(min_length=1)]


class _ToolUse(Form, tag_field="type", tag="tool_use"):
    id: Id
    name: Name
    input: dict[str, Any]


class _ToolResult(Form, tag_field="type", tag="tool_result"):
    tool_use_id: Id
    content: str | list[_Text | Untyped]
    is_error: bool = False

    def __post_init__(self) -> None:
        if self.is_error and not self.content:
            raise ValueError("an error without a text")


class _Answer(Form):
    role: Literal["assistant"]
    content: str | list[_Text | _ToolUse]

    def follow(self, conversation: Conversation) -> Conversation | None:
        """Nothing follows its calls."""
        if isinstance(self.content, str):
            return conversation.model(self.content)
        text, ids = "", list[str]()
        for block in self.content:
            if isinstance(block, _ToolUse):
                ids.append(block.id)
            elif ids:
                return None
            else:
                text += block.text
        return conversation.calls(ids) if ids else conversation.model(text)


class _User(Form):
    role: Literal["user"]
    content: str | list[_Text | _ToolResult]

    def follow(self, conversation: Conversation) -> Conversation | None:
        """The results of all calls come first in it."""
        if isinstance(self.content, str):
            return conversation.user(self.content)
        text, found = "", conversation
        for block in self.content:
            if isinstance(block, _Text):
                text += block.text
                continue
            after = None if text else found.result(block.tool_use_id)
            if after is None:
                return None
            found = after
        if found is conversation:
            return conversation.user(text)
        return found if found.is_whole else None


class _Tool(Form):
    name: Name
    input_schema: Parameters
    description: str = ""

    @property
    def names(self) -> Sequence[str]:
        return (self.name,)


MESSAGES = Usual("role", _User, _Answer)
TOOLS = Usual("type", _Tool)

_ACCEPTED = VerdictCache(*ALL, messages=MESSAGES, tools=TOOLS)


def judge(request: Request, *, provider: str) -> Violation | None:
    """The first rule that the request breaks. Does not check the key.

    A request that continues a thread is checked by its fields alone, because the earlier messages are not known here.
    """
    if len(request.body) > fields.LARGEST:
        return _violation(fields.TOO_LARGE, KINDS[413][1], _context_of(request, {}, provider))
    try:
        body = read(request.body)
    except NotJsonError as error:
        rule = fields.LONE_SURROGATE if isinstance(error, LoneSurrogateError) else fields.NOT_JSON
        return _violation(rule, f"The request body is not valid JSON: {error}", _context_of(request, {}, provider))
    if not isinstance(body, dict):
        return _violation(fields.NOT_OBJECT, "Input should be an object", _context_of(request, {}, provider))
    books = FIELDS if is_continued(body) else ALL

    def found_in(value: Any, reads: RuleFilter | None = None) -> Violation | None:
        context = _context_of(request, value, provider)
        return first_violation(books, context, reads)

    parts = PARTS.read(request.body)
    if parts is None or books is FIELDS:
        return found_in(body)
    known = traits(WIRE_NAME, model_of(body))
    return _ACCEPTED.judge(request, parts, provider=provider, traits=known, judge=found_in)


def missing_key(request: Request) -> Violation | None:
    """The violation for a request without a key. Depending on their version, SDKs send it in one of two headers."""
    if request.headers.get("x-api-key") or request.headers.get("authorization"):
        return None
    return _violation(fields.KEY_MISSING, "x-api-key header is required", _context_of(request, {}, "anthropic"))


def too_long(request: Request, *, tokens: int, window: int) -> Violation:
    sentence = f"prompt is too long: {tokens} tokens > {window} maximum"
    return _violation(fields.TOO_LONG, sentence, _context_of(request, {}, "anthropic"), at="messages")


def _context_of(request: Request, body: dict[str, Any], provider: str) -> RequestContext:
    name = model_of(body)
    return RequestContext(body, request.headers, name, traits(WIRE_NAME, name), wants_stream(body), provider)


def _violation(rule: Rule, message: str, context: RequestContext, at: str = "") -> Violation:
    body = envelope(rule, Breach(at, message), context)
    return Violation(rule.id, rule.status, body, message, at, rule.confidence)
