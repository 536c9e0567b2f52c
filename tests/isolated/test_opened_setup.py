"""All that an agent is started with arrives in its own process."""

import json
from dataclasses import fields
from pathlib import Path
from typing import Any

from agent_conformance.adapter.types import Fallback, Limits, Message, NamedTool, Part, Setup, Tool, ToolCall
from agent_conformance.attach.isolated.adapter import opened_message
from agent_conformance.attach.isolated.remote_setup import Conversation

PICTURE = Part("image", media_type="image/png", data="aGk=")
HALF = "cut in the middle of \ud83c"
SECOND = Fallback(**{field.name: f"the {field.name}" for field in fields(Fallback)})
TOOL = Tool("get", "Gets.", {"type": "object"}, run=str, arun=str, is_enabled=lambda: False, approval="ask")  # type: ignore[arg-type]
FULL = Setup(
    wire="openai-chat",
    provider="groq",
    base_url="http://127.0.0.1:1/v1",
    api_key="key",
    model="m",
    stream=True,
    system="Be brief.",
    tools=(TOOL,),
    history=(
        Message("user", HALF, parts=(Part("text", "Look."), PICTURE)),
        Message(
            "assistant",
            "Hm.",
            thinking="Well.",
            signature="signed",
            signed_by="anthropic",
            tool_calls=(ToolCall(None, "get", {"a": [1, None]}), ToolCall("c2", "get", arguments_text="{")),
        ),
        Message("tool", "[image/png]", tool_call_id="c2", name="get", is_error=True, parts=(PICTURE,)),
    ),
    limits=Limits(3, 4000, 5.5),
    state_dir=Path("/tmp/state"),
    observe=print,
    server_tools=("web_search",),
    output_schema={"type": "object"},
    tool_choice=NamedTool("get"),
    fallback=SECOND,
)
ASKED = ("tools", "observe", "approve", "aapprove")
"""What the agent calls: it asks the suite."""


def received(setup: Setup, said: list[Any]) -> Setup:
    opened = json.loads(json.dumps(opened_message(setup)))
    return Conversation(opened, lambda kind, **more: said.append((kind, more))).setup


def test_every_field_arrives() -> None:
    defaults = Setup(*([None] * 11))  # type: ignore[arg-type]
    names = [field.name for field in fields(Setup) if field.name not in ASKED]
    assert [name for name in names if getattr(FULL, name) == getattr(defaults, name)] == []

    got = received(FULL, [])

    assert {name: getattr(got, name) for name in names} == {name: getattr(FULL, name) for name in names}


def test_tools_and_events_reach_the_suite() -> None:
    said: list[Any] = []
    got = received(FULL, said)
    (tool,) = got.tools

    assert (tool.name, tool.description, tool.parameters, tool.approval, tool.enabled) == (
        *("get", "Gets.", {"type": "object"}, "ask"),
        False,
    )
    assert got.observe is not None
    got.observe({"text": ["a", object(), HALF]})
    assert said == [("event", {"texts": ["text", "a", HALF]})]
