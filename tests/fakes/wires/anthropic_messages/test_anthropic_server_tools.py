"""Calls that the provider answers itself: what is refused, and beside each refusal what is not."""

from typing import Any

from anthropic_requests import TOOL, assistant, result, rule_of, sentence, system, text, use, user

SEARCH = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "q"}}
FOUND = {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": []}
CODE = {"type": "server_tool_use", "id": "srvtoolu_2", "name": "code_execution", "input": {"code": "f()"}}
RAN = {"type": "code_execution_tool_result", "tool_use_id": "srvtoolu_2", "content": {"return_code": 0}}
BY_CODE = {"type": "code_execution_20260120", "tool_id": "srvtoolu_2"}


def rule(*messages: Any, **fields: Any) -> str | None:
    return rule_of(*messages, **{"tools": [TOOL], **fields})


def test_call_of_the_provider_waits_only_for_results_of_the_client() -> None:
    called = assistant([SEARCH, use()])

    assert rule(user(), called, user([result()])) is None
    assert rule(user(), called, user([result()]), assistant([FOUND, text("c")]), user()) is None
    assert rule(user(), called, user([result(), text("and?")])) == "anthropic/server-tool-unanswered"
    assert rule(user(), assistant([text("b"), SEARCH]), user()) == "anthropic/server-tool-unanswered"


def test_paused_turn_goes_on_as_it_was() -> None:
    assert rule(user(), assistant([text("b"), SEARCH])) is None


def test_system_message_ends_no_turn_of_the_provider() -> None:
    assert rule(user(), assistant([SEARCH, FOUND, text("b")]), system()) is None
    assert rule(user(), assistant([text("b"), SEARCH]), system()) is None


def test_unanswered_call_is_told_with_the_result_that_is_missing() -> None:
    said = sentence(user(), assistant([text("b"), SEARCH]), user())
    sought = {**SEARCH, "name": "tool_search_tool_regex"}

    assert said is not None
    assert said.startswith("messages.1: `web_search` tool use with id `srvtoolu_1` was found without a corresponding")
    assert said.endswith("`web_search_tool_result` block")
    assert "`tool_search_tool_result` block" in str(sentence(user(), assistant([text("b"), sought]), user()))


def test_result_comes_after_its_call() -> None:
    said = sentence(user(), assistant([FOUND, SEARCH, text("b")]), user())

    assert said == (
        "messages.1.content.0: unexpected `tool_use_id` found in `web_search_tool_result` blocks: srvtoolu_1. Each "
        "`web_search_tool_result` block must have a corresponding `server_tool_use` block before it."
    )
    assert rule(user(), assistant([SEARCH, FOUND, text("b")]), user()) is None


def test_ids_that_a_recorder_blanked_are_taken_for_each_other() -> None:
    assert rule(user(), assistant([SEARCH, {**FOUND, "tool_use_id": "toolu_x"}, text("b")]), user()) is None


def test_id_of_a_call_of_the_provider_is_its_own() -> None:
    said = sentence(user(), assistant([{**SEARCH, "id": "call-1"}, FOUND, text("b")]), user())

    assert said is not None
    assert said.startswith("messages.1.content.0.server_tool_use.id: String should match pattern '^srvtoolu_")


def test_running_code_waits_for_the_tools_it_calls() -> None:
    by_code = use(caller=BY_CODE)

    assert rule(user(), assistant([CODE, by_code]), user([result(), text("c")])) is None
    assert rule(user(), assistant([CODE, by_code]), user([result()]), assistant([RAN, text("c")]), user()) is None
    said = sentence(user(), assistant([by_code]), user([result()]), tools=[TOOL])
    assert said == "source tool `srvtoolu_2` not found for tool use block `toolu_1`"
    assert rule(user(), assistant([use(caller={"type": "direct"})]), user([result()])) is None


def test_tool_that_is_told_of_is_offered() -> None:
    def history(name: str) -> list[Any]:
        told = {"type": "tool_search_tool_search_result", "tool_references": [reference(name)]}
        search = {**SEARCH, "name": "tool_search_tool_regex"}
        answer = {"type": "tool_search_tool_result", "tool_use_id": "srvtoolu_1", "content": told}
        return [user(), assistant([search, answer, text("b")]), user()]

    def reference(name: str) -> dict[str, Any]:
        return {"type": "tool_reference", "tool_name": name}

    assert rule(*history("f")) is None
    assert sentence(*history("g"), tools=[TOOL]) == "Tool reference 'g' not found in available tools"
    assert rule(*history("f"), tools=...) == "anthropic/tool-reference-unknown"
    toolset = {"type": "mcp_toolset", "mcp_server_name": "s"}
    assert rule(*history("g"), tools=[TOOL, toolset]) is None
