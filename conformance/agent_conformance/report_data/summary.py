"""`summary.md`: what a reviewer needs to see, as Markdown for a pull request, and findings grouped by what they have in
common. Foreign text is written as code."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal, get_args

from agent_conformance.baseline.baseline import UNEXPLAINED
from agent_conformance.baseline.case_report import JUDGED, CaseOutcome, FindingState
from agent_conformance.baseline.run_record import label
from agent_conformance.report_data.model import CaseRecord, FindingResult, LawText, Results
from agent_conformance.transcripts.finding import Root


@dataclass(frozen=True, slots=True)
class Cause:
    """Findings of one cause in one state, those of a rule first: `first` is of the first of the cases."""

    label: str
    cases: tuple[CaseRecord, ...]
    first: FindingResult


def causes(results: Results, states: Iterable[FindingState] = ("new",)) -> list[Cause]:
    """The most harmful first, then the most frequent."""
    found = findings_by_cause(results, states)
    details = Counter(pairs[0][1].cause for pairs in found.values())
    rows = []
    for pairs in found.values():
        first = pairs[0][1]
        name = label(first.kind, first.cause, first.detail, details[first.cause])
        rows.append(Cause(name, tuple({case.id: case for case, _ in pairs}.values()), first))
    return sorted(rows, key=lambda row: (row.first.harm, -len(row.cases), row.label))


def findings_by_cause(
    results: Results, states: Iterable[FindingState] = get_args(FindingState)
) -> dict[Root, list[tuple[CaseRecord, FindingResult]]]:
    """Every finding in these states with its case, by its root: those of a rule first, in the order of the cases."""
    wanted = set(states)
    found: dict[Root, list[tuple[CaseRecord, FindingResult]]] = {}
    for case in results.cases:
        for finding in case.findings:
            if finding.state in wanted:
                found.setdefault(finding.root, []).append((case, finding))
    return {root: sorted(pairs, key=lambda pair: pair[1].kind != "rule") for root, pairs in found.items()}


_BACKTICKS = re.compile("`+")


def code(text: str, limit: int = 200) -> str:
    """The text as code within a line. A very long one says how long it is."""
    line = " ".join(text.split()) or " "
    if len(line) > limit:
        line = f"{line[:limit]}... ({len(line)} characters)"
    fence = "`" * (_longest_run(line) + 1)
    pad = " " if line.startswith("`") or line.endswith("`") else ""
    return f"{fence}{pad}{line}{pad}{fence}"


def cell(text: str, limit: int = 120) -> str:
    """The same in a table, where a vertical bar would end the cell, also in code."""
    return code(text.replace("|", "\N{BROKEN BAR}"), limit)


def block(lines: Iterable[str], *, language: str = "text", limit: int = 3_000) -> str:
    """Lines of code that nothing in them can end. What is left out is counted."""
    text = "\n".join(lines).replace("\r", "\\r")
    if len(text) > limit:
        text = f"{text[:limit]}\n... ({len(text) - limit} more characters)"
    fence = "`" * max(3, _longest_run(text) + 1)
    return f"{fence}{language}\n{text}\n{fence}"


def row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _longest_run(text: str) -> int:
    return max((len(run) for run in _BACKTICKS.findall(text)), default=0)


@dataclass(slots=True)
class BoundedText:
    """Parts of a text, as long as they fit into so many bytes."""

    most: int
    parts: list[str] = field(default_factory=list)
    _bytes: int = 0

    def add(self, *parts: str) -> bool:
        """Add all of them, or none. Whether they fitted."""
        size = sum(len(part.encode(errors="replace")) + 1 for part in parts)
        if self._bytes + size > self.most:
            return False
        self.parts += parts
        self._bytes += size
        return True

    def add_some(self, parts: Iterable[str], *, most: int, keep: int = 0) -> int:
        """Add at most so many, and leave `keep` bytes. How many were left out."""
        self.most -= keep
        chosen = list(parts)
        added = 0
        while added < min(most, len(chosen)) and self.add(chosen[added]):
            added += 1
        self.most += keep
        return len(chosen) - added

    @property
    def text(self) -> str:
        return "\n".join(self.parts) + "\n"


MOST_BYTES = 60_000
"""A comment on GitHub has the same text, and takes 65,536 characters."""
MOST_FINDINGS, MOST_AREAS, MOST_CAUSES = 40, 60, 20
MOST_LINES = 20
"""The most lines of one fact, such as a diff."""
FOOT = 4_000
"""Bytes that are kept for the command and for what is left out."""
TABLES = 16_000
"""Bytes that examples leave for the areas and for what is known."""

COLUMNS: tuple[tuple[CaseOutcome, str], ...] = (
    ("pass", "passed"),
    ("fail", "failed"),
    ("stale", "stale"),
    ("known", "known"),
    ("error", "errors"),
    ("not-verified", "not verified"),
    ("not-scored", "not scored"),
)
"""Outcomes in their order, and what the reports call them."""


def summary(results: Results) -> str:
    """At most 60 kB; what is left out is counted."""
    text = BoundedText(MOST_BYTES)
    text.add(*_head(results))
    _list(
        text,
        "New findings",
        [f"- {code(cause.label)} in {_cases(cause)}, such as {code(cause.cases[0].id)}" for cause in causes(results)],
        "are not in the baseline",
    )
    rows = [f"- {code(finding)}" for case in results.cases for finding in case.stale]
    _list(text, "Fixed", rows, "are in the baseline and did not occur: delete these entries")
    if rows:
        command = block([f"{results.command} --agent-baseline-update"], language="sh", limit=600)
        text.add("", "This deletes them from the file, and leaves the others as they are:", "", command)
    _causes(text, results)
    _areas(text, results)
    _known_folded(text, _known(results))
    text.add(*_foot(results))
    return text.text


def counted(results: Results) -> str:
    """`51 passed, 3 failed, 2 not verified`."""
    parts = [f"{results.counts[outcome]} {name}" for outcome, name in COLUMNS if results.counts.get(outcome)]
    return ", ".join(parts) or "no cases"


def _head(results: Results) -> Iterator[str]:
    verdict = verdict_of(results)
    yield f"## agent conformance: {verdict.word}{_found(results)}"
    yield ""
    yield f"{code(results.agent.name)}: {counted(results)}"
    for gap in verdict.gaps:
        yield f"\n**{gap}**"
    if results.fewer:
        command = code(f"{results.command} --agent-baseline-update")
        yield f"\nIf that is meant, {command} writes it down; `--agent-accept-fewer` accepts it once."
    elif verdict.word == "failed" and not (results.counts.get("fail") or verdict.gaps):
        yield "\n**Nothing is worse. The run fails until the baseline lacks what is fixed.**"
    if wrote_baseline(results):
        yield "\n**This run wrote the baseline. Commit the file: without it, each run is a first one, and none fails.**"
    unexplained = {case.id for cause in causes(results, ("known",)) if not cause.first.known for case in cause.cases}
    if unexplained and not wrote_baseline(results):
        yield f"\n**{len(unexplained)} known, not yet explained: say why in the baseline.**"
    yield ""
    yield f"{_suite(results)}, {results.seconds:.0f} s"


def _found(results: Results) -> str:
    new = causes(results)
    cases = len({case.id for cause in new for case in cause.cases})
    counts = (
        [f"{len(new)} new cause{'s' if len(new) > 1 else ''} in {cases} case{'s' if cases > 1 else ''}"] if new else []
    )
    if fixed := sum(len(case.stale) for case in results.cases):
        counts.append(f"{fixed} fixed")
    if results.fewer:
        counts.append("less judged than before")
    return "".join(f", {count}" for count in counts)


def _suite(results: Results) -> str:
    profiles = profiles_of(results)
    level = "" if results.options.level == "must" else f", level {results.options.level}"
    options = results.options
    chosen = {"cases": options.cases, "wires": options.wires, "modes": options.modes, "providers": options.providers}
    only = "".join(f", only the {name} {code(', '.join(names))}" for name, names in chosen.items() if names)
    return f"agent-conformance {code(results.suite.version or 'without a version')}, {code(profiles)}{level}{only}"


def profiles_of(results: Results) -> str:
    """`core, hardened`, or `core@2026.12`."""
    names = results.options.profiles or ("core", "hardened")
    version = f"@{results.suite.corpus}" if results.suite.corpus else ""
    return ", ".join(f"{name}{version}" for name in names)


def _known(results: Results) -> list[str]:
    return [
        f"- {code(cause.label)} in {_cases(cause)}, known: {code(cause.first.known or UNEXPLAINED)}, "
        f"such as {code(cause.cases[0].id)}"
        for cause in causes(results, ("known",))
    ]


def _list(text: BoundedText, title: str, rows: list[str], meaning: str) -> None:
    if not rows or not text.add("", f"### {title}", "", f"These {meaning}.", ""):
        return
    _left_out(text, text.add_some(rows, most=MOST_FINDINGS, keep=FOOT), "more")


def _known_folded(text: BoundedText, rows: list[str]) -> None:
    """They open with a click: what is known is no news."""
    summary = f"{len(rows)} in the baseline, which fail nothing"
    if rows and text.add("", "### Known findings", "", f"<details><summary>{summary}</summary>", ""):
        _left_out(text, text.add_some(rows, most=MOST_FINDINGS, keep=FOOT), "more")
        text.add("", "</details>")


def _areas(text: BoundedText, results: Results) -> None:
    shown = [(outcome, name) for outcome, name in COLUMNS if results.counts.get(outcome)]
    counts = Counter((case.area, case.outcome) for case in results.cases)
    areas = list(dict.fromkeys(case.area for case in results.cases))
    head = row(["area", *(name for _, name in shown)])
    if not areas or not text.add("", "### Areas", "", head, f"|---|{'---:|' * len(shown)}"):
        return
    rows = [row([cell(area), *(str(counts[area, outcome] or "") for outcome, _ in shown)]) for area in areas]
    _left_out(text, text.add_some(rows, most=MOST_AREAS, keep=FOOT), "more areas")


def _causes(text: BoundedText, results: Results) -> None:
    """The causes of what is new, and of what kept a case from being judged."""
    found = causes(results)
    errors = [case for case in results.cases if case.outcome == "error"]
    if (not found and not errors) or not text.add("", "### Causes, each with one example"):
        return
    parts = ["\n".join(_example(cause, results.laws)) for cause in found]
    if errors:
        example = block([errors[0].id, *errors[0].reason.split("\n")[:10]])
        parts.insert(0, f"\nerrors (not the agent) in {len(errors)} case{'s' if len(errors) > 1 else ''}\n\n{example}")
    _left_out(text, text.add_some(parts, most=MOST_CAUSES, keep=FOOT + TABLES), "more causes")


def _example(cause: Cause, laws: Mapping[str, LawText]) -> Iterator[str]:
    """What the law demands stands above what was found: its name alone says it only to those who know it."""
    finding, case = cause.first, cause.cases[0]
    yield f"\n{code(cause.label)} in {_cases(cause)}"
    yield ""
    lines = _fact("law", laws[finding.law].title) if finding.law in laws and not finding.rule else []
    lines += [line for label, value in finding.facts for line in _fact(label, value)]
    if finding.consequences:
        lines.append(f"{'also':<9} {'; '.join(finding.consequences)}")
    if finding.source:
        lines.append(f"{'source':<9} {finding.source}")
    yield block([f"{case.id}#{finding.id}", *(f"  {line}" for line in lines), f"  {'rerun':<9} {case.rerun}"])


def _fact(label: str, value: str) -> list[str]:
    first, *more = value.split("\n")
    if not more:
        return [f"{label:<9} {first}"]
    left = [f"  ... ({len(more) + 1 - MOST_LINES} more lines)"] if len(more) >= MOST_LINES else []
    return [label, *(f"  {line}" for line in [first, *more][:MOST_LINES]), *left]


def _foot(results: Results) -> Iterator[str]:
    yield ""
    yield "### Repeat"
    yield ""
    yield block([results.command], language="sh", limit=600)


def _left_out(text: BoundedText, count: int, what: str) -> None:
    if count:
        text.add("", f"... and {count} {what}, which results.json has")


def _cases(cause: Cause) -> str:
    return "1 case" if len(cause.cases) == 1 else f"{len(cause.cases)} cases"


Word = Literal["passed", "failed", "incomplete"]
"""`failed`: something was found in the agent. `incomplete`: nothing was, and not everything could be judged."""

ENDED = {
    "stopped": "the run was stopped",
    "interrupted": "the run was interrupted",
    "terminated": "the run was terminated",
    "killed": "the run was killed",
}


@dataclass(frozen=True, slots=True)
class RunVerdict:
    word: Word
    gaps: tuple[str, ...]
    """Why not everything that was chosen has a verdict."""


def verdict_of(results: Results) -> RunVerdict:
    gaps = tuple(_gaps(results))
    if results.counts.get("fail") or results.counts.get("stale") or results.fewer:
        return RunVerdict("failed", gaps)
    return RunVerdict("incomplete" if gaps else "passed", gaps)


def wrote_baseline(results: Results) -> bool:
    """Whether it is the first run: there was no baseline, and yet all that was found is known, and not tolerated."""
    states = {one.state for case in results.cases for one in case.findings if not one.is_tolerated}
    return not results.options.baseline and "known" in states and "new" not in states


def _gaps(results: Results) -> Iterator[str]:
    counts = results.counts
    ran = len(results.cases)
    if results.ended != "complete":
        of = f" of {results.selected}" if results.selected else ""
        yield f"{ENDED[results.ended]} after {ran}{of} cases"
    elif results.selected > ran:
        yield f"{results.selected - ran} of {results.selected} cases have no result"
    if results.shard is not None and results.shard.missing:
        numbers = ", ".join(f"{number}/{results.shard.of}" for number in results.shard.missing)
        yield f"missing shard{'s' if len(results.shard.missing) > 1 else ''}: {numbers}"
    yield from (f"no longer judged: {text}" for text in results.fewer)
    if errors := counts.get("error", 0):
        yield f"{errors} error{'s' if errors > 1 else ''} (not the agent)"
    if broken := len(results.broken_files):
        yield f"{broken} broken scenario file{'s' if broken > 1 else ''}"
    if results.stray_exits:
        yield "the agent wanted to end the process between two cases"
    if ran and not any(counts.get(outcome) for outcome in JUDGED):
        yield "nothing was judged"
