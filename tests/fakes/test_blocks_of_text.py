"""Text and reasoning in several blocks: each wire that has blocks sends them apart, in order, plain and in streams."""

import json
import re
from typing import Any

import pytest

from fake_providers import Call, Reply, wire_named
from tests.fakes.test_expressible import context

BLOCKS = ("It rains.", "\n\nTake an umbrella.", "\n\nGood trip!")
REPLY = Reply(text="".join(BLOCKS), blocks=BLOCKS)
AND_A_CALL = Reply(text="".join(BLOCKS), blocks=BLOCKS, calls=(Call("get_weather", {"city": "Oslo"}),))


def texts_of(wire: str, body: Any) -> list[str]:
    match wire:
        case "anthropic-messages":
            parts = body["content"]
        case "bedrock-converse":
            parts = body["output"]["message"]["content"]
        case "gemini-generate":
            parts = body["candidates"][0]["content"]["parts"]
        case "openai-responses":
            parts = [part for item in body["output"] if item["type"] == "message" for part in item["content"]]
        case "openai-chat":
            parts = [{"text": body["choices"][0]["message"]["content"]}]
        case _:
            parts = [{"text": body["message"]["content"]}]
    return [part["text"] for part in parts if "text" in part]


@pytest.mark.parametrize("reply", [REPLY, AND_A_CALL], ids=["alone", "beside a call"])
@pytest.mark.parametrize(
    "wire", ["anthropic-messages", "bedrock-converse", "gemini-generate", "openai-responses", "openai-chat"]
)
def test_blocks_are_sent_apart_where_the_wire_has_some(wire: str, reply: Reply) -> None:
    body = json.loads(wire_named(wire).encode(reply, context(wire, "plain")).body)

    assert tuple(texts_of(wire, body)) == (BLOCKS if wire != "openai-chat" else ("".join(BLOCKS),))


@pytest.mark.parametrize(
    ("wire", "piece"),
    [
        ("anthropic-messages", r'"index":(\d+),"delta":\{"type":"text_delta","text":"([^"]*)"'),
        ("bedrock-converse", r'"contentBlockIndex":(\d+),"delta":\{"text":"([^"]*)"'),
        ("openai-responses", r'"type":"response.output_text.delta","content_index":(\d+),"delta":"([^"]*)"'),
    ],
)
def test_pieces_of_a_stream_say_which_block_they_are_of(wire: str, piece: str) -> None:
    sent = wire_named(wire).encode(REPLY, context(wire, "stream")).body.decode(errors="replace")
    texts: dict[str, str] = {}
    for index, text in re.findall(piece, sent):
        texts[index] = texts.get(index, "") + json.loads(f'"{text}"')

    assert texts == dict(zip("012", BLOCKS, strict=True))


def test_piece_of_a_stream_of_gemini_is_of_one_block() -> None:
    sent = wire_named("gemini-generate").encode(REPLY, context("gemini-generate", "stream")).body.decode()
    pieces = [json.loads(f'"{text}"') for text in re.findall(r'"text": ?"((?:[^"\\]|\\.)*)"', sent)]

    assert "".join(pieces) == REPLY.text
    assert all(any(piece in block for block in BLOCKS) for piece in pieces)


def test_text_without_blocks_is_one() -> None:
    assert Reply(text="Rain.").text_blocks == ("Rain.",)
    assert Reply(text="").text_blocks == Reply().text_blocks == ()


THOUGHTS = ("The user wants Oslo.", " The tool knows it.")
THINKS = Reply(thinking="".join(THOUGHTS), thoughts=THOUGHTS, calls=(Call("get_weather", {"city": "Oslo"}),))


@pytest.mark.parametrize(
    ("wire", "kind"),
    [("anthropic-messages", "thinking"), ("bedrock-converse", "reasoningContent"), ("openai-responses", "reasoning")],
)
def test_thoughts_are_sent_apart_where_the_wire_has_blocks_of_them(wire: str, kind: str) -> None:
    body = json.loads(wire_named(wire).encode(THINKS, context(wire, "plain")).body)
    parts = {
        "anthropic-messages": lambda: body["content"],
        "bedrock-converse": lambda: body["output"]["message"]["content"],
        "openai-responses": lambda: body["output"],
    }[wire]()

    assert [kind in (part.get("type"), *part) for part in parts] == [True, True, False]
    assert len({json.dumps(part) for part in parts}) == 3


def test_thoughts_are_joined_where_the_wire_has_one_field() -> None:
    body = json.loads(wire_named("ollama-chat").encode(THINKS, context("ollama-chat", "plain")).body)

    assert body["message"]["thinking"] == THINKS.thinking
