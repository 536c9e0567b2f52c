"""All rules of Bedrock's Converse in its three layers: the shape, the service, and the model.

That the layers come in this order is certain; the order within the service's is ours.
Rules on parameters look at any message (`ANY_MESSAGE`), too: beside one of the wrong shape they are not reached.
"""

from collections.abc import Sequence
from typing import Annotated, Any, Literal, TypeAlias

import msgspec

from fake_providers.http import Request
from fake_providers.rule import Rule, Violation
from fake_providers.rulebook import UNUSUAL, Breach, RequestContext, RuleFilter, first_violation, has_parts
from fake_providers.skippable_forms import Conversation, Form, Id, Name, OneMember, Usual
from fake_providers.verdict_cache import VerdictCache
from fake_providers.wires.bedrock_converse.errors import MODEL, envelope
from fake_providers.wires.bedrock_converse.request import NOT_JSON, PARTS, body_of, is_invoke, target_of, traits_at
from fake_providers.wires.bedrock_converse.rules import claude, fields, messages, shape, tools
from fake_providers.wires.bedrock_converse.shapes import shape_faults

_Written: TypeAlias = Annotated[str, msgspec.Meta(pattern=r"\S")]
"""No blank text."""


class _Returned(OneMember):
    text: str | msgspec.UnsetType = msgspec.UNSET
    json: dict[str, Any] | msgspec.UnsetType = msgspec.UNSET


class _ToolUse(Form):
    toolUseId: Id  # noqa: N815 - Bedrock's names
    name: Name
    input: dict[str, Any]


class _ToolResult(Form):
    toolUseId: Id  # noqa: N815
    content: Annotated[list[_Returned], msgspec.Meta(min_length=1)]
    status: Literal["success", "error"] = "success"


class _Said(OneMember):
    text: _Written | msgspec.UnsetType = msgspec.UNSET
    toolUse: _ToolUse | msgspec.UnsetType = msgspec.UNSET  # noqa: N815


class _Asked(OneMember):
    text: _Written | msgspec.UnsetType = msgspec.UNSET
    toolResult: _ToolResult | msgspec.UnsetType = msgspec.UNSET  # noqa: N815


class _Answer(Form):
    role: Literal["assistant"]
    content: Annotated[list[_Said], msgspec.Meta(min_length=1)]

    def follow(self, conversation: Conversation) -> Conversation | None:
        calls = [said.toolUse.toolUseId for said in self.content if said.toolUse is not msgspec.UNSET]
        if calls:
            return conversation.calls(calls)
        return Conversation("model", (), conversation.ids) if conversation.is_whole else None


class _User(Form):
    role: Literal["user"]
    content: Annotated[list[_Asked], msgspec.Meta(min_length=1)]

    def follow(self, conversation: Conversation) -> Conversation | None:
        """Each call has its result in the very next message, and nothing stands beside results."""
        results = [part.toolResult.toolUseId for part in self.content if part.toolResult is not msgspec.UNSET]
        if not results:
            is_here = conversation.last in ("nothing", "model")
            return Conversation("user", (), conversation.ids) if is_here else None
        answers_all = len(results) == len(self.content) and sorted(results) == sorted(conversation.open)
        return Conversation("results", (), conversation.ids) if answers_all else None


class _Schema(msgspec.Struct):
    """Of any form but for what its root must have, and what some models do not take there."""

    type: Literal["object"]
    definitions: msgspec.UnsetType = msgspec.UNSET


class _Input(Form):
    json: _Schema


class _Spec(Form):
    name: Name
    inputSchema: _Input  # noqa: N815
    description: Annotated[str, msgspec.Meta(min_length=1)] | msgspec.UnsetType = msgspec.UNSET


class _Tool(Form):
    toolSpec: _Spec  # noqa: N815

    @property
    def names(self) -> Sequence[str]:
        return (self.toolSpec.name,)


MESSAGES = Usual("role", _User, _Answer)
TOOLS = Usual("type", _Tool)


SERVICE = (
    messages.MODEL_BOOK,
    messages.BOOK,
    tools.BOOK,
    messages.DOCUMENTS_BOOK,
    fields.BOOK,
    messages.CACHING_BOOK,
)
BOOKS = (shape.BOOK, *SERVICE, claude.BOOK)


_ACCEPTED = VerdictCache(*BOOKS, messages=MESSAGES, tools=TOOLS)
NO_CONFIG = frozenset(("no-tool-config",))
"""What a request without tools has beside the traits of its model: it may have no calls either."""
RULES: tuple[Rule, ...] = (*fields.RULES, *(rule for book in BOOKS for rule in book.rules))


def judge(request: Request, *, provider: str) -> Violation | None:
    """The first rule that the request breaks, in the provider's layers. Does not check the key."""
    body = body_of(request)
    target = target_of(request)
    traits = traits_at(request) if isinstance(body, dict) and "toolConfig" in body else traits_at(request) | NO_CONFIG

    def found_in(value: Any, reads: RuleFilter | None = None) -> Violation | None:
        if reads is not None and reads.reads in ("parts", "exchanges") and not _may_have_new_tools(reads):
            value = _with_one_tool(value)
        context = RequestContext(value, request.headers, target.model, traits, target.stream, provider)
        if has_parts(reads):
            faults = shape_faults(value, "converse-stream" if target.stream else "converse")
            if faults:
                found = shape.BOOK.judge(context.about(shape.Payload(faults)))
                if found is not None or any(fault.kind in ("type", "null") for fault in faults):
                    return found  # where it is tolerated, there is nothing that later rules could read
        return first_violation(BOOKS[1:], context, reads)

    if body is NOT_JSON:
        context = RequestContext(body, request.headers, target.model, traits, target.stream, provider)
        return _violation(fields.NOT_JSON, "The body is no JSON.", context, at="body")
    parts = PARTS.read(request.body)
    if parts is None:
        return found_in(body)
    return _ACCEPTED.judge(request, parts, provider=provider, traits=traits, judge=found_in)


def _may_have_new_tools(reads: RuleFilter) -> bool:
    return reads.reads == "parts" and UNUSUAL["tool"] not in reads.absent


def _with_one_tool(body: dict[str, Any]) -> dict[str, Any]:
    """For rules that do not compare tools, where all of them were accepted, or are usual."""
    config = body.get("toolConfig")
    if not isinstance(config, dict) or not isinstance(config.get("tools"), list):
        return body
    return {**body, "toolConfig": {**config, "tools": config["tools"][:1]}}


def missing_key(request: Request) -> Violation | None:
    """None for any signature and any bearer key, also one in the query."""
    if request.headers.get("authorization") or "X-Amz-Signature=" in request.path:
        return None
    context = RequestContext({}, request.headers, "", frozenset(), False, "bedrock")
    return _violation(fields.MISSING_KEY, fields.NO_KEY, context, at="authorization")


def too_long(request: Request, *, provider: str) -> Violation:
    model = target_of(request).model
    context = RequestContext({}, request.headers, model, traits_at(request), False, provider)
    sentence = fields.TOO_LONG_NOVA if "nova" in context.traits else fields.TOO_LONG_CLAUDE
    sentence = sentence.removeprefix(MODEL) if is_invoke(request) else sentence
    return _violation(fields.INPUT_TOO_LONG, sentence, context, at="messages")


def _violation(rule: Rule, message: str, context: RequestContext, *, at: str) -> Violation:
    return Violation(rule.id, rule.status, envelope(rule, Breach(at, message), context), message, at, rule.confidence)
