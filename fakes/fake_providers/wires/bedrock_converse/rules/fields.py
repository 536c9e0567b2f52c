"""Rules of the service on fields and blocks that a family of models does not have.

Last come the rules on the request as a whole, which are outside the rulebooks: its JSON, the key, the context window.
"""

import json
from collections.abc import Iterator
from typing import Any

from fake_providers.rule import Rule
from fake_providers.rulebook import ANY_MESSAGE, ANY_PART, ANY_TOOL, Breach, RequestContext, Rulebook
from fake_providers.wires.bedrock_converse.conversation import turns
from fake_providers.wires.bedrock_converse.errors import MODEL, envelope, extraneous_key
from fake_providers.wires.bedrock_converse.request import items, members
from fake_providers.wires.bedrock_converse.rules.samples import (
    GPT_OSS,
    NOVA,
    NOVA_2,
    assistant,
    bedrock_path,
    call,
    cite,
    result,
    sample_request,
    sample_with_tools,
    tool,
    user,
)
from fake_providers.wires.openai_chat.rules import parameters as chat
from fake_providers.wires.openai_responses.rules import parameters as responses

BOOK = Rulebook(envelope)
OPENAIS = chat.KNOWN | responses.KNOWN
UNSUPPORTED = "This model doesn't support the {name} field. Remove {name} and try again."
REASONING = "User messages cannot contain reasoning content. Please remove the reasoning content and try again."
THOUGHT: dict[str, Any] = {"reasoningContent": {"reasoningText": {"text": "b"}}}


def _of_format(format: str) -> dict[str, Any]:
    return {"document": {"name": "report", "format": format, "source": {"bytes": "YQ=="}}}


def field_unsupported(context: RequestContext) -> Breach | None:
    lacking = frozenset(trait.removeprefix("no-field-") for trait in context.traits if trait.startswith("no-field-"))
    if not lacking:
        return None
    for at, name in _fields(context):
        if name in lacking:
            return Breach(at, UNSUPPORTED.format(name=name))
    return None


def _fields(context: RequestContext) -> Iterator[tuple[str, str]]:
    """Fields that some models do not have, where the request has them."""
    for name in members(context.body.get("inferenceConfig")):
        yield f"inferenceConfig.{name}", name
    for turn in turns(context):
        for block in turn.of_kind("toolResult"):
            if "status" in block.value:
                yield f"{block.at}.toolResult", "status"


def block_unsupported(context: RequestContext) -> Breach | None:
    kinds = [kind for kind in ("video", "image", "audio") if f"no-{kind}" in context.traits]
    for turn in turns(context) if kinds else ():
        inner = [part for block in turn.of_kind("toolResult") for part in block.value["content"]]
        for kind in kinds:
            if (found := turn.of_kind(kind)) or any(members(part).get(kind) for part in inner):
                return Breach(
                    found[0].at if found else turn.at,
                    f"This model doesn't support the {kind} content block that you provided. Update the content block "
                    "and try again.",
                )
    return None


def s3_unsupported(context: RequestContext) -> Breach | None:
    for turn in turns(context) if "no-s3" in context.traits else ():
        for block in turn.of_kind("image", "document", "video"):
            if members(block.value.get("source")).get("s3Location"):
                return Breach(f"{block.at}.{block.kind}.source", UNSUPPORTED.format(name="s3Uri"))
    return None


def max_tokens_large(context: RequestContext) -> Breach | None:
    asked = members(context.body.get("inferenceConfig")).get("maxTokens")
    for trait in context.traits:
        most = int(trait.removeprefix("most-tokens-")) if trait.startswith("most-tokens-") else None
        if most is not None and asked is not None and asked > most:
            return Breach(
                "inferenceConfig.maxTokens",
                f"The maximum tokens you requested exceeds the model limit of {most}. Try again with a maximum tokens "
                f"value that is lower than {most}.",
            )
    return None


