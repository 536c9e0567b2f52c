"""Rules of the service on fields and blocks that a family of models does not have.

Last come the rules on the request as a whole, which are outside the rulebooks: its JSON, the key, the context window.
"""

import json
from typing import Any

from fake_providers import remedies
from fake_providers.rule import Remedy, Rule
from fake_providers.rulebook import ANY_MESSAGE, ANY_PART, Breach, RequestContext, Rulebook
from fake_providers.values.lenient import members
from fake_providers.wires.bedrock_converse.conversation import RESULT, SCHEMA, TURN, Block, Turn, blocks_of, turns
from fake_providers.wires.bedrock_converse.errors import MODEL, envelope, extraneous_key
from fake_providers.wires.bedrock_converse.rules.samples import (
    GPT_OSS,
    NOVA,
    NOVA_2,
    bedrock_path,
    call,
    cite,
    result,
    sample_request,
    sample_with_tools,
    tool,
)
from fake_providers.wires.openai_chat.rules import parameters as chat
from fake_providers.wires.openai_responses.rules import parameters as responses

BOOK = Rulebook(envelope)
OPENAIS = chat.KNOWN | responses.KNOWN
THOUGHT: dict[str, Any] = {"reasoningContent": {"reasoningText": {"text": "b"}}}


def _of_format(format: str) -> dict[str, Any]:
    return {"document": {"name": "report", "format": format, "source": {"bytes": "YQ=="}}}


def _lacking_field(body: Any, context: RequestContext) -> tuple[str, str] | None:
    lacking = frozenset(trait.removeprefix("no-field-") for trait in context.traits if trait.startswith("no-field-"))
    found = [(f"inferenceConfig.{name}", name) for name in members(body.get("inferenceConfig"))]
    results = [block for turn in turns(context) for block in turn.of_kind("toolResult")] if "status" in lacking else []
    found += [(f"{block.at}.toolResult", "status") for block in results if "status" in block.value]
    return next(((at, name) for at, name in found if name in lacking), None)


def _media(turn: Turn, context: RequestContext) -> dict[str, str] | None:
    kinds = [kind for kind in ("video", "image", "audio") if f"no-{kind}" in context.traits]
    inner = [part for block in turn.of_kind("toolResult") for part in block.value["content"]] if kinds else []
    for kind in kinds:
        if (found := turn.of_kind(kind)) or any(members(part).get(kind) for part in inner):
            return {"kind": kind, "place": found[0].at if found else turn.at}
    return None


def _above_limit(body: Any, context: RequestContext) -> int | None:
    asked = members(body.get("inferenceConfig")).get("maxTokens")
    limits = [int(one.removeprefix("most-tokens-")) for one in context.traits if one.startswith("most-tokens-")]
    return next((most for most in limits if asked is not None and asked > most), None)


def _conflict(body: Any) -> dict[str, str] | None:
    additional = members(body.get("additionalModelRequestFields"))
    choice = members(members(body.get("toolConfig")).get("toolChoice"))
    if "tool_choice" in additional and choice:
        with_what = f"the existing field toolConfig.toolChoice.{next(iter(choice))}"
        return {"member": "tool_choice", "name": "tool_choice/type", "what": with_what}
    for name, own in (("system", "system"), ("messages", "messages"), ("tools", "toolConfig")):
        if name in additional and body.get(own):
            return {"member": name, "name": name, "what": "an existing field"}
    return None


def _refused_reasoning(block: Block, context: RequestContext) -> bool:
    signature = members(members(block.value).get("reasoningText")).get("signature")
    return ("no-signatures" if signature else "no-unsigned-reasoning") in context.traits or (
        "no-reasoning" in context.traits
    )


def _unknown_parameter(context: RequestContext) -> Breach | None:
    for name in members(context.body.get("additionalModelRequestFields")):
        if name not in OPENAIS:
            error = {
                "code": "unknown_parameter",
                "message": f"Unknown parameter: '{name}'.",
                "param": name,
                "type": "invalid_request_error",
            }
            return Breach(f"additionalModelRequestFields.{name}", MODEL + json.dumps({"error": error}))
    return None


HIGH_EFFORT = {"reasoningConfig": {"type": "enabled", "maxReasoningEffort": "high"}}


def _limits_high_effort(body: Any) -> bool:
    asked = members(members(body.get("additionalModelRequestFields")).get("reasoningConfig"))
    is_high = (asked.get("type"), asked.get("maxReasoningEffort")) == ("enabled", "high")
    return is_high and members(body.get("inferenceConfig")).get("maxTokens") is not None


def _refused_media(result: Block) -> str | None:
    """The number of the block among those of its message."""
    parts = result.value["content"]
    has_any = any("video" in part or members(part.get("document")).get("format") == "pdf" for part in parts)
    return result.at.rpartition(".")[2] if has_any else None


