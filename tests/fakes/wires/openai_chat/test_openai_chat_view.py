"""The neutral view of valid and invalid requests."""

import json
from typing import Any

import pytest
from chat_requests import TOOL, USER, call_message, chat, http_request, result

from fake_providers import View, ViewCall, ViewMessage, ViewResult, ViewTool
from fake_providers.wires.openai_chat.wire import WIRE


def viewed(body: Any) -> View:
    return WIRE.view(http_request(body))


def test_system_messages_are_not_part_of_the_viewed_messages() -> None:
    view = viewed(
        chat(
            {"role": "system", "content": "Be brief."},
            USER,
            call_message("call_1", "call_2"),
            result("call_1"),
            {**result("call_2"), "name": "get_weather"},
            {"role": "developer", "content": [{"type": "text", "text": "Be kind."}]},
            {"role": "assistant", "content": "7 degrees.", "reasoning_content": "Hm."},
            stream=True,
        )
    )

    call = ViewCall("call_1", "get_weather", {"city": "Oslo"}, '{"city":"Oslo"}')
    assert view == View(
        model="gpt-4.1",
        stream=True,
        system="Be brief.\nBe kind.",
        messages=(
            ViewMessage("user", "messages[1]", "What is the weather in Oslo?"),
            ViewMessage("assistant", "messages[2]", calls=(call, ViewCall("call_2", *_rest(call)))),
            ViewMessage(
                "tool",
                "messages[3]",
                results=(
                    ViewResult("call_1", None, "7 degrees"),
                    ViewResult("call_2", "get_weather", "7 degrees"),
                ),
            ),
            ViewMessage("assistant", "messages[6]", "7 degrees.", thinking="Hm."),
        ),
    )


def _rest(call: ViewCall) -> tuple[str, Any, str]:
    return call.name, call.arguments, call.arguments_text


def test_messages_of_one_role_are_joined() -> None:
    parts = [{"type": "text", "text": "b"}, {"type": "image_url", "image_url": {}}, {"type": "text", "text": "c"}]
    view = viewed(chat({"role": "user", "content": "a"}, {"role": "user", "content": parts}))

    assert view.messages == (ViewMessage("user", "messages[0]", "a\nb\nc"),)


@pytest.mark.parametrize(
    ("written", "arguments", "text"),
    [('{"a": ', None, '{"a": '), ("[1]", [1], "[1]"), ({"a": 1}, {"a": 1}, '{"a": 1}'), ("", None, "")],
)
def test_arguments_as_json_text_are_parsed_if_possible(written: Any, arguments: Any, text: str) -> None:
    message = {"role": "assistant", "tool_calls": [{"id": "c", "function": {"name": "f", "arguments": written}}]}

    assert viewed(chat(message)).messages[0].calls == (ViewCall("c", "f", arguments, text),)


def test_tools_and_their_fields_are_viewed() -> None:
    view = viewed(chat(tools=[TOOL], tool_choice="auto", parallel_tool_calls=False))
    function: dict[str, Any] = json.loads(json.dumps(TOOL["function"]))

    assert view.tools == (ViewTool("get_weather", "Current weather for a city.", function["parameters"]),)
    assert view.fields == {"tools", "tool_choice", "parallel_tool_calls"}
    assert viewed(chat(tools=[])).fields == {"tools"}
    assert viewed(chat(tools=None)).fields == frozenset()


def test_old_functions_are_tools_too() -> None:
    called = {"role": "assistant", "function_call": {"name": "f", "arguments": "{}"}}
    view = viewed(chat(USER, called, {"role": "function", "name": "f", "content": "7"}, functions=[{"name": "f"}]))

    assert view.tools == (ViewTool("f", "", None),)
    assert view.messages[1].calls == (ViewCall(None, "f", {}, "{}"),)
    assert view.messages[2].results == (ViewResult(None, "f", "7"),)


@pytest.mark.parametrize(
    "body", [b"{", b"", [], None, {}, {"messages": 7, "functions": "x"}, {"model": 7, "messages": [7]}]
)
def test_values_of_a_wrong_type_are_left_out(body: Any) -> None:
    assert viewed(body) == View("", False)


@pytest.mark.parametrize(
    ("method", "path", "found"),
    [
        ("POST", "/v1/chat/completions", True),
        ("post", "/v1/chat/completions?x=1", True),
        ("POST", "/chat/completions", True),
        ("GET", "/v1/chat/completions", False),
        ("POST", "/v1/responses", False),
        ("GET", "/v1/models", False),
    ],
)
def test_only_posts_to_chat_completions_are_routed(method: str, path: str, found: bool) -> None:
    request = http_request(chat(stream=True))
    route = WIRE.route(type(request)(method, path, {}, request.body))

    assert (route is not None) == found
    if route is not None:
        assert (route.model, route.stream) == ("gpt-4.1", True)
