"""Rules of the third stage on the model's name, the declarations and their configuration: one plain sentence each."""

import re
from collections import Counter

from fakes.gemini_generate.reading import declarations, field
from fakes.gemini_generate.rules.book import (
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
from fakes.rulebook import Asked, Broken

SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}}
CONFIG = {"functionCallingConfig": {"mode": "AUTO"}}
MODEL_NAME = re.compile(r"\S+")


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
def model_name_format(asked: Asked) -> Broken | None:
    in_body = field(asked.body.value, "model")
    if all(MODEL_NAME.fullmatch(name) for name in (asked.model, in_body) if isinstance(name, str)):
        return None
    return Broken("model", "* GenerateContentRequest.model: unexpected model name format\n")


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
def duplicate_declaration(asked: Asked) -> Broken | None:
    count: Counter[str] = Counter()
    for path, declaration in declarations(asked.body.value):
        name = str(field(declaration, "name"))
        count[name] += 1
        if count[name] == 2:
            return Broken(f"{path}.name", f"Duplicate function declaration found: {name}")
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
def tool_config_without_declarations(asked: Asked) -> Broken | None:
    config = field(asked.body.value, "tool_config")
    if "no-lonely-tool-config" not in asked.traits or field(config, "function_calling_config") is None:
        return None
    if any(declarations(asked.body.value)) or field(config, "include_server_side_tool_invocations"):
        return None
    return Broken("tool_config", "Function calling config is set without function_declarations.")


@BOOK.rule(
    "gemini/json-with-functions",
    why="JSON is asked for beside declarations, which only Gemini 3 and 2.0 allow.",
    models="2.5",
    confidence="recorded",
    evidence=said(
        "Mirascope/mirascope python/tests/llm/clients/google/cassettes/test_structured_outputs",
        quote="Function calling with a response mime type: 'application/json' is unsupported",
    ),
    breaking=declaring(declared(SCHEMA), generationConfig={"responseMimeType": "application/json"}),
    accepted=declaring(declared(SCHEMA), generationConfig={"responseMimeType": "text/plain"}),
    path=posted(OLD),
    providers=GEMINI,
)
def json_with_functions(asked: Asked) -> Broken | None:
    mime = field(field(asked.body.value, "generation_config"), "response_mime_type")
    if "no-json-with-functions" not in asked.traits or mime != "application/json":
        return None
    if not any(declarations(asked.body.value)):
        return None
    return Broken(
        "generation_config.response_mime_type",
        "Function calling with a response mime type: 'application/json' is unsupported",
    )
