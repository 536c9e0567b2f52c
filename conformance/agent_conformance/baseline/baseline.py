"""The findings that an agent's authors know about, with a reason each: read strictly, written with a minimal diff. A
baseline is data: nothing in it is run.

A file is a list of entries. An entry keeps its own lines, comments above it included, for as long as it stays:

    - finding: history/pruned-past-the-user@gemini-generate+stream#accepted:gemini/call-after-user-turn
      reason: the pruner counts messages, not turns
      thread: https://example.org/issues/7
      owner: mara
      until: 2027-03-31

An entry may also be about a rule of a provider, in all cases. With `rule` what breaks it is known, and refused as
before; with `tolerate` the fakes accept it, so that what follows is judged:

    - rule: openai/tools-empty
      reason: the SDK sends the list in every request
    - tolerate: openai/name-unknown
      reason: our proxy takes them

With `flaky: true` a finding may come and go: the entry is not stale where it stays away, and has a last day:

    - finding: history/pruned-past-the-user@gemini-generate+stream#answers
      flaky: true
      reason: the cache is filled by another thread
      until: 2027-03-31

Or about many findings, by their law, their area or a pattern. Such an entry also hides what nobody has seen yet, so it
has a last day:

    - law: no-protocol-text
      reason: calls in texts are shown as texts until release 3
      until: 2027-03-31
    - area: pseudo-calls
      ...
    - finding: history/pruned-*#paired
      ...
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from datetime import date
from functools import partial
from pathlib import Path

from msgspec import Struct, field

from agent_conformance.baseline.judged_cases_file import path_beside
from agent_conformance.baseline.run_record import RunRecord
from agent_conformance.scenario.files import case_and_finding, kind_and_name, matches_text
from agent_conformance.scenario.yaml_files import Problem, described, shown_path
from agent_conformance.scenario.yaml_files.reading import KeyPath, read, read_data
from agent_conformance.transcripts.finding import SNAPSHOT, Subject, subject_of

MAX_BYTES = 32 * 1024 * 1024
UNEXPLAINED = "not yet explained"


def today() -> date:
    """The day on which entries expire: the only place that asks for it."""
    return date.today()


def checks_relation(relation: str, *, relations: Collection[str], others: Iterable[Subject]) -> bool:
    """Whether a run that checks these relations has checked this one in a case with these other findings at `must`.

    A case that fails anyway is compared with none.
    """
    return relation in relations and all(other.relation for other in others)


class BrokenBaseline(Exception):
    """A baseline that cannot be read, as located messages."""

    def __init__(self, problems: list[Problem]) -> None:
        super().__init__("\n".join(str(problem) for problem in problems))
        self.problems = problems


class Entry(Struct, frozen=True):
    """One known finding, `<case id>#<finding id>`, or a rule. `first` and `last` are its lines in the file, from 1,
    both included; an entry that is in no file has none. `thread` is where the fix is discussed. `flaky`: its finding
    may stay away.
    """

    finding: str
    reason: str
    until: date | None = None
    first: int = 0
    last: int = 0
    owner: str = ""
    thread: str = ""
    flaky: bool = False

    @property
    def case(self) -> str:
        return case_and_finding(self.finding)[0]

    @property
    def id(self) -> str:
        """The finding's id within its case."""
        return case_and_finding(self.finding)[1]

    @property
    def subject(self) -> Subject:
        return subject_of(self.id)

    def covers(self, case: str, subject: Subject) -> bool:
        """Whether an entry about many findings is about this one. A changed snapshot needs an entry of its own."""
        if subject == SNAPSHOT:
            return False
        kind, name = kind_and_name(self.finding)
        if kind == "law" and name:
            return subject.law == name
        if kind == "area" and name:
            return case.startswith(f"{name}/")
        return matches_text(self.finding, f"{case}#{subject.id}")

    @property
    def about(self) -> str:
        """The reason, and who fixes it and where that is discussed, as far as the file says."""
        return "; ".join(part for part in ("flaky" * self.flaky, self.reason, self.owner, self.thread) if part)

    @property
    def explained(self) -> str:
        """The same, and until when it is known."""
        return f"{self.about}; until {self.until}" if self.until else self.about

    def expired(self, today: date) -> bool:
        """The day named in `until` itself still counts."""
        return self.until is not None and self.until < today


class Baseline(Struct, frozen=True):
    """A file of known findings; without a file it knows none. Findings show its path from `project`.

    `tolerated` and `rules` have the entries of rules, by rule, and `wide` those about many findings, by what they name.
    """

    path: Path
    entries: Mapping[str, Entry]
    lines: tuple[str, ...] = ()
    project: Path | None = None
    tolerated: Mapping[str, Entry] = field(default_factory=dict)
    rules: Mapping[str, Entry] = field(default_factory=dict)
    wide: Mapping[str, Entry] = field(default_factory=dict)

    @property
    def all_entries(self) -> list[Entry]:
        return [*self.entries.values(), *self.rules.values(), *self.wide.values(), *self.tolerated.values()]

    def known_causes(self, day: date) -> frozenset[str]:
        """The laws and rules that are known wherever they are broken.

        An entry about an expectation speaks of its own scenario alone.
        """
        wide = [(*kind_and_name(key), entry) for key, entry in self.wide.items()]
        named = [(name, entry) for kind, name, entry in wide if kind == "law" and name]
        named += [(entry.subject.code, entry) for entry in self.entries.values() if entry.subject.law]
        return frozenset(cause for cause, entry in [*named, *self.rules.items()] if not entry.expired(day))

    def by_case(self) -> dict[str, list[Entry]]:
        """The entries under the case ids that they name."""
        grouped: dict[str, list[Entry]] = {}
        for entry in self.entries.values():
            grouped.setdefault(entry.case, []).append(entry)
        return grouped

    def text_of(self, entry: Entry) -> tuple[str, ...]:
        """The lines to delete when the entry goes."""
        return self.lines[entry.first - 1 : entry.last]

    def place_of(self, entry: Entry) -> str:
        lines = f"{entry.first}" if entry.first == entry.last else f"{entry.first}-{entry.last}"
        return f"{shown_path(self.path, self.project)}:{lines}"


