"""The forms of usual messages and tools, which break no rule where the parameters were accepted before."""

from collections.abc import Sequence
from typing import Annotated, Any, Literal, TypeAlias

import msgspec

from fake_providers.skippable_forms import Conversation, Form, Id, Name, OneMember, Usual

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
