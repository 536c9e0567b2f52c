"""Rules of the service on messages and blocks, each by itself, and on who speaks when."""

import re
from collections.abc import Iterator
from typing import Any

from fake_providers.rulebook import (
    ALL_MESSAGES,
    ALL_PARTS,
    ANY_MESSAGE,
    ANY_PARAMETER,
    NEAR_MESSAGES,
    Breach,
    RequestContext,
    Rulebook,
)
from fake_providers.wires.anthropic_messages.rules.content import TTL_ORDER
from fake_providers.wires.bedrock_converse.conversation import documents, turns
from fake_providers.wires.bedrock_converse.errors import MODEL, envelope, extraneous_key
from fake_providers.wires.bedrock_converse.request import base_id, is_base, is_known_form, items, members
from fake_providers.wires.bedrock_converse.rules.samples import (
    DOCUMENT,
    LLAMA,
    LONG_POINT,
    MODEL_TABLE,
    NOVA,
    POINT,
    TITAN,
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
NO_SYSTEM = (
    "This model doesn't support system messages. Try again without a system message or use a model that supports "
    "system messages."
)


def model_id(context: RequestContext) -> Breach | None:
    return None if is_known_form(context.model) else Breach("modelId", "The provided model identifier is invalid.")


def needs_profile(context: RequestContext) -> Breach | None:
    if "needs-profile" not in context.traits or not is_base(context.model):
        return None
    return Breach(
        "modelId",
        f"Invocation of model ID {base_id(context.model)} with on-demand throughput isn\u2019t supported. Retry your "
        "request with the ID or ARN of an inference profile that contains this model.",
    )


def messages_empty(context: RequestContext) -> Breach | None:
    from_prompt = ":prompt/" in context.model
    return None if turns(context) or from_prompt else Breach("messages", USER_FIRST)


def start_with_user(context: RequestContext) -> Breach | None:
    if "user-first" not in context.traits or turns(context)[0].role == "user":
        return None
    return Breach("messages.0", USER_FIRST)


def content_empty(context: RequestContext) -> Breach | None:
    for turn in turns(context):
        if not turn.blocks:
            return Breach(
                turn.at,
                f"The content field in the Message object at {turn.at} is empty. Add a ContentBlock object to the "
                "content field and try again.",
            )
    return None


def block_without_key(context: RequestContext) -> Breach | None:
    for turn in turns(context):
        for block in turn.blocks:
            if not block.kind:
                return Breach(
                    block.at, f"ContentBlock object at {block.at} must set one of the following keys: {KEYS}."
                )
    return None


def text_blank(context: RequestContext) -> Breach | None:
    for turn in turns(context) if "no-blank-text" in context.traits else ():
        texts = turn.of_kind("text")
        if texts and len(texts) == len(turn.blocks) and not any(text.value.strip() for text in texts):
            return Breach(
                texts[0].at,
                f"The text field in the ContentBlock object at {texts[0].at} is blank. Add text to the text field, and "
                "try again.",
            )
    return None


def system_unsupported(context: RequestContext) -> Breach | None:
    if "no-system" in context.traits and context.body.get("system"):
        return Breach("system", NO_SYSTEM)
    if "unknown-family" in context.traits or "system-messages" in context.traits:
        return None
    late = next((turn for turn in turns(context) if turn.role == "system"), None)
    return Breach(late.at, NO_SYSTEM) if late else None


def end_with_user(context: RequestContext) -> Breach | None:
    last = turns(context)[-1:]
    if "user-last" not in context.traits or not last or last[0].role != "assistant" or last[0].calls:
        return None
    return Breach(
        last[0].at,
        "The model that you are using requires the last turn in the conversation to be a user message. Add a user "
        "message to the conversation and try again.",
    )


# A table: two rows are to be compared.
# fmt: off
MODEL_BOOK.row("bedrock/model-id", "The model's id has none of the forms that ids of Bedrock have.",
    ALL_MESSAGES, model_id,
    wrong=None, right=None,
    recorded=cite("seven recordings of 2025 and 2026", quote="The provided model identifier is invalid."))
MODEL_BOOK.row("bedrock/needs-profile",
    "The model is asked for by its base id, and is served through inference profiles alone: put `us.` before it.",
    ALL_MESSAGES, needs_profile, trait="needs-profile",
    models="those that recordings show; a region may still serve others of them by their base id",
    wrong=None, right=None,
    recorded=cite("recordings of 16 ids",
        quote="Retry your request with the ID or ARN of an inference profile that contains this model."))
BOOK.row("bedrock/messages-empty", "There is no message, which is often the result of pruning the history.",
    ANY_PARAMETER, messages_empty,
    wrong={"messages": [], "system": [{"text": "Be brief."}]},
    right={"messages": [user("a")], "system": [{"text": "Be brief."}]},
    verbatim=cite("pydantic/pydantic-ai#4495 (claude-haiku-4-5)", "elastic/kibana#246393", quote=USER_FIRST))
BOOK.row("bedrock/start-with-user",
    "The conversation starts with the assistant, as a history does that was cut or condensed.",
    NEAR_MESSAGES, start_with_user, trait="user-first",
    models="Nova, Llama, Mistral, Cohere, AI21, Writer; Claude, Qwen, GLM and Kimi accept it", path=bedrock_path(NOVA),
    wrong=sample_request(assistant("a"), user("b")), right=sample_request(user("a"), user("b")),
    verbatim=cite(MODEL_TABLE, "RooCodeInc/Roo-Code#4150", quote=USER_FIRST))
BOOK.row("bedrock/content-empty", "A message has no content block: leave the message out, or put a text into it.",
    ANY_MESSAGE, content_empty,
    wrong=sample_request(user("a"), {"role": "assistant", "content": []}, user("b")),
    right=sample_request(user("a"), {"role": "assistant", "content": [{"text": "c"}]}, user("b")),
    recorded=cite("vercel/ai#7830 and a fixture beside it (nova-2-lite)", "earendil-works/pi#3443",
        "archestra-ai/archestra#4220", quote="The content field in the Message object at messages.1 is empty."))
BOOK.row("bedrock/block-without-key",
    "A content block has none of the members that say what it is, such as a block of another API.",
    ANY_MESSAGE, block_without_key,
    wrong=sample_request({"role": "user", "content": [{"type": "text"}]}),
    right=sample_request({"role": "user", "content": [{"type": "text", "text": "a"}]}),
    verbatim=cite("tests of maximhq/bifrost and of BerriAI/litellm, which quote it",
        quote="ContentBlock object at messages.1.content.0 must set one of the following keys: text, image, toolUse,"))
BOOK.row("bedrock/text-blank", "All text of a message is blank.",
    ANY_MESSAGE, text_blank, trait="no-blank-text",
    models="DeepSeek, AI21, Cohere, Llama, Nova but not Nova Micro; Claude has a sentence of its own",
    path=bedrock_path(LLAMA),
    wrong=sample_request(user(" ")), right=sample_request(user(".")),
    verbatim=cite("continuedev/continue#9767", "OpenHands/OpenHands#5722",
        "epam/ai-dial-adapter-bedrock tests/integration_tests/test_chat_completion.py",
        quote="The text field in the ContentBlock object at messages.0.content.0 is blank."))
BOOK.row("bedrock/system-unsupported", "The request has system messages: put their text into the first user message.",
    ANY_MESSAGE, system_unsupported, needs="system",
    models="Titan and other old models; `system` among the messages also elsewhere but on the newest Claudes",
    path=bedrock_path(TITAN),
    wrong=sample_request(system=[{"text": "Be brief."}]), right=sample_request(system=[]),
    verbatim=cite("several public quotes", quote=NO_SYSTEM))
BOOK.row("bedrock/end-with-user", "The conversation ends with the assistant.",
    NEAR_MESSAGES, end_with_user, needs="assistant", trait="user-last",
    models="Nova, Llama, Mistral, Cohere, AI21, Writer; Claude has a sentence of its own", path=bedrock_path(NOVA),
    wrong=sample_request(user("a"), assistant("b")), right=sample_request(user("a"), user("b")),
    verbatim=cite("three public quotes",
        quote="The model that you are using requires the last turn in the conversation to be a user message."))
# fmt: on


CACHING_BOOK = Rulebook(envelope)
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


def cache_denied(context: RequestContext) -> Breach | None:
    for at, blocks in _lists(context) if "no-cache" in context.traits else ():
        for number, block in enumerate(blocks):
            if _has_point(block):
                return Breach(f"{at}.{number}", CACHE_DENIED)
    return None


def nova_cache_point_in_tools(context: RequestContext) -> Breach | None:
    tools = items(members(context.body.get("toolConfig")).get("tools")) if "nova" in context.traits else ()
    for index, entry in enumerate(tools):
        if _has_point(entry):
            return Breach(
                f"toolConfig.tools.{index}.cachePoint",
                extraneous_key(f"/toolConfig/tools/{index}", "cachePoint"),
            )
    return None


def cache_point_first(context: RequestContext) -> Breach | None:
    for at, blocks in _lists(context):
        if blocks and _has_point(blocks[0]):
            return Breach(f"{at}.0", NOTHING_TO_CACHE)
    return None


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


def too_many_cache_points(context: RequestContext) -> Breach | None:
    if "claude" not in context.traits:
        return None
    found = [f"{at}.{number}" for at, blocks in _lists(context) for number, one in enumerate(blocks) if _has_point(one)]
    if len(found) <= MOST_POINTS:
        return None
    sentence = f"A maximum of {MOST_POINTS} blocks with cache_control may be provided. Found {len(found)}."
    return Breach(found[0], MODEL + sentence)


def cache_ttl_order(context: RequestContext) -> Breach | None:
    had_short = False
    for at, blocks in _lists(context) if "claude" in context.traits else ():
        place = at.removeprefix("toolConfig.")
        # A point marks what is before it, which Anthropic's own API counts without the points.
        marked = -1
        for number, block in enumerate(blocks):
            if not _has_point(block):
                marked += 1
            elif members(block["cachePoint"]).get("ttl") != "1h":
                had_short = True
            elif had_short:
                return Breach(f"{at}.{number}", f"{MODEL}{place}.{marked}{TTL_ORDER}")
    return None


# A table: two rows are to be compared.
# fmt: off
CACHING_BOOK.row("bedrock/cache-denied", "The request has a cache point, and the model caches nothing.",
    ALL_PARTS, cache_denied, needs="cachePoint", trait="no-cache", status=403,
    models="GLM, Kimi, Qwen, Gemma, Nemotron, Llama, Mistral, Writer, Cohere, Claude 3", path=bedrock_path(LLAMA),
    wrong=sample_request(user("a", POINT)), right=sample_request(user("a")),
    verbatim=cite("seven public quotes", quote=CACHE_DENIED))
CACHING_BOOK.row("bedrock/nova-cache-point-in-tools",
    "The tools have a cache point; Nova takes them in `system` and in messages.",
    ALL_PARTS, nova_cache_point_in_tools, needs="cachePoint", trait="nova", models="Nova", checked="2026-11-27",
    path=bedrock_path(NOVA),
    wrong=sample_request(toolConfig={"tools": [TOOL, POINT]}), right=sample_request(toolConfig={"tools": [TOOL]}),
    verbatim=cite("NousResearch/hermes-agent#97281", "danny-avila/LibreChat#13838",
        "LibreChat-AI/agents#253, measured on 2026-06-19: 400 in the tools, 200 in messages and in `system`",
        quote="Malformed input request: #/toolConfig/tools/18: extraneous key [cachePoint] is not permitted, please "
        "reformat your input and try again."))
CACHING_BOOK.row("bedrock/cache-point-first", "A cache point has nothing before it in its list.",
    ALL_PARTS, cache_point_first, needs="cachePoint",
    wrong=sample_request(user(POINT, "a")), right=sample_request(user("a")),
    recorded=cite("recordings of pydantic/pydantic-ai", quote=NOTHING_TO_CACHE))
CACHING_BOOK.row("bedrock/cache-point-after-reasoning",
    "A cache point stands right after reasoning, as in a turn that was aborted while the model thought.",
    ALL_MESSAGES, cache_point_after_reasoning, needs="cachePoint",
    wrong=sample_request(user("a"), assistant("b", {"reasoningContent": {"redactedContent": "YQ=="}}, POINT),
        user("c")),
    right=sample_request(user("a"), assistant("b", {"reasoningContent": {"redactedContent": "YQ=="}}), user("c")),
    verbatim=cite("anomalyco/opencode#36517",
        quote="Cache point cannot be inserted after reasoning block. Please remove the invalid cache point and try "
        "again."))
CACHING_BOOK.row("bedrock/too-many-cache-points",
    "There are more than four cache points, such as one for each step: keep the last ones.",
    ALL_PARTS, too_many_cache_points, needs="cachePoint", trait="claude", models="Claude",
    wrong=sample_request(user(*["a", POINT] * 4), system=[{"text": "b"}, POINT]),
    right=sample_request(user(*["a", POINT] * 4), system=[{"text": "b"}]),
    verbatim=cite("twentyhq/twenty#26217", quote="A maximum of 4 blocks with cache_control may be provided. Found 5."))
CACHING_BOOK.row("bedrock/cache-ttl-order",
    "A cache point of one hour comes after one of five minutes, in the order of tools, system and messages.",
    ALL_PARTS, cache_ttl_order, needs="cachePoint", trait="claude", models="Claude", checked="2026-11-27",
    wrong=sample_request(user("a", POINT, "b", LONG_POINT)), right=sample_request(user("a", POINT, "b", POINT)),
    verbatim=cite("Portkey-AI/gateway#1762, through the Converse API",
        quote="messages.3.content.0.cache_control.ttl: a ttl='1h' cache_control block must not come after a ttl='5m' "
        "cache_control block. Note that blocks are processed in the following order: `tools`, `system`, `messages`."))
# fmt: on


DOCUMENTS_BOOK = Rulebook(envelope)
NAME = re.compile(r"(?!.* {2})[a-zA-Z0-9 \n_()\[\]-]*", re.DOTALL)
"""An underscore is not in the sentence and was accepted, twice; a tab and two spaces were refused."""
NAMES = (
    "The document file name can only contain alphanumeric characters, whitespace characters, hyphens, parentheses, and "
    "square brackets. The name can't contain more than one consecutive whitespace character. Check that the file name "
    "conforms to these restrictions and retry your request."
)
NEEDS_TEXT = "A text block must be included when using documents. Add a text block and retry your request."


def document_without_text(context: RequestContext) -> Breach | None:
    for turn in turns(context):
        found = turn.of_kind("document")
        if found and not turn.of_kind("text"):
            return Breach(found[0].at, NEEDS_TEXT)
    return None


def _named(name: str) -> dict[str, object]:
    return {"document": {**DOCUMENT["document"], "name": name}}


def document_name(context: RequestContext) -> Breach | None:
    for at, document in documents(context) if "as-it-was" not in context.traits else ():
        if not NAME.fullmatch(document["name"]):
            return Breach(f"{at}.name", NAMES)
    return None


def document_name_duplicate(context: RequestContext) -> Breach | None:
    seen: set[str] = set()
    for at, document in documents(context):
        if document["name"] in seen:
            sentence = "Messages can't contain duplicate document names. Rename the document and retry your request."
            return Breach(f"{at}.name", sentence)
        seen.add(document["name"])
    return None


def citations_unsupported(context: RequestContext) -> Breach | None:
    for at, document in documents(context) if "no-citations" in context.traits else ():
        if members(document.get("citations")).get("enabled"):
            return Breach(f"{at}.citations", "This model doesn't support citations.")
    return None


# A table: two rows are to be compared.
# fmt: off
DOCUMENTS_BOOK.row("bedrock/document-without-text",
    "A message has a document and no text beside it, also where the document stands with results.",
    ANY_MESSAGE, document_without_text, needs="document",
    wrong=sample_request(user(DOCUMENT)), right=sample_request(user(DOCUMENT, "a")),
    recorded=cite("recordings of nova-pro and of Claude", quote=NEEDS_TEXT))
DOCUMENTS_BOOK.row("bedrock/document-name",
    "The name of a document has other characters than letters, digits, single spaces and `-_()[]`, such as a dot.",
    ANY_MESSAGE, document_name, needs="document", models="all but Claude 2, which was recorded to accept a dot",
    wrong=sample_request(user("a", _named("a.pdf"))), right=sample_request(user("a", _named("a_pdf"))),
    recorded=cite("vercel/ai#20366", "aws-samples/generative-ai-use-cases#1671", quote=NAMES))
DOCUMENTS_BOOK.row("bedrock/document-name-duplicate",
    "Two documents of the request have one name, also in results: number them.",
    ALL_MESSAGES, document_name_duplicate, needs="document",
    wrong=sample_request(user("a", DOCUMENT), assistant("b"), user("c", DOCUMENT)),
    right=sample_request(user("a", DOCUMENT), assistant("b"), user("c", _named("other"))),
    verbatim=cite("maximhq/bifrost#7003", "anomalyco/opencode#48756",
        quote="Messages can't contain duplicate document names. Rename the document and retry your request."))
DOCUMENTS_BOOK.row("bedrock/citations-unsupported", "A document asks for citations, which the model does not make.",
    ANY_MESSAGE, citations_unsupported, needs="citations", trait="no-citations",
    models="Nova, Llama, Pixtral, DeepSeek", path=bedrock_path(LLAMA),
    wrong=sample_request(user("a", {"document": {**DOCUMENT["document"], "citations": {"enabled": True}}})),
    right=sample_request(user("a", {"document": {**DOCUMENT["document"], "citations": {"enabled": False}}})),
    verbatim=cite("pydantic/pydantic-ai, measured on 2026-10-20", quote="This model doesn't support citations."))
# fmt: on
