"""Replies member by member, as in recorded responses."""

import json
from typing import Any

import pytest
from ollama_requests import STREAM, USER, chat_body, encode_reply, http_request, lines, tool

from fake_providers import Call, Reply
from fake_providers.ids import Ids
from fake_providers.wires.ollama_chat.wire import WIRE

OSLO = Call("get_weather", {"city": "Oslo"}, id="call_1")
ROME = Call("get_weather", {"city": "Rome"}, id="call_2")


def encoded_body(reply: Reply, body: Any = None) -> Any:
    return json.loads(encode_reply(reply, body).body)


def test_plain_text_has_every_member_in_order() -> None:
    response = encode_reply(Reply(text="7 degrees"))
    body = json.loads(response.body)

    assert (response.status, len(response.chunks)) == (200, 1)
    assert response.headers == (("content-type", "application/json; charset=utf-8"),)
    assert list(body.items()) == [
        ("model", "qwen3:8b"),
        ("created_at", "2025-11-20T00:00:00.000000Z"),
        ("message", {"role": "assistant", "content": "7 degrees"}),
        ("done", True),
        ("done_reason", "stop"),
        ("total_duration", 150_000_000),
        ("load_duration", 70_000_000),
        ("prompt_eval_count", 7),
        ("prompt_eval_duration", 50_000_000),
        ("eval_count", 3),
        ("eval_duration", 30_000_000),
    ]


def test_calls_have_objects_as_arguments_and_the_usual_end() -> None:
    body = encoded_body(Reply(thinking="Hm.", calls=(OSLO, ROME)))

    assert list(body["message"]) == ["role", "content", "thinking", "tool_calls"]
    assert (body["message"]["content"], body["message"]["thinking"], body["done_reason"]) == ("", "Hm.", "stop")
    assert body["message"]["tool_calls"] == [
        {"id": "call_1", "function": {"index": 0, "name": "get_weather", "arguments": {"city": "Oslo"}}},
        {"id": "call_2", "function": {"index": 1, "name": "get_weather", "arguments": {"city": "Rome"}}},
    ]


def test_call_without_id_has_the_format_from_before_there_were_ids() -> None:
    (call,) = encoded_body(Reply(calls=(Call("f", arguments_text='{"a": 1}', id=None),)))["message"]["tool_calls"]

    assert call == {"function": {"name": "f", "arguments": {"a": 1}}}


def test_reply_that_reached_its_limit_has_done_reason_length() -> None:
    assert encoded_body(Reply(text="It is", finish="length"))["done_reason"] == "length"


def test_ids_have_ollamas_format_and_are_the_same_for_a_seed() -> None:
    first, second, again = WIRE.call_id(Ids("a")), WIRE.call_id(Ids("b")), WIRE.call_id(Ids("a"))
    calls = encoded_body(Reply(calls=(Call("f"), Call("f"))))["message"]["tool_calls"]

    assert first == again != second
    assert first.startswith("call_")
    assert first == first.lower()
    assert len(first) == 13
    assert calls[0]["id"] != calls[1]["id"]
    assert encode_reply(Reply(text="a")).body == encode_reply(Reply(text="a")).body


def test_request_without_stream_is_streamed() -> None:
    for body in (STREAM, {**STREAM, "stream": None}, {**STREAM, "stream": True}):
        assert dict(encode_reply(Reply(text="7"), body).headers)["content-type"] == "application/x-ndjson"
        route = WIRE.route(http_request(body))
        assert route is not None
        assert route.stream
    assert len(encode_reply(Reply(text="It is 7 degrees."), {**STREAM, "stream": False}).chunks) == 1


def test_last_line_of_a_stream_is_done() -> None:
    response = encode_reply(Reply(text="7 degrees"), STREAM)
    first, second, last = lines(response)

    assert len(response.chunks) == 3
    assert all(chunk.endswith(b"\n") for chunk in response.chunks)
    assert first == {
        "model": "qwen3:8b",
        "created_at": "2025-11-20T00:00:00.000000Z",
        "message": {"role": "assistant", "content": "7 deg"},
        "done": False,
    }
    assert (second["message"]["content"], second["created_at"][-8:]) == ("rees", ".010000Z")
    assert (last["message"], last["done"], last["done_reason"]) == ({"role": "assistant", "content": ""}, True, "stop")
    assert list(last)[3:] == list(encoded_body(Reply(text="7 degrees")))[3:]


