"""Loads the suite's packages in an agent's process under names that the agent does not use itself.

Run as a program, it starts such a process. Knows nothing of agents. It imports nothing of the suite by its usual name.
"""

import builtins
import importlib
import json
import socket
import sys
from collections.abc import Mapping, Sequence
from importlib.abc import Loader
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from importlib.util import spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

HOME = Path(__file__).resolve().parents[3]
ITSELF = Path(__file__).resolve().relative_to(HOME)
"""Where this file is in any copy of the suite."""
PRIVATE = {"conformance": "agent_conformance", "fakes": "agent_conformance_fakes"}
"""The suite's packages, and what each is called where the agent has a package of that name. The first is also a name of
the adapter API in any case.
"""
MOST = 1 << 20
"""Bytes of a message of the suite."""
LOADED = dict(PRIVATE)
"""What each is called in this process."""


def install() -> None:
    """From here on the suite's packages can be imported, by the names that the agent leaves free on `sys.path`."""
    LOADED.update({name: PRIVATE[name] if _is_of_the_agent(name) else name for name in PRIVATE})
    sys.meta_path.insert(0, SuiteFinder())


class SuiteFinder:
    """Finds the suite's modules under the names of `LOADED`, and the agent's own packages of their usual names."""

    def find_spec(self, name: str, path: Sequence[str] | None = None, target: Any = None) -> ModuleSpec | None:
        top = name.partition(".")[0]
        folder = next((folder for folder, loaded in LOADED.items() if loaded == top), None)
        if folder is not None:
            return _suites_own(name, HOME / folder, path, target)
        if top == PRIVATE["conformance"]:
            return _other_name(name, LOADED["conformance"] + name.removeprefix(top))
        return _found_elsewhere(name) if name in PRIVATE else None


def _suites_own(name: str, home: Path, path: Sequence[str] | None, target: Any) -> ModuleSpec | None:
    if path is None:
        file = str(home / "__init__.py")
        loader = OwnLoader(name, file)
        return spec_from_file_location(name, file, loader=loader, submodule_search_locations=[str(home)])
    spec = PathFinder.find_spec(name, [entry for entry in path if entry.startswith(str(home))], target)
    if spec is not None and spec.origin is not None:
        spec.loader = OwnLoader(name, spec.origin)
    return spec


def _other_name(name: str, loaded: str) -> ModuleSpec | None:
    """A module that is loaded under another name."""
    try:
        module = importlib.import_module(loaded)
    except ModuleNotFoundError as error:
        if error.name == loaded:
            return None
        raise
    return ModuleSpec(name, _Known(module), is_package=hasattr(module, "__path__"))


def _found_elsewhere(name: str) -> ModuleSpec | None:
    """The package or module of this name, anywhere but beside the suite or beside another copy of it.

    An agent that got its `Reply` from another copy would not be understood.
    """
    return PathFinder.find_spec(name, [entry for entry in sys.path if not (Path(entry or ".") / ITSELF).is_file()])


def _is_of_the_agent(name: str) -> bool:
    """Whether the agent has it. A mere folder does not count: the suite's own package finds what is in it."""
    found = _found_elsewhere(name)
    return found is not None and found.origin is not None


class OwnLoader(SourceFileLoader):
    """Runs a module of the suite, whose own imports of the suite get the private modules."""

    def exec_module(self, module: ModuleType) -> None:
        vars(module)["__builtins__"] = OWN_BUILTINS
        super().exec_module(module)


class _Known(Loader):
    """Gives a module that is loaded already, under another name."""

    def __init__(self, module: ModuleType) -> None:
        self._module = module
        self._spec = module.__spec__

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return self._module

    def exec_module(self, module: ModuleType) -> None:
        module.__spec__ = self._spec


def _own_import(
    name: str,
    globals: Mapping[str, Any] | None = None,
    locals: Mapping[str, Any] | None = None,
    fromlist: Sequence[str] | None = (),
    level: int = 0,
) -> Any:
    """What an `import` in a module of the suite calls."""
    top, _, rest = name.partition(".")
    if level or top not in PRIVATE:
        return builtins.__import__(name, globals, locals, fromlist or (), level)
    module = importlib.import_module(f"{LOADED[top]}.{rest}" if rest else LOADED[top])
    if not fromlist:
        return sys.modules[LOADED[top]]
    for wanted in fromlist:
        if not hasattr(module, wanted) and hasattr(module, "__path__"):
            importlib.import_module(f"{module.__name__}.{wanted}")
    return module


OWN_BUILTINS: dict[str, Any] = {**vars(builtins), "__import__": _own_import}


def _folders_of_the_agent(spec: str, cwd: Path, root: Path) -> list[str]:
    """Where the agent's modules are looked for first: its working directory, and the folder of a file that is named."""
    file = Path(spec.rpartition(":")[0])
    found = [folder / file for folder in (cwd, root) if file.suffix == ".py" and (folder / file).is_file()]
    homes = [next(above for above in path.parents if not (above / "__init__.py").is_file()) for path in found[:1]]
    return [str(folder) for folder in (*homes, cwd)]


def start(number: int) -> None:
    """Serve the suite over the socket with this number. Its first message has the search path of its own process."""
    control = socket.socket(fileno=number)
    first = json.loads(control.recv(MOST))
    sys.path[:] = [*_folders_of_the_agent(first["spec"], Path(first["cwd"]), Path(first["root"])), *first["path"]]
    sys.argv[:] = first["argv"]
    install()
    importlib.import_module(f"{LOADED['conformance']}.agents.isolated.nursery").run(control, first, LOADED)


if __name__ == "__main__":
    start(int(sys.argv[1]))
