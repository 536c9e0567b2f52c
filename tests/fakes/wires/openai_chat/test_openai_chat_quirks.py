"""Each quirk changes the stream as it was reported, and nothing else of it, with every provider of the wire."""

import json
from typing import Any, get_args

import pytest
from chat_requests import TOOL, USER, chat, encode_reply, events

from fake_providers import Call, CannotExpress, Reply, ReplyContext, Request, wire_named
from fake_providers.ids import Ids
from fake_providers.registry import wire_for
from fake_providers.reply import Quirk
from tests.tables import rows

OSLO = Call("get_weather", {"city": "Oslo"}, id="call_1")
ROME = Call("get_weather", {"city": "Rome"}, id="call_2")
BOTH = (OSLO, ROME)
STREAM = chat(stream=True)
PROVIDERS = (
    "openai",
    "azure",
    "deepseek",
    "gemini",
    "groq",
    "llama.cpp",
    "mistral",
    "ollama",
    "openrouter",
    "vllm",
    "xai",
)


def chunks(*quirks: Quirk, text: str | None = None, calls: tuple[Call, ...] = BOTH, body: Any = None) -> list[Any]:
    """The JSON of the events, without the last one."""
    return list(events(encode_reply(Reply(text=text, calls=calls, quirks=quirks), body or STREAM))[:-1])


def pieces(*quirks: Quirk, calls: tuple[Call, ...] = BOTH) -> list[Any]:
    deltas = [chunk["choices"][0]["delta"] for chunk in chunks(*quirks, calls=calls)]
    return [piece for delta in deltas for piece in delta.get("tool_calls") or ()]


def arguments(found: list[Any]) -> str:
    return "".join(piece["function"].get("arguments") or "" for piece in found)


def test_same_index_is_zero_for_each_piece() -> None:
    found = pieces("same-index")

    assert {piece["index"] for piece in found} == {0}
    assert [piece["id"] for piece in found if "id" in piece] == ["call_1", "call_2"]


def test_no_index_leaves_it_out_of_each_piece() -> None:
    assert not [piece for piece in pieces("no-index") if "index" in piece]


def test_growing_index_gives_the_last_piece_of_a_call_the_next_index() -> None:
    found = pieces("growing-index", calls=(OSLO,))

    assert [piece["index"] for piece in found] == [*[0] * (len(found) - 1), 1]
    assert arguments(found) == '{"city":"Oslo"}'


def test_late_id_comes_after_the_name() -> None:
    first, second, *rest = pieces("late-id", calls=(OSLO,))

    assert ("id" in first, first["function"]["name"]) == (False, "get_weather")
    assert second["id"] == "call_1"
    assert not [piece for piece in rest if "id" in piece]


def test_id_stands_in_every_delta() -> None:
    found = pieces("id-in-every-delta")

    assert {piece["index"]: piece["id"] for piece in found} == {0: "call_1", 1: "call_2"}
    assert all("id" in piece for piece in found)


def test_name_is_repeated_in_every_delta() -> None:
    assert {piece["function"].get("name") for piece in pieces("repeated-name")} == {"get_weather"}


