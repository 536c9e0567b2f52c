"""What must differ between the sessions of a scenario, so that a law can tell their texts apart. Knows no line."""

from conformance.scenario.mistakes import Found
from conformance.scenario.model import Scenario


def check_sessions(scenario: Scenario) -> Found:
    """Path and sentence of each mistake."""
    said: dict[str, str | None] = {}
    for index, turn in enumerate(scenario.conversation):
        path = ("conversation", index)
        if turn.session is not None and not turn.session.strip():
            yield (*path, "session"), "`session` is empty. Name it, such as `b`, or leave it out for the first session."
        if said.setdefault(turn.user_text, turn.session) != turn.session:
            yield (*path, "user"), "the user says the same in another session. Use other words in each."
