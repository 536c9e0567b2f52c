"""The neutral view of a request, refused ones included."""

from responses_requests import SAID, TOOL, USER, answered, asking, call, events, plain, posted, result

from fakes import Call, Reply, Request, View
from fakes.wires.openai_responses.wire import WIRE


def view(body: object) -> View:
    return WIRE.view(posted(body))


def test_route_is_any_path_that_ends_in_responses() -> None:
    route = WIRE.route(posted(asking(stream=True)))

    assert route is not None
    assert (route.model, route.stream) == ("gpt-5.4", True)
    for path in ("/v1/responses/resp_1", "/v1/chat/completions"):
        assert WIRE.route(Request("POST", path, {}, b"{}")) is None
    assert WIRE.route(Request("GET", "/v1/responses", {}, b"{}")) is None
    assert WIRE.route(Request("POST", "/openai/v1/responses?api-version=preview", {}, b"{}")) is not None


def test_text_is_a_message_of_the_user() -> None:
    seen = view({"model": "gpt-5.4", "input": "Hello"})

    assert [(message.role, message.at, message.text) for message in seen.messages] == [("user", "input", "Hello")]


def test_instructions_and_system_messages_are_the_system_text() -> None:
    seen = view(
        asking({"role": "developer", "content": "B"}, USER, {"role": "system", "content": "C"}, instructions="A")
    )

    assert seen.system == "A\nB\nC"
    assert [message.role for message in seen.messages] == ["user"]


def test_items_of_one_role_are_joined() -> None:
    thought = {"type": "reasoning", "summary": [{"type": "summary_text", "text": "Oslo?"}]}
    seen = view(asking(USER, thought, SAID, call("a"), call("b"), result("a"), result("b")))
    user, model, tool = seen.messages

    assert (user.at, model.at, tool.at) == ("input[0]", "input[1]", "input[5]")
    assert (model.thinking, model.text) == ("Oslo?", "Rain.")
    assert [(c.id, c.name, c.arguments) for c in model.calls] == [
        ("a", "get_weather", {"city": "Oslo"}),
        ("b", "get_weather", {"city": "Oslo"}),
    ]
    assert [(r.id, r.name, r.text) for r in tool.results] == [("a", None, "7 degrees"), ("b", None, "7 degrees")]


def test_arguments_that_are_no_json_are_text_alone() -> None:
    context = view(asking(USER, call("a", arguments='{"city": '))).messages[1].calls[0]

    assert (context.arguments, context.arguments_text) == (None, '{"city": ')


def test_result_in_parts_is_joined() -> None:
    parts = [{"type": "input_text", "text": "7"}, {"type": "input_text", "text": "degrees"}]

    assert view(asking(USER, call("a"), result("a", output=parts))).messages[2].results[0].text == "7\ndegrees"


def test_what_is_no_part_of_the_conversation_is_left_out() -> None:
    seen = view(asking(USER, {"type": "web_search_call", "id": "ws_1", "status": "completed"}, SAID))

    assert [message.role for message in seen.messages] == ["user", "assistant"]


def test_sealed_thought_is_read_by_the_fake_that_sealed_it() -> None:
    thought, said = plain(Reply(thinking="Oslo? 🌧", text="7"), asking(include=["reasoning.encrypted_content"]))[
        "output"
    ]

    assert thought["summary"] == []
    assert view(asking(USER, thought, said, USER)).messages[1].thinking == "Oslo? 🌧"
    assert view(asking(USER, {**thought, "encrypted_content": "gAAAAABo"}, said)).messages[1].thinking == ""


def test_tools_are_viewed_out_of_their_namespaces() -> None:
    spaces = [{"type": "namespace", "name": name, "tools": [TOOL]} for name in ("north", "south")]
    alone = view(asking(tools=[spaces[0], {"type": "web_search"}], tool_choice="auto"))
    both = view(asking(USER, call("a", namespace="south"), tools=spaces))

    assert [(tool.name, tool.description) for tool in alone.tools] == [("get_weather", "Current weather for a city.")]
    assert alone.tools[0].parameters == TOOL["parameters"]
    assert alone.fields == {"tools", "tool_choice"}
    assert [tool.name for tool in both.tools] == ["north.get_weather", "south.get_weather"]
    assert both.messages[1].calls[0].name == "south.get_weather"


def test_call_of_a_tool_in_a_namespace_carries_it() -> None:
    spaces = [{"type": "namespace", "name": name, "tools": [TOOL]} for name in ("north", "south")]
    one = plain(Reply(calls=(Call("get_weather", {}),)), asking(tools=spaces[:1]))["output"][0]
    two = events(answered(Reply(calls=(Call("south.get_weather", {}),)), asking(tools=spaces, stream=True)))[-1]

    assert (one["name"], one["namespace"]) == ("get_weather", "north")
    assert two["response"]["output"][0]["namespace"] == "south"
    assert "namespace" not in plain(Reply(calls=(Call("get_weather", {}),)), asking(tools=[TOOL]))["output"][0]


def test_body_that_is_no_object_is_viewed_as_nothing() -> None:
    assert view(b"{") == view([]) == View("", False)
