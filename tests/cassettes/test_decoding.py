"""What the model said comes out of a recorded response as the fake's script put it in, on every wire."""

import json
from base64 import b64decode, b64encode
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent_conformance.cassettes import RecordedExchange, Usage, WireOfExchange, decode, wire_of
from agent_conformance.cassettes.recorded_exchange import RecordedRequest, RecordedResponse
from fake_providers import Call, Fault, Reply, Request, ScriptedFake, ServerCall, Source
from fake_providers.replies.event_frames import decode_frames, encode_frame
from fake_providers.reply import Finish, Quirk
from tests.cassettes.recordings import HEADERS, INVOKE, KINDS, recorded

MODES = pytest.mark.parametrize("stream", [False, True], ids=["plain", "stream"])
EVERY_WIRE = pytest.mark.parametrize("wire", KINDS)
CALL = Call("get_weather", {"city": "Ålesund"}, None, "call_1")


HOSTED_TOOLS: list[Any] = [
    {"type": "web_search"},
    {"type": "file_search", "vector_store_ids": ["vs_1"]},
    {"type": "code_interpreter", "container": {"type": "auto"}},
    {"type": "image_generation"},
    {"type": "mcp", "server_label": "docs", "server_url": "https://example.org/mcp"},
    {"type": "shell", "environment": {"type": "container_auto"}},
]
PAGE = Source("https://example.org", title="Oslo", text="Rain")
CALLS_OF_THE_PROVIDER = {
    "search": (ServerCall("web_search", {"query": "Oslo"}, ""),),
    "files": (ServerCall("file_search", {"query": "Oslo"}, "Rain."),),
    "code": (ServerCall("code_interpreter", {"code": "1+1"}, "2"),),
    "picture": (ServerCall("image_generation", {"prompt": "a cat"}, ""),),
    "server": (ServerCall("find", {"q": "a"}, "7", server="docs"), ServerCall("read", {}, "8", server="docs")),
    "approval": (ServerCall("find", {"q": "a"}, None, server="docs"),),
    "shell": (ServerCall("shell", {"commands": ["ls"]}, "a.txt"),),
}


def with_status(exchange: RecordedExchange, status: int) -> RecordedExchange:
    return replace(exchange, response=replace(exchange.response, status=status))


@EVERY_WIRE
@MODES
def test_text_comes_out(wire: str, stream: bool) -> None:
    text = "It is 7 degrees in Ålesund, and it rains. 🌧"

    decoded = decode(recorded(wire, Reply(text=text), stream=stream))

    assert decoded is not None
    assert (decoded.reply.text, decoded.reply.calls, decoded.reply.finish) == (text, (), None)
    assert (decoded.is_streamed, decoded.is_complete, decoded.error, decoded.left_out) == (stream, True, None, ())
    assert "".join(decoded.reply.chunks) == (text if stream else "")
    assert decoded.usage is not None
    assert (decoded.usage.input_tokens or 0) > 0
    assert (decoded.usage.output_tokens or 0) > 0


@EVERY_WIRE
@MODES
def test_calls_come_out_with_the_text_beside_them(wire: str, stream: bool) -> None:
    other = Call("get_weather", {"city": "Oslo", "days": [1, 2]}, None, "call_2")

    decoded = decode(recorded(wire, Reply(text="I look.", calls=(CALL, other)), stream=stream))

    assert decoded is not None
    assert decoded.reply.text == "I look."
    assert [(call.name, call.arguments) for call in decoded.reply.calls] == [
        ("get_weather", {"city": "Ålesund"}),
        ("get_weather", {"city": "Oslo", "days": [1, 2]}),
    ]
    assert [call.id for call in decoded.reply.calls] == ["call_1", "call_2"]
    assert (decoded.reply.finish, decoded.is_complete) == (None, True)


@MODES
def test_call_of_a_custom_tool_comes_out_with_its_text(stream: bool) -> None:
    body = {"model": "gpt-5.4", "input": "Hi.", "stream": stream, "tools": [{"type": "custom", "name": "write"}]}
    fake = ScriptedFake("openai", [Reply(calls=(Call("write", arguments_text="*** a"),))], wire="openai-responses")
    answer = fake.handle(Request("POST", "/v1/responses", HEADERS, json.dumps(body).encode()))
    made = recorded("openai-responses", Reply(text="a"), stream=stream)

    decoded = decode(replace(made, response=replace(made.response, chunks=tuple(answer.chunks))))

    assert decoded is not None
    assert [(call.name, call.arguments_text) for call in decoded.reply.calls] == [("write", "*** a")]


