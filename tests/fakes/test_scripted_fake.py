"""The script and the record of a served fake, on a wire of a few lines that stands in for all of them."""

import json
from typing import Any
from unittest import mock

import httpx2
import pytest

from fake_providers import (
    Call,
    CannotExpress,
    Fault,
    Reply,
    ReplyContext,
    Request,
    Response,
    Route,
    View,
    ViewMessage,
    ViewResult,
    ViewTool,
    Violation,
    registry,
)
from fake_providers.http import json_response
from fake_providers.serving.loopback import serve
from fake_providers.serving.scripted_fake import ScriptedFake


class SmallWire:
    """Plain JSON in, plain JSON out; refuses `{"bad": true}` and a request without a key."""

    name = "small"
    providers = ("tiny",)
    rules = ()
    base_path = "/v7"

    def route(self, request: Request) -> Route | None:
        return Route("m", False) if request.path == "/v7/ask" else None

    def missing_key(self, request: Request) -> Violation | None:
        return None if "authorization" in request.headers else Violation("tiny/no-key", 401, {}, "no key", "")

    def judge(self, request: Request, *, provider: str) -> Violation | None:
        return Violation("tiny/bad", 400, {}, "bad", "") if json.loads(request.body).get("bad") else None

    def view(self, request: Request) -> View:
        body = json.loads(request.body)
        results = tuple(ViewResult(None, None, text) for text in body.get("results", ()))
        messages = (ViewMessage("tool", "", results=results),) if results else ()
        tools = tuple(ViewTool(name, "", schema) for name, schema in body.get("tools", ()))
        return View("m", False, messages=messages, tools=tools)

    def encode(self, reply: Reply, context: ReplyContext) -> Response:
        if reply.thinking:
            raise CannotExpress("thinking")
        return json_response(200, reply.text or [[call.name, call.arguments] for call in reply.calls])

    def fail(self, fault: Fault, context: ReplyContext) -> Response:
        return json_response(fault.status or 500, "fault")

    def refuse(self, violation: Violation, context: ReplyContext) -> Response:
        return json_response(violation.status, violation.message)

    def too_long(self, request: Request, *, provider: str, tokens: int, window: int) -> Violation:
        return Violation("tiny/too-long", 400, {}, f"{tokens} tokens in a window of {window}", "")


