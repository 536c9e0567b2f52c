"""Finding the agent that `--agent` names, and checking what its adapter declares."""

import contextlib
import difflib
import importlib.util
import re
import reprlib
import shlex
import sys
import threading
import traceback
from collections.abc import Iterable
from concurrent.futures import Future
from dataclasses import replace
from itertools import islice
from pathlib import Path
from types import ModuleType
from typing import Any

from agent_conformance.adapter.contract import FEATURE_NAMES, DeclaredAgent
from agent_conformance.adapter.types import AgentError
from agent_conformance.attach.ready_made import BY_NAME, Ready
from agent_conformance.scenario.model import MODE_NAMES, WIRE_NAMES
from agent_conformance.transcripts.redaction import SECRETS, redacted
from agent_conformance.transcripts.secret_names import secrets_of_command, secrets_of_files
from fake_providers.wire_neutral_lines import printable_output

IMPORTING = 60.0
"""Seconds to the hello of a ready-made bridge, which imports its framework first."""
IMPORT_TIMEOUTS = 10
"""An import takes at most so many times as long as a turn may be silent."""


FORMER_NAMES = {"conformance": "agent_conformance", "fakes": "fake_providers"}
"""What the two packages were called before they were published, and are called now."""

MOST_DECLARED = 100
"""The most items that are read of one attribute: an iterator may have no end."""
LONGEST_WORD = 200
SHORT = reprlib.Repr()
SHORT.maxstring = SHORT.maxother = LONGEST_WORD
SHORT.maxtuple = SHORT.maxlist = 20
"""Shows a value of any length."""

NAMES_OF_A_REPLY_TOOL = ([str, str], [str, type(None)])


class AgentNotFound(Exception):
    """One line that says what of `--agent` cannot be used, and why. It has no secrets."""

    def __init__(self, text: str) -> None:
        super().__init__(printable_output(redacted(text)))


def load_agent(spec: str, *, cwd: Path, root: Path | None = None, declaring: float | None = None) -> DeclaredAgent:
    """The agent of `module:Attribute`, `path/to/file.py:Attribute`, `cmd:COMMAND`, `acp:COMMAND`, a ready-made name, or
    `@FILE`, a file that says one of these.

    A path starts from `cwd`, else from `root`. `declaring` are the seconds within which what an adapter in Python
    declares can be read, on a thread of its own; without them nothing limits it. A program over ACP has as long for
    its first answer, and at least 30 s. Raises `AgentNotFound`.
    """
    if spec.startswith("@"):
        named, folder = written_in_file(spec, cwd, root)
        return replace(load_agent(named, cwd=folder, root=root, declaring=declaring), spec=spec)
    # Of the command line, and of the files that an agent may read when it starts.
    folders = dict.fromkeys((cwd, root or cwd))
    if spec.startswith(("cmd:", "acp:")):
        with contextlib.suppress(ValueError):
            SECRETS.learn_all(secrets_of_command(shlex.split(spec.partition(":")[2])))
    for folder in folders:
        SECRETS.learn_all(secrets_of_files(folder))
    if spec.startswith("cmd:"):
        return _command_agent(spec, cwd)
    if spec.startswith("acp:"):
        return _acp_agent(spec, cwd, declaring)
    if spec in BY_NAME:
        return _ready_agent(BY_NAME[spec], cwd, declaring)
    module_name, colon, attribute = spec.rpartition(":")
    if not (colon and module_name and attribute):
        near = difflib.get_close_matches(spec, BY_NAME, n=1)
        hint = f" Did you mean {near[0]}?" if near else ""
        raise AgentNotFound(
            f"--agent={spec}: write it as module:Attribute, for example mymodule:Adapter, "
            "as path/to/file.py:Attribute, as cmd:COMMAND, as acp:COMMAND, or as @agent.toml, a file that says it; "
            f"or as the name of a ready-made adapter, which `agent-conformance agents` lists.{hint}"
        )
    _put_first(cwd)
    if module_name.endswith(".py"):
        target: Any = _import_file(spec, _file_of(spec, module_name, [cwd, *([root] if root else [])]))
    else:
        target = _import(spec, module_name)
    for name in attribute.split("."):
        if not hasattr(target, name):
            near = difflib.get_close_matches(name, dir(target), n=1)
            hint = f"; did you mean '{near[0]}'?" if near else ""
            raise AgentNotFound(f"--agent={spec}: {getattr(target, '__file__', module_name)} has no '{name}'{hint}")
        target = getattr(target, name)
    if declaring is None:
        return checked_agent(spec, target)
    return _checked_within(declaring, spec, target)


