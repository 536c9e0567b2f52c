"""The messages of a request as rules look at them: blocks with their places, runs of one role joined. Knows no rule.

The provider joins messages of one role in a row before it looks at the conversation (recorded: two assistant messages
with a call each, answered by one user message). System messages stand between runs.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from fakes.rulebook import RequestContext


@dataclass(frozen=True, slots=True)
class Block:
    """One content block, in message `message` at `index`. A string is a text block; a type that is no text is empty."""

    message: int
    index: int
    role: str
    type: str
    body: dict[str, Any]

    @property
    def at(self) -> str:
        return f"messages.{self.message}.content.{self.index}"

    def text(self, name: str) -> str:
        """A member that is to be text, empty where it is not."""
        value = self.body.get(name)
        return value if isinstance(value, str) else ""


Kinds = Mapping[str, tuple[Block, ...]]
"""Blocks by their type."""


@dataclass(frozen=True, slots=True)
class Run:
    """Messages of one role in a row; `first` is the index of the first one."""

    role: str
    first: int
    blocks: tuple[Block, ...]
    kinds: Kinds = field(repr=False)

    def of(self, kind: str) -> tuple[Block, ...]:
        return self.kinds.get(kind, ())


@dataclass(frozen=True, slots=True)
class Conversation:
    """What is read of the messages: those that are objects, with their indexes; their blocks; and the runs."""

    messages: tuple[tuple[int, dict[str, Any]], ...]
    blocks: tuple[Block, ...]
    kinds: Kinds
    runs: tuple[Run, ...]


def messages(context: RequestContext) -> tuple[tuple[int, dict[str, Any]], ...]:
    """Every message that is an object, with its index."""
    return _conversation(context).messages


def blocks(context: RequestContext, kind: str | None = None) -> tuple[Block, ...]:
    """Every block that is an object, strings left out, of one type where it is given."""
    conversation = _conversation(context)
    return conversation.blocks if kind is None else conversation.kinds.get(kind, ())


def runs(context: RequestContext) -> tuple[Run, ...]:
    """The conversation, empty messages contributing no block."""
    return _conversation(context).runs


def _conversation(context: RequestContext) -> Conversation:
    """Read once: forty rules ask for it."""
    found: Conversation | None = context.read.get("conversation")
    if found is None:
        found = context.read["conversation"] = _read(context.body.get("messages"))
    return found


def _read(listed: Any) -> Conversation:
    found = tuple((i, m) for i, m in enumerate(listed if isinstance(listed, list) else ()) if isinstance(m, dict))
    joined: list[tuple[str, int, list[Block]]] = []
    in_lists: list[Block] = []
    for i, message in found:
        role, content = str(message.get("role")), message.get("content")
        if not joined or joined[-1][0] != role:
            joined.append((role, i, []))
        if isinstance(content, str) and content:
            joined[-1][2].append(Block(i, 0, role, "text", {"type": "text", "text": content}))
        elif isinstance(content, list):
            own = list(_blocks(i, role, content))
            in_lists += own
            joined[-1][2].extend(own)
    together = tuple(Run(role, first, tuple(own), _by_kind(own)) for role, first, own in joined)
    return Conversation(found, tuple(in_lists), _by_kind(in_lists), together)


def _blocks(message: int, role: str, content: list[Any]) -> Iterator[Block]:
    for index, block in enumerate(content):
        if isinstance(block, dict):
            kind = block.get("type")
            yield Block(message, index, role, kind if isinstance(kind, str) else "", block)


def _by_kind(listed: list[Block]) -> Kinds:
    kinds: dict[str, tuple[Block, ...]] = {}
    for kind in {block.type for block in listed}:
        kinds[kind] = tuple(block for block in listed if block.type == kind)
    return kinds
