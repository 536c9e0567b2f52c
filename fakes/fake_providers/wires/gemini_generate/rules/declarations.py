"""Rules on the model's name, the declarations, their configuration, and pictures, each reported in a sentence of its
own.
"""

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

from fake_providers.rulebook import ALL_TOOLS, ANY_MESSAGE, ANY_PARAMETER, ANY_PART, Breach, RequestContext
from fake_providers.wires.gemini_generate.proto_messages import contents, declarations, field, items, thinking
from fake_providers.wires.gemini_generate.rules.rulebook import BOOK, GEMINI
from fake_providers.wires.gemini_generate.rules.samples import (
    DEFAULT,
    OLD,
    call,
    cite,
    declaration_of,
    gemini_path,
    model,
    result,
    sample_request,
    sample_with_tools,
    user,
)

SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}}
CONFIG = {"functionCallingConfig": {"mode": "AUTO"}}
MODEL_NAME = re.compile(r"\S+")
BUILT_IN = ("google_search", "url_context", "code_execution")
"""Google's own tools that were observed to be refused together with declarations; others are accepted."""
TOOL = {"functionDeclarations": [declaration_of(SCHEMA)]}
SEARCH: dict[str, Any] = {"googleSearch": {}}
LEVEL = {"thinkingLevel": "LOW"}


def mixes_built_in_tools(context: RequestContext) -> bool:
    tools = items(field(context.body.value, "tools"))
    own = any(field(tool, name) is not None for tool in tools for name in BUILT_IN)
    return own and any(declarations(context.body.value))


def model_name_format(context: RequestContext) -> Breach | None:
    in_body = field(context.body.value, "model")
    if all(MODEL_NAME.fullmatch(name) for name in (context.model, in_body) if isinstance(name, str)):
        return None
    return Breach("model", "* GenerateContentRequest.model: unexpected model name format\n")


def duplicate_declaration(context: RequestContext) -> Breach | None:
    count: Counter[str] = Counter()
    for path, declaration in declarations(context.body.value):
        name = str(field(declaration, "name"))
        count[name] += 1
        if count[name] == 2:
            return Breach(f"{path}.name", f"Duplicate function declaration found: {name}")
    return None


def tool_config_without_declarations(context: RequestContext) -> Breach | None:
    config = field(context.body.value, "tool_config")
    if "no-lonely-tool-config" not in context.traits or field(config, "function_calling_config") is None:
        return None
    if any(declarations(context.body.value)) or field(config, "include_server_side_tool_invocations"):
        return None
    return Breach("tool_config", "Function calling config is set without function_declarations.")


def built_in_tools_unasked(context: RequestContext) -> Breach | None:
    is_enabled = field(field(context.body.value, "tool_config"), "include_server_side_tool_invocations")
    if "built-in-tools-by-flag" not in context.traits or is_enabled or not mixes_built_in_tools(context):
        return None
    return Breach(
        "tools",
        "Please enable tool_config.include_server_side_tool_invocations to use Built-in tools with Function calling.",
    )


def built_in_tools_with_functions(context: RequestContext) -> Breach | None:
    if "no-built-in-tools-with-functions" not in context.traits or not mixes_built_in_tools(context):
        return None
    return Breach("tools", "Tool use with function calling is unsupported")


def thinking_budget_and_level(context: RequestContext) -> Breach | None:
    both = all(thinking(context.body.value, name) is not None for name in ("thinking_budget", "thinking_level"))
    if "thought-signatures" not in context.traits or not both:
        return None
    return Breach(
        "generation_config.thinking_config", "You can only set only one of thinking budget and thinking level."
    )


def json_with_functions(context: RequestContext) -> Breach | None:
    mime = field(field(context.body.value, "generation_config"), "response_mime_type")
    if "no-json-with-functions" not in context.traits or mime != "application/json":
        return None
    if not any(declarations(context.body.value)):
        return None
    mode = field(field(field(context.body.value, "tool_config"), "function_calling_config"), "mode")
    calling = "Forced function calling (ANY mode)" if str(mode).upper() == "ANY" else "Function calling"
    return Breach(
        "generation_config.response_mime_type",
        f"{calling} with a response mime type: 'application/json' is unsupported",
    )


