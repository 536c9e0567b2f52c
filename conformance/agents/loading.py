"""Finding the agent that `--agent` names, and checking what its adapter declares. Knows no pytest and no scenario."""

import difflib
import importlib
import os
import sys
import traceback
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from conformance.adapter.contract import FEATURE_NAMES, DeclaredAgent
from conformance.adapter.types import AgentError
from conformance.record.redaction import keys_of, text_without_keys
from conformance.scenario.model import MODE_NAMES, WIRE_NAMES


class AgentNotFound(Exception):
    """One line that says what of `--agent` cannot be used, and why."""


def load_agent(spec: str, *, cwd: Path) -> DeclaredAgent:
    """The agent behind `module:Attribute` or `cmd:COMMAND`. Raises `AgentNotFound`."""
    if spec.startswith("cmd:"):
        return _command_agent(spec, cwd)
    module_name, colon, attribute = spec.partition(":")
    if not (colon and module_name and attribute):
        raise AgentNotFound(
            f"--agent={spec}: write it as module:Attribute, for example mymodule:Adapter, or cmd:COMMAND"
        )
    if str(cwd) not in sys.path[:1]:
        sys.path.insert(0, str(cwd))  # in front, also where it stands further back: the agent's module is the project's
    target: Any = _import(spec, module_name)
    for name in attribute.split("."):
        if not hasattr(target, name):
            near = difflib.get_close_matches(name, dir(target), n=1)
            hint = f"; did you mean '{near[0]}'?" if near else ""
            raise AgentNotFound(f"--agent={spec}: {getattr(target, '__file__', module_name)} has no '{name}'{hint}")
        target = getattr(target, name)
    return declared_agent(spec, target)


def declared_agent(spec: str, adapter: Any, *, slow: bool = False) -> DeclaredAgent:
    """The agent of this adapter class. Raises `AgentNotFound` for a declaration that cannot be used."""
    where = f"--agent={spec}"
    if not callable(adapter):
        raise AgentNotFound(
            f"{where}: is a {type(adapter).__name__}; an adapter is a class with `wires`, `__init__` and `send`"
        )
    if not callable(getattr(adapter, "send", None)):
        raise AgentNotFound(f"{where}: has no method `send(message)`, which runs one turn and gives the agent's reply")
    wires = _words(where, "wires", getattr(adapter, "wires", None), WIRE_NAMES)
    if not wires:
        raise AgentNotFound(f"{where}: `wires` is missing; say what the agent speaks, for example ('openai-chat',)")
    modes = _words(where, "modes", getattr(adapter, "modes", ("plain",)), MODE_NAMES)
    features = _words(where, "features", getattr(adapter, "features", ()), FEATURE_NAMES)
    return DeclaredAgent(spec, adapter, wires, modes, frozenset(features), _errors(where, adapter), slow)


def _command_agent(spec: str, cwd: Path) -> DeclaredAgent:
    from conformance.agents.command import CommandError, command_adapter

    try:
        adapter = command_adapter(spec.removeprefix("cmd:"), cwd=cwd)
    except CommandError as error:
        raise AgentNotFound(f"--agent={spec}: {error}") from None
    return declared_agent(spec, adapter, slow=bool(getattr(adapter, "slow", False)))


def _import(spec: str, module_name: str) -> Any:
    try:
        return importlib.import_module(module_name)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        names = (module_name, module_name.split(".", maxsplit=1)[0])
        missing = isinstance(error, ModuleNotFoundError) and error.name in names
        said = text_without_keys(" ".join(str(error).split()), keys_of(os.environ))
        if missing:
            hint = f"; write {module_name.removesuffix('.py')}, without .py" if module_name.endswith(".py") else ""
            text = f"{module_name} was not found; looked in {sys.path[0]} and the environment{hint}"
        else:
            text = f"{module_name} cannot be imported: {type(error).__name__}: {said}{_place(error)}{_hidden(error)}"
        raise AgentNotFound(f"--agent={spec}: {text}") from None


def _place(error: BaseException) -> str:
    frames = [f for f in traceback.extract_tb(error.__traceback__) if "importlib" not in f.filename]
    mine = [f for f in frames if not f.filename.startswith(str(Path(__file__).parents[1]))]
    return f" ({mine[-1].filename}:{mine[-1].lineno})" if mine and not isinstance(error, SyntaxError) else ""


def _hidden(error: BaseException) -> str:
    """The hint for a project whose own `fakes` or `conformance` package is hidden by ours."""
    if not isinstance(error, ImportError):
        return ""
    top = (error.name or "").split(".")[0]
    if top not in ("fakes", "conformance"):
        return ""
    own = [Path(entry) / top for entry in sys.path if (Path(entry) / top).is_dir()]
    ours = Path(__file__).parents[2] / top
    hidden = [path for path in own if path.resolve() != ours.resolve()]
    return f"; your own {hidden[0]} is hidden by {ours}" if hidden else ""


def _words(where: str, attribute: str, given: Any, known: tuple[str, ...]) -> tuple[str, ...]:
    if given is None:
        return ()
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise AgentNotFound(f"{where}: `{attribute}` is {given!r}; write a tuple of words, for example ({known[0]!r},)")
    words = tuple(given)
    for word in words:
        if word not in known:
            near = difflib.get_close_matches(str(word), known, n=1)
            hint = f"; did you mean {near[0]!r}?" if near else ""
            raise AgentNotFound(f"{where}: `{attribute}` has {word!r}, which is none of {', '.join(known)}{hint}")
    return words


def _errors(where: str, adapter: Any) -> tuple[type[BaseException], ...]:
    given = getattr(adapter, "errors", None) or ()
    if not isinstance(given, type | Iterable):
        raise AgentNotFound(f"{where}: `errors` is {given!r}; write a tuple of exception classes")
    classes = (given,) if isinstance(given, type) else tuple(given)
    for cls in classes:
        if not (isinstance(cls, type) and issubclass(cls, BaseException)):
            raise AgentNotFound(f"{where}: `errors` has {cls!r}, which is no exception class")
        if cls.__module__ == "builtins":
            raise AgentNotFound(
                f"{where}: `errors` has {cls.__name__}, which would hide crashes; list the agent's own base classes"
            )
    return (AgentError, *classes)
