"""The vendors' SDKs against a served fake: the base URL has their form, and refusals reach them as their own errors."""

from collections.abc import Callable
from typing import Any

import anthropic
import openai
import pytest
from google import genai

from fake_providers import Call, Fault, Reply
from fake_providers.serving.loopback import serve
from fake_providers.serving.scripted_fake import ScriptedFake

SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
Send = Callable[..., tuple[str, list[tuple[str, Any]]]]
"""Sends a request to a fake, and returns text and calls of the reply; `stray_result` adds a result without a call."""


def send_openai(fake: ScriptedFake, *, tools: bool = False, stray_result: bool = False) -> tuple[str, list[Any]]:
    messages: list[Any] = [{"role": "user", "content": "hi"}]
    if stray_result:
        messages.append({"role": "tool", "tool_call_id": "call_1", "content": "sunny"})
    function = {"name": "weather", "description": "d", "parameters": SCHEMA}
    extra: Any = {"tools": [{"type": "function", "function": function}]} if tools else {}
    with openai.OpenAI(api_key="k", base_url=fake.base_url) as client:
        message = client.chat.completions.create(model="gpt-5.2", messages=messages, **extra).choices[0].message
    calls: list[Any] = list(message.tool_calls or [])
    return message.content or "", [(call.function.name, call.function.arguments) for call in calls]


def send_anthropic(fake: ScriptedFake, *, tools: bool = False, stray_result: bool = False) -> tuple[str, list[Any]]:
    content: list[Any] = [{"type": "text", "text": "hi"}]
    if stray_result:
        content.insert(0, {"type": "tool_result", "tool_use_id": "toolu_1", "content": "sunny"})
    extra: Any = {"tools": [{"name": "weather", "description": "d", "input_schema": SCHEMA}]} if tools else {}
    messages: Any = [{"role": "user", "content": content}]
    with anthropic.Anthropic(api_key="k", base_url=fake.base_url) as client:
        answer = client.messages.create(model="claude-opus-4-6", max_tokens=99, messages=messages, **extra)
    texts = [block.text for block in answer.content if block.type == "text"]
    return "".join(texts), [(block.name, block.input) for block in answer.content if block.type == "tool_use"]


def send_gemini(fake: ScriptedFake, *, tools: bool = False, stray_result: bool = False) -> tuple[str, list[Any]]:
    contents: list[Any] = [{"role": "user", "parts": [{"text": "hi"}]}]
    if stray_result:
        contents = [{"role": "user", "parts": [{"function_response": {"name": "weather", "response": {"a": 1}}}]}]
    declaration = {"name": "weather", "description": "d", "parameters_json_schema": SCHEMA}
    config: Any = {"tools": [{"function_declarations": [declaration]}]} if tools else {}
    client = genai.Client(api_key="k", http_options={"base_url": fake.base_url})
    answer = client.models.generate_content(model="gemini-2.5-flash", contents=contents, config=config)
    client.close()
    calls = [(call.name, call.args) for call in answer.function_calls or []]
    return "" if calls else answer.text or "", calls


SENDERS: dict[str, Send] = {"openai": send_openai, "anthropic": send_anthropic, "gemini": send_gemini}
ERRORS = {"openai": openai.BadRequestError, "anthropic": anthropic.BadRequestError, "gemini": genai.errors.ClientError}


@pytest.fixture(params=SENDERS)
def provider(request: pytest.FixtureRequest) -> str:
    found: str = request.param
    return found


def test_script_reaches_the_sdk(provider: str) -> None:
    with serve(provider, [Reply(text="a"), Reply(calls=(Call("weather", {"city": "Rome"}),))]) as fake:
        first = SENDERS[provider](fake)
        text, calls = SENDERS[provider](fake, tools=True)

    assert first == ("a", [])
    assert text == ""
    assert [name for name, _ in calls] == ["weather"]
    assert [view.messages[0].text for view in fake.views] == ["hi", "hi"]
    assert fake.violations == []


def test_without_a_script_the_tool_is_called_where_there_is_one(provider: str) -> None:
    with serve(provider) as fake:
        _, calls = SENDERS[provider](fake, tools=True)
        last = SENDERS[provider](fake)

    assert len(calls) == 1
    assert calls[0][1] in ({"city": "x"}, '{"city":"x"}')
    assert last == ("Done.", [])


def test_refusal_is_the_sdk_s_own_error(provider: str) -> None:
    with serve(provider) as fake, pytest.raises(ERRORS[provider]) as caught:
        SENDERS[provider](fake, stray_result=True)

    (violation,) = fake.violations
    assert violation.status == 400
    assert violation.rule.startswith(f"{provider}/")
    assert violation.message in str(caught.value)
    assert len(fake.requests) == 1


def test_request_without_a_key_is_refused(provider: str) -> None:
    import httpx2

    with serve(provider) as fake:
        SENDERS[provider](fake)
        url = fake.base_url.removesuffix(fake.wire.base_path) + fake.requests[0].path
        answer = httpx2.post(url, content=fake.requests[0].body)

    assert answer.status_code in (401, 403)
    assert [violation.status for violation in fake.violations] == [answer.status_code]


def test_fault_is_retried_by_the_sdk(provider: str) -> None:
    if provider == "gemini":
        # Google's SDK retries only when configured to.
        with serve(provider, [Reply(fault=Fault(status=503))]) as fake, pytest.raises(genai.errors.ServerError):
            send_gemini(fake)
        return
    with serve(provider, [Reply(fault=Fault(status=503)), Reply(text="a")]) as fake:
        assert SENDERS[provider](fake) == ("a", [])

    assert len(fake.requests) == 2


def test_fixture_serves_several_fakes(fake_provider: Callable[..., ScriptedFake]) -> None:
    first, second = fake_provider("openai", replies=[Reply(text="a")]), fake_provider("anthropic")

    assert send_openai(first) == ("a", [])
    assert send_anthropic(second) == ("Done.", [])


def test_all_wires_of_a_provider_are_answered_with_one_script() -> None:
    replies = [Reply(text="one"), Reply(text="two"), Reply(text="three")]
    with serve("openai", replies) as fake, openai.OpenAI(api_key="any", base_url=fake.base_url) as client:
        chat = client.chat.completions.create(model="gpt-4.1", messages=[{"role": "user", "content": "a"}])
        response = client.responses.create(model="gpt-4.1", input="b")
        with pytest.raises(openai.BadRequestError):
            client.responses.create(model="gpt-4.1", input="c", tools=[{"type": "function"}])  # type: ignore[list-item]
        following = client.responses.create(model="gpt-4.1", input="d", previous_response_id=response.id)

    assert (chat.choices[0].message.content, response.output_text, following.output_text) == ("one", "two", "three")
    assert [view.messages[-1].text for view in fake.views] == ["a", "b", "c", "d"]
    assert len(fake.violations) == 1
    assert fake.unused_replies == []


def test_only_the_wire_that_is_named_is_answered() -> None:
    with (
        serve("openai", [Reply(text="one")], wire="openai-chat") as fake,
        openai.OpenAI(api_key="any", base_url=fake.base_url, max_retries=0) as client,
        pytest.raises(openai.NotFoundError, match="POST /v1/responses is no model request of openai-chat, and not"),
    ):
        client.responses.create(model="gpt-4.1", input="b")
    assert fake.unused_replies == [Reply(text="one")]
