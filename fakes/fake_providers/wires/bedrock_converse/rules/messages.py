"""Rules of the service on messages and blocks, each by itself, and on who speaks when."""

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from fake_providers import remedies
from fake_providers.rule import Remedy
from fake_providers.rulebook import (
    ALL_MESSAGES,
    ALL_PARTS,
    ANY_MESSAGE,
    ANY_PARAMETER,
    NEAR_MESSAGES,
    RequestContext,
    Rulebook,
    Selector,
)
from fake_providers.values.lenient import listed, members
from fake_providers.wires.anthropic_messages.rules.content import TTL_ORDER
from fake_providers.wires.bedrock_converse import conversation
from fake_providers.wires.bedrock_converse.conversation import BLOCK, TURN, turns
from fake_providers.wires.bedrock_converse.errors import MODEL, envelope, extraneous_key
from fake_providers.wires.bedrock_converse.request import base_id, is_base, is_known_form
from fake_providers.wires.bedrock_converse.rules.samples import (
    DOCUMENT,
    LLAMA,
    MODEL_TABLE,
    NOVA,
    POINT,
    TOOL,
    assistant,
    bedrock_path,
    cite,
    sample_request,
    user,
)

MODEL_BOOK = Rulebook(envelope)
"""On the model of the path, by every operation."""
BOOK = Rulebook(envelope)
USER_FIRST = (
    "A conversation must start with a user message. Try again with a conversation that starts with a user message."
)
KEYS = "text, image, toolUse, toolResult, document, video, cachePoint, reasoningContent, citationsContent, searchResult"
"""As quoted, which is another order than that of the service model; the list grows with the API."""


def _system(body: Any, context: RequestContext) -> str | None:
    """The place of system messages that the model does not take."""
    if "no-system" in context.traits and body.get("system"):
        return "system"
    if "unknown-family" in context.traits or "system-messages" in context.traits:
        return None
    return next((turn.at for turn in turns(context) if turn.role == "system"), None)


# A table: two rows are to be compared.
# fmt: off
MODEL_BOOK.row("bedrock/model-id", "The model's id has none of the forms that ids of Bedrock have.",
    ALL_MESSAGES, lambda _, context: not is_known_form(context.model), "The provided model identifier is invalid.",
    "modelId",
    remedy=Remedy("models",
        "Send the id of a model, of an inference profile, or an ARN, as one percent-encoded part of the path."),
    wrong=None, right=None,
    recorded={"seven recordings of 2025 and 2026": "..."})
MODEL_BOOK.row("bedrock/needs-profile",
    "The model is asked for by its base id, and is served through inference profiles alone: put `us.` before it.",
    ALL_MESSAGES, lambda _, context: is_base(context.model) and base_id(context.model),
    "Invocation of model ID {found} with on-demand throughput isn\u2019t supported. Retry your request with the ID or "
        "ARN of an inference profile that contains this model.", "modelId", trait="needs-profile",
    models="claude-3-opus, claude-3-5-sonnet-20241022, claude-3-7, claude-haiku-4-5, claude-sonnet-4*, "
        "claude-sonnet-5, claude-opus-4*, claude-opus-5, llama3-1-8b, llama3-2-1b, llama3-2-3b, llama3-2-11b, "
        "llama3-3, llama4, deepseek.r1; a region may still serve some of them by their base id",
    remedy=Remedy("models",
        "Ask for the inference profile of the model, with `us.`, `eu.` or `global.` before its id."),
    wrong=None, right=None,
    recorded={"recordings of 16 ids":
        "Retry your request with the ID or ARN of an inference profile that contains this model."})
BOOK.row("bedrock/messages-empty", "There is no message, which is often the result of pruning the history.",
    ANY_PARAMETER, lambda _, context: not turns(context) and ":prompt/" not in context.model, USER_FIRST, "messages",
    remedy=remedies.CONVERSATION,
    wrong={"messages": [], "system": [{"text": "Be brief."}]},
    right={"messages": [user("a")], "system": [{"text": "Be brief."}]},
    verbatim={"pydantic/pydantic-ai#4495 (claude-haiku-4-5)": "...", "elastic/kibana#246393": ""})
BOOK.row("bedrock/start-with-user",
    "The conversation starts with the assistant, as a history does that was cut or condensed.",
    NEAR_MESSAGES, lambda _, context: turns(context)[0].role != "user", USER_FIRST, "messages.0", trait="user-first",
    models="Nova, Llama, Mistral, Cohere, AI21, Writer; Claude, Qwen, GLM and Kimi accept it", path=bedrock_path(NOVA),
    remedy=Remedy("order-of-turns",
        "Prune and summarise so that the first message is the user's, or put a short message of the user before it."),
    wrong=sample_request(assistant("a"), user("b")), right=sample_request("a", user("b")),
    verbatim={MODEL_TABLE: "...", "RooCodeInc/Roo-Code#4150": ""})
