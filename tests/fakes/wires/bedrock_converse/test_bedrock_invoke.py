"""Claude by `invoke`: Anthropic's Messages in Bedrock's paths, envelope and frames, by Amazon's and Anthropic's SDK."""

import json
from collections.abc import Iterator
from contextlib import ExitStack, closing
from typing import Any

import anthropic
import boto3
import pytest
from botocore.config import Config
from botocore.exceptions import ClientError, EventStreamError

from fake_providers import Call, Fault, Reply, ScriptedFake, judge, serve
from fake_providers.http import Request
from fake_providers.wires.bedrock_converse.invoke import SAMPLE

MODEL = "us.anthropic.claude-haiku-4-5-20251001-v1:0"
PATH = f"/model/{MODEL}/invoke"
ASKED: Any = [{"role": "user", "content": "How warm is it in Oslo?"}]
TOOL: Any = {"name": "get_weather", "input_schema": {"type": "object", "properties": {"city": {"type": "string"}}}}
CALL = Call("get_weather", {"city": "Oslo"})


@pytest.fixture
def served() -> Iterator[Any]:
    """A fake with these replies, Amazon's client of it, and Anthropic's."""
    with ExitStack() as stack:

        def start(*replies: Reply) -> tuple[Any, Any, Any]:
            fake = stack.enter_context(serve("bedrock", list(replies)))
            keys = {"aws_access_key_id": "any", "aws_secret_access_key": "any", "region_name": "us-east-1"}
            once = Config(retries={"total_max_attempts": 1})
            amazons = boto3.client("bedrock-runtime", endpoint_url=fake.base_url, config=once, **keys)
            stack.callback(amazons.close)
            own = {"aws_access_key": "any", "aws_secret_key": "any", "aws_region": "us-east-1"}
            anthropics = stack.enter_context(anthropic.AnthropicBedrock(base_url=fake.base_url, max_retries=0, **own))
            return fake, amazons, anthropics

        yield start


def test_anthropics_client_calls_a_tool_and_answers(served: Any) -> None:
    fake, _, client = served(Reply(text="Let me look.", calls=(CALL,)), Reply(text="It is 7 degrees."))

    first = client.messages.create(model=MODEL, max_tokens=99, messages=ASKED, tools=[TOOL])
    result = {"type": "tool_result", "tool_use_id": first.content[1].id, "content": "7 degrees"}
    answered = [*ASKED, {"role": "assistant", "content": first.content}, {"role": "user", "content": [result]}]
    second = client.messages.create(model=MODEL, max_tokens=99, messages=answered, tools=[TOOL])

    assert first.id.startswith("msg_bdrk_01")
    assert first.content[1].id.startswith("toolu_bdrk_01")
    assert (first.stop_reason, first.content[1].input) == ("tool_use", {"city": "Oslo"})
    assert second.content[0].text == "It is 7 degrees."
    assert fake.violations == []


def test_anthropics_client_reads_a_stream(served: Any) -> None:
    _, _, client = served(Reply(thinking="Hm.", text="Let me look.", calls=(CALL,)))

    with client.messages.stream(model=MODEL, max_tokens=99, messages=ASKED, tools=[TOOL]) as stream:
        message = stream.get_final_message()

    assert [block.type for block in message.content] == ["thinking", "text", "tool_use"]
    assert message.content[2].input == {"city": "Oslo"}


def test_amazons_client_reads_plain_and_streamed(served: Any) -> None:
    _, client, _ = served(Reply(text="Yes."), Reply(text="No."))

    plain = json.load(client.invoke_model(modelId=MODEL, body=json.dumps(SAMPLE))["body"])
    streamed = client.invoke_model_with_response_stream(modelId=MODEL, body=json.dumps(SAMPLE))["body"]
    events = [json.loads(event["chunk"]["bytes"]) for event in streamed]

    assert plain["content"] == [{"type": "text", "text": "Yes."}]
    assert [event["type"] for event in events] == [
        "message_start",
        "content_block_start",
        "content_block_delta",
        "content_block_stop",
        "message_delta",
        "message_stop",
    ]
    assert events[-1]["amazon-bedrock-invocationMetrics"]["outputTokenCount"] > 0


