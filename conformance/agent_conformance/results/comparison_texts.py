"""A comparison of two runs as text for a terminal, as Markdown, and as JSON."""

import json
from collections.abc import Iterator
from dataclasses import asdict

from agent_conformance.report.printing import shown
from agent_conformance.results.comparing import Comparison, FindingChange
from agent_conformance.results.markdown import BoundedText, code
from agent_conformance.results.model import Results
from agent_conformance.results.summary import MOST_BYTES, counted

SHOWN = 40
"""Findings of each kind, and cases that cannot be compared, that are listed."""


def as_text(before: Results, after: Results, found: Comparison) -> Iterator[str]:
    yield f"first   {_run(before)}"
    yield f"second  {_run(after)}"
    yield from (f"  {shown(note)}" for note in found.notes)
    yield headline(found)
    for title, changes in _kinds(found):
        for change in changes[:SHOWN]:
            yield f"{title:<8} {shown(change.finding)}{_remarks(change)}"
            yield from (f"  {label:<7} {shown(text)}" for label, text in _texts(change))
        yield from _more(len(changes))
    for why, ids in _gaps(found)[:SHOWN]:
        yield f"not comparable, {shown(why)}: {shown(ids[0])}" + (f" and {len(ids) - 1} more" if len(ids) > 1 else "")


def as_markdown(before: Results, after: Results, found: Comparison) -> str:
    """At most 60 kB; what is left out is counted."""
    text = BoundedText(MOST_BYTES)
    text.add(f"## agent conformance: {headline(found)}", "")
    text.add(f"- first: {_coded_run(before)}", f"- second: {_coded_run(after)}")
    text.add_some([f"- {code(note)}" for note in found.notes], most=SHOWN, keep=2_000)
    for title, changes in _kinds(found):
        rows = [_row(change) for change in changes]
        if rows and text.add("", f"### {title.capitalize()}", ""):
            left = text.add_some(rows, most=SHOWN, keep=2_000)
            text.add(*([f"- ... and {left} more"] if left else []))
    gaps = [
        f"- {code(why)}: {code(ids[0])}" + (f" and {len(ids) - 1} more" if len(ids) > 1 else "")
        for why, ids in _gaps(found)
    ]
    if gaps and text.add("", "### Not comparable", ""):
        left = text.add_some(gaps, most=SHOWN, keep=500)
        text.add(*([f"- ... and {left} more"] if left else []))
    return text.text


def as_json(found: Comparison) -> str:
    return json.dumps({**asdict(found), "has_new": found.has_new}, indent=1, ensure_ascii=False)


def headline(found: Comparison) -> str:
    """`2 new, 1 fixed, 0 changed, 3 not comparable; 7 as before, in 40 cases`."""
    counts = [f"{len(changes)} {title}" for title, changes in _kinds(found)]
    gaps = f"{len(found.not_comparable)} not comparable"
    return f"{', '.join([*counts, gaps])}; {found.same} as before, in {found.compared} cases"


def _kinds(found: Comparison) -> tuple[tuple[str, tuple[FindingChange, ...]], ...]:
    return (("new", found.new), ("fixed", found.fixed), ("changed", found.changed))


def _run(results: Results) -> str:
    return shown(
        f"{results.agent.name}, agent-conformance {results.suite.version}, {results.started}: {counted(results)}"
    )


def _coded_run(results: Results) -> str:
    return f"{code(results.agent.name)}, {code(results.started or 'at an unknown time')}: {counted(results)}"


def _remarks(change: FindingChange) -> str:
    remarks = ["known in the baseline"] if change.is_known and change.kind == "new" else []
    if change.after_early_end:
        remarks.append("the first run had ended this case early")
    return f"   ({', '.join(remarks)})" if remarks else ""


def _texts(change: FindingChange) -> Iterator[tuple[str, str]]:
    if change.kind != "new":
        yield "was", change.before
    if change.kind != "fixed":
        yield "is", change.after
        yield "rerun", change.rerun


def _row(change: FindingChange) -> str:
    said = ", ".join(f"{label} {code(text)}" for label, text in _texts(change) if label != "rerun")
    return f"- {code(change.finding)}{_remarks(change)}: {said}"


def _more(count: int) -> list[str]:
    return [f"... and {count - SHOWN} more"] if count > SHOWN else []


def _gaps(found: Comparison) -> list[tuple[str, list[str]]]:
    """What cannot be compared, by the reason, the most frequent first."""
    grouped: dict[str, list[str]] = {}
    for gap in found.not_comparable:
        grouped.setdefault(gap.why, []).append(gap.id)
    return sorted(grouped.items(), key=lambda item: (-len(item[1]), item[0]))
