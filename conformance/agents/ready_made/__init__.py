"""Ready-made adapters for well-known frameworks and programs, each with its defaults.

The adapter of a framework needs the extra of its name; that of a program needs the program and the extra `mcp`.

Knows which adapters there are and what they need; imports none of them.
"""

from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version

from conformance.agents.programs import version_of


@dataclass(frozen=True, slots=True)
class Ready:
    """One ready-made adapter: the module in this package, and the distribution whose version is the agent's.

    `program` is the command of an npm package, where the agent is one. `light` ones install together in seconds: the
    project's own CI judges them.
    """

    name: str
    distribution: str
    program: str = ""
    light: bool = False

    @property
    def module(self) -> str:
        return f"conformance.agents.ready_made.{self.name.replace('-', '_')}"

    @property
    def spec(self) -> str:
        """What `--agent` takes."""
        return f"{self.module}:Adapter"

    @property
    def version(self) -> str | None:
        """The version of the installed framework or program; None if it is not installed."""
        if self.program:
            return version_of(self.program)
        try:
            return version(self.distribution)
        except PackageNotFoundError:
            return None

    @property
    def extra(self) -> str:
        """The extra of this project that the adapter needs."""
        return "mcp" if self.program else self.name

    @property
    def install(self) -> str:
        """The commands that install what is missing."""
        package = f"npm install -g {self.distribution}, and " if self.program else ""
        return f"{package}pip install 'agent-conformance[{self.extra}]'"


READY = (
    Ready("pydantic-ai", "pydantic-ai-slim", light=True),
    Ready("openai-agents", "openai-agents", light=True),
    Ready("langchain", "langchain"),
    Ready("google-genai", "google-genai", light=True),
    Ready("google-adk", "google-adk"),
    Ready("agno", "agno"),
    Ready("codex", "@openai/codex", program="codex"),
    Ready("gemini-cli", "@google/gemini-cli", program="gemini"),
)
