"""An agent may make a list of one value that the model sent for a list; it may not take a value out of its list."""

from typing import Any

from conformance import ToolCall
from tests.agents.plain import PlainAgent
from tests.judge.trying_laws import assert_right
from tests.trying import verdicts

TAGGED = """
wires: [openai-chat]
tools:
  - name: tag
    description: Tags a photo.
    parameters: {words: KIND}
    returns: tagged
    approval: ask
conversation:
  - user: Tag it.
    approve: {tag: true}
    model:
      - calls: [{name: tag, arguments: {words: SENT}}]
      - text: It is tagged.
    expect:
      executed: [{tag: {words: SENT}}]
      approvals: [{tag: {words: SENT}}]
      requests: [{at: 2, results: [tagged]}]
"""
VALUE_FOR_A_LIST = TAGGED.replace("KIND", "{type: array, items: {type: string}}").replace("SENT", "summer")
LIST_FOR_A_VALUE = TAGGED.replace("KIND", "string").replace("SENT", "[summer]")


class Coerces(PlainAgent):
    """Makes of the words what the declaration says, asks about that, and runs it."""

    features = PlainAgent.features | {"approval"}

    def run(self, name: str, arguments: Any) -> str:
        words = arguments["words"]
        coerced = {"words": words[0] if isinstance(words, list) else [words]}
        allowed = self.setup.approve(ToolCall(None, name, coerced))
        return super().run(name, coerced) if allowed else "The user does not want that."


def test_list_of_the_one_value_that_was_sent_is_right() -> None:
    assert_right(Coerces, VALUE_FOR_A_LIST)


def test_value_out_of_the_list_that_was_sent_is_wrong() -> None:
    (verdict,) = verdicts(Coerces, LIST_FOR_A_VALUE)

    assert [finding.id for finding in verdict.findings] == ["sent-arguments"]