BOOK.row("bedrock/content-empty", "A message has no content block: leave the message out, or put a text into it.",
    TURN, lambda turn: not turn.blocks,
    "The content field in the Message object at {at} is empty. Add a ContentBlock object to the content field and try "
        "again.", remedy=remedies.ONE_KEY,
    wrong=sample_request("a", {"role": "assistant", "content": []}, "b"),
    right=sample_request("a", {"role": "assistant", "content": [{"text": "c"}]}, "b"),
    recorded=cite("vercel/ai#7830 and a fixture beside it (nova-2-lite)", "earendil-works/pi#3443",
        "archestra-ai/archestra#4220", quote="The content field in the Message object at messages.1 is empty."))
BOOK.row("bedrock/block-without-key",
    "A content block has none of the members that say what it is, such as a block of another API.",
    BLOCK, lambda block: not block.kind, f"ContentBlock object at {{at}} must set one of the following keys: {KEYS}.",
    remedy=remedies.ONE_KEY,
    wrong=sample_request({"role": "user", "content": [{"type": "text"}]}),
    right=sample_request({"role": "user", "content": [{"type": "text", "text": "a"}]}),
    verbatim={"tests of maximhq/bifrost and of BerriAI/litellm, which quote it":
        "ContentBlock object at messages.1.content.0 must set one of the following keys: text, image, toolUse,"})
BOOK.row("bedrock/text-blank", "All text of a message is blank.",
    TURN, lambda turn: turn.is_blank,
    "The text field in the ContentBlock object at {at} is blank. Add text to the text field, and try again.",
    "/{item.blocks[0].at}", trait="no-blank-text",
    models="DeepSeek, AI21, Cohere, Llama, Nova but not Nova Micro; Claude has a sentence of its own",
    path=bedrock_path(LLAMA), remedy=remedies.LEAVE_OUT_EMPTY,
    wrong=sample_request(" "), right=sample_request("."),
    verbatim=cite("continuedev/continue#9767", "OpenHands/OpenHands#5722",
        "epam/ai-dial-adapter-bedrock tests/integration_tests/test_chat_completion.py",
        quote="The text field in the ContentBlock object at messages.0.content.0 is blank."))
BOOK.row("bedrock/system-unsupported", "The request has system messages: put their text into the first user message.",
    ANY_MESSAGE, _system,
    "This model doesn't support system messages. Try again without a system message or use a model that supports "
        "system messages.",
    "{found}", needs="system",
    models="Titan and other old models; `system` among the messages also elsewhere but on the newest Claudes",
    path=bedrock_path("amazon.titan-text-express-v1"), remedy=remedies.INSTRUCTIONS_TO_USER,
    wrong=sample_request(system=[{"text": "Be brief."}]), right=sample_request(system=[]),
    verbatim={"several public quotes": "..."})
BOOK.row("bedrock/end-with-user", "The conversation ends with the assistant.",
    NEAR_MESSAGES,
    lambda _, context: [turn.at for turn in turns(context)[-1:] if turn.role == "assistant" and not turn.calls],
    "The model that you are using requires the last turn in the conversation to be a user message. Add a user message "
        "to the conversation and try again.", "{found[0]}", needs="assistant", trait="user-last",
    models="Nova, Llama, Mistral, Cohere, AI21, Writer; Claude has a sentence of its own", path=bedrock_path(NOVA),
    remedy=remedies.END_WITH_USER,
    wrong=sample_request("a", "b"), right=sample_request("a", user("b")),
    verbatim={"three public quotes":
        "The model that you are using requires the last turn in the conversation to be a user message."})
# fmt: on


CACHING_BOOK = Rulebook(envelope)


def _lists(context: RequestContext) -> Iterator[tuple[str, list[Any]]]:
    """Every list that can have cache points, in the order in which they count."""
    yield "toolConfig.tools", listed(members(context.body.get("toolConfig")).get("tools"))
    yield "system", listed(context.body.get("system"))
    for index, message in enumerate(listed(context.body.get("messages"))):
        yield f"messages.{index}.content", message["content"]


def _has_point(block: Any) -> bool:
    """A point beside another member of its block is not known to count."""
    return len(members(block)) == 1 and block.get("cachePoint") is not None


def _points(context: RequestContext) -> Iterator[tuple[dict[str, Any], str, int]]:
    for path, blocks in _lists(context):
        for i, block in enumerate(blocks):
            if _has_point(block):
                yield block, path, i


