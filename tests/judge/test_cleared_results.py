"""An old result that the agent has cleared, with a mark, is what `arrives` and the expectations of scenarios take."""

from typing import Any

import pytest

from tests.agents.plain import PlainAgent
from tests.trying import only_findings

RESTORED = """
wires: [openai-chat]
tools: [{name: look_up, description: Looks up a word., parameters: {word: string}, returns: a long vegetable}]
history:
  - user: What is a pear?
  - assistant: {calls: [{id: call_1, name: look_up, arguments: {word: pear}}]}
  - tool: {id: call_1, result: a sweet fruit from a tree}
  - assistant: A pear is a fruit.
conversation:
  - user: And a leek?
    model:
      - calls: [{name: look_up, arguments: {word: leek}}]
        until: answered
      - text: A vegetable.
    expect:
      requests:
        - {at: 1, contains: [What is a pear?, a sweet fruit]}
        - {at: 2, contains: [a sweet fruit], results: [a long vegetable]}
  - user: And both?
    model: [{text: Food.}]
    expect: {requests: [{at: 1, contains: [a long vegetable], results: [{contains: [a long vegetable]}]}]}
"""


class Clears(PlainAgent):
    """Replaces what tools returned before this turn."""

    note = "[Old tool result cleared, {} characters]"
    newest = False

    def begin(self, message: str) -> None:
        super().begin(message)
        self.began = len(self.messages)

    def body(self) -> dict[str, Any]:
        body = super().body()
        until = len(self.messages) if self.newest else self.began
        body["messages"] = [
            {**one, "content": self.note.format(len(one["content"]))} if one["role"] == "tool" and n < until else one
            for n, one in enumerate(body["messages"])
        ]
        return body


def clearing(words: str, **more: Any) -> Any:
    return type("Clearing", (Clears,), {"note": words, **more})


@pytest.mark.parametrize(
    "words",
    ["[Old tool result cleared, {} characters]", "<elided: {} bytes>", "(pruned)", "This output was stored in out.txt"],
)
def test_mark_in_the_place_of_an_old_result_is_right(words: str) -> None:
    [found] = only_findings(clearing(words), RESTORED).values()

    assert found == ["steady-prefix"]  # advice: caches are missed


@pytest.mark.parametrize("words", ["[interrupted]", "Error: the call was not run", "[no result was stored]", ""])
def test_old_result_that_is_told_as_missing_is_wrong(words: str) -> None:
    [found] = only_findings(clearing(words), RESTORED).values()

    assert {"1.requests[0]", "arrives"} & {*found}


def test_mark_in_the_place_of_the_newest_result_is_wrong() -> None:
    [found] = only_findings(clearing("(pruned)", newest=True), RESTORED).values()

    assert "1.requests[1]" in found
