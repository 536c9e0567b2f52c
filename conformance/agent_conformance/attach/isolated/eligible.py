"""Which agents `--agent-isolate` starts in a process of their own: those in Python. All others have one anyway."""

import ast
import sys
from collections.abc import Iterable
from pathlib import Path

from agent_conformance.adapter.contract import DeclaredAgent
from agent_conformance.attach.loading import AgentNotFound, install_hint, load_agent, python_spec


def load_isolated_agent(
    spec: str, *, cwd: Path, root: Path | None = None, within: float | None = None
) -> DeclaredAgent:
    """As `load_agent`, with the adapter in a process of its own, imported `within` seconds. Raises `AgentNotFound`."""
    if python_spec(spec) is None:
        return load_agent(spec, cwd=cwd, root=root)
    # Imported here: `declares_isolation` is asked by every run.
    from agent_conformance.attach.isolated.adapter import isolated_agent
    from agent_conformance.attach.isolated.processes import IMPORTING, AgentLocation, CannotStart

    try:
        return isolated_agent(AgentLocation(spec, cwd, root or cwd, IMPORTING if within is None else within))
    except CannotStart as error:
        raise AgentNotFound(f"{error}{install_hint(spec)}") from None


DECLARED = "isolated"


def declares_isolation(spec: str, folders: Iterable[Path]) -> bool:
    """Whether the body of the adapter's class has `isolated = True`."""
    module, _, attribute = (python_spec(spec) or "").rpartition(":")
    if not module:
        return False
    source = _source_of(module, [*folders, *map(Path, sys.path)])
    try:
        body = [] if source is None else ast.parse(source.read_bytes()).body
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):  # its import says what is wrong
        return False
    return any(_says_so(node) for node in body if isinstance(node, ast.ClassDef) and node.name == attribute)


def _source_of(module: str, folders: list[Path]) -> Path | None:
    name = module if module.endswith(".py") else module.replace(".", "/") + ".py"
    names = (name, name.removesuffix(".py") + "/__init__.py")
    return next((folder / one for folder in folders for one in names if (folder / one).is_file()), None)


def _says_so(adapter: ast.ClassDef) -> bool:
    for node in adapter.body:
        value = getattr(node, "value", None)
        if not isinstance(node, ast.Assign | ast.AnnAssign) or not isinstance(value, ast.Constant):
            continue
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        if value.value is True and any(isinstance(one, ast.Name) and one.id == DECLARED for one in targets):
            return True
    return False
