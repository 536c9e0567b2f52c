"""The text of a failed case, and the escaping of what an agent or a model wrote. Knows findings."""

from collections.abc import Iterable, Sequence

from agent_conformance.record.finding import Finding, Trace
from fake_providers.neutral_text import printable

LINE_LIMIT = 1000
BLOCK_LIMIT = 200
TRACE_LIMIT = 2000
MULTILINE = ("diff", "stderr")
"""Labels whose facts keep their line breaks; in all others a line break is shown as `\\n`."""


def shown(text: str, limit: int = LINE_LIMIT) -> str:
    """One printable line: control characters, escapes, line breaks and lone surrogates are written out, length cut."""
    cut = printable(text[:limit])
    return cut if len(text) <= limit else f"{cut}... ({len(text)} characters)"


def shown_lines(text: str, limit: int = BLOCK_LIMIT) -> list[str]:
    """The lines of a text, each made printable; of a very long text the first, and how many are left out."""
    lines = text.split("\n")
    first = [shown(line.replace("\t", "    ")) for line in lines[:limit]]
    if len(lines) > limit:
        first.append(f"... ({len(lines) - limit} more lines)")
    return first


def finding_block(
    case_id: str, finding: Finding, *, notes: Iterable[tuple[str, str]] = (), whole_trace: bool = False
) -> str:
    """A finding's id and its labelled lines; `notes` stand after what follows from it. A trace is brief or whole."""
    lines = [shown(f"{case_id}#{finding.id}")]
    for label, value in finding.facts:
        if label != "source":
            lines += _fact(label, value)
    lines += trace_lines(finding.trace, whole=whole_trace)
    if finding.consequences:
        lines += _fact("also", "; ".join(finding.consequences))
    if finding.not_checked:
        lines.append(f"  not checked: {shown(', '.join(finding.not_checked))}")
    for label, value in finding.facts:
        if label == "source":
            lines += _fact(label, value)
    for label, value in notes:
        lines += _fact(label, value)
    return "\n".join(lines)


def error_block(reason: str, rerun: str, *, trace: Sequence[str] = ()) -> str:
    """The text of an error of the suite, the adapter or the set-up, which its first line tells from a failure."""
    first, *rest = shown_lines(reason or "no reason was given")
    more = [*(f"  {line}" for line in rest), *trace, *_fact("rerun", rerun)]
    return "\n".join([f"error (not the agent): {first}", *more])


def trace_lines(trace: Trace | None, *, whole: bool) -> list[str]:
    text = "" if trace is None else trace.whole if whole else trace.brief
    return ["  trace", *(f"    {line}" for line in shown_lines(text, TRACE_LIMIT))] if text else []


def headline(findings: Sequence[Finding]) -> str:
    """One line for pytest's short summary: the findings, and what the first of them says."""
    ids = ", ".join(f"#{finding.id}" for finding in findings)
    text = next(
        (value for finding in findings[:1] for label, value in finding.facts if label in ("refused", "got")), ""
    )
    return shown(f"{ids} {text}".rstrip(), 300)


def _fact(label: str, value: str) -> list[str]:
    """`rerun` is a command: it is neither cut nor escaped: the suite itself quotes it."""
    if label in MULTILINE:
        return [f"  {label}", *(f"    {line}" for line in shown_lines(value))]
    return [f"  {label:<9} {value if label == 'rerun' else shown(value)}"]