CHECKED = "2026-11-23"
NO_KEY = "Missing Authentication Token"
TOO_LONG_CLAUDE = "The model returned the following errors: Input is too long for requested model."
TOO_LONG_NOVA = (
    "Input Tokens Exceeded: Number of input tokens exceeds maximum length. Please update the input to try again."
)

# fmt: off
MISSING_KEY = Rule("bedrock/missing-key", 403,
    "The request is neither signed nor has a bearer key. (Which key it is, no fake can judge.)", "all",
    "reported", cite("services of Amazon, which all answer so", quote=NO_KEY), CHECKED, None, None, remedy=remedies.KEY)
NOT_JSON = Rule("bedrock/not-json", 400, "The body is not JSON.", "all",
    "inferred", cite("other services of Amazon with this protocol"), CHECKED,
    b"{", json.dumps(sample_request()).encode(), remedy=remedies.JSON_LIBRARY)
INPUT_TOO_LONG = Rule("bedrock/input-too-long", 400,
    "The conversation has more tokens than the model's context window.", "all; each vendor has a sentence of its own",
    "verbatim", cite("strands-agents/sdk-python, a list of such sentences", "a recording of nova-2-lite",
        quote="Input is too long for requested model."), CHECKED, None, None, remedy=remedies.SHORTEN)
# fmt: on
RULES = (MISSING_KEY, NOT_JSON, INPUT_TOO_LONG)


# A table: two rows are to be compared.
# fmt: off
BOOK.row("bedrock/field-unsupported", "The model has no such field.",
    ANY_PART, _lacking_field, "This model doesn't support the {found[1]} field. Remove {found[1]} and try again.",
    "{found[0]}", even_usual=True, needs=("inferenceConfig", "searchResult", "status", "strict", "systemTool"),
    trait=("no-field-status", "no-field-stopSequences", "no-field-temperature", "no-field-topP"),
    models="`stopSequences` of gpt-oss and gpt-5, `temperature` and `topP` of gpt-5, `status` of palmyra-x4 and "
        "palmyra-x5", path=bedrock_path(GPT_OSS), remedy=remedies.FIELD_OF_MODEL,
    wrong=sample_request(inferenceConfig={"stopSequences": ["."]}), right=sample_request(inferenceConfig={}),
    recorded=cite("vercel/ai fixtures amazon-bedrock-openai-*", "pydantic/pydantic-ai, its profiles of models",
        quote="This model doesn't support the stopSequences field. Remove stopSequences and try again."))
BOOK.row("bedrock/block-unsupported", "The model does not take blocks of this kind.",
    TURN, _media,
    "This model doesn't support the {kind} content block that you provided. Update the content block and try again.",
    "/{place}", needs=("audio", "image", "video"),
    models="video: those known not to see it; pictures: models of text alone",
    remedy=remedies.BLOCKS_OF_MODEL,
    wrong=sample_request(["a", {"video": {"format": "mp4", "source": {"bytes": "YQ=="}}}]), right=sample_request("a"),
    recorded={"pydantic/pydantic-ai, three recordings of claude-sonnet-4-5":
        "This model doesn't support the video content block that you provided. Update the content block and try "
        "again."})
BOOK.row("bedrock/s3-unsupported",
    "A picture, document or video is named by its place in S3, which the model does not take.",
    blocks_of("image", "document", "video"), lambda block: bool(members(block.value.get("source")).get("s3Location")),
    "This model doesn't support the s3Uri field. Remove s3Uri and try again.", ".{item.kind}.source",
    needs="s3Location", trait="no-s3", remedy=remedies.BLOCKS_OF_MODEL,
    models="claude-3*, claude-haiku*, claude-opus*, claude-sonnet*, up to 5; Nova takes it",
    wrong=sample_request(["a", {"image": {"format": "png", "source": {"s3Location": {"uri": "s3://bucket/a"}}}}]),
    right=sample_request("a"),
    recorded={"pydantic/pydantic-ai, a recording of claude-sonnet-4-5": "..."})
BOOK.row("bedrock/max-tokens-large", "`maxTokens` is more than the model can write.",
    ANY_MESSAGE, _above_limit,
    "The maximum tokens you requested exceeds the model limit of {found}. Try again with a maximum tokens value that "
        "is lower than {found}.", "inferenceConfig.maxTokens", needs="maxTokens",
    models="Nova of the first generation 10000, Llama 8192, gpt-oss 128000, Claude 4.5 64000", path=bedrock_path(NOVA),
    remedy=remedies.WHOLE_NUMBER,
    wrong=sample_request(inferenceConfig={"maxTokens": 10001}),
    right=sample_request(inferenceConfig={"maxTokens": 10000}),
    verbatim={"measured by several users":
        "The maximum tokens you requested exceeds the model limit of 10000. Try again with a maximum tokens "
        "value that is lower than 10000."})