def additional_field_conflict(context: RequestContext) -> Breach | None:
    additional = members(context.body.get("additionalModelRequestFields"))
    at = "additionalModelRequestFields"
    choice = members(members(context.body.get("toolConfig")).get("toolChoice"))
    if "tool_choice" in additional and choice:
        sentence = f"existing field toolConfig.toolChoice.{next(iter(choice))}. Remove tool_choice/type and try again."
        return Breach(f"{at}.tool_choice", f"The additional field tool_choice/type conflicts with the {sentence}")
    for name, own in (("system", "system"), ("messages", "messages"), ("tools", "toolConfig")):
        if name in additional and context.body.get(own):
            sentence = f"The additional field {name} conflicts with an existing field. Remove {name} and try again."
            return Breach(f"{at}.{name}", sentence)
    return None


def reasoning_unsupported(context: RequestContext) -> Breach | None:
    none, unsigned = ("no-reasoning" in context.traits, "no-unsigned-reasoning" in context.traits)
    signed = "no-signatures" in context.traits
    for turn in turns(context) if none or unsigned or signed else ():
        for block in turn.of_kind("reasoningContent"):
            signature = members(members(block.value).get("reasoningText")).get("signature")
            if none or (unsigned and not signature) or (signed and signature):
                return Breach(block.at, REASONING)
    return None


def openai_unknown_parameter(context: RequestContext) -> Breach | None:
    for name in members(context.body.get("additionalModelRequestFields")) if "openai" in context.traits else ():
        if name not in OPENAIS:
            error = {
                "code": "unknown_parameter",
                "message": f"Unknown parameter: '{name}'.",
                "param": name,
                "type": "invalid_request_error",
            }
            return Breach(f"additionalModelRequestFields.{name}", MODEL + json.dumps({"error": error}))
    return None


def nova_schema_key(context: RequestContext) -> Breach | None:
    for index, entry in enumerate(items(members(context.body.get("toolConfig")).get("tools"))):
        schema = members(members(members(entry.get("toolSpec")).get("inputSchema")).get("json"))
        if "nova" in context.traits and "definitions" in schema:
            return Breach(
                f"toolConfig.tools.{index}.toolSpec.inputSchema.json.definitions",
                extraneous_key(f"/toolConfig/tools/{index}/toolSpec/inputSchema/json", "definitions"),
            )
    return None


HIGH_EFFORT = {"reasoningConfig": {"type": "enabled", "maxReasoningEffort": "high"}}
UNSET = "`maxTokens` must be unset when reasoningConfig type is 'enabled' and maxReasoningEffort is 'high'."


def nova_reasoning_max_tokens(context: RequestContext) -> Breach | None:
    asked = members(members(context.body.get("additionalModelRequestFields")).get("reasoningConfig"))
    effort = (asked.get("type"), asked.get("maxReasoningEffort"))
    longest = members(context.body.get("inferenceConfig")).get("maxTokens")
    if "nova" not in context.traits or effort != ("enabled", "high") or longest is None:
        return None
    return Breach("inferenceConfig.maxTokens", UNSET)


def nova_result_media(context: RequestContext) -> Breach | None:
    for turn in turns(context) if "nova" in context.traits else ():
        for number, block in enumerate(turn.blocks):
            parts = block.value["content"] if block.kind == "toolResult" else ()
            if any("video" in part or members(part.get("document")).get("format") == "pdf" for part in parts):
                return Breach(block.at, extraneous_key(f"/messages/{turn.joined}/content/{number}", "toolResult"))
    return None


CHECKED = "2026-11-23"
NO_KEY = "Missing Authentication Token"
TOO_LONG_CLAUDE = "The model returned the following errors: Input is too long for requested model."
TOO_LONG_NOVA = (
    "Input Tokens Exceeded: Number of input tokens exceeds maximum length. Please update the input to try again."
)

