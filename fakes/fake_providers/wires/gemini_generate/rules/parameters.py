"""Rules on the model's name, parameters, tools and pictures, each reported in a sentence of its own; among them what
some models cannot do.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

from fake_providers import remedies
from fake_providers.http import compact
from fake_providers.rule import Remedy
from fake_providers.rulebook import Breach, RequestContext, Selector
from fake_providers.values.pictures import PICTURES, SOUNDS, SVG, media_fault
from fake_providers.wires.gemini_generate.errors import bad_request_detail
from fake_providers.wires.gemini_generate.proto_messages import declarations, field, items, thinking
from fake_providers.wires.gemini_generate.rules.rulebook import BOOK, DECLARATION, GEMINI, PARAMETERS, PART, TOOLS
from fake_providers.wires.gemini_generate.rules.samples import (
    DEFAULT,
    OLD,
    declaration_of,
    exchange,
    gemini_path,
    result,
    sample_request,
    sample_with_tools,
    user,
)

SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}}
CONFIG = {"functionCallingConfig": {"mode": "AUTO"}}
BUILT_IN = ("google_search", "url_context", "code_execution")
"""Google's own tools that were observed to be refused together with declarations; others are accepted."""
DECLARED = declaration_of(SCHEMA)
TOOL = {"functionDeclarations": [DECLARED]}
SEARCH: dict[str, Any] = {"googleSearch": {}}
LEVEL = {"thinkingLevel": "LOW"}
GEMMA = "gemma-3-27b-it"
PREVIEW = "gemini-2.0-flash-preview-image-generation"
LATELY = "2026-11-23"
SYSTEM = {"parts": [{"text": "Be brief."}]}
UNSUPPORTED = ("image/svg+xml", "image/svg", "application/svg+xml", "image/xml", "image/jpg", "png", "jpeg")
"""Types that were reported; others of pictures, sound, film and documents are accepted."""
LEARN_MORE = "Learn more: https://cloud.google.com/vertex-ai/generative-ai/docs/multimodal/function-calling"


def _with(**config: Any) -> Any:
    return sample_request(generationConfig=config)


def _blob(media_type: str, data: str = "R0lGODlhAQABAA==") -> dict[str, Any]:
    return {"inlineData": {"mimeType": media_type, "data": data}}


def _blobs(context: RequestContext) -> Iterator[tuple[Any, ...]]:
    """Each blob with its place, also inside responses."""
    for part, i, j in PART.find(context):
        inner = items(field(field(part, "function_response"), "parts"))
        for below, one in [("", part), *((f".function_response.parts[{k}]", one) for k, one in enumerate(inner))]:
            if (blob := field(one, "inline_data")) is not None:
                yield blob, i, j, below


ANSWERED: dict[str, Any] = result()["functionResponse"]
BLOB = Selector(_blobs, "contents[{i}].parts[{j}]{below}.inline_data", ("i", "j", "below"), "parts", ("conversation",))


def _undecodable(blob: Any, i: int, j: int, below: str) -> Breach | None:
    data = field(blob, "data")
    if not isinstance(data, str) or not data.startswith(("http://", "https://", "data:")):
        return None
    at = f"contents[{i}].parts[{j}]{below}.inline_data.data"
    sentence = f"Invalid value at '{at}' (TYPE_BYTES), Base64 decoding failed for {compact(data)}"
    return Breach(at, sentence, {"details": [bad_request_detail([(at, sentence)])]})


def _configured(*names: str) -> Callable[[Any], str]:
    """Finds one of these members of `generationConfig`."""
    return lambda body: next((name for name in names if field(_config_of(body), name) not in (None, False)), "")


def _config_of(body: Any) -> Any:
    return field(body, "generation_config")


def _has_a_bad_name(body: Any, context: RequestContext) -> bool:
    names = (context.model, field(body, "model"))
    return any(isinstance(name, str) and not re.fullmatch(r"\S+", name) for name in names)


def _second_of_its_name(body: Any) -> Any:
    count: Counter[str] = Counter()
    for path, declaration in declarations(body):
        name = str(field(declaration, "name"))
        count[name] += 1
        if count[name] == 2:
            return {"path": path, "name": name}
    return None


def _includes_calls_of_the_server(body: Any) -> bool:
    return bool(field(field(body, "tool_config"), "include_server_side_tool_invocations"))


