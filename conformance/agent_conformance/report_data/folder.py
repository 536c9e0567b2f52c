"""The folder that `--agent-report` names: written during the run and at its end, and read again.

Beside `results.json` it has `results.sarif`: what was found, as SARIF 2.1.0, which code scanning and editors read.
"""

import contextlib
import errno
import hashlib
import json
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path, PurePath
from typing import IO, Any
from urllib.parse import quote

from agent_conformance.explain.texts import expectation_texts, without_links
from agent_conformance.report_data.encoding import RUN, BrokenResults, decoded, encoded, gathered, run_line
from agent_conformance.report_data.fix_prompts import FOLDER, MARK, prompt_files
from agent_conformance.report_data.model import CaseRecord, Ending, FindingResult, Results, Shard, with_cases
from agent_conformance.report_data.summary import Cause, causes, counted, profiles_of, summary, verdict_of

RESULTS, LINES = "results.json", "results.ndjson"
SUMMARY, BADGE, SARIF, PAGE = "summary.md", "badge.json", "results.sarif", "index.html"
WRITTEN_AT_THE_END = (RESULTS, SUMMARY, BADGE, SARIF, PAGE)
"""What a run that is killed does not write: those of an earlier run are removed when a run begins."""

EXIT_CODES = range(256)
"""What a process can exit with. `merge` ends with the one that it has read, cut to eight bits by the system."""

STEP_SUMMARY = "GITHUB_STEP_SUMMARY"
"""The variable of GitHub Actions that names a file of Markdown."""

WritePage = Callable[[Results, Path], None]


@dataclass(slots=True)
class ResultsLog:
    """`results.ndjson`, a line for each case as soon as it is there. A problem with the file is kept for the end."""

    folder: Path
    problem: OSError | None = None
    _file: IO[bytes] | None = None
    lines: list[bytes] = field(default_factory=list)

    def begin(self, run: Results) -> None:
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            remove_earlier(self.folder)
            self._file = (self.folder / LINES).open("wb")
        except OSError as error:
            self.problem = error
        self._add(run_line(run))

    def add(self, line: bytes) -> None:
        """A case, as `case_line` writes it."""
        self._add(line)

    def end(self, run: Results) -> Results:
        """The results of all that was added, with what is known of the run at its end. Closes the file."""
        self._add(run_line(run))
        if self._file is not None:
            with contextlib.suppress(OSError):
                self._file.close()
        return gathered(self.lines, where=LINES)

    def _add(self, line: bytes) -> None:
        self.lines.append(line)
        if self._file is None or self.problem is not None:
            return
        try:
            self._file.write(line + b"\n")
            self._file.flush()
        except OSError as error:
            self.problem = error


def write_report(results: Results, folder: Path, *, write_page: WritePage | None = None) -> None:
    """Write all that is made of the results, in place of the lines that said the same. Raises `OSError`."""
    folder.mkdir(parents=True, exist_ok=True)
    write_whole(folder / RESULTS, encoded(results))
    (folder / LINES).unlink(missing_ok=True)
    write_whole(folder / SUMMARY, summary(results).encode())
    write_whole(folder / BADGE, badge(results).encode())
    write_whole(folder / SARIF, sarif(results).encode())
    _write_prompts(results, folder / FOLDER)
    if write_page is not None:
        write_page(results, folder)


def _write_prompts(results: Results, folder: Path) -> None:
    """`fix/NN-cause.md`, in place of those of an earlier report. What somebody else wrote stays."""
    _remove_prompts(folder)
    for name, text in prompt_files(results):
        folder.mkdir(exist_ok=True)
        write_whole(folder / name, text.encode(errors="replace"))


def _remove_prompts(folder: Path) -> None:
    for path in folder.glob("*.md"):
        if _begins(path, MARK.encode()):
            path.unlink()
    with contextlib.suppress(OSError):  # there is none, or somebody else's file is in it
        folder.rmdir()


def remove_earlier(folder: Path) -> None:
    """What an earlier run wrote. Raises `OSError` for files of those names that are no report's."""
    there = [folder / name for name in (*WRITTEN_AT_THE_END, LINES) if (folder / name).exists()]
    if there and not any(_begins(folder / name, begin) for name, begin in ((RESULTS, b'{"format":'), (LINES, RUN))):
        raise FileExistsError(errno.EEXIST, "is no file of a report; name another folder", str(there[0]))
    for path in there:
        path.unlink()
    _remove_prompts(folder / FOLDER)


