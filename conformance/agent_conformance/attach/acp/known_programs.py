"""What each known program needs to use the model of a case. Data only; docs/acp.md shows it as a table."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace


@dataclass(frozen=True, slots=True)
class Program:
    """One program, by the name of its file, from an npm package.

    `variables` are those of each wire that it uses, its main one first, `settings` files of its home, and `project`
    files of a session's folder. Values may contain `{base_url}`, `{api_key}`, `{model}`, and
    `{tools_url}` if they tell of the MCP server, which a session then does not. One that is `shared` reads
    all of these for each session, so that one process serves many cases. `authentication` is the method that it wants
    before a session, `instructions` the file of the project that it reads as its instructions, and `tools` how it
    takes an MCP server. A request that contains one of `side` is a side request. `says` is how it calls itself in its
    answer to `initialize`, and `mode` whether its answers are streamed by default. `model` is that of its cases, where
    it warns its user of the one that they would have. One with `searches` offers tools once its own search has found
    them.
    """

    name: str
    package: str
    arguments: str
    variables: Mapping[str, Mapping[str, str]]
    settings: Mapping[str, str] = field(default_factory=dict)
    project: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    authentication: str = ""
    instructions: str = ""
    side: tuple[str, ...] = ()
    shared: bool = False
    says: str = ""
    tools: str = "stdio"
    mode: str = "stream"
    model: str = ""
    searches: bool = False


def _opencode(package: str) -> str:
    """OpenCode's `opencode.json` for the wire of this package."""
    provider = {
        "npm": package,
        "options": {"baseURL": "{base_url}", "apiKey": "{api_key}"},
        "models": {"{model}": {}},
    }
    config = {"provider": {"suite": provider}, "model": "suite/{model}", "small_model": "suite/{model}"}
    return json.dumps(config | {"autoupdate": False, "share": "disabled"})


OPENAI = {"OPENAI_BASE_URL": "{base_url}", "OPENAI_API_KEY": "{api_key}", "OPENAI_MODEL": "{model}"}
ANTHROPIC = {"ANTHROPIC_BASE_URL": "{base_url}", "ANTHROPIC_API_KEY": "{api_key}", "ANTHROPIC_MODEL": "{model}"}
GEMINI = {"GOOGLE_GEMINI_BASE_URL": "{base_url}", "GEMINI_API_KEY": "{api_key}", "GEMINI_MODEL": "{model}"}

USUAL: Mapping[str, Mapping[str, str]] = {
    "openai-chat": OPENAI,
    "openai-responses": OPENAI,
    "anthropic-messages": ANTHROPIC,
    "gemini-generate": GEMINI,
    "ollama-chat": {"OLLAMA_HOST": "{base_url}"},
    "cohere-chat": {"CO_API_URL": "{base_url}", "CO_API_KEY": "{api_key}"},
}
"""What a program that is not known gets, for the wire that the command names; openai-chat if it names none."""

OPENCODE = {
    "openai-chat": "@ai-sdk/openai-compatible",
    "anthropic-messages": "@ai-sdk/anthropic",
    "openai-responses": "@ai-sdk/openai",
}
QWEN = {
    "security": {"auth": {"selectedType": "openai", "apiKey": "{api_key}", "baseUrl": "{base_url}"}},
    "model": {"name": "{model}"},
    # Tools of MCP servers would be offered after a search only, and a model would decide on each permission.
    "tools": {"approvalMode": "default", "toolSearch": {"enabled": False}},
    "general": {"enableAutoUpdate": False},
    "privacy": {"usageStatisticsEnabled": False},
    # Cases share a home, and what it learns from one would be in the prompts of the next.
    "memory": {"enableManagedAutoMemory": False, "enableManagedAutoDream": False, "enableAutoSkill": False},
    "ui": {"enableFollowupSuggestions": False},
}

OPENCODE_PROGRAM = Program(
    "opencode",
    "opencode-ai",
    "acp",
    {wire: {} for wire in OPENCODE},
    project={wire: {"opencode.json": _opencode(package)} for wire, package in OPENCODE.items()},
    instructions="AGENTS.md",
    side=("Generate a title for this conversation",),
    shared=True,
    says="OpenCode",
)

CLINE = {
    "version": 1,
    "lastUsedProvider": "openai-compatible",
    "providers": {
        "openai-compatible": {
            "settings": {
                "provider": "openai-compatible",
                "apiKey": "{api_key}",
                "model": "{model}",
                "baseUrl": "{base_url}",
            },
            "updatedAt": "2026-11-27T00:00:00.000Z",
            "tokenSource": "manual",
        }
    },
}
CLINE_MODELS = {
    "version": 1,
    "providers": {
        "openai-compatible": {
            "provider": {"name": "suite", "baseUrl": "{base_url}"},
            # Of a model that it does not know it asks for 32,000 tokens, which not every model gives.
            "models": {"{model}": {"id": "{model}", "maxTokens": 8192, "contextWindow": 128000}},
        }
    },
}
CLINE_SERVERS = {"mcpServers": {"suite": {"transport": {"type": "streamableHttp", "url": "{tools_url}"}}}}

