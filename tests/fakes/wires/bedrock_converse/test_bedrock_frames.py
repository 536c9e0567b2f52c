"""Streams in binary frames: read by botocore's decoder, by ours, and however they are cut."""

import json
from typing import Any

import pytest
from botocore.eventstream import EventStreamBuffer

from fake_providers import Call, Fault, Reply, ScriptedFake
from fake_providers.http import Request
from fake_providers.replies.event_frames import NotAFrameError, decode_frames, encode_frame, split_frames

PATH = "/model/us.anthropic.claude-sonnet-4-6/converse-stream"
ASKED = json.dumps({"messages": [{"role": "user", "content": [{"text": "Rain?"}]}]}).encode()
CALLS = (Call("look", {"city": "Zürich"}), Call("wait"))


def streamed(reply: Reply) -> bytes:
    fake = ScriptedFake("bedrock", [reply])
    return fake.handle(Request("POST", PATH, {"authorization": "AWS4-HMAC-SHA256 any"}, ASKED)).body


def events(body: bytes) -> list[tuple[str, dict[str, Any]]]:
    """As botocore reads them, which checks both checksums."""
    buffer = EventStreamBuffer()
    buffer.add_data(body)
    read = [(event.headers, json.loads(event.payload)) for event in buffer]
    return [(headers.get(":event-type") or headers[":exception-type"], payload) for headers, payload in read]


def test_events_come_in_the_recorded_order_with_padding_in_each() -> None:
    found = events(streamed(Reply(thinking="Hm.", text="Let me look.", calls=CALLS)))
    names = [name for name, _ in found]

    assert names[0] == "messageStart"
    assert names[-2:] == ["messageStop", "metadata"]
    assert [payload["start"]["toolUse"]["name"] for name, payload in found if name == "contentBlockStart"] == [
        "look",
        "wait",
    ]
    assert [payload["contentBlockIndex"] for name, payload in found if name == "contentBlockStop"] == [0, 1, 2, 3]
    assert all(len(payload["p"]) >= 2 for _, payload in found)
    assert found[-2][1]["stopReason"] == "tool_use"
    assert {"cacheReadInputTokens", "inputTokens", "outputTokens", "totalTokens"} < set(found[-1][1]["usage"])


def test_call_without_arguments_streams_none() -> None:
    found = events(streamed(Reply(calls=CALLS)))
    inputs = [payload["delta"]["toolUse"]["input"] for name, payload in found if name == "contentBlockDelta"]

    assert json.loads("".join(inputs)) == {"city": "Zürich"}


def test_own_decoder_reads_what_botocore_reads() -> None:
    body = streamed(Reply(text="Yes."))
    ours = [(frame.headers[":event-type"], json.loads(frame.payload)) for frame in decode_frames(body)]

    assert ours == events(body)
    assert b"".join(split_frames(body)) == body


@pytest.mark.parametrize(
    ("error", "name", "message"),
    [
        ("429", "throttlingException", "Too many requests, please wait before trying again."),
        ("throttlingException", "throttlingException", "Too many requests, please wait before trying again."),
        ("424", "modelStreamErrorException", "Model produced invalid sequence as part of ToolUse."),
        ("529", "serviceUnavailableException", "Bedrock is unable to process your request."),
        ("It broke.", "internalServerException", "It broke."),
    ],
)
def test_exception_ends_the_stream_after_what_was_sent(error: str, name: str, message: str) -> None:
    *before, last = events(streamed(Reply(text="Let me look at that.", fault=Fault(error_event=error))))

    assert before[0][0] == "messageStart"
    assert "messageStop" not in [kind for kind, _ in before]
    assert last[0] == name
    assert last[1]["message"].startswith(message)
    assert ("originalStatusCode" in last[1]) == (error == "424")


def test_stream_that_ends_early_ends_behind_a_whole_frame() -> None:
    whole = events(streamed(Reply(text="Let me look at that.")))

    assert events(streamed(Reply(text="Let me look at that.", fault=Fault(ends="before-the-finish")))) == whole[:-2]
    assert events(streamed(Reply(text="Let me look at that.", fault=Fault(ends="before-the-terminator")))) == whole[:-1]


@pytest.mark.parametrize(
    ("damage", "why"),
    [
        (lambda frame: frame[:-1], "is cut off"),
        (lambda frame: frame[:-1] + b"x", "wrong checksum"),
        (lambda frame: frame[:9] + b"x" + frame[10:], "wrong checksum"),
        (lambda frame: b"\0\0\0\1", "no frames"),
    ],
)
def test_damaged_frame_is_named(damage: Any, why: str) -> None:
    frame = encode_frame("event", "messageStart", b'{"role":"assistant"}')

    with pytest.raises(NotAFrameError, match=why):
        list(decode_frames(damage(frame)))
