"""Requests that OpenAI accepted: refusing one of them would be wrong."""

import json
import re
from pathlib import Path
from typing import Any

import openai
import pytest
from responses_requests import (
    ASSISTANT_MESSAGE,
    REASONING_ITEM,
    TOOL,
    USER,
    WIRE,
    call,
    http_request,
    responses_body,
    result,
    violation_of,
)

from fake_providers import judge
from fake_providers.wires.openai_shared.request_body import KNOWN_BETAS

HELLO = {"role": "assistant", "content": "Hello"}


def tool(**members: Any) -> dict[str, Any]:
    return {**TOOL, **members}


CUSTOM = {"type": "custom_tool_call", "call_id": "a", "name": "run", "input": "ls"}
DELETES = {"type": "delete_file", "path": "a.txt"}
NAMESPACE = {"type": "namespace", "name": "weather", "description": "d", "tools": [TOOL]}

ACCEPTED: dict[str, dict[str, Any]] = {
    "a text": {"model": "gpt-5.4", "input": "Hello"},
    "what Codex tells of itself": responses_body(client_metadata={"session_id": "01a1"}),
    "a message with all its members": responses_body({**USER, "type": "message", "id": "msg_1", "status": "completed"}),
    "an assistant's text": responses_body(USER, HELLO, USER),
    "an assistant's empty text": responses_body(USER, {**HELLO, "content": ""}, USER),
    "an assistant without parts": responses_body(USER, {**HELLO, "content": []}, USER),
    "a refusal": responses_body(USER, {"role": "assistant", "content": [{"type": "refusal", "refusal": "No."}]}, USER),
    "a phase": responses_body(USER, {**ASSISTANT_MESSAGE, "phase": "final_answer"}, USER),
    "a developer": responses_body({"role": "developer", "content": "Be brief."}, USER),
    "a system message in parts": responses_body(
        {"role": "system", "content": [{"type": "input_text", "text": "Hi"}]}, USER
    ),
    "a system message in the middle": responses_body(USER, {"role": "system", "content": "Be brief."}, USER),
    "an assistant first": responses_body(HELLO, USER),
    "an assistant last": responses_body(USER, HELLO),
    "two users in a row": responses_body(USER, USER),
    "an empty text of the user": responses_body({**USER, "content": ""}),
    "a call without id and status": responses_body(USER, call("call_1"), result("call_1")),
    "a call with id and status": responses_body(USER, call("call_1", id="fc_1", status="completed"), result("call_1")),
    "a call in a namespace": responses_body(
        USER, call("call_1", namespace="weather"), result("call_1"), tools=[NAMESPACE]
    ),
    "an id of another provider": responses_body(
        USER, call("toolu_01A09q90qw90lq917835lq9"), result("toolu_01A09q90qw90lq917835lq9")
    ),
    "an item's id of 64 characters": responses_body(USER, {**ASSISTANT_MESSAGE, "id": "msg_" + "1" * 60}, USER),
    "a name chosen among tools that others bring": responses_body(
        tools=[NAMESPACE], tool_choice={"type": "function", "name": "get_time"}
    ),
    "a name chosen of tools that came before": responses_body(
        previous_response_id="resp_1", tool_choice={"type": "function", "name": "get_time"}
    ),
    "a hosted tool chosen by another of its names": responses_body(
        tools=[{"type": "web_search"}], tool_choice={"type": "web_search_preview"}
    ),
    "a custom call and its result": responses_body(USER, CUSTOM, {**result("a"), "type": "custom_tool_call_output"}),
    "a custom call answered as a function": responses_body(USER, CUSTOM, result("a")),
    "a patch and its result": responses_body(
        USER,
        {"type": "apply_patch_call", "call_id": "a", "status": "completed", "operation": DELETES},
        {"type": "apply_patch_call_output", "call_id": "a", "status": "completed"},
    ),
    "a search without what it did": responses_body(USER, {"type": "web_search_call", "id": "ws_1"}, USER),
    "code of a container that is not named": responses_body(
        USER, {"type": "code_interpreter_call", "id": "ci_1", "code": "1", "outputs": [], "status": "completed"}, USER
    ),
    "a tier of other days": responses_body(service_tier="scale"),
    "an id of 64 characters": responses_body(USER, call("c" * 64), result("c" * 64)),
    "results in another order": responses_body(USER, call("a"), call("b"), result("b"), result("a")),
    "arguments that are no json": responses_body(USER, call("a", arguments='{"city": '), result("a")),
    "arguments that are no object": responses_body(USER, call("a", arguments="null"), result("a")),
    "a result in parts": responses_body(USER, call("a"), result("a", output=[{"type": "input_text", "text": "7"}])),
    "an empty result": responses_body(USER, call("a"), result("a", output="")),
    "results without tools": responses_body(USER, call("a"), result("a")),
    "a call of a tool that is not offered": responses_body(USER, call("a"), result("a"), tools=[tool(name="get_time")]),
    "a client's search answered as a function": responses_body(
        USER, {"type": "tool_search_call", "call_id": "a", "execution": "client", "arguments": {}}, result("a")
    ),
    "a thought and its message": responses_body(USER, REASONING_ITEM, ASSISTANT_MESSAGE, USER),
    "a thought and its call": responses_body(USER, REASONING_ITEM, call("a", id="fc_1"), result("a")),
    "a thought without id": responses_body(
        USER, {"type": "reasoning", "summary": [], "encrypted_content": "gAAAAABo"}, HELLO, USER
    ),
    "a thought alone and not stored": responses_body(USER, REASONING_ITEM, USER, store=False),
    "a thought without its encrypted content": responses_body(
        USER, {"type": "reasoning", "id": "rs_1", "summary": []}, USER
    ),
    "a thought twice and not stored": responses_body(
        USER, REASONING_ITEM, ASSISTANT_MESSAGE, REASONING_ITEM, USER, store=False
    ),
    "a thought with content": responses_body(USER, {**REASONING_ITEM, "content": []}, ASSISTANT_MESSAGE, USER),
    "a reference and a result": responses_body(USER, {"type": "item_reference", "id": "fc_1"}, result("a")),
    "a reference in the place of a result": responses_body(USER, call("a"), {"type": "item_reference", "id": "fco_1"}),
    "an id alone, which is a reference": responses_body(USER, {"id": "fc_1"}),
    "an id without a type": responses_body(USER, {"id": "fc_1", "type": None}),
    "an id with an agent": responses_body(USER, {"id": "fc_1", "agent": "x"}),
    "an item of a newer type": responses_body(USER, {"type": "configuration_update"}),
    "a reference without id": responses_body(USER, {"type": "item_reference"}, result("a")),
    "a result of a previous call": responses_body(result("a"), previous_response_id="resp_1"),
    "a result in a conversation": responses_body(result("a"), conversation="conv_1"),
    "a prompt alone": {"prompt": {"id": "pmpt_1", "version": "2"}},
    "tools brought by an item": responses_body(
        {"type": "additional_tools", "role": "developer", "tools": [TOOL]}, USER
    ),
    "no tools": responses_body(tools=[]),
    "null everywhere": responses_body(
        tools=None, tool_choice=None, reasoning=None, previous_response_id=None, instructions=None, text=None
    ),
    "a tool_choice without tools": responses_body(tool_choice="auto"),
    "parallel_tool_calls without tools": responses_body(parallel_tool_calls=False),
    "a choice of a function": responses_body(tools=[TOOL], tool_choice={"type": "function", "name": "get_weather"}),
    "allowed tools": responses_body(tools=[TOOL], tool_choice={"type": "allowed_tools", "mode": "auto", "tools": []}),
    "a function without parameters": responses_body(tools=[{"type": "function", "name": "f"}]),
    "a function in the shape of chat completions next to its name": responses_body(
        tools=[{"type": "function", "name": "f", "function": {"name": "f"}}]
    ),
    "an empty schema": responses_body(tools=[tool(parameters={}, strict=False)]),
    "an optional property where nothing is said of strict": responses_body(
        tools=[tool(parameters={"type": "object", "properties": {"a": {"type": "string"}}})]
    ),
    "a group of tools": responses_body(tools=[NAMESPACE, {"type": "tool_search"}]),
    "two tools of one name": responses_body(tools=[TOOL, TOOL]),
    "a custom tool": responses_body(tools=[{"type": "custom", "name": "f", "description": "d"}]),
    "a temperature where the model rests": responses_body(model="gpt-5.4", temperature=0),
    "temperature 1 for a reasoning model": responses_body(model="o4-mini", temperature=1.0),
    "a temperature with an effort of none": responses_body(
        model="gpt-5.6-sol", temperature=0.5, reasoning={"effort": "none"}
    ),
    "an effort for a model of which nothing is known": responses_body(
        model="a-model-of-ours", reasoning={"effort": "low"}
    ),
    "a summary for a model that does not reason": responses_body(model="gpt-4.1", reasoning={"summary": "auto"}),
    "the older name of a summary": responses_body(model="computer-use-preview", reasoning={"generate_summary": "auto"}),
    "a beta without its header": responses_body(model="gpt-5.6-sol", multi_agent={"enabled": True}),
    "a phase on codex": responses_body(USER, {**ASSISTANT_MESSAGE, "phase": "commentary"}, USER, model="gpt-5.3-codex"),
    "encrypted reasoning": responses_body(include=["reasoning.encrypted_content"], store=False),
    "strict tools on gpt-4o-mini": responses_body(
        model="gpt-4o-mini",
        tools=[tool(strict=True)],
    ),
    "a json object requested in words": responses_body(
        {**USER, "content": "Say it in JSON."}, text={"format": {"type": "json_object"}}
    ),
}