CACHE_POINT = Selector(_points, "{path}.{i}", ("path", "i"), "request", ("conversation", "tool"))


def _point_after_reasoning(_: Any, context: RequestContext) -> list[str]:
    pairs = [pair for turn in turns(context) for pair in pairwise(turn.blocks)]
    return [block.at for before, block in pairs if (before.kind, block.kind) == ("reasoningContent", "cachePoint")]


def _too_many_points(_: Any, context: RequestContext) -> dict[str, Any] | None:
    found = [f"{path}.{i}" for _, path, i in _points(context)]
    return {"count": len(found), "first": found[0]} if len(found) > 4 else None


def _late_long_point(_: Any, context: RequestContext) -> dict[str, Any] | None:
    had_short = False
    for path, blocks in _lists(context):
        # A point marks what is before it, which Anthropic's own API counts without the points.
        marked = -1
        for number, block in enumerate(blocks):
            if not _has_point(block):
                marked += 1
            elif members(block["cachePoint"]).get("ttl") != "1h":
                had_short = True
            elif had_short:
                return {"place": f"{path}.{number}", "marked": f"{path.removeprefix('toolConfig.')}.{marked}"}
    return None


# A table: two rows are to be compared.
# fmt: off
CACHING_BOOK.row("bedrock/cache-denied", "The request has a cache point, and the model caches nothing.",
    CACHE_POINT, lambda _: True,
    "You invoked an unsupported model or your request did not allow prompt caching. See the documentation for more "
        "information.",
    needs="cachePoint", trait="no-cache", status=403,
    models="GLM, Kimi, Qwen, Gemma, Nemotron, Llama, Mistral, Writer, Cohere, Claude 3", path=bedrock_path(LLAMA),
    remedy=remedies.CACHE_POINTS_WHERE_CACHED,
    wrong=sample_request(["a", POINT]), right=sample_request("a"),
    verbatim={"seven public quotes": "..."})
CACHING_BOOK.row("bedrock/nova-cache-point-in-tools",
    "The tools have a cache point; Nova takes them in `system` and in messages.",
    CACHE_POINT, lambda _, path: path == "toolConfig.tools", extraneous_key("/toolConfig/tools/{i}", "cachePoint"),
    ".cachePoint", needs="cachePoint", trait="nova", models="Nova", checked="2026-11-27", path=bedrock_path(NOVA),
    remedy=remedies.CACHE_POINTS_WHERE_CACHED,
    wrong=sample_request(toolConfig={"tools": [TOOL, POINT]}), right=sample_request(toolConfig={"tools": [TOOL]}),
    verbatim=cite("NousResearch/hermes-agent#97281", "danny-avila/LibreChat#13838",
        "LibreChat-AI/agents#253, measured on 2026-06-19: 400 in the tools, 200 in messages and in `system`",
        quote="Malformed input request: #/toolConfig/tools/18: extraneous key [cachePoint] is not permitted, please "
        "reformat your input and try again."))
CACHING_BOOK.row("bedrock/cache-point-first", "A cache point has nothing before it in its list.",
    CACHE_POINT, lambda _, i: i == 0,
    "There is nothing available to cache. Please remove the invalid cache point and try again.", needs="cachePoint",
    remedy=remedies.FOUR_CACHE_POINTS,
    wrong=sample_request([POINT, "a"]), right=sample_request("a"),
    recorded={"recordings of pydantic/pydantic-ai": "..."})
CACHING_BOOK.row("bedrock/cache-point-after-reasoning",
    "A cache point stands right after reasoning, as in a turn that was aborted while the model thought.",
    ALL_MESSAGES, _point_after_reasoning,
    "Cache point cannot be inserted after reasoning block. Please remove the invalid cache point and try again.",
    "{found[0]}", needs="cachePoint", remedy=remedies.FOUR_CACHE_POINTS,
    wrong=sample_request("a", ["b", {"reasoningContent": {"redactedContent": "YQ=="}}, POINT], "c"),
    right=sample_request("a", ["b", {"reasoningContent": {"redactedContent": "YQ=="}}], "c"),
    verbatim={"anomalyco/opencode#36517": "..."})
CACHING_BOOK.row("bedrock/too-many-cache-points",
    "There are more than four cache points, such as one for each step: keep the last ones.",
    ALL_PARTS, _too_many_points, MODEL + "A maximum of 4 blocks with cache_control may be provided. Found {count}.",
    "{first}", needs="cachePoint", trait="claude", models="all of Claude", remedy=remedies.FOUR_CACHE_POINTS,
    wrong=sample_request([*["a", POINT] * 4], system=[{"text": "b"}, POINT]),
    right=sample_request([*["a", POINT] * 4], system=[{"text": "b"}]),
    verbatim={"twentyhq/twenty#26217": "A maximum of 4 blocks with cache_control may be provided. Found 5."})
