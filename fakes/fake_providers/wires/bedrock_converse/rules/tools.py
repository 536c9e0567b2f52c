"""Rules of the service on `toolConfig` and on what is in a call or a result."""

from typing import Any

from fake_providers.rulebook import ALL_TOOLS, ANY_PARAMETER, NEAR_MESSAGES, RequestContext, Rulebook
from fake_providers.wires.bedrock_converse.conversation import CALL, RESULT, SCHEMA, Block, turns
from fake_providers.wires.bedrock_converse.errors import envelope
from fake_providers.wires.bedrock_converse.request import members, objects, tool_specs
from fake_providers.wires.bedrock_converse.rules.samples import (
    LLAMA,
    TOOL,
    TOOLS,
    bedrock_path,
    call,
    cite,
    result,
    sample_request,
    sample_with_tools,
    tool,
)

BOOK = Rulebook(envelope)
FORMAT = "The format of the value at {at} is invalid. Provide a json object for the field and try again."


def _repeated_name(body: Any) -> dict[str, Any] | None:
    seen: set[str] = set()
    for index, spec in tool_specs(body):
        if spec["name"] in seen:
            return {"name": spec["name"], "i": index}
        seen.add(spec["name"])
    return None


def _unsupported_choice(body: Any, context: RequestContext) -> str | None:
    choice = members(members(body.get("toolConfig")).get("toolChoice"))
    return next((kind for kind in ("any", "tool") if kind in choice and f"no-choice-{kind}" in context.traits), None)


def _list_or_string(result: Block) -> list[int]:
    """The indexes of those parts."""
    return [i for i, part in enumerate(result.value["content"]) if isinstance(members(part).get("json"), list | str)]


def _offering(**changes: Any) -> dict[str, Any]:
    return sample_request(toolConfig={"tools": [tool(**changes)]})


def _answering(**changes: Any) -> dict[str, Any]:
    return sample_with_tools("a", call(), result(**changes))


# A table: two rows are to be compared.
# fmt: off
BOOK.row("bedrock/tools-unsupported", "The model takes no tools.",
    ANY_PARAMETER, lambda body: "toolConfig" in body, "This model doesn't support tool use.", "toolConfig",
    needs="toolConfig", trait="no-tools", models="Llama 3.2 with 1B and 3B, Titan",
    path=bedrock_path("us.meta.llama3-2-3b-instruct-v1:0"),
    wrong=sample_request(toolConfig=TOOLS), right=sample_request(),
    recorded={"three recordings of llama3-2-3b": "..."})
BOOK.row("bedrock/tools-in-stream", "The model takes tools in `converse`, and not in `converse-stream`.",
    ANY_PARAMETER, lambda body, context: context.stream and "toolConfig" in body,
    "This model doesn't support tool use in streaming mode.", "toolConfig", needs="toolConfig",
    trait="no-tools-in-stream", models="Llama 3 and 4, Mistral Large 2402, Writer; Nova, Claude and Cohere take them",
    path=bedrock_path(LLAMA, stream=True),
    wrong=sample_request(toolConfig=TOOLS), right=sample_request(),
    verbatim={"earendil-works/pi#3739": "...", "n8n-io/n8n#14206": "", "run-llama/llama_index#19655": ""})
BOOK.row("bedrock/tool-name-duplicate", "Two tools have one name.",
    ALL_TOOLS, _repeated_name, "The tool {name} is already defined at {at}.", "toolConfig.tools.{i}",
    wrong=sample_request(toolConfig={"tools": [TOOL, tool(name="f")]}),
    right=sample_request(toolConfig={"tools": [TOOL, tool(name="g")]}),
    verbatim={"four public quotes, one measured against a control":
        "The tool verifier is already defined at toolConfig.tools.1."})
BOOK.row("bedrock/schema-not-object", "The schema of a tool is not an object, such as one that is a JSON text.",
    SCHEMA, lambda schema: not isinstance(schema, dict), FORMAT,
    wrong=_offering(inputSchema={"json": '{"type": "object"}'}),
    right=_offering(inputSchema={"json": {"type": "object"}}),
    reported={"public quotes of the sentence at other places": "Provide a json object for the field"})
