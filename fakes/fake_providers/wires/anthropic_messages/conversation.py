"""The messages of a request as the rules read them: blocks with their places, and runs of messages of one role.

The provider joins consecutive messages of one role before it checks the conversation. (Recorded: two assistant messages
with a call each, answered by one user message.) System messages separate runs.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from msgspec import Struct

from fake_providers.rulebook import RequestContext, Selector
from fake_providers.values.lenient import listed


class Block(Struct):
    """One content block: message `message`, position `index`. A string is a text block; a type that is not a string
    becomes ""."""

    message: int
    index: int
    role: str
    type: str
    body: dict[str, Any]

    @property
    def at(self) -> str:
        return f"messages.{self.message}.content.{self.index}"

    def text(self, name: str) -> str:
        """A string member of the block; "" if it is missing or not a string."""
        value = self.body.get(name)
        return value if isinstance(value, str) else ""


BlocksByType = Mapping[str, tuple[Block, ...]]
"""Blocks by their type."""


class Run(Struct):
    """Consecutive messages of one role; `first` is the index of the first of them."""

    role: str
    first: int
    blocks: tuple[Block, ...]
    by_type: BlocksByType

    def of_type(self, kind: str) -> tuple[Block, ...]:
        return self.by_type.get(kind, ())


class Conversation(Struct):
    """The parsed messages: every message that is an object, with its index, all their blocks, and the runs."""

    messages: tuple[tuple[int, dict[str, Any]], ...]
    blocks: tuple[Block, ...]
    by_type: BlocksByType
    runs: tuple[Run, ...]


def messages(context: RequestContext) -> tuple[tuple[int, dict[str, Any]], ...]:
    """Every message that is an object, with its index."""
    return _conversation(context).messages


def blocks(context: RequestContext, kind: str | None = None) -> tuple[Block, ...]:
    """Every block that is an object, optionally of one type. Content that is a plain string is left out."""
    conversation = _conversation(context)
    return conversation.blocks if kind is None else conversation.by_type.get(kind, ())


def runs(context: RequestContext) -> tuple[Run, ...]:
    """The conversation as runs. An empty message adds no block."""
    return _conversation(context).runs


def _conversation(context: RequestContext) -> Conversation:
    """Parsed once per request, because forty rules need it."""
    found: Conversation | None = context.read.get("conversation")
    if found is None:
        found = context.read["conversation"] = _read(context.body.get("messages"))
    return found


def _read(messages_value: Any) -> Conversation:
    found = tuple([(i, message) for i, message in enumerate(listed(messages_value)) if isinstance(message, dict)])
    role_runs: list[tuple[str, int, list[Block]]] = []
    listed_blocks: list[Block] = []
    for i, message in found:
        role, content = str(message.get("role")), message.get("content")
        if not role_runs or role_runs[-1][0] != role:
            role_runs.append((role, i, []))
        if isinstance(content, str) and content:
            role_runs[-1][2].append(Block(i, 0, role, "text", {"type": "text", "text": content}))
        elif isinstance(content, list):
            own = _blocks(i, role, content)
            listed_blocks += own
            role_runs[-1][2].extend(own)
    runs = tuple(Run(role, first, tuple(own), _by_kind(own)) for role, first, own in role_runs)
    return Conversation(found, tuple(listed_blocks), _by_kind(listed_blocks), runs)


def _blocks(message: int, role: str, content: list[Any]) -> list[Block]:
    return [
        Block(message, index, role, kind if isinstance(kind := block.get("type"), str) else "", block)
        for index, block in enumerate(content)
        if isinstance(block, dict)
    ]


def _by_kind(messages_value: list[Block]) -> BlocksByType:
    by_type: dict[str, list[Block]] = {}
    for block in messages_value:
        by_type.setdefault(block.type, []).append(block)
    return {kind: tuple(blocks) for kind, blocks in by_type.items()}


def blocks_of(kind: str | None = None) -> Selector:
    """Each block, optionally of one type. `messages.{item.message}` is the place of its message."""
    return Selector(
        lambda context: [(block,) for block in blocks(context, kind)], "{item.at}", (), "parts", ("conversation",)
    )


def _each_run(context: RequestContext) -> Iterator[tuple[Any, ...]]:
    found = runs(context)
    yield from zip(found, (None, *found), (*found[1:], None), strict=False)


MESSAGE: Final = Selector(
    lambda context: [(one, i) for i, one in messages(context)], "messages.{i}", ("i",), "parts", ("conversation",)
)
BLOCK: Final = blocks_of()
TEXT: Final = blocks_of("text")
CALL: Final = blocks_of("tool_use")
RESULT: Final = blocks_of("tool_result")
RUN: Final = Selector(_each_run, "messages.{item.first}", ("before", "after"), "exchanges", ("conversation",))
"""Each run with those before and after it."""
