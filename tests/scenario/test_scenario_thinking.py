"""Reasoning in a history, with who signed it: what is read, what is refused at its line, and which cases it makes."""

import pytest

from agent_conformance.adapter.contract import DeclaredAgent
from agent_conformance.reference import Adapter
from agent_conformance.scenario.cases import RunOptions, cases_of
from agent_conformance.scenario.model import ThinkingSpec

RIGHT = """\
description: signed reasoning is restored
profile: hardened
history:
  - user: What is a pear?
  - assistant:
      text: A fruit.
      thinking: {text: Easy., signature: foreign}
conversation:
  - user: Is it sweet?
    model: [{text: It is.}]
"""


def test_right_scenario_has_the_reasoning(load) -> None:
    message = load(RIGHT).rows[None].history[1].assistant

    assert message.thinking == ThinkingSpec(text="Easy.", signature="foreign")


@pytest.mark.parametrize(
    ("found", "put", "line", "message"),
    [
        ("signature: foreign", "signature: mine", 7, "`signature` is the text `mine`. Allowed: `own`, `foreign`,"),
        (", signature: foreign", "", 7, "`thinking` of the history has no `signature`, which it needs."),
        ("signature: foreign", "signature: own, by: me", 7, "`by` is no field of `thinking` of the history."),
        ("history:", "wires: [ollama-chat]\nhistory:", 8, "no provider of `wires` signs reasoning. Those that do:"),
    ],
)
def test_mistake_is_named_at_its_line(load, found: str, put: str, line: int, message: str) -> None:
    assert found in RIGHT

    [problem] = load(RIGHT.replace(found, put, 1))

    assert problem.line == line
    assert problem.message.startswith(message)


def test_there_are_cases_only_where_the_own_provider_signs_reasoning(load) -> None:
    agent = DeclaredAgent("reference", Adapter, Adapter.wires, ("plain",), Adapter.features, ())

    own = {case.wire for case in cases_of(load(RIGHT), agent, RunOptions())}
    other = cases_of(load(RIGHT), agent, RunOptions(providers=("deepseek", "vertex")))

    assert own == {"openai-responses", "anthropic-messages", "gemini-generate", "bedrock-converse"}
    assert other == []
