"""Puts a mutant into this process, which is a fork: by importing a package again, or in place. Judges nothing."""

import ast
import gc
import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import sys
from collections.abc import Iterator, Mapping, Sequence
from types import CodeType, FunctionType, ModuleType
from typing import Any

from tools.mutation.mutants import ROOT, Mutant
from tools.mutation.targets import assigned, constant_of, module_of

Functions = Mapping[tuple[str, str, int], Sequence[FunctionType]]


class CannotApply(Exception):
    """The mutant cannot be put in place: a function that exists already would need other variables."""


def import_again(package: str, mutant: Mutant) -> None:
    """Import a package anew with the mutant in it. Whoever has imported from it keeps what it was."""
    for name in [name for name in sys.modules if name == package or name.startswith(f"{package}.")]:
        del sys.modules[name]
    import_with(mutant)
    importlib.import_module(package)


def import_with(mutant: Mutant) -> None:
    """From here on, its module is imported with the mutant."""
    sys.meta_path.insert(0, _MutantFinder(mutant))


class _MutantFinder(importlib.abc.MetaPathFinder):
    def __init__(self, mutant: Mutant) -> None:
        self._mutant = mutant
        self._name = module_of(mutant.file)

    def find_spec(self, fullname: str, path: Any, target: Any = None) -> importlib.machinery.ModuleSpec | None:
        if fullname != self._name:
            return None
        file = str(ROOT / self._mutant.file)
        loader = _MutantLoader(fullname, file, self._mutant)
        return importlib.util.spec_from_file_location(fullname, file, loader=loader)


class _MutantLoader(importlib.machinery.SourceFileLoader):
    def __init__(self, name: str, path: str, mutant: Mutant) -> None:
        super().__init__(name, path)
        self._mutant = mutant

    def get_code(self, fullname: str) -> CodeType:
        return compile(self._mutant.tree(), self.path, "exec")


def functions_of_process() -> Functions:
    """Every function of ours that there is, by file, name and line."""
    found: dict[tuple[str, str, int], list[FunctionType]] = {}
    for thing in gc.get_objects():
        if isinstance(thing, FunctionType) and thing.__code__.co_filename.startswith(str(ROOT)):
            found.setdefault(_key(thing.__code__), []).append(thing)
    return found


def put_in_place(mutant: Mutant, functions: Functions) -> None:
    """Change the functions that there are, or the constant in all modules that have it. Raises `CannotApply`."""
    tree = mutant.tree()
    if not mutant.function:
        _put_constant(mutant, tree)
        return
    if mutant.in_defaults:
        _put_defaults(mutant, tree, functions)
        return
    changed = compile(tree, str(ROOT / mutant.file), "exec")
    original = compile((ROOT / mutant.file).read_text(encoding="utf-8"), str(ROOT / mutant.file), "exec")
    swaps = list(_swaps(original, changed, functions))
    if not swaps:
        raise CannotApply(mutant.at)
    for function, code in swaps:
        try:
            function.__code__ = code
        except ValueError as error:
            raise CannotApply(f"{mutant.at}: {error}") from error


def _swaps(original: CodeType, changed: CodeType, functions: Functions) -> Iterator[tuple[FunctionType, CodeType]]:
    """Each function of which the code differs, with its new code. Inner functions are within the outer's code too."""
    pairs = zip(_inner(original), _inner(changed), strict=False)
    for old, new in pairs:
        if old != new:
            for function in functions.get(_key(old), ()):
                yield function, new
            yield from _swaps(old, new, functions)


def _inner(code: CodeType) -> list[CodeType]:
    return [constant for constant in code.co_consts if isinstance(constant, CodeType)]


def _key(code: CodeType) -> tuple[str, str, int]:
    return code.co_filename, code.co_qualname, code.co_firstlineno


def _put_defaults(mutant: Mutant, tree: ast.Module, functions: Functions) -> None:
    module = sys.modules[module_of(mutant.file)]
    name = mutant.function.rpartition(".")[2]
    for node in ast.walk(tree):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) or node.name != name:
            continue
        line = min((part.lineno for part in node.decorator_list), default=node.lineno)
        for function in functions.get((str(ROOT / mutant.file), mutant.function, line), ()):
            function.__defaults__ = tuple(_value(value, module) for value in node.args.defaults) or None
            pairs = zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True)
            given = {argument.arg: _value(value, module) for argument, value in pairs if value is not None}
            function.__kwdefaults__ = given or None


def _put_constant(mutant: Mutant, tree: ast.Module) -> None:
    module = sys.modules[module_of(mutant.file)]
    name = constant_of(mutant)
    assert name is not None
    old = getattr(module, name)
    statement = next(s for s in tree.body if assigned(s) == name)
    new = _value(statement.value, module)  # type: ignore[attr-defined]
    for other in list(sys.modules.values()):
        if isinstance(other, ModuleType) and vars(other).get(name) is old:
            setattr(other, name, new)


def _value(expression: ast.expr, module: ModuleType) -> Any:
    return eval(compile(ast.Expression(expression), module.__file__ or "", "eval"), vars(module))
