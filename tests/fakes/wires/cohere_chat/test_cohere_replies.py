"""What Cohere sends, byte for byte: messages, events, and what stands in place of them."""

import json
from typing import Any

import pytest
from cohere_requests import THINKS, chat_body, encode_reply, events, http_request

from fake_providers import Call, CannotExpress, Fault, Reply, ReplyContext, Request, Response
from fake_providers.ids import Ids
from fake_providers.wire import ServedModels
from fake_providers.wires.cohere_chat.wire import WIRE

OSLO = Call("get_weather", {"city": "Oslo"}, id="get_weather_1")
STREAM = chat_body(stream=True)
START = {
    "type": "message-start",
    "delta": {"message": {"role": "assistant", "content": [], "tool_plan": "", "tool_calls": [], "citations": []}},
}


def message(reply: Reply, **fields: Any) -> Any:
    return json.loads(encode_reply(reply, chat_body(**fields)).body)["message"]


def said(reply: Reply, **fields: Any) -> list[Any]:
    """The events between the first one and the last two."""
    start, *between, end, done = events(encode_reply(reply, chat_body(stream=True, **fields)))
    assert {name: start[name] for name in ("type", "delta")} == START
    assert (end["type"], done) == ("message-end", "[DONE]")
    return between


def test_text_is_a_block_of_a_message() -> None:
    body = json.loads(encode_reply(Reply(text="It rains.")).body)

    assert body == {
        "id": body["id"],
        "message": {"role": "assistant", "content": [{"type": "text", "text": "It rains."}]},
        "finish_reason": "COMPLETE",
        "usage": {
            "billed_units": {"input_tokens": 7, "output_tokens": 3},
            "tokens": {"input_tokens": 7, "output_tokens": 3},
            "cached_tokens": 0,
        },
    }
    assert list(body) == ["id", "message", "finish_reason", "usage"]


def test_text_before_calls_is_a_plan() -> None:
    body = json.loads(encode_reply(Reply(text="I look.", calls=(OSLO,))).body)

    assert body["finish_reason"] == "TOOL_CALL"
    assert body["message"] == {
        "role": "assistant",
        "tool_plan": "I look.",
        "tool_calls": [
            {
                "id": "get_weather_1",
                "type": "function",
                "function": {"name": "get_weather", "arguments": '{"city":"Oslo"}'},
            }
        ],
    }


def test_model_without_plans_has_a_block_of_text_before_calls() -> None:
    sent = message(Reply(text="I look.", thinking="Hm.", calls=(OSLO,)), model=THINKS)

    assert "tool_plan" not in sent
    assert sent["content"] == [{"type": "thinking", "thinking": "Hm."}, {"type": "text", "text": "I look."}]


def test_id_of_a_call_begins_with_the_name_of_its_tool() -> None:
    [call] = message(Reply(calls=(Call("get_weather", {}),)))["tool_calls"]

    name, _, rest = call["id"].rpartition("_")
    assert (name, len(rest), call["function"]["arguments"]) == ("get_weather", 12, "{}")


def test_blocks_are_streamed_one_after_the_other() -> None:
    assert said(Reply(thinking="Hm.", text="Rain.")) == [
        {"type": "content-start", "index": 0, "delta": {"message": {"content": {"type": "thinking", "thinking": ""}}}},
        {"type": "content-delta", "index": 0, "delta": {"message": {"content": {"thinking": "Hm."}}}},
        {"type": "content-end", "index": 0},
        {"type": "content-start", "index": 1, "delta": {"message": {"content": {"type": "text", "text": ""}}}},
        {"type": "content-delta", "index": 1, "delta": {"message": {"content": {"text": "Rain."}}}},
        {"type": "content-end", "index": 1},
    ]


def test_plan_and_calls_are_streamed_in_pieces() -> None:
    plan, start, *pieces, end = said(Reply(text="Look.", calls=(OSLO,)))

    assert plan == {"type": "tool-plan-delta", "delta": {"message": {"tool_plan": "Look."}}}
    assert start["delta"]["message"]["tool_calls"]["function"] == {"name": "get_weather", "arguments": ""}
    assert (start["type"], start["index"], end) == ("tool-call-start", 0, {"type": "tool-call-end", "index": 0})
    joined = "".join(piece["delta"]["message"]["tool_calls"]["function"]["arguments"] for piece in pieces)
    assert joined == '{"city":"Oslo"}'