@EVERY_WIRE
@MODES
def test_thinking_comes_out_apart_from_the_text(wire: str, stream: bool) -> None:
    quirks: tuple[Quirk, ...] = ("reasoning-content",) if wire == "openai-chat" else ()
    reply = Reply(thinking="The user wants numbers.", text="7 degrees.", quirks=quirks)

    decoded = decode(recorded(wire, reply, stream=stream))

    assert decoded is not None
    assert (decoded.reply.thinking, decoded.reply.text) == ("The user wants numbers.", "7 degrees.")


@EVERY_WIRE
@MODES
def test_reply_that_was_cut_off_ends_with_length(wire: str, stream: bool) -> None:
    decoded = decode(recorded(wire, Reply(text="7 deg", finish="length"), stream=stream))

    assert decoded is not None
    assert (decoded.reply.finish, decoded.is_complete) == ("length", True)


@pytest.mark.parametrize(
    ("wire", "finish"),
    [
        ("openai-chat", "content_filter"),
        ("openai-chat", "refusal"),
        ("openai-responses", "refusal"),
        ("openai-responses", "content_filter"),
        ("anthropic-messages", "refusal"),
        ("gemini-generate", "content_filter"),
        ("gemini-generate", "malformed"),
        ("gemini-generate", "blocked-prompt"),
    ],
)
@MODES
def test_odd_endings_come_out(wire: str, finish: Finish, stream: bool) -> None:
    text = None if finish in ("malformed", "blocked-prompt") else "No."

    decoded = decode(recorded(wire, Reply(text=text, finish=finish), stream=stream))

    assert decoded is not None
    assert (decoded.reply.text, decoded.reply.finish) == (text, finish)


@pytest.mark.parametrize("wire", ["openai-chat", "openai-responses", "anthropic-messages"])
def test_arguments_that_are_no_json_stay_a_text(wire: str) -> None:
    broken = Call("get_weather", None, '{"city": "Oslo"', "call_1")

    decoded = decode(recorded(wire, Reply(calls=(broken,)), stream=True))

    assert decoded is not None
    assert decoded.reply.calls == (broken,)


@pytest.mark.parametrize("reason", ["null", '""'])
def test_plain_completion_without_a_reason_is_complete(reason: str) -> None:
    body = f'{{"choices": [{{"message": {{"content": "a"}}, "finish_reason": {reason}}}]}}'.encode()
    whole = recorded("openai-chat", Reply(text="Hello."))

    decoded = decode(replace(whole, response=RecordedResponse(200, (), (body,))))

    assert decoded is not None
    assert (decoded.reply, decoded.is_complete) == (Reply(text="a", finish="none"), True)


def test_arguments_with_a_name_twice_stay_a_text() -> None:
    twice = Call("get_weather", None, '{"city": "Oslo", "city": "Bergen"}', "call_1")

    decoded = decode(recorded("openai-chat", Reply(calls=(twice,))))

    assert decoded is not None
    assert decoded.reply.calls == (twice,)


@pytest.mark.parametrize(
    "quirk",
    [
        "same-index",
        "no-index",
        "growing-index",
        "late-id",
        "id-in-every-delta",
        "repeated-name",
        "interleaved",
        "empty-choices",
        "empty-calls",
        "finish-with-the-last-delta",
        "arguments-as-object",
    ],
)
def test_streams_of_odd_servers_come_out_as_others_do(quirk: Quirk) -> None:
    calls = (CALL, Call("get_weather", {"city": "Oslo"}, None, "call_2"))

    decoded = decode(recorded("openai-chat", Reply(calls=calls, quirks=(quirk,)), stream=True))

    assert decoded is not None
    assert [(call.name, call.arguments, call.id) for call in decoded.reply.calls] == [
        ("get_weather", {"city": "Ålesund"}, "call_1"),
        ("get_weather", {"city": "Oslo"}, "call_2"),
    ]