UNSUPPORTED = ("image/svg+xml", "image/svg", "application/svg+xml", "image/xml", "image/jpg", "png", "jpeg")
"""Types that were reported; others of pictures, sound, film and documents are accepted."""
LEARN_MORE = "https://cloud.google.com/vertex-ai/generative-ai/docs/multimodal/function-calling"


def _blob(media_type: str) -> dict[str, Any]:
    return {"inlineData": {"mimeType": media_type, "data": "R0lGODlhAQABAA=="}}


def _conversation_with_picture() -> dict[str, Any]:
    response = result()
    response["functionResponse"]["parts"] = [_blob("image/png")]
    return sample_request(user("Rain?"), model(call()), user(response))


def picture_media_type(context: RequestContext) -> Breach | None:
    for at, blob in _blobs(context.body.value):
        media_type = field(blob, "mime_type")
        if media_type in UNSUPPORTED:
            return Breach(at, f"Unsupported MIME type: {media_type}")
    return None


def response_parts(context: RequestContext) -> Breach | None:
    if not context.model.rpartition("/")[2].startswith(("gemini-1", "gemini-2")):
        return None
    for number, content in enumerate(contents(context.body.value)):
        for place, part in enumerate(items(field(content, "parts"))):
            if field(field(part, "function_response"), "parts"):
                sentence = "Unable to submit request because `function_response.parts` is not supported for this model."
                return Breach(f"contents[{number}].parts[{place}]", f"{sentence} Learn more: {LEARN_MORE}")
    return None


def _blobs(body: Any) -> Iterator[tuple[str, Any]]:
    """Each blob with its place, also inside responses."""
    for number, content in enumerate(contents(body)):
        for place, part in enumerate(items(field(content, "parts"))):
            at = f"contents[{number}].parts[{place}]"
            inner = items(field(field(part, "function_response"), "parts"))
            for found, one in [(at, part), *((f"{at}.function_response.parts[{i}]", p) for i, p in enumerate(inner))]:
                if (blob := field(one, "inline_data")) is not None:
                    yield f"{found}.inline_data", blob


# A table: two rows are to be compared.
# fmt: off
BOOK.row("gemini/model-name-format",
    "The model in the path is not a valid name. An unknown name is accepted, because it may be a new model.",
    ANY_PARAMETER, model_name_format, path=gemini_path(), providers=GEMINI,
    wrong=sample_request(model="bad model"), right=sample_request(model=f"models/{DEFAULT}"),
    recorded=cite("maruel/genai providers/gemini/testdata/TestClient/errors/bad_model/GenSync.yaml",
        quote="* GenerateContentRequest.model: unexpected model name format"))
BOOK.row("gemini/duplicate-declaration", "Two declarations have the same name, in one tool or in several.",
    ALL_TOOLS, duplicate_declaration, path=gemini_path(),
    wrong=sample_with_tools(declaration_of(SCHEMA), declaration_of(SCHEMA)),
    right=sample_with_tools(declaration_of(SCHEMA), declaration_of(SCHEMA, name="get_news")),
    recorded=cite("0xPlaygrounds/rig tests/cassettes/gemini/tool_definitions/"
        "duplicate_tool_name_sends_duplicate_declarations_and_fails.yaml",
        quote="Duplicate function declaration found: echo"))
BOOK.row("gemini/tool-config-without-declarations",
    "Function calling is configured and nothing is declared. Gemini 3 accepts it with "
        "includeServerSideToolInvocations; 2.0 was recorded to accept it, and Vertex AI accepts it on every model.",
    ALL_TOOLS, tool_config_without_declarations, even_usual=True, needs=("toolConfig", "tool_config"),
    trait="no-lonely-tool-config", models="2.5 and later", path=gemini_path(), providers=GEMINI,
    wrong=sample_request(toolConfig=CONFIG), right=sample_with_tools(declaration_of(SCHEMA), toolConfig=CONFIG),
    verbatim=cite("pydantic/pydantic-ai#5791", "AstrBotDevs/AstrBot#7407", "musistudio/claude-code-router#1207",
        "tailcallhq/forgecode#1404", quote="Function calling config is set without function_declarations."))