def _begins(path: Path, begin: bytes) -> bool:
    try:
        with path.open("rb") as file:
            return file.read(len(begin)) == begin
    except OSError:
        return False


def append_step_summary(results: Results, environment: Mapping[str, str]) -> None:
    """In GitHub Actions, show the summary on the page of the run. Raises `OSError`."""
    path = environment.get(STEP_SUMMARY)
    if path:
        with Path(path).open("a", encoding="utf-8") as file:
            file.write(summary(results))


def write_whole(path: Path, content: bytes) -> None:
    """Replace the file at once: whatever interrupts it, the file is the old one or the new one."""
    fresh = path.with_name(f".{path.name}.new")
    try:
        fresh.write_bytes(content)
        os.replace(fresh, path)
    except OSError:
        with contextlib.suppress(OSError):
            fresh.unlink()
        raise


def newest_report(folder: Path) -> Path | None:
    """The folder of the newest report in this folder; None where there is none."""
    there = _kept(folder)
    return max(there, key=lambda path: path.stat().st_mtime).parent if there else None


def read_results(path: Path) -> Results:
    """The results in a folder or a file. A run that was killed has left `results.ndjson` alone.

    Raises `BrokenResults`.
    """
    file = _file_of(path)
    try:
        content = file.read_bytes()
    except OSError as error:
        raise BrokenResults(f"{file}: {error.strerror or error}") from None
    is_whole = file.suffix != ".ndjson"
    results = decoded(content, where=str(file)) if is_whole else gathered(content.split(b"\n"), where=str(file))
    if results.exit_code is not None and results.exit_code not in EXIT_CODES:
        raise BrokenResults(
            f"{file}: its exit_code is none that a process has. Run the suite again with --agent-report."
        )
    return results


def kept_runs(folder: Path, *, besides: Path) -> list[Results]:
    """The run of this report; of a folder that keeps some all but one, the earliest first. Raises `BrokenResults`."""
    kept = [] if any((folder / name).exists() for name in (RESULTS, LINES)) else _kept(folder)
    if not kept:
        return [read_results(folder)]
    earlier = (path for path in kept if path.parent.resolve() != besides.resolve())
    return sorted(map(read_results, earlier), key=lambda run: run.started)


def _kept(folder: Path) -> list[Path]:
    return [path for path in folder.glob(f"*/{RESULTS}") if _begins(path, b'{"format":')]


def _file_of(path: Path) -> Path:
    if not path.is_dir():
        return path
    found = next((path / name for name in (RESULTS, LINES) if (path / name).is_file()), None)
    if found is None:
        raise BrokenResults(f"{path}: has no {RESULTS}. Name a folder that --agent-report={path} wrote.")
    return found


COLOURS = {"passed": "brightgreen", "failed": "red", "incomplete": "orange"}


def badge(results: Results) -> str:
    """What was judged with which version, how many passed and failed, and how many were not verified."""
    verdict = verdict_of(results)
    known = bool(results.counts.get("known"))
    gaps = " (incomplete)" if verdict.gaps else ""
    fields = {
        "schemaVersion": 1,
        "label": f"agent conformance {results.suite.version}".strip(),
        "message": f"{profiles_of(results)}: {counted(results)}{gaps}",
        "color": "yellowgreen" if verdict.word == "passed" and known else COLOURS[verdict.word],
        "isError": verdict.word == "incomplete",
    }
    return json.dumps(fields, indent=1, ensure_ascii=False) + "\n"


ENDINGS: tuple[Ending, ...] = ("complete", "stopped", "interrupted", "terminated", "killed")
"""How a run ended, the worst last: `merge` reports the worst of its runs."""
ALIKE = ("suite", "agent", "options")


class NotMergeable(Exception):
    """These results are not shards of one run: one line that says why."""


