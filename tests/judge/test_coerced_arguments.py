"""An agent may make a list of one value that the model sent for a list; it may not take a value out of its list."""

from typing import Any

import pytest

from agent_conformance import ToolCall
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
    denied = "The user does not want that."

    def run(self, name: str, arguments: Any) -> str:
        words = arguments["words"]
        coerced = {"words": words[0] if isinstance(words, list) else [words]}
        allowed = self.setup.approve(ToolCall(None, name, self.asked(arguments, coerced)))
        return super().run(name, coerced) if allowed else self.denied

    def asked(self, sent: Any, coerced: Any) -> Any:
        return coerced


class AsksAboutWhatWasSent(Coerces):
    """Asks the user before it makes of the words what the declaration says."""

    def asked(self, sent: Any, coerced: Any) -> Any:
        return sent


class AsksAboutOtherWords(Coerces):
    """Wrong: what the user allows is not what runs."""

    def asked(self, sent: Any, coerced: Any) -> Any:
        return {"words": ["winter"]}


@pytest.mark.parametrize("agent", [Coerces, AsksAboutWhatWasSent])
def test_list_of_the_one_value_that_was_sent_is_right(agent: Any) -> None:
    assert_right(agent, VALUE_FOR_A_LIST)


def test_run_of_what_the_user_was_not_asked_about_is_wrong() -> None:
    (verdict,) = verdicts(AsksAboutOtherWords, VALUE_FOR_A_LIST)

    assert [finding.id for finding in verdict.findings] == ["approved"]


def test_blank_result_of_a_coerced_call_that_was_denied_is_wrong() -> None:
    denied = VALUE_FOR_A_LIST.replace("{tag: true}", "{tag: false}").partition("    expect:")[0]
    (right,), (wrong,) = verdicts(Coerces, denied), verdicts(type("Blank", (Coerces,), {"denied": ""}), denied)

    assert right.findings == ()
    assert [finding.id for finding in wrong.findings] == ["answered"]


def test_value_out_of_the_list_that_was_sent_is_wrong() -> None:
    (verdict,) = verdicts(Coerces, LIST_FOR_A_VALUE)

    assert [finding.id for finding in verdict.findings] == ["sent-arguments"]