BOOK.row("bedrock/additional-field-conflict",
    "`additionalModelRequestFields` has what the request already says in a field of its own.",
    ANY_MESSAGE, _conflict, "The additional field {name} conflicts with {what}. Remove {name} and try again.",
    "additionalModelRequestFields.{member}", needs="additionalModelRequestFields", remedy=remedies.FIELD_OF_MODEL,
    wrong=sample_request(system=[{"text": "b"}], additionalModelRequestFields={"system": "b"}),
    right=sample_request(system=[{"text": "b"}], additionalModelRequestFields={}),
    verbatim=cite("danny-avila/LibreChat#14246", "vercel/ai fixture issue-17267, for tool_choice",
        quote="The additional field system conflicts with an existing field."))
BOOK.row("bedrock/reasoning-unsupported",
    "An assistant message has reasoning that the model does not take back: unsigned, or signed for another model, "
        "or any. The service speaks of user messages.",
    blocks_of("reasoningContent"), _refused_reasoning,
    "User messages cannot contain reasoning content. Please remove the reasoning content and try again.",
    needs="reasoningContent",
    models="unsigned: Claude 3; any: Nova of the first generation, Llama, Mistral, DeepSeek and others",
    path=bedrock_path(NOVA),
    remedy=Remedy("reasoning-sent-back",
        "Leave reasoning out of the history for this model, and reasoning that another model signed."),
    wrong=sample_request("a", [THOUGHT, "c"], "d"), right=sample_request("a", "c", "d"),
    recorded={"vercel/ai#7034": "...", "langchain-ai/langchain-aws#408": "",
        "strands-agents/sdk-python, a list of models measured": ""})
BOOK.row("bedrock/openai-unknown-parameter",
    "An additional field is none that OpenAI knows, such as the `reasoningConfig` of Nova.",
    ANY_MESSAGE, _unknown_parameter, needs="additionalModelRequestFields", trait="openai", models="OpenAI's",
    checked="2026-11-27", path=bedrock_path(GPT_OSS), remedy=remedies.FIELD_OF_MODEL,
    wrong=sample_request(additionalModelRequestFields={"reasoningConfig": {"type": "enabled"}}),
    right=sample_request(additionalModelRequestFields={}),
    reported=cite("vercel/ai#19403, requests by an inference profile", "cline/cline#14095",
        quote="Unknown parameter: 'reasoningConfig'"))
BOOK.row("bedrock/nova-schema-key",
    "The schema of a tool has another key at its top level than those that Nova takes, such as `definitions`.",
    SCHEMA, lambda schema: "definitions" in members(schema),
    extraneous_key("/toolConfig/tools/{i}/toolSpec/inputSchema/json", "definitions"), ".definitions",
    needs="definitions", trait="nova", models="Nova", path=bedrock_path(NOVA),
    remedy=Remedy("schemas", "Write what `definitions` holds at the place that refers to it."),
    wrong=sample_request(toolConfig={"tools": [tool(inputSchema={"json": {"type": "object", "definitions": {}}})]}),
    right=sample_request(toolConfig={"tools": [tool(inputSchema={"json": {"type": "object"}})]}),
    verbatim={"zed-industries/zed#31815":
        "Malformed input request: #/toolConfig/tools/1/toolSpec/inputSchema/json: extraneous key [definitions] "
        "is not permitted, please reformat your input and try again."})
BOOK.row("bedrock/nova-reasoning-max-tokens", "`maxTokens` is set where the model is to reason with high effort.",
    ANY_MESSAGE, _limits_high_effort,
    "`maxTokens` must be unset when reasoningConfig type is 'enabled' and maxReasoningEffort is 'high'.",
    "inferenceConfig.maxTokens", needs="reasoningConfig", trait="nova-2", models="Nova 2",
    path=bedrock_path(NOVA_2),
    remedy=Remedy("parameters", "Leave `maxTokens` out where the model reasons with high effort."),
    wrong=sample_request(inferenceConfig={"maxTokens": 100}, additionalModelRequestFields=HIGH_EFFORT),
    right=sample_request(inferenceConfig={}, additionalModelRequestFields=HIGH_EFFORT),
    recorded={"a recording of nova-2-lite": "..."})
BOOK.row("bedrock/nova-result-media", "A result holds a PDF document or a video: put it beside the result.",
    RESULT, _refused_media, extraneous_key("/messages/{turn.joined}/content/{found}", "toolResult"), needs="toolResult",
    trait="nova-2", models="Nova 2", path=bedrock_path(NOVA_2), remedy=remedies.BLOCKS_OF_MODEL.of("results"),
    wrong=sample_with_tools("a", call(), result(content=[_of_format("pdf")])),
    right=sample_with_tools("a", call(), result(content=[_of_format("txt")])),
    recorded={"pydantic/pydantic-ai, a recording of nova-2-lite":
        "Malformed input request: #/messages/2/content/0: extraneous key [toolResult] is not permitted"})
# fmt: on
