"""The page of a report: `index.html` and `cases/*.html`, made from results alone.

The index lists every case, and has the findings, transcripts and bodies of those that failed. What would make it too
large, and the transcripts of all other cases, are on pages of their own, one or more for each area.
"""

import base64
import json
import re
import zlib
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import MISSING, Field, dataclass, field, fields, is_dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

import msgspec

from agent_conformance.explain import UnknownId, explain
from agent_conformance.html_report.document import Changes, changes_of, code_links, document, scenario_texts
from agent_conformance.report_data.fix_prompts import prompt_of
from agent_conformance.report_data.folder import write_whole
from agent_conformance.report_data.model import Body, CaseRecord, FindingResult, Results, RuleText
from agent_conformance.report_data.summary import causes, findings_by_cause, profiles_of, verdict_of, wrote_baseline
from agent_conformance.scenario.files import case_and_finding
from fake_providers.provider_facts import facts_by_provider

__all__ = ["write_page"]


# The table of all cases that a page lists, as compact JSON: each text that repeats is written once.

Labels = Mapping[tuple[str, str], str]
"""The name of each cause, by the root of its findings."""
STALE = "stale"
"""The state of a finding that is in the baseline, and did not occur."""
FIXED = "fixed"
"""The state of a finding that an earlier run had, and this one has not."""
NOT_HERE = -1
"""The block of a case whose transcript is on another page."""


@dataclass(frozen=True, slots=True)
class Listed:
    """A case as a page lists it: in one of its own blocks, or on another page."""

    case: CaseRecord
    block: int = NOT_HERE
    page: int = NOT_HERE


class _Numbered:
    """Values by number, in the order in which they came up."""

    def __init__(self) -> None:
        self._numbers: dict[Hashable, int] = {}

    def __call__(self, value: Hashable) -> int:
        return self._numbers.setdefault(value, len(self._numbers))

    @property
    def values(self) -> list[Hashable]:
        return list(self._numbers)


def index_table(listed: Iterable[Listed], labels: Labels, changes: Changes | None, **more: Any) -> bytes:
    """`script/20_data.js` reads it. `labels` are the names of causes."""
    outcomes, areas, wires, profiles, titles, findings = (_Numbered() for _ in range(6))
    cases = [
        (
            one.case.id,
            outcomes(one.case.outcome),
            areas(one.case.area),
            wires(one.case.wire),
            profiles(one.case.profile),
            round(one.case.seconds, 3),
            titles(one.case.title),
            [findings(short) for short in _findings(one.case, labels, changes)],
            one.block,
            one.page,
        )
        for one in listed
    ]
    table = {
        "cases": cases,
        "outcomes": outcomes.values,
        "areas": areas.values,
        "wires": wires.values,
        "profiles": profiles.values,
        "titles": titles.values,
        "findings": [dict(_pairs(finding)) for finding in findings.values],
        "earlier": changes.shown if changes is not None else None,
        **more,
    }
    return json.dumps(table, separators=(",", ":")).encode()


def labels_of(results: Results) -> Labels:
    """The names of causes, as the summary and the terminal have them."""
    found = causes(results, ("new", "known", "advice", "later"))
    return {cause.first.root: cause.label for cause in found}


def _findings(case: CaseRecord, labels: Labels, changes: Changes | None) -> Iterator[tuple[tuple[str, str], ...]]:
    """The findings of the case, those that the baseline still has, and those that an earlier run had."""
    for finding in case.findings:
        short = {
            "id": finding.id,
            "explained_by": finding.explained_by if finding.explained_by != finding.id else "",
            "cause": labels[finding.root],
            "state": finding.state,
            "level": finding.level,
            "law": finding.law,
            "rule": finding.rule,
            "harm": str(int(finding.harm)),
            "since": (changes.since(case, finding) if changes is not None else ""),
        }
        yield tuple((name, value) for name, value in short.items() if value)
    for stale in case.stale:
        _, id = case_and_finding(stale)
        yield tuple({"id": id, "cause": id, "state": STALE}.items())
    for change in changes.fixed.get(case.id, ()) if changes is not None else ():
        yield tuple({"id": change.id, "cause": change.cause, "state": FIXED, "since": FIXED}.items())


def _pairs(finding: Hashable) -> Sequence[tuple[str, str]]:
    assert isinstance(finding, tuple)
    return finding


def provider_facts(cases: Iterable[CaseRecord], facts: Mapping[str, Any]) -> dict[str, dict[str, str]]:
    """What a command needs to repeat a request against the provider itself."""
    named = {
        provider
        for case in cases
        for provider in (case.provider, *(request.provider for turn in case.turns for request in turn.requests))
    }
    return {
        name: {
            "title": facts[name].title,
            "base": facts[name].base_url
            or (f"${facts[name].base_url_variable}" if facts[name].base_url_variable else ""),
            "key": facts[name].key_variable,
        }
        for name in sorted(named & facts.keys())
    }


