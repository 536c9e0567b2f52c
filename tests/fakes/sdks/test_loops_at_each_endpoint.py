"""OpenAI's and Anthropic's SDKs at every endpoint that speaks their wires: two calls, their results, and the text."""

import json
from typing import Any

import anthropic
import openai
import pytest
from one_table import OSLO, ROME, Served

from fake_providers import PROVIDERS, Reply, ScriptedFake
from fake_providers.models import default_model
from fake_providers.provider_facts import providers_of
from tests.tables import rows

ASKED: Any = {"role": "user", "content": "How warm is it in Oslo and in Rome?"}
SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
DEGREES = {"Oslo": "7", "Rome": "19"}
SAID = "7 °C and 19 °C."
MODES = ("plain", "stream")

Outcome = tuple[str, list[str]]


def chat_loop(base_url: str, model: str, *, stream: bool) -> Outcome:
    """Of a stream it sends back no nulls, which the SDK adds, nor the role, which the SDK joins where
    Google repeats it, nor the `channel` that Groq sends and does not take.
    """
    client = openai.OpenAI(api_key="k", base_url=base_url, max_retries=0)
    tool: Any = {"type": "function", "function": {"name": "weather", "parameters": SCHEMA}}
    request: Any = {"model": model, "messages": [ASKED], "tools": [tool]}
    cities = []
    while True:
        if stream:
            with client.chat.completions.stream(**request) as chunks:
                said: Any = chunks.get_final_completion().choices[0].message
            echoed = said.model_dump(exclude_none=True, exclude={"parsed", "channel"}) | {"role": "assistant"}
            for call in echoed.get("tool_calls") or ():
                call.pop("index", None)
                call["function"].pop("parsed_arguments", None)
        else:
            echoed = said = client.chat.completions.create(**request).choices[0].message
        request["messages"].append(echoed)
        if not said.tool_calls:
            return said.content, cities
        for call in said.tool_calls:
            cities.append(json.loads(call.function.arguments)["city"])
            result = {"role": "tool", "tool_call_id": call.id, "content": DEGREES[cities[-1]]}
            request["messages"].append(result)


def responses_loop(base_url: str, model: str, *, stream: bool) -> Outcome:
    client = openai.OpenAI(api_key="k", base_url=base_url, max_retries=0)
    tool = {"type": "function", "name": "weather", "parameters": SCHEMA}
    request: Any = {"model": model, "input": [ASKED], "tools": [tool]}
    cities = []
    while True:
        if stream:
            with client.responses.stream(**request) as events:
                said: Any = events.get_final_response()
        else:
            said = client.responses.create(**request)
        request["input"] += [without_parsed(item.to_dict()) for item in said.output]
        calls = [item for item in said.output if item.type == "function_call"]
        if not calls:
            return said.output_text, cities
        for call in calls:
            cities.append(json.loads(call.arguments)["city"])
            result = {"type": "function_call_output", "call_id": call.call_id, "output": DEGREES[cities[-1]]}
            request["input"].append(result)


def without_parsed(item: dict[str, Any]) -> dict[str, Any]:
    """The item as it was sent: the SDK's stream adds what it has parsed."""
    item.pop("parsed_arguments", None)
    for part in item.get("content") or ():
        part.pop("parsed", None)
    return item


def messages_loop(base_url: str, model: str, *, stream: bool) -> Outcome:
    client: Any = anthropic.Anthropic(api_key="k", base_url=base_url, max_retries=0)
    if model.startswith("claude") and base_url.endswith("/v1"):  # Vertex names the model in the path
        where = {"region": "global", "project_id": "p", "access_token": "k"}
        client = anthropic.AnthropicVertex(base_url=base_url, max_retries=0, **where)
    tool = {"name": "weather", "input_schema": SCHEMA}
    request: Any = {"model": model, "max_tokens": 2048, "messages": [ASKED], "tools": [tool]}
    if model.startswith("claude"):
        request["thinking"] = {"type": "enabled", "budget_tokens": 1024}
    cities = []
    while True:
        if stream:
            with client.messages.stream(**request) as events:
                said = events.get_final_message()
        else:
            said = client.messages.create(**request)
        request["messages"].append({"role": "assistant", "content": said.content})
        calls = [block for block in said.content if block.type == "tool_use"]
        if not calls:
            return "".join(block.text for block in said.content if block.type == "text"), cities
        cities += [call.input["city"] for call in calls]
        results = [
            {"type": "tool_result", "tool_use_id": one.id, "content": DEGREES[one.input["city"]]} for one in calls
        ]
        request["messages"].append({"role": "user", "content": results})


LOOPS = {"openai-chat": chat_loop, "openai-responses": responses_loop, "anthropic-messages": messages_loop}
CELLS = [(provider, wire, mode) for wire in LOOPS for provider in providers_of(wire) for mode in MODES]


@rows("provider, wire, mode", CELLS, ids="-".join)
def test_sdk_loop_comes_to_its_end(served: Served, provider: str, wire: str, mode: str) -> None:
    thinking = None if (provider, wire) in UNTOLD else "I ask for both."
    replies = [Reply(text="A moment.", thinking=thinking, calls=(OSLO, ROME)), Reply(text=SAID, thinking=thinking)]
    fake = ScriptedFake(provider, replies, wire=wire)
    token = served.mounts.mount(fake)
    try:
        base_url = f"{served.server.url}/{token}{fake.wire.base_path}"
        outcome = LOOPS[wire](base_url, default_model(wire, provider), stream=mode == "stream")
    finally:
        served.mounts.unmount(token)

    assert fake.violations == []
    assert outcome == (SAID, ["Oslo", "Rome"])
    assert len(fake.requests) == 2


UNTOLD = tuple((provider, "openai-chat") for provider in ("openai", "azure", "anthropic", "mistral"))
"""Where a chat completion tells no thoughts, or in parts of a content that OpenAI's SDK takes for a mistake."""


def test_every_provider_of_these_wires_has_its_loop() -> None:
    assert {provider for provider, _, _ in CELLS} == {*PROVIDERS}
    assert len(CELLS) == len(set(CELLS))


@pytest.mark.parametrize("provider", ["gemini", "vertex"])
def test_role_that_the_sdk_has_joined_is_refused(served: Served, provider: str) -> None:
    """What `stream` of OpenAI's SDK makes of chunks that repeat the role goes back as it is, and is none."""
    fake = ScriptedFake(provider, [Reply(text="A moment.", calls=(OSLO,))], wire="openai-chat")
    token = served.mounts.mount(fake)
    client = openai.OpenAI(api_key="k", base_url=f"{served.server.url}/{token}{fake.wire.base_path}", max_retries=0)
    model = default_model("openai-chat", provider)

    with client.chat.completions.stream(model=model, messages=[ASKED]) as chunks:
        said = chunks.get_final_completion().choices[0].message
    joined: Any = {"role": said.role, "content": said.content}
    with pytest.raises(openai.BadRequestError):
        client.chat.completions.create(model=model, messages=[ASKED, joined, ASKED])
    served.mounts.unmount(token)

    assert (said.role[:18], len(fake.violations)) == ("assistantassistant", 1)
