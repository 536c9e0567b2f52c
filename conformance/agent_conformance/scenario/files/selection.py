"""Which files and cases a run is about: folders of scenarios, ids on the command line, near misses."""

import difflib
import os
import re
from collections.abc import Callable, Collection, Iterable, Iterator
from functools import cache, cached_property
from pathlib import Path

from msgspec import Struct

from agent_conformance.scenario.files import (
    SUFFIXES,
    Patterns,
    bundled_scenarios,
    case_and_finding,
    could_match,
    head_of,
    is_cassette,
    is_glob,
    matches,
    matches_whole,
    safe_name,
    without_finding,
)
from agent_conformance.scenario.model import MODE_NAMES, WIRE_NAMES
from agent_conformance.scenario.yaml_files.reading import read_data

PACKAGE = Path(__file__).resolve().parents[2]


class NothingSelected(Exception):
    """One line: the id that names nothing, and what is near."""


class Folder(Struct, frozen=True):
    """A folder of scenarios. In the bundled corpus only its areas hold scenarios, so that data may be next to them.

    `by_name` is the project's `scenarios/`, which nobody configured: it may be about something else.
    """

    path: Path
    bundled: bool = False
    by_name: bool = False

    @property
    def may_hold_cassettes(self) -> bool:
        return not (self.bundled or self.by_name)


class ScenarioPath(Struct, frozen=True):
    """A scenario file that is not read: `id` is `area/name`, `root` the folder that the id starts from."""

    id: str
    path: Path
    root: Path

    @property
    def area(self) -> str:
        return self.id.rpartition("/")[0]


class Selection(Struct, frozen=True, dict=True):
    """What is run: everything under `paths`, and what a pattern names; of that, what the filters leave.

    Of the bundled corpus only the ids in `of_bundled`, unless it is None, and whatever a pattern names. Where nothing
    but folders is named, a bundled scenario of which `examples` has ids plays these alone.
    """

    folders: tuple[Folder, ...]
    paths: tuple[Path, ...] = ()
    patterns: tuple[str, ...] = ()
    filters: tuple[str, ...] = ()
    of_bundled: frozenset[str] | None = None
    examples: frozenset[str] = frozenset()

    def may_hold(self, found: ScenarioPath) -> bool:
        """Whether a case of this file can be selected; decided without reading the file."""
        if self.filters and not self._all_filters.could_match(found.id):
            return False
        if self._all_patterns.could_match(found.id):
            return True
        wanted = self._wanted_of_bundled
        if not self._is_below_paths(found.path):
            return False
        return wanted is None or wanted.could_match(found.id) or not self.is_bundled(found.path)

    def of_file(self, path: Path) -> Callable[[str], bool]:
        """Whether a case of this file is selected, by the case's id; what depends on the path is decided once."""
        is_below_paths = self._is_below_paths(path)
        wanted = self._wanted_of_bundled if self.is_bundled(path) else None
        some = self._some_examples if self.is_bundled(path) else None

        def holds(case_id: str) -> bool:
            if some is not None and some.could_match(head_of(case_id)) and not some.match(case_id):
                return False
            if self.filters and not self._all_filters.match(case_id):
                return False
            if self.patterns and self._all_patterns.match(case_id):
                return True
            return is_below_paths and (wanted is None or wanted.match(case_id))

        return holds

    def takes_whole(self, path: Path) -> bool:
        """Whether nothing was chosen among the cases of this file."""
        return not self.filters and self._is_below_paths(path)

    @cached_property
    def _all_filters(self) -> "Patterns":
        return Patterns(self.filters)

    @cached_property
    def _all_patterns(self) -> "Patterns":
        return Patterns(self.patterns)

    def is_bundled(self, path: Path) -> bool:
        return any(folder.bundled and path.is_relative_to(folder.path) for folder in self.folders)

    @cached_property
    def _wanted_of_bundled(self) -> Patterns | None:
        return None if self.of_bundled is None else Patterns(self.of_bundled)

    @cached_property
    def _some_examples(self) -> Patterns | None:
        names_some = (
            self.patterns or self.filters or not {folder.path for folder in self.folders}.issuperset(self.paths)
        )
        return None if names_some or not self.examples else Patterns(self.examples)

    def _is_below_paths(self, path: Path) -> bool:
        return any(path.is_relative_to(given) for given in self.paths)

    @cached_property
    def known(self) -> tuple[ScenarioPath, ...]:
        """Every scenario of the folders, in order of id."""
        return tuple(sorted((found for folder in self.folders for found in scenarios_in(folder)), key=lambda f: f.id))

    def matching(self, pattern: str) -> list[ScenarioPath]:
        """The known scenarios of which a case may match."""
        if is_glob(pattern):
            return [found for found in self.known if could_match(pattern, found.id)]
        return self._by_name.get(head_of(pattern), [])

    @cached_property
    def _by_name(self) -> dict[str, list[ScenarioPath]]:
        """The known scenarios by id, and by area."""
        named: dict[str, list[ScenarioPath]] = {}
        for found in self.known:
            for name in {found.id, found.area}:
                named.setdefault(name, []).append(found)
        return named


