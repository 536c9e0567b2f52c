"""What is refused of `approval`, `approve` and `approvals`, at its line."""

import pytest

RIGHT = """\
description: a denied call does not run
profile: hardened
tools:
  - {name: look, description: Looks.}
  - {name: delete_file, description: Deletes a file., approval: ask}
conversation:
  - user: Delete it.
    approve: {delete_file: pending}
    model:
      - calls: [{name: delete_file}]
    expect: {approvals: [{delete_file: {}}]}
  - user: Go on.
    restart: true
    approve: {delete_file: true}
    model: [{text: Done.}]
"""


def test_right_scenario_is_loaded(load) -> None:
    assert load(RIGHT).rows[None].conversation[1].approve == {"delete_file": True}


@pytest.mark.parametrize(
    ("found", "put", "line", "message"),
    [
        (
            "approve: {delete_file: pending}",
            "approve: {look: true, delete_file: pending}",
            8,
            "`look` is no tool with `approval: ask`.",
        ),
        ("approve: {delete_file: pending}", "tools: [look]", 10, "`delete_file` has `approval: ask`. Say in `approve`"),
        ("approve: {delete_file: pending}", "approve: {delete_file: []}", 8, "this list is empty. Write one answer"),
        (
            "approve: {delete_file: pending}",
            "approve: {delete_file: maybe}",
            8,
            "`delete_file` is the text `maybe`. Allowed: `pending`, or `true` or `false`",
        ),
        ("approvals: [{delete_file: {}}]", "approvals: [{look: {}}]", 11, "`look` is no tool with `approval: ask`."),
        ("approvals: [{delete_file: {}}]", "approvals: [{}]", 11, "a call has 0 names; expected one"),
        (
            "approvals: [{delete_file: {}}]",
            "should: {approvals: [{look: {}}]}",
            11,
            "`look` is no tool with `approval: ask`.",
        ),
        (
            "approvals: [{delete_file: {}}]",
            "outcome: reply",
            11,
            "`outcome` says how a turn ends whose answers are there.",
        ),
        ("    restart: true\n", "", 8, "`pending` is answered after a restart: the next turn needs `restart: true`."),
        (
            "    approve: {delete_file: true}\n",
            "",
            8,
            "`delete_file` is pending. Give one answer in `approve` of the next turn",
        ),
        ("approval: ask", "approval: sometimes", 5, "`approval` is the text `sometimes`. Allowed: `ask`."),
        (", approval: ask", "", 8, "`delete_file` is no tool with `approval: ask`. No tool does."),
    ],
)
def test_mistake_is_named_at_its_line(load, found: str, put: str, line: int, message: str) -> None:
    assert found in RIGHT

    problem = load(RIGHT.replace(found, put, 1))[0]

    assert problem.line == line
    assert problem.message.startswith(message)