CACHING_BOOK.row("bedrock/cache-ttl-order",
    "A cache point of one hour comes after one of five minutes, in the order of tools, system and messages.",
    ALL_PARTS, _late_long_point, MODEL + "{marked}" + TTL_ORDER, "{place}", needs="cachePoint", trait="claude",
    models="all of Claude", checked="2026-11-27",
    remedy=Remedy("caching", "Set the cache points of one hour first, in the order of tools, system and messages."),
    wrong=sample_request(["a", POINT, "b", {"cachePoint": {"type": "default", "ttl": "1h"}}]),
    right=sample_request(["a", POINT, "b", POINT]),
    verbatim={"Portkey-AI/gateway#1762, through the Converse API":
        "messages.3.content.0.cache_control.ttl: a ttl='1h' cache_control block must not come after a ttl='5m' "
        "cache_control block. Note that blocks are processed in the following order: `tools`, `system`, `messages`."})
# fmt: on


DOCUMENTS_BOOK = Rulebook(envelope)
NAME = re.compile(r"(?!.* {2})[a-zA-Z0-9 \n_()\[\]-]*", re.DOTALL)
"""An underscore is not in the sentence and was accepted, twice; a tab and two spaces were refused."""


def _document(**changes: Any) -> dict[str, Any]:
    return {"document": {**DOCUMENT["document"], **changes}}


def _repeated_name(_: Any, context: RequestContext) -> str | None:
    seen: set[str] = set()
    for document, path in conversation.DOCUMENT.find(context):
        if document["name"] in seen:
            return str(path)
        seen.add(document["name"])
    return None


# A table: two rows are to be compared.
# fmt: off
DOCUMENTS_BOOK.row("bedrock/document-without-text",
    "A message has a document and no text beside it, also where the document stands with results.",
    TURN, lambda turn: (found := turn.of_kind("document")) and not turn.of_kind("text") and found[0].at,
    "A text block must be included when using documents. Add a text block and retry your request.", "/{found}",
    needs="document", remedy=Remedy("pictures", "Put a text block into each message that holds a document."),
    wrong=sample_request(DOCUMENT), right=sample_request([DOCUMENT, "a"]),
    recorded={"recordings of nova-pro and of Claude": "..."})
DOCUMENTS_BOOK.row("bedrock/document-name",
    "The name of a document has other characters than letters, digits, single spaces and `-_()[]`, such as a dot.",
    conversation.DOCUMENT,
    lambda document, context: "as-it-was" not in context.traits and not NAME.fullmatch(document["name"]),
    "The document file name can only contain alphanumeric characters, whitespace characters, hyphens, parentheses, and "
        "square brackets. The name can't contain more than one consecutive whitespace character. Check that the file "
        "name conforms to these restrictions and retry your request.",
    ".name", needs="document", models="all that are known; Claude 2 was recorded to accept a dot",
    remedy=remedies.DOCUMENT_NAMES,
    wrong=sample_request(["a", _document(name="a.pdf")]), right=sample_request(["a", _document(name="a_pdf")]),
    recorded={"vercel/ai#20366": "...", "aws-samples/generative-ai-use-cases#1671": ""})
DOCUMENTS_BOOK.row("bedrock/document-name-duplicate",
    "Two documents of the request have one name, also in results: number them.",
    ALL_MESSAGES, _repeated_name,
    "Messages can't contain duplicate document names. Rename the document and retry your request.", "{found}.name",
    needs="document", remedy=remedies.DOCUMENT_NAMES,
    wrong=sample_request(["a", DOCUMENT], "b", ["c", DOCUMENT]),
    right=sample_request(["a", DOCUMENT], "b", ["c", _document(name="other")]),
    verbatim={"maximhq/bifrost#7003": "...", "anomalyco/opencode#48756": ""})
DOCUMENTS_BOOK.row("bedrock/citations-unsupported", "A document asks for citations, which the model does not make.",
    conversation.DOCUMENT, lambda document: bool(members(document.get("citations")).get("enabled")),
    "This model doesn't support citations.", ".citations", needs="citations", trait="no-citations",
    models="Nova, Llama, Pixtral, DeepSeek", path=bedrock_path(LLAMA), remedy=remedies.FIELD_OF_MODEL.of("pictures"),
    wrong=sample_request(["a", _document(citations={"enabled": True})]),
    right=sample_request(["a", _document(citations={"enabled": False})]),
    verbatim={"pydantic/pydantic-ai, measured on 2026-10-20": "..."})
# fmt: on