def smoke_ids(corpus: Path) -> frozenset[str]:
    """The hand-picked scenarios and examples of the profile `smoke`."""
    return _ids_in(corpus / "smoke.txt")


def default_examples(corpus: Path) -> frozenset[str]:
    """Of the scenarios of which not all examples run by default, those that do; none where the folder has no list."""
    listed = corpus / "default.txt"
    return _ids_in(listed) if listed.exists() else frozenset()


def everything_of(folders: tuple[Folder, ...], profiles: Collection[str], *, in_whole: bool) -> Selection:
    """What a run that names nothing plays with these profiles; `in_whole` each example of it."""
    corpus, paths = folders[0].path, tuple(folder.path for folder in folders)
    if "smoke" in profiles:
        return Selection(folders, paths=paths, of_bundled=smoke_ids(corpus))
    examples = frozenset[str]() if in_whole or "all" in profiles else default_examples(corpus)
    return Selection(folders, paths=paths, examples=examples)


def _ids_in(path: Path) -> frozenset[str]:
    """The lines of a file in the corpus's own folder."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return frozenset(line for line in lines if line and not line.startswith("#"))


def folders_for(
    rootdir: Path,
    working_dir: Path,
    configured: Iterable[Path],
    *,
    is_ignored: Callable[[Path], bool] = lambda _: False,
) -> tuple[Folder, ...]:
    """The bundled corpus, what was configured, and `scenarios/` of the project unless it is ignored; each once."""
    bundled = bundled_scenarios().resolve()
    own = [path / "scenarios" for path in (rootdir, working_dir)]
    by_name = [path.resolve() for path in own if path.is_dir() and not is_ignored(path)]
    named = [path.resolve() for path in configured]
    unique = {path: Folder(path, by_name=path not in named) for path in (*named, *by_name) if path != bundled}
    return (Folder(bundled, bundled=True), *unique.values())


def scenarios_in(folder: Folder) -> Iterator[ScenarioPath]:
    """The scenario files under a folder, or the one file that it is."""
    if folder.path.is_file():
        yield scenario_path_at(folder.path, folder)
        return
    for here, names, files in os.walk(folder.path):
        names[:] = sorted(name for name in names if not name.startswith((".", "_")))
        for name in sorted(files):
            path = Path(here, name)
            is_one = is_scenario_name(path) or (folder.may_hold_cassettes and is_cassette(path))
            if is_one and not (folder.bundled and path.parent == folder.path):
                yield scenario_path_at(path, folder)


def is_scenario_name(path: Path) -> bool:
    return path.suffix in SUFFIXES and not path.name.startswith((".", "_"))


def scenario_path_at(path: Path, folder: Folder | None) -> ScenarioPath:
    """The id of a file is its folder's name and its own. Right in a folder of scenarios, that folder is the area.

    Cassettes are named by others, so their ids have other characters where theirs would mean something.
    """
    deeper = folder is not None and path.parent != folder.path and path != folder.path
    root = folder.path if folder is not None and deeper else path.parent.parent
    area, name = path.parent.name, path.stem
    if (safe_name(area), safe_name(name)) != (area, name) and is_cassette(path):
        area, name = safe_name(area), safe_name(name)
    return ScenarioPath(f"{area}/{name}", path, root)


def folder_of(path: Path, folders: Iterable[Folder]) -> Folder | None:
    """The innermost folder that holds this path."""
    holding = [folder for folder in folders if path.is_relative_to(folder.path)]
    return max(holding, key=lambda folder: len(folder.path.parts), default=None)


@cache
def mentions_scenarios(directory: Path) -> bool:
    """Whether some file right in this directory is a scenario by its text: then all YAML files in it are."""
    return any(
        re.search(rb"^conversation\s*:|scenario\.schema\.json", _text_of(path), re.MULTILINE)
        for path in sorted(directory.iterdir())
        if is_scenario_name(path) and path.is_file()
    )


def meanings_of(argument: str, *, rootdir: Path, working_dir: Path) -> list[str]:
    """The ids that an argument may mean: as it is, or as pytest prints it in a subdirectory."""
    from_root = os.path.relpath(os.path.normpath(working_dir / case_and_finding(argument)[0]), rootdir)
    bare = re.sub(r"^(\.\./)+", "", argument)
    return list(dict.fromkeys(without_finding(text) for text in (argument, from_root, bare)))


CaseIds = Callable[[ScenarioPath], list[str]]
"""The ids of a file's cases for the agent at hand; empty for a broken file, which is reported when it is collected."""


