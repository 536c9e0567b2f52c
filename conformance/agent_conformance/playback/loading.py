"""A cassette as a file of scenarios: one row for each conversation in it. Runs and judges nothing."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from agent_conformance.adapter.contract import DeclaredAgent
from agent_conformance.cassettes import Problem as CassetteProblem
from agent_conformance.cassettes import RecordedExchange, UnknownFormat, exchanges_of
from agent_conformance.cassettes.endings import ABOUT, line_after_the_end
from agent_conformance.playback.scripts import CannotPlay, PlayedSession, script_of
from agent_conformance.playback.sessions import RecordedSession, sessions_of
from agent_conformance.scenario.cases import Case, RunOptions, cases_of, features_used
from agent_conformance.scenario.data_files import LARGEST, read_data
from agent_conformance.scenario.loading import ScenarioFile, digest_of, validated
from agent_conformance.scenario.model import Scenario
from agent_conformance.scenario.problems import Problem, shown_path
from agent_conformance.scenario.reading import KeyPath
from agent_conformance.scenario.selection import ScenarioPath
from fake_providers.wire_capabilities import can_express

COMMENT = "The conversations of a cassette: the model says what was recorded, and the laws judge the agent."
MOST_SESSIONS = 100
MOST_EXCHANGES = 2_000
MOST_PROBLEMS = 20
INSTEAD = "`agent-conformance new --from` makes a scenario of it, where that is possible."


@dataclass(frozen=True, slots=True)
class PlayedCassette:
    """`file` has a row for each conversation that can be played; `problems` say what cannot, and why."""

    file: ScenarioFile | None
    problems: tuple[Problem, ...]
    lines: Mapping[str, Mapping[KeyPath, int]] = field(default_factory=dict)
    """Of each row, the lines of its turns in the cassette."""

    def cases(self, agent: DeclaredAgent, options: RunOptions) -> list[Case]:
        """Each with the lines of its own conversation."""
        cases = [] if self.file is None else cases_of(self.file, agent, options)
        return [replace(case, file=replace(case.file, lines=self.lines[str(case.row)])) for case in cases]


def load_cassette(found: ScenarioPath, *, start: Path | None = None) -> PlayedCassette:
    """Never raises for what is in the file. Findings show its path from `start`, as those of scenario files do."""
    problems: list[Problem] = []
    try:
        exchanges = _exchanges(found.path, problems)
    except OSError as error:
        most = f" At most {LARGEST // 1024 // 1024} MB are read." if "bytes" in str(error) else ""
        what = f"the cassette cannot be read: {error.strerror or error}.{most}"
        return PlayedCassette(None, (Problem(shown_path(found.path), 1, what),))
    except UnknownFormat as error:
        return PlayedCassette(None, (Problem(shown_path(found.path), 1, _sentence(str(error), found.path)),))
    sessions = sessions_of(exchanges)
    if not sessions and not problems:
        what = f"none of its {len(exchanges)} entries is a request to a model that is known here."
        problems.append(Problem(shown_path(found.path), 1, what))
    return _played(found, sessions, problems, start)


def _exchanges(path: Path, problems: list[Problem]) -> list[RecordedExchange]:
    exchanges: list[RecordedExchange] = []
    data = read_data(path)
    for one in exchanges_of(data, str(path)):
        if isinstance(one, CassetteProblem):
            if len(problems) < MOST_PROBLEMS:
                problems.append(Problem(shown_path(path), one.place.line, one.message))
        elif len(exchanges) == MOST_EXCHANGES:
            what = f"{MOST_EXCHANGES:,} entries were read, and no more are played. Split the cassette."
            problems.append(Problem(shown_path(path), one.place.line, what))
            break
        else:
            exchanges.append(one)
    after = line_after_the_end(data.decode(errors="surrogateescape"))
    if after is not None:
        problems.append(Problem(shown_path(path), after, ABOUT))
    return exchanges


def _played(
    found: ScenarioPath, sessions: list[RecordedSession], problems: list[Problem], start: Path | None
) -> PlayedCassette:
    shown = shown_path(found.path)
    played: dict[str, PlayedSession] = {}
    rows: dict[str | None, Scenario] = {}
    for number, session in enumerate(sessions, 1):
        if number > MOST_SESSIONS:
            problems.append(Problem(shown, session.line, f"{MOST_SESSIONS} conversations are played, and no more."))
            break
        try:
            one = script_of(session)
            rows[str(number)] = _scenario(one.data, session)
            played[str(number)] = one
        except CannotPlay as why:
            problems.append(Problem(shown, session.line, f"conversation {number} cannot be played: {why}. {INSTEAD}"))
    if not rows:
        return PlayedCassette(None, tuple(problems))
    digest = digest_of({row: one.data for row, one in played.items()})
    file = ScenarioFile(found.id, found.area, found.path, COMMENT, digest, rows, {(): 1}, shown_path(found.path, start))
    return PlayedCassette(file, tuple(problems), {row: one.lines for row, one in played.items()})


def _scenario(data: dict[str, Any], session: RecordedSession) -> Scenario:
    """Raises `CannotPlay`, also for a reply that the fake of the wire cannot send."""
    scenario = validated(data)
    if not isinstance(scenario, Scenario):
        _, sentence = scenario[0]
        raise CannotPlay(f"it makes no scenario: {sentence.rstrip('.')}")
    modes = [str(mode) for mode in scenario.modes or ("plain", "stream")]
    lacking = sorted(
        feature
        for feature in features_used(scenario)
        if not any(can_express(feature, wire=session.wire, mode=mode) for mode in modes)
    )
    if lacking and not session.is_made_up:
        raise CannotPlay(f"a reply in it cannot be sent by the fake of {session.wire}: {', '.join(lacking)}")
    return scenario


def _sentence(message: str, path: Path) -> str:
    return message.removeprefix(f"{path}: ")
