"""The kinds of agents that an adapter can be written for: the template of each, and what fills it in."""

import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

TEMPLATES = Path(__file__).parent / "templates"


@dataclass(frozen=True, slots=True)
class Kind:
    """`packages` are installed with pip before the adapter can run, `module` is what tells that they are."""

    name: str
    file: str
    packages: tuple[str, ...] = ()
    module: str = ""
    command: str = ""

    def spec(self, adapter: Path) -> str:
        """What `--agent` takes for an adapter at this path."""
        if self.command:
            return f"cmd:{self.command} {shlex.quote(adapter.as_posix())}"
        return f"{'.'.join(adapter.with_suffix('').parts)}:Adapter"


PYTHON, SCRIPT, NODE = "agent_adapter.py", "agent_command.py", "agent_adapter.mjs"
KINDS = {
    kind.name: kind
    for kind in (
        Kind("openai", PYTHON, ("openai",), "openai"),
        Kind("anthropic", PYTHON, ("anthropic",), "anthropic"),
        Kind("google-genai", PYTHON, ("google-genai",), "google.genai"),
        Kind("boto3", PYTHON, ("boto3",), "boto3"),
        Kind("strands", PYTHON, ("strands-agents",), "strands"),
        Kind("langchain", PYTHON, ("pytest-agent-conformance[langchain]",), "langchain"),
        Kind("pydantic-ai", PYTHON, ("pytest-agent-conformance[pydantic-ai]",), "pydantic_ai"),
        Kind("http", PYTHON),
        Kind("node", NODE, command="node"),
        Kind("cmd", SCRIPT, command="python3"),
    )
}
"""By name, in the order in which `--for` lists them."""

WRITTEN = frozenset({PYTHON, SCRIPT, NODE})

_LANGCHAIN = {
    "openai": {"provider": "openai", "errors_module": "openai", "errors": "OpenAIError"},
    "anthropic": {"provider": "anthropic", "errors_module": "anthropic", "errors": "AnthropicError"},
    "google": {"provider": "google_genai", "errors_module": "google.genai.errors", "errors": "APIError"},
}
_PYDANTIC_AI = {
    "openai": {"provider": "openai", "model_class": "OpenAIChatModel", "provider_class": "OpenAIProvider"},
    "anthropic": {"provider": "anthropic", "model_class": "AnthropicModel", "provider_class": "AnthropicProvider"},
    "google": {"provider": "google", "model_class": "GoogleModel", "provider_class": "GoogleProvider"},
}
_WIRES = {"openai": "openai-chat", "anthropic": "anthropic-messages", "google": "gemini-generate"}


@dataclass(frozen=True, slots=True)
class About:
    """What a template says of a project: its package, whose models a framework's agent uses, the file Node runs."""

    package: str
    provider: str
    entry: str


def adapter_text(kind: Kind, about: About) -> str:
    """The adapter of this kind for a project."""
    values = {"package": about.package, "entry": about.entry, "wire": _WIRES[about.provider]}
    values |= {"langchain": _LANGCHAIN, "pydantic-ai": _PYDANTIC_AI}.get(kind.name, {}).get(about.provider, {})
    return filled(f"{kind.name}{Path(kind.file).suffix}", values)


def filled(name: str, values: Mapping[str, str]) -> str:
    """The text of a template, each `{{name}}` replaced."""
    text = (TEMPLATES / f"{name}.template").read_text(encoding="utf-8")
    for key, value in values.items():
        text = text.replace("{{" + key + "}}", value)
    return text
