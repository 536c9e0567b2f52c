"""What must agree where an agent is killed: it is restarted, and nothing is expected of its end. Knows no line."""

from agent_conformance.scenario.mistakes import Found, demands_of
from agent_conformance.scenario.model import Demands, Scenario
from agent_conformance.scenario.reading import KeyPath

OF_THE_END = ("reply", "narration", "outcome", "request_count")


def check_crashes(scenario: Scenario) -> Found:
    """Path and sentence of each mistake."""
    turns = scenario.conversation
    for index, turn in enumerate(turns):
        if turn.crash is None:
            continue
        path = ("conversation", index)
        if index + 1 == len(turns) or not turns[index + 1].restart:
            yield (*path, "crash"), "after a `crash` the agent is started again: the next turn needs `restart: true`."
        if turn.cancel is not None:
            yield (*path, "cancel"), "`cancel` and `crash` each end this turn. Keep one."
        for demands, place in demands_of(turn, index):
            yield from _of_the_end(demands, place)


def _of_the_end(demands: Demands, path: KeyPath) -> Found:
    for field in OF_THE_END:
        if field in demands.model_fields_set:
            yield (
                (*path, field),
                f"`{field}` is about the end of a turn, which `crash` cuts short. Leave it out.",
            )