def test_call_without_arguments_is_streamed_without_pieces_of_them() -> None:
    assert [event["type"] for event in said(Reply(calls=(Call("now", {}),)))] == ["tool-call-start", "tool-call-end"]


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (Reply(text="It"), "COMPLETE"),
        (Reply(text="It", finish="length"), "MAX_TOKENS"),
        (Reply(calls=(OSLO,)), "TOOL_CALL"),
        (Reply(calls=(OSLO,), finish="length"), "MAX_TOKENS"),
    ],
)
def test_finish_reason_is_coheres_word(reply: Reply, reason: str) -> None:
    *_, end, _ = events(encode_reply(reply, STREAM))

    assert json.loads(encode_reply(reply).body)["finish_reason"] == end["delta"]["finish_reason"] == reason


def test_reasoning_is_counted_where_there_is_some() -> None:
    body = json.loads(encode_reply(Reply(thinking="Hm, hm.", text="Rain.")).body)

    assert body["usage"]["tokens"] == {"input_tokens": 7, "output_tokens": 4, "reasoning_tokens": 2}


def test_error_in_a_stream_is_a_finish_reason() -> None:
    *_, end, done = events(encode_reply(Reply(text="It", fault=Fault(error_event="422")), STREAM))

    sentence = "No valid response generated. Try updating messages"
    assert end == {"type": "message-end", "delta": {"finish_reason": "ERROR", "usage": {}, "error": sentence}}
    assert done == "[DONE]"


@pytest.mark.parametrize("id_", [None, "twice"])
def test_ids_that_cohere_never_sends_are_refused(id_: str | None) -> None:
    with pytest.raises(CannotExpress):
        encode_reply(Reply(calls=(Call("a", {}, id=id_), Call("b", {}, id=id_))))


def failed(**fault: Any) -> Response:
    return WIRE.fail(Fault(**fault), ReplyContext(http_request(chat_body()), "cohere", Ids("seed")))


@pytest.mark.parametrize(
    ("status", "sentence"),
    [
        (400, "bad request"),
        (401, "invalid api token"),
        (
            404,
            "model 'command-a-03-2025' not found, make sure the correct model ID was used and that you have access to "
            "the model.",
        ),
        (429, "You are past the per minute request limit, please wait and try again later."),
        (499, "request cancelled"),
        (500, "internal server error"),
        (529, "unexpected error"),
    ],
)
def test_status_has_coheres_body(status: int, sentence: str) -> None:
    response = failed(status=status)
    body = json.loads(response.body)

    assert (response.status, list(body), body["message"]) == (status, ["id", "message"], sentence)
    assert response.headers == (("content-type", "application/json"),)


def test_scripted_body_and_wait_are_sent() -> None:
    response = failed(status=503, body="<html>Bad Gateway</html>", retry_after=2)

    assert response.body == b"<html>Bad Gateway</html>"
    assert dict(response.headers) == {"content-type": "text/html", "retry-after": "2", "retry-after-ms": "2000"}
    assert dict(failed(status=429, retry_after=0).headers)["retry-after-ms"] == "1"


def test_key_is_needed_and_window_is_named() -> None:
    request = http_request(chat_body())
    missing, long = WIRE.missing_key(request), WIRE.too_long(request, provider="cohere", tokens=151_296, window=132_000)

    assert missing is not None
    assert long is not None
    assert (missing.status, missing.message) == (401, "no api key supplied")
    assert long.message == (
        "too many tokens: size limit exceeded by 19296 tokens. Try using shorter or fewer inputs. The limit for this "
        "model is 132000 tokens."
    )


def test_models_are_listed_with_what_they_can_do() -> None:
    served = ServedModels("cohere", ("command-a-03-2025", "command-light"), 4096)

    def answered(path: str, method: str = "GET") -> Any:
        response = WIRE.models(Request(method, path, {}, b""), served)  # type: ignore[attr-defined]
        return None if response is None else json.loads(response.body)

    listed = answered("/v1/models?endpoint=chat")["models"]
    assert [model["name"] for model in listed] == list(served.names)
    assert listed[0]["features"] == ["tools", "tool_choice", "json_mode", "logprobs"]
    assert (listed[1]["features"], listed[1]["context_length"]) == ([], 4096)
    assert answered("/v1/models/command-a-vision-07-2025")["features"] == ["vision", "json_mode", "logprobs"]
    assert answered("/v1/models", "POST") is None
