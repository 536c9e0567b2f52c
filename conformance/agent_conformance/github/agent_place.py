"""Where in the repository an agent is, to point at it: files are parsed, and nothing is imported. Knows no results."""

import ast
import re
from dataclasses import dataclass
from pathlib import Path

_PLACE = re.compile(r"(.+?):(\d+)(?:\D.*)?", re.DOTALL)
_SOURCES = ("", "src")
MOST_BYTES = 4 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class FilePlace:
    """A file by its path in the repository, with `/`, and a line. Empty where there is none."""

    file: str = ""
    line: int = 0


def place_of_line(place: str, *, start: Path, workspace: Path) -> FilePlace:
    """`src/agent.py:45` as a run in the folder `start` names it. Nothing for a file that is not in the repository."""
    found = _PLACE.fullmatch(place)
    if found is None:
        return FilePlace()
    file = _within(start / found[1], workspace)
    return FilePlace(file, int(found[2])) if file else FilePlace()


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
