"""Faults by request number, in addition to the script; the same script gives the same bytes."""

import json
from collections.abc import Callable
from typing import Any

import anthropic
import httpx
import openai
import pytest
import respx

from fake_providers import Call, Fault, Reply, Request, Response, ScriptedFake
from fake_providers.faults import FAULTS
from fake_providers.transport.respx_route import add_route

HELLO: Any = [{"role": "user", "content": "hi"}]
KEY = {"authorization": "Bearer k"}


def context(fake: ScriptedFake, *, stream: bool = False, **more: Any) -> Response:
    body = {"model": "gpt-4.1", "messages": HELLO, "stream": stream, **more}
    return fake.handle(Request("POST", "/v1/chat/completions", KEY, json.dumps(body).encode()))


def text_of(response: Response) -> str:
    text: str = json.loads(response.body)["choices"][0]["message"]["content"]
    return text


def test_fault_replaces_one_response_and_leaves_the_script_unchanged() -> None:
    fake = ScriptedFake("openai", [Reply(text="a"), Reply(text="b")], faults={2: Fault(status=503)})

    assert text_of(context(fake)) == "a"
    assert context(fake).status == 503
    assert text_of(context(fake)) == "b"


@pytest.mark.parametrize("retry_after", [None, 2])
def test_date_takes_the_place_of_the_providers_own_seconds(retry_after: float | None) -> None:
    date = "Wed, 21 Oct 2015 07:28:00 GMT"
    fake = ScriptedFake("openai", faults={1: Fault(status=429, retry_after=retry_after, retry_date=date)})

    headers = [header for header in context(fake).headers if header[0].startswith("retry-after")]

    assert headers == [("retry-after", date)]


def test_noise_does_not_repeat_a_reply() -> None:
    noisy = Fault(noise=("single-bytes",))
    fake = ScriptedFake("openai", [Reply(text="a"), Reply(text="b")], faults={1: noisy})

    assert [text_of(context(fake)), text_of(context(fake))] == ["a", "b"]


def test_reply_with_a_wrong_content_type_is_not_repeated() -> None:
    fake = ScriptedFake("openai", [Reply(text="a"), Reply(text="b")], faults={1: FAULTS["wrong-content-type"]})

    assert [text_of(context(fake)), text_of(context(fake))] == ["a", "b"]


def test_lost_call_is_made_again_without_a_script() -> None:
    tools = [{"type": "function", "function": {"name": "f", "parameters": {"type": "object", "properties": {}}}}]
    fake = ScriptedFake("openai", faults={1: Fault(cut_at=40)})

    first, second, third = (context(fake, tools=tools) for _ in range(3))

    assert first.cut
    for again in (second, third):
        assert json.loads(again.body)["choices"][0]["message"]["tool_calls"][0]["function"]["name"] == "f"


def test_refused_request_is_refused_despite_its_fault() -> None:
    fake = ScriptedFake("openai", [Reply(text="a")], faults={1: Fault(connection="reset")})

    assert context(fake, messages=[]).status == 400
    assert text_of(context(fake)) == "a"
    assert len(fake.violations) == 1


def test_fault_for_an_impossible_request_number_is_an_error() -> None:
    with pytest.raises(ValueError, match="request 0; requests are counted from 1"):
        ScriptedFake("openai", faults={0: FAULTS["reset"]})


def test_fault_may_be_part_of_the_script() -> None:
    fake = ScriptedFake("openai", [Reply(fault=Fault(connection="reset")), Reply(text="b")])

    assert context(fake).headless
    assert text_of(context(fake)) == "b"


@pytest.mark.parametrize("name", FAULTS)
def test_the_same_script_gives_the_same_bytes(name: str) -> None:
    def outcome() -> list[Response]:
        replies = [Reply(text="Grüße", calls=(Call("f", {}),)), Reply(text="b")]
        fake = ScriptedFake("anthropic", replies, faults={2: FAULTS[name]})
        body = {"model": "claude-sonnet-4-6", "max_tokens": 9, "messages": HELLO, "stream": True}
        request = Request("POST", "/v1/messages", {"x-api-key": "k"}, json.dumps(body).encode())
        return [fake.handle(request) for _ in range(3)]

    assert outcome() == outcome()


def test_incomplete_response_cannot_be_continued() -> None:
    fake = ScriptedFake("openai", [Reply(text="a")], wire="openai-responses", faults={1: Fault(cut_at=-1)})

    made = _responses(fake, input="hi")
    outcome_name = json.loads(made.body + b"}")["id"]
    refused = _responses(fake, input="go on", previous_response_id=outcome_name)

    assert (refused.status, json.loads(refused.body)["error"]["code"]) == (400, "previous_response_not_found")