def _configures_nothing(body: Any) -> bool:
    is_set = field(field(body, "tool_config"), "function_calling_config") is not None
    return is_set and not any(declarations(body)) and not _includes_calls_of_the_server(body)


def _mixes_built_in_tools(body: Any) -> bool:
    own = any(field(tool, name) is not None for tool in items(field(body, "tools")) for name in BUILT_IN)
    return own and any(declarations(body))


def _calling_beside_json(_declaration: Any, context: RequestContext) -> Any:
    body = context.body.value
    if field(_config_of(body), "response_mime_type") != "application/json":
        return None
    mode = field(field(field(body, "tool_config"), "function_calling_config"), "mode")
    return "Forced function calling (ANY mode)" if str(mode).upper() == "ANY" else "Function calling"


def _is_older(context: RequestContext) -> bool:
    """Than Gemini 3. The models that use a computer get pictures of it in responses, as tests of Google's SDK show."""
    model = context.model.rpartition("/")[2]
    return model.startswith(("gemini-1.0", "gemini-1.5", "gemini-2.0", "gemini-2.5")) and "computer-use" not in model


# A table: two rows are to be compared.
# fmt: off
BOOK.row("gemini/logprobs-in-stream", "A stream asks for log probabilities.",
    PARAMETERS, _configured("response_logprobs"), "LogProbs is not supported in streaming mode",
    "generationConfig.{found}", given=lambda context: context.stream, checked=LATELY,
    path=f"/v1beta/models/{OLD}:streamGenerateContent", providers=GEMINI, remedy=remedies.NO_PARAMETER,
    wrong=_with(responseLogprobs=True), right=_with(responseLogprobs=False),
    recorded={"recordings, gemini-2.5-flash, gemini-flash-latest": "LogProbs is not supported in stream"})
BOOK.row("gemini/logprobs-unsupported", "Log probabilities are asked for, and the model does not give them.",
    PARAMETERS, _configured("response_logprobs"), "Logprobs is not enabled for models/{model}",
    "generationConfig.{found}", trait="no-logprobs", models="gemini-2.5*", checked=LATELY, path=gemini_path(OLD),
    providers=GEMINI, remedy=remedies.NO_PARAMETER,
    wrong=_with(responseLogprobs=True), right=_with(responseLogprobs=False),
    recorded={"recording, gemini-2.5-flash-lite": "Logprobs is not enabled for models/gemini-2.5-flash-li"})
BOOK.row("gemini/logprobs-unsupported-by-alias",
    "Log probabilities are asked for, and the model behind the name does not give them.",
    PARAMETERS, _configured("response_logprobs"), "Logprobs is not enabled for this model", "generationConfig.{found}",
    trait="no-logprobs-by-alias", models="gemini-flash-latest, gemini-flash-lite-latest", checked=LATELY,
    path=gemini_path("gemini-flash-latest"), providers=GEMINI, remedy=remedies.NO_PARAMETER,
    wrong=_with(responseLogprobs=True), right=_with(responseLogprobs=False),
    recorded={"recording, gemini-flash-latest": "..."})
BOOK.row("gemini/penalty-unsupported", "A penalty is set, and the model has none.",
    PARAMETERS, _configured("presence_penalty", "frequency_penalty"), "Penalty is not enabled for models/{model}",
    "generationConfig.{found}", trait="no-penalty", models="gemini-2.5*", checked=LATELY, path=gemini_path(OLD),
    providers=GEMINI, remedy=remedies.NO_PARAMETER,
    wrong=_with(presencePenalty=0.5), right=_with(presencePenalty=None),
    recorded={"recording, gemini-2.5-flash": "Penalty is not enabled for models/gemini-2.5-flash"})
BOOK.row("gemini/budget-zero", "Thinking is turned off for a model that always thinks.",
    PARAMETERS, lambda body: thinking(body, "thinking_budget") == 0,
    "Budget 0 is invalid. This model only works in thinking mode.", "generationConfig.thinkingConfig.thinkingBudget",
    trait="always-thinks", models="gemini-2.5-pro, gemini-3-pro, gemini-3.1-pro", checked=LATELY,
    path=gemini_path("gemini-2.5-pro"), providers=GEMINI, remedy=remedies.THINKING_OF_MODEL,
    wrong=_with(thinkingConfig={"thinkingBudget": 0}), right=_with(thinkingConfig={"thinkingBudget": 128}),
    verbatim={"ten public projects": "..."})
