"""The names of the ready-made adapters for well-known frameworks and programs, and what each needs.

Imports none of them: an adapter is loaded like any other agent, by what `--agent` takes besides its name.
"""

import contextlib
import json
import os
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Literal

from agent_conformance.attach.programs import bridge_command, path_of, version_of
from agent_conformance.machine.installation import requirements_of

ADAPTERS = "agent_conformance.agents.ready_made"
NODE_FOLDER = "CONFORMANCE_NODE_FOLDER"
"""The variable that names the folder in whose `node_modules` a framework for Node is; else the working directory."""


def node_folder() -> Path:
    return Path(os.environ.get(NODE_FOLDER) or Path.cwd())


@dataclass(frozen=True, slots=True)
class Ready:
    """One ready-made adapter: its module in `ADAPTERS`, and the distribution whose version is the agent's.

    `extra` is the extra of this project that brings what the adapter needs, and `requirements` are what pip installs
    besides: frameworks that exclude each other have no extra. `program` is the command of the agent, where it is one:
    of an npm package, or of a `tool`, the words after `uv tool install`, which gives it an environment of its own.
    `npm` is what npm installs: without a program, the agent is a framework for Node, and the module a bridge. `agent`
    is what `--agent` takes, if it is no module of `ADAPTERS`. `light` ones install together in seconds: the project's
    own CI judges them. Those that take seconds for each case are judged in a `part`: all of `core`, and of `hardened`
    one example of each scenario, or nothing; or `smoke` alone.
    """

    name: str
    distribution: str
    extra: str = ""
    requirements: tuple[str, ...] = ()
    program: str = ""
    npm: tuple[str, ...] = ()
    tool: tuple[str, ...] = ()
    agent: str = ""
    light: bool = False
    part: Literal["", "sample", "core", "smoke"] = ""

    @property
    def module(self) -> str:
        return f"{ADAPTERS}.{self.name.replace('-', '_')}"

    @property
    def bridge(self) -> Path | None:
        """The file in Node that runs the framework; None for what has an adapter in Python."""
        is_for_node = self.npm and not (self.program or self.agent)
        folder = Path(__file__).parent.with_name("agents") / "ready_made"
        return folder / f"{self.name.replace('-', '_')}.mjs" if is_for_node else None

    @property
    def spec(self) -> str:
        """What `--agent` takes besides the name."""
        command = f"cmd:{bridge_command(self.bridge)}" if self.bridge else ""
        return self.agent or command or f"{self.module}:Adapter"

    @property
    def version(self) -> str | None:
        """The version of the installed framework or program; None if it is not installed."""
        if self.program:
            return _version_of_package(self.program, self.distribution) or version_of(self.program)
        if self.npm:
            try:
                manifest = json.loads(
                    (node_folder() / "node_modules" / self.distribution / "package.json").read_text(encoding="utf-8")
                )
            except (OSError, ValueError):
                return None
            return str(manifest["version"])
        try:
            return version(self.distribution)
        except PackageNotFoundError:
            return None

    @property
    def packages(self) -> tuple[str, ...]:
        """What pip installs beside the suite: what the extra brings, and the requirements."""
        return (*(requirements_of(self.extra) if self.extra else ()), *self.requirements)

    @property
    def install(self) -> str:
        """The commands that install what is missing."""
        by_npm = f"npm install {'-g ' if self.program else ''}{' '.join(self.npm)}" if self.npm else ""
        by_pip = f"pip install {shlex.join(self.packages)}" if self.packages else ""
        by_uv = f"uv tool install {' '.join(self.tool)}" if self.tool else ""
        return ", and ".join(filter(None, (by_uv, by_npm, by_pip)))


def _version_of_package(program: str, distribution: str) -> str | None:
    """That of the package to which the program's file belongs, of npm or of an environment of Python: not every program
    prints its version.
    """
    path = path_of(program)
    name = distribution.replace("-", "_")
    for folder in Path(path).resolve().parents if path else ():
        for found in folder.glob(f"lib/python3*/site-packages/{name}-*.dist-info"):
            return found.stem.removeprefix(f"{name}-")
        with contextlib.suppress(OSError, ValueError):
            manifest = json.loads((folder / "package.json").read_text(encoding="utf-8"))
            if manifest.get("name") == distribution:
                return str(manifest["version"])
    return None


