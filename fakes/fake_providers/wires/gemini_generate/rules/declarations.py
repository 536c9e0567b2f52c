"""Rules on the model's name, the declarations, their configuration, and pictures, each reported in a sentence of its
own.
"""

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

from fake_providers.rulebook import RequestContext, Selector
from fake_providers.wires.gemini_generate.proto_messages import declarations, field, items, thinking
from fake_providers.wires.gemini_generate.rules.abilities import config_of
from fake_providers.wires.gemini_generate.rules.rulebook import (
    BOOK,
    DECLARATION,
    GEMINI,
    PARAMETERS,
    PART,
    TOOLS,
    parts_of,
)
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
UNSUPPORTED = ("image/svg+xml", "image/svg", "application/svg+xml", "image/xml", "image/jpg", "png", "jpeg")
"""Types that were reported; others of pictures, sound, film and documents are accepted."""
LEARN_MORE = "Learn more: https://cloud.google.com/vertex-ai/generative-ai/docs/multimodal/function-calling"


def _blob(media_type: str) -> dict[str, Any]:
    return {"inlineData": {"mimeType": media_type, "data": "R0lGODlhAQABAA=="}}


def _blobs(context: RequestContext) -> Iterator[tuple[Any, ...]]:
    """Each blob with its place, also inside responses."""
    for part, i, j in parts_of(context.body.value):
        inner = items(field(field(part, "function_response"), "parts"))
        for below, one in [("", part), *((f".function_response.parts[{k}]", one) for k, one in enumerate(inner))]:
            if (blob := field(one, "inline_data")) is not None:
                yield blob, i, j, below


ANSWERED: dict[str, Any] = result()["functionResponse"]
BLOB = Selector(_blobs, "contents[{i}].parts[{j}]{below}.inline_data", ("i", "j", "below"), "parts", ("conversation",))


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
    if field(config_of(body), "response_mime_type") != "application/json":
        return None
    mode = field(field(field(body, "tool_config"), "function_calling_config"), "mode")
    return "Forced function calling (ANY mode)" if str(mode).upper() == "ANY" else "Function calling"


def _is_older(context: RequestContext) -> bool:
    return context.model.rpartition("/")[2].startswith(("gemini-1", "gemini-2"))


# A table: two rows are to be compared.
# fmt: off
BOOK.row("gemini/model-name-format",
    "The model in the path is not a valid name. An unknown name is accepted, because it may be a new model.",
    PARAMETERS, _has_a_bad_name, "* GenerateContentRequest.model: unexpected model name format\n", "model",
    path=gemini_path(), providers=GEMINI,
    wrong=sample_request(model="bad model"), right=sample_request(model=f"models/{DEFAULT}"),
    recorded={"maruel/genai providers/gemini/testdata/TestClient/errors/bad_model/GenSync.yaml":
        "* GenerateContentRequest.model: unexpected model name format"})
BOOK.row("gemini/duplicate-declaration", "Two declarations have the same name, in one tool or in several.",
    TOOLS, _second_of_its_name, "Duplicate function declaration found: {name}", "{path}.name", path=gemini_path(),
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
    path=gemini_path(), providers=GEMINI,
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
    wrong=sample_request(tools=[TOOL, SEARCH]), right=sample_request(tools=[TOOL]),
    verbatim={"ag2ai/ag2#3145 (3.1-pro-preview, 3.6-flash, 3.5-flash-lite)": "...", "googleapis/python-genai#2761": "",
        "AstrBotDevs/AstrBot#9978": ""})
BOOK.row("gemini/built-in-tools-with-functions",
    "Google's own tools are used together with declarations, which only Gemini 3 and later allow.",
    TOOLS, _mixes_built_in_tools, "Tool use with function calling is unsupported", "tools",
    trait="no-built-in-tools-with-functions", models="2.0, 2.5", path=gemini_path(OLD), providers=GEMINI,
    wrong=sample_request(tools=[TOOL, SEARCH]), right=sample_request(tools=[TOOL]),
    verbatim={"symfony/ai#803 (2.5)": "...", "lobehub/lobehub#7463": "", "googleapis/js-genai#435 (2.0)": ""})
BOOK.row("gemini/thinking-budget-and-level",
    "Both a thinking budget (of Gemini 2.5) and a thinking level (of Gemini 3) are set.",
    PARAMETERS, lambda body: None not in (thinking(body, "thinking_budget"), thinking(body, "thinking_level")),
    "You can only set only one of thinking budget and thinking level.", "generation_config.thinking_config",
    needs=("thinkingConfig", "thinking_config"), trait="thought-signatures", models="3 and later",
    path=gemini_path("gemini-3.1-pro-preview"), providers=GEMINI,
    wrong=sample_request(generationConfig={"thinkingConfig": LEVEL | {"thinkingBudget": 512}}),
    right=sample_request(generationConfig={"thinkingConfig": LEVEL}),
    recorded={"vercel/ai#22372, recorded refusal of 2026-10-09 (3.1-pro-preview)": "..."})
BOOK.row("gemini/json-with-functions",
    "A JSON response is requested together with declarations, which only Gemini 3 and 2.0 allow.",
    DECLARATION, _calling_beside_json, "{found} with a response mime type: 'application/json' is unsupported",
    "/generation_config.response_mime_type", even_usual=True, needs=("responseMimeType", "response_mime_type"),
    trait="no-json-with-functions", models="2.5", path=gemini_path(OLD), providers=GEMINI,
    wrong=sample_with_tools(DECLARED, generationConfig={"responseMimeType": "application/json"}),
    right=sample_with_tools(DECLARED, generationConfig={"responseMimeType": "text/plain"}),
    recorded={"Mirascope/mirascope python/tests/llm/clients/google/cassettes/test_structured_outputs":
        "Function calling with a response mime type: 'application/json' is unsupported",
        "vercel/ai, recorded refusal of a forced call":
        "Forced function calling (ANY mode) with a response mime type: 'application/json' is unsupported"})
BOOK.row("gemini/picture-media-type",
    "A picture has a media type that no model reads: SVG, `image/jpg`, or a bare `png`.",
    BLOB, lambda blob: (kind := field(blob, "mime_type")) in UNSUPPORTED and kind, "Unsupported MIME type: {found}",
    needs=("inlineData", "inline_data"), checked="2026-11-22", path=gemini_path(), about="picture",
    wrong=sample_request(user("What is this?", _blob("image/svg+xml"))),
    right=sample_request(user("What is this?", _blob("image/png"))),
    verbatim={"google-gemini/gemini-cli#3054": "Unsupported MIME type: image/svg+xml", "google/adk-python#5693": "",
        "charmbracelet/crush#995": "", "brianpetro/obsidian-smart-connections#1238": ""})
BOOK.row("gemini/response-parts",
    "A response has `parts`, and the model is older than Gemini 3: its pictures stand in a content of the user.",
    PART, lambda part: field(field(part, "function_response"), "parts"),
    f"Unable to submit request because `function_response.parts` is not supported for this model. {LEARN_MORE}",
    given=_is_older, needs=("functionResponse", "function_response"), models="gemini-1*, gemini-2*",
    checked="2026-11-22", path=gemini_path(OLD),
    wrong=exchange(answer={"functionResponse": {**ANSWERED, "parts": [_blob("image/png")]}}), right=exchange(),
    verbatim={"google-gemini/gemini-cli#19436":
        "Unable to submit request because `function_response.parts` is not supported for this model.",
        "run-llama/llama_index#22919": ""})
# fmt: on