MOST_OF_BLOCK = 256_000
"""Characters of JSON: enough to compress well, and unpacked in some milliseconds."""


@dataclass(slots=True)
class Blocks:
    """A body is in the block of the first case that has it.

    `places` are the blocks of the cases, `elsewhere` those of bodies that a case in a later block has too. `size` is
    what the finished blocks take in the page.
    """

    bodies: Mapping[str, Body]
    finished: list[str] = field(default_factory=list)
    places: dict[str, int] = field(default_factory=dict)
    elsewhere: dict[str, int] = field(default_factory=dict)
    size: int = 0
    _homes: dict[str, int] = field(default_factory=dict)
    _cases: list[bytes] = field(default_factory=list)
    _bodies: list[bytes] = field(default_factory=list)
    _length: int = 0

    def add(self, case: CaseRecord) -> None:
        number = len(self.finished)
        self.places[case.id] = number
        self._put(self._cases, case.id, msgspec.json.encode(_brief(case)))
        for id in _bodies_of(case):
            home = self._homes.setdefault(id, number)
            if home != number:
                self.elsewhere[id] = home
            elif id in self.bodies:
                self._put(self._bodies, id, msgspec.json.encode(_brief(self.bodies[id])))
        if self._length >= MOST_OF_BLOCK:
            self.finish()

    def finish(self) -> None:
        """Close the block that is being filled, if there is one."""
        if not self._cases:
            return
        parts = (b'{"cases":{', b",".join(self._cases), b'},"bodies":{', b",".join(self._bodies), b"}}")
        block = packed(b"".join(parts))
        self.finished.append(block)
        self.size += len(block)
        self._cases, self._bodies, self._length = [], [], 0

    def _put(self, members: list[bytes], key: str, value: bytes) -> None:
        member = json.dumps(key).encode() + b":" + value
        members.append(member)
        self._length += len(member)


def packed(text: bytes) -> str:
    """Compressed, as a JSON string of base64: no text in it can end the element that holds it."""
    return f'"{base64.b64encode(zlib.compress(text)).decode()}"'


def _default(one: Field[Any]) -> Any:
    return one.default if one.default_factory is MISSING else one.default_factory()


def _brief(value: Any) -> Any:
    """The value for JSON, without the fields that say what they say where they are left out."""
    if isinstance(value, tuple | list):
        return [_brief(inner) for inner in value]
    if not is_dataclass(value):
        return value
    given = {one.name: inner for one in fields(value) if (inner := getattr(value, one.name)) != _default(one)}
    return {name: _brief(inner) for name, inner in given.items()}


def _bodies_of(case: CaseRecord) -> Iterator[str]:
    """Each body once, in order: a conversation's requests resemble each other, and compress well side by side."""
    ids = (id for turn in case.turns for request in turn.requests for id in (request.request, request.response))
    yield from dict.fromkeys(id for id in ids if id)


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
FAILED = ("fail", "stale", "error", "known")
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
    beside: Sequence[Mapping[str, Any]]


def write_page(
    results: Results, folder: Path, *, earlier: Results | None = None, others: Sequence[Results] = ()
) -> None:
    """Replace the pages of an earlier report in this folder. With an `earlier` run they say what has changed since, and
    with `others` they have these runs, of any agent, beside this one.

    Raises `OSError`.
    """
    changes = changes_of(earlier, results) if earlier is not None else None
    # What the table of runs has of one: `cases` are their outcomes, by id.
    beside = (
        [
            {
                "agent": run.agent.name,
                "started": run.started,
                "verdict": verdict_of(run).word,
                "cases": {case.id: (case.area, case.outcome) for case in run.cases},
                "causes": _counts_of_causes(run),
            }
            for run in (*others, results)
        ]
        if others
        else []
    )
    report = _Report(results, headline_of(results), labels_of(results), changes, beside)
    index, rest = _index_page(results)
    pages = list(_case_pages(results, rest))
    homes = {case.id: Listed(case, page=number) for number, page in enumerate(pages) for case in page.cases}
    # Those of an earlier report, whose areas may be others. What somebody else wrote stays.
    for path in (folder / CASES).glob("*.html"):
        with path.open(encoding="utf-8", errors="replace") as file:
            is_ours = file.read(len(MARK)) == MARK
        if is_ours:
            path.unlink()
    if pages:
        (folder / CASES).mkdir(parents=True, exist_ok=True)
    for page in pages:
        _write(folder, report, page, [Listed(case, page.blocks.places[case.id]) for case in page.cases])
    here = index.blocks.places
    listed = [Listed(case, here[case.id]) if case.id in here else homes[case.id] for case in results.cases]
    _write(folder, report, index, listed, pages=[page.name for page in pages])