@pytest.fixture(autouse=True)
def _small_wire(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(registry.PROVIDERS, "tiny", ("small",))
    monkeypatch.setitem(registry.WIRES, "small", "small_wire")
    monkeypatch.setattr(registry, "wire_named", lambda name: SmallWire())


def ask(fake: ScriptedFake, key: str | None = "k", **body: Any) -> tuple[int, Any]:
    headers = {} if key is None else {"authorization": key}
    response = fake.handle(Request("POST", "/v7/ask", headers, json.dumps(body).encode()))
    return response.status, json.loads(response.body)


def test_replies_come_in_order_and_the_last_text_again() -> None:
    fake = ScriptedFake("tiny", [Reply(text="a"), Reply(text="b"), Reply(calls=(Call("t", {}),))])

    assert [ask(fake)[1] for _ in range(5)] == ["a", "b", [["t", {}]], "b", "b"]


def test_script_without_a_text_is_over_at_its_end() -> None:
    fake = ScriptedFake("tiny", [Reply(calls=(Call("t", {}),))])

    assert [ask(fake)[1] for _ in range(3)] == [[["t", {}]], "The script is over.", "The script is over."]


def test_fault_is_answered_and_not_repeated() -> None:
    fake = ScriptedFake("tiny", [Reply(text="x", fault=Fault(status=529)), Reply(text="a")])

    assert [ask(fake) for _ in range(3)] == [(529, "fault"), (200, "a"), (200, "a")]


def test_refusal_is_recorded_and_uses_up_no_reply() -> None:
    fake = ScriptedFake("tiny", [Reply(text="a")])

    assert [ask(fake, bad=True), ask(fake, key=None), ask(fake)] == [(400, "bad"), (401, "no key"), (200, "a")]
    assert [violation.rule for violation in fake.violations] == ["tiny/bad", "tiny/no-key"]
    assert len(fake.requests) == len(fake.views) == 3


def test_conversation_that_is_longer_than_the_window_is_refused_and_uses_up_no_reply() -> None:
    fake = ScriptedFake("tiny", [Reply(text="a")], window=4)

    assert ask(fake, tools=[["t" * 16, {}]]) == (400, "5 tokens in a window of 4")
    assert ask(fake, tools=[["t" * 14, {}]]) == (200, "a")
    assert [violation.rule for violation in fake.violations] == ["tiny/too-long"]


def test_replies_that_no_request_got_are_unused() -> None:
    fake = ScriptedFake("tiny", [Reply(text="a"), Reply(text="b")], faults={1: Fault(status=529)})

    unused = []
    for _ in range(4):
        ask(fake)
        unused.append([reply.text for reply in fake.unused_replies])

    assert unused == [["a", "b"], ["b"], [], []]
    assert ScriptedFake("tiny").unused_replies == []


def test_without_replies_the_first_tool_is_called_until_it_has_answered() -> None:
    schema = {"type": "object", "required": ["city"], "properties": {"city": {"type": "string"}}}
    fake = ScriptedFake("tiny")
    tools = [["weather", schema], ["other", {}]]

    assert ask(fake)[1] == "Done."
    assert [ask(fake, tools=tools)[1] for _ in range(2)] == [[["weather", {"city": "x"}]]] * 2
    assert ask(fake, tools=tools, results=["sunny"])[1] == "Done."


def test_tool_whose_arguments_are_no_object_is_called_with_none() -> None:
    assert ask(ScriptedFake("tiny"), tools=[["t", {"type": "string"}]])[1] == [["t", {}]]


def test_other_path_is_a_404_and_no_request() -> None:
    fake = ScriptedFake("tiny")
    response = fake.handle(Request("GET", "/v7/models", {}, b""))

    assert response.status == 404
    assert ("x-should-retry", "false") in response.headers
    assert b"GET /v7/models is no model request of small" in response.body
    assert fake.requests == []


def test_unknown_wire_names_the_known() -> None:
    with pytest.raises(LookupError, match="its wires are small"):
        ScriptedFake("tiny", wire="large")
    with pytest.raises(LookupError, match="no provider `nobody`"):
        ScriptedFake("nobody")
    assert ScriptedFake("tiny", wire="small").wire.name == "small"


def test_serve_gives_a_base_url_that_ends_as_the_sdk_wants_it() -> None:
    with serve("tiny", [Reply(text="a")]) as fake:
        answer = httpx2.post(f"{fake.base_url}/ask", json={}, headers={"authorization": "k"})

    assert answer.json() == "a"
    assert fake.base_url.endswith("/v7")
    assert fake.requests[0].path == "/v7/ask"


def test_reply_that_the_wire_cannot_express_is_raised_at_the_end() -> None:
    with pytest.raises(CannotExpress, match="thinking"), serve("tiny", [Reply(thinking="hm")]) as fake:
        answer = httpx2.post(f"{fake.base_url}/ask", json={}, headers={"authorization": "k"})

    assert answer.status_code == 500


def test_error_of_the_test_itself_comes_first() -> None:
    def fail() -> None:
        with serve("tiny", [Reply(thinking="hm")]) as fake:
            httpx2.post(f"{fake.base_url}/ask", json={}, headers={"authorization": "k"})
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()


@pytest.mark.parametrize(
    ("provider", "module", "path", "body"),
    [
        ("xai", "wires.openai_responses.provider", "/v1/responses", {"model": "grok-4", "input": "Hi."}),
        (
            "groq",
            "providers.groq.groq_chat",
            "/openai/v1/chat/completions",
            {"model": "llama-3.3-70b-versatile", "messages": [{"role": "user", "content": "Hi."}]},
        ),
    ],
)
def test_an_answer_does_not_look_through_its_request_again(
    provider: str, module: str, path: str, body: dict[str, Any]
) -> None:
    fake = ScriptedFake(provider, [Reply(text="Hello.")])
    request = Request("POST", path, {"authorization": "Bearer x"}, json.dumps(body).encode())
    with mock.patch(f"fake_providers.{module}.view_of", side_effect=AssertionError("it is seen by now")):
        assert fake.handle(request).status == 200
