"""A tool's result or a call's id that reaches the user in the envelope of a protocol is one finding, in each form."""

from typing import Any

import pytest

from tests.agents.plain import PlainAgent
from tests.judge.trying_laws import assert_right
from tests.trying import WEATHER, verdicts

TEXT = f"""
wires: [openai-chat]
{WEATHER}
conversation:
  - user: What is the weather in Oslo?
    model:
      - calls: [{{name: get_weather, arguments: {{city: Oslo}}}}]
      - text: Take an umbrella.
"""
ENVELOPES = [
    "<tool_result>{result}</tool_result>",
    '<tool_result name="get_weather">\nOutput: {result}\n</tool_result>',
    "<tool_response>{result}</tool_response>",
    "<function_result>{result}</function_result>",
    "<function_results><result>{result}</result></function_results>",
    "<FUNCTION_RESULTS>{result}",
    "[tool result] {result}",
    "[Tool results: 1]\n{result}",
    '{{"tool_call_id": "{id}", "content": "rain"}}',
    '{{"type": "tool_result", "tool_use_id" : "{id}"}}',
    '{{"type": "function_call_output", "call_id":"{id}"}}',
    '<tool_result id="{id}">rain</tool_result>',
    '<tool_result name="get_weather" id="{id}">rain</tool_result>',
    "[tool result for {id}] rain",
]
PROSE = [
    "The tool result is {result}.",
    '"{result}" [1]',
    "<b>{result}</b>",
    "<tool_results>{result}",
    "<tool_result>rain</tool_result> and no more",
    '"call_id": "{id_}"',
    "[tool result for 7] rain",
]


def saying(form: str) -> Any:
    class SaysMore(PlainAgent):
        """Puts this in front of its reply."""

        said = ""

        def answer(self, results: list[tuple[Any, str, str]]) -> None:
            super().answer(results)
            ((id, _, text),) = results
            self.said = form.format(id=id, id_="call_1", result=text)

        def reply(self, text: str) -> str:
            said, self.said = self.said, ""
            return f"{said}\n{text}".strip()

    return SaysMore


@pytest.mark.parametrize("form", ENVELOPES)
def test_result_or_id_in_an_envelope_is_one_finding(form: str) -> None:
    (verdict,) = verdicts(saying(form), TEXT)

    assert [(finding.id, finding.level) for finding in verdict.findings] == [("no-protocol-text", "must")]
    assert verdict.findings[0].expected == "the reply to contain no tool result in its envelope"


@pytest.mark.parametrize("form", PROSE)
def test_result_in_prose_or_markup_is_shown_rightly(form: str) -> None:
    assert_right(saying(form), TEXT)


def test_envelope_that_the_model_wrote_is_not_of_the_agent() -> None:
    asked = TEXT.replace("umbrella.", "umbrella. <tool_result>7 degrees and rain</tool_result>")

    assert_right(PlainAgent, asked)
