"""Where the reference agent does something: found by name in its source, so that lines are those of today.

Reads the source as text: the reference agent is not imported.
"""

import ast
from functools import cache
from pathlib import Path

from agent_conformance.explain.explanation import Place

PACKAGE = "agent_conformance.agents.reference"
ROOT = Path(__file__).parent.parent.parent


@cache
def place_of(symbol: str) -> Place:
    """The place of `module:name` or `module:Class.method` in the reference agent. Raises `LookupError`."""
    module, _, name = symbol.partition(":")
    path = ROOT.joinpath(*PACKAGE.split("."), *module.split(".")).with_suffix(".py")
    try:
        text, tree = _parsed(path)
    except OSError:
        raise LookupError(f"{symbol}: the reference agent has no module {module}") from None
    body = tree.body
    node = None
    for part in name.split("."):
        node = next((statement for statement in body if _defines(statement, part)), None)
        body = node.body if isinstance(node, ast.ClassDef) else []
    if node is None or node.end_lineno is None:
        raise LookupError(f"{symbol}: {path.name} of the reference agent defines no {name}")
    decorators = node.decorator_list if isinstance(node, ast.ClassDef | ast.FunctionDef) else []
    first = min([node.lineno, *(decorator.lineno for decorator in decorators)])
    code = "\n".join(text.splitlines()[first - 1 : node.end_lineno])
    return Place(symbol, path.relative_to(ROOT).as_posix(), first, node.end_lineno, _first_sentence(node), code)


@cache
def _parsed(path: Path) -> tuple[str, ast.Module]:
    """Once for all the places in a module."""
    text = path.read_text(encoding="utf-8")
    return text, ast.parse(text)


def _defines(statement: ast.stmt, name: str) -> bool:
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return statement.name == name
    targets = [statement.target] if isinstance(statement, ast.AnnAssign) else getattr(statement, "targets", [])
    return any(isinstance(target, ast.Name) and target.id == name for target in targets)


def _first_sentence(node: ast.stmt) -> str:
    if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return ""
    return " ".join((ast.get_docstring(node) or "").split("\n\n")[0].split())