def test_pieces_of_calls_are_interleaved() -> None:
    found = pieces("interleaved")
    order = [piece["index"] for piece in found]

    assert order == [0, 1] * (len(found) // 2)
    assert arguments([piece for piece in found if piece["index"] == 1]) == '{"city":"Rome"}'


def test_quirks_of_calls_leave_what_comes_before_and_after() -> None:
    plain, changed = chunks(text="Let me see."), chunks("same-index", text="Let me see.")

    assert [chunk["choices"][0]["delta"].get("content") for chunk in changed] == [
        chunk["choices"][0]["delta"].get("content") for chunk in plain
    ]
    assert changed[-1]["choices"][0]["finish_reason"] == "tool_calls"


def test_chunks_without_choices_come_first_in_the_middle_and_with_the_usage_last() -> None:
    found = chunks("empty-choices", text="It is seven degrees.", calls=())
    places = [place for place, chunk in enumerate(found) if chunk["choices"] == []]

    assert places[0] == 0
    assert 1 < places[1] < places[2] - 1
    assert places[2] == len(found) - 1
    assert found[-1]["usage"]["total_tokens"] > 0


def test_usage_that_was_requested_does_not_come_twice() -> None:
    found = chunks(
        "empty-choices", text="Yes.", calls=(), body=chat(stream=True, stream_options={"include_usage": True})
    )

    assert len([chunk for chunk in found if chunk.get("usage")]) == 1


def test_each_piece_without_a_call_has_an_empty_list_of_them() -> None:
    found = [chunk["choices"][0]["delta"].get("tool_calls") for chunk in chunks("empty-calls", text="It is seven.")]

    assert [] in found
    assert None not in found
    assert any(found)


def test_finish_comes_with_the_last_delta() -> None:
    plain, changed = chunks(text="Yes.", calls=()), chunks("finish-with-the-last-delta", text="Yes.", calls=())

    assert len(changed) == len(plain) - 1
    assert changed[-1]["choices"][0]["delta"] == plain[-2]["choices"][0]["delta"] != {}
    assert changed[-1]["choices"][0]["finish_reason"] == "stop"


@pytest.mark.parametrize("stream", [False, True])
def test_arguments_are_an_object(stream: bool) -> None:
    response = encode_reply(Reply(calls=BOTH, quirks=("arguments-as-object",)), chat(stream=stream))
    if stream:
        found = pieces("arguments-as-object")
    else:
        found = json.loads(response.body)["choices"][0]["message"]["tool_calls"]

    assert [call["function"]["arguments"] for call in found] == [{"city": "Oslo"}, {"city": "Rome"}]


@rows(
    "provider, quirk",
    [(provider, quirk) for provider in PROVIDERS for quirk in get_args(Quirk) if quirk != "text-in-the-start"],
)
def test_quirk_leaves_the_calls_of_every_provider_whole(provider: str, quirk: Quirk) -> None:
    body = {"model": "any", "messages": [USER], "stream": True, "tools": [TOOL]}
    request = Request("POST", "/v1/chat/completions", {}, json.dumps(body).encode())
    context = ReplyContext(request, provider, Ids("quirks"))

    def stream_of(*quirks: Quirk) -> bytes:
        return wire_for(provider, "openai-chat").encode(Reply(calls=BOTH, quirks=quirks), context).body

    assert stream_of(quirk) != stream_of() or (provider, quirk) == ("mistral", "finish-with-the-last-delta")
    assert "".join(arguments_in(stream_of(quirk))) == '{"city":"Oslo"}{"city":"Rome"}' or quirk == "interleaved"


def arguments_in(body: bytes) -> list[str]:
    found = []
    for line in body.decode().splitlines():
        if line.startswith("data: {"):
            for choice in json.loads(line[6:])["choices"]:
                for call in choice["delta"].get("tool_calls") or ():
                    text = call["function"].get("arguments") or ""
                    found.append(text if isinstance(text, str) else json.dumps(text, separators=(",", ":")))
    return found


def test_stream_is_the_same_where_its_bytes_are_cut_within_characters() -> None:
    reply = Reply(calls=(Call("get_weather", {"city": "Zürich"}, id="call_1"),), quirks=("no-index",))
    context = ReplyContext(Request("POST", "/v1/chat/completions", {}, json.dumps(STREAM).encode()), "openai", Ids("q"))

    whole = wire_named("openai-chat").encode(reply, context)
    cut = wire_named("openai-chat").encode(reply, ReplyContext(context.request, "openai", Ids("q"), split="bytes"))

    assert "index" not in arguments_in(whole.body)[0]
    assert "".join(arguments_in(cut.body)) == "".join(arguments_in(whole.body))


def test_plain_response_has_no_quirk_of_a_stream() -> None:
    with pytest.raises(CannotExpress) as caught:
        encode_reply(Reply(text="Yes.", quirks=("empty-choices",)), chat())

    assert caught.value.feature == "stream-quirk"


@pytest.mark.parametrize("options", [{}, {"stream_options": {"include_usage": True}}])
def test_a_chunk_after_the_finish_has_the_usage_and_no_reason(options: dict[str, Any]) -> None:
    found = chunks("null-after-finish", text="Yes.", calls=(), body=chat(stream=True, **options))

    assert [chunk["choices"][0]["finish_reason"] for chunk in found[-2:]] == ["stop", None]
    assert found[-1]["usage"]["total_tokens"] > 0
    assert [chunk for chunk in found if not chunk["choices"]] == []
