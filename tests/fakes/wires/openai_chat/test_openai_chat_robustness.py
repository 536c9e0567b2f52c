"""Any request can be judged, viewed and encoded, and nothing is raised."""

import json
import random
from typing import Any

import pytest
from chat_requests import TOOL, USER, call_message, chat, context, http_request, result

from fake_providers import Call, Reply
from fake_providers.wires.openai_chat.wire import WIRE
from tests.fakes.mutated_bodies import mutated

NAMES: tuple[Any, ...] = ("function", "tool", "user", {"type": "function"}, {"name": []}, {"type": []}, {"function": 1})
FORMAT = {"type": "json_schema", "json_schema": {"name": "a", "strict": True, "schema": TOOL["function"]["parameters"]}}
SEEDS = (
    chat(USER, call_message("a", "b"), result("a"), result("b"), tools=[TOOL], tool_choice="auto"),
    chat(USER, {"role": "user", "content": [{"type": "text", "text": "a"}], "name": "A"}, tools=[TOOL] * 2, n=1),
    chat(tools=[TOOL], tool_choice={"type": "function", "function": {"name": "get_weather"}}, response_format=FORMAT),
    chat(model="gpt-5", temperature=1, stream=True, stream_options={"include_usage": True}, stop=None, top_p=1),
    chat({"role": "system", "content": "json"}, response_format={"type": "json_object"}, functions=[{"name": "f"}]),
)


@pytest.mark.slow
def test_mutated_bodies_are_judged_viewed_and_answered() -> None:
    chance = random.Random(20)
    refused: set[str] = set()
    for _ in range(4000):
        body = mutated(chance.choice(SEEDS), chance, names=NAMES)
        violation = WIRE.judge(http_request(body), provider="openai")
        WIRE.view(http_request(body))
        if violation is not None:
            refused.add(violation.rule)
        assert WIRE.encode(Reply(text="a", calls=(Call("f"),)), context(body)).chunks

    assert len(refused) > 40


def test_deep_nesting_raises_nothing() -> None:
    for depth in (500, 900, 990, 5000):
        nested = b"[" * depth + b"]" * depth
        for field in (b"messages", b"tools", b"response_format"):
            body = b'{"model": "gpt-4.1", "messages": [], "%s": %s}' % (field, nested)
            WIRE.judge(http_request(body), provider="openai")
            WIRE.view(http_request(body))


def test_lone_surrogates_raise_nothing() -> None:
    body = json.loads('{"model": "gpt-4.1", "messages": [{"role": "\\ud800", "content": "a"}]}')
    violation = WIRE.judge(http_request(body), provider="openai")
    assert violation is not None

    assert b"Invalid value" in WIRE.refuse(violation, context(body)).body
