"""Each private name of the standard library that the packages use is listed, with the Pythons that have it.

A private name may go with any version of Python. One that not all supported versions have, and one that the newest may
lose, is read with a fallback.
"""

import ast
import importlib
import re
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[2]
PACKAGES = (ROOT / "conformance", ROOT / "fakes")
NEVER = (3, 99)


class Name(NamedTuple):
    """`first` and `last` are the versions that have it. `guarded`: it is read with a fallback."""

    where: str
    first: tuple[int, int] = (3, 11)
    last: tuple[int, int] = NEVER
    guarded: bool = False


NAMES = {
    "_thread": Name("_thread", guarded=False),  # documented, as are its functions
    "_asdict": Name("collections.namedtuple"),  # documented
    "_fields": Name("ast.AST", guarded=True),  # of named tuples too; documented
    "_exit": Name("os._exit"),  # documented
    "_base": Name("concurrent.futures._base", guarded=True),
    "_current_frames": Name("sys._current_frames"),  # documented
    "_data": Name("os.environ._data"),
    "_event_loop_policy": Name("asyncio.events._event_loop_policy", last=(3, 15), guarded=True),
    "_getframe": Name("sys._getframe"),  # documented
    "_handlerList": Name("logging._handlerList", guarded=True),
    "_run_exitfuncs": Name("atexit._run_exitfuncs"),
    "_start_joinable_thread": Name("threading._start_joinable_thread", first=(3, 13), guarded=True),
    "_start_new_thread": Name("threading._start_new_thread", last=(3, 12), guarded=True),
    "_threads_queues": Name("concurrent.futures.thread._threads_queues", guarded=True),
    "_worker": Name("concurrent.futures.thread._worker", guarded=True),
}
"""Where each name is, as a path that can be imported."""

OTHERS = {
    "_Exit": "of the C library",
    "_NOT_": "of a regular expression",
    "_buffer": "of an instance of asyncio.StreamReader, read with a fallback",
    "_call": "the end of an item's type",
    "_conn": "of the connection in the SDK for ACP",
    "_console_main": "of pytest",
    "_debug_render_only": "of Ollama",
    "_delta": "the end of an event's type",
    "_file": "of pytest",
    "_handler": "of the connection in the SDK for ACP",
    "_inicfg": "of pytest",
    "_main": "of pytest",
    "_output": "the end of an item's type",
    "_preview": "the end of a tool's type",
    "_pytest": "of pytest",
    "_show_progress_info": "of pytest",
    "_tool_result": "the end of a block's type",
    "_transports": "of httpx",
    "_tw": "of pytest",
}
"""Names that look like one of the standard library's."""


class Use(NamedTuple):
    name: str
    place: str


def is_private(name: str) -> bool:
    return re.fullmatch(r"_[A-Za-z]\w*", name) is not None


def uses(source: str, place: str) -> Iterator[Use]:
    """The private names that the code takes from elsewhere, as attributes, in imports and in strings.

    What a name is taken from is not known without running the code. A name counts as the module's own where it defines
    it, unless it is taken from a module that was imported.
    """
    tree = ast.parse(source)
    own, modules = set(_defined(tree)), set(_modules(tree))
    called = {id(argument) for argument in _named_in_calls(tree)}
    for node in ast.walk(tree):
        line = f"{place}:{getattr(node, 'lineno', 0)}"
        if isinstance(node, ast.Import):
            names = [part for alias in node.names for part in alias.name.split(".")]
        elif isinstance(node, ast.ImportFrom):
            names = [*(node.module or "").split("."), *(alias.name for alias in node.names)]
            names = names if _is_foreign(node.module or "") else []
        elif isinstance(node, ast.Attribute):
            is_own = node.attr in own or (isinstance(node.value, ast.Name) and node.value.id in ("self", "cls"))
            names = [node.attr] if not is_own or ast.unparse(node.value) in modules else []
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) in called:
            names = [part for part in node.value.split(".") if part not in own]
        else:
            continue
        yield from (Use(name, line) for name in names if is_private(name))


