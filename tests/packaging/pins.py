"""What pyproject.toml declares and what constraints/ pins, as data. Reads files, installs nothing."""

import tomllib
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

ROOT = Path(__file__).parents[2]
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
EXTRAS: dict[str, list[str]] = PROJECT["project"]["optional-dependencies"]
FRAMEWORKS = ("pydantic-ai", "openai-agents", "langchain", "google-genai", "google-adk", "agno")
FILES = {
    "dev.txt": ("dev", "docs", "mcp", "acp", "respx", "snapshot", "fuzz"),
    "frameworks.txt": (*FRAMEWORKS, "acp"),
    "peers.txt": ("peers",),
    "lowest.txt": ("respx", "snapshot"),
    "lowest-dev.txt": ("dev", "docs", "mcp", "acp"),
}
"""The files of constraints/, and the extras that each pins beside what the project and its building need."""


def declared(*extras: str) -> list[Requirement]:
    """What the project needs, what builds it, and what the extras add."""
    always = [*PROJECT["build-system"]["requires"], *PROJECT["project"]["dependencies"]]
    return [Requirement(one) for one in (*always, *(one for extra in extras for one in EXTRAS[extra]))]


def pins(file: str) -> list[Requirement]:
    lines = (ROOT / "constraints" / file).read_text(encoding="utf-8").splitlines()
    return [Requirement(line) for line in lines if line and not line.lstrip().startswith("#")]


def versions(file: str, name: str) -> list[Version]:
    """The versions in which a package is pinned: one, or one for each kind of machine."""
    return [
        Version(one.version)
        for pin in pins(file)
        if canonicalize_name(pin.name) == canonicalize_name(name)
        for one in pin.specifier
    ]


def lowest(requirement: Requirement) -> Version | None:
    """The lowest version that the range allows, where it names one."""
    return next((Version(one.version) for one in requirement.specifier if one.operator == ">="), None)
