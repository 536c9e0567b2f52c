"""What a project declares: the packages it depends on, its name, its lowest Python."""

import json
import os
import re
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agent_conformance.commands.init.kinds import READY_MADE

_REQUIREMENT = re.compile(r"\s*([A-Za-z0-9][\w.-]*)")
_EXTRAS = re.compile(r"^[^#;]*?\[([^\]]*)\]")
_LOWEST = re.compile(r"(?:>=|~=|==|\^)\s*3\.(\d+)")
"""Of `>=3.11`, `~=3.12` and `^3.10`, as tools write the lowest Python."""


class BrokenManifest(Exception):
    """A file of the project that cannot be read, in one line that says where and why."""


@dataclass(frozen=True, slots=True)
class Manifests:
    """`declared` and `locked` name the file that has each Python package; an extra stands as `package[extra]`."""

    declared: Mapping[str, str]
    locked: Mapping[str, str]
    pyproject: Mapping[str, Any]
    package_json: Mapping[str, Any] | None

    @property
    def name(self) -> str:
        """The project's name in its words, or nothing."""
        return str(_at(self.pyproject, "project", "name") or _at(self.pyproject, "tool", "poetry", "name") or "")

    @property
    def lowest_python(self) -> int:
        """The minor version of the lowest Python 3 that the project takes, or 0."""
        poetry = _at(self.pyproject, "tool", "poetry", "dependencies", "python")
        found = _LOWEST.search(str(_at(self.pyproject, "project", "requires-python") or poetry or ""))
        return int(found[1]) if found else 0


def read_manifests(folder: Path) -> Manifests:
    """Raises `BrokenManifest` for a pyproject.toml or package.json that does not parse."""
    pyproject = _read_toml(folder / "pyproject.toml")
    declared = {name: "pyproject.toml" for line in _required(pyproject) for name in names_in(line)}
    for path in sorted([*folder.glob("requirements*.txt"), *folder.glob("requirements/*.txt")]):
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
        where = path.relative_to(folder).as_posix()
        declared |= {name: where for line in lines for name in names_in(line) if name not in declared}
    locked = {name: lock for lock in ("uv.lock", "poetry.lock") for name in _locked(folder / lock)}
    return Manifests(declared, locked, pyproject, _read_package_json(folder / "package.json"))


def names_in(requirement: str) -> Iterator[str]:
    """`Langchain_OpenAI[a,b]>=1` is `langchain-openai`, `langchain-openai[a]` and `langchain-openai[b]`."""
    found = _REQUIREMENT.match(requirement)
    if not found:
        return
    name = re.sub(r"[-_.]+", "-", found[1]).lower()
    yield name
    extras = _EXTRAS.match(requirement)
    for extra in extras[1].split(",") if extras else ():
        yield f"{name}[{extra.strip().lower()}]"


def _required(pyproject: Mapping[str, Any]) -> Iterator[str]:
    """The requirements of a pyproject.toml, wherever they stand."""
    project = _at(pyproject, "project") or {}
    poetry = _at(pyproject, "tool", "poetry") or {}
    groups = [
        project.get("dependencies"),
        *(project.get("optional-dependencies") or {}).values(),
        *(pyproject.get("dependency-groups") or {}).values(),
        _at(pyproject, "tool", "uv", "dev-dependencies"),
    ]
    for group in groups:
        yield from (line for line in group or () if isinstance(line, str))
    tables = [poetry, *(poetry.get("group") or {}).values()]
    for table in tables:
        for name, given in (table.get("dependencies") or {}).items():
            extras = given.get("extras", []) if isinstance(given, dict) else []
            yield f"{name}[{','.join(extras)}]" if extras else name


def _locked(path: Path) -> Iterator[str]:
    for package in _read_toml(path).get("package", ()):
        yield from names_in(str(package.get("name", "")))


def _read_toml(path: Path) -> dict[str, Any]:
    if not path.is_file():
        return {}
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BrokenManifest(f"{path}: is not TOML: {error}. Fix it and run this again.") from None


def _read_package_json(path: Path) -> dict[str, Any] | None:
    if not path.is_file():
        return None
    try:
        read = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise BrokenManifest(f"{path}: is not JSON: {error}. Fix it and run this again.") from None
    return read if isinstance(read, dict) else {}


def _at(table: Any, *names: str) -> Any:
    """The value at this path, or None."""
    for name in names:
        table = table.get(name) if isinstance(table, dict) else None
    return table


_KEYS = ("packages", "py-modules", "py_modules", "package-dir", "package_dir")
# fmt: off
_LEFT_OUT = frozenset({
    "ci", "bin", "debian", "doc", "docs", "documentation", "manpages", "news", "newsfragments", "changelog", "test",
    "tests", "unit_test", "unit_tests", "integration_test", "integration_tests", "example", "examples", "scripts",
    "tools", "util", "utils", "python", "build", "benchmark", "benchmarks", "exercise", "exercises", "htmlcov",
    "tasks", "fabfile", "site_scons", "setup", "conftest", "toxfile", "noxfile", "pavement", "dodo", "conanfile",
    "manage",
})
# fmt: on
"""Folders and modules that setuptools does not take for part of a package."""


