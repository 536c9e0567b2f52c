"""Scenario files and folders: from a path to checked scenarios, or to all that is wrong."""

import hashlib
import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from os.path import realpath
from pathlib import Path
from typing import Any

from msgspec import ValidationError

from agent_conformance.scenario.base_model import SAYS_NOTHING
from agent_conformance.scenario.checks.consistency import check
from agent_conformance.scenario.model import Scenario, fields_of
from agent_conformance.scenario.yaml_files import Mistake, Problem, described, did_you_mean, listed, shown_path
from agent_conformance.scenario.yaml_files.examples import fill_in, write_out
from agent_conformance.scenario.yaml_files.reading import Document, KeyPath, read, read_data
from agent_conformance.scenario.yaml_files.repetitions import write_out_repetitions
from agent_conformance.scenario.yaml_files.validation_messages import messages_of

AREAS = (
    "history",
    "no-tools",
    "declarations",
    "tool-names",
    "arguments",
    "round-trip",
    "parallel",
    "pseudo-calls",
    "streaming",
    "reasoning",
    "finish",
    "faults",
    "loops",
    "limits",
    "long-sessions",
    "turns",
    "pairs",
    "images",
    "injection",
)
"""The areas of the bundled corpus; a user's own folder may have any."""

_WORDS = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
MOST_MISTAKES = 100
"""So many are listed of one file: a file that is not meant as a scenario has thousands."""
MOST_TOOLS = 1_000


@dataclass(frozen=True, slots=True)
class ScenarioFile:
    """A file without mistakes. `rows` has one scenario per row of its examples, or one under None.

    `digest` changes with what is sent or expected; comments, description and source are left out of it. `shown` is the
    path as findings show it.
    """

    id: str
    area: str
    path: Path
    comment: str
    digest: str
    rows: Mapping[str | None, Scenario]
    lines: Mapping[KeyPath, int]
    shown: str
    is_recorded: bool = False
    """Whether its replies were recorded, so that some provider has sent them."""

    @property
    def formerly(self) -> tuple[str, ...]:
        return tuple(next(iter(self.rows.values())).formerly)

    def line_of(self, path: KeyPath) -> int:
        """The line of a path of the model: `("conversation", 0, "expect", "reply")`; else of the nearest part above."""
        return line_of(path, self.lines)


def load_file(path: Path, *, root: Path | None, start: Path | None = None) -> ScenarioFile | list[Problem]:
    """The file at `path`, whose folder below `root` is its area; or everything that is wrong with it, by line.

    Without a `root` the file may lie anywhere. Findings show its path from `start`, by default the working directory,
    or in full where it lies elsewhere: it can be opened.
    """
    mistakes = list(_misplaced(path, root))
    try:
        data = read_data(path)
    except OSError as error:
        return [Problem(shown_path(path), 1, f"the file cannot be read: {error.strerror or error}.")]
    document = write_out_repetitions(read(data))
    mistakes += document.mistakes
    rows: dict[str | None, Scenario] = {}
    if document.value is not None or not document.mistakes:
        mistakes += _fill_rows(rows, document)
    if mistakes:
        return [Problem(shown_path(path), one.line, one.message) for one in sorted(set(mistakes))[:MOST_MISTAKES]]
    area = path.parent.name
    # The comment on top, without its marks and without the line for editors
    lines: list[str] = []
    for line in data.decode("utf-8-sig").splitlines():
        if line.strip() and not line.startswith("#"):
            break
        if not line.startswith("# yaml-language-server"):
            lines.append(line.removeprefix("#").strip())
    comment = "\n".join(lines).strip()
    digest, shown = digest_of(document.value), shown_path(path, start)
    return ScenarioFile(f"{area}/{path.stem}", area, path, comment, digest, rows, document.lines, shown)


def load_folder(
    root: Path, *, areas: Collection[str] | None = None
) -> tuple[tuple[ScenarioFile, ...], tuple[Problem, ...]]:
    """Every scenario below `root`, by id, and every problem, by file; one broken file leaves the others intact.

    `areas` are the folders that are allowed; None allows any.
    """
    files: list[ScenarioFile] = []
    problems: list[Problem] = []
    for path in scenario_paths(root):
        loaded = load_file(path, root=root)
        if isinstance(loaded, ScenarioFile):
            files.append(loaded)
        else:
            problems += loaded
        if areas is not None and path.parent.name not in areas and path.parent != root:
            message = (
                f"`{path.parent.name}` is no area.{did_you_mean(path.parent.name, areas)} Allowed: {listed(areas)}."
            )
            problems.append(Problem(shown_path(path), 1, message))
    clashing = find_clashes(files)
    taken = {problem.file for problem in clashing}
    right = tuple(file for file in files if shown_path(file.path) not in taken)
    return right, tuple(sorted([*problems, *clashing]))