def written_in_file(spec: str, cwd: Path, root: Path | None = None) -> tuple[str, Path]:
    """What the file of `@FILE` says instead, and its folder, from which its paths start; any other agent as it is.

    The file has `agent`, `cmd`, or `acp` with its options and a table of `variables`. Raises `AgentNotFound`.
    """
    if not spec.startswith("@"):
        return spec, cwd
    where, places = f"--agent={spec}", [cwd / spec[1:], (root or cwd) / spec[1:]]
    path = next((place for place in places if place.is_file()), None)
    if path is None:
        raise AgentNotFound(f"{where}: there is no file {places[0]}")
    import tomllib

    try:
        fields = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise AgentNotFound(f"{where}: {path} is no TOML file: {error}") from None
    variables = fields.pop("variables", {})
    kinds = [kind for kind in ("agent", "cmd", "acp") if kind in fields]
    if len(kinds) != 1:
        example = "one of agent = 'module:Adapter', cmd = 'COMMAND' and acp = 'COMMAND'"
        raise AgentNotFound(f"{where}: {path} has {' and '.join(kinds) or 'no agent'}; write {example}")
    kind = kinds[0]
    command = fields.pop(kind)
    options = _options_of_acp(where) if kind == "acp" else ()
    for name in fields:
        if name not in options:
            allowed = ", ".join((*options, "variables")) if options else f"nothing but {kind}"
            raise AgentNotFound(f"{where}: {path} has {name!r}; with {kind} it may have {allowed}")
    given = {**fields, **variables} if isinstance(variables, dict) else {"variables": variables}
    for name, value in {kind: command, **given}.items():
        if not isinstance(value, str):
            raise AgentNotFound(f"{where}: {path}: {name} is {SHORT.repr(value)}; write a text")
    if variables and kind != "acp":
        raise AgentNotFound(
            f"{where}: {path}: variables belong to acp; a command has them in front: env NAME=value ..."
        )
    words = [shlex.quote(f"{name}={value}") for name, value in given.items()]
    return (command if kind == "agent" else " ".join((f"{kind}:", *words, command)).replace(": ", ":", 1)), path.parent


def _options_of_acp(where: str) -> tuple[str, ...]:
    try:
        from agent_conformance.attach.acp.command_line import OPTIONS
    except ImportError as error:
        raise AgentNotFound(f"{where}: {error}") from None
    return tuple(OPTIONS)


def python_spec(spec: str) -> str | None:
    """The module and attribute of an agent in Python, also of a ready-made one; None for one that is a command."""
    ready = BY_NAME.get(spec)
    if spec.startswith(("cmd:", "acp:")) or (ready is not None and ready.bridge is not None):
        return None
    return spec if ready is None else ready.spec


def install_hint(spec: str) -> str:
    """How to install what a ready-made adapter needs, where that is missing; else empty."""
    ready = BY_NAME.get(spec)
    return f"; install it: {ready.install}" if ready is not None and ready.version is None else ""


def agent_version(agent: DeclaredAgent) -> str:
    """The version of a ready-made adapter's framework, or what the agent says of itself; empty where nobody says."""
    ready = BY_NAME.get(agent.spec)
    stated = getattr(agent.adapter, "agent_version", "") if ready is None else ready.version
    return stated if isinstance(stated, str) else ""


def checked_agent(spec: str, adapter: Any, *, start_seconds: float = 0.0) -> DeclaredAgent:
    """The agent of this adapter class. Raises `AgentNotFound` for a declaration that cannot be used."""
    where = f"--agent={spec}"
    if not callable(adapter):
        raise AgentNotFound(
            f"{where}: is a {type(adapter).__name__}; an adapter is a class with `wires`, `__init__` and `send`"
        )
    if not callable(getattr(adapter, "send", None)):
        raise AgentNotFound(f"{where}: has no method `send(message)`, which runs one turn and gives the agent's reply")
    wires = _declared_words(where, "wires", getattr(adapter, "wires", None), WIRE_NAMES)
    if not wires:
        raise AgentNotFound(f"{where}: `wires` is missing; list what the agent supports, for example ('openai-chat',)")
    SECRETS.learn_members(adapter, of_case=False)
    modes = _declared_words(where, "modes", getattr(adapter, "modes", ("plain",)), MODE_NAMES)
    features = _declared_words(where, "features", getattr(adapter, "features", ()), FEATURE_NAMES)
    value = getattr(adapter, "scrub", ())
    if isinstance(value, str | bytes) or not isinstance(value, Iterable):
        example = "write a tuple of regular expressions, such as (r'\\d+',)"
        raise AgentNotFound(f"{where}: `scrub` is {SHORT.repr(value)}; {example}")
    return DeclaredAgent(
        spec,
        adapter,
        wires,
        modes,
        frozenset(features),
        *_errors(where, adapter),
        start_seconds,
        reply_tool=_reply_tool(where, adapter),
        instructions_as_message=_instructions_as_message(where, adapter),
        scrub=tuple(_pattern(where, pattern) for pattern in _items(where, "scrub", value)),
    )