def can_be_installed(folder: Path, pyproject: Mapping[str, Any]) -> bool:
    """Whether `pip install .` can work: a name, a version, and one package or module that setuptools finds."""
    poetry = pyproject.get("tool", {}).get("poetry", {})
    project = pyproject.get("project")
    if project is None:
        return bool(poetry.get("package-mode", bool(poetry))) or (folder / "setup.py").is_file()
    has_version = "version" in project or "version" in project.get("dynamic", ()) or "version" in poetry
    if "name" not in project or not has_version:
        return False
    return not setuptools_guesses(folder, pyproject) or (folder / "src").is_dir() or len(_top_level(folder)) <= 1


def setuptools_guesses(folder: Path, pyproject: Mapping[str, Any]) -> bool:
    """Whether setuptools packs all folders that it finds: it does where nobody says what the packages are."""
    system = pyproject.get("build-system") or {}
    if not system and (folder / "uv.lock").is_file():  # uv builds nothing then
        return False
    built = bool(system) or "project" in pyproject or (folder / "setup.py").is_file()
    if not built or not str(system.get("build-backend", "setuptools")).startswith("setuptools"):
        return False
    if any(key in pyproject.get("tool", {}).get("setuptools", {}) for key in _KEYS):
        return False
    said = [folder / name for name in ("setup.py", "setup.cfg")]
    return not any(
        re.search(rf"\b(?:{'|'.join(_KEYS)})\s*=", path.read_text(encoding="utf-8", errors="replace"))
        for path in said
        if path.is_file()
    )


def _top_level(folder: Path) -> list[str]:
    """The folders that setuptools takes for packages; where there is none, the modules."""
    folders = [path.name for path in folder.iterdir() if path.is_dir()]
    modules = [path.stem for path in folder.glob("*.py")]
    for names in (folders, modules):
        found = [name for name in names if name.isidentifier() and not name.startswith("_") and name not in _LEFT_OUT]
        if found:
            return found
    return []


MODULES = {
    "pydantic-ai": r"pydantic_ai",
    "langchain": r"(?:langchain\w*|langgraph)",
    "strands": r"strands",
    **{kind: re.escape(module) for kind, module in READY_MADE.items()},
    "openai": r"openai",
    "anthropic": r"anthropic",
    "google-genai": r"google(?:\.genai|\s+import\s+genai)",
}
"""The modules of each kind, as they stand after `import` or `from`."""

_IMPORTS = {
    kind: re.compile(rf"^[ \t]*(?:import|from)[ \t]+{modules}\b", re.MULTILINE) for kind, modules in MODULES.items()
}
_IMPORTS["boto3"] = re.compile(r"[\"']bedrock-runtime[\"']")
"""Of Amazon's services the one with the models: what imports boto3 mostly uses others."""
_PROVIDERS = re.compile(
    r"langchain_(openai|anthropic|google)"
    r"|pydantic_ai\.(?:models|providers)\.(openai|anthropic|google)"
    r"|[\"'](openai|anthropic|google)[\w-]*:[\w.-]+[\"']"
)
"""The places where code of a framework says whose models it uses; the last is `"openai:gpt-4.1"`."""

_REQUESTS = re.compile(r"\b(?:completions|responses|messages)\.create\(")
_STREAMS = re.compile(r"\bstream\s*=\s*True\b|[\"']stream[\"']\s*:\s*True\b|\bmessages\.stream\(")

_FOREIGN_TOOLS = re.compile(
    r"^[ \t]*(?:import|from)[ \t]+(?:\w+\.)*(?:fast|langchain_)?mcp\w*\b|mcp_?servers", re.IGNORECASE | re.MULTILINE
)
"""What code has that takes tools of MCP servers."""

_NOT_SOURCES = frozenset({"node_modules", "site-packages", "__pycache__", "build", "dist", "tests", "test", "docs"})
_MOST_FILES = 2000


@dataclass(frozen=True, slots=True)
class Imports:
    """The files that import each kind's modules, and how often each provider of models is named."""

    files: Mapping[str, tuple[str, ...]]
    providers: Mapping[str, int]
    only_streams: bool = False
    """Whether each request that is found to a vendor's SDK is for a stream."""
    foreign_tools: bool = False
    """Whether tools of MCP servers are taken too."""


def read_imports(folder: Path, *, leave_out: frozenset[str]) -> Imports:
    """What at most 2,000 files import; tests, environments and the files named in `leave_out` do not count."""
    files: dict[str, list[str]] = {kind: [] for kind in _IMPORTS}
    providers: Counter[str] = Counter()
    requests = streams = foreign = 0
    for number, path in enumerate(_python_files(folder)):
        if number >= _MOST_FILES:
            break
        if path.name in leave_out:
            continue
        text = path.read_text(encoding="utf-8", errors="replace")
        for kind, pattern in _IMPORTS.items():
            if pattern.search(text):
                files[kind].append(path.relative_to(folder).as_posix())
        requests += len(_REQUESTS.findall(text))
        streams += len(_STREAMS.findall(text))
        foreign += bool(_FOREIGN_TOOLS.search(text))
        providers.update(name for found in _PROVIDERS.findall(text) for name in found if name)
    found = {kind: tuple(names) for kind, names in files.items()}
    return Imports(found, providers, 0 < streams >= requests, bool(foreign))


def _python_files(folder: Path) -> Iterator[Path]:
    for here, names, files in os.walk(folder):
        names[:] = sorted(name for name in names if _is_read(Path(here, name)))
        yield from (Path(here, name) for name in sorted(files) if name.endswith(".py"))


def _is_read(folder: Path) -> bool:
    hidden = folder.name.startswith(".") or folder.name in _NOT_SOURCES
    return not hidden and not (folder / "pyvenv.cfg").exists()
