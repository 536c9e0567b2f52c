"""Whether an adapter declares that it is to run in a process of its own. Reads its source, and imports nothing: by then
an agent that patches threads would have done so.
"""

import ast
import sys
from collections.abc import Iterable
from pathlib import Path

from agent_conformance.attach.loading import python_spec

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