def _checked_within(seconds: float, spec: str, adapter: Any) -> DeclaredAgent:
    """The same on another thread: a class attribute may be of any class, and its iterator may hang."""
    where = f"--agent={spec}: what the adapter declares"
    checked: Future[DeclaredAgent] = Future()

    def check() -> None:
        try:
            checked.set_result(checked_agent(spec, adapter))
        except AgentNotFound as problem:
            checked.set_exception(problem)
        except BaseException as error:
            checked.set_exception(AgentNotFound(f"{where} cannot be read: {type(error).__name__}: {error}"))

    threading.Thread(target=check, name="declarations", daemon=True).start()
    try:
        return checked.result(seconds)
    except TimeoutError:
        raise AgentNotFound(f"{where} was not read within {seconds:g} s") from None


def _command_agent(spec: str, cwd: Path, *, timeout: float = 10.0) -> DeclaredAgent:
    from agent_conformance.attach.command import CommandError, command_adapter

    try:
        adapter = command_adapter(spec.removeprefix("cmd:"), cwd=cwd, timeout=timeout)
    except CommandError as error:
        raise AgentNotFound(f"--agent={spec}: {error}") from None
    return checked_agent(spec, adapter, start_seconds=adapter.start_seconds)


def _ready_agent(ready: Ready, cwd: Path, declaring: float | None) -> DeclaredAgent:
    """The ready-made adapter, under its name. If what it needs is missing, the line says how to install it.

    A framework is run with any model, so open ones are behind it.
    """
    try:
        in_node = ready.bridge is not None
        if in_node:
            agent = _command_agent(ready.spec, cwd, timeout=IMPORTING)
        else:
            agent = load_agent(ready.spec, cwd=cwd, declaring=declaring if ready.program else None)
    except AgentNotFound as error:
        problem = str(error).removeprefix(f"--agent={ready.spec}: ")
        raise AgentNotFound(f"--agent={ready.name}: {problem}{install_hint(ready.name)}") from None
    return replace(agent, spec=ready.name, features=agent.features | {"open-models"})


def _acp_agent(spec: str, cwd: Path, declaring: float | None) -> DeclaredAgent:
    try:
        from agent_conformance.attach.acp import NotACommand, acp_adapter
        from agent_conformance.attach.acp.adapter import STARTING
    except ImportError as error:
        raise AgentNotFound(f"--agent={spec}: {error}") from None
    try:
        adapter = acp_adapter(spec.removeprefix("acp:"), cwd=cwd, timeout=max(STARTING, declaring or 0.0))
    except NotACommand as error:
        raise AgentNotFound(f"--agent={spec}: {error}") from None
    return checked_agent(spec, adapter, start_seconds=adapter.start_seconds)


def import_over(spec: str, limit: float, place: str = "") -> str:
    """What is said of an import that has taken more than these seconds."""
    more = f"--agent-timeout={limit / IMPORT_TIMEOUTS * 6:g} gives it {limit * 6:g} s"
    return f"--agent={spec}: its import did not end within {limit:g} s{place}; {more}"


def _put_first(folder: Path) -> None:
    """In front of `sys.path`, also where it stands further back: the agent's module is the project's."""
    if str(folder) not in sys.path[:1]:
        sys.path.insert(0, str(folder))


def _file_of(spec: str, name: str, folders: list[Path]) -> Path:
    for folder in folders:
        if (folder / name).is_file():
            return (folder / name).resolve()
    module = name.removesuffix(".py").replace("/", ".").strip(".")
    missing = f"there is no file {folders[0] / name}"
    raise AgentNotFound(f"--agent={spec}: {missing}; a module is written {module}, without .py")


def _import_file(spec: str, path: Path) -> Any:
    """The module of a file, by the name that it has from the first folder above that is no package."""
    home = next(folder for folder in path.parents if not (folder / "__init__.py").is_file())
    name = ".".join(path.relative_to(home).with_suffix("").parts).removesuffix(".__init__")
    _put_first(home)
    known = sys.modules.get(name)
    if known is None or Path(getattr(known, "__file__", None) or "").resolve() == path:
        return _import(spec, name)
    return _import(spec, name, at=path)  # another module, of the standard library perhaps, has taken the name


def _import(spec: str, module_name: str, *, at: Path | None = None) -> Any:
    try:
        return importlib.import_module(module_name) if at is None else _executed(at)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        names = (module_name, module_name.split(".", maxsplit=1)[0])
        missing = isinstance(error, ModuleNotFoundError) and error.name in names
        message = " ".join(str(error).split())
        if missing:
            text = f"{module_name} was not found; looked in {sys.path[0]} and the environment{renamed_package(error)}"
        else:
            where = f"{_place(error)}{renamed_package(error)}"
            text = f"{module_name} cannot be imported: {type(error).__name__}: {message}{where}"
        raise AgentNotFound(f"--agent={spec}: {text}") from None


