"""What is refused of `fallback`, at its line."""

import pytest

RIGHT = """\
description: a second provider answers
profile: hardened
fallback: {provider: mistral}
conversation:
  - user: What is a pear?
    model: [{fault: {status: 429}, forever: true}, {text: A fruit.}]
"""


def test_right_scenario_is_loaded_and_its_fault_may_go_on(load) -> None:
    assert load(RIGHT).rows[None].fallback.provider == "mistral"


@pytest.mark.parametrize(
    ("found", "put", "line", "message"),
    [
        ("mistral", "mistrel", 3, "`mistrel` is no provider. Did you mean `mistral`?"),
        ("mistral}", "mistral, wire: ollama-chat}", 3, "`mistral` does not offer `ollama-chat`. It has: `openai-chat`"),
        ("{fault: {status: 429}, forever: true}, ", "", 3, "no reply has a `fault`, so that nobody has to ask"),
        ("fallback: {provider: mistral}", "system: Be brief.", 6, "the reply above is given `forever`"),
        ("{provider: mistral}", "{wire: openai-chat}", 3, "`fallback` has no `provider`, which it needs."),
        (
            "fruit.}]\n",
            "fruit.}]\n  - user: And now?\n    switch: {wire: ollama-chat}\n    model: [{text: No.}]\n",
            3,
            "`fallback` and `switch` each name another provider.",
        ),
    ],
)
def test_mistake_is_named_at_its_line(load, found: str, put: str, line: int, message: str) -> None:
    assert found in RIGHT

    [problem] = load(RIGHT.replace(found, put, 1))

    assert problem.line == line
    assert problem.message.startswith(message)