@pytest.mark.parametrize(
    "fault", [Fault(noise=("comments", "crlf", "single-bytes")), Fault(ends="in-an-event")], ids=["noisy", "unended"]
)
def test_complete_response_can_be_continued(fault: Fault) -> None:
    fake = ScriptedFake("openai", [Reply(text="a")], wire="openai-responses", faults={1: fault})

    made = _responses(fake, input="hi", stream=True)
    outcome_name = json.loads(made.body.split(b"data: ")[1].splitlines()[0])["response"]["id"]

    assert _responses(fake, input="go on", previous_response_id=outcome_name).status == 200
    assert [message.text for message in fake.views[1].messages] == ["hi", "a", "go on"]


def _responses(fake: ScriptedFake, **body: Any) -> Response:
    sent = json.dumps({"model": "gpt-4.1", **body}).encode()
    return fake.handle(Request("POST", "/v1/responses", KEY, sent))


def test_sdks_recover_from_a_series_of_faults(fake_provider: Callable[..., ScriptedFake]) -> None:
    row = {1: FAULTS["reset"], 2: Fault(status=429, retry_after=0), 4: Fault(status=503, retry_after=0)}
    fake = fake_provider("openai", [Reply(text="a"), Reply(text="b")], faults=row)

    with openai.OpenAI(api_key="k", base_url=fake.base_url) as client:
        first, second = (client.chat.completions.create(model="gpt-4.1", messages=HELLO) for _ in range(2))

    assert [answer.choices[0].message.content for answer in (first, second)] == ["a", "b"]
    assert len(fake.requests) == 5


def test_rate_limit_tells_openais_sdk_how_long_to_wait(fake_provider: Callable[..., ScriptedFake]) -> None:
    fake = fake_provider("openai", faults={1: Fault(status=429, retry_after=2)})

    with (
        openai.OpenAI(api_key="k", base_url=fake.base_url, max_retries=0) as client,
        pytest.raises(openai.RateLimitError) as caught,
    ):
        client.chat.completions.create(model="gpt-4.1", messages=HELLO)

    headers = caught.value.response.headers
    assert (headers["retry-after"], headers["retry-after-ms"]) == ("2", "2000")
    assert headers["x-ratelimit-remaining-tokens"] == "0"
    assert caught.value.code == "rate_limit_exceeded"


def test_quota_and_rate_limit_differ_by_their_code(fake_provider: Callable[..., ScriptedFake]) -> None:
    fake = fake_provider("openai", faults={1: FAULTS["quota"]})

    with (
        openai.OpenAI(api_key="k", base_url=fake.base_url, max_retries=0) as client,
        pytest.raises(openai.RateLimitError) as caught,
    ):
        client.chat.completions.create(model="gpt-4.1", messages=HELLO)

    assert (caught.value.code, caught.value.type) == ("insufficient_quota", "insufficient_quota")


def test_anthropics_overload_comes_as_a_status_and_in_a_stream(fake_provider: Callable[..., ScriptedFake]) -> None:
    faults = {1: FAULTS["overloaded"], 2: Fault(error_event="overloaded_error")}
    fake = fake_provider("anthropic", [Reply(text="never whole")], faults=faults)
    bodies: list[Any] = []

    with anthropic.Anthropic(api_key="k", base_url=fake.base_url, max_retries=0) as client:
        for _ in faults:
            with (
                pytest.raises(anthropic.APIStatusError) as caught,
                client.messages.stream(model="claude-sonnet-4-6", max_tokens=9, messages=HELLO) as events,
            ):
                events.get_final_message()
            bodies.append(caught.value.body)

    assert [body["error"]["type"] for body in bodies] == ["overloaded_error", "overloaded_error"]


@pytest.mark.parametrize(
    ("name", "error"),
    [("reset", httpx.ReadError), ("closed-midway", httpx.RemoteProtocolError), ("silent", httpx.ReadTimeout)],
)
def test_respx_route_has_faults_by_number_too(name: str, error: type[Exception]) -> None:
    fake = ScriptedFake("openai", [Reply(text="a")], faults={1: FAULTS[name]})
    body = {"model": "gpt-4.1", "messages": HELLO}

    with respx.mock(base_url="https://api.openai.com") as router:
        add_route(router, fake)
        with httpx.Client(base_url="https://api.openai.com", headers=KEY, timeout=0.1) as client:
            with pytest.raises(error):
                client.post("/v1/chat/completions", json=body)
            answer = client.post("/v1/chat/completions", json=body)

    assert answer.json()["choices"][0]["message"]["content"] == "a"
