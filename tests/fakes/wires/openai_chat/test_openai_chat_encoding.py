"""Responses member by member, like recorded ones."""

import json
from typing import Any

from chat_requests import TOOL, USER, chat, encode_reply, events

from fake_providers import Call, Reply
from fake_providers.ids import Ids
from fake_providers.wires.openai_chat.wire import WIRE

OSLO = Call("get_weather", {"city": "Oslo"}, id="call_1")
ROME = Call("get_weather", {"city": "Rome"}, id="call_2")
STREAM = chat(stream=True)


def deltas(reply: Reply, body: Any = None) -> list[Any]:
    return [
        event["choices"][0]["delta"] for event in events(encode_reply(reply, body or STREAM))[:-1] if event["choices"]
    ]


def test_plain_text_has_every_member_in_order() -> None:
    response = encode_reply(Reply(text="7 degrees"))
    body = json.loads(response.body)

    assert response.status == 200
    assert response.headers[0] == ("content-type", "application/json")
    assert len(response.chunks) == 1
    assert list(body) == [
        "id",
        "object",
        "created",
        "model",
        "choices",
        "usage",
        "service_tier",
        "system_fingerprint",
    ]
    assert body["id"].startswith("chatcmpl-")
    assert (body["object"], body["created"], body["model"]) == ("chat.completion", 1763596800, "gpt-4.1")
    assert body["choices"] == [
        {
            "index": 0,
            "message": {"role": "assistant", "content": "7 degrees", "refusal": None, "annotations": []},
            "logprobs": None,
            "finish_reason": "stop",
        }
    ]
    assert body["usage"] == {
        "prompt_tokens": 7,
        "completion_tokens": 3,
        "total_tokens": 10,
        "prompt_tokens_details": {"cached_tokens": 0, "audio_tokens": 0},
        "completion_tokens_details": {
            "reasoning_tokens": 0,
            "audio_tokens": 0,
            "accepted_prediction_tokens": 0,
            "rejected_prediction_tokens": 0,
        },
    }


def test_plain_calls_have_null_content_and_text_arguments() -> None:
    choice = json.loads(encode_reply(Reply(calls=(OSLO, ROME))).body)["choices"][0]

    assert list(choice["message"]) == ["role", "content", "tool_calls", "refusal", "annotations"]
    assert choice["message"]["content"] is None
    assert choice["message"]["tool_calls"] == [
        {"id": "call_1", "type": "function", "function": {"name": "get_weather", "arguments": '{"city":"Oslo"}'}},
        {"id": "call_2", "type": "function", "function": {"name": "get_weather", "arguments": '{"city":"Rome"}'}},
    ]
    assert choice["finish_reason"] == "tool_calls"


def test_reasoning_model_sends_neither_logprobs_nor_fingerprint() -> None:
    body = json.loads(encode_reply(Reply(text="7"), chat(model="gpt-5")).body)

    assert "logprobs" not in body["choices"][0]
    assert body["system_fingerprint"] is None


def test_call_forced_by_name_ends_with_stop() -> None:
    forced = chat(tools=[TOOL], tool_choice={"type": "function", "function": {"name": "get_weather"}})

    assert json.loads(encode_reply(Reply(calls=(OSLO,)), forced).body)["choices"][0]["finish_reason"] == "stop"


def test_refusal_has_its_own_member() -> None:
    choice = json.loads(encode_reply(Reply(text="No.", finish="refusal")).body)["choices"][0]

    assert (choice["message"]["content"], choice["message"]["refusal"]) == (None, "No.")
    assert choice["finish_reason"] == "stop"


def test_reasoning_is_sent_as_servers_of_open_models_send_it() -> None:
    reply = Reply(text="7", thinking="Oslo?", quirks=("reasoning-content",))
    message = json.loads(encode_reply(reply).body)["choices"][0]["message"]

    assert (message["reasoning_content"], message["content"]) == ("Oslo?", "7")
    assert {"reasoning_content": "Oslo?"[:5]} in deltas(reply)


def test_openai_itself_counts_reasoning_and_shows_none() -> None:
    reply = Reply(text="7", thinking="Oslo?")
    body = json.loads(encode_reply(reply).body)

    assert "reasoning_content" not in body["choices"][0]["message"]
    assert body["usage"]["completion_tokens_details"]["reasoning_tokens"] > 0
    assert not any("reasoning_content" in delta for delta in deltas(reply))


def test_arguments_text_is_sent_verbatim_and_a_null_id_is_left_out() -> None:
    calls = (Call("f", arguments_text="{'a': 1}", id=None),)

    plain = json.loads(encode_reply(Reply(calls=calls)).body)["choices"][0]["message"]["tool_calls"][0]
    first = deltas(Reply(calls=calls))[0]["tool_calls"][0]

    assert plain == {"type": "function", "function": {"name": "f", "arguments": "{'a': 1}"}}
    assert first == {"index": 0, "type": "function", "function": {"name": "f", "arguments": ""}}