def _defined(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store) and _is_self(node.value):
            yield node.attr


def _is_self(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id in ("self", "cls")


def _modules(tree: ast.Module) -> Iterator[str]:
    """What the code calls the modules of the standard library that it imports."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.asname or alias.name for alias in node.names if _is_foreign(alias.name))
        elif isinstance(node, ast.ImportFrom) and _is_foreign(node.module or ""):
            yield from (alias.asname or alias.name for alias in node.names)


def _is_foreign(module: str) -> bool:
    return module.partition(".")[0] in sys.stdlib_module_names


TEXTS = re.compile(r"[A-Za-z_]\w*(\.\w+)*")


def _named_in_calls(tree: ast.Module) -> Iterator[ast.Constant]:
    """Strings that may name an attribute: arguments, subscripts of `vars`, and what collections of names have."""
    for node in ast.walk(tree):
        given: list[ast.expr] = []
        if isinstance(node, ast.Call):
            given = [*node.args, *(keyword.value for keyword in node.keywords)]
        elif isinstance(node, ast.Subscript):
            given = [node.slice]
        elif isinstance(node, ast.Tuple | ast.List | ast.Set):
            given = node.elts
        elif isinstance(node, ast.Dict):
            given = [key for key in node.keys if key is not None]
        elif isinstance(node, ast.Compare):
            given = [node.left, *node.comparators]
        yield from (one for one in given if isinstance(one, ast.Constant) and TEXTS.fullmatch(str(one.value)))


@cache
def all_uses() -> tuple[Use, ...]:
    files = [path for package in PACKAGES for path in sorted(package.rglob("*.py"))]
    return tuple(use for file in files for use in uses(file.read_text(encoding="utf-8"), str(file.relative_to(ROOT))))


def test_each_private_name_of_the_standard_library_is_listed() -> None:
    unknown = {f"{use.name} at {use.place}" for use in all_uses() if use.name not in NAMES and use.name not in OTHERS}

    assert unknown == set(), "read it with a fallback, or from a public place, and list it in NAMES"


def test_each_name_in_the_tables_is_used() -> None:
    used = {use.name for use in all_uses()}

    assert {*NAMES, *OTHERS} - used == set()


@pytest.mark.parametrize("name", NAMES)
def test_private_name_is_there_as_the_table_says(name: str) -> None:
    listed = NAMES[name]
    expected = listed.first <= sys.version_info[:2] <= listed.last

    assert exists(listed.where) is expected


@pytest.mark.parametrize("name", [name for name, one in NAMES.items() if one.first > (3, 11) or one.last != NEVER])
def test_name_that_some_versions_lack_is_guarded(name: str) -> None:
    assert NAMES[name].guarded


def exists(path: str) -> bool:
    parts = path.split(".")
    for end in range(len(parts), 0, -1):
        try:
            found = importlib.import_module(".".join(parts[:end]))
        except ImportError:
            continue
        for part in parts[end:]:
            if not hasattr(found, part):
                return False
            found = getattr(found, part)
        return True
    return False


@pytest.mark.parametrize(
    ("code", "names"),
    [
        ("import threading\nthreading._new", ["_new"]),
        ("from threading import _new", ["_new"]),
        ("import concurrent.futures._new", ["_new"]),
        ("import os as system\n_new = 1\nsystem._new", ["_new"]),
        ("thread._new", ["_new"]),
        ("getattr(threading, '_new', None)", ["_new"]),
        ("_of(asyncio.events, '_new')", ["_new"]),
        ("patch('threading._new')", ["_new"]),
        ("vars(os.environ)['_new']", ["_new"]),
        ("NAMES = ('_new', 'other')", ["_new"]),
        ("self._new", []),
        ("class A:\n    def _new(self): ...\nA()._new", []),
        ("'''_new'''", []),
        ("text = '_new'", []),
        ("x.__dict__", []),
    ],
)
def test_private_name_is_found_in_every_form(code: str, names: list[str]) -> None:
    assert [use.name for use in uses(code, "x.py")] == names