MISSING_KEY = Rule(
    id="bedrock/missing-key",
    status=403,
    why="The request is neither signed nor has a bearer key. (Which key it is, no fake can judge.)",
    models="all",
    confidence="reported",
    evidence=cite("services of Amazon, which all answer so", quote=NO_KEY),
    checked=CHECKED,
    breaking=None,
    accepted=None,
)
NOT_JSON = Rule(
    id="bedrock/not-json",
    status=400,
    why="The body is not JSON.",
    models="all",
    confidence="inferred",
    evidence=cite("other services of Amazon with this protocol"),
    checked=CHECKED,
    breaking=b"{",
    accepted=json.dumps(sample_request()).encode(),
)
INPUT_TOO_LONG = Rule(
    id="bedrock/input-too-long",
    status=400,
    why="The conversation has more tokens than the model's context window.",
    models="all; each vendor has a sentence of its own",
    confidence="verbatim",
    evidence=cite(
        "strands-agents/sdk-python, a list of such sentences",
        "a recording of nova-2-lite",
        quote="Input is too long for requested model.",
    ),
    checked=CHECKED,
    breaking=None,
    accepted=None,
)
RULES = (MISSING_KEY, NOT_JSON, INPUT_TOO_LONG)


# A table: two rows are to be compared.
# fmt: off
BOOK.row("bedrock/field-unsupported", "The model has no such field.",
    ANY_PART, field_unsupported, even_usual=True,
    needs=("inferenceConfig", "searchResult", "status", "strict", "systemTool"),
    trait=("no-field-status", "no-field-stopSequences", "no-field-temperature", "no-field-topP"),
    models="`stopSequences` of OpenAI's models, `temperature` and `topP` of its newer ones, `status` of Writer, "
        "`strict` of models without structured output", path=bedrock_path(GPT_OSS),
    wrong=sample_request(inferenceConfig={"stopSequences": ["."]}), right=sample_request(inferenceConfig={}),
    recorded=cite("vercel/ai fixtures amazon-bedrock-openai-*", "pydantic/pydantic-ai, its profiles of models",
        quote="This model doesn't support the stopSequences field. Remove stopSequences and try again."))
BOOK.row("bedrock/block-unsupported", "The model does not take blocks of this kind.",
    ANY_MESSAGE, block_unsupported, needs=("audio", "image", "video"),
    models="video: all but Nova; pictures: models of text alone",
    wrong=sample_request(user("a", {"video": {"format": "mp4", "source": {"bytes": "YQ=="}}})),
    right=sample_request(user("a")),
    recorded=cite("pydantic/pydantic-ai, three recordings of claude-sonnet-4-5",
        quote="This model doesn't support the video content block that you provided. Update the content block and try "
        "again."))
BOOK.row("bedrock/s3-unsupported",
    "A picture, document or video is named by its place in S3, which the model does not take.",
    ANY_MESSAGE, s3_unsupported, needs="s3Location", trait="no-s3", models="Claude; Nova takes it",
    wrong=sample_request(user("a", {"image": {"format": "png", "source": {"s3Location": {"uri": "s3://bucket/a"}}}})),
    right=sample_request(user("a")),
    recorded=cite("pydantic/pydantic-ai, a recording of claude-sonnet-4-5",
        quote="This model doesn't support the s3Uri field. Remove s3Uri and try again."))
BOOK.row("bedrock/max-tokens-large", "`maxTokens` is more than the model can write.",
    ANY_MESSAGE, max_tokens_large, needs="maxTokens",
    models="Nova of the first generation 10000, Llama 8192, gpt-oss 128000, Claude 4.5 64000", path=bedrock_path(NOVA),
    wrong=sample_request(inferenceConfig={"maxTokens": 10001}),
    right=sample_request(inferenceConfig={"maxTokens": 10000}),
    verbatim=cite("measured by several users",
        quote="The maximum tokens you requested exceeds the model limit of 10000. Try again with a maximum tokens "
        "value that is lower than 10000."))
