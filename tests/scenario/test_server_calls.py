"""Which calls of the provider's own tools a reply may have."""

import pytest

from tests.trying import scenario

HEAD = "server_tools: [web_search]\nconversation:\n  - user: What is the weather in Oslo?\n    model:\n"
OPEN = "      - {text: A moment., server_calls: [{name: web_search, arguments: {query: Oslo}}], finish: pause}\n"
ENDS = "      - {text: Rain., server_calls: [{name: web_search, result: rain}]}\n"


def test_paused_search_goes_on_in_the_next_reply() -> None:
    first, second = next(iter(scenario(HEAD + OPEN + ENDS).rows.values())).conversation[0].model

    assert (first.finish, first.server_calls[0].result) == ("pause", None)
    assert (second.server_calls[0].arguments, second.server_calls[0].result) == (None, "rain")


@pytest.mark.parametrize(
    ("replies", "line", "message"),
    [
        (ENDS, 8, "without `arguments` it is the call that the reply before left open"),
        (OPEN.replace(", finish: pause", ""), 8, "only the last call of a reply with `finish: pause` may be left open"),
        (
            OPEN.replace("pause}", "pause, calls: [{name: f}]}"),
            8,
            "needs `server_calls`, and has no `calls` beside them",
        ),
        (OPEN + ENDS.replace("[{", "[{name: web_search, arguments: {}, result: x}, {"), 9, "without `arguments` it is"),
    ],
)
def test_calls_that_no_provider_makes_are_refused(replies: str, line: int, message: str) -> None:
    with pytest.raises(AssertionError) as refused:
        scenario(HEAD + replies)

    assert f"this.yaml:{line}: " in str(refused.value)
    assert message in str(refused.value)
