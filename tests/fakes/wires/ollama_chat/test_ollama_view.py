"""The neutral view of valid and invalid requests."""

from typing import Any

import pytest
from ollama_requests import SCHEMA, USER, call_message, chat_body, http_request, result, tool

from fake_providers import Request, View, ViewCall, ViewMessage, ViewResult, ViewTool
from fake_providers.wires.ollama_chat.wire import WIRE


def viewed(body: Any) -> View:
    return WIRE.view(http_request(body))


def test_system_messages_are_not_part_of_the_viewed_messages() -> None:
    view = viewed(
        chat_body(
            {"role": "system", "content": "Be brief."},
            USER,
            {**call_message("call_1", ""), "thinking": "Hm."},
            result(tool_call_id="call_1"),
            {"role": "tool", "content": "rain"},
            {"role": "System", "content": "Be kind."},
            {"role": "assistant", "content": "7 degrees."},
            stream=None,
        )
    )

    call = ("get_weather", {"city": "Oslo"}, '{"city": "Oslo"}')
    assert view == View(
        model="qwen3:8b",
        stream=True,
        system="Be brief.\nBe kind.",
        messages=(
            ViewMessage("user", "messages[1]", "What is the weather in Oslo?"),
            ViewMessage(
                "assistant", "messages[2]", thinking="Hm.", calls=(ViewCall("call_1", *call), ViewCall(None, *call))
            ),
            ViewMessage(
                "tool",
                "messages[3]",
                results=(ViewResult("call_1", "get_weather", "7 degrees"), ViewResult(None, None, "rain")),
            ),
            ViewMessage("assistant", "messages[6]", "7 degrees."),
        ),
    )


def test_messages_of_one_role_are_joined_and_parts_are_read() -> None:
    parts = [{"type": "text", "text": "b"}, {"type": "image_url", "image_url": {}}, "c"]
    view = viewed(chat_body({"role": "user", "content": "a"}, {"role": "user", "content": parts}))

    assert view.messages == (ViewMessage("user", "messages[0]", "a\nb\nc"),)


@pytest.mark.parametrize(
    ("written", "arguments", "text"),
    [
        ({"a": 1}, {"a": 1}, '{"a": 1}'),
        (None, {}, "{}"),
        ("{}", {}, "{}"),
        ('{"a": ', None, '{"a": '),
        ([1], [1], "[1]"),
    ],
)
def test_arguments_as_json_text_are_parsed_if_possible(written: Any, arguments: Any, text: str) -> None:
    (call,) = viewed(chat_body(call_message("c", arguments=written))).messages[0].calls

    assert (call.arguments, call.arguments_text) == (arguments, text)


def test_tools_are_viewed() -> None:
    view = viewed(chat_body(tools=[tool()], tool_choice="auto"))

    assert view.tools == (ViewTool("get_weather", "Current weather for a city.", SCHEMA),)
    assert view.fields == {"tools"}


def test_empty_list_of_tools_counts_as_none() -> None:
    assert viewed(chat_body(tools=[])).fields == viewed(chat_body(tools=None)).fields == frozenset()


def test_names_are_matched_in_any_case() -> None:
    view = viewed({"Model": "qwen3:8b", "Messages": [{"Role": "user", "CONTENT": "a"}], "Stream": False})

    assert view == View("qwen3:8b", False, messages=(ViewMessage("user", "messages[0]", "a"),))


@pytest.mark.parametrize(
    "body", [b"{", b"", [], None, {}, {"messages": 7, "tools": "x"}, {"model": 7, "messages": [7], "tools": [7]}]
)
def test_values_of_a_wrong_type_are_left_out(body: Any) -> None:
    view = viewed(body)

    assert (view.model, view.stream, view.system, view.messages, view.tools) == ("", True, "", (), ())


@pytest.mark.parametrize(
    ("method", "path", "found"),
    [
        ("POST", "/api/chat", True),
        ("post", "/api/chat?x=1", True),
        ("GET", "/api/chat", False),
        ("POST", "/api/generate", True),
        ("GET", "/api/generate", False),
        ("POST", "/v1/chat/completions", False),
        ("GET", "/api/tags", False),
    ],
)
def test_only_posts_to_chat_are_routed(method: str, path: str, found: bool) -> None:
    route = WIRE.route(Request(method, path, {}, http_request(chat_body()).body))

    assert (route is not None) == found
    if route is not None:
        assert (route.model, route.stream) == ("qwen3:8b", False)
