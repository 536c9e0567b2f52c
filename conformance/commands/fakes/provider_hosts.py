"""Where the real providers are and which environment variables their keys are in. Knows no rule and asks nobody."""

import re
from collections.abc import Mapping
from dataclasses import dataclass


class CannotAsk(Exception):
    """There is no key, no address, or the provider does not take the key."""


@dataclass(frozen=True, slots=True)
class Known:
    """`key` None asks for none, as servers of one's own do; `address` is the variable of a base URL one has."""

    base_url: str = ""
    key: str | None = None
    address: str = ""


KNOWN = {
    "openai": Known("https://api.openai.com", "OPENAI_API_KEY"),
    "azure": Known(key="AZURE_OPENAI_API_KEY", address="AZURE_OPENAI_ENDPOINT"),
    "anthropic": Known("https://api.anthropic.com", "ANTHROPIC_API_KEY"),
    "gemini": Known("https://generativelanguage.googleapis.com", "GEMINI_API_KEY"),
    "vertex": Known("https://aiplatform.googleapis.com", "GOOGLE_OAUTH_ACCESS_TOKEN"),
    "mistral": Known("https://api.mistral.ai", "MISTRAL_API_KEY"),
    "deepseek": Known("https://api.deepseek.com", "DEEPSEEK_API_KEY"),
    "groq": Known("https://api.groq.com/openai", "GROQ_API_KEY"),
    "openrouter": Known("https://openrouter.ai/api", "OPENROUTER_API_KEY"),
    "xai": Known("https://api.x.ai", "XAI_API_KEY"),
    "ollama": Known("http://127.0.0.1:11434", address="OLLAMA_HOST"),
    "vllm": Known("http://127.0.0.1:8000"),
    "llama.cpp": Known("http://127.0.0.1:8080"),
}

PROJECT, LOCATION = "GOOGLE_CLOUD_PROJECT", "GOOGLE_CLOUD_LOCATION"


@dataclass(frozen=True, slots=True)
class Account:
    """One provider as one user asks it. `base_url` ends without a slash; `project` and `location` are Vertex AI's."""

    provider: str
    base_url: str
    key: str = ""
    project: str = ""
    location: str = "global"

    def headers(self, wire: str) -> Mapping[str, str]:
        if not self.key:
            return {}
        if self.provider == "azure":
            return {"api-key": self.key}
        if wire == "anthropic-messages":
            return {"x-api-key": self.key, "anthropic-version": "2023-06-01"}
        if wire == "gemini-generate" and self.provider == "gemini":
            return {"x-goog-api-key": self.key}
        return {"authorization": f"Bearer {self.key}"}

    def located(self, path: str) -> str:
        """The path of a rule, below this user's project."""
        own = f"projects/{self.project}/locations/{self.location}"
        return re.sub(r"projects/[^/]+/locations/[^/]+", lambda _: own, path) if self.project else path


def account_of(provider: str, environment: Mapping[str, str], *, base_url: str | None) -> Account:
    """Raises `CannotAsk` with what is to be set."""
    known = KNOWN.get(provider)
    if known is None:
        raise CannotAsk(f"no provider `{provider}`; known are {', '.join(KNOWN)}")
    key = environment.get(known.key, "") if known.key else ""
    if known.key and not key:
        raise CannotAsk(f"set {known.key}: the requests go to the real {provider}")
    project = environment.get(PROJECT, "") if provider == "vertex" else ""
    if provider == "vertex" and not project:
        raise CannotAsk(f"set {PROJECT} (and {LOCATION}, where it is not global): the requests go to the real vertex")
    location = environment.get(LOCATION) or "global"
    address = base_url or environment.get(known.address, "") or known.base_url
    if provider == "vertex" and not base_url and location != "global":
        address = f"https://{location}-aiplatform.googleapis.com"
    if not address:
        raise CannotAsk(f"set {known.address}, or give --base-url")
    if "://" not in address:
        address = f"http://{address}"
    return Account(provider, address.rstrip("/"), key, project, location)
