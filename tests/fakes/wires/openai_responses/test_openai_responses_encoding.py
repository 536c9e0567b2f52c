"""Responses member by member and event by event, like recorded ones."""

import json
from typing import Any

import pytest
from responses_requests import TOOL, encode_reply, events, plain, responses_body

from fake_providers import Call, Reply
from fake_providers.http import compact
from fake_providers.ids import Ids
from fake_providers.wires.openai_responses.wire import WIRE

OSLO = Call("get_weather", {"city": "Oslo"}, id="call_1")
STREAM = responses_body(stream=True)
QUIET = responses_body(stream=True, stream_options={"include_obfuscation": False})

MEMBERS = [
    "id",
    "object",
    "created_at",
    "status",
    "background",
    "billing",
    "completed_at",
    "error",
    "frequency_penalty",
    "incomplete_details",
    "instructions",
    "max_output_tokens",
    "max_tool_calls",
    "model",
    "moderation",
    "output",
    "parallel_tool_calls",
    "presence_penalty",
    "previous_response_id",
    "prompt_cache_key",
    "prompt_cache_retention",
    "reasoning",
    "safety_identifier",
    "service_tier",
    "store",
    "temperature",
    "text",
    "tool_choice",
    "tool_usage",
    "tools",
    "top_logprobs",
    "top_p",
    "truncation",
    "usage",
    "user",
    "metadata",
]


def names(reply: Reply, body: Any = STREAM) -> list[str]:
    """The names of the events without `response.`, repetitions removed."""
    parsed = [event["type"].removeprefix("response.") for event in events(encode_reply(reply, body))]
    return [name for n, name in enumerate(parsed) if n == 0 or parsed[n - 1] != name]


def test_plain_response_has_every_member_in_order() -> None:
    response = encode_reply(Reply(text="7 degrees"))
    body = plain(Reply(text="7 degrees"))

    assert response.status == 200
    assert response.headers[0] == ("content-type", "application/json")
    assert len(response.chunks) == 1
    assert list(body) == MEMBERS
    assert body["id"].startswith("resp_")
    assert (body["object"], body["status"], body["model"], body["store"]) == ("response", "completed", "gpt-5.4", True)
    assert body["output"] == [
        {
            "id": body["output"][0]["id"],
            "type": "message",
            "status": "completed",
            "content": [{"type": "output_text", "annotations": [], "logprobs": [], "text": "7 degrees"}],
            "phase": "final_answer",
            "role": "assistant",
        }
    ]
    assert body["output"][0]["id"].startswith("msg_")
    assert body["usage"] == {
        "input_tokens": 7,
        "input_tokens_details": {"cache_write_tokens": 0, "cached_tokens": 0},
        "output_tokens": 3,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": 10,
    }


def test_response_repeats_the_request() -> None:
    context = {
        "background": False,
        "instructions": "Be brief.",
        "max_output_tokens": 99,
        "parallel_tool_calls": False,
        "store": False,
        "temperature": 0.5,
        "tool_choice": "required",
        "truncation": "auto",
        "metadata": {"a": "b"},
        "user": "ada",
    }
    body = plain(Reply(text="7"), responses_body(**context, tools=[TOOL], reasoning={"effort": "low"}))

    assert {name: body[name] for name in context} == context
    assert body["reasoning"] == {"effort": "low", "summary": None}
    assert body["tools"] == [{**TOOL, "strict": True}]


def test_response_repeats_its_own_request_after_others_like_it() -> None:
    other = {**TOOL, "name": "get_time"}
    for instructions, tools in (("Be brief.", [TOOL]), ("Be kind.", [TOOL]), ("Be brief.", [other]), ("Be brief.", [])):
        said = plain(Reply(text="Rain."), responses_body(instructions=instructions, tools=tools))

        assert said["instructions"] == instructions
        assert [tool["name"] for tool in said["tools"]] == [tool["name"] for tool in tools]


def test_reasoning_comes_first_then_text_then_calls() -> None:
    output = plain(Reply(thinking="Oslo?", text="I look.", calls=(OSLO, OSLO)))["output"]

    assert [item["type"] for item in output] == ["reasoning", "message", "function_call", "function_call"]
    assert output[0] == {"id": output[0]["id"], "type": "reasoning", "summary": []}
    assert output[1]["phase"] == "commentary"
    assert output[2] == {
        "id": output[2]["id"],
        "type": "function_call",
        "status": "completed",
        "arguments": '{"city":"Oslo"}',
        "call_id": "call_1",
        "name": "get_weather",
    }
    assert output[2]["id"].startswith("fc_")
    assert "phase" not in plain(Reply(text="7"), responses_body(model="gpt-4.1"))["output"][0]


def test_summary_is_sent_on_request() -> None:
    context = responses_body(reasoning={"summary": "auto"})

    assert plain(Reply(thinking="Oslo?", text="7"), context)["output"][0]["summary"] == [
        {"type": "summary_text", "text": "Oslo?"}
    ]


def test_empty_reply_is_a_message_without_text() -> None:
    assert plain(Reply())["output"][0]["content"][0]["text"] == ""
    assert [item["type"] for item in plain(Reply(thinking="Hm."))["output"]] == ["reasoning"]


