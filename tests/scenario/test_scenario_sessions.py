"""What is refused of `session`, at its line."""

import pytest

RIGHT = """\
description: two sessions are two conversations
profile: hardened
conversation:
  - user: I am Ann.
    model: [{text: Hello.}]
  - user: I am Ben.
    session: b
    model: [{text: Hello.}]
"""


def test_right_scenario_is_loaded(load) -> None:
    assert load(RIGHT).rows[None].conversation[1].session == "b"


@pytest.mark.parametrize(
    ("found", "put", "line", "message"),
    [
        ("I am Ben.", "I am Ann.", 6, "the user says the same in another session. Use other words in each."),
        ("session: b", 'session: " "', 7, "`session` is empty. Name it, such as `b`,"),
    ],
)
def test_mistake_is_named_at_its_line(load, found: str, put: str, line: int, message: str) -> None:
    [problem] = load(RIGHT.replace(found, put, 1))

    assert problem.line == line
    assert problem.message.startswith(message)


@pytest.mark.parametrize(
    ("found", "put", "line", "message"),
    [
        ("session: b", "together: true", 7, "it is of the same session as the turn before it."),
        ("user: I am Ann.", "user: I am Ann.\n    together: true", 5, "the first turn has none before it"),
        ("session: b", "session: b\n    together: true\n    restart: true", 8, "`restart` is about the whole agent"),
        ("session: b", "session: b\n    together: true\n    cancel: {at: request}", 8, "`cancel` is about the whole"),
        (
            "session: b",
            "session: b\n    together: true\n    model: [{text: A.}]\n  - user: C.\n    session: c\n    together: true",
            12,
            "the turn before it already runs together",
        ),
    ],
)
def test_turns_that_cannot_run_together_are_named(load, found: str, put: str, line: int, message: str) -> None:
    problems = load(RIGHT.replace(found, put, 1))

    assert (problems[0].line, problems[0].message[: len(message)]) == (line, message)


def test_two_turns_of_two_sessions_run_together(load) -> None:
    assert load(RIGHT.replace("session: b", "session: b\n    together: true")).rows[None].conversation[1].together
