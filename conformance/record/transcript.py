"""Everything seen in one performance of a case, in order. Knows nothing of how it came about or how it is judged."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

from conformance.scenario.model import CallSpec, ReplySpec, Turn
from fakes import Reply, Request, View, Violation
from fakes.reply import Split

RequestKind = Literal["reply", "over", "fault", "refused", "window", "repeat", "side", "stopped", "stray"]
"""`reply` and `over` (past the script's end) are the requests that count. `repeat` is a transport's retry, `side` a
request that the adapter says is beside the turn, `stray` one that is no model request."""

Outcome = Literal["reply", "error", "cancelled", "crash", "hang", "flood"]


@dataclass(frozen=True, slots=True)
class ServedCall:
    """A call that the fake sent: `name` as the scenario has it, `wire_name` and `id` as they were sent."""

    spec: CallSpec
    name: str
    wire_name: str
    id: str | None
    offered: bool
    enabled: bool


@dataclass(slots=True)
class RecordedRequest:
    """One request with its response. `number` counts within the turn those that count; others have the next number."""

    kind: RequestKind
    number: int
    request: Request
    view: View
    reply: Reply | None = None
    spec: ReplySpec | None = None
    calls: tuple[ServedCall, ...] = ()
    offered: frozenset[str] = frozenset()
    violation: Violation | None = None
    status: int = 200
    complete: bool | None = None
    asked_at: float = 0.0
    answered_at: float = 0.0
    attempts_before: int = 0

    @property
    def counts(self) -> bool:
        return self.kind in ("reply", "over")

    @property
    def refused(self) -> bool:
        """The provider's rules refused it; a window that was made small on purpose does not count."""
        return self.kind == "refused"


@dataclass(slots=True)
class Attempt:
    """One call of a tool by the agent; `accepted` says that the schema took the arguments, so that the tool ran."""

    order: int
    tool: str
    arguments: Any
    accepted: bool
    enabled: bool
    result: str = ""
    failed: bool = False
    requests_before: int = 0


@dataclass(slots=True)
class TurnRecord:
    """One turn as it happened. `reply` is the agent's own, or the deltas joined where it gave none."""

    number: int
    turn: Turn
    requests: list[RecordedRequest] = field(default_factory=list)
    attempts: list[Attempt] = field(default_factory=list)
    deltas: list[str] = field(default_factory=list)
    own_reply: str | None = None
    outcome: Outcome = "reply"
    failure: str = ""
    last_words: str = ""
    """Of an agent in a process of its own that broke off: the end of its standard error."""
    is_survival: bool = False
    enabled: frozenset[str] = frozenset()
    unasked: list[ReplySpec] = field(default_factory=list)

    @property
    def reply(self) -> str:
        return self.own_reply if self.own_reply is not None else "".join(self.deltas)

    @property
    def counted(self) -> list[RecordedRequest]:
        return [request for request in self.requests if request.counts]

    @property
    def executions(self) -> list[Attempt]:
        return [attempt for attempt in self.attempts if attempt.accepted]


@dataclass(slots=True)
class Transcript:
    """One performance: the turns in order, how text was cut, and which foreign hosts were looked for."""

    split: Split
    turns: list[TurnRecord] = field(default_factory=list)
    foreign: list[tuple[str, int | None]] = field(default_factory=list)
    scaffolding: list[str] = field(default_factory=list)
    state_dir: str = ""

    def requests(self) -> Iterator[tuple[TurnRecord, RecordedRequest]]:
        for record in self.turns:
            for request in record.requests:
                yield record, request
