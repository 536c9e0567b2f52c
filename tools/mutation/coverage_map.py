"""Which cases or tests execute which lines, from one run of them all. It is kept until a file of ours changes."""

import ast
import gzip
import hashlib
import json
import os
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from tools.mutation.changes import FUNCTIONS
from tools.mutation.forking import Ended, run_forked
from tools.mutation.mutants import ROOT, Mutant
from tools.mutation.targets import assigned, loaded, module_of, run_at_import

FOLDER = ROOT / ".mutation"
READ = ("conformance", "fakes", "mutants", "scenarios", "tests")
LEFT_OUT = {"mutation", "node_modules"}
LONGEST = 1800.0
KEPT = 3
AT_ONCE = 2
CHUNK = 400
"""So many units in one process: what thousands leave behind would come to its limit of memory."""

Run = Callable[[int], bool]
"""Runs the unit with this number: whether it passes."""


@dataclass(frozen=True, slots=True)
class CoverageMap:
    """`seconds` of the processor that each unit takes, `failing` ones that fail without a mutant, and what covers what.

    A unit is a case or a test, and has a number.
    """

    seconds: list[float]
    failing: list[int]
    lines: dict[str, dict[int, list[int]]] = field(default_factory=dict)

    def covering(self, mutant: Mutant) -> set[int]:
        """The units that execute the statement; of what runs at import, those that run anything that may read it."""
        if mutant.lines:
            reading = {(mutant.file, line) for line in mutant.lines}
        else:
            found = readers_of(mutant.file)
            every = {(file, line) for file in found for line in self.lines.get(file, {})}
            reading = every & known if (known := lines_reading(mutant.file, mutant.line)) is not None else every
        executing = (self.lines.get(file, {}).get(line, ()) for file, line in reading)
        return {unit for units in executing for unit in units} - set(self.failing)


def lines_reading(file: str, line: int) -> set[tuple[str, int]] | None:
    """Of the constant in this line the functions that read it or a constant that is made of it, as files and lines.

    None if it is no constant, or if more than constants are made of it when a module is imported.
    """
    statements = ast.parse((ROOT / file).read_text(encoding="utf-8")).body
    name = next((assigned(one) for one in statements if one.lineno <= line <= (one.end_lineno or 0)), None)
    if name is None:
        return None
    lines: set[tuple[str, int]] = set()
    made = [(file, name)]
    for origin, constant in made:  # which grows
        for reader in readers_of(origin):
            for statement in ast.parse((ROOT / reader).read_text(encoding="utf-8")).body:
                if any(constant in loaded(part) for part in run_at_import(statement)):
                    if (another := assigned(statement)) is None:
                        return None
                    made += {(reader, another)} - set(made)
                for node in ast.walk(statement):
                    if isinstance(node, FUNCTIONS) and constant in loaded(node):
                        lines |= {(reader, at) for at in range(node.body[0].lineno, (node.end_lineno or 0) + 1)}
    return lines


@cache
def readers_of(file: str) -> list[str]:
    """The file, and those that import from it."""
    package, _, name = module_of(file).rpartition(".")
    marks = (f"from {package}.{name} import", f"import {package}.{name}", f"from {package} import")
    others = [path for folder in ("conformance", "fakes") for path in ROOT.joinpath(folder).rglob("*.py")]
    texts = ((path, path.read_text(encoding="utf-8")) for path in others)
    return [file, *(path.relative_to(ROOT).as_posix() for path, text in texts if any(mark in text for mark in marks))]


def known_map(name: str, units: Sequence[str], run: Run, files: Iterable[str]) -> CoverageMap:
    """The map of `name`, measured in processes of its own if there is none of these files."""
    place = FOLDER / f"{name}-{_digest(units)}.json.gz"
    if not place.exists():
        FOLDER.mkdir(exist_ok=True)
        measured = [str(ROOT / file) for file in files]
        chunks = [range(first, min(first + CHUNK, len(units))) for first in range(0, len(units), CHUNK)]
        jobs = run_forked(
            chunks, lambda chunk: measure(chunk, run, measured), seconds=lambda _: LONGEST, at_once=AT_ONCE
        )
        _write(_joined(name, len(units), jobs), place)
        _remove_all_but_newest(name)
    return _read(place)


def _joined(name: str, units: int, jobs: Iterable[tuple[range, Ended]]) -> CoverageMap:
    whole = CoverageMap([0.0] * units, [])
    for chunk, ended in sorted(jobs, key=lambda job: job[0].start):
        if not isinstance(found := ended.value, CoverageMap):
            raise RuntimeError(f"{name} {chunk[0]} to {chunk[-1]} could not be run for coverage: {ended.stopped}")
        whole.seconds[chunk.start : chunk.stop] = found.seconds
        whole.failing.extend(found.failing)
        for file, lines in found.lines.items():
            of_file = whole.lines.setdefault(file, {})
            for line, executing in lines.items():
                of_file.setdefault(line, []).extend(executing)
    return whole


def _remove_all_but_newest(name: str) -> None:
    """A map is of no use once files have changed, but another run may still read the one before."""
    maps = sorted(FOLDER.glob(f"{name}-*.json.gz"), key=lambda path: path.stat().st_mtime)
    for old in maps[:-KEPT]:
        old.unlink(missing_ok=True)


def measure(units: Iterable[int], run: Run, files: Sequence[str]) -> CoverageMap:
    """Run each of these units once. Each has a context of its own, by its number; `seconds` are in their order."""
    os.environ.setdefault("COVERAGE_CORE", "ctrace")  # the newer ones know no contexts
    import coverage

    watch = coverage.Coverage(data_file=None, include=list(files), concurrency="thread", config_file=False)
    watch.set_option("run:disable_warnings", ["no-data-collected"])
    seconds, failing = [], []
    watch.start()
    for unit in units:
        watch.switch_context(str(unit))
        begun = time.process_time()
        if not run(unit):
            failing.append(unit)
        seconds.append(time.process_time() - begun)
    watch.stop()
    data = watch.get_data()
    lines = {
        Path(file).relative_to(ROOT).as_posix(): {
            line: sorted(int(context) for context in contexts if context)
            for line, contexts in data.contexts_by_lineno(file).items()
        }
        for file in data.measured_files()
    }
    return CoverageMap(seconds, failing, lines)


def _digest(units: Sequence[str]) -> str:
    """Of all that decides what is executed."""
    digest = hashlib.sha256("\n".join(units).encode())
    paths = [path.relative_to(ROOT) for folder in READ for path in ROOT.joinpath(folder).rglob("*")]
    for path in sorted(paths):
        if path.suffix in (".py", ".yaml", ".json") and not LEFT_OUT & set(path.parts):
            digest.update(path.as_posix().encode() + (ROOT / path).read_bytes())
    return digest.hexdigest()[:16]


def _write(found: CoverageMap, place: Path) -> None:
    values = {"seconds": found.seconds, "failing": found.failing, "lines": found.lines}
    unfinished = place.with_suffix(".part")
    unfinished.write_bytes(gzip.compress(json.dumps(values).encode(), compresslevel=3))
    unfinished.rename(place)


def _read(place: Path) -> CoverageMap:
    values = json.loads(gzip.decompress(place.read_bytes()))
    lines = {file: {int(line): units for line, units in found.items()} for file, found in values["lines"].items()}
    return CoverageMap(values["seconds"], values["failing"], lines)
