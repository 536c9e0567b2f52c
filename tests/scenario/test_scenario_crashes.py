"""What is refused of `crash`, at its line."""

import pytest

RIGHT = """\
description: a call is not run again
profile: hardened
tools: [{name: pay, description: Pays.}]
conversation:
  - user: Pay.
    crash: {at: tool, when: after}
    model: [{calls: [{name: pay}]}]
    expect: {executed: [{pay: {}}]}
  - user: And now?
    restart: true
    model: [{text: I do not know.}]
"""


def test_right_scenario_is_loaded(load) -> None:
    assert load(RIGHT).rows[None].conversation[0].crash.when == "after"


@pytest.mark.parametrize(
    ("found", "put", "line", "message"),
    [
        (
            "    restart: true\n",
            "",
            6,
            "after a `crash` the agent is started again: the next turn needs `restart: true`.",
        ),
        ("when: after", "when: during", 6, "`when` is the text `during`. Allowed: `before`, `after`."),
        (", when: after", "", 6, "`crash` has no `when`, which it needs."),
        ("at: tool", "at: request", 6, "`at` is the text `request`. Allowed: `tool`."),
        ("    model: [{c", "    cancel: {at: tool}\n    model: [{c", 7, "`cancel` and `crash` each end this turn."),
        ("executed: [{pay: {}}]", "reply: Paid.", 8, "`reply` is about the end of a turn, which `crash` cuts short."),
        ("executed: [{pay: {}}]", "should: {outcome: reply}", 8, "`outcome` is about the end of a turn"),
    ],
)
def test_mistake_is_named_at_its_line(load, found: str, put: str, line: int, message: str) -> None:
    assert found in RIGHT

    [problem] = load(RIGHT.replace(found, put, 1))

    assert problem.line == line
    assert problem.message.startswith(message)
