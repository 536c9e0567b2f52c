"""The neutral view of requests, right and wrong."""

import json
from typing import Any

import pytest
from anthropic_requests import WIRE, assistant, body, request, result, system, text, use, user

from fakes import Request, View, ViewCall, ViewMessage, ViewResult, ViewTool


def viewed(*messages: Any, **fields: Any) -> View:
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


def test_system_is_gathered_from_everywhere() -> None:
    view = viewed(user(), system("two"), system([text("three")]), system=[text("zero"), text("one")])

    assert view.system == "zero\none\ntwo\nthree"
    assert view.messages == (ViewMessage("user", "messages[0]", "a"),)


def test_conversation_is_told_in_runs() -> None:
    view = viewed(
        user([text("a"), text("b")]),
        assistant([{"type": "thinking", "thinking": "hm", "signature": "s"}, text("so"), use("t1", input={"é": 1})]),
        user([result("t1", content=[text("x"), text("y")], is_error=True), text("and?")]),
        user("c"),
    )

    assert view.messages == (
        ViewMessage("user", "messages[0]", "a\nb"),
        ViewMessage("assistant", "messages[1]", "so", "hm", (ViewCall("t1", "f", {"é": 1}, '{"é": 1}'),)),
        ViewMessage("tool", "messages[2]", results=(ViewResult("t1", None, "x\ny", True),)),
        ViewMessage("user", "messages[2]", "and?\nc"),
    )


def test_split_results_are_one_message() -> None:
    view = viewed(user(), assistant([use("t1"), use("t2")]), user([result("t1")]), user([result("t2")]))

    assert [message.role for message in view.messages] == ["user", "assistant", "tool"]
    assert [answer.id for answer in view.messages[2].results] == ["t1", "t2"]


def test_images_in_results_are_named() -> None:
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": ""}}

    view = viewed(user(), assistant([use()]), user([result(content=[text("x"), image, {"type": "document"}])]))

    assert view.messages[2].results[0].text == "x\n[image/png]\n[document]"


def test_tools_are_the_clients_own() -> None:
    schema = {"type": "object"}
    own = {"name": "f", "description": "d", "input_schema": schema}

    view = viewed(tools=[own, {"type": "web_search_20250305", "name": "web_search"}, {"type": "custom", "name": "g"}])

    assert view.tools == (ViewTool("f", "d", schema), ViewTool("g", "", None))


@pytest.mark.parametrize(
    ("fields", "seen"),
    [
        ({}, set()),
        ({"tools": []}, {"tools"}),
        ({"tool_choice": {"type": "auto"}}, {"tool_choice"}),
        ({"tool_choice": {"type": "auto", "disable_parallel_tool_use": True}}, {"tool_choice", "parallel_tool_calls"}),
    ],
)
def test_fields_have_neutral_names(fields: dict[str, Any], seen: set[str]) -> None:
    assert viewed(**fields).fields == seen


def test_arguments_that_are_no_object_are_shown_as_they_came() -> None:
    view = viewed(user(), assistant([use(input='{"a": 1}')]))

    assert view.messages[1].calls == (ViewCall("toolu_1", "f", '{"a": 1}', '"{\\"a\\": 1}"'),)
