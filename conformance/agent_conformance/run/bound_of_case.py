"""How many requests a turn of a case may have, and how long they may be. Knows no request."""

from agent_conformance.adapter.contract import DeclaredAgent
from agent_conformance.record.bounds import BOUND_WITH_LIMIT, BOUND_WITHOUT_LIMIT, DEFAULT_REQUEST_LIMIT
from agent_conformance.scenario.cases import Case
from fake_providers.serving.request_loop import Window


def bound_of(case: Case, agent: DeclaredAgent) -> int:
    """How many counted requests a turn may have before the suite stops it."""
    if "request-limit" not in agent.features:
        return BOUND_WITHOUT_LIMIT
    limit = case.scenario.limits.requests
    return BOUND_WITH_LIMIT if limit is None else limit + BOUND_WITH_LIMIT - DEFAULT_REQUEST_LIMIT


def window_of(case: Case) -> Window | None:
    """The window of the case's model, where the scenario makes it small."""
    window = case.scenario.window
    if window is None:
        return None
    words = (window.words.status, window.words.body) if window.words else None
    return Window(window.tokens, words, truncates=window.how == "truncate")
