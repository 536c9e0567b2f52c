"""The neutral view of valid and invalid requests."""

from responses_requests import (
    ASSISTANT_MESSAGE,
    TOOL,
    USER,
    call,
    encode_reply,
    events,
    http_request,
    plain,
    responses_body,
    result,
)

from fake_providers import Call, Reply, Request, View
from fake_providers.wires.openai_responses.wire import WIRE


def view(body: object) -> View:
    return WIRE.view(http_request(body))


def test_any_path_that_ends_in_responses_is_routed() -> None:
    route = WIRE.route(http_request(responses_body(stream=True)))

    assert route is not None
    assert (route.model, route.stream) == ("gpt-5.4", True)
    for path in ("/v1/responses/resp_1", "/v1/chat/completions"):
        assert WIRE.route(Request("POST", path, {}, b"{}")) is None
    assert WIRE.route(Request("GET", "/v1/responses", {}, b"{}")) is None
    assert WIRE.route(Request("POST", "/openai/v1/responses?api-version=preview", {}, b"{}")) is not None


def test_text_is_a_user_message() -> None:
    viewed = view({"model": "gpt-5.4", "input": "Hello"})

    assert [(message.role, message.at, message.text) for message in viewed.messages] == [("user", "input", "Hello")]


def test_instructions_and_system_messages_are_the_system_text() -> None:
    viewed = view(
        responses_body(
            {"role": "developer", "content": "B"}, USER, {"role": "system", "content": "C"}, instructions="A"
        )
    )

    assert viewed.system == "A\nB\nC"
    assert [message.role for message in viewed.messages] == ["user"]


def test_items_of_one_role_are_joined() -> None:
    reasoning = {"type": "reasoning", "summary": [{"type": "summary_text", "text": "Oslo?"}]}
    viewed = view(responses_body(USER, reasoning, ASSISTANT_MESSAGE, call("a"), call("b"), result("a"), result("b")))
    user, model, tool = viewed.messages

    assert (user.at, model.at, tool.at) == ("input[0]", "input[1]", "input[5]")
    assert (model.thinking, model.text) == ("Oslo?", "Rain.")
    assert [(c.id, c.name, c.arguments) for c in model.calls] == [
        ("a", "get_weather", {"city": "Oslo"}),
        ("b", "get_weather", {"city": "Oslo"}),
    ]
    assert [(r.id, r.name, r.text) for r in tool.results] == [("a", None, "7 degrees"), ("b", None, "7 degrees")]


def test_arguments_that_are_not_json_are_viewed_as_text() -> None:
    context = view(responses_body(USER, call("a", arguments='{"city": '))).messages[1].calls[0]

    assert (context.arguments, context.arguments_text) == (None, '{"city": ')


def test_result_in_parts_is_joined() -> None:
    parts = [{"type": "input_text", "text": "7"}, {"type": "input_text", "text": "degrees"}]

    assert view(responses_body(USER, call("a"), result("a", output=parts))).messages[2].results[0].text == "7\ndegrees"


def test_items_outside_the_conversation_are_left_out() -> None:
    viewed = view(
        responses_body(USER, {"type": "web_search_call", "id": "ws_1", "status": "completed"}, ASSISTANT_MESSAGE)
    )

    assert [message.role for message in viewed.messages] == ["user", "assistant"]


def test_encrypted_reasoning_is_read_by_the_fake_that_encrypted_it() -> None:
    reasoning, message = plain(
        Reply(thinking="Oslo? 🌧", text="7"), responses_body(include=["reasoning.encrypted_content"])
    )["output"]

    assert reasoning["summary"] == []
    assert view(responses_body(USER, reasoning, message, USER)).messages[1].thinking == "Oslo? 🌧"
    assert (
        view(responses_body(USER, {**reasoning, "encrypted_content": "gAAAAABo"}, message)).messages[1].thinking == ""
    )


def test_tools_are_viewed_without_their_namespaces() -> None:
    spaces = [{"type": "namespace", "name": name, "tools": [TOOL]} for name in ("north", "south")]
    viewed = view(responses_body(tools=[spaces[0], {"type": "web_search"}], tool_choice="auto"))
    both = view(responses_body(USER, call("a", namespace="south"), tools=spaces))

    assert [(tool.name, tool.description) for tool in viewed.tools] == [("get_weather", "Current weather for a city.")]
    assert viewed.tools[0].parameters == TOOL["parameters"]
    assert viewed.fields == {"tools", "tool_choice"}
    assert [tool.name for tool in both.tools] == ["north.get_weather", "south.get_weather"]
    assert both.messages[1].calls[0].name == "south.get_weather"


def test_call_of_a_tool_in_a_namespace_has_the_namespace() -> None:
    spaces = [{"type": "namespace", "name": name, "tools": [TOOL]} for name in ("north", "south")]
    one = plain(Reply(calls=(Call("get_weather", {}),)), responses_body(tools=spaces[:1]))["output"][0]
    two = events(
        encode_reply(Reply(calls=(Call("south.get_weather", {}),)), responses_body(tools=spaces, stream=True))
    )[-1]

    assert (one["name"], one["namespace"]) == ("get_weather", "north")
    assert two["response"]["output"][0]["namespace"] == "south"
    assert "namespace" not in plain(Reply(calls=(Call("get_weather", {}),)), responses_body(tools=[TOOL]))["output"][0]


def test_body_that_is_not_an_object_has_an_empty_view() -> None:
    assert view(b"{") == view([]) == View("", False)
