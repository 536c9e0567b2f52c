"""Calls of the provider's own tools in a reply: their blocks, plain and streamed, and how a pause goes on."""

import json
from typing import Any

import anthropic
import httpx2
import pytest
from anthropic_requests import WIRE, assistant, body, broken_rule, context, events, request, text_block, user

from fake_providers import Reply, ServerCall

SEARCH = {"type": "web_search_20250305", "name": "web_search"}
FOUND = ServerCall("web_search", {"query": "Oslo"}, "7 degrees")
OPEN = ServerCall("web_search", {"query": "Oslo"})
RESUMED = ServerCall("web_search", None, "7 degrees")


def content(reply: Reply, *messages: Any, tools: Any = (SEARCH,)) -> Any:
    sent = request(*messages, tools=list(tools))
    return json.loads(WIRE.encode(reply, context(sent=sent)).body)["content"]


def test_call_and_what_it_found_stand_before_the_text() -> None:
    use, result, text = content(Reply(text="Rain.", server_calls=(FOUND,)))

    assert (use["type"], use["name"], use["input"]) == ("server_tool_use", "web_search", {"query": "Oslo"})
    assert (result["type"], result["tool_use_id"]) == ("web_search_tool_result", use["id"])
    assert result["content"][0]["title"] == "7 degrees"
    assert text["text"] == "Rain."


def test_call_that_is_left_open_is_the_last_block_of_a_paused_turn() -> None:
    sent = request(tools=[SEARCH])
    message = json.loads(
        WIRE.encode(Reply(text="A moment.", server_calls=(OPEN,), finish="pause"), context(sent=sent)).body
    )

    assert message["stop_reason"] == "pause_turn"
    assert [block["type"] for block in message["content"]] == ["text", "server_tool_use"]


def test_reply_to_a_paused_turn_begins_with_what_was_found() -> None:
    paused = content(Reply(text="A moment.", server_calls=(OPEN,), finish="pause"))
    result, text = content(Reply(text="Rain.", server_calls=(RESUMED,)), user(), assistant(paused))

    assert (result["type"], result["tool_use_id"]) == ("web_search_tool_result", paused[-1]["id"])
    assert text["type"] == "text"


def test_reply_to_a_turn_that_was_closed_searches_anew() -> None:
    use, result, _ = content(Reply(text="Rain.", server_calls=(RESUMED,)), user(), assistant(), user())

    assert use["type"] == "server_tool_use"
    assert result["tool_use_id"] == use["id"]


def test_tool_that_the_request_does_not_declare_is_not_called() -> None:
    assert content(Reply(text="A moment.", server_calls=(OPEN,), finish="pause"), tools=()) == [
        {"type": "text", "text": "I have no tool for that."}
    ]


def test_stream_has_the_input_in_pieces_and_what_was_found_in_its_start() -> None:
    sent = request(tools=[SEARCH], stream=True)
    parsed = events(WIRE.encode(Reply(text="Rain.", server_calls=(FOUND,)), context(sent=sent)))
    starts = [event["content_block"] for event in parsed if event["type"] == "content_block_start"]
    pieces = [event["delta"].get("partial_json", "") for event in parsed if event["type"] == "content_block_delta"]

    assert starts[0]["input"] == {}
    assert json.loads("".join(pieces)) == {"query": "Oslo"}
    assert starts[1]["content"][0]["title"] == "7 degrees"


@pytest.mark.parametrize("text", ["b", "b "])
def test_paused_turn_comes_back_whatever_it_ends_with(text: str) -> None:
    pair = [{"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "q"}}]
    pair.append({"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": []})

    assert broken_rule(user(), assistant([*pair, text_block(text)]), tools=[SEARCH]) is None
    assert broken_rule(user(), assistant([text_block(text)]), tools=[SEARCH]) == "anthropic/prefill"


def test_vendors_sdk_reads_a_paused_turn() -> None:
    def answer(sent: httpx2.Request) -> httpx2.Response:
        wanted = json.loads(sent.content)
        reply = Reply(text="A moment.", server_calls=(FOUND, OPEN), finish="pause")
        made = WIRE.encode(reply, context(sent=request(tools=wanted["tools"], stream=wanted.get("stream", False))))
        return httpx2.Response(made.status, headers=list(made.headers), content=made.body)

    client = anthropic.Anthropic(
        api_key="k", base_url="http://fake", http_client=httpx2.Client(transport=httpx2.MockTransport(answer))
    )
    arguments: Any = body(tools=[SEARCH])
    plain = client.messages.create(**arguments)
    with client.messages.stream(**arguments) as stream:
        streamed = stream.get_final_message()

    kinds = ["server_tool_use", "web_search_tool_result", "text", "server_tool_use"]
    assert [block.type for block in plain.content] == [block.type for block in streamed.content] == kinds
    assert (plain.stop_reason, streamed.stop_reason) == ("pause_turn", "pause_turn")