@pytest.mark.parametrize("body", ACCEPTED.values(), ids=ACCEPTED)
def test_what_openai_accepts_is_accepted(body: dict[str, Any]) -> None:
    assert violation_of(body) is None


@pytest.mark.parametrize(
    ("model", "refused"),
    [
        ("gpt-4.1", False),
        ("gpt-5.4-mini", False),
        ("gpt-5.1-chat-latest", True),
        ("gpt-5-mini-2025-08-07", True),
        ("o3", True),
        ("openai/gpt-5.6-luna", True),
        ("gpt-7", False),
        ("ft:gpt-4.1-nano-2025-04-14:acme::AbCdEf", False),
        ("a-model-of-ours", False),
    ],
)
def test_unknown_model_has_the_traits_of_the_newest_of_its_family(model: str, refused: bool) -> None:
    violation = violation_of(responses_body(model=model, temperature=0.5))

    assert (violation.rule if violation else None) == ("openai/responses-sampling-unsupported" if refused else None)


BETA = {"openai-beta": "responses_multi_agent=v1"}


def test_keys_of_a_beta_are_accepted_with_its_header() -> None:
    agent = {"agent": {"agent_name": "/root"}}
    body = responses_body({**USER, **agent}, model="gpt-5.6-sol", multi_agent={"enabled": True}, swarm={"size": 3})
    plain = {"content-type": "application/json"}

    assert WIRE.judge(http_request(body, plain | BETA), provider="openai") is None
    refused = WIRE.judge(http_request(body, plain), provider="openai")
    assert refused is not None
    assert refused.message == "Unknown parameter: 'swarm'."