BOOK.row("bedrock/schema-type",
    "The schema of a tool is not of the type `object`; it needs that type, and no properties.",
    SCHEMA, lambda schema: schema.get("type") != "object", "The value at {at} must be one of the following: object.",
    ".type",
    wrong=_offering(inputSchema={"json": {}}), right=_offering(inputSchema={"json": {"type": "object"}}),
    verbatim={"cognitect-labs/aws-api#272":
        "The value at toolConfig.tools.0.toolSpec.inputSchema.json.type must be one of the following: object."})
BOOK.row("bedrock/tool-choice-unsupported",
    "The model cannot be made to call a tool in this way; leave `toolChoice` out or use `auto`.",
    ANY_PARAMETER, _unsupported_choice, "This model doesn't support the {at} field. Remove {at} and try again.",
    "toolConfig.toolChoice.{found}", needs="toolChoice", models="Llama, Writer and Cohere; Mistral for a single tool",
    path=bedrock_path(LLAMA),
    wrong=sample_request(toolConfig={"tools": [TOOL], "toolChoice": {"any": {}}}),
    right=sample_request(toolConfig={"tools": [TOOL]}),
    verbatim=cite("strands-agents/harness-sdk#1241", "pydantic/pydantic-ai#2091", "vercel/ai#4396",
        "aws-samples/bedrock-access-gateway#92",
        quote="This model doesn't support the toolConfig.toolChoice.any field. Remove toolConfig.toolChoice.any and "
        "try again."))
BOOK.row("bedrock/tool-config-missing",
    "The history has calls or results, and the request no `toolConfig`. Keep offering tools, for example to the "
        "last request of a run; which ones does not matter.",
    NEAR_MESSAGES,
    lambda _, context: [block.at for turn in turns(context) for block in turn.of_kind("toolUse", "toolResult")],
    "The toolConfig field must be defined when using toolUse and toolResult content blocks.", "{found[0]}",
    even_usual=True, needs=("toolResult", "toolUse"), trait="no-tool-config",
    wrong=sample_request("a", call(), result()), right=sample_with_tools("a", call(), result()),
    verbatim={"pydantic/pydantic-ai#1966": "...", "nearai/ironclaw#1629": "", "langgenius/dify#16421": "",
        "vxcontrol/pentagi#160": "", "vercel/ai#7537": ""})
BOOK.row("bedrock/call-input",
    "The `input` of a call is not an object, such as arguments that could not be parsed and stay a string.",
    CALL, lambda block: not isinstance(block.value["input"], dict), FORMAT, ".toolUse.input", needs="toolUse",
    wrong=sample_with_tools("a", call(input="{bad"), result()), right=sample_with_tools("a", call(input={}), result()),
    verbatim=cite("vercel/ai#16561", "vercel/ai#19023",
        quote="The format of the value at messages.1.content.0.toolUse.input is invalid. Provide a json object for"))
BOOK.row("bedrock/result-json",
    "The `json` of a result is a list or a string: put it into an object, or send it as text.",
    RESULT, _list_or_string, FORMAT, ".toolResult.content.{found[0]}.json", needs="toolResult",
    models="all; Nova takes a number",
    wrong=_answering(content=[{"json": [1]}]), right=_answering(content=[{"json": {}}]),
    verbatim=cite("sigoden/aichat#1550 and five further quotes",
        "0xPlaygrounds/rig tests/cassettes/bedrock: {json: -3} accepted by nova-lite",
        quote="The format of the value at messages.2.content.0.toolResult.content.0.json is invalid."))
BOOK.row("bedrock/error-without-content", "A result with the status `error` has no content: say what went wrong.",
    RESULT, lambda block: block.value.get("status") == "error" and not objects(block.value["content"]),
    "The content field at {at} cannot be empty when status value is error.", ".toolResult", needs="status",
    wrong=_answering(status="error", content=[]), right=_answering(status="error", content=[{"text": "x"}]),
    verbatim={"aws-samples/sample-multi-agent-orchestration-chat-on-agentcore#15":
        "The content field at messages.2.content.0.toolResult cannot be empty when status value is error."})
# fmt: on
