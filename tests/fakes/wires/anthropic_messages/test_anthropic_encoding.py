"""Replies as Message objects and as event streams, in the recorded shapes."""

import json
import re
from typing import Any

import pytest
from anthropic_requests import WIRE, context, encode_reply, events, request, user

from fake_providers import Call, CannotExpress, Reply

FULL = Reply(thinking="Hm.", text="Let me see.", calls=(Call("f", {"a": 1}), Call("g", {})))
CITY = "Zürich, Malmö, København"


def message(reply: Reply) -> dict[str, Any]:
    return json.loads(encode_reply(reply).body)


def test_message_has_the_recorded_keys_in_order() -> None:
    rendered = message(FULL)

    assert list(rendered) == [
        "model",
        "id",
        "type",
        "role",
        "content",
        "stop_reason",
        "stop_sequence",
        "stop_details",
        "usage",
    ]
    assert (rendered["model"], rendered["type"], rendered["role"]) == ("claude-sonnet-5", "message", "assistant")
    assert (rendered["stop_reason"], rendered["stop_sequence"], rendered["stop_details"]) == ("tool_use", None, None)
    assert re.fullmatch(r"msg_01\w{22}", rendered["id"])


def test_blocks_are_thinking_then_text_then_calls() -> None:
    thinking, text_block, first, second = message(FULL)["content"]

    assert list(thinking) == ["type", "thinking", "signature"]
    assert text_block == {"type": "text", "text": "Let me see."}
    assert re.fullmatch(r"toolu_01\w{22}", first["id"])
    assert first["id"] != second["id"]
    assert list(first) == ["type", "id", "name", "input", "caller"]
    assert (first["name"], first["input"], first["caller"]) == ("f", {"a": 1}, {"type": "direct"})
    assert second["input"] == {}


def test_usage_counts_four_characters_as_a_token() -> None:
    sent = request(user("a" * 40))

    rendered = json.loads(WIRE.encode(Reply(thinking="b" * 8, text="c" * 10), context(sent=sent)).body)["usage"]

    assert rendered == {
        "input_tokens": 10,
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": 0,
        "cache_creation": {"ephemeral_5m_input_tokens": 0, "ephemeral_1h_input_tokens": 0},
        "output_tokens": 5,
        "output_tokens_details": {"thinking_tokens": 2},
        "service_tier": "standard",
        "inference_geo": "global",
    }


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (Reply(text="x"), "end_turn"),
        (Reply(), "end_turn"),
        (Reply(calls=(Call("f"),)), "tool_use"),
        (Reply(text="x", finish="stop"), "end_turn"),
        (Reply(calls=(Call("f"),), finish="length"), "max_tokens"),
        (Reply(finish="refusal"), "refusal"),
    ],
)
def test_stop_reason_is_sent_in_both_modes(reply: Reply, reason: str) -> None:
    assert message(reply)["stop_reason"] == reason
    last = events(encode_reply(reply, stream=True))[-2]
    assert (last["type"], last["delta"]["stop_reason"]) == ("message_delta", reason)


def test_empty_reply_has_no_blocks() -> None:
    assert message(Reply())["content"] == []
    assert [event["type"] for event in events(encode_reply(Reply(), stream=True))] == [
        "message_start",
        "message_delta",
        "message_stop",
    ]


def test_refusal_has_details() -> None:
    assert message(Reply(finish="refusal"))["stop_details"] == {
        "type": "refusal",
        "category": None,
        "explanation": None,
    }


def test_events_come_in_the_recorded_order_one_per_chunk() -> None:
    response = encode_reply(Reply(thinking="Hm.", text="Yes.", calls=(Call("f", {"a": 1}),)), stream=True)

    rendered = events(response)

    assert len(response.chunks) == len(rendered)
    assert [event.get("delta", event.get("content_block", {})).get("type", event["type"]) for event in rendered] == [
        "message_start",
        "thinking",
        "ping",
        "thinking_delta",
        "signature_delta",
        "content_block_stop",
        "text",
        "text_delta",
        "content_block_stop",
        "tool_use",
        "input_json_delta",
        "input_json_delta",
        "content_block_stop",
        "message_delta",
        "message_stop",
    ]
    assert [event["index"] for event in rendered if "index" in event] == [0, 0, 0, 0, 1, 1, 1, 2, 2, 2, 2]


