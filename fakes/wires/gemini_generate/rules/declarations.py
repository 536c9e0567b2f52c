"""Rules of the third stage on the model's name, the declarations and their configuration: one plain sentence each."""

import re
from collections import Counter
from typing import Any

from fakes.rulebook import Breach, RequestContext
from fakes.wires.gemini_generate.lenient_reading import declarations, field, items
from fakes.wires.gemini_generate.rules.rulebook import (
    BOOK,
    DEFAULT,
    GEMINI,
    OLD,
    asking,
    declared,
    declaring,
    posted,
    said,
)

SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}}
CONFIG = {"functionCallingConfig": {"mode": "AUTO"}}
MODEL_NAME = re.compile(r"\S+")
BUILT_IN = ("google_search", "url_context", "code_execution")
"""The tools of Google's own that were seen to be refused beside declarations; others are let pass."""
TOOL = {"functionDeclarations": [declared(SCHEMA)]}
SEARCH: dict[str, Any] = {"googleSearch": {}}
LEVEL = {"thinkingLevel": "LOW"}


def built_in_beside_functions(context: RequestContext) -> bool:
    tools = items(field(context.body.value, "tools"))
    own = any(field(tool, name) is not None for tool in tools for name in BUILT_IN)
    return own and any(declarations(context.body.value))


@BOOK.rule(
    "gemini/model-name-format",
    why="The model in the path is no name. An unknown name cannot be told from a new model and is let pass.",
    confidence="recorded",
    evidence=said(
        "maruel/genai providers/gemini/testdata/TestClient/errors/bad_model/GenSync.yaml",
        quote="* GenerateContentRequest.model: unexpected model name format",
    ),
    breaking=asking(model="bad model"),
    accepted=asking(model=f"models/{DEFAULT}"),
    path=posted(),
    providers=GEMINI,
)
def model_name_format(context: RequestContext) -> Breach | None:
    in_body = field(context.body.value, "model")
    if all(MODEL_NAME.fullmatch(name) for name in (context.model, in_body) if isinstance(name, str)):
        return None
    return Breach("model", "* GenerateContentRequest.model: unexpected model name format\n")


@BOOK.rule(
    "gemini/duplicate-declaration",
    why="Two declarations of one name, in one tool or in several.",
    confidence="recorded",
    evidence=said(
        "0xPlaygrounds/rig tests/cassettes/gemini/tool_definitions/"
        "duplicate_tool_name_sends_duplicate_declarations_and_fails.yaml",
        quote="Duplicate function declaration found: echo",
    ),
    breaking=declaring(declared(SCHEMA), declared(SCHEMA)),
    accepted=declaring(declared(SCHEMA), declared(SCHEMA, name="get_news")),
    path=posted(),
)
def duplicate_declaration(context: RequestContext) -> Breach | None:
    count: Counter[str] = Counter()
    for path, declaration in declarations(context.body.value):
        name = str(field(declaration, "name"))
        count[name] += 1
        if count[name] == 2:
            return Breach(f"{path}.name", f"Duplicate function declaration found: {name}")
    return None


@BOOK.rule(
    "gemini/tool-config-without-declarations",
    why="Calling is configured, and nothing is declared. Gemini 3 forgives it with includeServerSideToolInvocations; "
    "2.0 was recorded to accept it, and Vertex AI does for every model.",
    models="2.5 and later",
    confidence="verbatim",
    evidence=said(
        "pydantic/pydantic-ai#5791",
        "AstrBotDevs/AstrBot#7407",
        "musistudio/claude-code-router#1207",
        "tailcallhq/forgecode#1404",
        quote="Function calling config is set without function_declarations.",
    ),
    breaking=asking(toolConfig=CONFIG),
    accepted=declaring(declared(SCHEMA), toolConfig=CONFIG),
    path=posted(),
    providers=GEMINI,
)
def tool_config_without_declarations(context: RequestContext) -> Breach | None:
    config = field(context.body.value, "tool_config")
    if "no-lonely-tool-config" not in context.traits or field(config, "function_calling_config") is None:
        return None
    if any(declarations(context.body.value)) or field(config, "include_server_side_tool_invocations"):
        return None
    return Breach("tool_config", "Function calling config is set without function_declarations.")


