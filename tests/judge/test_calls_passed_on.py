"""An agent may pass the text of arguments on to a tool, as it is or parsed: the tool refuses what is no object."""

from typing import Any

import pytest

from agent_conformance.judge.calls import UNREADABLE, ModelCall, arguments_of
from agent_conformance.scenario.model import CallSpec


def call(text: str | None) -> ModelCall:
    request: Any = None
    nothing: frozenset[str] = frozenset()
    return ModelCall(1, 1, request, "look", ("look", "see"), {}, nothing, nothing, True, True, "call_1", text)


@pytest.mark.parametrize(
    ("text", "arguments"),
    [
        ('{"a', '{"a'),
        ('["a"]', ["a"]),
        ('["a"]', '["a"]'),
        ('"{\\"a\\": 1}"', {"a": 1}),
        ('"{\\"a\\": 1}"', '{"a": 1}'),
    ],
)
def test_text_is_passed_on_as_it_is_or_parsed(text: str, arguments: Any) -> None:
    assert call(text).is_passed_on_in(arguments)


@pytest.mark.parametrize(
    ("text", "arguments"), [('{"a', {}), ('{"a', None), ('["a"]', ["b"]), (None, {}), (None, None)]
)
def test_other_arguments_are_not_what_was_sent(text: str | None, arguments: Any) -> None:
    assert not call(text).is_passed_on_in(arguments)


def test_call_allows_the_tools_that_it_may_run() -> None:
    assert [name for name in ("look", "see", "find") if call(None).allows(name)] == ["look", "see"]


@pytest.mark.parametrize(
    ("given", "arguments"),
    [
        ({"arguments": {"a": 1}}, {"a": 1}),
        ({}, {}),
        ({"arguments_text": '{"a": 1}'}, {"a": 1}),
        ({"arguments_text": ""}, {}),
        ({"arguments_text": '{"a'}, UNREADABLE),
        ({"arguments_text": '["a"]'}, UNREADABLE),
        ({"arguments_text": '{"a": 1,}', "means": {"arguments": {"a": 1}}}, {"a": 1}),
    ],
)
def test_arguments_are_those_with_which_a_right_agent_runs_the_tool(given: dict[str, Any], arguments: Any) -> None:
    assert arguments_of(CallSpec.read({"name": "look", **given})) == arguments
