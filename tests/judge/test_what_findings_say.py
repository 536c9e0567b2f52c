"""What the lines of a finding say, beyond its id: enough to look up a rule, and to see what the model sent."""

from typing import Any

from agent_conformance import Tool
from agent_conformance.baseline.case_report import facts_of
from tests.agents.plain import GaveUp, PlainAgent
from tests.trying import ONE_CALL, WEATHER, verdicts

CUT_OFF = (
    WEATHER
    + """
conversation:
  - user: What is the weather in Oslo?
    model:
      - calls: [{name: get_weather, arguments_text: '{"city": "Osl'}]
      - text: I could not find out.
    expect:
      requests: [{at: 2, contains: [Oslo]}]
"""
)


class Completes(PlainAgent):
    """Closes the text that was cut off."""

    def run(self, name: str, arguments: Any) -> str:
        return Tool.text(self.tools()[0].call({"city": "Osl"}))


class GivesUp(PlainAgent):
    """Raises its own error in the first turn, and leaves the call in the history without a result."""

    def run(self, name: str, arguments: Any) -> str:
        raise GaveUp("no tool today")


class Crashes(PlainAgent):
    def run(self, name: str, arguments: Any) -> str:
        raise LookupError(name)


class LosesResults(PlainAgent):
    """Sends the calls of the model without their results."""

    def answer(self, results: Any) -> None:
        pass


def only_finding(adapter: Any, text: str) -> Any:
    (verdict,) = verdicts(adapter, text, wires=("openai-chat",))
    (finding,) = verdict.findings
    return finding


def test_a_finding_about_arguments_has_the_text_that_the_model_wrote() -> None:
    finding = only_finding(Completes, CUT_OFF)

    assert finding.id == "sent-arguments"
    assert """'{"city": "Osl', which is no JSON object""" in finding.expected


def test_a_refused_follow_up_names_the_rule() -> None:
    finding = only_finding(GivesUp, ONE_CALL + "    expect:\n      outcome: either\n")

    assert finding.id == "survives"
    assert finding.got.startswith("its request was refused by openai/")


def test_what_a_crash_leaves_unknown_is_not_listed_among_what_followed() -> None:
    finding = only_finding(Crashes, CUT_OFF)

    assert finding.id == "answers"
    assert [str(one) for one in finding.consequences] == ["1.requests[0]: wanted a second request, got 1"]
    assert finding.not_checked == ("survives",)


def test_a_refused_request_has_what_the_provider_says_in_place_of_what_was_expected() -> None:
    finding = only_finding(LosesResults, ONE_CALL + "    expect: {outcome: either}\n")
    facts = dict(facts_of(finding))

    assert finding.id.startswith("accepted:openai/")
    assert "expected" not in facts
    assert facts["refused"].startswith("400 ")
    assert "get_weather" in facts["got"]
