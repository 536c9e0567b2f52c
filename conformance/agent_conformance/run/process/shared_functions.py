"""Functions and classes that many programs share: which of them an agent has replaced, and putting them back.

A patch of one case reaches the next, and what the suite and pytest themselves call is among them. Threads and sockets
that gevent and eventlet replace are not put back: a greenlet in place of the agent's thread shares the one thread of
the process with the suite, and a verdict would be one on that.
"""

import _thread
import builtins
import pathlib
import socket
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from itertools import chain
from operator import call, is_, itemgetter
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import Any

KINDS = frozenset({FunctionType, BuiltinFunctionType, type, staticmethod, classmethod, property})
SHARED = frozenset(
    {"aiohttp", "anyio", "certifi", "h11", "h2", "httpcore", "httpcore2", "httpx", "httpx2", "requests", "urllib3"}
)
"""Packages beside the standard library: the clients that agents and the suite reach a model with."""
OURS = frozenset({"agent_conformance", "fake_providers"})
RUNNERS = OURS | {"_pytest", "pluggy", "pytest", "xdist"}
NEEDED = frozenset(
    {
        *("abc", "builtins", "collections", "concurrent.futures", "concurrent.futures._base", "contextlib", "copy"),
        *("dataclasses", "functools", "gc", "hashlib", "importlib", "inspect", "io", "json", "json.decoder"),
        *("json.encoder", "linecache", "operator", "os", "pathlib", "posixpath", "queue", "re", "shutil", "sys"),
        *("tempfile", "threading", "time", "traceback", "types", "warnings", "weakref"),
        pathlib.Path.__module__,  # another one in Python 3.13 alone
    }
)
"""Modules without which the suite and pytest judge no other case, and print no summary."""
HEAP_TYPE = 1 << 9
"""The flag of a class that can be changed."""

_builtins = vars(builtins)


class SharedFunctions:
    """The public functions and classes of shared modules, and those of their classes, as they were when first seen.

    A module that is imported later is taken as it is at the next `look`. `put_back` are those that were others when
    `restore` was called.
    """

    def __init__(self, is_shared: Callable[[str], bool] | None = None) -> None:
        self._is_shared = is_shared or _is_shared
        self._modules: dict[str, Any] = {}
        self._tables: list[_Table] = []
        self._count = 0
        self._builtins: dict[str, Any] = {}
        self._loaded: dict[str, ModuleType] = {}
        self.put_back: list[str] = []
        self.look()

    def look(self) -> None:
        if len(sys.modules) == self._count:
            return
        self._count = len(sys.modules)
        for name, module in list(sys.modules.items()):
            if name not in self._modules and self._is_shared(name):
                self._modules[name] = module
                self._tables += _tables_of(name, module)
        self._find()

    def replaced(self) -> list[str]:
        """The names of those that are others now. Runs no Python code for what is as it was."""
        found = [name for name, module in self._modules.items() if sys.modules.get(name) is not module]
        return found + [f"{table.path}.{name}" for table, name, _ in self._others()]

    def accept(self) -> None:
        """From now on it is right as it is now, and so are the modules that are loaded."""
        self.look()
        if others := self._others():
            for table in dict.fromkeys(table for table, _, _ in others):
                table.accept()
            self._find()
        self._builtins, self._loaded = _builtins.copy(), sys.modules.copy()
        self.put_back = []

    def restore(self) -> None:
        """Put back what was last accepted."""
        now = _builtins.copy()
        _builtins.update(self._builtins)  # before anything else: what follows calls them
        if not _are_those_of(self._builtins, now):
            self.put_back += [f"builtins.{name}" for name, one in self._builtins.items() if now.get(name) is not one]
        if others := self._others():
            for table, name, value in others:
                table.put_back(name, value)
                self.put_back.append(f"{table.path}.{name}")
            self._find()
        if _are_those_of(self._loaded, sys.modules):
            return
        for name, module in self._loaded.items():
            if sys.modules.get(name) is not module and (_is_shared(name) or name.partition(".")[0] in RUNNERS):
                sys.modules[name] = module
                self.put_back.append(name)

    def _others(self) -> "list[tuple[_Table, str, Any]]":
        """What is another now, and what was there: None where it was inherited.

        It is asked twice a case, of some two thousand names. While no table has grown or shrunk, and under each name is
        what was there when they were last looked through, the answer is the same: that is found out in C alone.
        """
        try:
            values = chain.from_iterable(map(call, self._values_of, self._contents))
            is_same = all(map(is_, values, self._seen)) and [*map(len, self._contents)] == self._sizes
        except KeyError:  # it was deleted
            is_same = False
        if not is_same:
            self._find()
        return self._found

    def _find(self) -> None:
        """Look through all tables, and keep what was seen."""
        self._contents = [table.content for table in self._tables]
        self._values_of = [table.values_of for table in self._tables]
        self._sizes = [*map(len, self._contents)]
        self._found = [(table, name, value) for table in self._tables for name, value in table.replaced()]
        try:
            self._seen = [*chain.from_iterable(map(call, self._values_of, self._contents))]
        except KeyError:  # one is gone for good: each time all are looked through
            self._seen, self._sizes = [], []


