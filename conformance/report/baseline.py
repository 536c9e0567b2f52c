"""The findings that an agent's authors know about, with a reason each: read strictly, written with a minimal diff.
A baseline is data: nothing in it is run. Knows no pytest.

A file is a list of entries. An entry keeps its own lines, comments above it included, for as long as it stays:

    - finding: history/pruned-past-the-user@gemini-generate+stream#accepted:gemini/call-after-user-turn
      reason: the pruner counts messages, not turns
      issue: https://example.org/issues/7
      owner: mara
      until: 2027-03-31

An entry may also name a rule of a provider, which the fakes then tolerate until that day:

    - tolerate: openai/tools-empty
      reason: the SDK sends the list in every request
"""

import contextlib
import os
import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from datetime import date
from functools import partial
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from conformance.scenario.problems import Problem, described, did_you_mean, listed, shown_path
from conformance.scenario.reading import KeyPath, read

MAX_BYTES = 32 * 1024 * 1024
UNEXPLAINED = "not yet explained"
HEADER = "# Findings known about this agent. Each fails again once it no longer occurs, or after `until`.\n"


class BrokenBaseline(Exception):
    """A baseline that cannot be read, as located messages."""

    def __init__(self, problems: list[Problem]) -> None:
        super().__init__("\n".join(str(problem) for problem in problems))
        self.problems = problems


class _Reason(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)  # most projects have no baseline

    reason: Annotated[str, Field(pattern=r"\S")]
    issue: str | None = None
    owner: str | None = None
    until: date | None = None


class _Fields(_Reason):
    finding: Annotated[str, Field(pattern=r"^[^\s#]+@[^\s#]+\+[^\s#]+#\S.*$")]

    @property
    def key(self) -> str:
        return self.finding


class _Tolerated(_Reason):
    tolerate: Annotated[str, Field(pattern=r"^[^\s/#]+/[^\s#]+$")]

    @property
    def key(self) -> str:
        return self.tolerate


@dataclass(frozen=True, slots=True)
class Entry:
    """One known finding, `<case id>#<finding id>`, or a rule that is tolerated. `first` and `last` are its lines in the
    file, from 1, both included; an entry that is in no file has none.
    """

    finding: str
    reason: str
    until: date | None = None
    first: int = 0
    last: int = 0

    @property
    def case(self) -> str:
        return self.finding.partition("#")[0]

    @property
    def id(self) -> str:
        """The finding's id within its case."""
        return self.finding.partition("#")[2]

    def expired(self, today: date) -> bool:
        """The day named in `until` itself still counts."""
        return self.until is not None and self.until < today


@dataclass(frozen=True, slots=True)
class Baseline:
    """A file of known findings; without a file it knows none. Findings show its path from `project`.

    `tolerated` has the entries of rules, by rule.
    """

    path: Path
    entries: Mapping[str, Entry]
    lines: tuple[str, ...] = ()
    project: Path | None = None
    tolerated: Mapping[str, Entry] = field(default_factory=dict)

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
    data = path.read_bytes()
    lines = tuple(data.decode("utf-8-sig", "replace").splitlines())
    if all(not line.strip() or line.lstrip().startswith("#") for line in lines):
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
    entries: dict[str, Entry] = {}
    tolerated: dict[str, Entry] = {}
    for index, value in enumerate(document.value):
        last = _last_line(lines, starts[index], starts[index + 1] - 1 if index + 1 < len(starts) else len(lines))
        checked = _checked(value, partial(_line_of, document.lines, index), file)
        if isinstance(checked, list):
            problems += checked
            continue
        known = tolerated if isinstance(checked, _Tolerated) else entries
        if checked.key in known:
            problems.append(Problem(file, starts[index], f"{checked.key} is given twice. Keep one."))
        else:
            known[checked.key] = Entry(checked.key, checked.reason, checked.until, starts[index], last)
    if problems:
        raise BrokenBaseline(problems)
    return Baseline(path, entries, lines, project, tolerated)


def _line_of(lines: Mapping[KeyPath, int], index: int, key: str) -> int:
    return lines.get((index, key), lines[(index,)])


def _last_line(lines: tuple[str, ...], first: int, last: int) -> int:
    """Blank lines and comments before the next entry are not this entry's."""
    while last > first and (not lines[last - 1].strip() or lines[last - 1].startswith("#")):
        last -= 1
    return last


def _checked(value: Any, line_of: Callable[[str], int], file: str) -> _Fields | _Tolerated | list[Problem]:
    if not isinstance(value, dict):
        return [
            Problem(file, line_of(""), f"an entry has the fields `finding` and `reason`; here is {described(value)}.")
        ]
    fields = _Tolerated if "tolerate" in value and "finding" not in value else _Fields
    try:
        return fields.model_validate(value)
    except ValidationError as error:
        return [_problem(value, detail, line_of, file) for detail in error.errors()]


