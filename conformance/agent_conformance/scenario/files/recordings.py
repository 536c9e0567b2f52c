"""Which files are cassettes, by how they begin, and the names that their cases have. Knows no entry of a cassette."""

import re
from functools import lru_cache
from pathlib import Path
from typing import Literal

from agent_conformance.scenario.files.id_patterns import SUFFIXES as YAML

CassetteFormat = Literal["agent-conformance", "aimock", "har", "langchain", "vcr-json", "vcr-yaml"]

LOOKED_AT = 64 * 1024
"""Characters at the beginning of a file that show its format."""
SUFFIXES = (*YAML, ".json", ".jsonl", ".har")
"""Of files that may be cassettes, where a folder is searched for them."""

_JSON: tuple[tuple[CassetteFormat, str], ...] = (
    ("aimock", r'"fixtures"\s*:\s*\['),
    ("vcr-json", r'"(?:http_)?interactions"\s*:\s*\['),
)
_UNSAFE = re.compile(r"[^\w.-]+")
"""Characters that mean something in the id of a case, or in a shell."""


def cassette_format(text: str) -> CassetteFormat | None:
    """What the text of a file is a cassette of; None for any other file."""
    head = text[:LOOKED_AT].lstrip("\ufeff \t\r\n")
    if head.startswith("{"):
        if re.match(r'\{\s*"cassette"\s*:', head):
            return "agent-conformance"
        for name, pattern in _JSON:
            if re.search(pattern, head):
                return name
        is_har = re.search(r'"log"\s*:\s*\{', head) and re.search(r'"(?:entries|creator|version)"\s*:', head)
        return "har" if is_har else None
    if re.search(r"^(?:http_)?interactions\s*:", text, re.MULTILINE):
        return "vcr-yaml"
    if re.search(r"^requests\s*:", text, re.MULTILINE) and re.search(r"^responses\s*:", text, re.MULTILINE):
        return "langchain"
    return None


def is_cassette(path: Path) -> bool:
    """By the name and the beginning. A `.har` file is meant as one, whatever is in it."""
    if path.suffix not in SUFFIXES or path.name.startswith((".", "_")):
        return False
    return path.suffix == ".har" or _begins_as_one(path)


def cassettes_below(folder: Path) -> list[Path]:
    """Those that are no YAML, in order of their paths; hidden files and folders are left out."""
    found = (path for suffix in SUFFIXES if suffix not in YAML for path in folder.rglob(f"*{suffix}"))
    shown = (path for path in found if not any(part.startswith(".") for part in path.relative_to(folder).parts))
    return sorted(filter(is_cassette, shown))


def safe_name(name: str) -> str:
    """The name of a file or folder as a part of an id: `test_add[two]` becomes `test_add-two`."""
    return _UNSAFE.sub("-", name).strip("-") or "cassette"


@lru_cache(maxsize=4096)
def _begins_as_one(path: Path) -> bool:
    try:
        if not path.is_file():
            return False
        with path.open("rb") as file:
            return cassette_format(file.read(LOOKED_AT).decode(errors="replace")) is not None
    except OSError:
        return False
