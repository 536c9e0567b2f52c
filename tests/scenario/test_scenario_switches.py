"""What is refused of `switch`, at its line."""

import pytest

RIGHT = """\
description: the conversation goes on with another model
profile: hardened
conversation:
  - user: What is a pear?
    model: [{text: A fruit.}]
  - user: Is it sweet?
    switch: {model: {openai-chat: gpt-5.4}}
    model: [{text: It is.}]
"""


COMPACTED = RIGHT.replace("switch: {model: {openai-chat: gpt-5.4}}", "compact: true")


def test_right_scenario_is_loaded(load) -> None:
    assert load(RIGHT).rows[None].conversation[1].switch.model == {"openai-chat": "gpt-5.4"}
    assert load(COMPACTED).rows[None].may_be_shortened
    assert not load(RIGHT).rows[None].may_be_shortened


def test_compaction_is_of_the_session_of_its_turn_in_which_something_was_said(load) -> None:
    [problem] = load(COMPACTED.replace("fruit.}]", "fruit.}]\n    session: b"))

    assert (problem.line, problem.message[:44]) == (8, "before its first turn nothing was said yet. ")


@pytest.mark.parametrize(
    ("found", "put", "line", "message"),
    [
        ("{model: {openai-chat: gpt-5.4}}", "{}", 7, "`switch` has either `model`, by wire, or `wire`. Keep one."),
        ("gpt-5.4}}", "gpt-5.4}, wire: ollama-chat}", 7, "`switch` has either `model`, by wire, or `wire`. Keep one."),
        ("pear?\n", "pear?\n    switch: {wire: ollama-chat}\n", 5, "the first turn begins with the model of the case."),
        ("    switch", "    restart: true\n    switch", 8, "`restart` starts a new instance, and `switch` goes on"),
        ("fruit.}]", "fruit.}]\n    session: b", 8, "a scenario with `session` has no `switch`"),
        ("    switch", "    compact: true\n    switch", 7, "`switch` and `compact` both come before the turn."),
        ("pear?\n", "pear?\n    compact: true\n", 5, "before its first turn nothing was said yet."),
        ("openai-chat:", "openai:", 7, "`openai` is no key of `model`."),
        ("{model: {openai-chat: gpt-5.4}}", "{wire: chat}", 7, "`wire` is the text `chat`."),
    ],
)
def test_mistake_is_named_at_its_line(load, found: str, put: str, line: int, message: str) -> None:
    assert found in RIGHT

    [problem] = load(RIGHT.replace(found, put, 1))

    assert problem.line == line
    assert problem.message.startswith(message)
