import json

import pytest
from gemini_requests import ARRAY, PLAIN, STREAM, WIRE, bodies, encode_reply

from fake_providers import Call, CannotExpress, Reply, Usage
from fake_providers.ids import Ids
from fake_providers.wires.gemini_generate.thought_signatures import is_corrupted

CALLS = (Call("get_weather", {"city": "Oslo"}, id="a"), Call("get_weather", {"city": "Rome"}, id="b"))
OLD = "gemini-2.5-flash"


def whole(reply: Reply, of: str = "gemini-3-flash-preview"):
    return json.loads(encode_reply(reply, of=of).body)


def test_plain_text_has_the_recorded_members_in_order() -> None:
    response = encode_reply(Reply(text="Hello."), of=OLD)

    assert response.status == 200
    assert dict(response.headers)["content-type"] == "application/json; charset=UTF-8"
    answer = json.loads(response.body)
    assert list(answer) == ["candidates", "usageMetadata", "modelVersion", "responseId"]
    assert answer["candidates"] == [
        {"content": {"parts": [{"text": "Hello."}], "role": "model"}, "finishReason": "STOP", "index": 0}
    ]
    assert answer["usageMetadata"] == {
        "promptTokenCount": 2,
        "candidatesTokenCount": 2,
        "totalTokenCount": 4,
        "promptTokensDetails": [{"modality": "TEXT", "tokenCount": 2}],
        "serviceTier": "standard",
    }
    assert answer["modelVersion"] == OLD
    assert len(answer["responseId"]) == 23


def test_text_of_gemini_3_is_signed() -> None:
    part = whole(Reply(text="Hello."))["candidates"][0]["content"]["parts"][0]

    assert list(part) == ["text", "thoughtSignature"]
    assert not is_corrupted(part["thoughtSignature"])


def test_only_the_first_of_parallel_calls_is_signed() -> None:
    candidate = whole(Reply(text="Let me see.", calls=CALLS))["candidates"][0]

    text, one, other = candidate["content"]["parts"]
    assert text == {"text": "Let me see."}
    assert one["functionCall"] == {"name": "get_weather", "args": {"city": "Oslo"}, "id": "a"}
    assert one["thoughtSignature"]
    assert other == {"functionCall": {"name": "get_weather", "args": {"city": "Rome"}, "id": "b"}}
    assert (candidate["finishReason"], candidate["finishMessage"]) == ("STOP", "Model generated function call(s).")


def test_thinking_is_a_part_of_its_own_and_is_counted() -> None:
    answer = whole(Reply(thinking="Rain, I think.", text="Rain."), of=OLD)

    assert answer["candidates"][0]["content"]["parts"][0] == {"text": "Rain, I think.", "thought": True}
    assert answer["usageMetadata"]["thoughtsTokenCount"] == 4


def test_ids_are_generated_given_or_left_out() -> None:
    calls = (Call("f"), Call("f", id="mine"), Call("f", id=None))

    parts = whole(Reply(calls=calls))["candidates"][0]["content"]["parts"]

    made, mine, none = [part["functionCall"].get("id") for part in parts]
    assert len(made) == 8
    assert made.isalnum()
    assert (mine, none) == ("mine", None)
    assert len(WIRE.call_id(Ids("x"))) == 8


def test_only_gemini_3_generates_ids_and_not_on_vertex() -> None:
    older = whole(Reply(calls=(Call("f"),)), of=OLD)

    assert list(older["candidates"][0]["content"]["parts"][0]["functionCall"]) == ["name", "args"]


def test_argument_text_that_is_an_object_is_sent_as_an_object() -> None:
    part = whole(Reply(calls=(Call("f", arguments_text=' {"a": [1]} '),)))["candidates"][0]["content"]["parts"][0]

    assert part["functionCall"]["args"] == {"a": [1]}


def test_empty_reply_has_a_content_without_parts() -> None:
    candidate = {"content": {"role": "model"}, "finishReason": "STOP", "index": 0}

    assert whole(Reply())["candidates"] == [candidate]
    assert whole(Reply(text=""))["candidates"] == [candidate]
    assert [body["candidates"] for body in bodies(encode_reply(Reply(), verb=STREAM))] == [[candidate]]


@pytest.mark.parametrize(
    ("finish", "reason"),
    [
        ("stop", "STOP"),
        ("length", "MAX_TOKENS"),
        ("content_filter", "SAFETY"),
        ("refusal", "PROHIBITED_CONTENT"),
        ("malformed", "MALFORMED_FUNCTION_CALL"),
    ],
)
@pytest.mark.parametrize("verb", [PLAIN, STREAM])
def test_finish_reasons_are_googles(finish, reason: str, verb: str) -> None:
    response = encode_reply(Reply(text="Half a", finish=finish), verb=verb)

    chunks = [json.loads(response.body)] if verb == PLAIN else bodies(response)
    reasons = [body["candidates"][0].get("finishReason") for body in chunks]
    assert reasons == [None] * (len(chunks) - 1) + [reason]
    assert "Half a" in "".join(
        part["text"] for body in chunks for part in body["candidates"][0].get("content", {}).get("parts", [])
    )


