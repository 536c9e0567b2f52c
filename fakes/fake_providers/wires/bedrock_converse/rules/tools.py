"""Rules of the service on `toolConfig`, on calls and their results, and on what may stand beside them."""

from collections.abc import Sequence
from typing import Any

from fake_providers import remedies
from fake_providers.rule import Remedy
from fake_providers.rulebook import ALL_TOOLS, ANY_MESSAGE, NEAR_MESSAGES, RequestContext, Rulebook
from fake_providers.values.lenient import members, objects
from fake_providers.wires.bedrock_converse.conversation import (
    CALL,
    NEAR_TURN,
    RESULT,
    SCHEMA,
    Block,
    Turn,
    joined,
    turns,
)
from fake_providers.wires.bedrock_converse.errors import envelope
from fake_providers.wires.bedrock_converse.request import tool_specs
from fake_providers.wires.bedrock_converse.rules.samples import (
    LLAMA,
    MODEL_TABLE,
    TOOL,
    TOOLS,
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
CONVERSATION = ("text", "image", "document", "video", "audio", "guardContent", "searchResult")
"""Kinds of blocks that are neither of tools nor of reasoning."""
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
BOOK.row("bedrock/tools-unsupported", "The model takes no tools.",
    ANY_MESSAGE, lambda body: "toolConfig" in body, "This model doesn't support tool use.", "toolConfig",
    needs="toolConfig", trait="no-tools", models="llama3-2-1b, llama3-2-3b, titan-text",
    path=bedrock_path("us.meta.llama3-2-3b-instruct-v1:0"), remedy=remedies.TOOL_MODEL,
    wrong=sample_request(toolConfig=TOOLS), right=sample_request(),
    recorded={"three recordings of llama3-2-3b": "..."})
BOOK.row("bedrock/tools-in-stream", "The model takes tools in `converse`, and not in `converse-stream`.",
    ANY_MESSAGE, lambda body, context: context.stream and "toolConfig" in body,
    "This model doesn't support tool use in streaming mode.", "toolConfig", needs="toolConfig",
    trait="no-tools-in-stream", models="Llama 3 and 4, Mistral Large 2402, Writer; Nova, Claude and Cohere take them",
    path=bedrock_path(LLAMA, stream=True),
    remedy=Remedy("declarations", "Ask this model without a stream when there are tools, or use another model."),
    wrong=sample_request(toolConfig=TOOLS), right=sample_request(),
    verbatim={"earendil-works/pi#3739": "...", "n8n-io/n8n#14206": "", "run-llama/llama_index#19655": ""})
BOOK.row("bedrock/tool-name-duplicate", "Two tools have one name.",
    ALL_TOOLS, _repeated_name, "The tool {name} is already defined at {at}.", "toolConfig.tools.{i}",
    remedy=Remedy("declarations", "Offer each tool once, and give tools of different servers names of their own."),
    wrong=sample_request(toolConfig={"tools": [TOOL, tool(name="f")]}),
    right=sample_request(toolConfig={"tools": [TOOL, tool(name="g")]}),
    verbatim={"four public quotes, one measured against a control":
        "The tool verifier is already defined at toolConfig.tools.1."})
BOOK.row("bedrock/schema-not-object", "The schema of a tool is not an object, such as one that is a JSON text.",
    SCHEMA, lambda schema: not isinstance(schema, dict), FORMAT, remedy=remedies.OBJECT_SCHEMA,
    wrong=_offering(inputSchema={"json": '{"type": "object"}'}),
    right=_offering(inputSchema={"json": {"type": "object"}}),
    reported={"public quotes of the sentence at other places": "Provide a json object for the field"})
BOOK.row("bedrock/schema-type",
    "The schema of a tool is not of the type `object`; it needs that type, and no properties.",
    SCHEMA, lambda schema: schema.get("type") != "object", "The value at {at} must be one of the following: object.",
    ".type", remedy=remedies.CONVERT_SCHEMA,
    wrong=_offering(inputSchema={"json": {}}), right=_offering(inputSchema={"json": {"type": "object"}}),
    verbatim={"cognitect-labs/aws-api#272":
        "The value at toolConfig.tools.0.toolSpec.inputSchema.json.type must be one of the following: object."})
BOOK.row("bedrock/tool-choice-unsupported",
    "The model cannot be made to call a tool in this way; leave `toolChoice` out or use `auto`.",
    ANY_MESSAGE, _unsupported_choice, "This model doesn't support the {at} field. Remove {at} and try again.",
    "toolConfig.toolChoice.{found}", needs="toolChoice", models="Llama, Writer and Cohere; Mistral for a single tool",
    path=bedrock_path(LLAMA), remedy=remedies.CHOICE_IN_PROMPT,
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
    remedy=Remedy("declarations",
        "Send `toolConfig` with every request whose history has calls, also with the last one of a run; a tool "
        "that does nothing will do."),
    wrong=sample_request("a", call(), result()), right=sample_with_tools("a", call(), result()),
    verbatim={"pydantic/pydantic-ai#1966": "...", "nearai/ironclaw#1629": "", "langgenius/dify#16421": "",
        "vxcontrol/pentagi#160": "", "vercel/ai#7537": ""})
BOOK.row("bedrock/call-input",
    "The `input` of a call is not an object, such as arguments that could not be parsed and stay a string.",
    CALL, lambda block: not isinstance(block.value["input"], dict), FORMAT, ".toolUse.input", needs="toolUse",
    remedy=remedies.INPUT_UNPARSED,
    wrong=sample_with_tools("a", call(input="{bad"), result()), right=sample_with_tools("a", call(input={}), result()),
    verbatim=cite("vercel/ai#16561", "vercel/ai#19023",
        quote="The format of the value at messages.1.content.0.toolUse.input is invalid. Provide a json object for"))
BOOK.row("bedrock/result-json",
    "The `json` of a result is a list or a string: put it into an object, or send it as text.",
    RESULT, _list_or_string, FORMAT, ".toolResult.content.{found[0]}.json", needs="toolResult",
    models="all; Nova takes a number",
    remedy=Remedy("results",
        "Send results as text, or put a list or a string into an object before it is sent as `json`."),
    wrong=_answering(content=[{"json": [1]}]), right=_answering(content=[{"json": {}}]),
    verbatim=cite("sigoden/aichat#1550 and five further quotes",
        "0xPlaygrounds/rig tests/cassettes/bedrock: {json: -3} accepted by nova-lite",
        quote="The format of the value at messages.2.content.0.toolResult.content.0.json is invalid."))
BOOK.row("bedrock/error-without-content", "A result with the status `error` has no content: say what went wrong.",
    RESULT, lambda block: block.value.get("status") == "error" and not objects(block.value["content"]),
    "The content field at {at} cannot be empty when status value is error.", ".toolResult", needs="status",
    remedy=Remedy("results", "Say in the result of a failed tool that it failed, where the error itself has no text."),
    wrong=_answering(status="error", content=[]), right=_answering(status="error", content=[{"text": "x"}]),
    verbatim={"aws-samples/sample-multi-agent-orchestration-chat-on-agentcore#15":
        "The content field at messages.2.content.0.toolResult cannot be empty when status value is error."})
BOOK.row("bedrock/tool-use-ids-duplicate",
    "Two calls of one message have the same id; the same id in a later turn is not known to be refused.",
    NEAR_TURN, lambda turn: _twice(turn.calls), "The toolUse blocks at {at} contain duplicate Ids: {found}", ".content",
    needs="toolUse",
    remedy=Remedy("pairing", "Give the calls of one message ids that differ, and their results the same."),
    wrong=sample_with_tools("a", [call(), call()], result()), right=sample_with_tools("a", call(), result()),
    recorded={"vercel/ai fixture amazon-bedrock-mistral-duplicate-tool-call-ids-error.json":
        "The toolUse blocks at messages.2.content contain duplicate Ids: tooluseAc"})
BOOK.row("bedrock/tool-result-ids-duplicate",
    "Two results of one message have the same id, such as a result that was stored twice.",
    NEAR_TURN, lambda turn: _twice(turn.results), "The toolResult blocks at {at} contain duplicate Ids: {found}",
    ".content", needs="toolResult",
    remedy=Remedy("pairing", "Store the result of a call once, and before each request keep one result for each call."),
    wrong=sample_with_tools("a", call(), [result(), result()]), right=sample_with_tools("a", call(), result()),
    verbatim=cite("BerriAI/litellm#20047", "BerriAI/litellm#20048",
        quote="The toolResult blocks at messages.2.content contain duplicate Ids: tooluse_abc"))
BOOK.row("bedrock/tool-results-missing",
    "A call has no result in the very next message: not in a later one, nor in a second message of results, which "
        "the service joins only afterwards.",
    NEAR_TURN, _unanswered, "Expected toolResult blocks at {at} for the following Ids: {ids}",
    "/messages.{next}.content", needs="toolUse",
    remedy=Remedy("pairing",
        "Put the results of all calls of an answer into the one message after it, and give a call that was cut "
        "short a result too."),
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
    remedy=Remedy("pairing", "Prune calls together with their results; drop a result whose call is gone."),
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
    remedy=Remedy("pairing",
        "Put a short answer of the assistant between the results and the user's next text for this model."),
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
    remedy=Remedy("pairing", "Leave out the text beside a call for this model when the history is sent."),
    wrong=sample_with_tools("a", ["b", call()], result()), right=sample_with_tools("a", call(), result()),
    verbatim=cite("quarkiverse/quarkus-langchain4j#1983", "langchain-ai/langchain-aws, its integration tests",
        quote="messages.7.content: Conversation blocks and tool use blocks cannot be provided in the same turn."))
# fmt: on
