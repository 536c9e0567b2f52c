"""Writes `index.html` and `cases/*.html` into the folder of a report.

The index lists every case, and has the findings, transcripts and bodies of those that failed. What would make it too
large, and the transcripts of all other cases, are on pages of their own, one or more for each area.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

from agent_conformance.page.blocks import Blocks, packed
from agent_conformance.page.changes import Changes, changes_of
from agent_conformance.page.document import document
from agent_conformance.page.evidence import evidence_of
from agent_conformance.page.headline import headline_of
from agent_conformance.page.index_table import Labels, Listed, index_table, labels_of, provider_facts
from agent_conformance.results.causes import findings_by_cause
from agent_conformance.results.folder import write_whole
from agent_conformance.results.model import CaseRecord, Results
from fake_providers.provider_facts import facts_by_provider

INDEX = "index.html"
CASES = "cases"
LONGEST_NAME = 60
"""Of a page, without its ending: Windows takes 259 characters for a whole path."""
RESERVED = re.compile(r"con|prn|aux|nul|(com|lpt)\d", re.IGNORECASE)
"""Names of devices on Windows, whatever comes after a dot."""
MOST_IN_INDEX = 3_300_000
"""Bytes of blocks in the index, but for the last one, which is of about 1.3 MB at most: so that with its list of some
thousand cases it stays below 5 MB."""
MOST_IN_PAGE = 4_000_000
MARK = "<!doctype html>\n<!-- a page of agent-conformance -->\n"
"""How a file begins that may be replaced or removed."""


@dataclass(frozen=True, slots=True)
class _Page:
    name: str
    blocks: Blocks
    cases: Sequence[CaseRecord]


@dataclass(frozen=True, slots=True)
class _Report:
    """What all pages of a report share."""

    results: Results
    headline: Mapping[str, Any]
    labels: Labels
    changes: Changes | None


def write_page(results: Results, folder: Path, *, earlier: Results | None = None) -> None:
    """Replace the pages of an earlier report in this folder. With an `earlier` run they say what has changed since.

    Raises `OSError`.
    """
    changes = changes_of(earlier, results) if earlier is not None else None
    report = _Report(results, headline_of(results), labels_of(results), changes)
    index, rest = _index_page(results)
    pages = list(_case_pages(results, rest))
    homes = {case.id: Listed(case, page=number) for number, page in enumerate(pages) for case in page.cases}
    _remove_pages(folder / CASES)
    if pages:
        (folder / CASES).mkdir(parents=True, exist_ok=True)
    for page in pages:
        _write(folder, report, page, [Listed(case, page.blocks.places[case.id]) for case in page.cases])
    here = index.blocks.places
    listed = [Listed(case, here[case.id]) if case.id in here else homes[case.id] for case in results.cases]
    _write(folder, report, index, listed, pages=[page.name for page in pages])


def _index_page(results: Results) -> tuple[_Page, list[CaseRecord]]:
    """The index with as many of the failing cases as it holds, and all other cases in order of their ids."""
    blocks = Blocks(results.bodies)
    for case in _by_weight(results):
        if blocks.size >= MOST_IN_INDEX:
            break
        blocks.add(case)
    blocks.finish()
    return _Page(INDEX, blocks, results.cases), [case for case in results.cases if case.id not in blocks.places]


def _by_weight(results: Results) -> Iterator[CaseRecord]:
    """What a reader opens: one case of each cause first, then the others that failed, those with new findings first."""
    first = [found[0][0] for found in findings_by_cause(results).values()]
    failing = [case for case in results.cases if case.findings or case.outcome in ("fail", "stale", "error", "known")]
    ordered = sorted(failing, key=lambda case: case.outcome not in ("fail", "stale", "error"))
    yield from {case.id: case for case in (*first, *ordered)}.values()


def _case_pages(results: Results, cases: Iterable[CaseRecord]) -> Iterator[_Page]:
    """A page for each area, or several if it would be too large."""
    taken: set[str] = set()
    for area, in_area in groupby(sorted(cases, key=lambda case: case.area), key=lambda case: case.area):
        blocks, held = Blocks(results.bodies), list[CaseRecord]()
        for case in in_area:
            if blocks.size >= MOST_IN_PAGE:
                yield _finished(area, blocks, held, taken)
                blocks, held = Blocks(results.bodies), []
            blocks.add(case)
            held.append(case)
        yield _finished(area, blocks, held, taken)


def _finished(area: str, blocks: Blocks, cases: Sequence[CaseRecord], taken: set[str]) -> _Page:
    blocks.finish()
    stem = re.sub(r"[^A-Za-z0-9_-]+", "-", area)[:LONGEST_NAME] or "-"
    stem = f"{stem}-" if RESERVED.fullmatch(stem) else stem
    names = (f"{CASES}/{stem}{f'-{number}' if number > 1 else ''}.html" for number in range(1, len(taken) + 2))
    name = next(name for name in names if name.lower() not in taken)
    taken.add(name.lower())
    return _Page(name, blocks, cases)


def _write(folder: Path, report: _Report, page: _Page, listed: Iterable[Listed], *, pages: Sequence[str] = ()) -> None:
    table = index_table(
        listed,
        report.labels,
        report.changes,
        pages=pages,
        up="" if page.name == INDEX else f"../{INDEX}",
        elsewhere=page.blocks.elsewhere,
        evidence=evidence_of(report.results, page.cases),
        providers=provider_facts(page.cases, facts_by_provider()),
    )
    blocks = [("index", packed(table))]
    blocks += [(f"block-{number}", block) for number, block in enumerate(page.blocks.finished)]
    write_whole(folder / page.name, document(report.headline, blocks).encode())


def _remove_pages(folder: Path) -> None:
    """Those of an earlier report, whose areas may be others. What somebody else wrote stays."""
    for path in folder.glob("*.html"):
        with path.open(encoding="utf-8", errors="replace") as file:
            is_ours = file.read(len(MARK)) == MARK
        if is_ours:
            path.unlink()