@EVERY_WIRE
def test_stream_that_was_cut_is_not_complete(wire: str) -> None:
    whole = recorded(wire, Reply(text="It is 7 degrees, and it rains all day long."), stream=True)
    half = replace(
        whole, response=replace(whole.response, chunks=whole.response.chunks[: len(whole.response.chunks) // 2])
    )

    decoded = decode(half)

    assert decoded is not None
    assert not decoded.is_complete
    assert "It is 7 degrees, and it rains all day long.".startswith(decoded.reply.text or "")


@EVERY_WIRE
def test_error_response_has_its_sentence(wire: str) -> None:
    decoded = decode(recorded(wire, Reply(fault=Fault(status=429))))

    assert decoded is not None
    assert (decoded.status, decoded.is_complete) == (429, False)
    assert decoded.error
    assert decoded.reply == Reply()


@EVERY_WIRE
def test_error_in_a_stream_has_its_sentence(wire: str) -> None:
    fault = Fault(error_event="The model is overloaded.")

    decoded = decode(recorded(wire, Reply(text="It is", fault=fault), stream=True))

    assert decoded is not None
    assert "The model is overloaded." in (decoded.error or "")
    assert not decoded.is_complete


@pytest.mark.parametrize(
    "body", [b"", b"<html>", b"[1]", b'{"choices": 3}', b'data: {"choices": [null]}\n\n', b"\xff\xfe"]
)
@EVERY_WIRE
def test_response_that_is_none_is_decoded_to_nothing(wire: str, body: bytes) -> None:
    whole = recorded(wire, Reply(text="Hello."))

    decoded = decode(replace(whole, response=RecordedResponse(200, (), (body,))))

    assert decoded is not None
    assert decoded.reply == Reply()
    assert not decoded.is_complete


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://api.groq.com/openai/v1/chat/completions", WireOfExchange("openai-chat", "groq")),
        ("https://gateway.example/llm/v1/messages?beta=true", WireOfExchange("anthropic-messages", "anthropic")),
        ("https://aiplatform.googleapis.com/v1/projects/p/locations/global/publishers/google/models/m:generateContent",
         WireOfExchange("gemini-generate", "vertex")),
        ("https://generativelanguage.googleapis.com/v1beta/models/m:streamGenerateContent",
         WireOfExchange("gemini-generate", "gemini")),
        ("http://localhost:4000/chat/completions", WireOfExchange("openai-chat", "openai")),
        ("https://api.openai.com/v1/embeddings", None),
        ("https://bedrock-runtime.us-east-1.amazonaws.com/model/us.anthropic.claude-sonnet-4-6/invoke",
         WireOfExchange("bedrock-converse", "bedrock")),
        ("https://bedrock-runtime.us-east-1.amazonaws.com/model/amazon.titan-embed-text-v2%3A0/invoke", None),
    ],
)  # fmt: skip
def test_wire_and_provider_are_found_by_the_address(url: str, expected: WireOfExchange | None) -> None:
    whole = recorded("openai-chat", Reply(text="Hello."))

    assert wire_of(replace(whole, request=RecordedRequest("POST", url, (), b"{}"))) == expected


def test_usage_is_what_the_provider_counted() -> None:
    body = b'{"choices": [{"message": {"content": "a"}}], "usage": {"prompt_tokens": 7, "completion_tokens": 3}}'
    whole = recorded("openai-chat", Reply(text="Hello."))

    decoded = decode(replace(whole, response=RecordedResponse(200, (), (body,))))

    assert decoded is not None
    assert decoded.usage == Usage(7, 3)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=2),
    max_leaves=3,
)
KEYS = (
    "choices", "message", "delta", "content", "tool_calls", "function", "name", "arguments", "id", "index", "usage",
    "type", "output", "item", "summary", "response", "error", "content_block", "candidates", "parts", "functionCall",
    "args", "done",
)  # fmt: skip


@pytest.mark.parametrize(
    ("damaged", "text", "error"),
    [
        (lambda frame: (frame[:-5],), "Hello there, it is a", "frame 3 "),
        (lambda frame: (frame[:-1] + bytes([frame[-1] ^ 1]),), "Hello there, it is a", "frame 3 has a wrong checksum"),
        (lambda frame: (frame, frame), "Hello there, it is a fine day today. fine day today.", None),
    ],
    ids=["cut off", "wrong checksum", "doubled"],
)
def test_damaged_frame_is_named_and_what_came_before_it_is_kept(damaged: Any, text: str, error: str | None) -> None:
    whole = recorded("bedrock-converse", Reply(text="Hello there, it is a fine day today."), stream=True)
    first, second, frame, *rest = whole.response.chunks
    chunks = (first, second, *damaged(frame), *rest)

    found = decode(replace(whole, response=replace(whole.response, chunks=chunks)))

    assert found is not None
    assert found.reply.text == text
    assert str(found.error).startswith(str(error))
    assert found.is_complete == (error is None)


