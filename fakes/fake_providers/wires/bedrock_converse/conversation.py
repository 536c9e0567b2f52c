"""The messages of a request as the rules read them: as they stand, and joined by role.

The service accepts several messages of one role in a row and joins them for the model, but it pairs calls with results
before that: every call is answered in the very next message.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from msgspec import Struct

from fake_providers.rulebook import RequestContext, Selector
from fake_providers.values.lenient import listed, members
from fake_providers.wires.bedrock_converse.request import tool_specs


class Block(Struct):
    """One content block with the place that the service gives it, and its kind: the member that is set, or ""."""

    at: str
    kind: str
    value: Any


class Turn(Struct):
    """One message. `joined` is its place among the messages that the model sees; `calls` has the ids of the calls that
    the client must answer, which those of the service's own tools are not, and `results` those of a user's results."""

    index: int
    joined: int
    role: str
    blocks: tuple[Block, ...]
    kinds: frozenset[str]
    calls: tuple[str, ...]
    results: tuple[str, ...]

    @property
    def at(self) -> str:
        return f"messages.{self.index}"

    @property
    def is_blank(self) -> bool:
        """Whether it has white space alone."""
        return self.kinds == {"text"} and not any(block.value.strip() for block in self.blocks)

    def of_kind(self, *kinds: str) -> tuple[Block, ...]:
        if self.kinds.isdisjoint(kinds):
            return ()
        return tuple([block for block in self.blocks if block.kind in kinds])


KINDS = frozenset(
    (
        "text",
        "image",
        "document",
        "video",
        "audio",
        "toolUse",
        "toolResult",
        "guardContent",
        "cachePoint",
        "reasoningContent",
        "citationsContent",
        "searchResult",
        "toolAddition",
        "toolRemoval",
    )
)


def turns(context: RequestContext) -> tuple[Turn, ...]:
    """Parsed once for all rules. Only called for a body whose shape is right."""
    found: tuple[Turn, ...] | None = context.read.get("turns")
    if found is None:
        found = context.read["turns"] = _turns(context.body)
    return found


def joined(context: RequestContext) -> tuple[tuple[Turn, ...], ...]:
    """The messages of one role that follow each other, as the model sees them."""
    runs: list[list[Turn]] = []
    for turn in turns(context):
        if turn.joined == len(runs):
            runs.append([])
        runs[turn.joined].append(turn)
    return tuple(map(tuple, runs))


def _turns(body: Mapping[str, Any]) -> tuple[Turn, ...]:
    found: list[Turn] = []
    position, last = -1, None
    for index, message in enumerate(listed(body.get("messages"))):
        role = message["role"]
        position += role != last
        last = role
        place = f"messages.{index}.content."
        blocks = [_block(f"{place}{number}", block) for number, block in enumerate(message["content"])]
        kinds = frozenset([block.kind for block in blocks])
        calls: list[str] = []
        results: list[str] = []
        if role == "assistant" and "toolUse" in kinds:
            uses = [block.value for block in blocks if block.kind == "toolUse"]
            calls = [use["toolUseId"] for use in uses if use.get("type") != "server_tool_use"]
        elif role == "user" and "toolResult" in kinds:
            results = [block.value["toolUseId"] for block in blocks if block.kind == "toolResult"]
        found.append(Turn(index, position, role, tuple(blocks), kinds, tuple(calls), tuple(results)))
    return tuple(found)


def _block(at: str, block: Any) -> Block:
    for name, value in members(block).items():
        if name in KINDS and value is not None:
            return Block(at, name, value)
    return Block(at, "", None)


def blocks_of(*kinds: str) -> Selector:
    """Each block, of these kinds if there are any."""

    def find(context: RequestContext) -> Iterator[tuple[Any, ...]]:
        for turn in turns(context):
            for block in turn.of_kind(*kinds) if kinds else turn.blocks:
                yield block, turn

    return Selector(find, "{item.at}", ("turn",), "parts", ("conversation",))


def _near(context: RequestContext) -> Iterator[tuple[Any, ...]]:
    found = turns(context)
    yield from zip(found, (None, *found), (*found[1:], None), strict=False)


def _documents(context: RequestContext) -> Iterator[tuple[dict[str, Any], str]]:
    """Every document with its place, also those within results."""
    for turn in turns(context):
        for block in turn.blocks:
            if block.kind == "document":
                yield block.value, f"{block.at}.document"
            for number, part in enumerate(block.value["content"] if block.kind == "toolResult" else ()):
                if isinstance(members(part).get("document"), dict):
                    yield part["document"], f"{block.at}.toolResult.content.{number}.document"


def _schemas(context: RequestContext) -> list[tuple[Any, int]]:
    return [(members(spec.get("inputSchema")).get("json"), index) for index, spec in tool_specs(context.body)]


BLOCK: Final = blocks_of()
CALL: Final = blocks_of("toolUse")
RESULT: Final = blocks_of("toolResult")
DOCUMENT: Final = Selector(_documents, "{path}", ("path",), "parts", ("conversation",))
TURN: Final = Selector(
    lambda context: [(turn,) for turn in turns(context)], "{item.at}", (), "parts", ("conversation",)
)
NEAR_TURN: Final = Selector(_near, "{item.at}", ("before", "after"), "exchanges", ("conversation",))
"""Each message with those before and after it, as they were sent: the service pairs them before it joins any."""
SCHEMA: Final = Selector(_schemas, "toolConfig.tools.{i}.toolSpec.inputSchema.json", ("i",), "parts", ("tool",))
