"""Any request can be judged, viewed, stored and answered, and nothing is raised."""

import json
import random
from typing import Any

import pytest
from responses_requests import ASSISTANT_MESSAGE, REASONING_ITEM, TOOL, USER, call, http_request, responses_body, result

from fake_providers import Call, Reply, ReplyContext
from fake_providers.ids import Ids
from fake_providers.serving.conversation_store import ConversationStore
from fake_providers.wires.openai_responses.wire import WIRE
from tests.fakes.mutated_bodies import mutated

NAMES: tuple[Any, ...] = ("message", "function_call", "reasoning", "item_reference", "user", {"type": "function"})
SCHEMA = {"type": "json_schema", "name": "a", "strict": True, "schema": TOOL["parameters"]}
SEEDS = (
    responses_body(USER, call("a"), call("b", id="fc_1"), result("a"), result("b"), tools=[TOOL], tool_choice="auto"),
    responses_body(
        USER,
        REASONING_ITEM,
        ASSISTANT_MESSAGE,
        {"type": "item_reference", "id": "fc_1"},
        tools=[{"type": "namespace", "tools": [TOOL]}],
    ),
    responses_body({"role": "user", "content": [{"type": "input_text", "text": "a"}]}, text={"format": SCHEMA}),
    responses_body(
        stream=True, stream_options={}, reasoning={"effort": "low"}, include=["reasoning.encrypted_content"]
    ),
    responses_body(
        previous_response_id="resp_1", instructions="json", text={"format": {"type": "json_object"}}, temperature=1
    ),
    responses_body({"type": "additional_tools", "tools": [TOOL]}, USER, tools=[{**TOOL, "strict": True}], store=False),
)


@pytest.mark.slow
def test_mutated_bodies_are_judged_viewed_stored_and_answered() -> None:
    chance = random.Random(20)
    refused: set[str] = set()
    store = ConversationStore(WIRE)
    for _ in range(4000):
        body = mutated(chance.choice(SEEDS), chance, names=NAMES)
        sent = http_request(body)
        for request in (sent, store.resolve(sent)):
            violation = WIRE.judge(request, provider="openai")
            WIRE.view(request)
            if violation is not None:
                refused.add(violation.rule)
        if violation is None:
            context = ReplyContext(request, "openai", Ids("seed"))
            response = WIRE.encode(Reply(text="a", thinking="b", calls=(Call("f"),)), context)
            store.keep(request, response)

    assert len(refused) > 40


def test_deep_nesting_raises_nothing() -> None:
    for depth in (500, 900, 990, 5000):
        nested = b"[" * depth + b"]" * depth
        for field in (b"input", b"tools", b"text"):
            body = b'{"model": "gpt-5.4", "%s": %s}' % (field, nested)
            WIRE.judge(http_request(body), provider="openai")
            WIRE.view(http_request(body))


def test_lone_surrogates_raise_nothing() -> None:
    body = json.loads('{"model": "gpt-5.4", "input": [{"role": "\\ud800", "content": "a"}]}')
    violation = WIRE.judge(http_request(body), provider="openai")
    assert violation is not None

    assert b"Invalid value" in WIRE.refuse(violation, ReplyContext(http_request(body), "openai", Ids("seed"))).body
