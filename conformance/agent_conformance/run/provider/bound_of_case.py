"""How many requests a turn of a case may have, and how long they may be. Knows no wire."""

from collections import Counter

from agent_conformance.adapter.contract import DeclaredAgent
from agent_conformance.scenario.cases import Case
from agent_conformance.transcripts.bounds import (
    BOUND_WITH_LIMIT,
    BOUND_WITHOUT_LIMIT,
    DEFAULT_REQUEST_LIMIT,
    MOST_MEGABYTES,
    MOST_REFUSALS,
    MOST_REQUESTS,
)
from agent_conformance.transcripts.transcript import RecordedRequest, TurnRecord
from fake_providers.serving.request_loop import Window


def bound_of(case: Case, agent: DeclaredAgent) -> int:
    """How many counted requests a turn may have before the suite stops it."""
    if "request-limit" not in agent.features:
        return BOUND_WITHOUT_LIMIT
    limit = case.scenario.limits.requests
    return BOUND_WITH_LIMIT if limit is None else limit + BOUND_WITH_LIMIT - DEFAULT_REQUEST_LIMIT


class TurnBounds:
    """How much of the bounds that hold for every agent the turns that run now have used up."""

    def __init__(self) -> None:
        self._bytes = 0
        self._refusals: Counter[tuple[int, str]] = Counter()
        """By the number of the turn and the reason."""

    def keep(self, request: RecordedRequest) -> None:
        self._bytes += len(request.http.body)

    def refuse(self, record: TurnRecord, request: RecordedRequest) -> None:
        self._refusals[record.number, request.reason] += 1

    def are_reached(self, record: TurnRecord) -> bool:
        return (
            len(record.requests) >= MOST_REQUESTS
            or self._bytes > MOST_MEGABYTES * 1_000_000
            or any(count >= MOST_REFUSALS for (turn, _), count in self._refusals.items() if turn == record.number)
        )


def window_of(case: Case) -> Window | None:
    """The window of the case's model, where the scenario makes it small."""
    window = case.scenario.window
    if window is None:
        return None
    words = (window.words.status, window.words.body) if window.words else None
    return Window(window.tokens, words, truncates=window.how == "truncate")