def resolve(selection: Selection, options: Iterable[str], case_ids: CaseIds) -> tuple[str, list[ScenarioPath]]:
    """The first of `options` that names something, with its files. Raises `NothingSelected` with near misses."""
    options = list(options)
    for pattern in options:
        files = selection.matching(pattern)
        if any(_names_a_case(pattern, found, case_ids) for found in files):
            return pattern, files
    raise NothingSelected(_nothing(options[0], selection, case_ids))


def _names_a_case(pattern: str, found: ScenarioPath, case_ids: CaseIds) -> bool:
    if matches_whole(pattern, found.id):
        return True
    return any(matches(pattern, case_id) for case_id in case_ids(found))


def _nothing(pattern: str, selection: Selection, case_ids: CaseIds) -> str:
    scenario = re.split(r"[\[@]", pattern, maxsplit=1)[0]
    same = [found for found in selection.known if found.id == scenario]
    if same:
        ids = [case_id for found in same for case_id in case_ids(found)]
        near = difflib.get_close_matches(pattern, ids, n=3, cutoff=0.3) or ids[:3]
        if not near:
            return f"{pattern}: {scenario} has no case for this agent and these options"
        return f"{pattern}: {scenario} has no such case for this agent; near are {', '.join(near)}"
    renamed = [found.id for found in selection.known if _was_called(found.path, scenario)]
    if renamed:
        return f"{pattern}: {scenario} is now called {renamed[0]}"
    names = [found.id for found in selection.known]
    areas = sorted({found.area for found in selection.known})
    by_name = {name.rpartition("/")[2]: name for name in names}
    near = difflib.get_close_matches(scenario, [*areas, *names], n=3)
    near += [by_name[name] for name in difflib.get_close_matches(scenario.rpartition("/")[2], by_name, n=3)]
    hint = f"; near are {', '.join(dict.fromkeys(near))}" if near else f"; areas are {', '.join(areas) or 'none'}"
    return f"{pattern}: is neither a path nor the id of a case, scenario or area{hint}"


def unknown_cases(selection: Selection, cases: Iterable[str]) -> list[str]:
    """Of these ids those that no case has: their scenario has no file, under no name, or there is no such wire or mode.

    Examples are not looked for: that would read the files.
    """

    @cache
    def exists(name: str) -> bool:
        return any(found.id == name for found in selection.known) or any(
            _was_called(found.path, name) for found in selection.known
        )

    unknown = []
    for case in cases:
        scenario, _, target = case.partition("@")
        wire, _, mode = target.rpartition("+")
        if not exists(scenario.partition("[")[0]) or wire.partition(":")[0] not in WIRE_NAMES or mode not in MODE_NAMES:
            unknown.append(case)
    return unknown


def _was_called(path: Path, old: str) -> bool:
    if "/" not in old:
        return False
    text = _text_of(path)
    return (
        b"formerly" in text and re.search(rb"(?<![\w/-])" + re.escape(old.encode()) + rb"(?![\w/-])", text) is not None
    )


def _text_of(path: Path) -> bytes:
    """Nothing of a file that cannot be read."""
    try:
        return read_data(path)
    except OSError:
        return b""
