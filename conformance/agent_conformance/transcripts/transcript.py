"""Everything recorded in one case run, in order; and how many requests a turn may have, for the run and the judge."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, Literal

from msgspec import Struct, field

from agent_conformance.adapter.contract import CodePlace
from agent_conformance.scenario.derived.routes import Target
from agent_conformance.scenario.model import CallSpec, ReplySpec, Steer, Turn, UserAnswer
from agent_conformance.transcripts.finding import Trace, refusal_by
from fake_providers import Reply, Request, Response, View, Violation
from fake_providers.reply import Split

RequestKind = Literal["reply", "over", "fault", "search", "refused", "window", "retry", "side", "stopped", "unknown"]
"""What became of a request: it got a reply of the script (`over`: past the script's end), one with a harmful `fault`,
or a call that makes a `search` for tools which it does not offer. It was `refused` by a rule, or was too long for the
`window`. A transport's `retry` got the earlier reply again. It was a `side` request, by its form or as the adapter
says, the suite `stopped` the turn, or it was `unknown`: no model request."""

COUNTED: frozenset[RequestKind] = frozenset({"reply", "over"})
"""Requests that got a reply: the limit of requests and `expect.requests` count these."""
ANSWERED: frozenset[RequestKind] = COUNTED | {"retry", "search"}
SCRIPTED: frozenset[RequestKind] = COUNTED | {"fault"}
"""Requests that took a reply out of the script, whether or not it came through."""
ACCEPTED: frozenset[RequestKind] = SCRIPTED | {"window", "search"}
"""Requests of the conversation in which the rules found no violation."""
CONVERSATION: frozenset[RequestKind] = ACCEPTED | {"refused"}
"""Requests whose conversation a law reads, each once: no retry, no side request, nothing after the bound."""
OUTSIDE_TURN: frozenset[RequestKind] = frozenset({"side", "unknown"})
"""Requests that are not part of the conversation."""

Outcome = Literal["reply", "error", "cancelled", "parked", "killed", "crash", "hang", "flood"]
"""How a turn ended. `parked`: it waits for the user, who has not answered yet. `killed`: the scenario killed the agent,
which is no fault of its own, as a `crash` is."""
FAILED: frozenset[Outcome] = frozenset({"error", "crash", "hang", "flood"})


class ServedCall(Struct, frozen=True):
    """A call that the fake sent: `name` as the scenario has it, `wire_name` and `id` as they were sent.

    `text` are the arguments that were sent, where the scenario has them as a text; `added` are the parameters among
    them that only the agent's declaration has.
    """

    spec: CallSpec
    name: str
    wire_name: str
    id: str | None
    offered: bool
    enabled: bool
    text: str | None = None
    added: tuple[str, ...] = ()


class RecordedRequest(Struct):
    """One request with its response; `http` is the request as it was judged.

    Request n of a turn is the one that got the n-th reply. A request has its number until a reply ends it: a refused
    one, one with a fault and the next attempt are all request n, and so is a transport's retry of a request n that got
    its reply. A side request has the number of the request that follows it.
    """

    kind: RequestKind
    number: int
    http: Request
    view: View
    reply: Reply | None = None
    answer: str | None = None
    """What the reply says, where it was sent as a call of the agent's reply tool."""
    spec: ReplySpec | None = None
    calls: tuple[ServedCall, ...] = ()
    withheld: tuple[str, ...] = ()
    """Enabled tools that the script calls here and the request does not offer, so that the model did not call them."""
    search_tool: str = ""
    """The agent's own tool that finds tools which the request does not offer."""
    offered: frozenset[str] = frozenset()
    requires_more: frozenset[str] = frozenset()
    """The tools of whose calls the agent's declarations require parameters that the tools do not have."""
    violation: Violation | None = None
    tolerated: tuple[Violation, ...] = ()
    """What breaks rules that this run tolerates: the fake accepted it."""
    status: int = 200
    response: Response | None = None
    """Whole, as it was made: `complete` says whether it was written to its end."""
    complete: bool | None = None
    received_at: float = 0.0
    answered_at: float = 0.0
    attempts_before: int = 0
    target: Target | None = None
    """Whom the agent was to ask at the address to which it sent this."""

    @property
    def counts(self) -> bool:
        return self.kind in COUNTED

    @property
    def said(self) -> str:
        """The model's text in the reply, which a reply tool gets as an argument."""
        return self.answer or (self.reply.text if self.reply is not None else None) or ""

    @property
    def refused(self) -> bool:
        """A rule of the provider refused it; a window that is small on purpose does not count."""
        return self.kind == "refused"

    @property
    def reason(self) -> str:
        """Why it was refused, the same for requests that are refused for one reason; empty for one that was not.

        A side request has none, since it is recorded before its length is known.
        """
        if self.kind == "unknown":
            return f"{self.http.method} {self.http.path}"
        if self.violation is None or self.kind == "side":
            return ""
        return self.violation.rule if self.refused else f"{self.violation.rule} {self.violation.message}"


class Attempt(Struct):
    """One call of a tool by the agent. `accepted`: the tool was enabled and the schema matched, so that it ran.

    A `lost` one never returned, since the agent was killed: `before` the tool had an effect, or `after`.
    """

    order: int
    tool: str
    arguments: Any
    accepted: bool
    enabled: bool
    result: str = ""
    failed: bool = False
    requests_before: int = 0
    enables: tuple[str, ...] = ()
    """The tools that are enabled since it ran."""
    lost: Literal["before", "after"] | None = None
    structured: Mapping[str, Any] | None = None
    """The structured data, where the tool returned some. `result` has it as JSON, without the text beside it."""

    @property
    def ran(self) -> bool:
        """Whether the tool had its effect."""
        return self.accepted and self.lost != "before"


class Approval(Struct, frozen=True):
    """One question to the user, whether a call may run, and the answer. `arguments` are None if it did not say them."""

    tool: str
    arguments: Any
    answer: UserAnswer
    attempts_before: int = 0
    requests_before: int = 0


class TurnRecord(Struct):
    """One turn as it happened. `reply` is the agent's own, or the deltas joined where it gave none."""

    number: int
    turn: Turn
    target: Target | None = None
    """Whom the agent is to ask in this turn."""
    requests: list[RecordedRequest] = field(default_factory=list)
    attempts: list[Attempt] = field(default_factory=list)
    approvals: list[Approval] = field(default_factory=list)
    steered_after: list[int] = field(default_factory=list)
    """How many requests had arrived when the user said something more, of each message that was said."""
    deltas: list[str] = field(default_factory=list)
    """What stays on the user's screen, piece by piece."""
    withdrawn: list[str] = field(default_factory=list)
    """What the agent streamed and took back."""
    own_reply: str | None = None
    outcome: Outcome = "reply"
    failure: str = ""
    place: CodePlace | None = None
    """Where in its code an agent crashed."""
    trace: Trace | None = None
    events: list[str] = field(default_factory=list)
    """The texts in what the agent reported to its observer."""
    log_tail: str = ""
    """Of an agent in a process of its own that crashed or hung: the end of its standard error or log."""
    hidden_crash: str = ""
    """Of a controlled failure: the bug in its chain of causes, if any."""
    is_follow_up: bool = False
    may_be_starting: bool = True
    """Whether silence may be that of a start: no longer where the agent has worked and hung in this process."""
    enabled: frozenset[str] = frozenset()
    """The tools that are enabled when the turn begins."""
    unused: list[ReplySpec] = field(default_factory=list)
    splits: list[tuple[int, int]] = field(default_factory=list)
    """Of each reply whose calls came one after the other: the number of its first request, and how many there were
    more."""

    @property
    def reply(self) -> str:
        return self.own_reply if self.own_reply is not None else "".join(self.deltas)

    @property
    def described_failure(self) -> str:
        """The failure, and where in the agent's code it happened. The place changes with each edit of that code."""
        return f"{self.failure} at {self.place}" if self.place else self.failure

    @property
    def class_of_failure(self) -> str:
        """The class of what was raised, which its text begins with; empty where that begins with no word."""
        word = re.match(r"[\w.]+", self.failure)
        return word[0] if word else ""

    @property
    def kind_of_failure(self) -> str:
        """How the turn failed: by which rule its last request was refused, or `error: GaveUp` with what was raised."""
        last = self._last_asked
        if self.outcome == "error" and last is not None and last.status >= 400 and last.violation is not None:
            return refusal_by(last.violation.rule, last.violation.at)
        name = self.class_of_failure if self.outcome in FAILED else ""
        return f"{self.outcome}: {name}" if name else ""

    @property
    def last_refusal(self) -> str:
        """The status and the words with which the last request of the turn was refused, and the rule; empty where it
        was answered.
        """
        last = self._last_asked
        if last is None or last.status < 400 or last.kind == "stopped":
            return ""
        if last.violation is not None:
            return f"{last.violation.status} {last.violation.message} ({last.violation.rule})"
        words = error_words(last.response.body) if last.response is not None else ""
        return f"{last.status} {words}".rstrip()

    @property
    def _last_asked(self) -> RecordedRequest | None:
        asked = (request for request in reversed(self.requests) if request.kind not in OUTSIDE_TURN)
        return next(asked, None)

    def withdraw(self, characters: int | None) -> None:
        """Take back the last so many characters, or all that was streamed."""
        shown = "".join(self.deltas)
        stays = "" if characters is None else shown[: max(0, len(shown) - characters)]
        self.withdrawn.append(shown[len(stays) :])
        self.deltas[:] = [stays] if stays else []

    @property
    def never_started(self) -> bool:
        """The agent was silent: it sent no request, called no tool, and did not return. It may have been about to."""
        return self.may_be_starting and self.outcome == "hang" and not self.requests and not self.attempts

    @property
    def awaits_user(self) -> bool:
        """Whether the agent was told that the user has not answered yet."""
        return any(approval.answer == "pending" for approval in self.approvals)

    @property
    def was_stopped_at_a_question(self) -> bool:
        cancel = self.turn.cancel
        return cancel is not None and cancel.at == "approval" and self.outcome == "cancelled"

    @property
    def is_unfinished(self) -> bool:
        """Whether a right agent may begin the next turn with what is left of this one."""
        stopped = self.outcome == "killed" or self.was_stopped_at_a_question
        return self.awaits_user or stopped or bool(self.steered_after)

    @property
    def said(self) -> list[tuple[Steer, int]]:
        """What the user said during the turn, and how many requests had arrived by then."""
        return list(zip(self.turn.steer, self.steered_after, strict=False))

    def enabled_at(self, request: RecordedRequest) -> frozenset[str]:
        """The tools that are enabled when this request is sent."""
        ran = self.attempts[: request.attempts_before]
        return self.enabled.union(*(attempt.enables for attempt in ran))

    @property
    def counted(self) -> list[RecordedRequest]:
        return [request for request in self.requests if request.counts]

    @property
    def executions(self) -> list[Attempt]:
        return [attempt for attempt in self.attempts if attempt.ran]


def error_words(body: bytes) -> str:
    """What a provider says in the body of an error, on any wire; empty where it says nothing."""
    try:
        said = json.loads(body)
    except ValueError:
        return ""
    while isinstance(said, dict):
        said = next((said[key] for key in ("error", "message") if key in said), None)
    return said if isinstance(said, str) else ""


class Transcript(Struct):
    """One case run: the turns in order, how text was split, and which foreign hosts the agent tried to reach.

    `left_running` are daemons that its program has left, which were ended. `lists_no_tools`: its tools were served, and
    nobody asked the server for them.
    """

    split: Split
    turns: list[TurnRecord] = field(default_factory=list)
    foreign: list[tuple[str, int | None]] = field(default_factory=list)
    left_running: list[str] = field(default_factory=list)
    lists_no_tools: bool = False
    state_dir: str = ""
    api_key: str = ""
    """The key of the setup, which belongs into no text."""

    def requests(self) -> Iterator[tuple[TurnRecord, RecordedRequest]]:
        for record in self.turns:
            for request in record.requests:
                yield record, request


DEFAULT_REQUEST_LIMIT = 20
"""`limits.requests` of an agent with a limit of its own, unless the scenario says otherwise."""

BOUND_WITH_LIMIT = 25
"""Five beyond the default limit: agents count their steps otherwise, and may ask once more for an ending."""
BOUND_WITHOUT_LIMIT = 120

MOST_REQUESTS = 1000
"""Requests of one turn of every kind, after which the suite answers none."""

MOST_REFUSALS = 50
"""Requests of one turn that are refused for one and the same reason, after which the suite answers none."""

MOST_MEGABYTES = 200
"""Size of all requests of one turn, which are kept for the judge, after which the suite answers none."""

MOST_ATTEMPTS = 1000
"""Tool calls of one turn that are recorded and count as a sign of life."""

TURN_TIMEOUTS = 12
"""A turn lasts at most so many times as long as it may be silent, unless `--agent-turn-limit` says otherwise."""

MANY = 30
"""From so many requests on, an agent without a limit of its own is advised to have one."""
