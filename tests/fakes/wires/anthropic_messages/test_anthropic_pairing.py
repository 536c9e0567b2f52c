"""Calls and results: what is refused, and next to each refusal what is accepted."""

import json
from typing import Any

import pytest
from anthropic_requests import (
    NEW,
    OLD,
    PATH,
    TOOL,
    assistant,
    body,
    broken_rule,
    error_message,
    text_block,
    tool_result,
    tool_use,
    user,
    violation_of,
)

from fake_providers import judge

UNANSWERED = "`tool_use` ids were found without `tool_result` blocks immediately after: "
CORRESPONDING = "Each `tool_use` block must have a corresponding `tool_result` block in the next message."
SERVER_USE = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {}}


def rule(*messages: Any, **fields: Any) -> str | None:
    return broken_rule(*messages, tools=[TOOL], **fields)


def test_every_unanswered_call_is_named() -> None:
    message = error_message(
        user(), assistant([tool_use("t1"), tool_use("t2"), tool_use("t3")]), user([tool_result("t2")])
    )

    assert message == f"messages.1: {UNANSWERED}t1, t3. {CORRESPONDING}"


def test_call_at_the_end_is_unanswered() -> None:
    assert rule(user(), assistant([tool_use()])) == "anthropic/tool-use-unanswered"


def test_results_of_joined_assistant_messages_may_come_together() -> None:
    both = user([tool_result("t1"), tool_result("t2")])

    assert rule(user(), assistant([tool_use("t1")]), assistant([tool_use("t2")]), both) is None
    assert rule(user(), assistant([tool_use("t1")]), assistant([tool_use("t2")]), user([tool_result("t2")])) is not None


def test_results_must_come_before_text() -> None:
    calls = assistant([tool_use("t1"), tool_use("t2")])

    assert rule(user(), calls, user([tool_result("t1"), tool_result("t2"), text_block("and?")])) is None
    assert (
        rule(user(), calls, user([text_block("so:"), tool_result("t1"), tool_result("t2")]))
        == "anthropic/tool-results-not-first"
    )
    assert (
        rule(user(), calls, user([tool_result("t1"), text_block("and"), tool_result("t2")]))
        == "anthropic/tool-results-not-first"
    )
    assert (
        rule(user(), calls, user("wait"), user([tool_result("t1"), tool_result("t2")]))
        == "anthropic/tool-results-not-first"
    )


def test_results_may_come_in_several_messages_in_a_row() -> None:
    calls = assistant([tool_use("t1"), tool_use("t2")])
    first, second = user([tool_result("t1")]), user([tool_result("t2")])

    assert rule(user(), calls, first, second) is None
    assert rule(user(), calls, second, first, user("and?")) is None
    assert rule(user(), calls, user([tool_result("t1"), tool_result("t2")]), user("and?")) is None
    assert rule(user(), calls, user([]), user([tool_result("t1"), tool_result("t2")])) is None


def test_results_in_several_messages_must_be_whole_and_before_text() -> None:
    calls = assistant([tool_use("t1"), tool_use("t2")])

    missing = violation_of(user(), calls, user([tool_result("t1")]), user("and?"), tools=[TOOL])

    assert missing is not None
    assert missing.rule == "anthropic/tool-use-unanswered"
    assert missing.message == f"messages.1: {UNANSWERED}t2. {CORRESPONDING}"
    assert (
        rule(user(), calls, user([tool_result("t1"), text_block("so:")]), user([tool_result("t2")]))
        == "anthropic/tool-results-not-first"
    )
    assert (
        rule(user(), calls, user([tool_result("t1")]), assistant("b"), user([tool_result("t2")]))
        == "anthropic/tool-result-without-use"
    )


