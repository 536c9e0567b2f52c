"""Bugs with blocks of other kinds: pictures, thoughts and calls under the wrong role, of another type, or cut."""

from agent_conformance.agents.mutants.encoding.bodies import (
    Body,
    declarations_of,
    each,
    in_body,
    messages_of,
    parts_of,
    spoiled,
)
from agent_conformance.agents.mutants.encoding.schemas import schemas_in

PICTURE = "images/picture-of-the-user"
THOUGHT = "reasoning/call-after-reasoning-field"
CALL = "round-trip/result-comes-back"
SCHEMA = "declarations/offered-whole"


def _pictures_as_links(message: Body) -> None:
    if message.get("images"):
        message["images"] = [f"data:image/png;base64,{picture}" for picture in message["images"]]


def _one_media_type(part: Body) -> None:
    if part.get("type") == "image":
        part["source"]["media_type"] = "image/gif"


def _links_of_pictures_null(part: Body) -> None:
    if part.get("type") == "image_url":
        part["image_url"] = {"url": None}
    if part.get("type") == "input_image":
        part["image_url"] = None


def _pictures_in_a_failure(message: Body) -> None:
    blocks = message.get("content")
    if isinstance(blocks, list) and any(block.get("is_error") for block in blocks):
        pictures = [block for block in blocks if block.get("type") == "image"]
        failed = next(block for block in blocks if block.get("is_error"))
        failed["content"] = [{"type": "text", "text": "failed"}, *pictures]
        message["content"] = [block for block in blocks if block not in pictures]


def _everything_of_the_model(message: Body) -> None:
    if message.get("role") == "user" and "tool_result" in str(message.get("content")):
        message["role"] = "assistant"


def _everything_of_the_user(message: Body) -> None:
    if message.get("role") == "assistant" and isinstance(message.get("content"), list):
        message["role"] = "user"


def _signatures_cut(part: Body) -> None:
    for key in ("signature", "thoughtSignature"):
        if part.get(key):
            part[key] = part[key][:-5]


def _signatures_null(part: Body) -> None:
    if "signature" in part:
        part["signature"] = None


def _signatures_as_text(part: Body) -> None:
    if "thoughtSignature" in part:
        part["thoughtSignature"] = "the signature: " + part["thoughtSignature"]


def _thoughts_reworded(part: Body) -> None:
    if "thinking" in part:
        part["thinking"] = "In short: " + part["thinking"]


def _summaries_left_out(message: Body) -> None:
    if message.get("type") == "reasoning":
        message.pop("summary", None)


def _blocks_of_another_api(part: Body) -> None:
    if part.get("type") == "tool_use":
        part["type"] = "function_call"


def _items_of_another_api(item: Body) -> None:
    if item.get("type") == "function_call":
        item["type"] = "tool_use"


def _numbered_blocks(part: Body) -> None:
    if "type" in part:
        part["index"] = 0


def _untyped_and_strict(declaration: Body) -> None:
    for key in ("parameters", "input_schema"):
        for schema in schemas_in(declaration.get(key)):
            if schema.get("type") == "object":
                schema |= {"additionalProperties": False, "required": [*(schema.get("properties") or {})]}
            else:
                schema.pop("type", None)
            declaration["strict"] = True


def _unique_and_strict(declaration: Body) -> None:
    for key in ("parameters", "input_schema"):
        for schema in schemas_in(declaration.get(key)):
            if schema.get("type") == "object":
                schema |= {"additionalProperties": False, "required": [*(schema.get("properties") or {})]}
            if schema.get("type") == "array":
                schema |= {"uniqueItems": True, "minItems": 3}
            declaration["strict"] = True


def _references_for_items(body: Body) -> None:
    if "input" in body:
        body["input"] = [{"type": "item_reference", "id": "msg_gone"}, *body["input"]]


MUTANTS = (
    spoiled(
        "M68a_pictures_as_links",
        "a picture is plain base64 where the API has no links",
        "https://github.com/BerriAI/litellm/issues/18338",
        PICTURE,
        each(messages_of, _pictures_as_links),
    ),
    spoiled(
        "M68b_one_media_type",
        "the media type is that of the picture",
        "https://github.com/home-assistant/core/issues/167208",
        PICTURE,
        each(parts_of, _one_media_type),
    ),
    spoiled(
        "M68c_links_of_pictures_null",
        "a part for a picture has one",
        "recorded refusals of pictures without an address, gpt-4o-mini",
        PICTURE,
        each(parts_of, _links_of_pictures_null),
    ),
    spoiled(
        "M68d_pictures_in_a_failure",
        "a failed result has texts alone",
        "https://github.com/vellum-ai/vellum-assistant/issues/18387",
        "images/picture-of-a-failure",
        each(messages_of, _pictures_in_a_failure),
    ),
    spoiled(
        "M68e_everything_of_the_model",
        "results are the user's",
        "live probes of tool use, claude-haiku-4-5",
        CALL,
        each(messages_of, _everything_of_the_model),
    ),
    spoiled(
        "M68f_everything_of_the_user",
        "calls are the model's",
        "chat clients that lose the role between turns",
        CALL,
        each(messages_of, _everything_of_the_user),
    ),
    spoiled(
        "M68g_signatures_cut",
        "a signature goes back whole",
        "https://github.com/google-gemini/gemini-cli/issues/13467",
        THOUGHT,
        each(parts_of, _signatures_cut),
    ),
    spoiled(
        "M68h_signatures_null",
        "a thought without a signature is left out",
        "error tables of public clients",
        THOUGHT,
        each(parts_of, _signatures_null),
    ),
    spoiled(
        "M68i_signatures_as_text",
        "a signature goes back as it came",
        "public code that quotes the refusal",
        THOUGHT,
        each(parts_of, _signatures_as_text),
    ),
    spoiled(
        "M68j_thoughts_reworded",
        "a thought goes back word for word",
        "https://github.com/anthropics/claude-code/issues/63203",
        THOUGHT,
        each(parts_of, _thoughts_reworded),
    ),
    spoiled(
        "M68k_summaries_left_out",
        "a reasoning item has its summary, also an empty one",
        "https://github.com/newo-ether/Agora/issues/141",
        THOUGHT,
        each(messages_of, _summaries_left_out),
    ),
    spoiled(
        "M68l_blocks_of_another_api",
        "blocks have the types of this API",
        "error tables of public clients",
        CALL,
        each(parts_of, _blocks_of_another_api),
    ),
    spoiled(
        "M68m_items_of_another_api",
        "items have the types of this API",
        "recorded refusals of a `tool_use` among the items",
        CALL,
        each(messages_of, _items_of_another_api),
    ),
    spoiled(
        "M68n_numbered_blocks",
        "what a stream numbers is sent back without its number",
        "https://github.com/langchain-ai/langchain/issues/31208",
        CALL,
        each(parts_of, _numbered_blocks),
    ),
    spoiled(
        "M68o_untyped_and_strict",
        "a property of a strict tool has a type",
        "https://github.com/crmne/ruby_llm/issues/480",
        SCHEMA,
        each(declarations_of, _untyped_and_strict),
    ),
    spoiled(
        "M68p_unique_and_strict",
        "a strict tool has the keywords of strict schemas",
        "https://github.com/elie222/inbox-zero/issues/1988",
        SCHEMA,
        each(declarations_of, _unique_and_strict),
    ),
    spoiled(
        "M68q_references_for_items",
        "only a stored item is referred to",
        "recorded refusals of items that were not stored",
        CALL,
        in_body(_references_for_items),
    ),
)
