"""Ready-made adapters for well-known frameworks, each as it comes. An adapter needs the extra of its name.

Knows which there are and what they need; imports none of them.
"""

from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version


@dataclass(frozen=True, slots=True)
class Ready:
    """One ready-made adapter: the module in this package, and the distribution whose version is the agent's."""

    name: str
    distribution: str

    @property
    def module(self) -> str:
        return f"conformance.adapters.{self.name.replace('-', '_')}"

    @property
    def spec(self) -> str:
        """What `--agent` takes."""
        return f"{self.module}:Adapter"

    @property
    def version(self) -> str | None:
        """Of the installed framework; None where it is not installed."""
        try:
            return version(self.distribution)
        except PackageNotFoundError:
            return None


READY = (
    Ready("pydantic-ai", "pydantic-ai-slim"),
    Ready("openai-agents", "openai-agents"),
    Ready("langchain", "langchain"),
    Ready("google-genai", "google-genai"),
    Ready("google-adk", "google-adk"),
    Ready("agno", "agno"),
)
"""`name` is the extra's as well."""