def test_text_is_streamed_in_typed_events() -> None:
    parsed = events(encode_reply(Reply(text="It is 7."), STREAM))
    deltas = [event["delta"] for event in parsed if event["type"] == "response.output_text.delta"]

    assert names(Reply(text="It is 7.")) == [
        "created",
        "in_progress",
        "output_item.added",
        "content_part.added",
        "output_text.delta",
        "output_text.done",
        "content_part.done",
        "output_item.done",
        "completed",
    ]
    assert [event["sequence_number"] for event in parsed] == list(range(len(parsed)))
    assert deltas == ["It is", " 7."]
    assert parsed[0]["response"]["status"] == parsed[1]["response"]["status"] == "in_progress"
    assert parsed[0]["response"]["output"] == []
    assert parsed[2]["item"]["status"] == "in_progress"
    assert parsed[2]["item"]["content"] == []
    assert {len(event["delta"] + event["obfuscation"]) for event in parsed if "delta" in event} == {16}
    assert list(parsed[4]) == ["type", *sorted(list(parsed[4])[1:])]
    assert "billing" not in parsed[-1]["response"]
    assert parsed[-1]["response"]["output"] == [parsed[-2]["item"]]
    assert b"[DONE]" not in encode_reply(Reply(text="It is 7."), STREAM).body


def test_call_is_streamed_in_typed_events() -> None:
    parsed = events(encode_reply(Reply(calls=(OSLO,)), QUIET))

    assert names(Reply(calls=(OSLO,)), QUIET) == [
        "created",
        "in_progress",
        "output_item.added",
        "function_call_arguments.delta",
        "function_call_arguments.done",
        "output_item.done",
        "completed",
    ]
    assert (parsed[2]["item"]["name"], parsed[2]["item"]["call_id"], parsed[2]["item"]["arguments"]) == (
        "get_weather",
        "call_1",
        "",
    )
    assert "".join(event["delta"] for event in parsed if "delta" in event) == '{"city":"Oslo"}'
    assert {event["item_id"] for event in parsed if "item_id" in event} == {parsed[2]["item"]["id"]}
    assert not [event for event in parsed if "obfuscation" in event]


def test_summary_is_streamed_in_typed_events() -> None:
    body = responses_body(stream=True, reasoning={"summary": "auto"})

    assert names(Reply(thinking="Oslo?", text="7"), body)[2:8] == [
        "output_item.added",
        "reasoning_summary_part.added",
        "reasoning_summary_text.delta",
        "reasoning_summary_text.done",
        "reasoning_summary_part.done",
        "output_item.done",
    ]
    assert names(Reply(thinking="Oslo?", text="7"))[2:5] == [
        "output_item.added",
        "output_item.done",
        "output_item.added",
    ]


def test_each_item_has_its_index() -> None:
    parsed = events(encode_reply(Reply(thinking="Oslo?", text="I look.", calls=(OSLO, OSLO)), STREAM))

    assert [event["output_index"] for event in parsed if event["type"] == "response.output_item.done"] == [0, 1, 2, 3]


def test_refusal_has_its_own_part_and_events() -> None:
    reply = Reply(text="No.", finish="refusal")

    assert plain(reply)["output"][0]["content"] == [{"type": "refusal", "refusal": "No."}]
    assert plain(reply)["status"] == "completed"
    assert names(reply)[3:7] == ["content_part.added", "refusal.delta", "refusal.done", "content_part.done"]


def test_reply_that_is_cut_off_is_incomplete() -> None:
    for finish, reason in (("length", "max_output_tokens"), ("content_filter", "content_filter")):
        reply = Reply(text="It is", calls=(OSLO,), finish=finish)  # type: ignore[arg-type]
        body, last = plain(reply), events(encode_reply(reply, STREAM))[-1]

        assert (body["status"], body["incomplete_details"]) == ("incomplete", {"reason": reason})
        assert [item["status"] for item in body["output"]] == ["completed", "incomplete"]
        assert last["type"] == "response.incomplete"
        assert last["response"]["incomplete_details"] == {"reason": reason}


def test_given_pieces_are_kept_and_other_text_is_split_as_openai_splits() -> None:
    parsed = events(encode_reply(Reply(text="abcdef", chunks=("a", "bcdef"), calls=(OSLO,)), STREAM, split="given"))

    assert [event["delta"] for event in parsed if "output_text.delta" in event["type"]] == ["a", "bcdef"]
    assert len([event for event in parsed if "arguments.delta" in event["type"]]) == 3


def test_split_by_bytes_cuts_inside_characters() -> None:
    response = encode_reply(Reply(text="ÜÜ🌧"), STREAM, split="bytes")

    assert any(chunk[-1] & 0x80 for chunk in response.chunks)
    assert response.body == encode_reply(Reply(text="ÜÜ🌧"), STREAM, split="provider").body


def test_ids_have_openais_format() -> None:
    assert WIRE.call_id(Ids("a")).startswith("call_")
    assert len(WIRE.call_id(Ids("a"))) == 29


def test_same_script_gives_the_same_bytes() -> None:
    assert encode_reply(Reply(text="7"), STREAM) == encode_reply(Reply(text="7"), STREAM)


@pytest.mark.parametrize("body", [STREAM, QUIET], ids=["padded", "unpadded"])
@pytest.mark.parametrize("text", ["It rains.", 'a "quoted" \\ line\nand é \ud800', "x" * 16])
def test_a_delta_has_the_bytes_of_any_other_event(text: str, body: Any) -> None:
    reply = Reply(text=text, item_ids=('msg_"1"',))
    chunks = [chunk for chunk in encode_reply(reply, body).chunks if b"output_text.delta" in chunk]

    assert chunks
    for chunk in chunks:
        members = json.loads(chunk.partition(b"data: ")[2])
        name = members.pop("type")
        data = compact({"type": name, **dict(sorted(members.items()))})
        assert chunk == f"event: {name}\ndata: {data}\n\n".encode(errors="backslashreplace")
