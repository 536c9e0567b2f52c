"""The kinds of agents that an adapter can be written for: the template of each, and what fills it in."""

import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from agent_conformance.attach.ready_made import BY_NAME
from agent_conformance.machine.installation import requirements_of

TEMPLATES = Path(__file__).parent / "templates"


@dataclass(frozen=True, slots=True)
class Kind:
    """`packages` are installed with pip before the adapter can run, `module` is what tells that they are."""

    name: str
    file: str
    packages: tuple[str, ...] = ()
    module: str = ""
    command: str = ""
    has_loop: bool = True
    """Whether a loop in the adapter stands in for the agent; a framework has its own."""

    def spec(self, adapter: Path) -> str:
        """What `--agent` takes for an adapter at this path."""
        if self.command:
            return f"cmd:{self.command} {shlex.quote(adapter.as_posix())}"
        return f"{'.'.join(adapter.with_suffix('').parts)}:Adapter"


READY_MADE = {
    "openai-agents": "agents",
    "google-adk": "google.adk",
    "agno": "agno",
    "smolagents": "smolagents",
    "haystack": "haystack",
    "llama-index": "llama_index",
    "litellm": "litellm",
    "crewai": "crewai",
    "agent-framework": "agent_framework",
}
"""Frameworks for which the ready-made adapter is taken as it is, and the module of each."""

PYTHON, SCRIPT, NODE = "agent_adapter.py", "agent_command.py", "agent_adapter.mjs"
KINDS = {
    kind.name: kind
    for kind in (
        Kind("openai", PYTHON, ("openai",), "openai"),
        Kind("anthropic", PYTHON, ("anthropic",), "anthropic"),
        Kind("google-genai", PYTHON, ("google-genai",), "google.genai"),
        Kind("boto3", PYTHON, ("boto3",), "boto3"),
        Kind("strands", PYTHON, ("strands-agents",), "strands", has_loop=False),
        Kind("langchain", PYTHON, requirements_of("langchain"), "langchain", has_loop=False),
        Kind("pydantic-ai", PYTHON, requirements_of("pydantic-ai"), "pydantic_ai", has_loop=False),
        Kind("http", PYTHON),
        Kind("node", NODE, command="node"),
        Kind("cmd", SCRIPT, command="python3"),
        *(Kind(name, PYTHON, BY_NAME[name].packages, module, has_loop=False) for name, module in READY_MADE.items()),
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


_PLAIN = {
    "openai": """\
        completion = self.client.chat.completions.create(
            model=self.model, messages=self.messages, **options
        )
        return completion.choices[0].message
""",
    "anthropic": """\
        message = self.client.messages.create(
            model=self.model, max_tokens=4096, messages=self.messages, **options
        )
        return list(message.content)
""",
}
"""How the loop asks, by kind; and how where the agent streams only."""
_STREAMED = {
    "openai": """\
        state = ChatCompletionStreamState()
        for chunk in self.client.chat.completions.create(
            model=self.model, messages=self.messages, stream=True, **options
        ):
            state.handle_chunk(chunk)
        return state.get_final_completion().choices[0].message
""",
    "anthropic": """\
        with self.client.messages.stream(
            model=self.model, max_tokens=4096, messages=self.messages, **options
        ) as stream:
            return list(stream.get_final_message().content)
""",
}
_STATE = "from openai.lib.streaming.chat import ChatCompletionStreamState\n"
_MODES = '    modes = ("stream",)  # all requests that were found in the project are for streams\n'

_FIXED = (
    ', "fixed-tools"',
    """\
    # Take "fixed-tools" out if it gets tools from MCP servers or plugins too.
""",
)


@dataclass(frozen=True, slots=True)
class About:
    """What a template says of a project: its package, whose models a framework's agent uses, the file Node runs,
    whether all its requests are for streams, and whether it takes tools of MCP servers.
    """

    package: str
    provider: str
    entry: str
    only_streams: bool = False
    foreign_tools: bool = False


def adapter_text(kind: Kind, about: About) -> str:
    """The adapter of this kind for a project."""
    if kind.name in READY_MADE:
        return filled("ready.py", {"name": kind.name, "module": kind.name.replace("-", "_")})
    values = {"package": about.package, "entry": about.entry, "wire": _WIRES[about.provider]}
    values |= {
        "fixed": "" if about.foreign_tools else _FIXED[0],
        "fixed_note": "" if about.foreign_tools else _FIXED[1],
    }
    if kind.name in _STREAMED:
        values |= {"modes": _MODES if about.only_streams else ""}
        values |= {"ask": (_STREAMED if about.only_streams else _PLAIN)[kind.name]}
        values |= {"imports": _STATE if about.only_streams else ""}
    values |= {"langchain": _LANGCHAIN, "pydantic-ai": _PYDANTIC_AI}.get(kind.name, {}).get(about.provider, {})
    return filled(f"{kind.name}{Path(kind.file).suffix}", values)


def filled(name: str, values: Mapping[str, str]) -> str:
    """The text of a template, each `{{name}}` replaced."""
    text = (TEMPLATES / f"{name}.template").read_text(encoding="utf-8")
    for key, value in values.items():
        text = text.replace("{{" + key + "}}", value)
    return text
