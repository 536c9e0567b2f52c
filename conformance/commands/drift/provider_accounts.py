"""The addresses of the real providers, and the environment variables with their keys. Knows no rule; sends nothing."""

import re
from collections.abc import Mapping
from dataclasses import dataclass


class CannotConnect(Exception):
    """There is no key or no address, or the provider refuses the key."""


@dataclass(frozen=True, slots=True)
class ProviderAddress:
    """`key` and `address` are environment variables: of the key, None where none is needed, and of a base URL."""

    base_url: str = ""
    key: str | None = None
    address: str = ""


ADDRESSES = {
    "openai": ProviderAddress("https://api.openai.com", "OPENAI_API_KEY"),
    "azure": ProviderAddress(key="AZURE_OPENAI_API_KEY", address="AZURE_OPENAI_ENDPOINT"),
    "anthropic": ProviderAddress("https://api.anthropic.com", "ANTHROPIC_API_KEY"),
    "gemini": ProviderAddress("https://generativelanguage.googleapis.com", "GEMINI_API_KEY"),
    "vertex": ProviderAddress("https://aiplatform.googleapis.com", "GOOGLE_OAUTH_ACCESS_TOKEN"),
    "mistral": ProviderAddress("https://api.mistral.ai", "MISTRAL_API_KEY"),
    "deepseek": ProviderAddress("https://api.deepseek.com", "DEEPSEEK_API_KEY"),
    "groq": ProviderAddress("https://api.groq.com/openai", "GROQ_API_KEY"),
    "openrouter": ProviderAddress("https://openrouter.ai/api", "OPENROUTER_API_KEY"),
    "xai": ProviderAddress("https://api.x.ai", "XAI_API_KEY"),
    "ollama": ProviderAddress("http://127.0.0.1:11434", address="OLLAMA_HOST"),
    "vllm": ProviderAddress("http://127.0.0.1:8000"),
    "llama.cpp": ProviderAddress("http://127.0.0.1:8080"),
}

PROJECT, LOCATION = "GOOGLE_CLOUD_PROJECT", "GOOGLE_CLOUD_LOCATION"


@dataclass(frozen=True, slots=True)
class Account:
    """A user's access to one provider. `base_url` has no slash at its end; `project` and `location` are Vertex AI's."""

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
    """Raises `CannotConnect`, which says what to set."""
    known = ADDRESSES.get(provider)
    if known is None:
        raise CannotConnect(f"no provider `{provider}`; there are {', '.join(ADDRESSES)}")
    key = environment.get(known.key, "") if known.key else ""
    if known.key and not key:
        raise CannotConnect(f"set {known.key}: the requests go to the real {provider}")
    project = environment.get(PROJECT, "") if provider == "vertex" else ""
    if provider == "vertex" and not project:
        raise CannotConnect(f"set {PROJECT} (and {LOCATION} if it is not global): the requests go to the real vertex")
    location = environment.get(LOCATION) or "global"
    address = base_url or environment.get(known.address, "") or known.base_url
    if provider == "vertex" and not base_url and location != "global":
        address = f"https://{location}-aiplatform.googleapis.com"
    if not address:
        raise CannotConnect(f"set {known.address}, or give --base-url")
    if "://" not in address:
        address = f"http://{address}"
    return Account(provider, address.rstrip("/"), key, project, location)
