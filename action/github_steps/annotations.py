"""Problem annotations of a run: one for each cause, at the agent's file and line."""

import ast
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from agent_conformance.adapter.contract import CodePlace
from agent_conformance.report_data.model import CaseRecord, FindingResult, Results
from agent_conformance.report_data.summary import findings_by_cause
from github_steps.outcome import Severity, command

_SOURCES = ("", "src")
MOST_BYTES = 4 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class FilePlace:
    """A file by its path in the repository, with `/`, and a line. Empty where there is none."""

    file: str = ""
    line: int = 0


def place_in_repository(origin: CodePlace | None, *, start: Path, workspace: Path) -> FilePlace:
    """The line of the agent's code, as a run in the folder `start` names it. Nothing for a file that is not in the
    repository.
    """
    file = _within(start / origin.in_agent.file, workspace) if origin is not None else ""
    return FilePlace(file, origin.in_agent.line) if origin is not None and file else FilePlace()


def places_in_repository(agent: str, *, start: Path, workspace: Path) -> Callable[[CodePlace | None], tuple[str, int]]:
    """For a crash its file and line in the repository, for anything else those of the agent."""
    default = place_of_agent(agent, start=start, workspace=workspace)

    def place_of(origin: CodePlace | None) -> tuple[str, int]:
        place = place_in_repository(origin, start=start, workspace=workspace)
        return (place.file, place.line) if place.file else (default.file, default.line)

    return place_of


def place_of_agent(agent: str, *, start: Path, workspace: Path) -> FilePlace:
    """Where `module:Adapter` or `path/to/file.py:Adapter` is defined; nothing for a command or a ready-made agent."""
    module, _, name = agent.rpartition(":")
    if not module or module.split(":")[0] in ("cmd", "acp"):
        return FilePlace()
    for path in _candidates(module):
        file = _within(start / path, workspace)
        if file:
            return FilePlace(file, _line_of(start / path, name))
    return FilePlace()


def _candidates(module: str) -> list[Path]:
    if module.endswith(".py"):
        return [Path(module)]
    path = Path(*module.split("."))
    return [Path(source) / file for source in _SOURCES for file in (path.with_suffix(".py"), path / "__init__.py")]


def _within(path: Path, workspace: Path) -> str:
    """The path from the workspace, if that has such a file."""
    try:
        real = path.resolve()
        return real.relative_to(workspace.resolve()).as_posix() if real.is_file() else ""
    except (OSError, ValueError, RuntimeError):  # the last where links go in a circle, before Python 3.13
        return ""


def _line_of(path: Path, name: str) -> int:
    """The line where the module defines this name, else the first."""
    try:
        tree = ast.parse(path.read_bytes()[:MOST_BYTES])
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return 1
    for node in tree.body:
        names = [getattr(node, "name", "")]
        if isinstance(node, ast.Assign):
            names = [target.id for target in node.targets if isinstance(target, ast.Name)]
        if name in names:
            return node.lineno
    return 1


NOWHERE = FilePlace()
MOST = 10
"""A runner shows so many errors of one step."""
LONGEST = 400


@dataclass(frozen=True, slots=True)
class Annotation:
    title: str
    message: str
    place: FilePlace = NOWHERE
    severity: Severity = "error"

    @property
    def line(self) -> str:
        """The workflow command."""
        return command(
            self.severity, self.message, {"file": self.place.file, "line": self.place.line, "title": self.title}
        )


def annotations_of(results: Results, *, start: Path, workspace: Path) -> list[Annotation]:
    """Errors of the set-up first, then the causes in their order. The last one counts those that are left out."""
    agent = place_of_agent(results.agent.name, start=start, workspace=workspace)
    found = [
        *_errors(results, agent),
        *_causes(results, agent, start=start, workspace=workspace),
        *_stale(results),
        *(Annotation("less is judged than when the baseline was written", _cut(text), agent) for text in results.fewer),
    ]
    if len(found) <= MOST:
        return found
    rest = f"{len(found) - MOST + 1} more causes are in the summary and in the report."
    return [*found[: MOST - 1], Annotation("agent conformance", rest, agent)]


def _causes(results: Results, agent: FilePlace, *, start: Path, workspace: Path) -> Iterator[Annotation]:
    by_cause = findings_by_cause(results, ("new",))
    for (cause, detail), found in sorted(
        by_cause.items(), key=lambda item: (item[1][0][1].harm, -len({c.id for c, _ in item[1]}), item[0])
    ):
        places = (place_in_repository(one.origin, start=start, workspace=workspace) for _, one in found)
        place = next((place for place in places if place.file), agent)
        title = _cut(": ".join(part for part in (cause, detail) if part))
        yield Annotation(title, "\n".join(_message_lines(*found[0], cases={case.id for case, _ in found})), place)


def _message_lines(case: CaseRecord, finding: FindingResult, *, cases: set[str]) -> Iterator[str]:
    yield _cut(f"{_cases(len(cases))}, such as {case.id}#{finding.id}")
    said = {"at": finding.at, "refused": finding.refused, "expected": finding.expected, "got": finding.got}
    yield from (f"{label}: {_cut(text)}" for label, text in said.items() if text)
    if case.rerun:
        yield case.rerun


def _errors(results: Results, agent: FilePlace) -> Iterator[Annotation]:
    reasons: dict[str, list[str]] = {}
    for case in results.cases:
        if case.outcome == "error":
            reasons.setdefault(case.reason.partition("\n")[0], []).append(case.id)
    for reason, cases in reasons.items():
        message = f"{_cut(reason)}\n{_cases(len(cases))}, such as {cases[0]}"
        yield Annotation("error of the set-up, not a finding", message, agent)
    for broken in results.broken_files:
        yield Annotation("scenario that cannot be read", _cut(broken.headline or broken.path))
    for exit_ in results.stray_exits:
        yield Annotation("the agent wanted to end the process", _cut(exit_), agent)


def _stale(results: Results) -> Iterator[Annotation]:
    """One annotation for all stale entries: they are to be deleted together."""
    stale = [finding for case in results.cases for finding in case.stale]
    if stale:
        message = f"{_listed(stale)}\nDelete them, or run with --agent-baseline-update."
        yield Annotation("entries of the baseline whose findings did not occur", message)


def _listed(texts: Iterable[str]) -> str:
    texts = list(texts)
    more = [f"and {len(texts) - MOST} more"] if len(texts) > MOST else []
    return "\n".join([*map(_cut, texts[:MOST]), *more])


def _cases(count: int) -> str:
    return "1 case" if count == 1 else f"{count} cases"


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}..."
