"""What must differ between the sessions of a scenario, so that a law can tell their texts apart. Knows no line."""

from collections.abc import Iterator

from agent_conformance.scenario.mistakes import Found
from agent_conformance.scenario.model import Scenario, Turn

ALONE = ("tools", "restart", "cancel", "crash", "steer", "observer", "approve", "switch")
"""Fields of a turn that say what happens to the agent as a whole."""


def check_sessions(scenario: Scenario) -> Found:
    """Path and sentence of each mistake."""
    said: dict[str, str | None] = {}
    for index, turn in enumerate(scenario.conversation):
        path = ("conversation", index)
        if turn.session is not None and not turn.session.strip():
            yield (*path, "session"), "`session` is empty. Name it, such as `b`, or leave it out for the first session."
        if said.setdefault(turn.user_text, turn.session) != turn.session:
            yield (*path, "user"), "the user says the same in another session. Use other words in each."
        if turn.together:
            before = scenario.conversation[index - 1] if index else None
            yield from (((*path, "together"), problem) for problem in _together(turn, before))


def _together(turn: Turn, before: Turn | None) -> Iterator[str]:
    if before is None:
        yield "the first turn has none before it to run at the same time."
    elif before.together:
        yield "the turn before it already runs together with another. Two run at the same time."
    elif before.session == turn.session:
        yield "it is of the same session as the turn before it. Give it another `session`."
    elif alone := next((name for one in (before, turn) for name in ALONE if getattr(one, name)), None):
        yield f"`{alone}` is about the whole agent, and two turns run here. Leave it out of both."
