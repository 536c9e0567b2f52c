"""The pytest entry point: options, and the decision whether the suite runs.

Without `--agent` nothing of `fake_providers` or `agent_conformance` is imported.
"""

import gc
import sys
from argparse import SUPPRESS
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from copy import copy
from importlib.machinery import ModuleSpec, PathFinder
from typing import Any

import pytest

from pytest_agent_conformance_options import BARE, OPTIONS


class AsWritten:
    """Finds the project's packages before pytest does, which rewrites the asserts of a plugin's whole distribution.

    Nothing of a test is asserted there. Rewriting took most of a second where byte code cannot be written, and reading
    what was rewritten before takes twice as long as reading plain byte code.
    """

    @staticmethod
    def find_spec(name: str, path: Sequence[str] | None = None, target: object = None) -> ModuleSpec | None:
        is_ours = name.partition(".")[0] in ("agent_conformance", "fake_providers")
        return PathFinder.find_spec(name, path) if is_ours else None


sys.meta_path.insert(0, AsWritten)


GROUP = "agent conformance (more in docs/options.md, and below: each key agent_... is an option too, as --agent-level)"
SNAPSHOT_UPDATE = "--snapshot-update"
SNAPSHOT_UPDATE_HELP = "record snapshots, and accept how they differ"

TYPED = frozenset(f"--{option.name}" for option in OPTIONS if not option.ini_type)
"""The options that are no keys of the configuration."""

EMPTY: dict[str, Any] = {"string": "", "bool": False, "float": 0.0}
"""The value of a key that is not set; for the other types it is an empty list."""


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("agent-conformance", GROUP)
    for name, action, ini_type, placeholder, help_text, _, rare in OPTIONS:
        extra: dict[str, Any] = {} if action == "store_true" else {"metavar": placeholder}
        if name in BARE:
            extra |= {"nargs": "?", "const": BARE[name]}
        group.addoption(f"--{name}", action=action, default=None, help=SUPPRESS if rare else help_text, **extra)
        if ini_type:
            default = EMPTY.get(ini_type, [])
            text = help_text if rare else f"as --{name}"
            parser.addini(name.replace("-", "_"), text, type=ini_type, default=default)  # type: ignore[arg-type]


@pytest.hookimpl(wrapper=True)
def pytest_load_initial_conftests(
    early_config: pytest.Config, parser: pytest.Parser, args: list[str]
) -> Generator[None, None, None]:
    """Starts the suite before the conftests. `--snapshot-update` is registered after the conftests, which may have one
    of their own.
    """
    is_on = start_suite(early_config, parser, args)
    yield
    is_ours_too = add_snapshot_update(parser)
    if is_ours_too and not is_on and SNAPSHOT_UPDATE in map(str, early_config.invocation_params.args):
        raise pytest.UsageError(f"{SNAPSHOT_UPDATE} needs --agent=module:Adapter, the agent whose snapshots to record")


def start_suite(early_config: pytest.Config, parser: pytest.Parser, args: list[str]) -> bool:
    """Whether the suite runs; where it does, its packages are loaded and its hooks registered."""
    refuse_keys(early_config)
    typed = [str(arg) for arg in early_config.invocation_params.args if is_ours(str(arg))]
    if not (early_config.known_args_namespace.agent or early_config.getini("agent")):
        if typed:
            raise pytest.UsageError(f"{typed[0]} needs --agent=module:Adapter, the agent to run")
        return False
    if not typed and not configured_run_has_scenarios(early_config):
        return False
    refuse_added_options(early_config)
    with loading_for_good():
        from agent_conformance.pytest import plugin
        from agent_conformance.pytest.options import with_relations_named

        if (named := with_relations_named(args)) != args:  # else the path behind it would be its value
            args[:] = named
            early_config.known_args_namespace = parser.parse_known_args(args, namespace=copy(early_config.option))
    plugin.start(early_config, args, requested=bool(typed))
    return True


