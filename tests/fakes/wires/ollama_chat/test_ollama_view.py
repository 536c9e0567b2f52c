"""The neutral view of a request, also of one that is wrong."""

from typing import Any

import pytest
from ollama_requests import SCHEMA, USER, calling, chat, posted, result, tool

from fakes import Request, View, ViewCall, ViewMessage, ViewResult, ViewTool
from fakes.wires.ollama_chat import WIRE


def viewed(body: Any) -> View:
    return WIRE.view(posted(body))


def test_conversation_is_seen_without_its_system_messages() -> None:
    view = viewed(
        chat(
            {"role": "system", "content": "Be brief."},
            USER,
            {**calling("call_1", ""), "thinking": "Hm."},
            result(tool_call_id="call_1"),
            {"role": "tool", "content": "rain"},
            {"role": "System", "content": "Be kind."},
            {"role": "assistant", "content": "7 degrees."},
            stream=None,
        )
    )

    told = ("get_weather", {"city": "Oslo"}, '{"city": "Oslo"}')
    assert view == View(
        model="qwen3:8b",
        stream=True,
        system="Be brief.\nBe kind.",
        messages=(
            ViewMessage("user", "messages[1]", "What is the weather in Oslo?"),
            ViewMessage(
                "assistant", "messages[2]", thinking="Hm.", calls=(ViewCall("call_1", *told), ViewCall(None, *told))
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
    view = viewed(chat({"role": "user", "content": "a"}, {"role": "user", "content": parts}))

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
def test_arguments_are_read_where_they_can_be(written: Any, arguments: Any, text: str) -> None:
    (call,) = viewed(chat(calling("c", arguments=written))).messages[0].calls

    assert (call.arguments, call.arguments_text) == (arguments, text)


def test_tools_are_seen() -> None:
    view = viewed(chat(tools=[tool()], tool_choice="auto"))

    assert view.tools == (ViewTool("get_weather", "Current weather for a city.", SCHEMA),)
    assert view.fields == {"tools"}


def test_empty_list_of_tools_is_none() -> None:
    assert viewed(chat(tools=[])).fields == viewed(chat(tools=None)).fields == frozenset()


def test_names_are_read_in_any_case() -> None:
    view = viewed({"Model": "qwen3:8b", "Messages": [{"Role": "user", "CONTENT": "a"}], "Stream": False})

    assert view == View("qwen3:8b", False, messages=(ViewMessage("user", "messages[0]", "a"),))


@pytest.mark.parametrize(
    "body", [b"{", b"", [], None, {}, {"messages": 7, "tools": "x"}, {"model": 7, "messages": [7], "tools": [7]}]
)
def test_what_cannot_be_read_is_left_out(body: Any) -> None:
    view = viewed(body)

    assert (view.model, view.stream, view.system, view.messages, view.tools) == ("", True, "", (), ())


@pytest.mark.parametrize(
    ("method", "path", "found"),
    [
        ("POST", "/api/chat", True),
        ("post", "/api/chat?x=1", True),
        ("GET", "/api/chat", False),
        ("POST", "/api/generate", False),
        ("POST", "/v1/chat/completions", False),
        ("GET", "/api/tags", False),
    ],
)
def test_route_is_a_post_to_chat(method: str, path: str, found: bool) -> None:
    route = WIRE.route(Request(method, path, {}, posted(chat()).body))

    assert (route is not None) == found
    if route is not None:
        assert (route.model, route.stream) == ("qwen3:8b", False)
