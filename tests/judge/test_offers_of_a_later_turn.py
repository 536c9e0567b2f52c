"""What is wrong with the tools that a later turn offers is said of that turn."""

from collections.abc import Callable
from typing import Any

import pytest

from agent_conformance.baseline.case_report import facts_of
from tests.agents.plain import PlainAgent
from tests.trying import verdicts

TURNS = """
wires: [openai-chat]
tools:
  - {name: look_up, description: Looks up a word., parameters: {word: string}, returns: a fruit}
  - {name: delete, description: Deletes a word., parameters: {word: string}, enabled: false}
conversation:
  - {user: Hello., model: [{text: Hello.}]}
  - {user: What is a pear?, model: [{text: A fruit.}]}
"""
DELETE = {"type": "function", "function": {"name": "delete", "description": "Deletes a word.", "parameters": {}}}
Tools = list[dict[str, Any]]


def with_function(tools: Tools, **members: Any) -> Tools:
    return [{**tool, "function": {**tool["function"], **members}} for tool in tools]


CHANGES: dict[str, tuple[Callable[[Tools], Tools], str]] = {
    "none": (lambda tools: [], "a request that offers no tool"),
    "twice": (lambda tools: tools * 2, "it is offered 2 times"),
    "a disabled one": (lambda tools: [*tools, DELETE], "it offers look_up, delete"),
    "without its description": (lambda tools: with_function(tools, description="x"), 'the description "x"'),
    "without a parameter": (
        lambda tools: with_function(tools, parameters={"type": "object", "properties": {"x": {"type": "string"}}}),
        "a declaration without word",
    ),
}


@pytest.mark.parametrize(("change", "got"), CHANGES.values(), ids=CHANGES)
def test_finding_about_an_offer_names_its_turn(change: Callable[[Tools], Tools], got: str) -> None:
    class Changes(PlainAgent):
        turn = 0

        def begin(self, message: str) -> None:
            self.turn += 1
            super().begin(message)

        def body(self) -> dict[str, Any]:
            body = super().body()
            tools = change(body.pop("tools")) if self.turn == 2 else body.pop("tools")
            return body | {"tools": tools} if tools else body

    (verdict,) = verdicts(Changes, TURNS)
    found = {finding.id: dict(facts_of(finding)) for finding in verdict.findings}

    assert (found["offered"]["at"], found["offered"]["got"]) == ("turn 2, request 1", got)


CHOICES: dict[str, tuple[str, bool]] = {
    "none may be called": ("none", False),
    "another alone may be called": ("look_up", False),
    "it may be called": ("delete", True),
    "any may be called": ("auto", True),
}


@pytest.mark.parametrize(("choice", "is_found"), CHOICES.values(), ids=CHOICES)
def test_disabled_tool_may_be_declared_where_its_call_is_forbidden(choice: str, is_found: bool) -> None:
    class DeclaresAll(PlainAgent):
        def body(self) -> dict[str, Any]:
            body = super().body()
            allowed = {"mode": "auto", "tools": [{"type": "function", "function": {"name": choice}}]}
            by_list = {"type": "allowed_tools", "allowed_tools": allowed}
            return body | {
                "tools": [*body["tools"], DELETE],
                "tool_choice": choice if choice in ("none", "auto") else by_list,
            }

    demand = "expect: {requests: [{at: 1, lacks_tools: [delete]}]}"
    (verdict,) = verdicts(DeclaresAll, TURNS.replace("[{text: Hello.}]", f"[{{text: Hello.}}], {demand}"))

    found = [(finding.id, [also.text for also in finding.consequences]) for finding in verdict.findings]
    assert found == ([("offered", ["it offers look_up, delete"])] if is_found else [])
