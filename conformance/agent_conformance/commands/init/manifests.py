"""What a project declares: the packages it depends on, its name, its lowest Python. Knows file formats and no agent."""

import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_REQUIREMENT = re.compile(r"\s*([A-Za-z0-9][\w.-]*)")
_EXTRAS = re.compile(r"^[^#;]*?\[([^\]]*)\]")
_LOWEST = re.compile(r"(?:>=|~=|==|\^)\s*3\.(\d+)")


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
