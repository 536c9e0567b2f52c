"""Rules of the service on calls and their results, message by message, and on what may stand beside them."""

from collections.abc import Sequence
from typing import Any

from fake_providers.rulebook import NEAR_MESSAGES, RequestContext, Rulebook
from fake_providers.wires.bedrock_converse.conversation import NEAR_TURN, Turn, joined
from fake_providers.wires.bedrock_converse.errors import envelope
from fake_providers.wires.bedrock_converse.rules.samples import (
    LLAMA,
    MODEL_TABLE,
    bedrock_path,
    call,
    cite,
    result,
    sample_with_tools,
    user,
)

BOOK = Rulebook(envelope)
CONVERSATION = ("text", "image", "document", "video", "audio", "guardContent", "searchResult")
"""Kinds of blocks that are neither of tools nor of reasoning."""


def _twice(ids: Sequence[str]) -> str:
    return "" if len(ids) < 2 else ", ".join(dict.fromkeys([id for id in ids if ids.count(id) > 1]))


def _unanswered(turn: Turn, after: Turn | None) -> dict[str, Any] | None:
    missing = [id for id in turn.calls if after is None or id not in after.results]
    return {"next": turn.index + 1, "ids": ", ".join(missing)} if missing else None


def _mixed(context: RequestContext, role: str, kind: str) -> Turn | None:
    """The message with such blocks of tools, where it or one that is joined with it has others."""
    for run in joined(context):
        found = next((turn for turn in run if turn.role == role and turn.of_kind(kind)), None)
        if found and any(turn.of_kind(*CONVERSATION) for turn in run):
            return found
    return None


# A table: two rows are to be compared.
# fmt: off
BOOK.row("bedrock/tool-use-ids-duplicate",
    "Two calls of one message have the same id; the same id in a later turn is not known to be refused.",
    NEAR_TURN, lambda turn: _twice(turn.calls), "The toolUse blocks at {at} contain duplicate Ids: {found}", ".content",
    needs="toolUse",
    wrong=sample_with_tools("a", [call(), call()], result()), right=sample_with_tools("a", call(), result()),
    recorded={"vercel/ai fixture amazon-bedrock-mistral-duplicate-tool-call-ids-error.json":
        "The toolUse blocks at messages.2.content contain duplicate Ids: tooluseAc"})
BOOK.row("bedrock/tool-result-ids-duplicate",
    "Two results of one message have the same id, such as a result that was stored twice.",
    NEAR_TURN, lambda turn: _twice(turn.results), "The toolResult blocks at {at} contain duplicate Ids: {found}",
    ".content", needs="toolResult",
    wrong=sample_with_tools("a", call(), [result(), result()]), right=sample_with_tools("a", call(), result()),
    verbatim=cite("BerriAI/litellm#20047", "BerriAI/litellm#20048",
        quote="The toolResult blocks at messages.2.content contain duplicate Ids: tooluse_abc"))
BOOK.row("bedrock/tool-results-missing",
    "A call has no result in the very next message: not in a later one, nor in a second message of results, which "
        "the service joins only afterwards.",
    NEAR_TURN, _unanswered, "Expected toolResult blocks at {at} for the following Ids: {ids}",
    "/messages.{next}.content", needs="toolUse",
    wrong=sample_with_tools("a", [call(), call("b")], result(), user("c")),
    right=sample_with_tools("a", [call(), call("b")], [result(), result("b")], user("c")),
    verbatim=cite("zeroclaw-labs/zeroclaw#1476", "agno-agi/agno#6694: results in several messages",
        "NousResearch/hermes-agent#108584", "gethnet/litellm-connector-copilot#100 (GLM 5)",
        quote="Expected toolResult blocks at messages.2.content for the following Ids: tooluse_x, tooluse_y"))
BOOK.row("bedrock/tool-results-exceed",
    "There are results without calls in the message before, which often happens when the calls were pruned.",
    NEAR_TURN, lambda turn, before: len(turn.results) > (len(before.calls) if before else 0),
    "The number of toolResult blocks at {at} exceeds the number of toolUse blocks of previous turn.", ".content",
    needs="toolResult",
    wrong=sample_with_tools("a", "b", ["c", result()]), right=sample_with_tools("a", "b", "c"),
    verbatim=cite("Just-Curieous/Curie#16", "langgenius/dify-official-plugins#765", "pydantic/pydantic-ai#2327",
        quote="The number of toolResult blocks at messages.2.content exceeds the number of toolUse blocks of previous "
        "turn."))
BOOK.row("bedrock/results-beside-text",
    "A user's turn has results and a text, also in two messages: put an answer of the assistant between them.",
    NEAR_MESSAGES, lambda _, context: _mixed(context, "user", "toolResult"),
    "{at}: Conversation blocks and tool result blocks cannot be provided in the same turn.", "{found.at}.content",
    needs="toolResult", trait="separate-results", models="Llama, Mistral, Writer; Claude, Nova and Qwen accept it",
    path=bedrock_path(LLAMA),
    wrong=sample_with_tools("a", call(), [result(), "b"]), right=sample_with_tools("a", call(), result()),
    verbatim=cite("strands-agents/harness-sdk#1223", MODEL_TABLE,
        "pydantic/pydantic-ai#6098: after messages are joined",
        quote="messages.2.content: Conversation blocks and tool result blocks cannot be provided in the same turn."))
BOOK.row("bedrock/calls-beside-text",
    "A turn of the assistant has a call and a text: leave the text out, as the model sent it before.",
    NEAR_MESSAGES, lambda _, context: _mixed(context, "assistant", "toolUse"),
    "{at}: Conversation blocks and tool use blocks cannot be provided in the same turn.", "{found.at}.content",
    even_usual=True, needs="toolUse", trait="separate-calls",
    models="Llama and Mistral; Claude, Nova and Cohere accept it", path=bedrock_path(LLAMA),
    wrong=sample_with_tools("a", ["b", call()], result()), right=sample_with_tools("a", call(), result()),
    verbatim=cite("quarkiverse/quarkus-langchain4j#1983", "langchain-ai/langchain-aws, its integration tests",
        quote="messages.7.content: Conversation blocks and tool use blocks cannot be provided in the same turn."))
# fmt: on
