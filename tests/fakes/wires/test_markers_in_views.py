"""What an agent puts into a message for the provider alone, such as a place where to cache, is no message of the user.

A text in the same place is one.
"""

import json
from typing import Any

import pytest

from fake_providers import View
from fake_providers.http import Request
from fake_providers.registry import wire_named
from tests.agents.plain import PlainAgent
from tests.fakes.wires.test_views_of_requests import PATHS
from tests.trying import WEATHER, only_findings

CACHED = {"cache_control": {"type": "ephemeral"}}
POINT = {"cachePoint": {"type": "default"}}
BEDROCK_CALL = {"role": "assistant", "content": [{"toolUse": {"toolUseId": "a", "name": "look", "input": {}}}]}
BEDROCK_RESULT = {"toolResult": {"toolUseId": "a", "content": [{"text": "7"}]}}
CALL = {"role": "assistant", "content": [{"type": "tool_use", "id": "a", "name": "look", "input": {}}]}
RESULT = {"type": "tool_result", "tool_use_id": "a", "content": "7"}
CHAT_CALL = {
    "role": "assistant",
    "tool_calls": [{"id": "a", "type": "function", "function": {"name": "look", "arguments": "{}"}}],
}


def view(wire: str, messages: list[dict[str, Any]], key: str = "messages") -> View:
    return wire_named(wire).view(Request("POST", PATHS[wire], {}, json.dumps({key: messages}).encode()))


def roles(wire: str, messages: list[dict[str, Any]], key: str = "messages") -> list[str]:
    return [message.role for message in view(wire, messages, key).messages]


@pytest.mark.parametrize("marker", [POINT, {"toolAddition": {"tool": {"toolReference": {"name": "find"}}}}])
def test_bedrocks_marker_beside_a_result_is_no_message(marker: dict[str, Any]) -> None:
    for content in ([BEDROCK_RESULT, marker], [marker, BEDROCK_RESULT]):
        assert roles("bedrock-converse", [BEDROCK_CALL, {"role": "user", "content": content}]) == ["assistant", "tool"]
    after = [BEDROCK_CALL, {"role": "user", "content": [BEDROCK_RESULT]}, {"role": "user", "content": [marker]}]
    assert roles("bedrock-converse", after) == ["assistant", "tool"]


@pytest.mark.parametrize(
    "marker",
    [
        {"type": "tool_addition", "tool": {"type": "tool_reference", "tool_name": "find"}},
        {"type": "tool_reference", "tool_name": "find"},
    ],
)
def test_anthropics_marker_beside_a_result_is_no_message(marker: dict[str, Any]) -> None:
    content = [{**RESULT, **CACHED}, marker]

    assert roles("anthropic-messages", [CALL, {"role": "user", "content": content}]) == ["assistant", "tool"]


def test_words_beside_a_result_are_a_message() -> None:
    bedrock = [BEDROCK_CALL, {"role": "user", "content": [BEDROCK_RESULT, {"text": "And now?"}, POINT]}]
    messages = [CALL, {"role": "user", "content": [RESULT, {"type": "text", "text": "And now?", **CACHED}]}]
    parts = [{"functionResponse": {"name": "look", "response": {"result": "7"}}}, {"text": "And now?"}]

    assert roles("bedrock-converse", bedrock) == ["assistant", "tool", "user"]
    assert roles("anthropic-messages", messages) == ["assistant", "tool", "user"]
    assert roles("gemini-generate", [{"role": "user", "parts": parts}], "contents") == ["tool", "user"]


@pytest.mark.parametrize("wire", ["openai-chat", "ollama-chat", "cohere-chat"])
def test_member_that_says_where_to_cache_is_no_text(wire: str) -> None:
    result = {"role": "tool", "tool_call_id": "a", "content": [{"type": "text", "text": "7", **CACHED}], **CACHED}
    told = view(wire, [{"role": "user", "content": "Look.", **CACHED}, CHAT_CALL, result])

    assert [message.role for message in told.messages] == ["user", "assistant", "tool"]
    assert "ephemeral" not in told.texts


def test_words_for_a_guardrail_and_words_with_citations_are_words() -> None:
    guarded = {"guardContent": {"text": {"text": "Look.", "qualifiers": ["query"]}}}
    cited = {"citationsContent": {"content": [{"text": "It is 7."}], "citations": []}}
    told = view("bedrock-converse", [{"role": "user", "content": [guarded]}, {"role": "assistant", "content": [cited]}])

    assert [message.text for message in told.messages] == ["Look.", "It is 7."]


ROLES = (
    WEATHER
    + """
conversation:
  - user: What is the weather in Oslo?
    model:
      - calls: [{name: get_weather, arguments: {city: Oslo}}]
      - calls: [{name: get_weather, arguments: {city: Rome}}]
      - text: Rain in both.
    expect: {requests: [{at: 2, roles: [user, assistant, tool]}, {at: 3, extends: previous}]}
"""
)


class CachesAtTheEnd(PlainAgent):
    """Right: the newest message ends in a cache point, which goes on with the conversation."""

    wires = ("bedrock-converse",)

    def body(self) -> dict[str, Any]:
        body = super().body()
        *before, last = body["messages"]
        return {**body, "messages": [*before, {**last, "content": [*last["content"], POINT]}]}


class SaysSomethingAtTheEnd(CachesAtTheEnd):
    """Wrong here: a text of its own stands in the same place."""

    def body(self) -> dict[str, Any]:
        body = super().body()
        if "toolResult" in (content := body["messages"][-1]["content"])[0]:
            content[-1] = {"text": "Go on with it."}
        return body


def test_agent_that_caches_after_a_result_is_not_accused_and_one_that_speaks_there_is() -> None:
    assert only_findings(CachesAtTheEnd, ROLES) == {"bedrock-converse+plain": []}
    assert only_findings(SaysSomethingAtTheEnd, ROLES)["bedrock-converse+plain"][0] == "1.requests[0]"