def load_baseline(path: Path, *, project: Path | None = None) -> Baseline:
    """The baseline in this file, empty where there is none. Raises `BrokenBaseline`."""
    if not path.is_file():
        return Baseline(path, {})
    try:
        data = read_data(path)
    except OSError as error:
        raise BrokenBaseline([Problem(shown_path(path), 1, f"it cannot be read: {error.strerror}.")]) from None
    lines = tuple(data.decode("utf-8-sig", "replace").splitlines())
    is_empty = all(not line.strip() or line.lstrip().startswith("#") for line in lines)
    if is_empty and b"\0" not in data:
        return Baseline(path, {}, lines, project)
    document = read(data, max_bytes=MAX_BYTES)
    file = shown_path(path)
    problems = [Problem(file, mistake.line, mistake.message) for mistake in document.mistakes]
    if not problems and not isinstance(document.value, list):
        problems = [
            Problem(file, 1, f"a baseline is a list of entries, `- finding: ...`; here is {described(document.value)}.")
        ]
    if problems:
        raise BrokenBaseline(problems)
    starts = [document.lines[(index,)] for index in range(len(document.value))]
    problems = [
        Problem(file, start, "an entry begins on a line of its own, with `- ` at its very start.")
        for index, start in enumerate(starts)
        if not lines[start - 1].startswith("- ") or start in starts[:index]
    ]
    from agent_conformance.baseline.baseline_entries import checked_entry, kind_of

    known: dict[str, dict[str, Entry]] = {kind: {} for kind in ("finding", "rule", "tolerate", "wide")}
    for index, value in enumerate(document.value):
        last = _last_line(lines, starts[index], starts[index + 1] - 1 if index + 1 < len(starts) else len(lines))
        checked = checked_entry(value, partial(_line_of, document.lines, index), file)
        if isinstance(checked, list):
            problems += checked
            continue
        entry = Entry(
            checked.key,
            checked.reason,
            checked.until,
            starts[index],
            last,
            checked.owner or "",
            checked.thread or "",
            getattr(checked, "flaky", False),
        )
        kind = kind_of(checked)
        if twice := _given_before(kind, checked.key, known):
            problems.append(Problem(file, starts[index], twice))
        known[kind].setdefault(checked.key, entry)
    if problems:
        raise BrokenBaseline(problems)
    return Baseline(path, known["finding"], lines, project, known["tolerate"], known["rule"], known["wide"])


def _given_before(kind: str, key: str, known: Mapping[str, Mapping[str, Entry]]) -> str:
    """What is wrong with an entry of which there is another one already."""
    if key in known[kind]:
        return f"{key} is given twice. Keep one."
    if any(key in known[other] for other in known if other != kind):
        return f"{key} is given as `rule` and as `tolerate`. Keep one: with `tolerate` the fakes accept what breaks it."
    return ""


def _line_of(lines: Mapping[KeyPath, int], index: int, key: str) -> int:
    return lines.get((index, key), lines[(index,)])


def _last_line(lines: tuple[str, ...], first: int, last: int) -> int:
    """Blank lines and comments before the next entry are not this entry's."""
    while last > first and (not lines[last - 1].strip() or lines[last - 1].startswith("#")):
        last -= 1
    return last


Notes = tuple[tuple[str, tuple[str, ...]], ...]
"""Titles, and what is listed below each."""


def baseline_notes(
    baseline: Baseline,
    run: RunRecord,
    tolerated: Mapping[str, Entry],
    unknown: Callable[[Iterable[str]], Collection[str]],
) -> Notes:
    """`tolerated` has the entry of each rule that this run tolerates; `unknown` says which cases do not exist."""
    met = {tolerated[rule].finding for rule in run.tolerated() if rule in tolerated}
    met_wide = run.known_by_wide()
    nowhere = unknown({entry.case for entry in baseline.entries.values()} - {*run.reports})
    day = today()
    judged = path_beside(baseline.path)
    sections = {
        "nothing says whether less is judged than before: --agent-baseline-update writes this file": [
            f"{shown_path(judged, baseline.project)} is not there"
        ]
        if baseline.path.is_file() and not judged.is_file()
        else [],
        "tolerated, and not broken in this run": sorted({entry.finding for entry in tolerated.values()} - met),
        "tolerated no longer, the day has passed": _placed(
            baseline,
            (entry for rule, entry in baseline.tolerated.items() if rule not in tolerated and entry.expired(day)),
        ),
        "rules of the baseline that were not broken in this run": _placed(
            baseline, (entry for rule, entry in baseline.rules.items() if rule not in met_wide)
        ),
        "entries about many findings, of which none occurred in this run": _placed(
            baseline, (entry for key, entry in baseline.wide.items() if key not in met_wide and not entry.flaky)
        ),
        "in the baseline, of cases that do not exist: delete the lines": [
            f"{baseline.place_of(entry)}: {finding}"
            for finding, entry in baseline.entries.items()
            if entry.case in nowhere
        ],
    }
    return tuple((title, tuple(rows)) for title, rows in sections.items())


def _placed(baseline: Baseline, entries: Iterator[Entry]) -> list[str]:
    return [f"{baseline.place_of(entry)}: {entry.finding}" for entry in entries]
