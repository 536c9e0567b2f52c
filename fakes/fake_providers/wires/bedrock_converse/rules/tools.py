"""Rules of the service on `toolConfig` and on what is in a call or a result."""

from typing import Any

from fake_providers.rulebook import ALL_TOOLS, ANY_MESSAGE, ANY_TOOL, NEAR_MESSAGES, Breach, RequestContext, Rulebook
from fake_providers.wires.bedrock_converse.conversation import turns
from fake_providers.wires.bedrock_converse.errors import envelope
from fake_providers.wires.bedrock_converse.request import members, objects, tool_specs
from fake_providers.wires.bedrock_converse.rules.samples import (
    LLAMA,
    TOOL,
    TOOLS,
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

BOOK = Rulebook(envelope)
FORMAT = "The format of the value at {at} is invalid. Provide a json object for the field and try again."
NO_CONFIG = "The toolConfig field must be defined when using toolUse and toolResult content blocks."
SMALL_LLAMA = "us.meta.llama3-2-3b-instruct-v1:0"


def tools_unsupported(context: RequestContext) -> Breach | None:
    if "no-tools" not in context.traits or "toolConfig" not in context.body:
        return None
    return Breach("toolConfig", "This model doesn't support tool use.")


def tools_in_stream(context: RequestContext) -> Breach | None:
    if not context.stream or "no-tools-in-stream" not in context.traits or "toolConfig" not in context.body:
        return None
    return Breach("toolConfig", "This model doesn't support tool use in streaming mode.")


def tool_name_duplicate(context: RequestContext) -> Breach | None:
    seen: set[str] = set()
    for index, spec in tool_specs(context.body):
        if spec["name"] in seen:
            at = f"toolConfig.tools.{index}"
            return Breach(at, f"The tool {spec['name']} is already defined at {at}.")
        seen.add(spec["name"])
    return None


def _schemas(context: RequestContext) -> list[tuple[str, Any]]:
    return [
        (f"toolConfig.tools.{index}.toolSpec.inputSchema.json", members(spec.get("inputSchema")).get("json"))
        for index, spec in tool_specs(context.body)
    ]


def schema_not_object(context: RequestContext) -> Breach | None:
    for at, schema in _schemas(context):
        if not isinstance(schema, dict):
            return Breach(at, FORMAT.format(at=at))
    return None


def schema_type(context: RequestContext) -> Breach | None:
    for at, schema in _schemas(context):
        if schema.get("type") != "object":
            return Breach(f"{at}.type", f"The value at {at}.type must be one of the following: object.")
    return None


def tool_choice_unsupported(context: RequestContext) -> Breach | None:
    choice = members(members(context.body.get("toolConfig")).get("toolChoice"))
    for kind in ("any", "tool"):
        if kind in choice and f"no-choice-{kind}" in context.traits:
            at = f"toolConfig.toolChoice.{kind}"
            return Breach(at, f"This model doesn't support the {at} field. Remove {at} and try again.")
    return None


def tool_config_missing(context: RequestContext) -> Breach | None:
    if "toolConfig" in context.body:
        return None
    for turn in turns(context):
        if found := turn.of_kind("toolUse", "toolResult"):
            return Breach(found[0].at, NO_CONFIG)
    return None


def call_input(context: RequestContext) -> Breach | None:
    for turn in turns(context):
        for block in turn.of_kind("toolUse"):
            if not isinstance(block.value["input"], dict):
                at = f"{block.at}.toolUse.input"
                return Breach(at, FORMAT.format(at=at))
    return None


def result_json(context: RequestContext) -> Breach | None:
    for turn in turns(context):
        for block in turn.of_kind("toolResult"):
            for number, part in enumerate(block.value["content"]):
                if isinstance(members(part).get("json"), list | str):
                    at = f"{block.at}.toolResult.content.{number}.json"
                    return Breach(at, FORMAT.format(at=at))
    return None


def error_without_content(context: RequestContext) -> Breach | None:
    for turn in turns(context):
        for block in turn.of_kind("toolResult"):
            if block.value.get("status") == "error" and not objects(block.value["content"]):
                at = f"{block.at}.toolResult"
                return Breach(at, f"The content field at {at} cannot be empty when status value is error.")
    return None


# A table: two rows are to be compared.
# fmt: off
BOOK.row("bedrock/tools-unsupported", "The model takes no tools.",
    ANY_MESSAGE, tools_unsupported, needs="toolConfig", trait="no-tools", models="Llama 3.2 with 1B and 3B, Titan",
    path=bedrock_path(SMALL_LLAMA),
    wrong=sample_request(toolConfig=TOOLS), right=sample_request(),
    recorded=cite("three recordings of llama3-2-3b", quote="This model doesn't support tool use."))
BOOK.row("bedrock/tools-in-stream", "The model takes tools in `converse`, and not in `converse-stream`.",
    ANY_MESSAGE, tools_in_stream, needs="toolConfig", trait="no-tools-in-stream",
    models="Llama 3 and 4, Mistral Large 2402, Writer; Nova, Claude and Cohere take them",
    path=bedrock_path(LLAMA, stream=True),
    wrong=sample_request(toolConfig=TOOLS), right=sample_request(),
    verbatim=cite("earendil-works/pi#3739", "n8n-io/n8n#14206", "run-llama/llama_index#19655",
        quote="This model doesn't support tool use in streaming mode."))
BOOK.row("bedrock/tool-name-duplicate", "Two tools have one name.",
    ALL_TOOLS, tool_name_duplicate,
    wrong=sample_request(toolConfig={"tools": [TOOL, tool(name="f")]}),
    right=sample_request(toolConfig={"tools": [TOOL, tool(name="g")]}),
    verbatim=cite("four public quotes, one measured against a control",
        quote="The tool verifier is already defined at toolConfig.tools.1."))
BOOK.row("bedrock/schema-not-object", "The schema of a tool is not an object, such as one that is a JSON text.",
    ANY_TOOL, schema_not_object,
    wrong=sample_request(toolConfig={"tools": [tool(inputSchema={"json": '{"type": "object"}'})]}),
    right=sample_request(toolConfig={"tools": [tool(inputSchema={"json": {"type": "object"}})]}),
    reported=cite("public quotes of the sentence at other places", quote="Provide a json object for the field"))
BOOK.row("bedrock/schema-type",
    "The schema of a tool is not of the type `object`; it needs that type, and no properties.",
    ANY_TOOL, schema_type,
    wrong=sample_request(toolConfig={"tools": [tool(inputSchema={"json": {}})]}),
    right=sample_request(toolConfig={"tools": [tool(inputSchema={"json": {"type": "object"}})]}),
    verbatim=cite("cognitect-labs/aws-api#272",
        quote="The value at toolConfig.tools.0.toolSpec.inputSchema.json.type must be one of the following: object."))
BOOK.row("bedrock/tool-choice-unsupported",
    "The model cannot be made to call a tool in this way; leave `toolChoice` out or use `auto`.",
    ANY_MESSAGE, tool_choice_unsupported, needs="toolChoice",
    models="Llama, Writer and Cohere; Mistral for a single tool", path=bedrock_path(LLAMA),
    wrong=sample_request(toolConfig={"tools": [TOOL], "toolChoice": {"any": {}}}),
    right=sample_request(toolConfig={"tools": [TOOL]}),
    verbatim=cite("strands-agents/harness-sdk#1241", "pydantic/pydantic-ai#2091", "vercel/ai#4396",
        "aws-samples/bedrock-access-gateway#92",
        quote="This model doesn't support the toolConfig.toolChoice.any field. Remove toolConfig.toolChoice.any and "
        "try again."))
BOOK.row("bedrock/tool-config-missing",
    "The history has calls or results, and the request no `toolConfig`. Keep offering tools, for example to the "
        "last request of a run; which ones does not matter.",
    NEAR_MESSAGES, tool_config_missing, even_usual=True, needs=("toolResult", "toolUse"), trait="no-tool-config",
    wrong=sample_request(user("a"), assistant(call()), user(result())),
    right=sample_with_tools(user("a"), assistant(call()), user(result())),
    verbatim=cite("pydantic/pydantic-ai#1966", "nearai/ironclaw#1629", "langgenius/dify#16421", "vxcontrol/pentagi#160",
        "vercel/ai#7537", quote=NO_CONFIG))
BOOK.row("bedrock/call-input",
    "The `input` of a call is not an object, such as arguments that could not be parsed and stay a string.",
    ANY_MESSAGE, call_input, needs="toolUse",
    wrong=sample_with_tools(user("a"), assistant(call(input="{bad")), user(result())),
    right=sample_with_tools(user("a"), assistant(call(input={})), user(result())),
    verbatim=cite("vercel/ai#16561", "vercel/ai#19023",
        quote="The format of the value at messages.1.content.0.toolUse.input is invalid. Provide a json object for"))
BOOK.row("bedrock/result-json",
    "The `json` of a result is a list or a string: put it into an object, or send it as text.",
    ANY_MESSAGE, result_json, needs="toolResult", models="all; Nova takes a number",
    wrong=sample_with_tools(user("a"), assistant(call()), user(result(content=[{"json": [1]}]))),
    right=sample_with_tools(user("a"), assistant(call()), user(result(content=[{"json": {}}]))),
    verbatim=cite("sigoden/aichat#1550 and five further quotes",
        "0xPlaygrounds/rig tests/cassettes/bedrock: {json: -3} accepted by nova-lite",
        quote="The format of the value at messages.2.content.0.toolResult.content.0.json is invalid."))
BOOK.row("bedrock/error-without-content", "A result with the status `error` has no content: say what went wrong.",
    ANY_MESSAGE, error_without_content, needs="status",
    wrong=sample_with_tools(user("a"), assistant(call()), user(result(status="error", content=[]))),
    right=sample_with_tools(user("a"), assistant(call()), user(result(status="error", content=[{"text": "x"}]))),
    verbatim=cite("aws-samples/sample-multi-agent-orchestration-chat-on-agentcore#15",
        quote="The content field at messages.2.content.0.toolResult cannot be empty when status value is error."))
# fmt: on
