"""Loads the suite's packages in an agent's process under private names, so that those of the agent keep theirs.

Run as a program, it starts such a process. Knows nothing of agents. It imports nothing of the suite by its usual name.
"""

import builtins
import importlib
import sys
from collections.abc import Mapping, Sequence
from importlib.abc import Loader
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from importlib.util import spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

HOME = Path(__file__).resolve().parents[3]
PRIVATE: Mapping[str, str] = {"conformance": "agent_conformance", "fakes": "agent_conformance_fakes"}
"""The suite's packages, and what each is called here. The first is also the public name of the adapter API."""
FOLDERS = {private: name for name, private in PRIVATE.items()}


def install() -> None:
    """From here on the private names can be imported, and the usual ones where the agent has no such packages."""
    sys.meta_path[:0] = [PrivateFinder(), UsualNames()]


class PrivateFinder:
    """Finds the suite's modules under their private names."""

    @staticmethod
    def find_spec(name: str, path: Sequence[str] | None = None, target: Any = None) -> ModuleSpec | None:
        if name in FOLDERS:
            home = HOME / FOLDERS[name]
            file = str(home / "__init__.py")
            return spec_from_file_location(
                name, file, loader=OwnLoader(name, file), submodule_search_locations=[str(home)]
            )
        folder = FOLDERS.get(name.partition(".")[0])
        if path is None or folder is None:
            return None
        spec = PathFinder.find_spec(name, [entry for entry in path if entry.startswith(str(HOME / folder))], target)
        if spec is not None and spec.origin is not None:
            spec.loader = OwnLoader(name, spec.origin)
        return spec


class OwnLoader(SourceFileLoader):
    """Runs a module of the suite, whose own imports of the suite get the private modules."""

    def exec_module(self, module: ModuleType) -> None:
        vars(module)["__builtins__"] = OWN_BUILTINS
        super().exec_module(module)


class UsualNames:
    """`conformance` and `fakes` are the agent's own packages of that name, if it has such, else the private ones.

    Folders of the agent with such a name that are no packages by themselves are searched after ours.
    """

    def find_spec(self, name: str, path: Sequence[str] | None = None, target: Any = None) -> ModuleSpec | None:
        top = name.partition(".")[0]
        if top not in PRIVATE:
            return None
        own = _of_the_agent(name) if top == name else None
        if own is not None and own.origin is not None:
            return own
        if top != name and getattr(sys.modules.get(top), "__name__", None) != PRIVATE[top]:
            return None
        module = _private_module(PRIVATE[top] + name.removeprefix(top))
        if module is None:
            return None
        if own is not None:
            module.__path__ = [*module.__path__, *(own.submodule_search_locations or ())]
        return ModuleSpec(name, _Known(module), is_package=hasattr(module, "__path__"))


def _private_module(name: str) -> ModuleType | None:
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name == name:
            return None
        raise


class _Known(Loader):
    """Gives a module that is loaded already, under another name."""

    def __init__(self, module: ModuleType) -> None:
        self._module = module
        self._spec = module.__spec__

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return self._module

    def exec_module(self, module: ModuleType) -> None:
        module.__spec__ = self._spec


def _of_the_agent(name: str) -> ModuleSpec | None:
    """The agent's package or module of this name, anywhere but beside the suite."""
    elsewhere = [entry for entry in sys.path if Path(entry or ".").resolve() != HOME]
    return PathFinder.find_spec(name, elsewhere)


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
    module = importlib.import_module(f"{PRIVATE[top]}.{rest}" if rest else PRIVATE[top])
    if not fromlist:
        return sys.modules[PRIVATE[top]]
    for wanted in fromlist:
        if not hasattr(module, wanted) and hasattr(module, "__path__"):
            importlib.import_module(f"{module.__name__}.{wanted}")
    return module


OWN_BUILTINS: dict[str, Any] = {**vars(builtins), "__import__": _own_import}


if __name__ == "__main__":
    del sys.path[0]  # the folder of this file, which is none of the agent's
    install()
    importlib.import_module("agent_conformance.agents.isolated.nursery").run(int(sys.argv[1]))