def _problem(value: dict[str, Any], detail: Any, line_of: Callable[[str], int], file: str) -> Problem:
    field = str(detail["loc"][0])
    known = ["finding", "tolerate", *_Reason.model_fields]
    if field == "tolerate" and detail["type"] == "extra_forbidden":
        message = "`tolerate` is given beside `finding`. Write two entries."
    elif detail["type"] == "extra_forbidden":
        message = f"`{field}` is no field of an entry; there are {listed(known)}.{did_you_mean(field, known)}"
    elif detail["type"] == "missing":
        why = " Say why this is known, for those who read it next." if field == "reason" else ""
        message = f"`{field}` is missing.{why}"
    elif field == "finding":
        message = f"`finding` is {described(value[field])}; expected <case id>#<finding id>, as a failure prints it."
    elif field == "tolerate":
        message = f"`tolerate` is {described(value[field])}; expected the id of a rule, such as openai/tools-empty."
    elif field == "until":
        message = f"`until` is {described(value[field])}; expected a date, such as 2027-03-31."
    else:
        message = f"`{field}` is {described(value[field])}; expected a text that says something."
    return Problem(file, line_of(field), message)


def updated(
    baseline: Baseline,
    failing: Mapping[str, Collection[str]],
    *,
    advice: Mapping[str, Collection[str]],
    former: Mapping[str, str],
    tolerated: Collection[str] = (),
) -> str:
    """The new text of the file. `failing` has, for each case that was judged, the ids of the findings to be known.
    `tolerated` are rules that this run tolerated, and that were broken.

    Findings that were only `advice` keep an entry they have, and get none. Entries of cases that were not judged stay,
    unchanged. `former` maps an old case id to the one it has now.
    """
    blocks: dict[str, str] = {}
    rules = {
        rule: f"- tolerate: {_scalar(rule)}\n  reason: {UNEXPLAINED}\n"
        for rule in sorted({*tolerated} - {*baseline.tolerated})
    }
    for entry, block in _blocks(baseline):
        if entry.finding in baseline.tolerated:
            rules[entry.finding] = block
            continue
        case = former.get(entry.case, entry.case)
        finding = f"{case}#{entry.id}"
        if case not in failing or entry.id in failing[case] or entry.id in advice.get(case, ()):
            blocks[finding] = block.replace(entry.finding, finding)
    for case, ids in failing.items():
        for finding in (f"{case}#{id_}" for id_ in ids):
            blocks.setdefault(finding, f"- finding: {_scalar(finding)}\n  reason: {UNEXPLAINED}\n")
    ordered = [*(rules[rule] for rule in sorted(rules)), *(blocks[finding] for finding in sorted(blocks))]
    return _preamble(baseline) + "".join(ordered)


def _preamble(baseline: Baseline) -> str:
    """What stands before the first entry and its own comments; a header where there is no file yet."""
    if not baseline.lines:
        return HEADER
    first = min((entry.first for entry in _all_entries(baseline)), default=len(baseline.lines) + 1)
    end = _first_own_line(baseline.lines, first, 0)
    return "".join(f"{line}\n" for line in baseline.lines[: end - 1])


def _blocks(baseline: Baseline) -> list[tuple[Entry, str]]:
    """Each entry with its lines and the comments right above it, as they stand in the file."""
    blocks = []
    before = 0
    for entry in sorted(_all_entries(baseline), key=lambda entry: entry.first):
        start = _first_own_line(baseline.lines, entry.first, before)
        blocks.append((entry, "".join(f"{line}\n" for line in baseline.lines[start - 1 : entry.last])))
        before = entry.last
    return blocks


def _all_entries(baseline: Baseline) -> list[Entry]:
    return [*baseline.entries.values(), *baseline.tolerated.values()]


def _first_own_line(lines: tuple[str, ...], first: int, before: int) -> int:
    """Comments right above an entry are its own, but not those on top of the file."""
    start = first
    while start - 1 > before and lines[start - 2].startswith("#"):
        start -= 1
    return first if start == 1 else start


def _scalar(text: str) -> str:
    """A plain YAML scalar where it can be one."""
    plain = re.fullmatch(r"[\w][\w./\[\]@+#:()*-]*", text) and not re.search(r": |\s#|:$", text)
    return text if plain else "'" + text.replace("'", "''") + "'"


def write_baseline(path: Path, text: str) -> None:
    """Replace the file at once, so that an interrupted run leaves the old one or the new one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_name(f".{path.name}.new")
    try:
        fresh.write_text(text, encoding="utf-8", newline="\n")
        os.replace(fresh, path)
    except OSError:
        with contextlib.suppress(OSError):
            fresh.unlink()
        raise
