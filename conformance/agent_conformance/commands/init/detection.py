"""Which kind of agent a project has, and what says so. Knows names of packages and files; writes nothing."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from agent_conformance.commands.init.manifests import Manifests
from agent_conformance.commands.init.sources import Imports

FRAMEWORKS = ("pydantic-ai", "langchain")
VENDORS = ("openai", "anthropic", "google-genai")

PROVIDERS = ("openai", "anthropic", "google")
"""Whose models the agent of a framework may use."""

_PACKAGES = {
    "pydantic-ai": ("pydantic-ai", "pydantic-ai-slim"),
    "langchain": ("langchain", "langgraph", "langchain-core"),
    "openai": ("openai",),
    "anthropic": ("anthropic",),
    "google-genai": ("google-genai",),
}
_SERVICES = ("fastapi", "flask", "django", "starlette", "litestar", "aiohttp", "quart", "sanic", "tornado", "falcon")
_OTHER_LANGUAGES = {
    "go.mod": "Go",
    "Cargo.toml": "Rust",
    "pom.xml": "Java",
    "build.gradle": "Java",
    "build.gradle.kts": "Kotlin",
    "Gemfile": "Ruby",
    "composer.json": "PHP",
    "mix.exs": "Elixir",
    "Package.swift": "Swift",
}


@dataclass(frozen=True, slots=True)
class Detected:
    """A kind, and the reason for it in words."""

    kind: str
    reason: str


def detect_kind(folder: Path, manifests: Manifests, imports: Imports) -> Detected:
    """The best evidence wins: imports, then declared packages, then locked ones, then other files."""
    return (
        _by_imports(imports)
        or _by_packages(manifests.declared)
        or _by_packages(manifests.locked)
        or _by_service(manifests.declared)
        or _by_files(folder, manifests)
        or Detected("openai", "nothing here says which API the agent calls, and this is the most common one")
    )


def detect_provider(manifests: Manifests, imports: Imports) -> str:
    """Whose models a framework's agent uses; OpenAI's where nothing says."""
    named = dict.fromkeys(PROVIDERS, 0) | dict(imports.providers)
    for provider in PROVIDERS:
        beginnings = (f"langchain-{provider}", f"pydantic-ai-slim[{provider}")
        named[provider] += sum(package.startswith(beginnings) for package in manifests.declared)
    return max(PROVIDERS, key=lambda provider: named[provider])


def _by_imports(imports: Imports) -> Detected | None:
    """A framework before the SDK that it brings; of SDKs the one in most files."""
    vendors = sorted(VENDORS, key=lambda kind: -len(imports.files[kind]))
    found = [kind for kind in (*FRAMEWORKS, *vendors) if imports.files[kind]]
    if not found:
        return None
    first, *others = imports.files[found[0]]
    more = f" and {len(others)} more" if others else ""
    besides = f"; there is {' and '.join(found[1:])} too" if found[0] in VENDORS and found[1:] else ""
    return Detected(found[0], f"imported in {first}{more}{besides}")


def _by_packages(packages: Mapping[str, str]) -> Detected | None:
    for kind in (*FRAMEWORKS, *VENDORS):
        for package in _PACKAGES[kind]:
            if package in packages:
                return Detected(kind, f"{packages[package]} has {package}")
    return None


def _by_service(packages: Mapping[str, str]) -> Detected | None:
    for service in _SERVICES:
        if service in packages:
            return Detected("http", f"{packages[service]} has {service}, and nothing that calls a model")
    return None


def _by_files(folder: Path, manifests: Manifests) -> Detected | None:
    if manifests.package_json is not None:
        return Detected("node", "there is a package.json")
    for name, language in _OTHER_LANGUAGES.items():
        if (folder / name).is_file():
            return Detected("cmd", f"{name}: the agent is written in {language}")
    return None