def _executed(path: Path) -> ModuleType:
    """The module of a file under a name of its own."""
    name = f"agent_file_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def _place(error: BaseException) -> str:
    frames = [f for f in traceback.extract_tb(error.__traceback__) if "importlib" not in f.filename]
    mine = [f for f in frames if not f.filename.startswith(str(Path(__file__).parents[1]))]
    return f" ({mine[-1].filename}:{mine[-1].lineno})" if mine and not isinstance(error, SyntaxError) else ""


def renamed_package(error: BaseException) -> str:
    """The hint for an import of a package by the name that it had before it was published."""
    old, _, rest = str(getattr(error, "name", "") or "").partition(".")
    new = FORMER_NAMES.get(old) if isinstance(error, ModuleNotFoundError) else None
    return f"; it is called {new}{'.' if rest else ''}{rest} now" if new else ""


def _declared_words(where: str, attribute: str, value: Any, known: tuple[str, ...]) -> tuple[str, ...]:
    if value is None:
        return ()
    if isinstance(value, str) or not isinstance(value, Iterable):
        example = f"write a tuple of words, for example ({known[0]!r},)"
        raise AgentNotFound(f"{where}: `{attribute}` is {SHORT.repr(value)}; {example}")
    words = _items(where, attribute, value)
    for word in words:
        if word not in known:
            near = difflib.get_close_matches(str(word)[:LONGEST_WORD], known, n=1)
            hint = f"; did you mean {near[0]!r}?" if near else ""
            raise AgentNotFound(
                f"{where}: `{attribute}` has {SHORT.repr(word)}, which is none of {', '.join(known)}{hint}"
            )
    return words


def _items(where: str, attribute: str, value: Iterable[Any]) -> tuple[Any, ...]:
    """Raises `AgentNotFound` for too many, of which there may be no end."""
    items = tuple(islice(value, MOST_DECLARED + 1))
    if len(items) > MOST_DECLARED:
        raise AgentNotFound(f"{where}: `{attribute}` has more than {MOST_DECLARED} items; name those that count")
    return items


def _reply_tool(where: str, adapter: Any) -> tuple[str, str | None] | None:
    value = getattr(adapter, "reply_tool", None)
    if value is None:
        return None
    if not isinstance(value, tuple | list) or [type(word) for word in value] not in NAMES_OF_A_REPLY_TOOL:
        raise AgentNotFound(f"{where}: `reply_tool` is {SHORT.repr(value)}; write a pair of texts, (tool, argument)")
    return value[0], value[1]


def _instructions_as_message(where: str, adapter: Any) -> bool:
    value = getattr(adapter, "instructions_as_message", False)
    if not isinstance(value, bool):
        raise AgentNotFound(f"{where}: `instructions_as_message` is {SHORT.repr(value)}; write True or False")
    return value


def _pattern(where: str, pattern: Any) -> Any:
    try:
        compiled = re.compile(pattern)
    except (re.error, TypeError) as error:
        raise AgentNotFound(f"{where}: `scrub` has {pattern!r}, which is no regular expression: {error}") from None
    if isinstance(compiled.pattern, bytes):
        raise AgentNotFound(f"{where}: `scrub` has {pattern!r}, of bytes; snapshots are text")
    return compiled


def _errors(where: str, adapter: Any) -> tuple[tuple[type[BaseException], ...], tuple[str, ...]]:
    """The exception classes, and the modules whose deliberate exceptions count as well."""
    value = getattr(adapter, "errors", None) or ()
    if isinstance(value, str) or not isinstance(value, type | Iterable):
        raise AgentNotFound(f"{where}: `errors` is {SHORT.repr(value)}; write a tuple of exception classes")
    listed = (value,) if isinstance(value, type) else _items(where, "errors", value)
    places = tuple(item for item in listed if isinstance(item, str))
    classes = tuple(item for item in listed if not isinstance(item, str))
    for place in places:
        if not place.strip("/. ") or place == "builtins":
            raise AgentNotFound(f"{where}: `errors` has {place!r}; write a module or package, such as 'haystack.core'")
        if place[0].isupper() and place.isidentifier() and importlib.util.find_spec(place) is None:
            raise AgentNotFound(
                f"{where}: `errors` has {place!r}, which is no module; of a class, write the class itself"
            )
    for cls in classes:
        if not (isinstance(cls, type) and issubclass(cls, BaseException)):
            raise AgentNotFound(f"{where}: `errors` has {SHORT.repr(cls)}, which is no exception class")
        if cls.__module__ == "builtins":
            raise AgentNotFound(
                f"{where}: `errors` has {cls.__name__}, which would hide crashes; list the agent's own base classes, "
                "or the package that raises it on purpose, as a text: 'haystack.core'"
            )
    return (AgentError, *classes), places
