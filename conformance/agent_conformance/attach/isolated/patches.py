"""Notices that functions and classes which many programs share were replaced: a patch of one case reaches the next."""

import sys
from collections.abc import Callable, Iterator, Mapping
from operator import is_
from types import BuiltinFunctionType, FunctionType
from typing import Any

KINDS = frozenset({FunctionType, BuiltinFunctionType, type, staticmethod, classmethod, property})
SHARED = frozenset(
    {"aiohttp", "anyio", "certifi", "h11", "h2", "httpcore", "httpcore2", "httpx", "httpx2", "requests", "urllib3"}
)
"""Packages beside the standard library: the clients that agents and the suite reach a model with."""
OURS = frozenset({"agent_conformance", "fake_providers"})
SPECIAL = frozenset({"__init__", "__new__", "__call__", "__enter__", "__exit__", "__import__"})
HEAP_TYPE = 1 << 9
"""The flag of a class that can be changed."""


class SharedFunctions:
    """The public functions and classes of shared modules, and those of their classes, as they were when first seen.

    A module that is imported later is taken as it is at the next `look`.
    """

    def __init__(self) -> None:
        self._modules: dict[str, Any] = {}
        self._tables: list[tuple[str, tuple[str, ...], tuple[Any, ...], Callable[[str], Any]]] = []
        """Of each module or class its name, what it had under which names, and how these are looked up now."""
        self._count = 0
        self.look()

    def look(self) -> None:
        if len(sys.modules) == self._count:
            return
        self._count = len(sys.modules)
        for name, module in list(sys.modules.items()):
            if name not in self._modules and _is_shared(name):
                self._modules[name] = module
                for path, table in _tables_of(name, module):
                    functions = {key: value for key, value in table.items() if _is_public(key) and _is_code(value)}
                    self._tables.append((path, (*functions,), (*functions.values(),), table.get))

    def replaced(self) -> list[str]:
        """The names of those that are others now. Runs no Python code for what is as it was."""
        found = [name for name, module in self._modules.items() if sys.modules.get(name) is not module]
        for path, names, values, get in self._tables:
            if not all(map(is_, map(get, names), values)):
                changed = [name for name, value in zip(names, values, strict=True) if get(name) is not value]
                found += [f"{path}.{name}" for name in changed if not _is_ours(get(name))]
        return found


def _is_shared(name: str) -> bool:
    package = name.partition(".")[0]
    return package in SHARED or (package in sys.stdlib_module_names and package != "__main__")


def _tables_of(name: str, module: Any) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """What the module has by its names, then each class of its own. Asks no attribute that code computes."""
    table = getattr(module, "__dict__", None)
    if type(table) is not dict:
        return
    yield name, table
    for key, value in list(table.items()):
        if isinstance(value, type) and value.__flags__ & HEAP_TYPE and value.__module__ == name:
            yield f"{name}.{key}", type.__dict__["__dict__"].__get__(value)


def _is_ours(value: Any) -> bool:
    """The suite answers requests of httpx in place of its transports."""
    return type(value) is FunctionType and value.__module__.partition(".")[0] in OURS


def _is_public(name: object) -> bool:
    return isinstance(name, str) and (not name.startswith("_") or name in SPECIAL)


def _is_code(value: Any) -> bool:
    return type(value) in KINDS or isinstance(value, type)
