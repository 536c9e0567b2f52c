"""Calls and results: what is refused, and beside each refusal what is not."""

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
    judged,
    result,
    rule_of,
    sentence,
    text,
    use,
    user,
)

from fakes import judge

UNANSWERED = "`tool_use` ids were found without `tool_result` blocks immediately after: "
CORRESPONDING = "Each `tool_use` block must have a corresponding `tool_result` block in the next message."
SERVER_USE = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {}}


def rule(*messages: Any, **fields: Any) -> str | None:
    return rule_of(*messages, tools=[TOOL], **fields)


def test_every_unanswered_call_is_named() -> None:
    said = sentence(user(), assistant([use("t1"), use("t2"), use("t3")]), user([result("t2")]))

    assert said == f"messages.1: {UNANSWERED}t1, t3. {CORRESPONDING}"


def test_call_at_the_end_is_unanswered() -> None:
    assert rule(user(), assistant([use()])) == "anthropic/tool-use-unanswered"


def test_results_of_joined_assistant_messages_come_together() -> None:
    both = user([result("t1"), result("t2")])

    assert rule(user(), assistant([use("t1")]), assistant([use("t2")]), both) is None
    assert rule(user(), assistant([use("t1")]), assistant([use("t2")]), user([result("t2")])) is not None


def test_results_come_first_and_text_after_them() -> None:
    calls = assistant([use("t1"), use("t2")])

    assert rule(user(), calls, user([result("t1"), result("t2"), text("and?")])) is None
    assert rule(user(), calls, user([text("so:"), result("t1"), result("t2")])) == "anthropic/tool-results-not-first"
    assert rule(user(), calls, user([result("t1"), text("and"), result("t2")])) == "anthropic/tool-results-not-first"
    assert rule(user(), calls, user("wait"), user([result("t1"), result("t2")])) == "anthropic/tool-results-not-first"


def test_results_come_in_one_message() -> None:
    calls = assistant([use("t1"), use("t2")])

    split = judged(user(), calls, user([result("t1")]), user([result("t2")]), tools=[TOOL])

    assert split is not None
    assert (split.rule, split.confidence) == ("anthropic/tool-results-split", "reported")
    assert split.message == f"messages.1: {UNANSWERED}t2. {CORRESPONDING}"
    assert rule(user(), calls, user([result("t1"), result("t2")]), user("and?")) is None
    assert rule(user(), calls, user([]), user([result("t1"), result("t2")])) is None


def test_search_of_the_providers_own_stands_between_a_call_and_its_result() -> None:
    found = {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": []}

    assert rule(user(), assistant([text("so"), use()]), user([result()])) is None
    assert rule(user(), assistant([SERVER_USE, found, use()]), user([result()])) is None
    assert rule(user(), assistant([use(), SERVER_USE]), user([result()])) == "anthropic/tool-use-not-last"
    assert rule(user(), assistant([use(), SERVER_USE, found]), user([result()])) == "anthropic/tool-use-not-last"


def test_text_after_a_call_stands_between_where_thinking_is_not_interleaved() -> None:
    history = user(), assistant([use(), text("so")]), user([result()])

    assert rule(*history, model=OLD) == "anthropic/tool-use-not-last"
    assert rule(*history, model=NEW) is None
    assert rule(*history, model="claude-sonnet-4-6") is None
    context = json.dumps(body(*history, model=OLD, tools=[TOOL])).encode()
    assert judge("anthropic", PATH, context, {"anthropic-beta": "a,interleaved-thinking-2025-05-14"}) is None


def test_thinking_between_calls_is_accepted() -> None:
    thought = {"type": "redacted_thinking", "data": "abc"}

    assert rule(user(), assistant([use("t1"), thought, use("t2")]), user([result("t1"), result("t2")])) is None


def test_messages_are_counted_from_one_where_the_assistant_speaks_first() -> None:
    said = sentence(assistant([use()]), user("well?"), tools=[TOOL])

    assert said == f"messages.1: {UNANSWERED}toolu_1. {CORRESPONDING}"


def test_id_may_come_again_in_a_later_message_only() -> None:
    round_trip = [assistant([use("t1")]), user([result("t1")])]

    assert rule(user(), *round_trip, *round_trip) is None
    said = sentence(user(), assistant([use("t1"), use("t1")]), user([result("t1")]))
    assert said == "messages.1.content.1: `tool_use` ids must be unique"


def test_result_of_an_earlier_message_is_unexpected() -> None:
    said = sentence(user(), assistant([use("t1")]), user([result("t1")]), assistant(), user([result("t1")]))

    assert said is not None
    assert said.startswith("messages.4.content.0: unexpected `tool_use_id` found in `tool_result` blocks: t1. Each")


def test_pruned_history_that_begins_with_a_result_is_refused() -> None:
    assert rule(user([result()])) == "anthropic/tool-result-without-use"


@pytest.mark.parametrize("model", [NEW, OLD])
def test_calls_in_the_history_need_no_tools(model: str) -> None:
    history = [user(), assistant([use()]), user([result()])]

    assert rule_of(*history, model=model) is None
    assert rule_of(*history, tools=[], model=model) is None


def test_result_may_be_empty_or_have_no_content() -> None:
    for content in ("", [], None):
        assert rule(user(), assistant([use()]), user([result(content=content)])) is None
    bare = {"type": "tool_result", "tool_use_id": "toolu_1"}
    assert rule(user(), assistant([use()]), user([bare])) is None


@pytest.mark.parametrize("id", ["call_abc", "a" * 64, "srvtoolu_1", "0usajhl5"])
def test_ids_of_other_providers_are_taken(id: str) -> None:
    assert rule(user(), assistant([use(id)]), user([result(id)])) is None


@pytest.mark.parametrize("id", ["", "call|fc", "functions.f:0", "a b"])
def test_ids_with_other_characters_are_refused(id: str) -> None:
    said = sentence(user(), assistant([use(id)]), user([result(id)]))

    assert said == "messages.1.content.0.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'"


def test_arguments_that_are_no_object_are_refused_in_the_words_of_their_time() -> None:
    history = [user(), assistant([use(input="{}")]), user([result()])]

    assert sentence(*history, model=OLD) == "messages.1.content.0.tool_use.input: Input should be a valid dictionary"
    assert sentence(*history, model=NEW) == "messages.1.content.0.tool_use.input: Input should be an object"