def test_stream_starts_with_an_empty_message() -> None:
    start = events(encode_reply(FULL, stream=True))[0]["message"]

    assert start["content"] == []
    assert (start["stop_reason"], start["stop_sequence"], start["stop_details"]) == (None, None, None)
    assert start["usage"]["output_tokens"] == 1


def test_first_piece_of_arguments_is_empty() -> None:
    def rendered(call: Call) -> list[str]:
        parsed_events = events(encode_reply(Reply(calls=(call,)), stream=True))
        return [event["delta"]["partial_json"] for event in parsed_events if event["type"] == "content_block_delta"]

    first, *rest = rendered(Call("f", {"city": CITY}))

    assert first == ""
    assert len(rest) > 1
    assert "".join(rest) == json.dumps({"city": CITY}, ensure_ascii=False)
    assert rendered(Call("f", {})) == rendered(Call("f")) == [""]
    assert "".join(rendered(Call("f", arguments_text='{"a": '))) == '{"a": '


def test_stream_adds_up_to_the_plain_message() -> None:
    blocks: list[dict[str, Any]] = []
    for event in events(encode_reply(FULL, stream=True)):
        if event["type"] == "content_block_start":
            blocks.append(event["content_block"])
        elif event["type"] == "content_block_delta":
            (name, piece), *_ = [(key, value) for key, value in event["delta"].items() if key != "type"]
            blocks[-1][name] = blocks[-1].get(name, "") + piece
    for block in blocks:
        if "partial_json" in block:
            block["input"] = json.loads(block.pop("partial_json") or "{}")

    assert blocks == message(FULL)["content"]


def test_text_is_split_as_requested() -> None:
    def texts(**options: Any) -> list[str]:
        reply = Reply(text=CITY, chunks=("Zür", CITY[3:]))
        parsed_events = events(encode_reply(reply, stream=True, **options))
        return [event["delta"]["text"] for event in parsed_events if event["type"] == "content_block_delta"]

    assert texts() == texts(split="given") == ["Zür", CITY[3:]]
    assert texts(split="whole") == [CITY]
    assert texts(split="characters") == list(CITY)


def test_split_by_bytes_cuts_inside_characters() -> None:
    whole = encode_reply(Reply(text=CITY * 3), stream=True)
    cut = encode_reply(Reply(text=CITY * 3), stream=True, split="bytes")

    assert cut.body == whole.body
    breach = 0
    for chunk in cut.chunks:
        try:
            chunk.decode()
        except UnicodeDecodeError:
            breach += 1
    assert breach >= 3


def test_every_reply_has_the_providers_headers() -> None:
    plain, streamed = dict(encode_reply(FULL).headers), dict(encode_reply(FULL, stream=True).headers)

    assert plain["content-type"] == "application/json"
    assert streamed["content-type"] == "text/event-stream; charset=utf-8"
    for rendered in (plain, streamed):
        assert re.fullmatch(r"req_011C\w{20}", rendered["request-id"])
        assert rendered["anthropic-ratelimit-input-tokens-limit"] == "400000"


@pytest.mark.parametrize("arguments_text", ["", '{"a": NaN}', "{" * 5000])
def test_arguments_that_are_not_json_are_sent_in_streams_only(arguments_text: str) -> None:
    reply = Reply(calls=(Call("f", arguments_text=arguments_text),))

    with pytest.raises(CannotExpress) as caught:
        encode_reply(reply)

    assert caught.value.feature == "arguments-not-json"
    assert encode_reply(reply, stream=True).chunks


def test_first_words_may_stand_in_the_starts_of_their_blocks() -> None:
    odd = Reply(
        thinking="I look.", text="It is 7 degrees.", calls=(Call("f", {"a": 1}),), quirks=("text-in-the-start",)
    )
    stream = events(encode_reply(odd, stream=True))

    starts = [event["content_block"] for event in stream if event["type"] == "content_block_start"]
    deltas = [event["delta"] for event in stream if event["type"] == "content_block_delta"]
    assert [start.get("thinking", start.get("text", start.get("input"))) for start in starts] == ["I ", "It ", {}]
    assert "".join(delta.get("thinking", "") for delta in deltas) == "look."
    assert "".join(delta.get("text", "") for delta in deltas) == "is 7 degrees."
    with pytest.raises(CannotExpress, match="text-in-the-start"):
        encode_reply(odd)