def scenario_paths(root: Path) -> list[Path]:
    """Every YAML file below `root`, in order of its path; hidden files and folders are left out."""
    found = [path for ending in ("*.yaml", "*.yml") for path in root.rglob(ending)]
    return sorted(path for path in found if not any(part.startswith(".") for part in path.relative_to(root).parts))


def find_clashes(files: Iterable[ScenarioFile]) -> list[Problem]:
    """A problem for each file whose id, or former id, is that of a file before it; also across several folders."""
    owners: dict[str, ScenarioFile] = {}
    problems: list[Problem] = []
    files = list(files)
    for file in files:
        if file.id in owners:
            message = f"the id `{file.id}` is also that of {shown_path(owners[file.id].path)}. Rename one."
            problems.append(Problem(shown_path(file.path), 1, message))
        owners.setdefault(file.id, file)
    for file in files:
        for index, old in enumerate(file.formerly):
            if owners.setdefault(old, file) is not file:
                message = f"the former id `{old}` is that of {shown_path(owners[old].path)}. Keep it in one of them."
                problems.append(Problem(shown_path(file.path), file.line_of(("formerly", index)), message))
    return problems


def validated(data: dict[str, Any]) -> Scenario | list[tuple[KeyPath, str]]:
    """The scenario that data is, in which nothing is to be filled in; or path and sentence of each mistake."""
    rows: dict[str | None, Scenario] = {}
    mistakes = list(islice(_validate(rows, None, data), MOST_MISTAKES))
    return mistakes or rows[None]


def line_of(path: KeyPath, lines: Mapping[KeyPath, int]) -> int:
    """The line of `path`, or of its last known part; what a short form left unwritten is passed over."""
    known: KeyPath = ()
    for part in path:
        if (*known, part) in lines:
            known = (*known, part)
    return lines.get(known, 1)


def _misplaced(path: Path, root: Path | None) -> Iterator[Mistake]:
    folders = _folders(path, root) if root else ()
    if root and not folders:
        yield Mistake(1, "the file lies in no area. Put it into a folder below: the folder is its area.")
    elif len(folders) > 1:
        yield Mistake(1, f"the file lies {len(folders)} folders deep ({'/'.join(folders)}); an area is one folder.")
    if path.suffix != ".yaml":
        yield Mistake(1, f"the file ends in `{path.suffix}`. Rename it to `{path.stem}.yaml`.")
    for name, what in ((path.stem, "file"), *((folder, "folder") for folder in folders[:1])):
        if not _WORDS.fullmatch(name):
            allowed = "A name has lower-case words or digits, with dashes: `parallel-calls`."
            yield Mistake(1, f"the {what} is named `{name}`. {allowed}")


def _folders(path: Path, root: Path) -> tuple[str, ...]:
    """The folders between `root` and the file, which may be a link to anywhere, as may be its folder."""
    try:
        return Path(realpath(path.parent)).relative_to(realpath(root)).parts
    except ValueError:
        return (path.parent.name,)


def _fill_rows(rows: dict[str | None, Scenario], document: Document) -> Iterator[Mistake]:
    if not isinstance(document.value, dict):
        yield Mistake(1, f"the file is {described(document.value)}; expected a mapping that begins with `description`.")
        return
    filled = fill_in(document)
    yield from filled.mistakes
    by_row: dict[str | None, set[Mistake]] = {}
    for name, data in filled.data.items():
        if sum(map(len, by_row.values())) > MOST_MISTAKES:
            return
        found = list(islice(_validate(rows, name, data), MOST_MISTAKES))
        by_row[name] = {Mistake(line_of(path, document.lines), message) for path, message in found}
    for name, mistakes in by_row.items():
        for mistake in mistakes:
            if all(mistake in others for others in by_row.values()):
                yield mistake
            else:
                yield Mistake(mistake.line, f"{mistake.message} (In the row `{name}`.)")


def _validate(rows: dict[str | None, Scenario], name: str | None, data: Any) -> Iterator[tuple[KeyPath, str]]:
    if not isinstance(data, dict):
        yield (), f"the file is {described(data)}; expected a mapping that begins with `description`."
        return
    if isinstance(tools := data.get("tools"), list) and len(tools) > MOST_TOOLS:
        yield ("tools",), f"`tools` has {len(tools):,} of them; at most {MOST_TOOLS:,} are read."
        return
    found = write_out(data)
    yield from found
    try:
        scenario = Scenario.read(data)
    except ValidationError as error:
        yield from messages_of(error, data)
        return
    if not found:
        yield from check(scenario)
    rows[name] = scenario


def digest_of(value: Mapping[str, Any]) -> str:
    """Equal for data that sends and expects the same, and counts for the same."""
    without_effect = fields_of(*SAYS_NOTHING)
    effective = {key: inner for key, inner in value.items() if key not in without_effect}
    return hashlib.sha256(json.dumps(effective, sort_keys=True).encode()).hexdigest()[:16]