@pytest.mark.parametrize("held", ["no Base64", b64encode(b"{").decode(), b64encode(b"[1]").decode(), None, 7])
def test_frame_that_holds_no_event_is_left_out(held: Any) -> None:
    whole = recorded(INVOKE, Reply(text="It is 7 degrees."), stream=True)
    odd = encode_frame("event", "chunk", json.dumps({"bytes": held}).encode())
    first, *rest = whole.response.chunks

    found = decode(replace(whole, response=replace(whole.response, chunks=(first, odd, *rest))))

    assert found is not None
    assert (found.reply.text, found.left_out) == ("It is 7 degrees.", ("data that is not a JSON object",))


@EVERY_WIRE
@MODES
@settings(max_examples=40)
@given(data=st.data())
def test_response_of_any_shape_is_decoded_without_an_error(wire: str, stream: bool, data: st.DataObject) -> None:
    whole = recorded(wire, Reply(thinking="Hm.", text="Hi.", calls=(CALL,)), stream=stream)
    key, value = data.draw(st.sampled_from(KEYS)), data.draw(JSON)

    def changed(member: object) -> object:
        if isinstance(member, dict):
            return {name: value if name == key else changed(inner) for name, inner in member.items()}
        return [changed(inner) for inner in member] if isinstance(member, list) else member

    chunks = []
    for chunk in whole.response.chunks:
        if KINDS[wire] == "bedrock" and stream:
            (frame,) = decode_frames(chunk)
            event = json.loads(frame.payload)
            if wire == INVOKE:
                inner = json.dumps(changed(json.loads(b64decode(event["bytes"])))).encode()
                event["bytes"] = b64encode(inner).decode()
            payload = json.dumps(changed(event)).encode()
            chunks.append(encode_frame("event", frame.headers[":event-type"], payload))
            continue
        text = chunk.decode()
        start = text.find("{")
        if start >= 0:
            text = text[:start] + json.dumps(changed(json.loads(text[start:]))) + "\n\n"
        chunks.append(text.encode())

    assert decode(replace(whole, response=replace(whole.response, chunks=tuple(chunks)))) is not None


@pytest.mark.parametrize("kind", CALLS_OF_THE_PROVIDER)
@MODES
def test_calls_of_the_providers_own_tools_come_out(kind: str, stream: bool) -> None:
    calls = CALLS_OF_THE_PROVIDER[kind]
    include = ["file_search_call.results", "code_interpreter_call.outputs"]
    said = Reply(text="Rain in Oslo.", server_calls=calls, sources=(PAGE, Source(file="oslo.txt")))

    decoded = decode(recorded("openai-responses", said, stream=stream, tools=HOSTED_TOOLS, include=include))

    assert decoded is not None
    assert decoded.reply.server_calls == calls
    assert decoded.reply.text == "Rain in Oslo."
    assert decoded.reply.sources == (PAGE, Source(file="oslo.txt"))
    assert (decoded.reply.calls, decoded.left_out) == ((), ())


@MODES
def test_search_of_claude_comes_out_with_what_it_found(stream: bool) -> None:
    call = ServerCall("web_search", {"query": "Oslo"}, "Rain.")
    tools = [{"type": "web_search_20250305", "name": "web_search"}]
    said = Reply(text="Rain in Oslo.", server_calls=(call,), sources=(Source("https://example.org", title="Oslo"),))

    decoded = decode(recorded("anthropic-messages", said, stream=stream, tools=tools))

    assert decoded is not None
    assert (decoded.reply.server_calls, decoded.reply.calls, decoded.left_out) == ((call,), (), ())
    assert decoded.reply.sources == (Source("https://example.org", title="Oslo"),)


@MODES
def test_page_that_a_chat_completion_cites_comes_out(stream: bool) -> None:
    decoded = decode(recorded("openai-chat", Reply(text="Rain in Oslo.", sources=(PAGE,)), stream=stream))

    assert decoded is not None
    assert decoded.reply.sources == (PAGE,)


@pytest.mark.parametrize(
    "call",
    [
        Call("apply_patch", {"type": "create_file", "path": "a.txt", "diff": "+a"}, None, "call_1"),
        Call("shell", {"commands": ["ls"]}, None, "call_1"),
        Call("write", None, "all", "call_1"),
    ],
    ids=lambda call: call.name,
)
@MODES
def test_call_of_a_tool_of_openais_that_the_client_runs_comes_out(call: Call, stream: bool) -> None:
    tools = [{"type": "apply_patch"}, {"type": "shell"}, {"type": "custom", "name": "write"}]

    decoded = decode(recorded("openai-responses", Reply(calls=(call,)), stream=stream, tools=tools))

    assert decoded is not None
    assert decoded.reply.calls == (call,)
    assert (decoded.reply.server_calls, decoded.left_out) == ((), ())