@pytest.mark.parametrize("header", ["", "assistants=v2", "responses=experimental", "realtime=v1, agents=v1"])
def test_header_that_brings_no_keys_permits_none(header: str) -> None:
    refused = WIRE.judge(http_request(responses_body(swarm=1), {"openai-beta": header}), provider="openai")

    assert refused is not None
    assert refused.rule == "openai/responses-unknown-parameter"


@pytest.mark.parametrize("header", ["swarm=v1", "assistants=v2,swarm=v1"])
def test_keys_that_come_with_an_unknown_beta_are_accepted_on_both_wires(header: str) -> None:
    chat = json.dumps({"model": "gpt-4.1", "messages": [{"role": "user", "content": "Hi"}], "swarm": 1}).encode()

    assert WIRE.judge(http_request(responses_body(swarm=1), {"openai-beta": header}), provider="openai") is None
    assert judge("openai", "/v1/chat/completions", chat, {"openai-beta": header}) is None
    refused = judge("openai", "/v1/chat/completions", chat, {"openai-beta": "assistants=v2"})
    assert refused is not None
    assert refused.rule == "openai/unknown-parameter"


def test_betas_that_the_sdk_names_are_known_or_bring_keys_to_responses() -> None:
    written = re.compile(r'(?:"OpenAI-Beta": |betas: .*Literal\[)"(\w+=\w+)"')
    sources = Path(openai.__file__).parent.rglob("*.py")
    named = {name for source in sources for name in written.findall(source.read_text(encoding="utf-8"))}

    assert named - KNOWN_BETAS == {"responses_multi_agent=v1"}


@pytest.mark.parametrize("media_type", ["text/plain", "application/pdf"])
def test_documents_and_text_are_accepted_as_files(media_type: str) -> None:
    part = {"type": "input_file", "filename": "a", "file_data": f"data:{media_type};base64,SGk="}

    assert violation_of(responses_body({**USER, "content": [part]})) is None


def test_audio_and_video_are_refused_as_files_of_messages_and_of_results() -> None:
    part = {"type": "input_file", "filename": "a", "file_data": "data:audio/mpeg;base64,SGk="}
    of_message = violation_of(responses_body({**USER, "content": [part]}))
    of_result = violation_of(responses_body(USER, call("call_1"), result("call_1", output=[part])))

    assert of_message is not None
    assert of_message.message == (
        "Invalid file data: 'input[0].content[0].file_data'. Expected a base64-encoded data URL with a valid file "
        "MIME type (e.g. 'data:text/plain;base64,SGVsbG8sIFdvcmxkIQ=='), but got unsupported MIME type 'audio/mpeg'. "
        "Please see https://platform.openai.com/docs/assistants/tools/file-search#supported-files for supported file "
        "types."
    )
    assert of_result is not None
    assert of_result.at == "input[2].output[0].file_data"
