"""What Cohere refuses and accepts, beside the samples of its rules: recordings, and faults in other places."""

from typing import Any

import pytest
from cohere_requests import MODEL, SCHEMA, THINKS, TOOL, USER, call, calls, chat_body, refused, result, violation_of

from fake_providers.rule import Tolerance, tolerating

USAGE = "For proper usage, please refer to https://docs.cohere.com/reference/chat"
PICTURE = {"type": "image_url", "image_url": {"url": "https://example.com/a.png"}}
DOCUMENT = {"type": "document", "document": {"data": '[{"output": "60"}]'}}
NO_TYPE = {"type": "object", "properties": {"status": {"anyOf": [{"type": "string"}, {"type": "null"}]}}}


def tool(**members: Any) -> dict[str, Any]:
    return {**TOOL, "function": {**TOOL["function"], **members}}


ACCEPTED = {
    "an empty text beside calls": chat_body(USER, calls(content=[{"type": "text", "text": ""}]), result()),
    "a plan of null": chat_body(USER, calls(content=[], tool_plan=None, citations=None), result()),
    "calls and nothing else": chat_body(USER, calls(), result()),
    "a thought beside calls": chat_body(USER, calls(content=[{"type": "thinking", "thinking": "Hm."}]), result()),
    "arguments of null": chat_body(USER, calls(call(arguments="null")), result()),
    "a call without a result": chat_body(USER, calls(), USER),
    "a system message in the middle": chat_body(USER, {"role": "system", "content": "Be brief."}, USER),
    "answers in a row": chat_body(USER, {"role": "assistant", "content": "I look."}, calls(), result()),
    "a conversation that ends with an answer": chat_body(USER, {"role": "assistant", "content": "It"}),
    "documents as a result": chat_body(USER, calls(), result(content=[DOCUMENT])),
    "an empty block as a result": chat_body(USER, calls(), result(content=[{"type": "text", "text": ""}])),
    "a choice in small letters": chat_body(tools=[TOOL], tool_choice="required"),
    "no choice without tools": chat_body(tool_choice="NONE"),
    "strict tools with a required property": chat_body(tools=[TOOL], strict_tools=True, tool_choice="REQUIRED"),
    "a tool without properties": chat_body(tools=[tool(parameters={"type": "object", "properties": {}})]),
    "both penalties": chat_body(frequency_penalty=0.1, presence_penalty=0.1, k=20, p=0.8, seed=11, documents=[]),
    "a schema by OpenAI's type": chat_body(response_format={"type": "json_schema", "json_schema": SCHEMA}),
    "a property without a type, of a newer model": chat_body(tools=[tool(parameters=NO_TYPE)], model=THINKS),
    "a picture for a model that sees": chat_body({"role": "user", "content": [PICTURE]}, model=THINKS),
    "tools for a model without a choice of them": chat_body(tools=[TOOL], model="c4ai-aya-vision-8b"),
    "thinking": chat_body(thinking={"type": "enabled"}, model="command-a-reasoning-08-2025"),
    "a model that nobody knows": chat_body(model="command-b-2027"),
}
REFUSED = {
    "index": (
        chat_body(USER, calls({**call(), "index": 0}), result()),
        ("cohere/unknown-field", 422, f"unknown field: parameter 'index' is not a valid field. {USAGE}"),
    ),
    "OpenAI's strict": (
        chat_body(tools=[tool(strict=True)]),
        ("cohere/unknown-field", 422, f"unknown field: parameter 'strict' is not a valid field. {USAGE}"),
    ),
    "OpenAI's name of a result": (
        chat_body(USER, calls(), {**result(), "name": "get_weather"}),
        ("cohere/unknown-field", 422, f"unknown field: parameter 'name' is not a valid field. {USAGE}"),
    ),
    "top_p": (
        chat_body(top_p=0.5),
        ("cohere/unknown-field", 422, f"unknown field: parameter 'top_p' is not a valid field. {USAGE}"),
    ),
    "a result that is an object": (
        chat_body(USER, calls(), result(content={"degrees": 7})),
        (
            "cohere/content-type",
            422,
            f"invalid type: parameter 'messages.content' is of type object but should be of type string. {USAGE}",
        ),
    ),
    "a temperature that is a text": (
        chat_body(temperature="hot"),
        (
            "cohere/member-type",
            422,
            f"invalid type: parameter 'temperature' is of type string but should be of type number. {USAGE}",
        ),
    ),
    "a body that is a list": (
        [],
        (
            "cohere/member-type",
            422,
            f"invalid type: parameter '' is of type array but should be of type Object. {USAGE}",
        ),
    ),
    "an id of an earlier round": (
        chat_body(USER, calls(), result(), calls(call("get_weather_2"), call()), result("get_weather_2")),
        (
            "cohere/call-ids-twice",
            400,
            "invalid tool call provided in messages[3].tool_calls[1]: cannot have duplicate tool ids 'get_weather_1'",
        ),
    ),
    "arguments that are cut off": (
        chat_body(USER, calls(call(), call("get_weather_2", arguments='{"city":"Os')), result()),
        (
            "cohere/arguments-not-object",
            400,
            "invalid tool call provided in messages[1].tool_calls[1]: tool arguments must be a stringified JSON object",
        ),
    ),
    "a text beside calls": (
        chat_body(USER, calls(content="I look."), result()),
        (
            "cohere/text-beside-calls",
            400,
            "messages with non-empty 'tool_calls' cannot contain content items of type 'text'",
        ),
    ),
    "a result before its call": (
        chat_body(USER, result(), calls()),
        (
            "cohere/result-without-call",
            400,
            "invalid tool message at messages[1]: tool call id 'get_weather_1' not found in previous tool calls",
        ),
    ),
    "an empty question": (
        chat_body({"role": "user", "content": ""}),
        ("cohere/message-empty", 400, "invalid message provided at index 0: must have non-empty content or tool calls"),
    ),
    "a name with a dot": (
        chat_body(tools=[TOOL, tool(name="fetch.crawl")]),
        (
            "cohere/tool-name",
            400,
            "invalid request: tool names can only contain certain characters (A-Za-z0-9_) and can't begin with a digit "
            "(provided name: 'fetch.crawl').",
        ),
    ),
    "a nested object of strict tools": (
        chat_body(
            tools=[
                tool(
                    parameters={**SCHEMA, "properties": {**SCHEMA["properties"], "at": {"type": "object"}}},
                )
            ],
            strict_tools=True,
        ),
        (
            "cohere/strict-schema",
            400,
            "invalid function at tools[0].function: extra restrictions to tool parameters apply when strict_tools=true",
        ),
    ),
    "a property without a type, of an older model": (
        chat_body(tools=[tool(parameters=NO_TYPE)], model="command-r-08-2024"),
        ("cohere/schema-property-type", 400, "property status must have a type"),
    ),
    "more thinking than there may be output": (
        chat_body(thinking={"type": "enabled", "token_budget": 300}, max_tokens=200),
        (
            "cohere/thinking-budget",
            400,
            "invalid request: thinking.token_budget must be less than or equal to max_tokens",
        ),
    ),
    "a plan for a model that thinks": (
        chat_body(USER, calls(tool_plan="I look."), result(), model=THINKS),
        ("cohere/tool-plan-unsupported", 400, "`tool plan` cannot be used with this model"),
    ),
    "a document that is empty": (
        chat_body(documents=["Oslo", ""]),
        ("cohere/document-empty", 400, "invalid request: document at index 1 cannot be empty"),
    ),
}


