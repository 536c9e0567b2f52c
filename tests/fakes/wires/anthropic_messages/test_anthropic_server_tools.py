"""Calls to the provider's own tools: what is refused, and next to each refusal what is accepted."""

from typing import Any

from anthropic_requests import (
    TOOL,
    assistant,
    broken_rule,
    error_message,
    system,
    text_block,
    tool_result,
    tool_use,
    user,
)

SEARCH = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "q"}}
SEARCH_RESULT = {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": []}
CODE = {"type": "server_tool_use", "id": "srvtoolu_2", "name": "code_execution", "input": {"code": "f()"}}
OUTPUT = {"type": "code_execution_result", "return_code": 0, "stdout": "7", "stderr": "", "content": []}
CODE_RESULT = {"type": "code_execution_tool_result", "tool_use_id": "srvtoolu_2", "content": OUTPUT}
CALL_BY_CODE = {"type": "code_execution_20260120", "tool_id": "srvtoolu_2"}


def rule(*messages: Any, **fields: Any) -> str | None:
    return broken_rule(*messages, **{"tools": [TOOL], **fields})


def test_call_to_a_provider_tool_may_only_wait_for_results_of_the_client() -> None:
    called = assistant([SEARCH, tool_use()])

    assert rule(user(), called, user([tool_result()])) is None
    assert rule(user(), called, user([tool_result()]), assistant([SEARCH_RESULT, text_block("c")]), user()) is None
    assert rule(user(), called, user([tool_result(), text_block("and?")])) == "anthropic/server-tool-unanswered"
    assert rule(user(), assistant([text_block("b"), SEARCH]), user()) == "anthropic/server-tool-unanswered"


def test_paused_turn_may_be_continued() -> None:
    assert rule(user(), assistant([text_block("b"), SEARCH])) is None


def test_system_message_does_not_end_the_providers_turn() -> None:
    assert rule(user(), assistant([SEARCH, SEARCH_RESULT, text_block("b")]), system()) is None
    assert rule(user(), assistant([text_block("b"), SEARCH]), system()) is None


def test_refusal_names_the_result_block_that_is_missing() -> None:
    message = error_message(user(), assistant([text_block("b"), SEARCH]), user())

    assert message is not None
    assert message.startswith(
        "messages.1: `web_search` tool use with id `srvtoolu_1` was found without a corresponding"
    )
    assert message.endswith("`web_search_tool_result` block")
    for name in ("tool_search_tool_regex", "tool_search_tool_bm25"):
        searched = assistant([text_block("b"), {**SEARCH, "name": name}])
        assert "`tool_search_tool_result` block" in str(error_message(user(), searched, user()))


def test_result_must_come_after_its_call() -> None:
    message = error_message(user(), assistant([SEARCH_RESULT, SEARCH, text_block("b")]), user())

    assert message == (
        "messages.1.content.0: unexpected `tool_use_id` found in `web_search_tool_result` blocks: srvtoolu_1. Each "
        "`web_search_tool_result` block must have a corresponding `server_tool_use` block before it."
    )
    assert rule(user(), assistant([SEARCH, SEARCH_RESULT, text_block("b")]), user()) is None


def test_result_right_after_a_call_matches_whatever_its_id() -> None:
    assert (
        rule(user(), assistant([SEARCH, {**SEARCH_RESULT, "tool_use_id": "toolu_x"}, text_block("b")]), user()) is None
    )


def test_id_of_a_call_to_a_provider_tool_has_its_own_pattern() -> None:
    message = error_message(user(), assistant([{**SEARCH, "id": "call-1"}, SEARCH_RESULT, text_block("b")]), user())

    assert message is not None
    assert message.startswith("messages.1.content.0.server_tool_use.id: String should match pattern '^srvtoolu_")


def test_running_code_waits_for_the_tools_it_calls() -> None:
    by_code = tool_use(caller=CALL_BY_CODE)

    assert rule(user(), assistant([CODE, by_code]), user([tool_result(), text_block("c")])) is None
    assert (
        rule(
            user(), assistant([CODE, by_code]), user([tool_result()]), assistant([CODE_RESULT, text_block("c")]), user()
        )
        is None
    )
    message = error_message(user(), assistant([by_code]), user([tool_result()]), tools=[TOOL])
    assert message == "source tool `srvtoolu_2` not found for tool use block `toolu_1`"
    assert rule(user(), assistant([tool_use(caller={"type": "direct"})]), user([tool_result()])) is None


def test_referenced_tool_must_be_in_tools() -> None:
    def history(name: str) -> list[Any]:
        content = {"type": "tool_search_tool_search_result", "tool_references": [reference(name)]}
        search = {**SEARCH, "name": "tool_search_tool_regex"}
        answer = {"type": "tool_search_tool_result", "tool_use_id": "srvtoolu_1", "content": content}
        return [user(), assistant([search, answer, text_block("b")]), user()]

    def reference(name: str) -> dict[str, Any]:
        return {"type": "tool_reference", "tool_name": name}

    assert rule(*history("f")) is None
    assert error_message(*history("g"), tools=[TOOL]) == "Tool reference 'g' not found in available tools"
    assert rule(*history("f"), tools=...) == "anthropic/tool-reference-unknown"
    toolset = {"type": "mcp_toolset", "mcp_server_name": "s"}
    assert rule(*history("g"), tools=[TOOL, toolset]) is None