def _are_those_of(before: dict[str, Any], now: Mapping[str, Any]) -> bool:
    """Whether each is there under its name. Compares by identity, in C alone."""
    return all(map(is_, map(now.get, before), before.values()))


class _Table:
    """What a module or a class has under which names, and which it has from elsewhere: from other classes, or builtins.

    `values_of` takes from `content` what is under the names. It raises `KeyError` where one was deleted.
    """

    __slots__ = ("_inherited", "_names", "_owner", "_values", "content", "path", "values_of")

    def __init__(self, path: str, owner: Any) -> None:
        self.path = path
        self._owner = owner
        read = _content_of if issubclass(type(owner), ModuleType) else _table_of
        self.content: Mapping[str, Any] = read(owner)
        functions = {name: value for name, value in self.content.items() if _is_function(name, value)}
        self._names, self._values = (*functions,), (*functions.values(),)
        self.values_of = itemgetter(*self._names, *self._names[:1]) if functions else _no_values
        found = _BUILTINS
        if isinstance(owner, type):
            bases = [_table_of(base) for base in _bases_of(owner)[1:] if base.__module__ == owner.__module__]
            found = frozenset(name for table in bases for name, value in table.items() if _is_function(name, value))
        self._inherited = found.difference(self.content)

    def accept(self) -> None:
        self._values = tuple(self.content.get(name) for name in self._names)
        self._inherited = self._inherited.difference(self.content)

    def put_back(self, name: str, value: Any) -> None:
        if value is None and name in self._inherited:
            delattr(self._owner, name)
        elif isinstance(self._owner, type):
            type.__setattr__(self._owner, name, value)
        else:
            vars(self._owner)[name] = value

    def replaced(self) -> list[tuple[str, Any]]:
        """The names, and what was there: None where it was inherited. What the suite has replaced counts as it was."""
        get = self.content.get
        pairs = zip(self._names, self._values, strict=True)
        others = [(name, value) for name, value in pairs if (now := get(name)) is not value and not _is_ours(now)]
        return others + [(name, None) for name in self._inherited if name in self.content]


def _no_values(table: Mapping[str, Any]) -> tuple[Any, ...]:
    return ()


def _is_shared(name: str) -> bool:
    package = name.partition(".")[0]
    return package in SHARED or (package in sys.stdlib_module_names and package != "__main__")


def _tables_of(name: str, module: Any) -> Iterator[_Table]:
    """What the module has by its names, then each class of its own. Asks no attribute that code computes."""
    if type(getattr(module, "__dict__", None)) is not dict:
        return
    yield _Table(name, module)
    for key, value in list(vars(module).items()):
        if isinstance(value, type) and value.__flags__ & HEAP_TYPE and value.__module__ == name:
            yield _Table(f"{name}.{key}", value)


_table_of = type.__dict__["__dict__"].__get__
_content_of = vars(ModuleType)["__dict__"].__get__
_bases_of = type.__dict__["__mro__"].__get__


def _is_ours(value: Any) -> bool:
    """The suite answers requests of httpx in place of its transports, and keeps exits and descriptors from an agent."""
    if type(value) is MethodType:
        value = value.__func__
    return type(value) is FunctionType and value.__module__.partition(".")[0] in OURS


def _is_function(name: object, value: Any) -> bool:
    """Or a class, which is called as well. Private names may change."""
    is_public = isinstance(name, str) and (not name.startswith("_") or name.endswith("__"))
    return is_public and (type(value) in KINDS or isinstance(value, type))


_BUILTINS = frozenset(name for name, value in _builtins.items() if _is_function(name, value))

PATCHED = (
    "the agent patches threads or sockets for the whole process, as gevent and eventlet do, and the suite's own with"
    " them: run it in a process of its own, with --agent-isolate, or write `isolated = True` in its adapter"
)

_native_id = _thread.get_native_id
_STARTS = ("_start_new_thread", "_start_joinable_thread")
"""What `threading` starts a thread with: the first until Python 3.12, the second from 3.13 on."""


def _starts() -> list[Any]:
    return [getattr(threading, name, None) for name in _STARTS]


_starts_at_first = _starts()
_thread_class = threading.Thread
_socket = socket.socket


def threads_are_patched() -> bool:
    """Whether a new thread is none, or a new socket is not of Python's class.

    Debuggers and tracers replace what starts a thread, and threads stay what they are.
    """
    if not (isinstance(socket.socket, type) and issubclass(socket.socket, _socket)):
        return True
    if all(map(is_, _starts(), _starts_at_first)) and threading.Thread is _thread_class:
        return False
    seen: list[int] = []
    try:
        thread = threading.Thread(target=lambda: seen.append(_native_id()), daemon=True)
        thread.start()
        thread.join(1.0)
    except Exception:
        return True
    return seen in ([], [_native_id()])