def test_ids_have_openais_format_and_are_the_same_for_a_seed() -> None:
    first, second, again = WIRE.call_id(Ids("a")), WIRE.call_id(Ids("b")), WIRE.call_id(Ids("a"))
    made = json.loads(encode_reply(Reply(calls=(Call("f"), Call("f")))).body)["choices"][0]["message"]["tool_calls"]

    assert first == again != second
    assert first.startswith("call_")
    assert len(first) == 29
    assert made[0]["id"] != made[1]["id"]
    assert encode_reply(Reply(text="a")).body == encode_reply(Reply(text="a")).body


def test_streamed_text_starts_with_the_role_and_ends_with_done() -> None:
    response = encode_reply(Reply(text="7 degrees"), STREAM)
    parsed = events(response)

    assert response.headers[0] == ("content-type", "text/event-stream; charset=utf-8")
    assert len(response.chunks) == len(parsed)
    assert list(parsed[0]) == [
        "id",
        "object",
        "created",
        "model",
        "service_tier",
        "system_fingerprint",
        "choices",
        "obfuscation",
    ]
    assert parsed[0]["object"] == "chat.completion.chunk"
    assert parsed[0]["choices"] == [
        {
            "index": 0,
            "delta": {"role": "assistant", "content": "", "refusal": None},
            "logprobs": None,
            "finish_reason": None,
        }
    ]
    assert [event["choices"][0]["delta"] for event in parsed[1:-2]] == [{"content": "7 deg"}, {"content": "rees"}]
    assert parsed[-2]["choices"] == [{"index": 0, "delta": {}, "logprobs": None, "finish_reason": "stop"}]
    assert parsed[-1] == "[DONE]"
    assert len({event["id"] for event in parsed[:-1]}) == 1


def test_single_call_shares_the_first_delta_with_the_role() -> None:
    first, *rest = deltas(Reply(calls=(Call("get_weather", {"a": 1}, id="call_1"),)))

    assert first == {
        "role": "assistant",
        "content": None,
        "tool_calls": [
            {"index": 0, "id": "call_1", "type": "function", "function": {"name": "get_weather", "arguments": ""}}
        ],
        "refusal": None,
    }
    assert rest == [
        {"tool_calls": [{"index": 0, "function": {"arguments": '{"a":'}}]},
        {"tool_calls": [{"index": 0, "function": {"arguments": "1}"}}]},
        {},
    ]


def test_parallel_calls_come_after_a_delta_with_only_the_role() -> None:
    first, *rest = deltas(Reply(calls=(OSLO, ROME)))
    opened = [delta["tool_calls"][0] for delta in rest if "name" in str(delta)]

    assert first == {"role": "assistant", "content": None}
    assert [(call["index"], call["id"]) for call in opened] == [(0, "call_1"), (1, "call_2")]


def test_usage_is_streamed_only_on_request() -> None:
    not_requested = events(encode_reply(Reply(text="7"), STREAM))
    context = events(encode_reply(Reply(text="7"), chat(stream=True, stream_options={"include_usage": True})))

    assert all("usage" not in event for event in not_requested[:-1])
    assert [event["usage"] for event in context[:-2]] == [None, None, None]
    assert context[-2]["choices"] == []
    assert context[-2]["usage"]["total_tokens"] == 8
    assert context[-1] == "[DONE]"


def test_padding_is_left_out_when_declined() -> None:
    body = chat(stream=True, stream_options={"include_obfuscation": False})

    assert all("obfuscation" not in event for event in events(encode_reply(Reply(text="7"), body))[:-1])


def test_text_is_split_as_requested() -> None:
    reply = Reply(text="Ōsaka 7 °C", chunks=("Ōsaka", " 7 °C"))

    def pieces(split: Any) -> list[str]:
        parsed = events(encode_reply(reply, STREAM, split))
        return [event["choices"][0]["delta"]["content"] for event in parsed[1:-2]]

    assert pieces("provider") == pieces("given") == ["Ōsaka", " 7 °C"]
    assert pieces("whole") == ["Ōsaka 7 °C"]
    assert pieces("characters") == list("Ōsaka 7 °C")


def test_split_by_bytes_cuts_inside_characters() -> None:
    response = encode_reply(Reply(text="ŌsakaŌsaka"), STREAM, "bytes")

    def breaks(chunk: bytes) -> bool:
        return "\ufffd" in chunk.decode(errors="replace")

    assert any(breaks(chunk) for chunk in response.chunks)
    assert "".join(event["choices"][0]["delta"].get("content", "") for event in events(response)[:-1]) == "ŌsakaŌsaka"


def test_tools_count_as_prompt_tokens() -> None:
    bare, offering = (
        json.loads(encode_reply(Reply(text="7"), body).body)["usage"] for body in (chat(), chat(tools=[TOOL]))
    )

    assert bare["prompt_tokens"] == -(-len(USER["content"]) // 4)
    assert offering["prompt_tokens"] > bare["prompt_tokens"] + 20