def test_streamed_thinking_comes_first_and_each_call_in_one_line() -> None:
    *messages, last = [line["message"] for line in lines(encode_reply(Reply("Oh.", "Hm.", (OSLO, ROME)), STREAM))]

    assert [list(message)[1:] for message in messages] == [
        ["content", "thinking"],
        ["content"],
        ["content", "tool_calls"],
        ["content", "tool_calls"],
    ]
    assert [len(message["tool_calls"]) for message in messages[2:]] == [1, 1]
    assert [message["tool_calls"][0]["function"]["index"] for message in messages[2:]] == [0, 1]
    assert "tool_calls" not in last


def test_empty_reply_is_one_line() -> None:
    (line,) = lines(encode_reply(Reply(), STREAM))

    assert (line["message"]["content"], line["done"]) == ("", True)


def test_end_of_an_empty_reply_counts_as_one_token_without_a_duration() -> None:
    (line,) = lines(encode_reply(Reply(), STREAM))

    for body in (line, encoded_body(Reply())):
        assert body["eval_count"] == 1
        assert "eval_duration" not in body


def test_markup_is_escaped_as_go_escapes_it() -> None:
    response = encode_reply(Reply(text="<think> & \u2028Ōsaka"))

    assert b'"\\u003cthink\\u003e \\u0026 \\u2028\xc5\x8csaka"' in response.body
    assert json.loads(response.body)["message"]["content"] == "<think> & \u2028Ōsaka"


def test_text_is_split_as_requested() -> None:
    reply = Reply(text="Ōsaka 7 °C", chunks=("Ōsaka", " 7 °C"))

    def pieces(split: Any) -> list[str]:
        return [line["message"]["content"] for line in lines(encode_reply(reply, STREAM, split))[:-1]]

    assert pieces("provider") == pieces("given") == ["Ōsaka", " 7 °C"]
    assert pieces("whole") == ["Ōsaka 7 °C"]
    assert pieces("characters") == list("Ōsaka 7 °C")


def test_split_by_bytes_cuts_inside_characters() -> None:
    response = encode_reply(Reply(text="ŌsakaŌsaka"), STREAM, "bytes")

    assert any("\ufffd" in chunk.decode(errors="replace") for chunk in response.chunks)
    assert "".join(line["message"]["content"] for line in lines(response)) == "ŌsakaŌsaka"


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({}, "load"),
        ({"stream": True}, "load"),
        ({"keep_alive": "5m"}, "load"),
        ({"keep_alive": -1}, "load"),
        ({"keep_alive": 0}, "unload"),
        ({"keep_alive": "0s"}, "unload"),
    ],
)
@pytest.mark.parametrize("messages", [{"messages": []}, {"messages": None}, {}])
def test_request_without_messages_only_loads_the_model(
    messages: dict[str, Any], fields: dict[str, Any], reason: str
) -> None:
    body = {"model": "qwen3:8b", **messages, **fields}
    response = encode_reply(Reply(text="never sent"), body)

    assert dict(response.headers)["content-type"] == "application/json; charset=utf-8"
    assert json.loads(response.body) == {
        "model": "qwen3:8b",
        "created_at": "2025-11-20T00:00:00.000000Z",
        "message": {"role": "assistant", "content": ""},
        "done": True,
        "done_reason": reason,
    }


@pytest.mark.parametrize(
    ("model", "expected"),
    [("qwen3:8b", "qwen3:8b"), ("qwen3", "qwen3"), ("gpt-oss:20b-cloud", "gpt-oss:20b"), ("glm-5:cloud", "glm-5")],
)
def test_response_of_a_cloud_model_has_its_base_name(model: str, expected: str) -> None:
    assert encoded_body(Reply(text="7"), chat_body(model=model))["model"] == expected


def test_tools_count_as_prompt_tokens() -> None:
    without_tools, with_tools = (
        encoded_body(Reply(text="7"), body)["prompt_eval_count"] for body in (chat_body(), chat_body(tools=[tool()]))
    )

    assert without_tools == -(-len(USER["content"]) // 4)
    assert with_tools > without_tools + 20
