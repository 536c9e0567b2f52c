"""`python -m tools house`: how large and how finely cut the packages are. Reads the sources; runs nothing."""

import argparse
import ast
import statistics
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGES = ("conformance/agent_conformance", "fakes/fake_providers")
LONGEST_MODULE, LONGEST_FUNCTION = 500, 60

SUMMARY = "print how large and how finely cut the packages are"
DESCRIPTION = """\
Print for each package and for both: modules, lines, modules with one importer, the lengths of functions, and the share
of private functions that are named once besides their definition. Then the modules over 500 lines and the functions
over 60. Exit code 1 if there is one."""
EXAMPLES = """\
examples:
  python -m tools house"""

Function = ast.FunctionDef | ast.AsyncFunctionDef


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """None."""


def run(options: argparse.Namespace) -> int:
    texts = {path: path.read_text(encoding="utf-8") for package in PACKAGES for path in (ROOT / package).rglob("*.py")}
    trees = {path: ast.parse(text) for path, text in texts.items()}
    importers = importers_of(trees)
    print(f"{'':28}modules   lines  one importer  functions  median   p95  private, named once")
    for package in (*PACKAGES, ""):
        inside = [path for path in trees if path.is_relative_to(ROOT / package)]
        lengths = sorted(length for path in inside for _, length in functions_in(trees[path]))
        once = once_named(inside, texts, trees)
        lines = sum(len(texts[path].splitlines()) for path in inside)
        single = sum(importers[path] == 1 for path in inside)
        p95 = lengths[int(len(lengths) * 0.95)]
        figures = (
            f"{len(inside):7}{lines:8}{single:14}{len(lengths):11}{statistics.median(lengths):8g}{p95:6}{once:20.0%}"
        )
        print(f"{package.rpartition('/')[2] or 'both':28}{figures}")
    long = [*long_modules(texts), *long_functions(trees)]
    print("\n".join(long) or "no module over 500 lines, no function over 60")
    return 1 if long else 0


def name_of(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts[1:]).removesuffix(".__init__")


def importers_of(trees: Mapping[Path, ast.Module]) -> Counter[Path]:
    """How many modules import each one, anywhere in them."""
    by_name = {name_of(path): path for path in trees}
    found: Counter[Path] = Counter()
    for path, tree in trees.items():
        wanted: set[str] = set()
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                wanted |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module:
                wanted |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
        found.update({by_name[name] for name in wanted if name in by_name and by_name[name] != path})
    return found


def functions_in(tree: ast.AST) -> Iterator[tuple[Function, int]]:
    """Each function with its lines from `def` to its end."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node, (node.end_lineno or node.lineno) - node.lineno + 1


def once_named(paths: list[Path], texts: Mapping[Path, str], trees: Mapping[Path, ast.Module]) -> float:
    """The share of all functions that are private and named once in their module besides their definition."""
    all_of_them = once = 0
    for path in paths:
        named = Counter(
            node.id if isinstance(node, ast.Name) else node.attr
            for node in ast.walk(trees[path])
            if isinstance(node, ast.Name | ast.Attribute)
        )
        for function, _ in functions_in(trees[path]):
            all_of_them += 1
            is_private = function.name.startswith("_") and not function.name.startswith("__")
            once += is_private and named[function.name] == 1
    return once / all_of_them


def long_modules(texts: Mapping[Path, str]) -> Iterator[str]:
    for path, text in texts.items():
        if (lines := len(text.splitlines())) > LONGEST_MODULE:
            yield f"{path.relative_to(ROOT)}: {lines} lines"


def long_functions(trees: Mapping[Path, ast.Module]) -> Iterator[str]:
    for path, tree in trees.items():
        for function, lines in functions_in(tree):
            if lines > LONGEST_FUNCTION:
                yield f"{path.relative_to(ROOT)}:{function.lineno}: {function.name} has {lines} lines"
