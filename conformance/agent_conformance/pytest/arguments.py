"""From what was typed to a selection: ids among the paths, filters, and the folders that a run without a path is about.
Scenarios are read only through the catalogue.
"""

import os
from fnmatch import fnmatch
from functools import partial
from pathlib import Path

import pytest
from msgspec.structs import replace

from agent_conformance.pytest.collection import Catalogue
from agent_conformance.pytest.options import early_scenarios
from agent_conformance.pytest.request_files import request_files
from agent_conformance.scenario.files import without_finding
from agent_conformance.scenario.files.selection import (
    Folder,
    NothingSelected,
    ScenarioPath,
    Selection,
    folders_for,
    meanings_of,
    resolve,
)

MANY = 100
"""From so many files on, the folders themselves are collected and filtered."""


def scenario_folders(config: pytest.Config) -> tuple[Folder, ...]:
    """The folders of this project; raises `pytest.UsageError` where the installation lacks the corpus."""
    try:
        return folders_for(
            config.rootpath,
            config.invocation_params.dir,
            early_scenarios(config),
            is_ignored=partial(is_ignored, config),
        )
    except FileNotFoundError as error:
        raise pytest.UsageError(str(error)) from None


def is_ignored(config: pytest.Config, folder: Path) -> bool:
    """Whether pytest's options leave out a folder. pytest itself checks only what lies below its arguments."""
    given, here = config.known_args_namespace, config.invocation_params.dir
    path = folder.absolute()
    if any(path.is_relative_to(os.path.normpath(here / ignored)) for ignored in given.ignore or ()):
        return True
    if any(fnmatch(str(path), str(here / pattern)) for pattern in given.ignore_glob or ()):
        return True
    # As pytest reads `norecursedirs`: a pattern with a slash matches the end of the whole path.
    return any(
        (fnmatch(str(path), f"*/{pattern}") if "/" in pattern else fnmatch(path.name, pattern))
        for pattern in config.getini("norecursedirs")
    )


def put_paths_first(config: pytest.Config, args: list[str], folders: tuple[Folder, ...]) -> None:
    """Make the folders the run's paths, before pytest takes those of the unit tests and loads their conftests.

    They go in front, where no option takes them for its value. The project's own conftest still counts: it may define
    options and paths that the adapter needs.
    """
    args[:0] = [*(str(folder.path) for folder in folders), *own_requests(config)]
    load_conftests_of(config, folders)


def own_requests(config: pytest.Config) -> list[str]:
    """The files of requests in this project, beside its scenarios."""
    found = request_files(config.rootpath, config.invocation_params.dir)
    return [path for path in found if not is_ignored(config, Path(path).parent)]


def load_conftests_of(config: pytest.Config, folders: tuple[Folder, ...]) -> None:
    """Tell pytest where to look for conftests: without a path it would load those of all unit tests."""
    conftest = config.rootpath / "conftest.py"
    own = [str(conftest)] if conftest.is_file() else []
    config.known_args_namespace.file_or_dir = [*(str(folder.path) for folder in folders), *own]


def named_cases(config: pytest.Config) -> list[str]:
    """The arguments that are no paths, hence ids."""
    return [argument for argument in config.args if not is_path(argument, config.invocation_params.dir)]


def select(config: pytest.Config, catalogue: Catalogue, filters: tuple[str, ...]) -> Selection:
    """Replace ids among the arguments by the files that hold them. Raises `pytest.UsageError` for an unknown one."""
    folders = catalogue.selection.folders
    named = named_cases(config)
    paths = [argument for argument in config.args if argument not in named]
    named_patterns: list[str] = []
    files: list[str] = []
    for argument in named:
        meanings = meanings_of(argument, rootdir=config.rootpath, working_dir=config.invocation_params.dir)
        pattern, found = _resolve(catalogue.selection, meanings, catalogue)
        named_patterns.append(pattern)
        # pytest takes a bracket in an argument for the name of a test, and refuses a link that leads nowhere; of the
        # folder, only what is selected is read
        files += [str(one.path if _is_taken(one.path) else one.path.parent) for one in found]
    typed_paths = tuple((config.invocation_params.dir / path.partition("::")[0]).resolve() for path in paths)
    filter_patterns = tuple(without_finding(pattern) for pattern in filters)
    if not hasattr(config, "workerinput"):
        scope = catalogue.selection if named else Selection(_folders_under(folders, typed_paths))
        for pattern in filter_patterns:
            _resolve(scope, [pattern], catalogue)
    unique = dict.fromkeys(files)
    config.args = [*paths, *(unique if len(unique) <= MANY else [str(folder.path) for folder in folders])]
    return replace(catalogue.selection, paths=typed_paths, patterns=tuple(named_patterns), filters=filter_patterns)


def _is_taken(path: Path) -> bool:
    return "[" not in path.name and path.exists()


def is_path(argument: str, working_dir: Path) -> bool:
    """Whether pytest is to look for it: it exists, or it reads like a test that does not."""
    path = argument.partition("::")[0]
    return "::" in argument or path.endswith(".py") or (working_dir / path).exists()


def _resolve(selection: Selection, meanings: list[str], catalogue: Catalogue) -> tuple[str, list[ScenarioPath]]:
    try:
        return resolve(selection, meanings, catalogue.case_ids)
    except NothingSelected as error:
        raise pytest.UsageError(str(error)) from None


def _folders_under(folders: tuple[Folder, ...], typed_paths: tuple[Path, ...]) -> tuple[Folder, ...]:
    """What a filter looks in: the folders at or below the paths of this run, and the paths themselves."""
    known = {folder.path: folder for folder in folders}
    below = [folder for folder in folders if any(folder.path.is_relative_to(path) for path in typed_paths)]
    return tuple(
        {folder.path: folder for folder in (*below, *(known.get(path, Folder(path)) for path in typed_paths))}.values()
    )