BOOK.row("bedrock/additional-field-conflict",
    "`additionalModelRequestFields` has what the request already says in a field of its own.",
    ANY_MESSAGE, additional_field_conflict, needs="additionalModelRequestFields",
    wrong=sample_request(system=[{"text": "b"}], additionalModelRequestFields={"system": "b"}),
    right=sample_request(system=[{"text": "b"}], additionalModelRequestFields={}),
    verbatim=cite("danny-avila/LibreChat#14246", "vercel/ai fixture issue-17267, for tool_choice",
        quote="The additional field system conflicts with an existing field."))
BOOK.row("bedrock/reasoning-unsupported",
    "An assistant message has reasoning that the model does not take back: unsigned, or signed for another model, "
        "or any. The service speaks of user messages.",
    ANY_MESSAGE, reasoning_unsupported, needs="reasoningContent",
    models="unsigned: Claude 3; any: Nova of the first generation, Llama, Mistral, DeepSeek and others",
    path=bedrock_path(NOVA),
    wrong=sample_request(user("a"), assistant(THOUGHT, "c"), user("d")),
    right=sample_request(user("a"), assistant("c"), user("d")),
    recorded=cite("vercel/ai#7034", "langchain-ai/langchain-aws#408",
        "strands-agents/sdk-python, a list of models measured", quote=REASONING))
BOOK.row("bedrock/openai-unknown-parameter",
    "An additional field is none that OpenAI knows, such as the `reasoningConfig` of Nova.",
    ANY_MESSAGE, openai_unknown_parameter, needs="additionalModelRequestFields", trait="openai", models="OpenAI's",
    checked="2026-11-27", path=bedrock_path(GPT_OSS),
    wrong=sample_request(additionalModelRequestFields={"reasoningConfig": {"type": "enabled"}}),
    right=sample_request(additionalModelRequestFields={}),
    reported=cite("vercel/ai#19403, requests by an inference profile", "cline/cline#14095",
        quote="Unknown parameter: 'reasoningConfig'"))
BOOK.row("bedrock/nova-schema-key",
    "The schema of a tool has another key at its top level than those that Nova takes, such as `definitions`.",
    ANY_TOOL, nova_schema_key, needs="definitions", trait="nova", models="Nova", path=bedrock_path(NOVA),
    wrong=sample_request(toolConfig={"tools": [tool(inputSchema={"json": {"type": "object", "definitions": {}}})]}),
    right=sample_request(toolConfig={"tools": [tool(inputSchema={"json": {"type": "object"}})]}),
    verbatim=cite("zed-industries/zed#31815",
        quote="Malformed input request: #/toolConfig/tools/1/toolSpec/inputSchema/json: extraneous key [definitions] "
        "is not permitted, please reformat your input and try again."))
BOOK.row("bedrock/nova-reasoning-max-tokens", "`maxTokens` is set where the model is to reason with high effort.",
    ANY_MESSAGE, nova_reasoning_max_tokens, needs="reasoningConfig", trait="nova", models="Nova 2",
    path=bedrock_path(NOVA_2),
    wrong=sample_request(inferenceConfig={"maxTokens": 100}, additionalModelRequestFields=HIGH_EFFORT),
    right=sample_request(inferenceConfig={}, additionalModelRequestFields=HIGH_EFFORT),
    recorded=cite("a recording of nova-2-lite", quote=UNSET))
BOOK.row("bedrock/nova-result-media", "A result holds a PDF document or a video: put it beside the result.",
    ANY_MESSAGE, nova_result_media, needs="toolResult", trait="nova", models="Nova", path=bedrock_path(NOVA),
    wrong=sample_with_tools(user("a"), assistant(call()), user(result(content=[_of_format("pdf")]))),
    right=sample_with_tools(user("a"), assistant(call()), user(result(content=[_of_format("txt")]))),
    recorded=cite("pydantic/pydantic-ai, a recording of nova-2-lite",
        quote="Malformed input request: #/messages/2/content/0: extraneous key [toolResult] is not permitted"))
# fmt: on