def _counts_of_causes(run: Results) -> dict[str, tuple[int, bool]]:
    """In how many cases each cause that fails or is known occurred, and whether it came and went in all of them."""
    return {
        cause.label: (
            len(cause.cases),
            all(one.is_flaky for case in cause.cases for one in case.findings if one.root == cause.first.root),
        )
        for cause in causes(run, ("new", "known"))
    }


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
    failing = [case for case in results.cases if case.findings or case.outcome in FAILED]
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
        scenarios=scenario_texts(case for case in page.cases if case.findings or case.outcome in FAILED),
        beside=report.beside,
        prompts=_prompts(report, page.cases),
        code=code_links(page.cases, report.results.environment.code, (folder / page.name).parent),
    )
    blocks = [("index", packed(table))]
    blocks += [(f"block-{number}", block) for number, block in enumerate(page.blocks.finished)]
    write_whole(folder / page.name, document(report.headline, blocks).encode())


def _prompts(report: _Report, cases: Iterable[CaseRecord]) -> dict[str, str]:
    """What a coding agent needs, by the names of the causes of these cases."""
    here = {finding.root for case in cases for finding in case.findings if finding.state == "new"}
    found = findings_by_cause(report.results, ("new",))
    return {
        report.labels[cause]: prompt_of(report.results, pairs, title=report.labels[cause])
        for cause, pairs in found.items()
        if cause in here
    }


# What a page says of the rules, laws and expectations that its findings name, the same for every case.


def evidence_of(results: Results, cases: Iterable[CaseRecord]) -> dict[str, Any]:
    """Explanations by what they are about, and what each finding of these cases is about, by `explained_by`."""
    about: dict[str, str] = {}
    explanations: dict[str, Any] = {}
    for finding in {finding.explained_by: finding for case in cases for finding in case.findings}.values():
        name, explanation = _explanation(finding, results)
        if explanation:
            about[finding.explained_by] = name
            explanations.setdefault(name, explanation)
    return {"about": about, "explanations": explanations}


def _explanation(finding: FindingResult, results: Results) -> tuple[str, dict[str, Any]]:
    """Of a suite with other laws and rules than ours, what the results themselves say."""
    try:
        explanation = explain(finding.explained_by)
    except UnknownId:
        rule = results.rules.get(finding.rule)
        return finding.rule, {} if rule is None else _of_rule(rule)
    # Without what the finding itself says; the fields are those of `agent-conformance explain --json`
    whole = explanation.as_json()
    names = ("title", "demands", "why", "facts", "evidence", "seen", "fixes", "reference", "example")
    return explanation.about, {name: whole[name] for name in names if whole[name]}


def _of_rule(rule: RuleText) -> dict[str, Any]:
    evidence = [{"source": rule.source, "quote": rule.quote}] if rule.source else []
    return {"title": rule.statement, "facts": {"confidence": rule.confidence}, "evidence": evidence}


# What stands at the top of every page: the verdict, the facts of the run, and what is missing in it.


def headline_of(results: Results) -> dict[str, Any]:
    """By the names that the template has for them."""
    verdict = verdict_of(results)
    broken = (f"Broken scenario file: {broken.path}: {broken.headline}" for broken in results.broken_files)
    return {
        "title": f"agent conformance: {results.agent.name}",
        "version": results.suite.version,
        "verdict": verdict.word,
        "verdict_words": f"{verdict.word}: {', '.join(_found(results))}",
        "facts": list(_facts(results)),
        "problems": [*verdict.gaps, *broken, *results.stray_exits],
    }


def _found(results: Results) -> Iterator[str]:
    new = causes(results)
    cases = len({case.id for cause in new for case in cause.cases})
    of = _counted(len(results.cases), "case")
    yield f"{_counted(len(new), 'new cause')} in {cases:,} of {of}" if new else f"no new finding in {of}"
    if fixed := sum(len(case.stale) for case in results.cases):
        yield f"{fixed:,} fixed and still in the baseline"
    if results.fewer:
        yield "less judged than before"
    if wrote_baseline(results):
        yield "and this run wrote the baseline"


def _facts(results: Results) -> Iterator[str]:
    yield f"suite {results.suite.version}"
    if results.agent.version:
        yield f"agent {results.agent.version}"
    yield f"profile {profiles_of(results)}"
    yield f"level {results.options.level}"
    if results.environment.python:
        yield f"Python {results.environment.python}"
    yield from (part for part in (results.environment.platform, results.started) if part)
    yield f"{results.seconds:.0f} s"


def _counted(count: int, word: str) -> str:
    return f"{count:,} {word}" + ("" if count == 1 else "s")
