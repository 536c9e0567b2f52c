"""Pictures of tools and users, judged both ways: right agents of several styles, and each wrong one by one finding."""

import json
from typing import Any

import pytest

from tests.agents.plain import GaveUp, PlainAgent
from tests.agents.seeing import AsText, Beside, Blind, InResult, Late, Twice
from tests.trying import only_findings, verdicts

SCREENSHOT = """
model: {ollama-chat: "qwen3-vl:8b", cohere-chat: command-a-plus-05-2026}
tools:
  - name: screenshot
    description: A picture of the page.
    parameters: {}
    content: [{text: the login page}, {image: {width: 64, height: 64}}]
"""
CALL = """
conversation:
  - user: What is on the page?
    model:
      - calls: [{name: screenshot, arguments: {}}]
      - text: A form.
    expect:
"""
COUNTED = SCREENSHOT + CALL + "      requests: [{at: 2, images: 1, roles: [user, assistant, tool], count: 3}]\n"
READ = SCREENSHOT + CALL + "      requests: [{at: 2, added: {contains: [the login page], lacks: [shown]}}]\n"

OF_THE_USER = """
model: {ollama-chat: "qwen3-vl:8b", cohere-chat: command-a-plus-05-2026}
conversation:
  - user: [{text: What is it?}, {image: {width: 64, height: 64}}]
    model:
      - text: A form.
    expect:
      requests: [{at: 1, images: 1, contains: [What is it?]}]
"""

RESTORED = """
model: {ollama-chat: "qwen3-vl:8b", cohere-chat: command-a-plus-05-2026}
tools:
  - name: screenshot
    description: A picture of the page.
    parameters: {}
    returns: done
history:
  - user: What is on the page?
  - assistant: {text: "", calls: [{id: call000001, name: screenshot, arguments: {}}]}
  - tool: {id: call000001, result: {parts: [{text: the login page}, {image: {width: 64, height: 64}}]}}
conversation:
  - user: Well?
    model:
      - text: A form.
    expect:
      requests: [{at: 1, images: 1, contains: [the login page]}]
"""

REFUSED = """
wires: [anthropic-messages]
tools:
  - name: screenshot
    description: A picture of the page.
    parameters: {}
    content: [{text: the login page}, {image: {width: 1440, height: 8570}}]
conversation:
  - user: What is on the page?
    model:
      - calls: [{name: screenshot, arguments: {}}]
      - {text: A form., spare: true}
    expect: {outcome: either}
  - user: Thank you.
    model:
      - text: You are welcome.
"""

ADVICE = ["1.should.requests[0].images"]


@pytest.mark.parametrize("text", [COUNTED, READ, OF_THE_USER, RESTORED])
def test_picture_in_the_result_is_right_on_every_wire(text: str):
    found = only_findings(InResult, text)

    assert len(found) == 5
    assert not any(found.values()), found


@pytest.mark.parametrize("text", [READ, OF_THE_USER])
def test_picture_beside_the_result_is_right_on_every_wire(text: str):
    assert not any(only_findings(Beside, text).values())


def test_place_of_a_picture_is_advice_where_the_result_has_one():
    assert only_findings(Beside, COUNTED) == {
        "openai-chat+plain": [],
        "openai-responses+plain": ADVICE,
        "anthropic-messages+plain": ADVICE,
        "gemini-generate+plain": ADVICE,
        "ollama-chat+plain": [],
    }


def test_picture_that_is_sent_in_the_result_and_beside_it_is_advice():
    assert only_findings(Twice, COUNTED, wires=("gemini-generate",)) == {"gemini-generate+plain": ADVICE}


def test_agent_that_hands_on_the_text_alone_is_right_and_not_verified_on_pictures():
    assert not any(only_findings(PlainAgent, READ).values())
    assert set(map(str, only_findings(PlainAgent, COUNTED).values())) == {"['not-verified: needs images']"}
    assert set(map(str, only_findings(PlainAgent, OF_THE_USER).values())) == {"['not-verified: needs user-images']"}


@pytest.mark.parametrize(("wrong", "text"), [(Blind, COUNTED), (Blind, OF_THE_USER), (Late, COUNTED)])
def test_picture_that_is_lost_or_late_is_one_finding(wrong: type[PlainAgent], text: str):
    assert set(map(str, only_findings(wrong, text).values())) == {"['1.requests[0]']"}


def test_base64_in_a_text_is_one_finding():
    assert set(map(str, only_findings(AsText, COUNTED).values())) == {"['no-picture-text']"}


def test_base64_in_a_text_is_advice_for_agents_that_do_not_declare_pictures():
    class Undeclared(AsText):
        features = PlainAgent.features

    levels = {finding.level for finding in findings_of(Undeclared, READ)}

    assert levels == {"should"}


class Refused(InResult):
    """Right: after a refusal the picture is replaced by words, and the request sent again."""

    def post(self, body: dict[str, Any]) -> dict[str, Any]:
        try:
            return super().post(body)
        except GaveUp:
            self.recover(body)
            return super().post(self.body())

    def recover(self, body: dict[str, Any]) -> None:
        text = json.dumps(self.messages)
        self.messages = json.loads(text, object_hook=lambda part: words() if part.get("type") == "image" else part)


class GivesUpOnce(Refused):
    """Right, but could do better: the turn ends, and the conversation goes on."""

    def recover(self, body: dict[str, Any]) -> None:
        super().recover(body)
        raise GaveUp("the picture was refused")


class SendsAgain(Refused):
    """Wrong: the body that was refused is sent three times more."""

    def recover(self, body: dict[str, Any]) -> None:
        for _ in range(3):
            try:
                PlainAgent.post(self, body)
            except GaveUp:
                continue
        super().recover(body)


def words() -> dict[str, Any]:
    return {"type": "text", "text": "(a picture)"}


@pytest.mark.parametrize(
    ("agent", "expected"),
    [
        (Refused, []),
        (GivesUpOnce, [("accepted:anthropic/image-dimensions", "should")]),
        (InResult, [("accepted:anthropic/image-dimensions", "must")]),
        (SendsAgain, [("accepted:anthropic/image-dimensions", "must")]),
        (PlainAgent, []),
    ],
)
def test_refused_picture_is_a_finding_if_it_stays(agent: type[PlainAgent], expected: list[tuple[str, str]]):
    assert [(finding.id, finding.level) for finding in findings_of(agent, REFUSED)] == expected


def findings_of(agent: Any, text: str) -> list[Any]:
    return [finding for verdict in verdicts(agent, text) for finding in verdict.findings]
