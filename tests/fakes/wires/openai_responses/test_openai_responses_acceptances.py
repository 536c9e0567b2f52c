"""What OpenAI was seen to accept: a refusal of any of these would be false."""

from typing import Any

import pytest
from responses_requests import SAID, THOUGHT, TOOL, USER, asking, call, judged, result

HELLO = {"role": "assistant", "content": "Hello"}


def tool(**members: Any) -> dict[str, Any]:
    return {**TOOL, **members}


CUSTOM = {"type": "custom_tool_call", "call_id": "a", "name": "run", "input": "ls"}
NAMESPACE = {"type": "namespace", "name": "weather", "description": "d", "tools": [TOOL]}

ACCEPTED: dict[str, dict[str, Any]] = {
    "a text": {"model": "gpt-5.4", "input": "Hello"},
    "what Codex tells of itself": asking(client_metadata={"session_id": "01a1"}),
    "a message with all its members": asking({**USER, "type": "message", "id": "msg_1", "status": "completed"}),
    "an assistant's text": asking(USER, HELLO, USER),
    "an assistant's empty text": asking(USER, {**HELLO, "content": ""}, USER),
    "an assistant without parts": asking(USER, {**HELLO, "content": []}, USER),
    "a refusal": asking(USER, {"role": "assistant", "content": [{"type": "refusal", "refusal": "No."}]}, USER),
    "a phase": asking(USER, {**SAID, "phase": "final_answer"}, USER),
    "a developer": asking({"role": "developer", "content": "Be brief."}, USER),
    "a system message in parts": asking({"role": "system", "content": [{"type": "input_text", "text": "Hi"}]}, USER),
    "a system message in the middle": asking(USER, {"role": "system", "content": "Be brief."}, USER),
    "an assistant first": asking(HELLO, USER),
    "an assistant last": asking(USER, HELLO),
    "two users in a row": asking(USER, USER),
    "an empty text of the user": asking({**USER, "content": ""}),
    "a call without id and status": asking(USER, call("call_1"), result("call_1")),
    "a call with id and status": asking(USER, call("call_1", id="fc_1", status="completed"), result("call_1")),
    "a call in a namespace": asking(USER, call("call_1", namespace="weather"), result("call_1"), tools=[NAMESPACE]),
    "an id of another provider": asking(
        USER, call("toolu_01A09q90qw90lq917835lq9"), result("toolu_01A09q90qw90lq917835lq9")
    ),
    "an item's id of 64 characters": asking(USER, {**SAID, "id": "msg_" + "1" * 60}, USER),
    "a name chosen among tools that others bring": asking(
        tools=[NAMESPACE], tool_choice={"type": "function", "name": "get_time"}
    ),
    "a name chosen of tools that came before": asking(
        previous_response_id="resp_1", tool_choice={"type": "function", "name": "get_time"}
    ),
    "a hosted tool chosen by another of its names": asking(
        tools=[{"type": "web_search"}], tool_choice={"type": "web_search_preview"}
    ),
    "a custom call and its result": asking(USER, CUSTOM, {**result("a"), "type": "custom_tool_call_output"}),
    "a custom call answered as a function": asking(USER, CUSTOM, result("a")),
    "a patch and its result": asking(
        USER,
        {"type": "apply_patch_call", "call_id": "a", "status": "completed", "operation": {}},
        {"type": "apply_patch_call_output", "call_id": "a", "status": "completed"},
    ),
    "a tier of other days": asking(service_tier="scale"),
    "an id of 64 characters": asking(USER, call("c" * 64), result("c" * 64)),
    "results in another order": asking(USER, call("a"), call("b"), result("b"), result("a")),
    "arguments that are no json": asking(USER, call("a", arguments='{"city": '), result("a")),
    "arguments that are no object": asking(USER, call("a", arguments="null"), result("a")),
    "a result in parts": asking(USER, call("a"), result("a", output=[{"type": "input_text", "text": "7"}])),
    "an empty result": asking(USER, call("a"), result("a", output="")),
    "results without tools": asking(USER, call("a"), result("a")),
    "a call of a tool that is not offered": asking(USER, call("a"), result("a"), tools=[tool(name="get_time")]),
    "a client's search answered as a function": asking(
        USER, {"type": "tool_search_call", "call_id": "a", "execution": "client", "arguments": {}}, result("a")
    ),
    "a thought and its message": asking(USER, THOUGHT, SAID, USER),
    "a thought and its call": asking(USER, THOUGHT, call("a", id="fc_1"), result("a")),
    "a thought without id": asking(
        USER, {"type": "reasoning", "summary": [], "encrypted_content": "gAAAAABo"}, HELLO, USER
    ),
    "a thought alone and not stored": asking(USER, THOUGHT, USER, store=False),
    "a thought without its sealed content": asking(USER, {"type": "reasoning", "id": "rs_1", "summary": []}, USER),
    "a thought twice and not stored": asking(USER, THOUGHT, SAID, THOUGHT, USER, store=False),
    "a thought with content": asking(USER, {**THOUGHT, "content": []}, SAID, USER),
    "a reference and a result": asking(USER, {"type": "item_reference", "id": "fc_1"}, result("a")),
    "a reference without id": asking(USER, {"type": "item_reference"}, result("a")),
    "a result of a previous call": asking(result("a"), previous_response_id="resp_1"),
    "a result in a conversation": asking(result("a"), conversation="conv_1"),
    "a prompt alone": {"prompt": {"id": "pmpt_1", "version": "2"}},
    "tools brought by an item": asking({"type": "additional_tools", "role": "developer", "tools": [TOOL]}, USER),
    "no tools": asking(tools=[]),
    "null everywhere": asking(
        tools=None, tool_choice=None, reasoning=None, previous_response_id=None, instructions=None, text=None
    ),
    "a tool_choice without tools": asking(tool_choice="auto"),
    "parallel_tool_calls without tools": asking(parallel_tool_calls=False),
    "a choice of a function": asking(tools=[TOOL], tool_choice={"type": "function", "name": "get_weather"}),
    "allowed tools": asking(tools=[TOOL], tool_choice={"type": "allowed_tools", "mode": "auto", "tools": []}),
    "a function without parameters": asking(tools=[{"type": "function", "name": "f"}]),
    "a function in the shape of chat completions beside its name": asking(
        tools=[{"type": "function", "name": "f", "function": {"name": "f"}}]
    ),
    "an empty schema": asking(tools=[tool(parameters={}, strict=False)]),
    "an optional property where nothing is said of strict": asking(
        tools=[tool(parameters={"type": "object", "properties": {"a": {"type": "string"}}})]
    ),
    "a group of tools": asking(tools=[NAMESPACE, {"type": "tool_search"}]),
    "two tools of one name": asking(tools=[TOOL, TOOL]),
    "a custom tool": asking(tools=[{"type": "custom", "name": "f", "description": "d"}]),
    "a temperature where the model rests": asking(model="gpt-5.4", temperature=0),
    "temperature 1 for a reasoning model": asking(model="o4-mini", temperature=1.0),
    "a temperature with an effort of none": asking(model="gpt-5.6-sol", temperature=0.5, reasoning={"effort": "none"}),
    "an effort for a model of which nothing is known": asking(model="a-model-of-ours", reasoning={"effort": "low"}),
    "a summary for a model that does not reason": asking(model="gpt-4.1", reasoning={"summary": "auto"}),
    "sealed thoughts": asking(include=["reasoning.encrypted_content"], store=False),
    "strict tools on gpt-4o-mini": asking(
        model="gpt-4o-mini",
        tools=[tool(strict=True)],
    ),
    "a json object asked for in words": asking(
        {**USER, "content": "Say it in JSON."}, text={"format": {"type": "json_object"}}
    ),
}


@pytest.mark.parametrize("body", ACCEPTED.values(), ids=ACCEPTED)
def test_what_openai_accepts_is_accepted(body: dict[str, Any]) -> None:
    assert judged(body) is None


@pytest.mark.parametrize(
    ("model", "refused"),
    [
        ("gpt-4.1", False),
        ("gpt-5.4-mini", False),
        ("gpt-5.1-chat-latest", True),
        ("gpt-5-mini-2025-08-07", True),
        ("o3", True),
        ("openai/gpt-5.6-luna", True),
        ("gpt-7", True),
        ("ft:gpt-4.1-nano-2025-04-14:acme::AbCdEf", False),
        ("a-model-of-ours", False),
    ],
)
def test_model_takes_after_the_newest_of_its_family(model: str, refused: bool) -> None:
    violation = judged(asking(model=model, temperature=0.5))

    assert (violation.rule if violation else None) == ("openai/responses-sampling-unsupported" if refused else None)
