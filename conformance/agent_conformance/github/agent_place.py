"""Where in the repository an agent is, to point at it: files are parsed, and nothing is imported. Knows no results."""

import ast
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from agent_conformance.adapter.contract import CodePlace

_SOURCES = ("", "src")
MOST_BYTES = 4 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class FilePlace:
    """A file by its path in the repository, with `/`, and a line. Empty where there is none."""

    file: str = ""
    line: int = 0


def place_in_repository(origin: CodePlace | None, *, start: Path, workspace: Path) -> FilePlace:
    """The line of the agent's code, as a run in the folder `start` names it. Nothing for a file that is not in the
    repository.
    """
    file = _within(start / origin.in_agent.file, workspace) if origin is not None else ""
    return FilePlace(file, origin.in_agent.line) if origin is not None and file else FilePlace()


def places_in_repository(agent: str, *, start: Path, workspace: Path) -> Callable[[CodePlace | None], tuple[str, int]]:
    """For a crash its file and line in the repository, for anything else those of the agent."""
    default = place_of_agent(agent, start=start, workspace=workspace)

    def place_of(origin: CodePlace | None) -> tuple[str, int]:
        place = place_in_repository(origin, start=start, workspace=workspace)
        return (place.file, place.line) if place.file else (default.file, default.line)

    return place_of


def place_of_agent(agent: str, *, start: Path, workspace: Path) -> FilePlace:
    """Where `module:Adapter` or `path/to/file.py:Adapter` is defined; nothing for a command or a ready-made agent."""
    module, _, name = agent.rpartition(":")
    if not module or module.split(":")[0] in ("cmd", "acp"):
        return FilePlace()
    for path in _candidates(module):
        file = _within(start / path, workspace)
        if file:
            return FilePlace(file, _line_of(start / path, name))
    return FilePlace()


def _candidates(module: str) -> list[Path]:
    if module.endswith(".py"):
        return [Path(module)]
    path = Path(*module.split("."))
    return [Path(source) / file for source in _SOURCES for file in (path.with_suffix(".py"), path / "__init__.py")]


def _within(path: Path, workspace: Path) -> str:
    """The path from the workspace, if that has such a file."""
    try:
        real = path.resolve()
        return real.relative_to(workspace.resolve()).as_posix() if real.is_file() else ""
    except (OSError, ValueError):
        return ""


def _line_of(path: Path, name: str) -> int:
    """The line where the module defines this name, else the first."""
    try:
        tree = ast.parse(path.read_bytes()[:MOST_BYTES])
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return 1
    for node in tree.body:
        names = [getattr(node, "name", "")]
        if isinstance(node, ast.Assign):
            names = [target.id for target in node.targets if isinstance(target, ast.Name)]
        if name in names:
            return node.lineno
    return 1
