"""Rules of the service on calls and their results, message by message, and on what may stand beside them."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from fake_providers.rulebook import NEAR_MESSAGES, Breach, RequestContext, Rulebook
from fake_providers.wires.bedrock_converse.conversation import Turn, joined, turns
from fake_providers.wires.bedrock_converse.errors import envelope
from fake_providers.wires.bedrock_converse.rules.samples import (
    LLAMA,
    MODEL_TABLE,
    assistant,
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


def _twice(ids: Sequence[str]) -> list[str]:
    return [] if len(ids) < 2 else list(dict.fromkeys([id for id in ids if ids.count(id) > 1]))


def _followed(context: RequestContext) -> Iterator[tuple[Turn, Turn | None]]:
    """Each message with the one after it, as they were sent: the service pairs them before it joins any."""
    sent = turns(context)
    yield from pairwise(sent)
    if sent:
        yield sent[-1], None


def tool_use_ids_duplicate(context: RequestContext) -> Breach | None:
    for turn in turns(context):
        if found := _twice(turn.calls):
            at = f"{turn.at}.content"
            return Breach(at, f"The toolUse blocks at {at} contain duplicate Ids: {', '.join(found)}")
    return None


def tool_result_ids_duplicate(context: RequestContext) -> Breach | None:
    for turn in turns(context):
        if found := _twice(turn.results):
            at = f"{turn.at}.content"
            return Breach(at, f"The toolResult blocks at {at} contain duplicate Ids: {', '.join(found)}")
    return None


def tool_results_missing(context: RequestContext) -> Breach | None:
    for turn, after in _followed(context):
        answered = after.results if after else ()
        if missing := [id for id in turn.calls if id not in answered]:
            at = f"messages.{turn.index + 1}.content"
            return Breach(at, f"Expected toolResult blocks at {at} for the following Ids: {', '.join(missing)}")
    return None


def tool_results_exceed(context: RequestContext) -> Breach | None:
    called = 0
    for turn in turns(context):
        if len(turn.results) > called:
            at = f"{turn.at}.content"
            return Breach(
                at, f"The number of toolResult blocks at {at} exceeds the number of toolUse blocks of previous turn."
            )
        called = len(turn.calls)
    return None


def _mixed(context: RequestContext, role: str, kind: str, words: str) -> Breach | None:
    for run in joined(context):
        tool_turn = next((turn for turn in run if turn.role == role and turn.of_kind(kind)), None)
        if tool_turn and any(turn.of_kind(*CONVERSATION) for turn in run):
            at = f"{tool_turn.at}.content"
            return Breach(at, f"{at}: Conversation blocks and {words} blocks cannot be provided in the same turn.")
    return None


def results_beside_text(context: RequestContext) -> Breach | None:
    if "separate-results" not in context.traits:
        return None
    return _mixed(context, "user", "toolResult", "tool result")


def calls_beside_text(context: RequestContext) -> Breach | None:
    if "separate-calls" not in context.traits:
        return None
    return _mixed(context, "assistant", "toolUse", "tool use")


# A table: two rows are to be compared.
# fmt: off
BOOK.row("bedrock/tool-use-ids-duplicate",
    "Two calls of one message have the same id; the same id in a later turn is not known to be refused.",
    NEAR_MESSAGES, tool_use_ids_duplicate, needs="toolUse",
    wrong=sample_with_tools(user("a"), assistant(call(), call()), user(result())),
    right=sample_with_tools(user("a"), assistant(call()), user(result())),
    recorded=cite("vercel/ai fixture amazon-bedrock-mistral-duplicate-tool-call-ids-error.json",
        quote="The toolUse blocks at messages.2.content contain duplicate Ids: tooluseAc"))
BOOK.row("bedrock/tool-result-ids-duplicate",
    "Two results of one message have the same id, such as a result that was stored twice.",
    NEAR_MESSAGES, tool_result_ids_duplicate, needs="toolResult",
    wrong=sample_with_tools(user("a"), assistant(call()), user(result(), result())),
    right=sample_with_tools(user("a"), assistant(call()), user(result())),
    verbatim=cite("BerriAI/litellm#20047", "BerriAI/litellm#20048",
        quote="The toolResult blocks at messages.2.content contain duplicate Ids: tooluse_abc"))
BOOK.row("bedrock/tool-results-missing",
    "A call has no result in the very next message: not in a later one, nor in a second message of results, which "
        "the service joins only afterwards.",
    NEAR_MESSAGES, tool_results_missing, needs="toolUse",
    wrong=sample_with_tools(user("a"), assistant(call(), call("b")), user(result()), user("c")),
    right=sample_with_tools(user("a"), assistant(call(), call("b")), user(result(), result("b")), user("c")),
    verbatim=cite("zeroclaw-labs/zeroclaw#1476", "agno-agi/agno#6694: results in several messages",
        "NousResearch/hermes-agent#108584", "gethnet/litellm-connector-copilot#100 (GLM 5)",
        quote="Expected toolResult blocks at messages.2.content for the following Ids: tooluse_x, tooluse_y"))
BOOK.row("bedrock/tool-results-exceed",
    "There are results without calls in the message before, which often happens when the calls were pruned.",
    NEAR_MESSAGES, tool_results_exceed, needs="toolResult",
    wrong=sample_with_tools(user("a"), assistant("b"), user("c", result())),
    right=sample_with_tools(user("a"), assistant("b"), user("c")),
    verbatim=cite("Just-Curieous/Curie#16", "langgenius/dify-official-plugins#765", "pydantic/pydantic-ai#2327",
        quote="The number of toolResult blocks at messages.2.content exceeds the number of toolUse blocks of previous "
        "turn."))
BOOK.row("bedrock/results-beside-text",
    "A user's turn has results and a text, also in two messages: put an answer of the assistant between them.",
    NEAR_MESSAGES, results_beside_text, needs="toolResult", trait="separate-results",
    models="Llama, Mistral, Writer; Claude, Nova and Qwen accept it", path=bedrock_path(LLAMA),
    wrong=sample_with_tools(user("a"), assistant(call()), user(result(), "b")),
    right=sample_with_tools(user("a"), assistant(call()), user(result())),
    verbatim=cite("strands-agents/harness-sdk#1223", MODEL_TABLE,
        "pydantic/pydantic-ai#6098: after messages are joined",
        quote="messages.2.content: Conversation blocks and tool result blocks cannot be provided in the same turn."))
BOOK.row("bedrock/calls-beside-text",
    "A turn of the assistant has a call and a text: leave the text out, as the model sent it before.",
    NEAR_MESSAGES, calls_beside_text, even_usual=True, needs="toolUse", trait="separate-calls",
    models="Llama and Mistral; Claude, Nova and Cohere accept it", path=bedrock_path(LLAMA),
    wrong=sample_with_tools(user("a"), assistant("b", call()), user(result())),
    right=sample_with_tools(user("a"), assistant(call()), user(result())),
    verbatim=cite("quarkiverse/quarkus-langchain4j#1983", "langchain-ai/langchain-aws, its integration tests",
        quote="messages.7.content: Conversation blocks and tool use blocks cannot be provided in the same turn."))
# fmt: on
