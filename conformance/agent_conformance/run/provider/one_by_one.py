"""A scripted reply with several calls, where the provider sends one call in each reply: the replies that come instead,
and what its turn expects then, whose requests have other numbers; and what one message of a turn is."""

import threading
import time
from collections.abc import Collection, Sequence
from typing import Any, Protocol

from agent_conformance.adapter.contract import DeclaredAgent
from agent_conformance.scenario.derived.faults import fault_of, has_harmful_fault, has_harmful_quirk, is_flawed
from agent_conformance.scenario.model import Demands, Expectations, Range, ReplySpec, RequestExpectation, Scenario, Turn
from agent_conformance.transcripts.transcript import (
    ANSWERED,
    DEFAULT_REQUEST_LIMIT,
    OUTSIDE_TURN,
    RecordedRequest,
    TurnRecord,
)
from fake_providers import Reply, Request

FEWEST_OF_FRAMEWORKS = 10
"""The requests of a turn after which frameworks stop that say no number of their own: `max_turns` of the OpenAI Agents
SDK."""
Splits = Sequence[tuple[int, int]]
"""Of each reply that came apart: the number of the request that its first call answered, and how many replies more
there were."""


def most_requests(scenario: Scenario, agent: DeclaredAgent) -> int:
    """How many requests a turn may take that was written for fewer."""
    if "request-limit" not in agent.features:
        return FEWEST_OF_FRAMEWORKS
    return scenario.limits.requests or DEFAULT_REQUEST_LIMIT


def apart(spec: ReplySpec, withheld: Collection[str] = ()) -> list[ReplySpec]:
    """One reply for each call that is not `withheld`, the first with the text; empty where the reply is about several
    calls at once, so that nothing is left of it."""
    is_one = fault_of(spec) is not None or has_harmful_quirk(spec) or spec.forever
    if is_one or spec.item_ids:
        return []
    calls = [call for call in spec.calls if call.name not in withheld]
    alone: dict[str, Any] = {"text": None, "thinking": None, "chunks": [], "blocks": [], "thoughts": [], "times": 1}
    first, *others = calls
    behind = [spec.changed({**alone, "calls": [call]}) for call in others]
    return [spec.changed({"calls": [first], "times": 1}), *behind] * spec.times


def is_tied_to_a_place(turn: Turn) -> bool:
    """Whether something happens at the n-th request, piece or tool of the turn."""
    return turn.together or (turn.cancel is not None and turn.cancel.at in ("request", "chunk"))


def renumbered(turn: Turn, splits: Splits, *, after_others: bool) -> Turn:
    """The turn with the numbers that its requests have now; nothing is expected of calls side by side, nor of how many
    messages there are, also if replies of turns before it came apart."""
    if not (splits or after_others):
        return turn
    should = turn.expect.should
    changed: Expectations = turn.expect.changed(
        {
            **_demands(turn.expect, splits, after_others),
            "should": should and should.changed(_demands(should, splits, after_others)),
        }
    )
    return turn.changed({"expect": changed})


def _demands(demands: Demands, splits: Splits, after_others: bool) -> dict[str, Any]:
    more, count = sum(extra for _, extra in splits), demands.request_count
    return {
        "requests": [_request(one, splits, after_others) for one in demands.requests],
        "request_count": count
        and Range(
            min=None if count.min is None else count.min + more, max=None if count.max is None else count.max + more
        ),
    }


def _request(wanted: RequestExpectation, splits: Splits, after_others: bool) -> RequestExpectation:
    at = wanted.at
    for number, extra in splits:
        if isinstance(at, int) and at > number:
            at += extra
    left: dict[str, Any] = {"at": at}
    if splits and (at != wanted.at or not isinstance(at, int)):
        left |= dict.fromkeys(("roles", "count", "images", "added", "calls", "results"))
    elif after_others:
        left |= dict.fromkeys(("roles", "count"))
    return wanted.changed(left)


def is_plain_answer(spec: ReplySpec) -> bool:
    """Whether the model answers in prose to the end. A call or reasoning written as text is no call of the reply tool,
    and neither is an answer that was cut off or refused.
    """
    protocol = spec.means is not None and (spec.means.handling != "show" or bool(spec.means.never_show))
    return not protocol and spec.finish in (None, "stop")


def is_harmful(reply: Reply) -> bool:
    return reply.fault is not None and reply.fault.is_harmful


def retried(record: TurnRecord, request: Request) -> RecordedRequest | None:
    """The request that this one is a transport's retry of: it says so, or the response was never written.

    An agent that stops reading a flawed reply, to request another, gets the next one.
    """
    earlier = [recorded for recorded in record.requests if recorded.kind not in OUTSIDE_TURN]
    if not earlier or earlier[-1].kind not in ANSWERED:
        return None
    last = earlier[-1]
    if last.http.body != request.body or last.http.path != request.path:
        return None
    count = request.headers.get("x-stainless-retry-count", "0")
    if count.isdigit() and int(count) > 0:
        return last
    may_throw_away = last.spec is not None and is_flawed(last.spec)
    return last if last.complete is False and not may_throw_away else None


def may_ask_again(request: RecordedRequest) -> bool:
    """Whether an agent may throw away what came, and wait before it asks again. What falls silent is no answer yet."""
    spec = request.spec
    if request.status == 429 or request.status >= 500:
        return True
    if spec is None or (spec.fault is not None and spec.fault.connection == "silent"):
        return False
    return is_flawed(spec) or has_harmful_fault(spec)


class Follower(Protocol):
    """Whom a response reports to."""

    @property
    def may_hold(self) -> bool: ...

    def hold(self, request: RecordedRequest, chunk: int) -> threading.Event | None: ...

    def note_activity(self) -> None: ...


class ResponseProgress:
    """The listener of one response. Forgets whom it reports to once it is done: clients keep responses in cycles."""

    __slots__ = ("_followed",)

    def __init__(self, provider: Follower, request: RecordedRequest) -> None:
        self._followed: tuple[Follower, RecordedRequest] | None = provider, request

    @property
    def may_hold(self) -> bool:
        """Whether `hold` may return an event: a transport that is far away then asks before each chunk."""
        return self._followed is not None and self._followed[0].may_hold

    def hold(self, chunk: int) -> threading.Event | None:
        if self._followed is None:
            return None
        provider, request = self._followed
        return provider.hold(request, chunk)

    def done(self, *, complete: bool) -> None:
        if self._followed is None:
            return
        (provider, request), self._followed = self._followed, None
        request.complete = complete
        request.answered_at = time.monotonic()
        provider.note_activity()