def merged(shards: Sequence[tuple[str, Results]]) -> Results:
    """One run out of its shards, each with the name that messages give it. Raises `NotMergeable`.

    Shards may be missing: `shard.missing` of the result says which, and the exit code is at least 1.
    """
    _check(shards)
    runs = [run for _, run in sorted(shards, key=lambda named: _shard(named[1]).has)]
    first = runs[0]
    shard = Shard(_shard(first).of, tuple(sorted(number for run in runs for number in _shard(run).has)))
    cases = _cases(shards)
    # The worst: a run that never ended counts as an error of the set-up, as a missing shard counts as a
    # failure
    codes = [3 if run.exit_code is None else run.exit_code for run in runs]
    # Each shard reads all files.
    joined = replace(
        first,
        started=min(run.started for run in runs),
        seconds=max(run.seconds for run in runs),
        ended=max((run.ended for run in runs), key=ENDINGS.index),
        exit_code=max([*codes, 1 if shard.missing else 0]),
        selected=sum(run.selected for run in runs),
        shard=shard,
        broken_files=tuple({file.path: file for run in runs for file in run.broken_files}.values()),
        stray_exits=tuple(text for run in runs for text in run.stray_exits),
        fewer=tuple(dict.fromkeys(text for run in runs for text in run.fewer)),
        rules={id: text for run in runs for id, text in run.rules.items()},
        laws={id: text for run in runs for id, text in run.laws.items()},
    )
    return with_cases(joined, cases, {id: body for run in runs for id, body in run.bodies.items()})


def _check(shards: Sequence[tuple[str, Results]]) -> None:
    if not shards:
        raise NotMergeable("there are no results to merge. Name the folders that the shards wrote.")
    seen: dict[int, str] = {}
    name, first = shards[0]
    for other, run in shards:
        shard = _shard(run, other)
        if shard.of != _shard(first).of:
            raise NotMergeable(
                f"{other} is a shard of {shard.of}, {name} one of {_shard(first).of}. Merge those of one run."
            )
        for number in shard.has:
            if number in seen:
                raise NotMergeable(
                    f"shard {number}/{shard.of} is given twice, as {seen[number]} and {other}. Name one."
                )
            seen[number] = other
        for what in ALIKE:
            if (difference := _difference(getattr(first, what), getattr(run, what))) is not None:
                raise NotMergeable(f"{other} is of another run than {name}: {what}, {difference}")


def _shard(run: Results, name: str = "") -> Shard:
    if run.shard is None:
        raise NotMergeable(f"{name} is no shard: it was made without --agent-shard, such as --agent-shard=1/3.")
    return run.shard


def _difference(first: object, other: object) -> str | None:
    for each in fields(first):  # type: ignore[arg-type]
        was, now = getattr(first, each.name), getattr(other, each.name)
        if was != now:
            return f"{each.name} is {now!r} and not {was!r}."
    return None


def _cases(shards: Sequence[tuple[str, Results]]) -> list[CaseRecord]:
    found: dict[str, str] = {}
    for name, run in shards:
        for case in run.cases:
            if case.id in found:
                raise NotMergeable(f"{case.id} is in {found[case.id]} and in {name}. Merge shards of one run.")
            found[case.id] = name
    return [case for _, run in shards for case in run.cases]


SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
FileLine = tuple[str, int]
"""A file and a line; an empty file where there is none."""
PlaceOf = Callable[[FindingResult], FileLine]

_LINK = re.compile(r"\[(?=[^\]]*\]\()")


def place_of_crash(finding: FindingResult) -> FileLine:
    """The line of the agent's own code."""
    return (finding.origin.in_agent.file, finding.origin.in_agent.line) if finding.origin else ("", 0)