@BOOK.rule(
    "gemini/built-in-tools-unasked",
    why="Tools of Google's own beside declarations, without includeServerSideToolInvocations. Other models of Gemini 3 "
    "were recorded to accept it, as Vertex AI does.",
    models="3.1, 3.5-flash-lite, 3.6, 3.7",
    confidence="verbatim",
    evidence=said(
        "ag2ai/ag2#3145 (3.1-pro-preview, 3.6-flash, 3.5-flash-lite)",
        "googleapis/python-genai#2761",
        "AstrBotDevs/AstrBot#9978",
        quote="Please enable tool_config.include_server_side_tool_invocations to use Built-in tools with Function "
        "calling.",
    ),
    breaking=asking(tools=[TOOL, SEARCH]),
    accepted=asking(tools=[TOOL]),
    path=posted("gemini-3.6-flash"),
    providers=GEMINI,
)
def built_in_tools_unasked(context: RequestContext) -> Breach | None:
    asks = field(field(context.body.value, "tool_config"), "include_server_side_tool_invocations")
    if "built-in-tools-by-flag" not in context.traits or asks or not built_in_beside_functions(context):
        return None
    return Breach(
        "tools",
        "Please enable tool_config.include_server_side_tool_invocations to use Built-in tools with Function calling.",
    )


@BOOK.rule(
    "gemini/built-in-tools-with-functions",
    why="Tools of Google's own beside declarations, which Gemini 3 began to allow.",
    models="2.0, 2.5",
    confidence="verbatim",
    evidence=said(
        "symfony/ai#803 (2.5)",
        "lobehub/lobehub#7463",
        "googleapis/js-genai#435 (2.0)",
        quote="Tool use with function calling is unsupported",
    ),
    breaking=asking(tools=[TOOL, SEARCH]),
    accepted=asking(tools=[TOOL]),
    path=posted(OLD),
    providers=GEMINI,
)
def built_in_tools_with_functions(context: RequestContext) -> Breach | None:
    if "no-built-in-tools-with-functions" not in context.traits or not built_in_beside_functions(context):
        return None
    return Breach("tools", "Tool use with function calling is unsupported")


@BOOK.rule(
    "gemini/thinking-budget-and-level",
    why="Two ways to say how long to think; the budget is that of Gemini 2.5, the level that of Gemini 3.",
    models="3 and later",
    confidence="recorded",
    evidence=said(
        "vercel/ai#22372, recorded refusal of 2026-10-09 (3.1-pro-preview)",
        quote="You can only set only one of thinking budget and thinking level.",
    ),
    breaking=asking(generationConfig={"thinkingConfig": LEVEL | {"thinkingBudget": 512}}),
    accepted=asking(generationConfig={"thinkingConfig": LEVEL}),
    path=posted("gemini-3.1-pro-preview"),
    providers=GEMINI,
)
def thinking_budget_and_level(context: RequestContext) -> Breach | None:
    config = field(field(context.body.value, "generation_config"), "thinking_config")
    both = all(field(config, name) is not None for name in ("thinking_budget", "thinking_level"))
    if "thought-signatures" not in context.traits or not both:
        return None
    return Breach(
        "generation_config.thinking_config", "You can only set only one of thinking budget and thinking level."
    )


@BOOK.rule(
    "gemini/json-with-functions",
    why="JSON is asked for beside declarations, which only Gemini 3 and 2.0 allow.",
    models="2.5",
    confidence="recorded",
    evidence=(
        *said(
            "Mirascope/mirascope python/tests/llm/clients/google/cassettes/test_structured_outputs",
            quote="Function calling with a response mime type: 'application/json' is unsupported",
        ),
        *said(
            "vercel/ai, recorded refusal of a forced call",
            quote="Forced function calling (ANY mode) with a response mime type: 'application/json' is unsupported",
        ),
    ),
    breaking=declaring(declared(SCHEMA), generationConfig={"responseMimeType": "application/json"}),
    accepted=declaring(declared(SCHEMA), generationConfig={"responseMimeType": "text/plain"}),
    path=posted(OLD),
    providers=GEMINI,
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
