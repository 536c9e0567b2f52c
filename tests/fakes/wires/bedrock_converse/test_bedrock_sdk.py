"""boto3 talks to a served fake, with its own checks, retries and decoder."""

from collections.abc import Iterator
from contextlib import ExitStack, closing
from typing import Any

import boto3
import pytest
from botocore.config import Config
from botocore.exceptions import ClientError, EventStreamError

from fake_providers import Call, Fault, Reply, serve

MODEL = "us.anthropic.claude-haiku-4-5-20251001-v1:0"
ASKED: Any = [{"role": "user", "content": [{"text": "How warm is it in Oslo?"}]}]
TOOLS: Any = {
    "tools": [
        {
            "toolSpec": {
                "name": "get_weather",
                "description": "Current weather.",
                "inputSchema": {"json": {"type": "object", "properties": {"city": {"type": "string"}}}},
            }
        }
    ]
}
CALL = Call("get_weather", {"city": "Oslo"})


def client(url: str) -> Any:
    keys = {"aws_access_key_id": "any", "aws_secret_access_key": "any", "region_name": "us-east-1"}
    return boto3.client("bedrock-runtime", endpoint_url=url, config=Config(retries={"total_max_attempts": 1}), **keys)


@pytest.fixture
def scripted() -> Iterator[Any]:
    """A client of a fake with these replies, and the fake."""
    with ExitStack() as served:

        def start(*replies: Reply) -> tuple[Any, Any]:
            fake = served.enter_context(serve("bedrock", list(replies)))
            bedrock = client(fake.base_url)
            served.callback(bedrock.close)
            return bedrock, fake

        yield start


def test_client_calls_a_tool_and_answers(scripted: Any) -> None:
    bedrock, fake = scripted(Reply(text="Let me look.", calls=(CALL,)), Reply(text="It is 7 degrees."))

    first = bedrock.converse(modelId=MODEL, messages=ASKED, toolConfig=TOOLS)["output"]["message"]
    use = first["content"][1]["toolUse"]
    result = {"toolResult": {"toolUseId": use["toolUseId"], "content": [{"text": "7 degrees"}], "status": "success"}}
    messages = [*ASKED, first, {"role": "user", "content": [result]}]
    second = bedrock.converse(modelId=MODEL, messages=messages, toolConfig=TOOLS)

    assert (use["name"], use["input"]) == ("get_weather", {"city": "Oslo"})
    assert second["output"]["message"]["content"] == [{"text": "It is 7 degrees."}]
    assert second["stopReason"] == "end_turn"
    assert fake.violations == []


def test_client_reads_a_stream(scripted: Any) -> None:
    bedrock, _ = scripted(Reply(text="Let me look.", calls=(CALL,)))

    with closing(bedrock.converse_stream(modelId=MODEL, messages=ASKED, toolConfig=TOOLS)["stream"]) as stream:
        found = list(stream)

    deltas = [event["contentBlockDelta"]["delta"] for event in found if "contentBlockDelta" in event]
    assert "".join(delta.get("text", "") for delta in deltas) == "Let me look."
    assert "".join(delta["toolUse"]["input"] for delta in deltas if "toolUse" in delta) == '{"city": "Oslo"}'
    assert found[-2] == {"messageStop": {"stopReason": "tool_use"}}
    assert found[-1]["metadata"]["usage"]["totalTokens"] > 0


def test_refusal_reaches_the_client_under_its_name(scripted: Any) -> None:
    bedrock, fake = scripted(Reply(text="never"))

    with pytest.raises(ClientError) as caught:
        bedrock.converse(modelId=MODEL, messages=[*ASKED, {"role": "assistant", "content": []}, *ASKED])

    assert caught.value.response["Error"] == {
        "Code": "ValidationException",
        "Message": "The content field in the Message object at messages.1 is empty. Add a ContentBlock object to the "
        "content field and try again.",
    }
    assert [violation.rule for violation in fake.violations] == ["bedrock/content-empty"]


@pytest.mark.parametrize(
    ("status", "code"),
    [
        (403, "AccessDeniedException"),
        (408, "ModelTimeoutException"),
        (424, "ModelErrorException"),
        (429, "ThrottlingException"),
        (500, "InternalServerException"),
        (503, "ServiceUnavailableException"),
    ],
)
def test_failure_reaches_the_client_under_its_name(scripted: Any, status: int, code: str) -> None:
    bedrock, _ = scripted(Reply(fault=Fault(status=status)))

    with pytest.raises(ClientError) as caught:
        bedrock.converse(modelId=MODEL, messages=ASKED)

    assert caught.value.response["Error"]["Code"] == code
    assert caught.value.response["ResponseMetadata"]["HTTPStatusCode"] == status


def test_exception_in_a_stream_comes_in_lower_camel_after_the_text(scripted: Any) -> None:
    bedrock, _ = scripted(Reply(text="Let me look at the weather.", fault=Fault(error_event="429")))

    with closing(bedrock.converse_stream(modelId=MODEL, messages=ASKED)["stream"]) as stream:
        events = iter(stream)
        seen = [next(events), next(events)]
        with pytest.raises(EventStreamError) as caught:
            seen += events

    assert caught.value.response["Error"]["Code"] == "throttlingException"
    assert [next(iter(event)) for event in seen[:2]] == ["messageStart", "contentBlockDelta"]


def test_stream_cut_behind_a_whole_frame_raises_nothing(scripted: Any) -> None:
    """Clients must look for `messageStop` themselves."""
    bedrock, _ = scripted(Reply(text="Let me look at the weather.", fault=Fault(ends="before-the-finish")))

    with closing(bedrock.converse_stream(modelId=MODEL, messages=ASKED)["stream"]) as stream:
        found = list(stream)

    assert not any("messageStop" in event for event in found)


def test_arn_is_one_label_of_the_path(scripted: Any) -> None:
    bedrock, fake = scripted(Reply(text="Yes."))
    arn = "arn:aws:bedrock:us-east-1:123456789012:application-inference-profile/abc123def456"

    answer = bedrock.converse(modelId=arn, messages=ASKED)

    assert answer["output"]["message"]["content"] == [{"text": "Yes."}]
    assert fake.violations == []
