"""What each known program needs to use the model of a case. Data only; docs/acp.md shows it as a table."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Program:
    """One program, by the name of its file, from an npm package.

    `variables` are those of each wire that it uses, its main one first. Values may contain `{base_url}`, `{api_key}`
    and `{model}`. `settings` are files of its home. `authentication` is the method that it wants before a session, and
    `instructions` the file of the project that it reads as its instructions. A request that contains one of `side` is
    a side request.
    """

    name: str
    package: str
    arguments: str
    variables: Mapping[str, Mapping[str, str]]
    settings: Mapping[str, str] = field(default_factory=dict)
    authentication: str = ""
    instructions: str = ""
    side: tuple[str, ...] = ()


def _opencode(package: str) -> Mapping[str, str]:
    provider = {
        "npm": package,
        "options": {"baseURL": "{base_url}", "apiKey": "{api_key}"},
        "models": {"{model}": {}},
    }
    config = {"provider": {"suite": provider}, "model": "suite/{model}", "small_model": "suite/{model}"}
    return {"OPENCODE_CONFIG_CONTENT": json.dumps(config | {"autoupdate": False, "share": "disabled"})}


OPENAI = {"OPENAI_BASE_URL": "{base_url}", "OPENAI_API_KEY": "{api_key}", "OPENAI_MODEL": "{model}"}
ANTHROPIC = {"ANTHROPIC_BASE_URL": "{base_url}", "ANTHROPIC_API_KEY": "{api_key}", "ANTHROPIC_MODEL": "{model}"}
GEMINI = {"GOOGLE_GEMINI_BASE_URL": "{base_url}", "GEMINI_API_KEY": "{api_key}", "GEMINI_MODEL": "{model}"}

USUAL: Mapping[str, Mapping[str, str]] = {
    "openai-chat": OPENAI,
    "openai-responses": OPENAI,
    "anthropic-messages": ANTHROPIC,
    "gemini-generate": GEMINI,
    "ollama-chat": {"OLLAMA_HOST": "{base_url}"},
}
"""What a program that is not known gets, for the wire that the command names; openai-chat if it names none."""

PROGRAMS = (
    Program(
        "qwen",
        "@qwen-code/qwen-code",
        "--acp",
        {"openai-chat": OPENAI},
        # Tools of MCP servers would be offered after a search only, and a model would decide on each permission.
        settings={
            ".qwen/settings.json": json.dumps({"tools": {"approvalMode": "default", "toolSearch": {"enabled": False}}})
        },
        authentication="openai",
        instructions="QWEN.md",
        side=("[SUGGESTION MODE", "Managed memory has TWO directories"),
    ),
    Program(
        "opencode",
        "opencode-ai",
        "acp",
        {
            "openai-chat": _opencode("@ai-sdk/openai-compatible"),
            "anthropic-messages": _opencode("@ai-sdk/anthropic"),
            "openai-responses": _opencode("@ai-sdk/openai"),
        },
        instructions="AGENTS.md",
        side=("Generate a title for this conversation",),
    ),
    Program(
        "gemini",
        "@google/gemini-cli",
        "--acp --skip-trust",
        {"gemini-generate": GEMINI | {"GEMINI_CLI_NO_RELAUNCH": "true"}},
        authentication="gemini-api-key",
        instructions="GEMINI.md",
    ),
)

BY_NAME = {program.name: program for program in PROGRAMS}
