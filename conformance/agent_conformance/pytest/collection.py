"""The nodes that scenarios are for pytest: a folder, a scenario, its cases. Files are read through the scenario loader,
and cases made through `agent_conformance.scenario.cases`. A broken file is a collection error, a line a mistake; files
of a folder `scenarios/` that are about something else are left alone.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from msgspec import Struct, field

from agent_conformance.adapter.contract import DeclaredAgent
from agent_conformance.baseline.case_report import Row, text_of
from agent_conformance.pytest.terminal_text import write_failure
from agent_conformance.scenario.cases import Case, RunOptions, cases_of
from agent_conformance.scenario.files import RECORDINGS_SUFFIXES, SUFFIXES, is_cassette
from agent_conformance.scenario.files.selection import (
    PACKAGE,
    ScenarioPath,
    Selection,
    folder_of,
    is_scenario_name,
    mentions_scenarios,
    scenario_path_at,
    unknown_cases,
)
from agent_conformance.scenario.loading import ScenarioFile, load_file
from agent_conformance.scenario.model import Scenario
from agent_conformance.scenario.yaml_files import Problem, real_path, shown_path
from agent_conformance.scenario.yaml_files.reading import MAX_BYTES, read, read_data
from agent_conformance.transcripts.shown_texts import shown

FIELDS = (*Scenario.__struct_fields__, "examples")
_ALIKE = 0.8
"""From here on a key counts as a misspelt field."""

_TOP_LEVEL_KEY = re.compile(r"""^["']?([\w$-]+)["']?\s*:""", re.MULTILINE)


def is_foreign(path: Path, folder: Path) -> bool:
    """Whether a file of this folder is no scenario. In a folder with scenarios, half its keys must be our fields."""
    if is_surely_scenario(path):
        return False
    keys = list(top_level_keys(path))
    fields = [key for key in keys if _field_like(key)]
    return not fields or 2 * len(fields) < len(keys) or not holds_scenarios(folder)


@cache
def holds_scenarios(folder: Path) -> bool:
    """Whether some file below the folder cannot be anything but a scenario, complete or not."""
    files = (path for path in sorted(folder.rglob("*")) if path.suffix in SUFFIXES and path.is_file())
    return any(is_surely_scenario(path) for path in files)


def is_surely_scenario(path: Path) -> bool:
    """It has a `conversation`, or both a `description` and a `profile`, or its line for editors names our schema."""
    if b"scenario.schema.json" in _beginning(path):
        return True
    fields = {_field_like(key) for key in top_level_keys(path)}
    return "conversation" in fields or fields >= {"description", "profile"}


def top_level_keys(path: Path) -> Iterable[str]:
    """The keys of the mapping in a YAML file; of one that cannot be parsed, those that its lines begin with."""
    data = _beginning(path)
    value = read(data).value
    if value is None:
        return _TOP_LEVEL_KEY.findall(data.decode("utf-8", "replace"))
    return list(value) if isinstance(value, dict) else []


def _field_like(key: str) -> str:
    near = get_close_matches(key, FIELDS, n=1, cutoff=_ALIKE)
    return near[0] if near else ""


def _beginning(path: Path) -> bytes:
    try:
        return read_data(path)[:MAX_BYTES]
    except OSError:
        return b""


class BrokenScenario(Exception):
    """A scenario file that cannot be run, as located messages."""

    def __init__(self, problems: list[Problem]) -> None:
        super().__init__("\n".join(str(problem) for problem in problems))
        self.problems = problems


class Catalogue(Struct):
    """The cases of each file, read once. `only_yaml` leaves out a folder's unit tests.

    `item` makes a case's node. Findings show paths from `start`. `foreign` are files that are no scenarios.
    """

    agent: DeclaredAgent
    choice: RunOptions
    selection: Selection
    only_yaml: bool
    item: Callable[..., pytest.Item]
    start: Path
    foreign: set[str] = field(default_factory=set)
    _loaded: dict[Path, list[Case] | BrokenScenario] = field(default_factory=dict)
    _unplayed: dict[Path, list[Problem]] = field(default_factory=dict)
    _paths: dict[str, Path] = field(default_factory=dict)

    def cases(self, scenario: ScenarioPath) -> list[Case]:
        """The file's cases, selected or not. Raises `BrokenScenario`."""
        if scenario.path not in self._loaded:
            self._loaded[scenario.path] = self._load(scenario)
        loaded = self._loaded[scenario.path]
        if isinstance(loaded, BrokenScenario):
            raise loaded
        return loaded

    def unknown_cases(self, ids: Iterable[str]) -> list[str]:
        return unknown_cases(self.selection, ids)

    def case_ids(self, scenario: ScenarioPath) -> list[str]:
        try:
            return [case.id for case in self.cases(scenario)]
        except BrokenScenario:
            return []

    def unplayed(self, scenario: ScenarioPath) -> list[Problem]:
        """What of a cassette cannot be played, where something can."""
        return self._unplayed.get(scenario.path, [])

    def _load(self, scenario: ScenarioPath) -> list[Case] | BrokenScenario:
        if not self.selection.is_bundled(scenario.path) and is_cassette(scenario.path):
            from agent_conformance.recorded_cases.loading import load_cassette

            played = load_cassette(scenario, start=self.start)
            if played.file is None:
                return BrokenScenario(list(played.problems))
            self._unplayed[scenario.path] = list(played.problems)
            return self._twice(scenario.id, scenario) or played.cases(self.agent, self.choice)
        loaded = load_file(scenario.path, root=scenario.root, start=self.start)
        if not isinstance(loaded, ScenarioFile):
            return BrokenScenario(loaded)
        return self._twice(loaded.id, scenario) or cases_of(loaded, self.agent, self.choice)

    def _twice(self, id: str, scenario: ScenarioPath) -> BrokenScenario | None:
        first = self._paths.setdefault(id, scenario.path)
        if first == scenario.path:
            return None
        taken = f"the id {id} is already that of {shown_path(first)}. Rename this file."
        return BrokenScenario([Problem(shown_path(scenario.path), 1, taken)])


class ScenarioFolder(pytest.Directory):
    """A folder at or below one of scenarios. Collects what pytest's own `Dir` would, each file by the hooks.

    Once: pytest asks again for each file of it that is an argument, and an area of ours has up to fifty.
    """

    def __init__(self, *, catalogue: Catalogue, **kw: Any) -> None:
        super().__init__(**kw)
        self.catalogue = catalogue
        self._nodes: list[pytest.Collector] | None = None

    def collect(self) -> list[pytest.Collector]:
        if self._nodes is None:
            self._nodes = [*self._found()]
        return self._nodes

    def _found(self) -> Iterator[pytest.Collector]:
        for path in sorted(self.path.iterdir(), key=lambda path: path.name):
            if path.is_dir():
                if path.name.startswith((".", "_")) or self.ihook.pytest_ignore_collect(
                    collection_path=path, config=self.config
                ):
                    continue
                node = self.ihook.pytest_collect_directory(path=path, parent=self)
                yield from [node] if node is not None else []
            elif self.leaves_out(path) or self.ihook.pytest_ignore_collect(collection_path=path, config=self.config):
                continue
            elif path.is_file() or (path.is_symlink() and not path.exists()):
                yield from self.ihook.pytest_collect_file(file_path=path, parent=self)

    def leaves_out(self, path: Path) -> bool:
        return self.catalogue.only_yaml and not is_scenario_name(path) and not is_cassette(path)


class CorpusAncestor(pytest.Directory):
    """A folder of site-packages above the corpus, where the environment lies inside the project."""

    def collect(self) -> Iterator[pytest.Collector]:
        towards = PACKAGE if self.path != PACKAGE else PACKAGE / "_scenarios"
        node = self.ihook.pytest_collect_directory(path=towards, parent=self)
        yield from [node] if node is not None else []


class ScenarioNode(pytest.Collector):
    """One scenario file. No `pytest.File`: with `--lf` pytest would leave out files by their path and lose cases."""

    def __init__(self, *, scenario: ScenarioPath, catalogue: Catalogue, **kw: Any) -> None:
        super().__init__(**kw)
        self.scenario = scenario
        self.catalogue = catalogue

    def collect(self) -> Iterator[pytest.Item | pytest.Collector]:
        cases = self.catalogue.cases(self.scenario)
        area = self.scenario.id.partition("/")[0]
        register_mark(self.config, area, f"scenarios of the area {area}")
        place = shown_path(self.scenario.path)
        is_selected = self.catalogue.selection.of_file(self.scenario.path)
        for case in cases:
            if is_selected(case.id):
                yield self.catalogue.item(self, name=case.id, nodeid=case.id, case=case, place=place)
        problems = self.catalogue.unplayed(self.scenario)
        if problems and self.catalogue.selection.takes_whole(self.scenario.path):
            names = dict.fromkeys(("name", "nodeid"), shown(self.scenario.id))
            yield UnplayedNode.from_parent(self, scenario=self.scenario, catalogue=self.catalogue, **names)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        if isinstance(excinfo.value, BrokenScenario):
            rows = [Row(value=shown(str(problem))) for problem in excinfo.value.problems]
            return FailureText(rows, Headline(rows[0].value, shown_path(self.scenario.path)))
        return super().repr_failure(excinfo)  # a defect of the suite: with its traceback


class UnplayedNode(ScenarioNode):
    """What of a cassette cannot be played, as an error beside the cases of the rest."""

    def collect(self) -> Iterator[pytest.Item | pytest.Collector]:
        raise BrokenScenario(self.catalogue.unplayed(self.scenario))


class FailureText:
    """What pytest's error section shows; the headline also stands in its short summary."""

    def __init__(self, rows: Sequence[Row], reprcrash: "Headline") -> None:
        self.rows = rows
        self.reprcrash = reprcrash

    def __str__(self) -> str:
        return text_of(self.rows)

    def toterminal(self, tw: Any) -> None:
        write_failure(tw, self.rows)


def relocated(longrepr: Any, headline: str, place: str, rows: Sequence[Row] = ()) -> Any:
    """A report from an xdist worker has lost everything but its text: give it its headline and its rows back."""
    if not isinstance(longrepr, str) or not headline:
        return longrepr
    return FailureText(rows or [Row(value=line) for line in longrepr.split("\n")], Headline(headline, place))


class Headline(Struct, frozen=True):
    """A `reprcrash`: pytest's short summary prints `message`, and `--tb=line` all of it. Plugins that write a report
    of their own also read where it is.
    """

    message: str
    path: str
    lineno: int = 1

    def __str__(self) -> str:
        return self.message


def register_mark(config: pytest.Config, name: str, meaning: str) -> None:
    """In both spellings in which `-m` takes it: as it is, and with `_` for `-`."""
    known = config.getini("markers")
    for mark in dict.fromkeys((name, name.replace("-", "_"))):
        if not any(line.startswith(f"{mark}:") for line in known):
            config.addinivalue_line("markers", f"{mark}: {meaning}")


def collect_directory(path: Path, parent: pytest.Collector, catalogue: Catalogue) -> pytest.Collector | None:
    real = path.resolve()
    inside = PACKAGE / "_scenarios"
    if real in (PACKAGE, PACKAGE.parent) and any(f.path == inside for f in catalogue.selection.folders):
        return CorpusAncestor.from_parent(parent, path=path, nodeid=real.name)
    folder = folder_of(real, catalogue.selection.folders)
    if folder is None:
        return None
    name = real.relative_to(folder.path).as_posix() if real != folder.path else folder.path.name
    return ScenarioFolder.from_parent(parent, path=path, name=name, nodeid=name, catalogue=catalogue)


def collect_file(path: Path, parent: pytest.Collector, catalogue: Catalogue) -> pytest.Collector | None:
    """A node for a scenario: a file in a folder of scenarios, one that was typed, or one with others in its folder."""
    if path.suffix not in RECORDINGS_SUFFIXES:
        return None
    real = real_path(path)
    folder = folder_of(real, catalogue.selection.folders)
    is_typed = parent.session.isinitpath(path)
    is_recorded = (is_typed or (folder is not None and folder.may_hold_cassettes)) and is_cassette(real)
    if not is_scenario_name(path) and not is_recorded:
        return None
    if folder is not None and folder.bundled and real.parent == folder.path:
        return None
    if folder is None and not is_typed and not mentions_scenarios(real.parent):
        return None
    is_there = real.exists()  # a link that leads nowhere is a broken scenario
    if folder is not None and folder.by_name and not is_typed and is_there and is_foreign(real, folder.path):
        catalogue.foreign.add(shown_path(path))
        return None
    scenario = scenario_path_at(real, folder)
    if not catalogue.selection.may_hold(scenario):
        return None
    names = dict.fromkeys(("name", "nodeid"), shown(scenario.id))
    return ScenarioNode.from_parent(parent, path=path, scenario=scenario, catalogue=catalogue, **names)
