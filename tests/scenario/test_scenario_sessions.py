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