def sarif(results: Results, place_of: PlaceOf = place_of_crash) -> str:
    """One result for each cause, as in the summary, at the place in the agent's code, or else at the scenario.

    What is known has a suppression, and advice is a note.
    """
    found = [cause for state in ("new", "known", "advice") for cause in causes(results, (state,))]
    rules = list({cause.first.cause: cause.first for cause in reversed(found)}.values())
    numbers = {rule.cause: number for number, rule in enumerate(rules)}
    errors = [case for case in results.cases if case.outcome == "error"]
    driver: dict[str, Any] = {"name": "agent-conformance", "rules": [_rule(rule, results) for rule in rules]}
    if results.suite.version:
        driver["version"] = results.suite.version
    run = {
        "tool": {"driver": driver},
        "invocations": [
            {
                "executionSuccessful": results.ended == "complete" and not errors and not results.broken_files,
                "toolExecutionNotifications": [
                    {"level": "error", "message": {"text": _text(f"{case.id}: {case.reason}")}} for case in errors
                ],
            }
        ],
        "properties": {"agent": results.agent.name, "command": results.command},
        "results": [_result(cause, numbers[cause.first.cause], place_of) for cause in found],
    }
    document = {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"


def _rule(finding: FindingResult, results: Results) -> dict[str, Any]:
    """What the suite knows of the rule, the law or the expectation: its code is its id, which never changes."""
    rule: dict[str, Any] = {"id": finding.cause, "properties": {"kind": finding.kind}}
    law, broken = results.laws.get(finding.law), results.rules.get(finding.rule)
    text = expectation_texts().get(finding.cause)
    if broken is not None:
        rule["shortDescription"] = {"text": _text(broken.statement)}
        if broken.source.startswith("https://"):
            rule["helpUri"] = broken.source
    elif law is not None:
        rule["shortDescription"] = {"text": _text(law.title)}
        rule["fullDescription"] = {"text": _text(law.demands or law.title)}
        rule["help"] = {"text": _text(law.why or law.title)}
    elif text is not None:
        rule["shortDescription"] = {"text": _text(without_links(text.title))}
        rule["fullDescription"] = {"text": _text(without_links(text.demands))}
        rule["help"] = {"text": _text(text.why)}
    return rule


def _result(cause: Cause, rule: int, place_of: PlaceOf) -> dict[str, Any]:
    finding, case = cause.first, cause.cases[0]
    is_advice = finding.state == "advice" or finding.level == "should"
    file, line = place_of(finding)
    if not file:
        file, line = (finding.scenario.file, finding.scenario.line) if finding.scenario else (case.file, 1)
    logical = {"fullyQualifiedName": case.id, "kind": "case"}
    if finding.place is not None:
        logical["decoratedName"] = f"{case.id}, {finding.place}"
    result: dict[str, Any] = {
        "ruleId": finding.cause,
        "ruleIndex": rule,
        "level": "note" if is_advice else "error",
        "message": {"text": _text("\n".join(_message(cause)))},
        "locations": [{**_physical(file, line), "logicalLocations": [logical]}],
        "occurrenceCount": len(cause.cases),
        "partialFingerprints": {"cause/v2": hashlib.sha256(_root(finding).encode()).hexdigest()},
        "properties": {"state": finding.state, "cases": [each.id for each in cause.cases]},
    }
    if finding.scenario is not None:
        line = finding.scenario.demand or finding.scenario.line
        described = {"message": {"text": "the scenario"}, **_physical(finding.scenario.file, line)}
        result["relatedLocations"] = [{"id": 1, **described}]
    if finding.state == "known":
        result["suppressions"] = [{"kind": "external", "justification": _text(finding.known)}]
    return result


def _root(finding: FindingResult) -> str:
    """What is the same in each run: of a crash the file, the error and the line's text, since its number moves."""
    if finding.origin is None:
        return "\n".join(finding.root)
    place = finding.origin.in_agent
    lines = [line.strip() for line in finding.trace.splitlines()]
    code = next((line.partition(": ")[2] for line in lines if line.startswith(f"{place.file}:{place.line} in ")), "")
    error = re.split(r"[: ]", finding.got or lines[-1])[0]
    return f"{place.file}\n{error}\n{code}"


def _message(cause: Cause) -> Iterator[str]:
    finding, case = cause.first, cause.cases[0]
    cases = "1 case" if len(cause.cases) == 1 else f"{len(cause.cases)} cases"
    yield f"{cause.label} in {cases}, such as {case.id}#{finding.id}"
    said = {"at": finding.at, "refused": finding.refused, "expected": finding.expected, "got": finding.got}
    yield from (f"{label}: {text}" for label, text in said.items() if text)
    if case.rerun:
        yield f"rerun: {case.rerun}"


def _physical(file: str, line: int) -> dict[str, Any]:
    path = PurePath(file)
    uri = path.as_uri() if path.is_absolute() else quote(path.as_posix())
    return {"physicalLocation": {"artifactLocation": {"uri": uri}, "region": {"startLine": max(line, 1)}}}


def _text(text: str) -> str:
    """SARIF reads `[word](address)` as a link: an agent's text is none."""
    return _LINK.sub(r"\\[", text) or "-"