READY = (
    Ready("pydantic-ai", "pydantic-ai-slim", "pydantic-ai", ("boto3",), light=True),
    Ready("openai-agents", "openai-agents", "openai-agents", light=True),
    Ready("langchain", "langchain", "langchain", ("langchain-aws",)),
    Ready("google-genai", "google-genai", "google-genai", light=True),
    Ready("google-adk", "google-adk", "google-adk"),
    Ready("agno", "agno", "agno", ("aioboto3",)),
    Ready("strands", "strands-agents", requirements=("strands-agents[openai,anthropic,gemini,ollama]",)),
    Ready("smolagents", "smolagents", requirements=("smolagents[openai]",)),
    Ready(
        "haystack",
        "haystack-ai",
        requirements=("haystack-ai", "anthropic-haystack", "ollama-haystack", "amazon-bedrock-haystack"),
    ),
    Ready(
        "llama-index",
        "llama-index-core",
        requirements=(
            "llama-index-core",
            "llama-index-llms-openai-like",
            "llama-index-llms-anthropic",
            "llama-index-llms-google-genai",
            "llama-index-llms-bedrock-converse",
            "aioboto3",
            "anthropic<1",  # its messages for Anthropic break with a newer one
            "pydantic<2.14",  # its memory cannot be written with a newer one
        ),
    ),
    Ready("litellm", "litellm", requirements=("litellm", "mcp", "boto3")),
    Ready("crewai", "crewai", requirements=("crewai[anthropic,bedrock,google-genai]",)),
    Ready(
        "agent-framework",
        "agent-framework-core",
        requirements=(
            "agent-framework-core",
            "agent-framework-openai",
            "agent-framework-anthropic",
            "agent-framework-gemini",
            "agent-framework-ollama",
        ),
    ),
    Ready("chatlas", "chatlas", requirements=("chatlas",), part="core"),
    Ready("llm", "llm", requirements=("llm",), part="core"),
    Ready("inspect-ai", "inspect-ai", requirements=("inspect-ai", "openai"), part="core"),
    Ready("mirascope", "mirascope", requirements=("mirascope[openai]",), part="core"),
    Ready(
        "semantic-kernel", "semantic-kernel", requirements=("semantic-kernel", "httpx"), part="core"
    ),  # it imports httpx, and does not need it
    Ready("agentscope", "agentscope", requirements=("agentscope",), part="core"),
    Ready(
        "camel-ai",
        "camel-ai",
        requirements=("camel-ai>=0.2.90", "mcp<2"),  # it imports what a newer mcp has under another name
        part="core",
    ),
    Ready("magentic", "magentic", requirements=("magentic[openai]",), part="core"),
    Ready("genai-processors", "genai-processors", requirements=("genai-processors",), part="core"),
    Ready(
        "vercel-ai",
        "ai",
        npm=("ai", "@ai-sdk/openai", "@ai-sdk/anthropic", "@ai-sdk/google", "@ai-sdk/amazon-bedrock"),
    ),
    Ready("openai-agents-js", "@openai/agents", npm=("@openai/agents", "openai")),
    Ready(
        "langgraph-js",
        "@langchain/langgraph",
        npm=(
            "@langchain/langgraph",
            "@langchain/core",
            "@langchain/openai",
            "@langchain/anthropic",
            "@langchain/google-genai",
            "@langchain/ollama",
        ),
    ),
    Ready("mastra", "@mastra/core", npm=("@mastra/core", "@ai-sdk/openai", "@ai-sdk/anthropic", "@ai-sdk/google")),
    Ready("codex", "@openai/codex", "mcp", program="codex", npm=("@openai/codex",)),
    Ready("continue-cli", "@continuedev/cli", "mcp", program="cn", npm=("@continuedev/cli",), part="core"),
    Ready("gemini-cli", "@google/gemini-cli", "acp", program="gemini", npm=("@google/gemini-cli",), part="sample"),
    Ready(
        "pi",
        "@earendil-works/pi-coding-agent",
        "mcp",
        program="pi",
        npm=("@earendil-works/pi-coding-agent@0.87.1",),  # 0.99.1 and later need a package that npm does not have
        part="sample",
    ),
    Ready(
        "qwen-code",
        "@qwen-code/qwen-code",
        "acp",
        program="qwen",
        npm=("@qwen-code/qwen-code",),
        agent="acp:qwen --acp",
        part="sample",
    ),
    Ready(
        "opencode",
        "opencode-ai",
        "acp",
        program="opencode",
        npm=("opencode-ai",),
        agent="acp:opencode acp",
        part="sample",
    ),
    Ready(
        "kilo",
        "@kilocode/cli",
        "acp",
        program="kilo",
        npm=("@kilocode/cli@7.7.7",),  # npm has no binary of 7.8.1, which installs itself with an error
        agent="acp:kilo acp",
        part="core",
    ),
    Ready("cline", "cline", "acp", program="cline", npm=("cline",), agent="acp:cline --acp", part="core"),
    Ready(
        "claude-code",
        "@agentclientprotocol/claude-agent-acp",
        "acp",
        program="claude-agent-acp",
        npm=("@agentclientprotocol/claude-agent-acp",),
        agent="acp:claude-agent-acp",
        part="smoke",
    ),
    Ready(
        "codex-acp",
        "@agentclientprotocol/codex-acp",
        "acp",
        program="codex-acp",
        npm=("@agentclientprotocol/codex-acp",),
        agent="acp:codex-acp",
        part="smoke",
    ),
    Ready(
        "copilot",
        "@github/copilot",
        "acp",
        program="copilot",
        npm=("@github/copilot",),
        agent="acp:copilot --acp",
        part="core",
    ),
    Ready("nanobot", "nanobot-ai", "mcp", program="nanobot", tool=("nanobot-ai",), part="core"),
    Ready(
        "openhands",
        "openhands",
        "acp",
        program="openhands",
        tool=("openhands", "--python", "3.12"),
        agent="acp:openhands acp",
        part="smoke",
    ),
)

BY_NAME: Mapping[str, Ready] = {ready.name: ready for ready in READY}
OUTDATED = Path(__file__).with_name("outdated_rows.json")
"""Of each adapter whose row on the leaderboard no longer holds: the release that does otherwise, when that was seen,
and what it does. `tools leaderboard --holds` writes it.
"""


def outdated(name: str) -> str:
    """That the row of this ready-made adapter no longer holds; "" where it does, and for any other agent."""
    found = json.loads(OUTDATED.read_text(encoding="utf-8")).get(name)
    if found is None:
        return ""
    release = f"its newest release {found['version']}".rstrip()
    return (
        f"the leaderboard's row of {name} no longer holds: on {found['date']}, {release} did otherwise: {found['why']}"
    )