BOOK.row("gemini/thinking-level-unsupported", "A thinking level is set for a model that has budgets.",
    PARAMETERS, lambda body: thinking(body, "thinking_level"), "Thinking level is not supported for this model.",
    "generationConfig.thinkingConfig.thinkingLevel", trait="no-thinking-level", models="gemini-2.5*", checked=LATELY,
    path=gemini_path(OLD), providers=GEMINI, remedy=remedies.THINKING_OF_MODEL,
    wrong=_with(thinkingConfig={"thinkingLevel": "low"}), right=_with(thinkingConfig={"thinkingLevel": None}),
    verbatim={"ten public projects": "..."})
BOOK.row("gemini/functions-unsupported", "Functions are declared to a model that calls none.",
    DECLARATION, lambda declaration: True, "Function calling is not enabled for models/{model}", "/tools",
    even_usual=True, trait="no-functions", models=f"gemma-3, {PREVIEW}", checked=LATELY, path=gemini_path(GEMMA),
    providers=GEMINI, remedy=remedies.TOOL_MODEL,
    wrong=sample_with_tools(declaration_of({"type": "object"})), right=sample_request(),
    recorded={f"recording, {PREVIEW}": f"Function calling is not enabled for models/{PREVIEW}",
        "ten public projects, gemma-3": ""})
BOOK.row("gemini/instruction-unsupported", "There is a system instruction, and the model takes none.",
    PARAMETERS, lambda body: field(body, "system_instruction"),
    "Developer instruction is not enabled for models/{model}", "systemInstruction", trait="no-instruction",
    models="gemma-3", checked=LATELY, path=gemini_path(GEMMA), providers=GEMINI, remedy=remedies.INSTRUCTIONS_TO_USER,
    wrong=sample_request(systemInstruction=SYSTEM), right=sample_request(),
    verbatim={"ten public projects": "Developer instruction is not enabled for models/gemma-3-27b-it"})
BOOK.row("gemini/json-unsupported", "JSON is asked for, and the model has no JSON mode.",
    PARAMETERS, lambda body: field(_config_of(body), "response_mime_type") == "application/json",
    "JSON mode is not enabled for models/{model}", "generationConfig.responseMimeType", trait="no-json",
    models=f"gemma-3, {PREVIEW}", checked=LATELY, path=gemini_path(GEMMA), providers=GEMINI,
    remedy=remedies.FORMAT_IN_WORDS,
    wrong=_with(responseMimeType="application/json"), right=_with(responseMimeType="text/plain"),
    recorded={f"recording, {PREVIEW}": f"JSON mode is not enabled for models/{PREVIEW}",
        "ten public projects, gemma-3": ""})
BOOK.row("gemini/max-tokens-small", "The longest answer has no token.",
    PARAMETERS, lambda body: isinstance(most := field(_config_of(body), "max_output_tokens"), int) and most < 1,
    "Request contains an invalid argument.", "generationConfig.maxOutputTokens", checked="2026-11-29",
    path=gemini_path(), providers=GEMINI, remedy=remedies.KEEP_IN_RANGE,
    wrong=_with(maxOutputTokens=0), right=_with(maxOutputTokens=1),
    verbatim={"public code that measured it": "..."})
BOOK.row("gemini/model-name-format",
    "The model in the path is not a valid name. An unknown name is accepted, because it may be a new model.",
    PARAMETERS, _has_a_bad_name, "* GenerateContentRequest.model: unexpected model name format\n", "model",
    path=gemini_path(), providers=GEMINI, remedy=remedies.MODEL_NAME,
    wrong=sample_request(model="bad model"), right=sample_request(model=f"models/{DEFAULT}"),
    recorded={"maruel/genai providers/gemini/testdata/TestClient/errors/bad_model/GenSync.yaml":
        "* GenerateContentRequest.model: unexpected model name format"})
BOOK.row("gemini/duplicate-declaration", "Two declarations have the same name, in one tool or in several.",
    TOOLS, _second_of_its_name, "Duplicate function declaration found: {name}", "{path}.name", path=gemini_path(),
    remedy=remedies.DECLARE_ONCE,
    wrong=sample_with_tools(DECLARED, declaration_of(SCHEMA)),
    right=sample_with_tools(DECLARED, declaration_of(SCHEMA, name="get_news")),
    recorded={"0xPlaygrounds/rig tests/cassettes/gemini/tool_definitions/"
        "duplicate_tool_name_sends_duplicate_declarations_and_fails.yaml":
        "Duplicate function declaration found: echo"})