def refuse_keys(config: pytest.Config) -> None:
    """pytest only warns of `agent-level = "should"`, and the run would go on without it; and what has to be typed."""
    overridden = [str(text).partition("=")[0].strip() for text in config.known_args_namespace.override_ini or ()]
    written = vars(config).get("_inicfg") or vars(config).get("inicfg") or {}  # its name depends on pytest's version
    for key in (*written, *overridden):
        if "-" in key and any(key == name for name, *_ in OPTIONS):
            raise pytest.UsageError(f"{key} in pytest's configuration: write {key.replace('-', '_')}")
        if f"--{key.replace('_', '-')}" in TYPED:
            raise must_be_typed(key, key.replace("_", "-"))


def refuse_added_options(config: pytest.Config) -> None:
    """The same in `addopts`, which a file may have too."""
    for word in map(str, config.getini("addopts")):
        name = word.partition("=")[0]
        if name in TYPED or name == SNAPSHOT_UPDATE:
            raise must_be_typed(f"addopts = {name}", name.removeprefix("--"))


def must_be_typed(found: str, name: str) -> pytest.UsageError:
    why = "there it would hide what every later run finds"
    return pytest.UsageError(f"{found} in pytest's configuration: {why}. Remove it, and type --{name} for one run")


def add_snapshot_update(parser: pytest.Parser) -> bool:
    """Register `--snapshot-update` and say so, unless syrupy, whose option it is, or a conftest has done so."""
    known = parser.parse_known_args([])  # `config.option` has what a conftest adds since pytest 9 alone
    if hasattr(known, "update_snapshots") or hasattr(known, "snapshot_update"):
        return False
    group = parser.getgroup("agent-conformance", GROUP)
    group.addoption(SNAPSHOT_UPDATE, action="store_true", dest="update_snapshots", help=SNAPSHOT_UPDATE_HELP)
    return True


@pytest.fixture
def fake_provider() -> Iterator[Any]:
    """Starts strict fake model providers on loopback; they stop with the test.

    `fake_provider("gemini", replies=[Reply(text="Hello.")])` gives an object with `base_url`, `requests`, `views`,
    `violations` and `transcript`. Without replies the fake calls the first tool offered, once, and then says `Done.`
    """
    from agent_conformance.pytest.fixture import started_fakes

    with started_fakes() as start:
        yield start


def pytest_exception_interact(call: "pytest.CallInfo[Any]", report: Any) -> None:
    """A test module that imports a package of this project by a former name is told the name of today."""
    error = call.excinfo.value.__cause__ if call.excinfo is not None else None
    text = getattr(report.longrepr, "longrepr", None)
    if isinstance(error, ModuleNotFoundError) and isinstance(report, pytest.CollectReport) and isinstance(text, str):
        from agent_conformance.attach.loading import renamed_package

        if hint := renamed_package(error):
            report.longrepr.longrepr = f"{text}\nE   {error.name}{hint.removeprefix('; it')}"  # type: ignore[union-attr]


def is_ours(argument: str) -> bool:
    return argument == "--agent" or argument.startswith(("--agent=", "--agent-"))


def configured_run_has_scenarios(config: pytest.Config) -> bool:
    """Whether a run whose `--agent` stands in the configuration reaches scenarios: only paths and ids can say so."""
    given = config.known_args_namespace.file_or_dir
    if given:
        return not all(argument.partition("::")[0].endswith(".py") for argument in given)
    folders = [config.rootpath / "scenarios", *config.getini("agent_scenarios")]
    paths = [config.rootpath / path for path in config.getini("testpaths")]
    return any(path.is_relative_to(folder) for path in paths for folder in folders)


@contextmanager
def loading_for_good() -> Iterator[None]:
    """What is loaded by the end stays as long as the process: no collection of garbage walks it, not even the last.

    Those walks took a third of the time of a run of one case. Nothing of the project is loaded yet.
    """
    if "agent_conformance.pytest.plugin" in sys.modules:  # a second run in this process: what the first left may go
        yield
        return
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
        gc.freeze()
    finally:
        if was_enabled:
            gc.enable()
