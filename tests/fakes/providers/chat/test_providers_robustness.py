"""Whatever a client sends to any provider is judged, viewed and answered, and nothing is raised."""

import random
from typing import Any

import pytest
from provider_requests import NAMES, TOOL, USER, calling, chat, context, posted, result, wire

from fake_providers import Call, Reply
from tests.fakes.mutated_bodies import mutated

NAMED: tuple[Any, ...] = ("function", "tool", "user", "assistant", {"type": []}, {"function": 1}, {"role": {}})
FORMAT = {"type": "json_schema", "json_schema": {"name": "a", "schema": {}}}
MODELS = {"vllm": "google/gemma-3-27b-it", "groq": "llama-3.3-70b-versatile", "mistral": "ministral-3b-latest"}


def seeds(name: str) -> tuple[dict[str, Any], ...]:
    thought = [{"type": "thinking", "thinking": [{"type": "text", "text": "I know."}]}, {"type": "text", "text": "7."}]
    said = {"role": "assistant", "content": thought}
    signed = calling("a", "b", reasoning_content="I ask.")
    signed["tool_calls"][0]["extra_content"] = {"google": {"thought_signature": "s"}}
    return (
        chat(name, USER, signed, result("a"), result("b"), tools=[TOOL], tool_choice="auto"),
        chat(name, USER, said, USER, thinking={"type": "enabled"}, response_format=FORMAT, stream=True),
        chat(name, USER, USER, calling("a"), result("a"), USER, tools=[TOOL, TOOL], stream_options={}),
        chat(name, {"role": "system", "content": "a"}, said, model=MODELS.get(name, "x"), tools=[TOOL]),
    )


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_spoilt_bodies_are_judged_viewed_refused_and_answered(name: str) -> None:
    chance = random.Random(21)
    refused: set[str] = set()
    for _ in range(800):
        body = mutated(chance.choice(seeds(name)), chance, names=NAMED)
        violation = wire(name).judge(posted(body), provider=name)
        wire(name).view(posted(body))
        if violation is not None:
            refused.add(violation.rule)
            refusal = wire(name).refuse(violation, context(name, body))
            assert refusal.status == violation.status or b'"error"' in refusal.body  # in a stream
        elif isinstance(body.get("messages"), list):
            assert wire(name).encode(Reply(text="a", calls=(Call("get_weather"),)), context(name, body)).chunks

    assert refused


@pytest.mark.parametrize("name", NAMES)
def test_deep_nesting_and_bodies_that_are_no_object_are_survived(name: str) -> None:
    for depth in (500, 990, 5000):
        nested = b"[" * depth + b"]" * depth
        for field in (b"messages", b"tools", b"response_format"):
            body = b'{"model": "gpt-4.1", "messages": [], "%s": %s}' % (field, nested)
            wire(name).judge(posted(body), provider=name)
            wire(name).view(posted(body))
    for body in (b"", b"[]", b"null", b"7", b'"a"', b"\xff", b"{"):
        assert wire(name).judge(posted(body), provider=name) is not None


def test_deep_schema_is_survived_by_a_rule_that_walks_it() -> None:
    schema = b'{"type": "object", "items": ' * 900 + b"{}" + b"}" * 900
    tool = b'{"type": "function", "function": {"name": "f", "parameters": %s}}' % schema
    body = b'{"model": "deepseek-chat", "messages": [], "tools": [%s]}' % tool

    assert wire("deepseek").judge(posted(body), provider="deepseek") is None
