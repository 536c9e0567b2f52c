"""Whatever a client sends is judged, viewed, remembered and answered, and nothing is raised."""

import json
import random
from typing import Any

from responses_requests import SAID, THOUGHT, TOOL, USER, asking, call, posted, result

from fakes import Call, Reply, ReplyContext
from fakes.ids import Ids
from fakes.serving.conversation_store import ConversationStore
from fakes.wires.openai_responses.wire import WIRE
from tests.fakes.mutated_bodies import mutated

NAMES: tuple[Any, ...] = ("message", "function_call", "reasoning", "item_reference", "user", {"type": "function"})
SCHEMA = {"type": "json_schema", "name": "a", "strict": True, "schema": TOOL["parameters"]}
SEEDS = (
    asking(USER, call("a"), call("b", id="fc_1"), result("a"), result("b"), tools=[TOOL], tool_choice="auto"),
    asking(
        USER, THOUGHT, SAID, {"type": "item_reference", "id": "fc_1"}, tools=[{"type": "namespace", "tools": [TOOL]}]
    ),
    asking({"role": "user", "content": [{"type": "input_text", "text": "a"}]}, text={"format": SCHEMA}),
    asking(stream=True, stream_options={}, reasoning={"effort": "low"}, include=["reasoning.encrypted_content"]),
    asking(previous_response_id="resp_1", instructions="json", text={"format": {"type": "json_object"}}, temperature=1),
    asking({"type": "additional_tools", "tools": [TOOL]}, USER, tools=[{**TOOL, "strict": True}], store=False),
)


def test_spoilt_bodies_are_judged_viewed_remembered_and_answered() -> None:
    chance = random.Random(20)
    refused: set[str] = set()
    held = ConversationStore(WIRE)
    for _ in range(4000):
        body = mutated(chance.choice(SEEDS), chance, names=NAMES)
        sent = posted(body)
        for request in (sent, held.whole(sent)):
            violation = WIRE.judge(request, provider="openai")
            WIRE.view(request)
            if violation is not None:
                refused.add(violation.rule)
        if violation is None:
            context = ReplyContext(request, "openai", Ids("seed"))
            response = WIRE.encode(Reply(text="a", thinking="b", calls=(Call("f"),)), context)
            held.keep(request, response)

    assert len(refused) > 40


def test_deep_nesting_is_survived() -> None:
    for depth in (500, 900, 990, 5000):
        nested = b"[" * depth + b"]" * depth
        for field in (b"input", b"tools", b"text"):
            body = b'{"model": "gpt-5.4", "%s": %s}' % (field, nested)
            WIRE.judge(posted(body), provider="openai")
            WIRE.view(posted(body))


def test_lone_surrogates_are_survived() -> None:
    body = json.loads('{"model": "gpt-5.4", "input": [{"role": "\\ud800", "content": "a"}]}')
    violation = WIRE.judge(posted(body), provider="openai")
    assert violation is not None

    assert b"Invalid value" in WIRE.refuse(violation, ReplyContext(posted(body), "openai", Ids("seed"))).body
