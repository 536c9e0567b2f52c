"""Runs the probes, the scenarios in `probes/`, with one agent on one target."""

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, Literal, Self

from agent_conformance.adapter.contract import DeclaredAgent
from agent_conformance.adapter.types import Setup
from agent_conformance.run.case_session import CaseSession
from agent_conformance.scenario.cases import Case, case_of
from agent_conformance.scenario.loading import ScenarioFile, load_file
from agent_conformance.transcripts.finding import Verdict
from agent_conformance.transcripts.narrative import narrative
from agent_conformance.transcripts.transcript import RecordedRequest, Transcript, TurnRecord

HERE = Path(__file__).parent
SESSION_FEATURES = frozenset({"request-limit"})
KEPT = frozenset({"images", "own-tools"})
"""The features that the session gets, and those that it keeps: with a request limit an agent is stopped after a few
requests, not after 120."""


@dataclass(frozen=True, slots=True)
class ProbeRun:
    """One probe on one target. Without a `transcript` the adapter could not be started; `verdict` says why.

    `event_count` is how many events the observer got. `cannot`: why it was not told the system prompt.
    """

    case: Case
    verdict: Verdict
    transcript: Transcript | None
    event_count: int = 0
    cannot: str = ""

    @property
    def target(self) -> str:
        return f"{self.case.wire}+{self.case.mode}"

    @property
    def turns(self) -> list[TurnRecord]:
        return self.transcript.turns if self.transcript else []

    @property
    def requests(self) -> list[RecordedRequest]:
        """All requests of all turns, with any outcome."""
        return [request for record in self.turns for request in record.requests]

    @property
    def counted(self) -> list[RecordedRequest]:
        return [request for record in self.turns for request in record.counted]

    @property
    def foreign(self) -> list[str]:
        return [f"{host}:{port}" if port else host for host, port in self.transcript.foreign] if self.transcript else []

    def first_of(self, turn: int) -> RecordedRequest | None:
        """The first request of a turn that got a reply of the script."""
        records = self.turns[turn - 1 : turn]
        return next((request for record in records for request in record.counted), None)


class ObservedAdapter:
    """The adapter class, with an observer that counts events. Its other attributes are those of the class."""

    def __init__(self, adapter: Callable[[Setup], Any]) -> None:
        self._adapter = adapter
        self.event_count = 0

    def __call__(self, setup: Setup) -> Any:
        return self._adapter(replace(setup, observe=self._observe) if setup.observe else setup)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._adapter, name)

    def _observe(self, event: Any) -> None:
        self.event_count += 1


class ProbeRunner(ExitStack):
    """Use as a context manager. Whatever the agent does ends in a `ProbeRun`; `texts` are their transcripts as text."""

    def __init__(self, agent: DeclaredAgent, *, timeout: float) -> None:
        super().__init__()
        self._observed_adapter = ObservedAdapter(agent.adapter)
        self.session = CaseSession(
            replace(agent, adapter=self._observed_adapter, features=SESSION_FEATURES | (agent.features & KEPT)),
            timeout=timeout,
        )
        self.texts: list[str] = []

    def __enter__(self) -> Self:
        self.enter_context(self.session)
        return self

    def run(self, name: str, *, wire: str, mode: str) -> ProbeRun:
        """An agent that cannot take the probe's system prompt is probed without, and `cannot` says why."""
        case = case_of(probe(name), None, wire=wire, mode=mode)
        probe_run = self._probed(case)
        if probe_run.verdict.outcome != "not-verified" or not case.scenario.system:
            return probe_run
        without = replace(case, scenario=case.scenario.changed({"system": ""}))
        return replace(self._probed(without), cannot=probe_run.verdict.reason)

    def _probed(self, case: Case) -> ProbeRun:
        self._observed_adapter.event_count = 0
        verdict, transcripts = self.session.examine(case)
        probe_run = ProbeRun(case, verdict, transcripts[0] if transcripts else None, self._observed_adapter.event_count)
        self.texts.append(probe_text(probe_run))
        return probe_run


