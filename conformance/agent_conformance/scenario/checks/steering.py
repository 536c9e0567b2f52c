"""What a scenario may expect of a turn during which the user says something more. Knows no line."""

from agent_conformance.scenario.checks.mistakes import Found, demands_of
from agent_conformance.scenario.model import Demands, Scenario
from agent_conformance.scenario.yaml_files.reading import KeyPath

SHORTEST = 4
FREE = ("request_count", "executed", "reply")


def check_steering(scenario: Scenario) -> Found:
    """Path and sentence of each mistake."""
    for index, turn in enumerate(scenario.conversation):
        if turn.steer is None:
            continue
        path = ("conversation", index)
        if len(turn.steer.user.strip()) < SHORTEST:
            message = f"`user` of `steer` is too short to be found again: at least {SHORTEST} characters."
            yield (*path, "steer", "user"), message
        for field in ("cancel", "crash"):
            if getattr(turn, field) is not None:
                yield (*path, field), f"`{field}` ends the turn at the tool where `steer` says something. Keep one."
        for demands, place in demands_of(turn, index):
            yield from _of_demands(demands, place)


def _of_demands(demands: Demands, path: KeyPath) -> Found:
    for field in FREE:
        if field in demands.model_fields_set:
            yield (*path, field), f"`{field}` is the agent's choice in a turn with `steer`. Expect it of the next turn."
    for index, selector in enumerate(demands.requests):
        if isinstance(selector.at, int) and selector.at > 1:
            at = (*path, "requests", index, "at")
            yield at, "in a turn with `steer` the number of requests is the agent's choice. Use `each` or `last`."