@pytest.mark.parametrize("name", ACCEPTED)
def test_request_is_accepted(name: str) -> None:
    assert violation_of(ACCEPTED[name]) is None


@pytest.mark.parametrize("name", REFUSED)
def test_request_is_refused_in_coheres_words(name: str) -> None:
    body, expected = REFUSED[name]

    assert refused(body) == expected


def test_first_member_that_does_not_fit_is_named() -> None:
    assert refused({"model": MODEL, "top_p": 1, "messages": 7})[0] == "cohere/unknown-field"
    assert refused({"model": MODEL, "messages": 7, "top_p": 1})[0] == "cohere/member-type"


@pytest.mark.parametrize("body", [b"", b"null", b"{", b'{"model": 1e999}', b"[" * 20_000])
def test_odd_bodies_are_refused_and_nothing_is_raised(body: bytes) -> None:
    assert violation_of(body) is not None


def test_blocks_of_a_tolerated_role_are_not_judged_and_other_messages_are() -> None:
    tolerance = Tolerance(frozenset({"cohere/role-unknown"}))
    developer, block = {"role": "developer", "content": "Be brief."}, {"type": "input_text", "text": "Rain?"}
    with tolerating(tolerance):
        accepted = violation_of(chat_body(developer, USER))
        found = violation_of(chat_body(developer, {"role": "user", "content": [block]}))

    assert accepted is None
    assert found is not None
    assert found.rule == "cohere/block-type"
