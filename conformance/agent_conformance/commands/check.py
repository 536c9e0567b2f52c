"""The subcommand `check`: read scenario files as a run reads them, and print every mistake. Runs no scenario."""

import argparse
import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import structs

if TYPE_CHECKING:
    from agent_conformance.scenario.loading import ScenarioFile
    from agent_conformance.scenario.yaml_files import Problem

SUMMARY = "check scenario files: each mistake with its line, and what is allowed there"
DESCRIPTION = """\
Check scenario files without running them. Each mistake is printed with its file, its line and what is allowed there.
Of a cassette, each conversation is a scenario, and it says what cannot be played.
A warning is about what is right, and was perhaps meant otherwise. Exit code 1 if there is a mistake, 2 if there is no
scenario file."""
EXAMPLES = """\
examples:
  agent-conformance check
  agent-conformance check scenarios more-scenarios
  agent-conformance check scenarios/orders/refund-twice.yaml"""

FOLDER = "scenarios"
"""The folder of scenarios in a project: the folders in it are the areas."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "paths",
        type=Path,
        nargs="*",
        default=[Path(FOLDER)],
        metavar="PATH",
        help=f"scenario files, cassettes, and folders with them (default: {FOLDER})",
    )
    parser.add_argument("--json", action="store_true", help="print the mistakes and warnings as JSON")


def run(options: argparse.Namespace) -> int:
    from agent_conformance.commands.shared import fitted, print_json
    from agent_conformance.scenario.files import is_cassette
    from agent_conformance.scenario.loading import ScenarioFile, find_clashes, load_file
    from agent_conformance.scenario.yaml_files import real_path

    found: dict[Path, tuple[Path, Path | None]] = {}
    for path in options.paths:
        files_here = {real_path(file): (file, root) for file, root in _files_at(path)}
        if not files_here:
            reason = "there are no scenario files (*.yaml) in it" if path.exists() else "no such file or folder"
            print(f"{path}: {reason}", file=sys.stderr)
            return 2
        found = files_here | found
    cassettes = dict.fromkeys(path for path, _ in found.values() if is_cassette(path))
    loaded = [load_file(path, root=root) for path, root in found.values() if path not in cassettes]
    files = [file for file in loaded if isinstance(file, ScenarioFile)]
    broken = [problem for problems in loaded if not isinstance(problems, ScenarioFile) for problem in problems]
    played, unplayed = _played([*cassettes])
    problems = sorted([*broken, *unplayed, *find_clashes([*files, *played]), *_bundled_ids([*files, *played])])
    warnings = sorted({warning for file in files for warning in _warnings(file)}.union(_twins(files)))
    scenarios = sum(len(file.rows) for file in [*files, *played])
    if options.json:
        listed = {
            "problems": [structs.asdict(one) for one in problems],
            "warnings": [structs.asdict(one) for one in warnings],
        }
        print_json({"files": len(found), "scenarios": scenarios, **listed})
        return 1 if problems else 0
    for problem in problems:
        print(fitted(str(problem)))
    for warning in warnings:
        print(fitted(f"{warning.file}:{warning.line}: warning: {warning.message}"))
    print(f"files: {len(found)}, scenarios: {scenarios}, problems: {len(problems)}")
    return 1 if problems else 0


def _played(cassettes: Sequence[Path]) -> "tuple[list[ScenarioFile], list[Problem]]":
    """What can be played of cassettes, and what cannot."""
    if not cassettes:
        return [], []
    from agent_conformance.recorded_cases.loading import load_cassette
    from agent_conformance.scenario.files.selection import scenario_path_at

    loaded = [load_cassette(scenario_path_at(path, None)) for path in cassettes]
    files = [one.file for one in loaded if one.file is not None]
    return files, [problem for one in loaded for problem in one.problems]


def _files_at(path: Path) -> Iterator[tuple[Path, Path | None]]:
    """Each scenario file and cassette at `path`, with the folder whose subfolders are areas; None: it may be any."""
    from agent_conformance.scenario.files import cassettes_below
    from agent_conformance.scenario.loading import scenario_paths

    path = Path(os.path.abspath(path))  # with its name, for `.` too
    if path.is_file() or (path.is_symlink() and not path.exists()):
        yield path, next((folder for folder in path.parents[:2] if folder.name == FOLDER), None)
        return
    found = scenario_paths(path)
    root: Path | None = path
    if path.parent.name == FOLDER:
        root = path.parent
    elif path.name != FOLDER and all(file.parent == path for file in found):
        root = None
    for file in (*found, *cassettes_below(path)):
        yield file, root


def _warnings(file: "ScenarioFile") -> Iterator["Problem"]:
    """What is right as it stands, and was perhaps meant otherwise. It does not change the exit code."""
    from agent_conformance.scenario.checks.warnings_ import doubts_of
    from agent_conformance.scenario.yaml_files import Problem, shown_path

    rows = [set(doubts_of(scenario)) for scenario in file.rows.values()]
    for path, message in set().union(*rows):
        # A row's value may be nothing where other rows demand something.
        if "expect" not in path or all(any(path == other for other, _ in row) for row in rows):
            yield Problem(shown_path(file.path), file.line_of(path), message)


def _twins(files: Sequence["ScenarioFile"]) -> Iterator["Problem"]:
    from agent_conformance.scenario.checks.warnings_ import twins_in
    from agent_conformance.scenario.yaml_files import Problem, shown_path

    rows = [((file, row), scenario) for file in files for row, scenario in file.rows.items()]
    for (file, row), (other, other_row) in twins_in(rows):
        if (file.id, row) == (other.id, other_row):
            continue  # two files of one id are a problem
        path = () if row is None else ("examples", row)
        earlier = other.id if other_row is None else f"{other.id}[{other_row}]"
        message = f"it is nearly the same as {earlier}, so one catches what the other does. Keep one."
        yield Problem(shown_path(file.path), file.line_of(path or ("description",)), message)


def _bundled_ids(files: Sequence["ScenarioFile"]) -> Iterator["Problem"]:
    """A run takes a project's scenarios with the bundled ones: an id can belong to one of them only."""
    from agent_conformance.scenario.files import bundled_scenarios
    from agent_conformance.scenario.yaml_files import Problem, shown_path

    corpus = bundled_scenarios()
    for file in files:
        bundled = corpus / f"{file.id}.yaml"
        if bundled.is_file() and not bundled.samefile(file.path):
            message = f"the id {file.id} is already that of a bundled scenario. Rename this file."
            yield Problem(shown_path(file.path), 1, message)