BOOK.row("gemini/built-in-tools-unasked",
    "Google's own tools are used together with declarations, without includeServerSideToolInvocations. Other "
        "models of Gemini 3 were recorded to accept it, and so does Vertex AI.",
    ALL_TOOLS, built_in_tools_unasked, trait="built-in-tools-by-flag", models="3.1, 3.5-flash-lite, 3.6, 3.7",
    path=gemini_path("gemini-3.6-flash"), providers=GEMINI,
    wrong=sample_request(tools=[TOOL, SEARCH]), right=sample_request(tools=[TOOL]),
    verbatim=cite("ag2ai/ag2#3145 (3.1-pro-preview, 3.6-flash, 3.5-flash-lite)", "googleapis/python-genai#2761",
        "AstrBotDevs/AstrBot#9978",
        quote="Please enable tool_config.include_server_side_tool_invocations to use Built-in tools with Function "
        "calling."))
BOOK.row("gemini/built-in-tools-with-functions",
    "Google's own tools are used together with declarations, which only Gemini 3 and later allow.",
    ALL_TOOLS, built_in_tools_with_functions, trait="no-built-in-tools-with-functions", models="2.0, 2.5",
    path=gemini_path(OLD), providers=GEMINI,
    wrong=sample_request(tools=[TOOL, SEARCH]), right=sample_request(tools=[TOOL]),
    verbatim=cite("symfony/ai#803 (2.5)", "lobehub/lobehub#7463", "googleapis/js-genai#435 (2.0)",
        quote="Tool use with function calling is unsupported"))
BOOK.row("gemini/thinking-budget-and-level",
    "Both a thinking budget (of Gemini 2.5) and a thinking level (of Gemini 3) are set.",
    ANY_PARAMETER, thinking_budget_and_level, needs=("thinkingConfig", "thinking_config"), trait="thought-signatures",
    models="3 and later", path=gemini_path("gemini-3.1-pro-preview"), providers=GEMINI,
    wrong=sample_request(generationConfig={"thinkingConfig": LEVEL | {"thinkingBudget": 512}}),
    right=sample_request(generationConfig={"thinkingConfig": LEVEL}),
    recorded=cite("vercel/ai#22372, recorded refusal of 2026-10-09 (3.1-pro-preview)",
        quote="You can only set only one of thinking budget and thinking level."))
BOOK.row("gemini/json-with-functions",
    "A JSON response is requested together with declarations, which only Gemini 3 and 2.0 allow.",
    ANY_PART, json_with_functions, even_usual=True, needs=("responseMimeType", "response_mime_type"),
    trait="no-json-with-functions", models="2.5", path=gemini_path(OLD), providers=GEMINI,
    wrong=sample_with_tools(declaration_of(SCHEMA), generationConfig={"responseMimeType": "application/json"}),
    right=sample_with_tools(declaration_of(SCHEMA), generationConfig={"responseMimeType": "text/plain"}),
    recorded=(
        *cite("Mirascope/mirascope python/tests/llm/clients/google/cassettes/test_structured_outputs",
        quote="Function calling with a response mime type: 'application/json' is unsupported"),
        *cite("vercel/ai, recorded refusal of a forced call",
        quote="Forced function calling (ANY mode) with a response mime type: 'application/json' is unsupported")))
BOOK.row("gemini/picture-media-type",
    "A picture has a media type that no model reads: SVG, `image/jpg`, or a bare `png`.",
    ANY_MESSAGE, picture_media_type, needs=("inlineData", "inline_data"), checked="2026-11-22", path=gemini_path(),
    about="picture",
    wrong=sample_request(user("What is this?", _blob("image/svg+xml"))),
    right=sample_request(user("What is this?", _blob("image/png"))),
    verbatim=cite("google-gemini/gemini-cli#3054", "google/adk-python#5693", "charmbracelet/crush#995",
        "brianpetro/obsidian-smart-connections#1238", quote="Unsupported MIME type: image/svg+xml"))
BOOK.row("gemini/response-parts",
    "A response has `parts`, and the model is older than Gemini 3: its pictures stand in a content of the user.",
    ANY_MESSAGE, response_parts, needs=("functionResponse", "function_response"), models="gemini-1*, gemini-2*",
    checked="2026-11-22", path=gemini_path(OLD),
    wrong=_conversation_with_picture(), right=sample_request(user("Rain?"), model(call()), user(result())),
    verbatim=cite("google-gemini/gemini-cli#19436", "run-llama/llama_index#22919",
        quote="Unable to submit request because `function_response.parts` is not supported for this model."))
# fmt: on
