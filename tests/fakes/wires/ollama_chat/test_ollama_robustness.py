"""Any request can be judged, viewed and encoded, and nothing is raised."""

import json
import random

import pytest
from ollama_requests import SCHEMA, USER, call_message, chat_body, context, http_request, result, tool

from fake_providers import Call, Reply
from fake_providers.wires.ollama_chat.wire import WIRE
from tests.fakes.mutated_bodies import mutated

NESTED = {"type": "object", "properties": {"a": {"anyOf": [SCHEMA], "enum": [1], "description": "b"}}}
SEEDS = (
    chat_body(USER, call_message("a", "b", index=0), result(), result(tool_call_id="b"), tools=[tool()], think=True),
    chat_body({**USER, "images": ["aGVsbG8="], "thinking": "a"}, options={"stop": ["a"], "seed": 1}, keep_alive="5m"),
    chat_body(tools=[tool(parameters=NESTED)], format="json", logprobs=True, top_logprobs=3, shift=False),
    chat_body(model="gemma3", think="low", tools=[tool()], stream=True),
)


@pytest.mark.slow
def test_mutated_bodies_are_judged_viewed_and_answered() -> None:
    chance = random.Random(20)
    refused: set[str] = set()
    for _ in range(4000):
        body = mutated(chance.choice(SEEDS), chance)
        violation = WIRE.judge(http_request(body), provider="ollama")
        WIRE.view(http_request(body))
        if violation is not None:
            refused.add(violation.rule)
            assert violation.message
        assert WIRE.encode(Reply(text="a", calls=(Call("f"),)), context(body)).chunks

    assert len(refused) > 22


def test_cut_bodies_are_not_json() -> None:
    whole = json.dumps(SEEDS[0]).encode()
    for length in range(1, len(whole)):
        violation = WIRE.judge(http_request(whole[:length]), provider="ollama")
        assert violation is not None
        assert violation.rule == "ollama/body-not-json"


def test_random_bytes_raise_nothing() -> None:
    chance = random.Random(7)
    for _ in range(500):
        body = chance.randbytes(chance.randint(0, 40))
        WIRE.judge(http_request(body), provider="ollama")
        WIRE.view(http_request(body))


def test_deep_nesting_raises_nothing() -> None:
    for depth in (100, 500, 900, 990, 4900):
        lists = b"[" * depth + b"]" * depth
        schemas = b'{"properties": {"a": ' * depth + b"{}" + b"}}" * depth
        for field, value in ((b"messages", lists), (b"tools", lists), (b"options", lists), (b"format", schemas)):
            WIRE.judge(http_request(b'{"model": "qwen3:8b", "%s": %s}' % (field, value)), provider="ollama")
            WIRE.view(http_request(b'{"model": "qwen3:8b", "%s": %s}' % (field, value)))
        offered = b'{"model": "qwen3:8b", "tools": [{"function": {"parameters": %s}}]}' % schemas
        assert WIRE.judge(http_request(offered), provider="ollama") is None
        called = b'{"messages": [{"role": "assistant", "tool_calls": [{"function": {"arguments": %s}}]}]}' % schemas
        WIRE.view(http_request(called))


def test_lone_surrogates_raise_nothing() -> None:
    body = json.loads('{"model": "\\ud800", "messages": [{"role": "\\ud800", "content": "a"}]}')
    violation = WIRE.judge(http_request(body), provider="ollama")
    assert violation is not None

    assert b"invalid model name" in WIRE.refuse(violation, context(body)).body
    assert WIRE.encode(Reply(text="\ud800"), context(body)).chunks