@pytest.mark.parametrize("streams", [False, True])
def test_refusal_of_messages_comes_in_bedrocks_envelope(served: Any, streams: bool) -> None:
    fake, amazons, anthropics = served()
    cut = [*ASKED, {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_01", "content": "7"}]}]
    said = "messages.1.content.0: unexpected `tool_use_id` found in `tool_result` blocks: toolu_01."

    call = amazons.invoke_model_with_response_stream if streams else amazons.invoke_model
    with pytest.raises(ClientError, match="ValidationException") as refused:
        call(modelId=MODEL, body=json.dumps({**SAMPLE, "messages": cut}))
    with pytest.raises(anthropic.BadRequestError, match="unexpected `tool_use_id`"):
        anthropics.messages.create(model=MODEL, max_tokens=9, messages=cut, tools=[TOOL], stream=streams)

    assert refused.value.response["message"].startswith(said)
    assert {violation.rule for violation in fake.violations} == {"anthropic/tool-result-without-use"}


def test_throttling_is_bedrocks(served: Any) -> None:
    _, amazons, anthropics = served(Reply(fault=Fault(status=429)), Reply(fault=Fault(status=429)))

    with pytest.raises(ClientError, match="Too many requests, please wait") as refused:
        amazons.invoke_model(modelId=MODEL, body=json.dumps(SAMPLE))
    with pytest.raises(anthropic.RateLimitError, match="Too many requests, please wait"):
        anthropics.messages.create(model=MODEL, max_tokens=9, messages=ASKED)

    assert refused.value.response["Error"]["Code"] == "ThrottlingException"


def test_exception_ends_the_stream_after_its_text(served: Any) -> None:
    reply = Reply(text="Let me look at that.", fault=Fault(error_event="429"))
    _, amazons, anthropics = served(reply, reply)
    found: list[str] = []

    streamed = amazons.invoke_model_with_response_stream(modelId=MODEL, body=json.dumps(SAMPLE))["body"]
    with closing(streamed), pytest.raises(EventStreamError, match="throttlingException"):
        found.extend(json.loads(event["chunk"]["bytes"])["type"] for event in streamed)
    with (
        anthropics.messages.create(model=MODEL, max_tokens=9, messages=ASKED, stream=True) as events,
        pytest.raises(anthropic.APIStatusError, match="throttlingException"),
    ):
        list(events)

    assert found[0] == "message_start"
    assert "message_stop" not in found


def test_stream_that_ends_early_ends_behind_a_whole_frame(served: Any) -> None:
    _, amazons, _ = served(Reply(text="Yes.", fault=Fault(ends="before-the-finish")))

    events = amazons.invoke_model_with_response_stream(modelId=MODEL, body=json.dumps(SAMPLE))["body"]

    assert [json.loads(event["chunk"]["bytes"])["type"] for event in events][-1] == "content_block_stop"


@pytest.mark.parametrize(
    ("model", "body", "rule"),
    [
        ("does-not-exist", SAMPLE, "bedrock/model-id"),
        ("anthropic.claude-sonnet-4-20250514-v1:0", SAMPLE, "bedrock/needs-profile"),
        (MODEL, {**SAMPLE, "model": MODEL}, "bedrock/invoke-extra-input"),
        (MODEL, {"messages": [{"role": "user", "content": [{"text": "Hi."}]}]}, "bedrock/invoke-version"),
        (
            MODEL,
            {**SAMPLE, "messages": [{"role": "user", "content": [{"text": "Hi."}]}]},
            "anthropic/block-type-missing",
        ),
        (MODEL, {**SAMPLE, "max_tokens": "x"}, "anthropic/max-tokens-type"),
        ("us.anthropic.claude-opus-4-8-v1", {**SAMPLE, "temperature": 0.5}, "anthropic/sampling-deprecated"),
    ],
)
def test_invoke_is_judged_by_its_own_rules_and_by_anthropics(model: str, body: Any, rule: str) -> None:
    violation = judge("bedrock", f"/model/{model}/invoke", json.dumps(body).encode(), {})

    assert violation is not None
    assert violation.rule == rule
    assert violation.body == {"message": violation.message}


@pytest.mark.parametrize("body", [b"{", b"[]", b'"a"', b""])
def test_body_that_is_no_object_is_refused(body: bytes) -> None:
    violation = judge("bedrock", PATH, body, {})

    assert violation is not None
    assert violation.status == 400


def test_betas_of_the_body_are_read_like_those_of_the_header() -> None:
    asked = {**SAMPLE, "anthropic_beta": ["context-1m-2025-08-07"]}

    assert judge("bedrock", PATH, json.dumps(asked).encode(), {}) is None


def test_other_vendors_bodies_are_not_built() -> None:
    fake = ScriptedFake("bedrock")
    sent = {"authorization": "Bearer any"}

    for model, status in (
        ("amazon.titan-text-lite-v1", 404),
        ("amazon.nova-canvas-v1:0", 404),
        ("arn:aws:bedrock:us-east-1:1:prompt/AB", 404),
    ):
        assert fake.handle(Request("POST", f"/model/{model}/invoke", sent, b"{}")).status == status
    hidden = "arn%3Aaws%3Abedrock%3Aus-east-1%3A123456789012%3Aapplication-inference-profile%2Fabc"
    assert fake.handle(Request("POST", f"/model/{hidden}/invoke", sent, json.dumps(SAMPLE).encode())).status == 200