def probe_text(probe_run: ProbeRun) -> str:
    """What happened in a probe: its transcript, and the tracebacks of crashes."""
    lines = [f"probe {probe_run.case.id}"]
    if probe_run.transcript is None:
        return "\n".join([*lines, f"  {probe_run.verdict.reason}"])
    lines += [f"  {line}" for line in narrative(probe_run.transcript).rstrip("\n").split("\n")]
    for record in probe_run.turns:
        strays = [f"{e.http.method} {e.http.path}" for e in record.requests if e.kind == "unknown"]
        lines += [f"  also requested in turn {record.number}: {stray}" for stray in strays]
        if record.trace is not None and record.trace.brief:
            lines += [f"  trace of turn {record.number}", *(f"    {line}" for line in record.trace.brief.split("\n"))]
    return "\n".join(lines)


@cache
def probe(name: str) -> ScenarioFile:
    loaded = load_file(HERE / "probes" / f"{name}.yaml", root=HERE)
    assert isinstance(loaded, ScenarioFile), "\n".join(map(str, loaded))
    return loaded


Status = Literal["ok", "not working", "works, not declared", "not declared", "not tried", "advice"]
"""`not working`: it is declared, or every case needs it, and it did not work. Only this makes the exit code 1."""

TOPICS = ("reached", "requests", "tools", "features")


@dataclass(frozen=True, slots=True)
class Check:
    """`topic` is a target, something of each request, or a feature. `got` and `fix` are sentences, or empty.

    `group` is where it is printed: one of `TOPICS`.
    """

    group: str
    topic: str
    status: Status
    got: str = ""
    fix: str = ""


@dataclass(frozen=True, slots=True)
class Failure:
    """What happened instead of what was expected, and what to change in the adapter.

    `is_about_feature` is false for what kept the probe from showing anything about the feature.
    """

    got: str
    fix: str = ""
    is_about_feature: bool = True


UNFINISHED = ("crash", "hang", "flood")
MADE_BY_PROBE = ("stopped", "fault")
"""Requests that the probe itself did not answer: what the turn comes to after one is what the probe is about."""


def refusal(probe_run: ProbeRun) -> Failure | None:
    """The first request that a rule of the provider refuses."""
    for record in probe_run.turns:
        for request in record.requests:
            violation = request.violation
            if violation is None or not request.refused:
                continue
            place = f" at {violation.at}" if violation.at else ""
            got = f"the provider refuses request {request.number} of turn {record.number}{place}"
            fix = (
                "Fix this request first; nothing can be said of the feature before. "
                f"`agent-conformance explain {violation.rule}` shows one that is accepted."
            )
            return Failure(f"{got}: {violation.status} {violation.message}", fix, is_about_feature=False)
    return None


def crash(probe_run: ProbeRun) -> Failure | None:
    """A turn that ended in a crash or a hang, or an adapter that could not be started."""
    if probe_run.transcript is None:
        fix = "Fix this first; nothing can be said of the feature before."
        return Failure(probe_run.verdict.reason, fix, is_about_feature=False)
    record = next((record for record in _unprovoked(probe_run) if record.outcome in UNFINISHED), None)
    if record is None:
        return None
    fix = "Fix this first; nothing can be said of the feature before. A deliberate failure belongs in `errors`."
    return Failure(_ending(record), fix, is_about_feature=False)


def failure(probe_run: ProbeRun) -> Failure | None:
    """A turn that ended in a controlled failure, though the model answered each request."""
    record = next((record for record in _unprovoked(probe_run) if record.outcome == "error"), None)
    if record is None:
        return None
    return Failure(_ending(record), "Find out why the agent gives up here.", is_about_feature=False)


def obstacle(probe_run: ProbeRun) -> Failure | None:
    """The first of them all, the cause before its consequences."""
    return refusal(probe_run) or crash(probe_run) or failure(probe_run)


def _unprovoked(probe_run: ProbeRun) -> list[TurnRecord]:
    return [
        record
        for record in probe_run.turns
        if not any(request.kind in MADE_BY_PROBE for request in record.requests) and record.turn.cancel is None
    ]


def _ending(record: TurnRecord) -> str:
    article = "an" if record.outcome == "error" else "a"
    return f"turn {record.number} ended in {article} {record.outcome}: {record.described_failure}"
