"""Nova by `invoke`: Converse's conversation in a body of its own, by Amazon's SDK."""

import json
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import boto3
import pytest
from botocore.config import Config
from botocore.exceptions import ClientError

from fake_providers import Call, Reply, judge, serve
from fake_providers.wires.bedrock_converse.invoke_nova import SAMPLE

MODEL = "us.amazon.nova-micro-v1:0"
PATH = f"/model/{MODEL}/invoke"
CALL = Call("get_weather", {"city": "Oslo"}, id="tooluse_1")
TOOL = {"toolSpec": {"name": "get_weather", "inputSchema": {"json": {"type": "object"}}}}
ASKED = {"schemaVersion": "messages-v1", **SAMPLE, "toolConfig": {"tools": [TOOL]}}


def turns(*said: Any) -> list[dict[str, Any]]:
    return [{"role": ("user", "assistant")[number % 2], "content": list(blocks)} for number, blocks in enumerate(said)]


USE = {"toolUse": {"toolUseId": "tooluse_1", "name": "get_weather", "input": {"city": "Oslo"}}}
RESULT = {"toolResult": {"toolUseId": "tooluse_1", "content": [{"text": "7 degrees"}]}}


@pytest.fixture
def served() -> Iterator[Any]:
    """Makes a fake with these replies, and Amazon's client of it."""
    with ExitStack() as stack:

        def start(*replies: Reply) -> tuple[Any, Any]:
            fake = stack.enter_context(serve("bedrock", list(replies)))
            keys = {"aws_access_key_id": "any", "aws_secret_access_key": "any", "region_name": "us-east-1"}
            once = Config(retries={"total_max_attempts": 1})
            client = boto3.client("bedrock-runtime", endpoint_url=fake.base_url, config=once, **keys)
            stack.callback(client.close)
            return fake, client

        yield start


def test_client_calls_a_tool_and_answers(served: Any) -> None:
    fake, client = served(Reply(text="Let me look.", calls=(CALL,)), Reply(text="It is 7 degrees."))

    first = json.load(client.invoke_model(modelId=MODEL, body=json.dumps(ASKED))["body"])
    answered = {**ASKED, "messages": turns([{"text": "a"}], [USE], [RESULT])}
    second = json.load(client.invoke_model(modelId=MODEL, body=json.dumps(answered))["body"])

    assert list(first) == ["output", "stopReason", "usage"]
    assert first["stopReason"] == "tool_use"
    assert first["output"]["message"]["content"] == [{"text": "Let me look."}, USE]
    assert list(second["usage"]) == [
        "inputTokens",
        "outputTokens",
        "totalTokens",
        "cacheReadInputTokenCount",
        "cacheWriteInputTokenCount",
    ]
    assert [result.text for result in fake.views[1].messages[-1].results] == ["7 degrees"]
    assert fake.violations == []


def test_client_reads_a_stream(served: Any) -> None:
    _, client = served(Reply(text="Let me look.", calls=(CALL,)))

    streamed = client.invoke_model_with_response_stream(modelId=MODEL, body=json.dumps(ASKED))["body"]
    events = [json.loads(event["chunk"]["bytes"]) for event in streamed]

    deltas = [event["contentBlockDelta"]["delta"] for event in events if "contentBlockDelta" in event]
    assert events[0] == {"messageStart": {"role": "assistant"}}
    assert "".join(delta.get("text", "") for delta in deltas) == "Let me look."
    assert json.loads("".join(delta.get("toolUse", {"input": ""})["input"] for delta in deltas)) == {"city": "Oslo"}
    assert events[-2] == {"messageStop": {"stopReason": "tool_use"}}
    assert events[-1]["amazon-bedrock-invocationMetrics"]["outputTokenCount"] > 0


@pytest.mark.parametrize(
    ("body", "rule", "said"),
    [
        ({"inputText": "a"}, "bedrock/nova-messages-missing", "#: required key [messages] not found"),
        ({**SAMPLE, "top_p": 0.5}, "bedrock/nova-key-unknown", "#: extraneous key [top_p] is not permitted"),
        (
            {**ASKED, "messages": turns([{"text": "a"}], [USE], [{"text": "b"}])},
            "bedrock/tool-results-missing",
            "Expected toolResult blocks",
        ),
    ],
)
def test_refusals_are_bedrocks(served: Any, body: Any, rule: str, said: str) -> None:
    fake, client = served()

    with pytest.raises(ClientError, match="ValidationException") as refused:
        client.invoke_model(modelId=MODEL, body=json.dumps(body))

    assert [violation.rule for violation in fake.violations] == [rule]
    assert said in refused.value.response["message"]
    assert "The model returned the following errors" not in refused.value.response["message"]


def test_names_of_parameters_are_novas_or_converses() -> None:
    for config in ({"max_new_tokens": 10, "topP": 1, "stopSequences": ["|"]}, {"maxTokens": 10, "topK": 5}):
        assert judge("bedrock", PATH, json.dumps({**SAMPLE, "inferenceConfig": config}).encode(), {}) is None
    found = judge("bedrock", PATH, json.dumps({**SAMPLE, "inferenceConfig": {"max_new_tokens": "x"}}).encode(), {})

    assert found is not None
    assert found.confidence == "inferred"