BOOK.row("gemini/tool-config-without-declarations",
    "Function calling is configured and nothing is declared. Gemini 3 accepts it with "
        "includeServerSideToolInvocations; 2.0 was recorded to accept it, and Vertex AI accepts it on every model.",
    TOOLS, _configures_nothing, "Function calling config is set without function_declarations.", "tool_config",
    even_usual=True, needs=("toolConfig", "tool_config"), trait="no-lonely-tool-config", models="2.5 and later",
    path=gemini_path(), providers=GEMINI, remedy=remedies.CHOICE_WITH_TOOLS,
    wrong=sample_request(toolConfig=CONFIG), right=sample_with_tools(DECLARED, toolConfig=CONFIG),
    verbatim={"pydantic/pydantic-ai#5791": "...", "AstrBotDevs/AstrBot#7407": "",
        "musistudio/claude-code-router#1207": "", "tailcallhq/forgecode#1404": ""})
BOOK.row("gemini/built-in-tools-unasked",
    "Google's own tools are used together with declarations, without includeServerSideToolInvocations. Other "
        "models of Gemini 3 were recorded to accept it, and so does Vertex AI.",
    TOOLS, lambda body: _mixes_built_in_tools(body) and not _includes_calls_of_the_server(body),
    "Please enable tool_config.include_server_side_tool_invocations to use Built-in tools with Function calling.",
    "tools", trait="built-in-tools-by-flag", models="3.1, 3.5-flash-lite, 3.6, 3.7",
    path=gemini_path("gemini-3.6-flash"), providers=GEMINI,
    remedy=Remedy("server-tools",
        "Set `toolConfig.includeServerSideToolInvocations`, or send the provider's own tools and yours in "
        "separate requests."),
    wrong=sample_request(tools=[TOOL, SEARCH]), right=sample_request(tools=[TOOL]),
    verbatim={"ag2ai/ag2#3145 (3.1-pro-preview, 3.6-flash, 3.5-flash-lite)": "...", "googleapis/python-genai#2761": "",
        "AstrBotDevs/AstrBot#9978": ""})
BOOK.row("gemini/built-in-tools-with-functions",
    "Google's own tools are used together with declarations, which only Gemini 3 and later allow.",
    TOOLS, _mixes_built_in_tools, "Tool use with function calling is unsupported", "tools",
    trait="no-built-in-tools-with-functions", models="2.0, 2.5", path=gemini_path(OLD), providers=GEMINI,
    remedy=Remedy("server-tools", "Send the provider's own tools and yours in separate requests to this model."),
    wrong=sample_request(tools=[TOOL, SEARCH]), right=sample_request(tools=[TOOL]),
    verbatim={"symfony/ai#803 (2.5)": "...", "lobehub/lobehub#7463": "", "googleapis/js-genai#435 (2.0)": ""})
BOOK.row("gemini/thinking-budget-and-level",
    "Both a thinking budget (of Gemini 2.5) and a thinking level (of Gemini 3) are set.",
    PARAMETERS, lambda body: None not in (thinking(body, "thinking_budget"), thinking(body, "thinking_level")),
    "You can only set only one of thinking budget and thinking level.", "generation_config.thinking_config",
    needs=("thinkingConfig", "thinking_config"), trait="thought-signatures", models="gemini-3* and later",
    path=gemini_path("gemini-3.1-pro-preview"), providers=GEMINI,
    remedy=Remedy("reasoning-settings", "Send `thinkingBudget` to Gemini 2.5 and `thinkingLevel` to Gemini 3."),
    wrong=_with(thinkingConfig=LEVEL | {"thinkingBudget": 512}), right=_with(thinkingConfig=LEVEL),
    recorded={"vercel/ai#22372, recorded refusal of 2026-10-09 (3.1-pro-preview)": "...",
        "https://ai.google.dev/gemini-api/docs/gemini-3": ""})
