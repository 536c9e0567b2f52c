"""Texts with more levels than Python reads are texts that are no JSON, wherever a model or an agent may write them."""

from typing import Any

import pytest

from agent_conformance.judge.calls import arguments_of, read_arguments
from agent_conformance.run.provider.model_script import json_object
from agent_conformance.scenario.derived.faults import is_broken
from agent_conformance.scenario.model import CallSpec
from fake_providers.values.json_texts import read_json
from tests.agents.plain import PlainAgent
from tests.trying import verdicts

OPEN, CLOSED = '{"a":' * 100_000, "[" * 50_000 + "]" * 50_000


@pytest.mark.parametrize("text", [OPEN, CLOSED, f'"{"[" * 9}', "", b"{"])
def test_every_text_that_is_not_read_is_one_error(text: Any) -> None:
    with pytest.raises(ValueError, match=r"nested too deep|Expecting|Unterminated"):
        read_json(text)


def test_json_is_read() -> None:
    assert read_json(b'{"a": [1, null]}') == {"a": [1, None]}


@pytest.mark.parametrize("text", [OPEN, CLOSED])
def test_deep_arguments_are_unreadable(text: str) -> None:
    call = CallSpec(name="find", arguments_text=text)

    with pytest.raises(ValueError, match="nested too deep"):
        read_arguments(text)
    assert not isinstance(arguments_of(call), dict)
    assert is_broken(call)
    assert json_object(text) is None


def test_deep_arguments_of_the_model_are_judged() -> None:
    """A right agent answers the call, and no wire fails of it."""
    scenario = """
tools:
  - {name: find, description: Finds., parameters: {a: object}, returns: x}
conversation:
  - user: Find it.
    model:
      - calls: [{name: find, arguments_text: {repeat: '{"a":', times: 100000}}]
      - text: Done.
"""

    assert {verdict.outcome for verdict in verdicts(PlainAgent, scenario)} <= {"pass", "fail"}