@pytest.mark.parametrize("verb", [PLAIN, STREAM])
def test_malformed_call_has_no_content_and_no_output_tokens(verb: str) -> None:
    response = encode_reply(Reply(finish="malformed"), verb=verb)

    answer = json.loads(response.body) if verb == PLAIN else bodies(response)[0]
    assert list(answer["candidates"][0]) == ["finishReason", "index", "finishMessage"]
    assert "candidatesTokenCount" not in answer["usageMetadata"]


def test_streamed_text_ends_with_an_empty_signed_text_and_no_terminator() -> None:
    response = encode_reply(Reply(text="It is raining in Oslo, and cold."), verb=STREAM)

    assert dict(response.headers)["content-type"] == "text/event-stream"
    assert all(chunk.startswith(b'data: {"candidates":') and chunk.endswith(b"}\r\n\r\n") for chunk in response.chunks)
    *earlier, last = bodies(response)
    texts = [body["candidates"][0]["content"]["parts"][0]["text"] for body in earlier]
    assert texts == ["It is raining in Osl", "o, and cold."]
    assert last["candidates"][0]["finishReason"] == "STOP"
    assert last["candidates"][0]["content"]["parts"][0]["text"] == ""
    assert last["candidates"][0]["content"]["parts"][0]["thoughtSignature"]
    assert [body["usageMetadata"]["candidatesTokenCount"] for body in (*earlier, last)] == [5, 8, 8]


def test_streamed_calls_come_in_one_chunk() -> None:
    called, last = bodies(encode_reply(Reply(calls=CALLS), verb=STREAM))

    assert [list(part) for part in called["candidates"][0]["content"]["parts"]] == [
        ["functionCall", "thoughtSignature"],
        ["functionCall"],
    ]
    assert last["candidates"][0]["content"] == {"parts": [{"text": ""}], "role": "model"}
    assert last["candidates"][0]["finishReason"] == "STOP"
    assert called["responseId"] == last["responseId"]


def test_calls_of_models_before_gemini_3_end_the_stream() -> None:
    (called,) = bodies(encode_reply(Reply(calls=CALLS), verb=STREAM, of=OLD))

    assert called["candidates"][0]["finishReason"] == "STOP"
    assert len(called["candidates"][0]["content"]["parts"]) == 2


def test_stream_without_alt_sse_is_one_json_array() -> None:
    response = encode_reply(Reply(text="Hello."), verb=ARRAY)

    assert dict(response.headers)["content-type"] == "application/json; charset=UTF-8"
    assert len(json.loads(response.body)) == len(response.chunks) == 2
    assert response.chunks[0].startswith(b'[{"candidates"')


def test_text_is_split_as_requested() -> None:
    def texts(split, **fields) -> list[str]:
        response = encode_reply(Reply(text="Grüße, Oslo", **fields), verb=STREAM, split=split)
        return [body["candidates"][0]["content"]["parts"][0]["text"] for body in bodies(response)][:-1]

    assert texts("whole") == ["Grüße, Oslo"]
    assert texts("characters") == list("Grüße, Oslo")
    assert texts("given", chunks=("Grü", "ße, Oslo")) == ["Grü", "ße, Oslo"]
    assert texts("provider", chunks=("Grü", "ße, Oslo")) == ["Grü", "ße, Oslo"]


def test_split_by_bytes_cuts_inside_characters() -> None:
    response = encode_reply(Reply(text="Grüße"), verb=STREAM, split="bytes")

    assert response.chunks[0].endswith(b"\xc3")
    assert response.body == encode_reply(Reply(text="Grüße"), verb=STREAM).body


def test_same_script_gives_the_same_bytes() -> None:
    reply = Reply(text="Hello.", calls=(Call("f"),))

    assert encode_reply(reply) == encode_reply(reply)


def test_nan_and_infinity_in_arguments_are_not_json() -> None:
    with pytest.raises(CannotExpress) as caught:
        encode_reply(Reply(calls=(Call("f", arguments_text='{"a": NaN}'),)))

    assert caught.value.feature == "arguments-not-json"


@pytest.mark.parametrize("usage", [None, Usage(output=30), Usage(output=0), Usage(output=5, reasoning=5)])
@pytest.mark.parametrize("thinking", [None, "I look it up."])
def test_counts_of_a_stream_grow_up_to_the_last(usage: Usage | None, thinking: str | None) -> None:
    reply = Reply(text="It rains in Oslo. " * 10, thinking=thinking, usage=usage)

    found = [body["usageMetadata"] for body in bodies(encode_reply(reply, verb=STREAM))]

    written = [count.get("candidatesTokenCount", 0) for count in found]
    assert written == sorted(written)
    assert written[-1] == (45 if usage is None else (usage.output or 0) - found[-1].get("thoughtsTokenCount", 0))
    for count in found:
        thought = count.get("thoughtsTokenCount", 0)
        assert count.get("candidatesTokenCount") != 0
        total = count["promptTokenCount"] + count.get("candidatesTokenCount", 0) + thought
        assert count["totalTokenCount"] == total
        assert list(count)[-1] == "serviceTier"