BOOK.row("gemini/json-with-functions",
    "A JSON response is requested together with declarations, which only Gemini 3 and 2.0 allow.",
    DECLARATION, _calling_beside_json, "{found} with a response mime type: 'application/json' is unsupported",
    "/generation_config.response_mime_type", even_usual=True, needs=("responseMimeType", "response_mime_type"),
    trait="no-json-with-functions", models="gemini-2.5*", path=gemini_path(OLD), providers=GEMINI,
    remedy=Remedy("answer-formats", "Ask for JSON in a last request without tools."),
    wrong=sample_with_tools(DECLARED, generationConfig={"responseMimeType": "application/json"}),
    right=sample_with_tools(DECLARED, generationConfig={"responseMimeType": "text/plain"}),
    recorded={"Mirascope/mirascope python/tests/llm/clients/google/cassettes/test_structured_outputs":
        "Function calling with a response mime type: 'application/json' is unsupported",
        "vercel/ai, recorded refusal of a forced call":
        "Forced function calling (ANY mode) with a response mime type: 'application/json' is unsupported"})
BOOK.row("gemini/blob-base64", "The data of a picture or another file are no base64: an address or a data URL.",
    BLOB, _undecodable, needs=("inlineData", "inline_data"), checked="2026-11-30", path=gemini_path(), about="picture",
    remedy=remedies.READABLE_PICTURE,
    wrong=sample_request(user("What is this?", _blob("image/png", "https://example.com/oslo.png"))),
    right=sample_request(user("What is this?", _blob("image/png", "iVBORw0KGgo="))),
    verbatim={"danny-avila/LibreChat#6593":
        "Invalid value at 'contents[0].parts[1].inline_data.data' (TYPE_BYTES), Base64 decoding failed for \"https://",
        "musistudio/claude-code-router#845, a data URL": "", "google-gemini/deprecated-generative-ai-js#307": ""})
BOOK.row("gemini/picture-media-type",
    "A picture has a media type that no model reads: SVG, `image/jpg`, or a bare `png`.",
    BLOB, lambda blob: (kind := field(blob, "mime_type")) in UNSUPPORTED and kind, "Unsupported MIME type: {found}",
    needs=("inlineData", "inline_data"), checked="2026-11-22", path=gemini_path(), about="picture",
    remedy=remedies.PICTURE_TYPE,
    wrong=sample_request(user("What is this?", _blob("image/svg+xml"))),
    right=sample_request(user("What is this?", _blob("image/png"))),
    verbatim={"google-gemini/gemini-cli#3054": "Unsupported MIME type: image/svg+xml", "google/adk-python#5693": "",
        "charmbracelet/crush#995": "", "brianpetro/obsidian-smart-connections#1238": ""})
BOOK.row("gemini/picture-unreadable", "The bytes of a picture are those of no file of a known type.",
    BLOB, lambda blob: str(field(blob, "mime_type")) in PICTURES
        and media_fault(field(blob, "data"), PICTURES | SOUNDS | {"application/pdf", "video/mp4", SVG}) == "bytes",
    "Unable to process input image. Please retry or report in "
        "https://developers.generativeai.google/guide/troubleshooting", needs=("inlineData", "inline_data"),
    checked="2026-11-29", path=gemini_path(), about="picture", remedy=remedies.READABLE_PICTURE,
    wrong=sample_request(user("What is this?", _blob("image/png", "Tm90IGZvdW5k"))),
    right=sample_request(user("What is this?", _blob("image/png", "iVBORw0KGgo="))),
    verbatim={"google-gemini/gemini-cli#5064": "Unable to process input image. Please retry or report in",
        "egoist/chatwise-releases#799": ""})
BOOK.row("gemini/response-parts",
    "A response has `parts`, and the model is older than Gemini 3: its pictures stand in a content of the user.",
    PART, lambda part: field(field(part, "function_response"), "parts"),
    f"Unable to submit request because `function_response.parts` is not supported for this model. {LEARN_MORE}",
    given=_is_older, needs=("functionResponse", "function_response"), checked="2026-11-22",
    models="gemini-1.0 to gemini-2.5, not computer-use", path=gemini_path(OLD),
    remedy=Remedy("pictures", "Send the pictures of a result in a `user` content of their own to this model."),
    wrong=exchange(answer={"functionResponse": {**ANSWERED, "parts": [_blob("image/png")]}}), right=exchange(),
    verbatim={"google-gemini/gemini-cli#19436":
        "Unable to submit request because `function_response.parts` is not supported for this model.",
        "run-llama/llama_index#22919": ""})
# fmt: on
