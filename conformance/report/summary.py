"""The end of a run on the terminal: counts, findings by cause, what was not verified, the next command to type. Knows
the ledger; prints text that was made printable before.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from conformance.report.files import Written
from conformance.report.run_record import Ledger

SHOWN = 20


@dataclass(frozen=True, slots=True)
class Saying:
    """What the summary cannot see in the ledger: paths as the user would type them, and ready commands.

    `next_command` runs the first case that failed, `freeze_command` is given where there is no baseline yet.
    """

    baseline: str
    snapshots: str
    written: Written
    record_command: str
    next_command: str
    freeze_command: str


def summary_lines(ledger: Ledger, saying: Saying) -> Iterator[str]:
    yield _counts(ledger)
    yield from _section("findings by cause", _by_cause(ledger, "new"))
    yield from _section("known findings", _by_cause(ledger, "known"))
    yield from _section("stale in the baseline: delete the lines that the failure shows", _stale(ledger))
    yield from _section("errors (not the agent)", _errors(ledger))
    yield from _section("advice, not failed (--agent-level=should shows and fails it)", _by_cause(ledger, "advice"))
    yield from _section(
        "other hosts the agent looked for", (f"{host} · {_cases(n)}" for host, n in ledger.foreign_hosts())
    )
    yield from _section("not verified", (f"{why} · {_cases(n)}" for why, n in ledger.unverified()))
    yield from _snapshots(ledger, saying)
    yield from _baseline(ledger, saying)
    if saying.next_command:
        yield f"next: {saying.next_command}"
    if saying.freeze_command and ledger.count("fail"):
        yield f"or, to know today's findings and fail on new ones: {saying.freeze_command}"


def _counts(ledger: Ledger) -> str:
    parts = [
        f"{ledger.count('pass')} passed",
        *_some(ledger.count("fail"), "failed"),
        *_some(ledger.count("stale"), "stale"),
        *_some(ledger.count("known"), "known"),
        *_some(ledger.count("error"), "in error"),
        *_some(ledger.count("not-verified"), "not verified"),
        *_some(len(ledger.broken), "broken scenario file" if len(ledger.broken) == 1 else "broken scenario files"),
    ]
    nothing = "" if ledger.judged else ": nothing was judged"
    return f"{_cases(len(ledger.told))}: {', '.join(parts)}{nothing}"


def _by_cause(ledger: Ledger, state: str) -> list[str]:
    rows = ledger.causes(state)
    width = max((len(f"{cause} · {_cases(len(cases))}") for cause, cases in rows), default=0)
    return [f"{f'{cause} · {_cases(len(cases))}':<{width}}   {cases[0]}" for cause, cases in rows]


def _stale(ledger: Ledger) -> list[str]:
    return [finding for data in ledger.cases for finding in data["stale"]]


def _errors(ledger: Ledger) -> list[str]:
    rows: dict[str, list[str]] = {}
    for data in ledger.with_outcome("error"):
        rows.setdefault(data["reason"].partition("\n")[0][:200], []).append(data["case"])
    return [f"{why} · {_cases(len(cases))}   {cases[0]}" for why, cases in rows.items()]


def _snapshots(ledger: Ledger, saying: Saying) -> Iterator[str]:
    if saying.written.snapshot_files is not None:
        yield f"snapshots: {_files(saying.written.snapshot_files)} written in {saying.snapshots}"
        return
    new, again = len(ledger.snapshots("new")), len(ledger.snapshots("re-record"))
    said = [*_some(new, "new"), *_some(again, "to re-record, their scenarios changed")]
    if said:
        yield f"snapshots: {', '.join(said)}; record: {saying.record_command}"
    unused = ledger.unused_snapshots()
    yield from _section(f"unused snapshots in {saying.snapshots}", unused)


def _baseline(ledger: Ledger, saying: Saying) -> Iterator[str]:
    unexplained = sum(data["unexplained"] for data in ledger.told.values())
    if saying.written.entries is not None:
        before, now = saying.written.entries
        yield f"baseline: {saying.baseline} written, {before} entries before, {now} now"
    if unexplained:
        findings = "1 known finding is" if unexplained == 1 else f"{unexplained} known findings are"
        yield f"baseline: {findings} not yet explained; say why in {saying.baseline}"


def _section(title: str, rows: Iterable[str]) -> Iterator[str]:
    rows = list(rows)
    if not rows:
        return
    yield f"{title}:"
    yield from (f"  {row}" for row in rows[:SHOWN])
    if len(rows) > SHOWN:
        yield f"  ... and {len(rows) - SHOWN} more"


def _some(count: int, word: str) -> list[str]:
    return [f"{count} {word}"] if count else []


def _cases(count: int) -> str:
    return "1 case" if count == 1 else f"{count} cases"


def _files(count: int) -> str:
    return "1 file" if count == 1 else f"{count} files"