CODEX = """\
model = "{model}"
model_provider = "suite"
check_for_update_on_startup = false

[analytics]
enabled = false

[model_providers.suite]
name = "suite"
base_url = "{base_url}"
env_key = "CONFORMANCE_API_KEY"
wire_api = "responses"
"""

OPENHANDS_MODEL = {
    "model": "openai/{model}",
    "api_key": "{api_key}",
    "base_url": "{base_url}",
    # It waits 8 to 64 seconds before it asks again, five times.
    "retry_min_wait": 1,
    "retry_max_wait": 2,
}
OPENHANDS = {
    "llm": OPENHANDS_MODEL | {"usage_id": "agent"},
    "tools": [{"name": name} for name in ("terminal", "file_editor", "task_tracker", "task_tool_set")],
    "agent_context": {"load_user_skills": True, "load_public_skills": False},  # the public ones are on GitHub
    "system_prompt_kwargs": {"cli_mode": True, "llm_security_analyzer": True},
    "condenser": {
        "kind": "LLMSummarizingCondenser",
        "llm": OPENHANDS_MODEL | {"usage_id": "condenser"},
        "max_size": 80,
        "keep_first": 4,
    },
    "kind": "Agent",
}

PROGRAMS = (
    Program(
        "qwen",
        "@qwen-code/qwen-code",
        "--acp",
        {"openai-chat": {"QWEN_CODE_LEGACY_MCP_BLOCKING": "1"}},  # else a first request may come before the tools
        settings={".qwen/settings.json": json.dumps(QWEN)},
        authentication="openai",
        instructions="QWEN.md",
        side=("[SUGGESTION MODE", "Managed memory has TWO directories"),
        shared=True,
        says="qwen-code",
    ),
    OPENCODE_PROGRAM,
    replace(OPENCODE_PROGRAM, name="kilo", package="@kilocode/cli", says="Kilo"),
    Program(
        "cline",
        "cline",
        "--acp",
        {
            "openai-chat": {
                "CLINE_PROVIDER": "openai-compatible",
                "CLINE_API_KEY": "{api_key}",  # else it wants an account of a session
                "CLINE_MODEL": "{model}",
            }
        },
        settings={
            ".cline/data/settings/providers.json": json.dumps(CLINE),
            ".cline/data/settings/models.json": json.dumps(CLINE_MODELS),
            # It takes the servers of a session, and forgets them.
            ".cline/data/settings/cline_mcp_settings.json": json.dumps(CLINE_SERVERS),
        },
        says="cline",
        tools="http",
    ),
    Program(
        "gemini",
        "@google/gemini-cli",
        "--acp --skip-trust",
        {"gemini-generate": GEMINI | {"GEMINI_CLI_NO_RELAUNCH": "true"}},
        authentication="gemini-api-key",
        instructions="GEMINI.md",
        says="gemini-cli",
    ),
    Program(
        "claude-agent-acp",
        "@agentclientprotocol/claude-agent-acp",
        "",
        {"anthropic-messages": ANTHROPIC},
        says="@agentclientprotocol/claude-agent-acp",
        searches=True,
    ),
    Program(
        "codex-acp",
        "@agentclientprotocol/codex-acp",
        "",
        {"openai-responses": {"CONFORMANCE_API_KEY": "{api_key}"}},
        settings={".codex/config.toml": CODEX},
        instructions="AGENTS.md",
        says="@agentclientprotocol/codex-acp",
        model="gpt-5.5",  # of the newer ones it lets code call the tools
        searches=True,
    ),
    Program(
        "copilot",
        "@github/copilot",
        "--acp",
        {
            "openai-chat": {
                "COPILOT_PROVIDER_BASE_URL": "{base_url}",
                "COPILOT_PROVIDER_API_KEY": "{api_key}",
                "COPILOT_MODEL": "{model}",
            }
        },
        says="Copilot",
        tools="http",  # it refuses the servers of a session that are programs
    ),
    Program(
        "openhands",
        "openhands",
        "acp",
        {"openai-chat": {"LITELLM_LOCAL_MODEL_COST_MAP": "True", "OPENHANDS_SUPPRESS_BANNER": "1"}},
        settings={".openhands/agent_settings.json": json.dumps(OPENHANDS)},
        says="OpenHands CLI ACP Agent",
        mode="plain",
    ),
)

BY_NAME = {program.name: program for program in PROGRAMS}
SIDE = tuple({mark: None for program in PROGRAMS for mark in program.side})
"""Of all of them: a fork has the marks of what it was made of."""


def program_named(says: str) -> Program | None:
    """The program that calls itself so."""
    return next((program for program in PROGRAMS if says and program.says.lower() == says.lower()), None)
