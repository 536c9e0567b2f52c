"""Rules on cache points: what they stand after, and how many there are. Knows no tool."""

from collections.abc import Iterator
from typing import Any

from fake_providers.rulebook import Breach, RequestContext, Rulebook
from fake_providers.wires.bedrock_converse.conversation import turns
from fake_providers.wires.bedrock_converse.errors import MODEL, envelope
from fake_providers.wires.bedrock_converse.request import items, members
from fake_providers.wires.bedrock_converse.rules.samples import (
    LLAMA,
    POINT,
    assistant,
    bedrock_path,
    cite,
    sample_request,
    user,
)

BOOK = Rulebook(envelope)
MOST_POINTS = 4
NOTHING_TO_CACHE = "There is nothing available to cache. Please remove the invalid cache point and try again."
CACHE_DENIED = (
    "You invoked an unsupported model or your request did not allow prompt caching. See the documentation for more "
    "information."
)


def _lists(context: RequestContext) -> Iterator[tuple[str, list[Any]]]:
    """Every list that can have cache points, in the order in which they count."""
    yield "toolConfig.tools", items(members(context.body.get("toolConfig")).get("tools"))
    yield "system", items(context.body.get("system"))
    for index, message in enumerate(items(context.body.get("messages"))):
        yield f"messages.{index}.content", message["content"]


def _has_point(block: Any) -> bool:
    """A point beside another member of its block is not known to count."""
    return len(members(block)) == 1 and block.get("cachePoint") is not None


@BOOK.rule(
    "bedrock/cache-denied",
    status=403,
    why="The request has a cache point, and the model caches nothing.",
    models="GLM, Kimi, Qwen, Gemma, Nemotron, Llama, Mistral, Writer, Cohere, Claude 3",
    confidence="verbatim",
    evidence=cite("seven public quotes", quote=CACHE_DENIED),
    breaking=sample_request(user("a", POINT)),
    accepted=sample_request(user("a")),
    path=bedrock_path(LLAMA),
)
def cache_denied(context: RequestContext) -> Breach | None:
    for at, blocks in _lists(context) if "no-cache" in context.traits else ():
        for number, block in enumerate(blocks):
            if _has_point(block):
                return Breach(f"{at}.{number}", CACHE_DENIED)
    return None


@BOOK.rule(
    "bedrock/cache-point-first",
    why="A cache point has nothing before it in its list.",
    confidence="recorded",
    evidence=cite("recordings of pydantic/pydantic-ai", quote=NOTHING_TO_CACHE),
    breaking=sample_request(user(POINT, "a")),
    accepted=sample_request(user("a")),
)
def cache_point_first(context: RequestContext) -> Breach | None:
    for at, blocks in _lists(context):
        if blocks and _has_point(blocks[0]):
            return Breach(f"{at}.0", NOTHING_TO_CACHE)
    return None


@BOOK.rule(
    "bedrock/cache-point-after-reasoning",
    why="A cache point stands right after reasoning, as in a turn that was aborted while the model thought.",
    confidence="verbatim",
    evidence=cite(
        "anomalyco/opencode#36517",
        quote="Cache point cannot be inserted after reasoning block. Please remove the invalid cache point and try "
        "again.",
    ),
    breaking=sample_request(
        user("a"), assistant("b", {"reasoningContent": {"redactedContent": "YQ=="}}, POINT), user("c")
    ),
    accepted=sample_request(user("a"), assistant("b", {"reasoningContent": {"redactedContent": "YQ=="}}), user("c")),
)
def cache_point_after_reasoning(context: RequestContext) -> Breach | None:
    for turn in turns(context):
        for before, block in zip(turn.blocks, turn.blocks[1:], strict=False):
            if block.kind == "cachePoint" and before.kind == "reasoningContent":
                return Breach(
                    block.at,
                    "Cache point cannot be inserted after reasoning block. Please remove the invalid cache point and "
                    "try again.",
                )
    return None


@BOOK.rule(
    "bedrock/too-many-cache-points",
    why="There are more than four cache points, such as one for each step: keep the last ones.",
    confidence="verbatim",
    evidence=cite(
        "twentyhq/twenty#26217",
        quote="A maximum of 4 blocks with cache_control may be provided. Found 5.",
    ),
    breaking=sample_request(user(*["a", POINT] * 4), system=[{"text": "b"}, POINT]),
    accepted=sample_request(user(*["a", POINT] * 4), system=[{"text": "b"}]),
)
def too_many_cache_points(context: RequestContext) -> Breach | None:
    if "claude" not in context.traits:
        return None
    found = [f"{at}.{number}" for at, blocks in _lists(context) for number, one in enumerate(blocks) if _has_point(one)]
    if len(found) <= MOST_POINTS:
        return None
    sentence = f"A maximum of {MOST_POINTS} blocks with cache_control may be provided. Found {len(found)}."
    return Breach(found[0], MODEL + sentence)
