"""Where a scenario may expect that a request goes on from the one before it. Knows no line."""

from agent_conformance.scenario.mistakes import Found, demands_of
from agent_conformance.scenario.model import Scenario, Turn

CHANGED_BY_TURN = ("tools", "switch", "session", "restart")
CHANGED_BY_SCENARIO = ("limits", "window")


def check_extends(scenario: Scenario) -> Found:
    """Path and sentence of each mistake."""
    for index, turn in enumerate(scenario.conversation):
        for demands, path in demands_of(turn, index):
            for number, request in enumerate(demands.requests):
                place = (*path, "requests", number, "extends")
                if request.extends == "previous" and request.at == 1:
                    yield place, "`extends: previous` has nothing to extend at the first request."
                elif request.extends == "prefix":
                    reason = _why_no_prefix(scenario, turn, index, advice="should" in path, at=request.at)
                    if reason:
                        yield place, f"`extends: prefix` {reason}"


def _why_no_prefix(scenario: Scenario, turn: Turn, index: int, *, advice: bool, at: int | str) -> str | None:
    if not advice:
        return "is advice: caches cost money, and no conversation. Put it under `should`."
    if index == 0 and at == 1:
        return "has nothing to extend at the first request of the case."
    for field in CHANGED_BY_SCENARIO:
        if field in scenario.model_fields_set:
            return f"cannot be expected beside `{field}`: a right agent shortens what it sends."
    earlier = scenario.conversation[: index + 1]
    changed = next((field for one in earlier for field in CHANGED_BY_TURN if field in one.model_fields_set), None)
    return changed and f"cannot be expected after `{changed}`: a right agent sends another beginning."
