"""What the project's own Python imports, by a quick look at its text. Runs nothing of it."""

import os
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

MODULES = {
    "pydantic-ai": r"pydantic_ai",
    "langchain": r"(?:langchain\w*|langgraph)",
    "openai": r"openai",
    "anthropic": r"anthropic",
    "google-genai": r"google(?:\.genai|\s+import\s+genai)",
}
"""The modules of each kind, as they stand after `import` or `from`."""

_IMPORTS = {
    kind: re.compile(rf"^[ \t]*(?:import|from)[ \t]+{modules}\b", re.MULTILINE) for kind, modules in MODULES.items()
}
_PROVIDERS = re.compile(
    r"langchain_(openai|anthropic|google)"
    r"|pydantic_ai\.(?:models|providers)\.(openai|anthropic|google)"
    r"|[\"'](openai|anthropic|google)[\w-]*:[\w.-]+[\"']"
)
"""The places where code of a framework says whose models it uses; the last is `"openai:gpt-4.1"`."""

_LEFT_OUT = frozenset({"node_modules", "site-packages", "__pycache__", "build", "dist", "tests", "test", "docs"})
_MOST_FILES = 2000


@dataclass(frozen=True, slots=True)
class Imports:
    """The files that import each kind's modules, and how often each provider of models is named."""

    files: Mapping[str, tuple[str, ...]]
    providers: Mapping[str, int]


def read_imports(folder: Path, *, leave_out: frozenset[str]) -> Imports:
    """Of at most 2,000 files; tests, environments and the files named in `leave_out` do not count."""
    files: dict[str, list[str]] = {kind: [] for kind in MODULES}
    providers: Counter[str] = Counter()
    for number, path in enumerate(_python_files(folder)):
        if number >= _MOST_FILES:
            break
        if path.name in leave_out:
            continue
        text = path.read_text(encoding="utf-8", errors="replace")
        for kind, pattern in _IMPORTS.items():
            if pattern.search(text):
                files[kind].append(path.relative_to(folder).as_posix())
        providers.update(name for found in _PROVIDERS.findall(text) for name in found if name)
    return Imports({kind: tuple(found) for kind, found in files.items()}, providers)


def _python_files(folder: Path) -> Iterator[Path]:
    for here, names, files in os.walk(folder):
        names[:] = sorted(name for name in names if _is_read(Path(here, name)))
        yield from (Path(here, name) for name in sorted(files) if name.endswith(".py"))


def _is_read(folder: Path) -> bool:
    hidden = folder.name.startswith(".") or folder.name in _LEFT_OUT
    return not hidden and not (folder / "pyvenv.cfg").exists()
