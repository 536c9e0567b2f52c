"""What is refused of `steer`, at its line."""

import pytest

RIGHT = """\
description: what the user says reaches the model
profile: hardened
tools: [{name: measure, description: Measures.}]
conversation:
  - user: How long is it?
    steer: {at: tool, user: Use metres.}
    model: [{calls: [{name: measure}]}, {text: Four.}]
    expect: {requests: [{at: last, tools: [measure]}]}
"""


TWICE = RIGHT.replace(
    "{at: tool, user: Use metres.}", "[{at: tool, user: Use metres.}, {at: tool, user: Round it., n: 2}]"
).replace("calls: [{name: measure}]", "calls: [{name: measure}, {name: measure}]")


def test_a_list_has_several_messages(load) -> None:
    assert [steer.n for steer in load(TWICE).rows[None].conversation[0].steer] == [1, 2]


def test_two_messages_at_one_call_are_refused(load) -> None:
    [problem] = load(TWICE.replace(", n: 2", ""))

    assert (problem.line, problem.message) == (
        6,
        "the message before it comes at call 1 too. Give each a later call.",
    )


def test_right_scenario_is_loaded(load) -> None:
    assert load(RIGHT).rows[None].conversation[0].steer[0].user == "Use metres."


@pytest.mark.parametrize("end", ["cancel: {at: tool, n: 2}", "crash: {at: tool, when: after, n: 2}"])
def test_turn_may_end_after_all_was_said(load, end: str) -> None:
    ended = TWICE.replace(", n: 2}]", "}]").replace("{at: tool, user: Round it.}", "{at: request, user: Round it.}")
    outcome = "expect: {outcome: cancelled}" if "cancel" in end else "expect: {}"
    text = ended.replace("    expect: {requests: [{at: last, tools: [measure]}]}", f"    {outcome}\n    {end}")

    assert load(text + "  - {user: And now?, restart: true, model: [{text: Four.}]}\n").rows


@pytest.mark.parametrize(
    ("found", "put", "line", "message"),
    [
        (
            "    model:",
            "    cancel: {at: tool}\n    model:",
            7,
            "`cancel` ends the turn at tool 1, before all is said. Give it a later `n`.",
        ),
        ("requests: [{at: last, tools: [measure]}]", "reply: Four.", 8, "`reply` is the agent's choice in a turn with"),
        (
            "requests: [{at: last, tools: [measure]}]",
            "should: {executed: []}",
            8,
            "`executed` is the agent's choice in",
        ),
        ("at: last", "at: 2", 8, "in a turn with `steer` the number of requests is the agent's choice."),
        ("Use metres.", "", 6, "`user` of `steer` is too short to be found again: at least 4 characters."),
        ("at: tool", "at: chunk", 6, "`at` is the text `chunk`. Allowed: `tool`, `request`."),
        ("at: tool", "at: request, n: 3", 6, "the model answers 2 requests in this turn, and no request 3."),
    ],
)
def test_mistake_is_named_at_its_line(load, found: str, put: str, line: int, message: str) -> None:
    assert found in RIGHT

    [problem] = load(RIGHT.replace(found, put or '""', 1))

    assert problem.line == line
    assert problem.message.startswith(message)