def test_call_of_a_provider_tool_separates_a_call_from_its_result() -> None:
    found = {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": []}

    assert rule(user(), assistant([text_block("so"), tool_use()]), user([tool_result()])) is None
    assert rule(user(), assistant([SERVER_USE, found, tool_use()]), user([tool_result()])) is None
    assert rule(user(), assistant([tool_use(), SERVER_USE]), user([tool_result()])) == "anthropic/tool-use-not-last"
    assert (
        rule(user(), assistant([tool_use(), SERVER_USE, found]), user([tool_result()])) == "anthropic/tool-use-not-last"
    )


def test_text_separates_a_call_from_its_result_without_interleaved_thinking() -> None:
    history = user(), assistant([tool_use(), text_block("so")]), user([tool_result()])

    assert rule(*history, model=OLD) == "anthropic/tool-use-not-last"
    assert rule(*history, model=NEW) is None
    assert rule(*history, model="claude-sonnet-4-6") is None
    context = json.dumps(body(*history, model=OLD, tools=[TOOL])).encode()
    assert judge("anthropic", PATH, context, {"anthropic-beta": "a,interleaved-thinking-2025-05-14"}) is None


def test_thinking_between_calls_is_accepted() -> None:
    thought = {"type": "redacted_thinking", "data": "abc"}

    assert (
        rule(user(), assistant([tool_use("t1"), thought, tool_use("t2")]), user([tool_result("t1"), tool_result("t2")]))
        is None
    )


def test_messages_are_counted_from_one_if_the_assistant_comes_first() -> None:
    message = error_message(assistant([tool_use()]), user("well?"), tools=[TOOL])

    assert message == f"messages.1: {UNANSWERED}toolu_1. {CORRESPONDING}"


def test_id_may_be_repeated_in_a_later_message_only() -> None:
    round_trip = [assistant([tool_use("t1")]), user([tool_result("t1")])]

    assert rule(user(), *round_trip, *round_trip) is None
    message = error_message(user(), assistant([tool_use("t1"), tool_use("t1")]), user([tool_result("t1")]))
    assert message == "messages.1.content.1: `tool_use` ids must be unique"


def test_result_of_an_earlier_message_is_unexpected() -> None:
    message = error_message(
        user(), assistant([tool_use("t1")]), user([tool_result("t1")]), assistant(), user([tool_result("t1")])
    )

    assert message is not None
    assert message.startswith("messages.4.content.0: unexpected `tool_use_id` found in `tool_result` blocks: t1. Each")


def test_pruned_history_that_starts_with_a_result_is_refused() -> None:
    assert rule(user([tool_result()])) == "anthropic/tool-result-without-use"


@pytest.mark.parametrize("model", [NEW, OLD])
def test_calls_in_the_history_do_not_need_tools(model: str) -> None:
    history = [user(), assistant([tool_use()]), user([tool_result()])]

    assert broken_rule(*history, model=model) is None
    assert broken_rule(*history, tools=[], model=model) is None


def test_result_may_be_empty_or_have_no_content() -> None:
    for content in ("", [], None):
        assert rule(user(), assistant([tool_use()]), user([tool_result(content=content)])) is None
    bare = {"type": "tool_result", "tool_use_id": "toolu_1"}
    assert rule(user(), assistant([tool_use()]), user([bare])) is None


@pytest.mark.parametrize("id", ["call_abc", "a" * 64, "srvtoolu_1", "0usajhl5"])
def test_ids_of_other_providers_are_accepted(id: str) -> None:
    assert rule(user(), assistant([tool_use(id)]), user([tool_result(id)])) is None


@pytest.mark.parametrize("id", ["", "call|fc", "functions.f:0", "a b"])
def test_ids_with_other_characters_are_refused(id: str) -> None:
    message = error_message(user(), assistant([tool_use(id)]), user([tool_result(id)]))

    assert message == "messages.1.content.0.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'"


def test_arguments_that_are_not_an_object_are_refused_with_the_sentence_of_the_models_time() -> None:
    history = [user(), assistant([tool_use(input="{}")]), user([tool_result()])]

    assert (
        error_message(*history, model=OLD) == "messages.1.content.0.tool_use.input: Input should be a valid dictionary"
    )
    assert error_message(*history, model=NEW) == "messages.1.content.0.tool_use.input: Input should be an object"
