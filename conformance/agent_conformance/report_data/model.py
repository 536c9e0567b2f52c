"""What `results.json` holds, as frozen values: the run, its cases, and the bodies of requests and responses.

Every text is printable and without keys by the time it is here.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal, get_args

from agent_conformance.adapter.contract import CodePlace
from agent_conformance.baseline.case_report import CaseOutcome, FindingState, SnapshotState
from agent_conformance.judge.causes import harm_of
from agent_conformance.judge.laws.law import Harm
from agent_conformance.transcripts.finding import FindingKind, Level, Place, Root, ScenarioPlace, root_of

FORMAT: Literal[2] = 2
"""Goes up when a field goes or changes its meaning. Readers pass over fields that they do not know."""

Ending = Literal["complete", "stopped", "interrupted", "terminated", "killed"]
"""`stopped`: by `-x` or `--maxfail`. `interrupted`: Ctrl-C. `terminated`: SIGTERM. `killed`: the run wrote no end."""


@dataclass(frozen=True, slots=True)
class Suite:
    """`version` is that of agent-conformance, `corpus` the version of the corpus that was chosen, if one was."""

    version: str
    corpus: str = ""


@dataclass(frozen=True, slots=True)
class Agent:
    """`name` is what `--agent` names, `version` what the agent or its adapter says of itself, if anything."""

    name: str
    wires: tuple[str, ...] = ()
    modes: tuple[str, ...] = ()
    features: tuple[str, ...] = ()
    isolated: bool = False
    version: str = ""


@dataclass(frozen=True, slots=True)
class Environment:
    """`code` is the address under which the files of the working directory can be read, if CI says where."""

    python: str = ""
    pytest: str = ""
    platform: str = ""
    code: str = ""


@dataclass(frozen=True, slots=True)
class Chosen:
    """The options of the run that say what was judged and how; an empty tuple means all, and no `relations`."""

    cases: tuple[str, ...] = ()
    wires: tuple[str, ...] = ()
    modes: tuple[str, ...] = ()
    providers: tuple[str, ...] = ()
    profiles: tuple[str, ...] = ()
    models: str = "default"
    level: Level = "must"
    transport: str = "process"
    cut: str = ""
    relations: tuple[str, ...] = ()
    timeout: float = 10.0
    tolerate: tuple[str, ...] = ()
    baseline: str = ""


@dataclass(frozen=True, slots=True)
class Shard:
    """A part of the cases, by their ids: `of` parts there are, and `has` are those in these results, from 1."""

    of: int
    has: tuple[int, ...]

    @property
    def missing(self) -> tuple[int, ...]:
        return tuple(number for number in range(1, self.of + 1) if number not in self.has)


@dataclass(frozen=True, slots=True)
class FindingResult:
    """One finding. `rule` is the provider's rule that was broken, `law` the law of the suite, each if there is one.

    `facts` are labelled texts in order, `trace` the agent's traceback. `known` is the reason that the baseline gives.
    `origin` is where in the agent's code it crashed, and `file_line` the line of the agent's own. `scenario` is where
    the scenario stands, in `source` as a text. `ends_case`: nothing that came after it was judged.
    `is_flaky`: it came in one of two runs, or the baseline says that it comes and goes.
    """

    id: str
    cause: str
    kind: FindingKind
    level: Level
    state: FindingState
    law: str = ""
    rule: str = ""
    detail: str = ""
    facts: tuple[tuple[str, str], ...] = ()
    consequences: tuple[str, ...] = ()
    not_checked: tuple[str, ...] = ()
    trace: str = ""
    source: str = ""
    place: Place | None = None
    file_line: str = ""
    cut: str = ""
    known: str = ""
    ends_case: bool = False
    is_tolerated: bool = False
    is_flaky: bool = False
    origin: CodePlace | None = None
    scenario: ScenarioPlace | None = None

    @property
    def harm(self) -> Harm:
        return harm_of(self.kind, self.cause, self.detail)

    @property
    def root(self) -> Root:
        return root_of(self.cause, self.detail)

    @property
    def explained_by(self) -> str:
        """What `explain` takes: of a turn that ended in a refusal the rule, which says what to do."""
        return self.root[0] if "/" in self.root[0] and not self.rule else self.id

    @property
    def at(self) -> str:
        return dict(self.facts).get("at", "")

    @property
    def refused(self) -> str:
        return dict(self.facts).get("refused", "")

    @property
    def expected(self) -> str:
        return dict(self.facts).get("expected", "")

    @property
    def got(self) -> str:
        return dict(self.facts).get("got", "")


@dataclass(frozen=True, slots=True)
class SnapshotResult:
    state: SnapshotState = "none"
    diff: str = ""


@dataclass(frozen=True, slots=True)
class ViolationResult:
    """A rule of the provider that a request broke, and the message of the refusal."""

    rule: str
    path: str
    message: str


@dataclass(frozen=True, slots=True)
class RequestResult:
    """One model request. `news` is what is new in it since the one before, `answer` what the model replied, both as
    neutral text, the same on every wire.

    `request` and `response` are keys of `bodies`; empty where there is none, or where it was left out.
    `attempts_before` counts the tool calls of the turn that came before it.
    """

    number: int
    kind: str
    status: int
    provider: str = ""
    wire: str = ""
    model: str = ""
    offers: tuple[str, ...] = ()
    news: str = ""
    answer: str = ""
    violation: ViolationResult | None = None
    tolerated: tuple[ViolationResult, ...] = ()
    attempts_before: int = 0
    request: str = ""
    response: str = ""


@dataclass(frozen=True, slots=True)
class AttemptResult:
    """A tool call that the agent made: `arguments` as JSON, `accepted` if the tool ran, what it gave or raised."""

    order: int
    tool: str
    arguments: str
    accepted: bool
    result: str = ""
    failed: bool = False
    lost: str = ""
    requests_before: int = 0


@dataclass(frozen=True, slots=True)
class ApprovalResult:
    """A question to the user whether a call may run: `answer` is `allowed`, `denied` or `pending`."""

    tool: str
    arguments: str
    answer: str
    attempts_before: int = 0
    requests_before: int = 0


@dataclass(frozen=True, slots=True)
class SaidResult:
    """What the user said while the turn ran."""

    text: str
    requests_before: int = 0


@dataclass(frozen=True, slots=True)
class TurnResult:
    """One turn. `said` is what the user said while it ran, `place` where the agent crashed."""

    number: int
    user: str
    reply: str = ""
    outcome: str = "reply"
    failure: str = ""
    place: str = ""
    session: str = ""
    is_follow_up: bool = False
    said: tuple[SaidResult, ...] = ()
    withdrawn: tuple[str, ...] = ()
    attempts: tuple[AttemptResult, ...] = ()
    approvals: tuple[ApprovalResult, ...] = ()
    events: tuple[str, ...] = ()
    requests: tuple[RequestResult, ...] = ()


@dataclass(frozen=True, slots=True)
class CaseRecord:
    """One case. `narrative` is the transcript as neutral text. `turns` are given where there is a finding.

    `cut` says how the streamed text of this transcript was cut. `left_out` counts requests whose bodies are not here.
    """

    id: str
    scenario: str
    example: str
    area: str
    profile: str
    wire: str
    provider: str
    mode: str
    file: str
    title: str
    outcome: CaseOutcome
    sources: tuple[str, ...] = ()
    reason: str = ""
    missing: tuple[str, ...] = ()
    seconds: float = 0.0
    rerun: str = ""
    foreign_hosts: tuple[str, ...] = ()
    stale: tuple[str, ...] = ()
    findings: tuple[FindingResult, ...] = ()
    trace: str = ""
    snapshot: SnapshotResult = field(default_factory=SnapshotResult)
    narrative: str = ""
    cut: str = ""
    turns: tuple[TurnResult, ...] = ()
    left_out: int = 0


@dataclass(frozen=True, slots=True)
class Body:
    """A request or a response as it was sent. `method` and `path` are of requests, `status` of responses.

    `cut`: so many characters of the text are left out at its end. In a file, `base` is the body of an earlier request:
    the whole text is the first `start` characters of that body's text, then `text`, then the last `end` characters.
    """

    text: str
    headers: tuple[tuple[str, str], ...] = ()
    method: str = ""
    path: str = ""
    status: int = 0
    cut: int = 0
    base: str = ""
    start: int = 0
    end: int = 0


@dataclass(frozen=True, slots=True)
class RuleText:
    """What a provider refuses, and the evidence: the first source, with its decisive sentence."""

    statement: str
    confidence: str = ""
    source: str = ""
    quote: str = ""


@dataclass(frozen=True, slots=True)
class LawText:
    title: str
    demands: str = ""
    why: str = ""


@dataclass(frozen=True, slots=True)
class BrokenScenario:
    path: str
    headline: str = ""


@dataclass(frozen=True, slots=True)
class CaseLine:
    """A case with the bodies that it names: what a worker sends, and a line of `results.ndjson`."""

    case: CaseRecord
    bodies: Mapping[str, Body] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Results:
    """One run, or the shards of one joined. `cases` are in order of their ids, `counts` says how many ended how.

    `command` repeats the run, `selected` is the number of cases that it chose, 0 where that is unknown. `seconds` and
    `started` differ from run to run, as those of the cases do; all else is equal where the agent does the same.
    `rules` and `laws` are those that findings name.
    """

    format: Literal[2] = FORMAT
    suite: Suite
    agent: Agent
    environment: Environment = field(default_factory=Environment)
    options: Chosen = field(default_factory=Chosen)
    seeds: Mapping[str, str] = field(default_factory=dict)
    command: str = ""
    started: str = ""
    seconds: float = 0.0
    ended: Ending = "killed"
    exit_code: int | None = None
    selected: int = 0
    shard: Shard | None = None
    counts: Mapping[CaseOutcome, int] = field(default_factory=dict)
    broken_files: tuple[BrokenScenario, ...] = ()
    stray_exits: tuple[str, ...] = ()
    fewer: tuple[str, ...] = ()
    """What the baseline says was judged, and is no longer."""
    rules: Mapping[str, RuleText] = field(default_factory=dict)
    laws: Mapping[str, LawText] = field(default_factory=dict)
    cases: tuple[CaseRecord, ...] = ()
    bodies: Mapping[str, Body] = field(default_factory=dict)


def with_cases(run: Results, cases: Iterable[CaseRecord], bodies: Mapping[str, Body]) -> Results:
    """The run with these cases, in order, and what follows from them."""
    ordered = tuple(sorted(cases, key=lambda case: case.id))
    counted = Counter(case.outcome for case in ordered)
    counts = {outcome: counted[outcome] for outcome in get_args(CaseOutcome) if counted[outcome]}
    return replace(run, cases=ordered, counts=counts, bodies=dict(sorted(bodies.items())))
