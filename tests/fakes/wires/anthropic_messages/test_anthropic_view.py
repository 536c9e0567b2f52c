"""The neutral view of valid and invalid requests."""

import json
from typing import Any

import pytest
from anthropic_requests import WIRE, assistant, body, request, system, text_block, tool_result, tool_use, user

from fake_providers import Request, View, ViewCall, ViewMessage, ViewResult, ViewTool


def view_of(*messages: Any, **fields: Any) -> View:
    return WIRE.view(request(*messages, **fields))


@pytest.mark.parametrize(
    ("path", "routed"),
    [
        ("/v1/messages", True),
        ("/v1/messages?beta=true", True),
        ("/proxy/v1/messages", True),
        ("/v1/messages/count_tokens", False),
        ("/v1/messages/batches", False),
        ("/v1/complete", False),
    ],
)
def test_only_messages_are_model_requests(path: str, routed: bool) -> None:
    raw = json.dumps(body(stream=True)).encode()

    route = WIRE.route(Request("POST", path, {}, raw))

    assert (route is not None) is routed
    assert WIRE.route(Request("GET", path, {}, raw)) is None
    if route is not None:
        assert (route.model, route.stream) == ("claude-sonnet-5", True)


def test_system_is_collected_from_all_places() -> None:
    view = view_of(user(), system("two"), system([text_block("three")]), system=[text_block("zero"), text_block("one")])

    assert view.system == "zero\none\ntwo\nthree"
    assert view.messages == (ViewMessage("user", "messages[0]", "a"),)


def test_conversation_is_viewed_as_runs() -> None:
    view = view_of(
        user([text_block("a"), text_block("b")]),
        assistant(
            [{"type": "thinking", "thinking": "hm", "signature": "s"}, text_block("so"), tool_use("t1", input={"é": 1})]
        ),
        user([tool_result("t1", content=[text_block("x"), text_block("y")], is_error=True), text_block("and?")]),
        user("c"),
    )

    assert view.messages == (
        ViewMessage("user", "messages[0]", "a\nb"),
        ViewMessage("assistant", "messages[1]", "so", "hm", (ViewCall("t1", "f", {"é": 1}, '{"é": 1}'),)),
        ViewMessage("tool", "messages[2]", results=(ViewResult("t1", None, "x\ny", True),)),
        ViewMessage("user", "messages[2]", "and?\nc"),
    )


def test_split_results_are_one_message() -> None:
    view = view_of(
        user(), assistant([tool_use("t1"), tool_use("t2")]), user([tool_result("t1")]), user([tool_result("t2")])
    )

    assert [message.role for message in view.messages] == ["user", "assistant", "tool"]
    assert [answer.id for answer in view.messages[2].results] == ["t1", "t2"]


def test_images_in_results_are_shown_by_media_type() -> None:
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": ""}}

    view = view_of(
        user(), assistant([tool_use()]), user([tool_result(content=[text_block("x"), image, {"type": "document"}])])
    )

    assert view.messages[2].results[0].text == "x\n[image/png]\n[document]"


def test_view_has_only_the_clients_own_tools() -> None:
    schema = {"type": "object"}
    own = {"name": "f", "description": "d", "input_schema": schema}

    view = view_of(tools=[own, {"type": "web_search_20250305", "name": "web_search"}, {"type": "custom", "name": "g"}])

    assert view.tools == (ViewTool("f", "d", schema), ViewTool("g", "", None))


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({}, set()),
        ({"tools": []}, {"tools"}),
        ({"tool_choice": {"type": "auto"}}, {"tool_choice"}),
        ({"tool_choice": {"type": "auto", "disable_parallel_tool_use": True}}, {"tool_choice", "parallel_tool_calls"}),
    ],
)
def test_fields_have_neutral_names(fields: dict[str, Any], expected: set[str]) -> None:
    assert view_of(**fields).fields == expected


def test_arguments_that_are_not_an_object_are_viewed_unchanged() -> None:
    view = view_of(user(), assistant([tool_use(input='{"a": 1}')]))

    assert view.messages[1].calls == (ViewCall("toolu_1", "f", '{"a": 1}', '"{\\"a\\": 1}"'),)
