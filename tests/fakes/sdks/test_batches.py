"""Batches of Anthropic and OpenAI as the vendors' SDKs create, poll, cancel and read them, by a clock of the test."""

import json
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import anthropic
import openai
import pytest

from fake_providers import Fault, Reply, serve
from fake_providers.clock import ManualClock

HOUR = 3600.0
ASKED: Any = [{"role": "user", "content": "How warm is it in Oslo?"}]
CLAUDE: Any = {"model": "claude-sonnet-4-6", "max_tokens": 16, "messages": ASKED}
GPT: Any = {"model": "gpt-4.1", "messages": ASKED}


@pytest.fixture
def claude() -> Iterator[Any]:
    """Makes a fake with these replies, and Anthropic's client of it."""
    with ExitStack() as stack:

        def start(*replies: Reply, **more: Any) -> tuple[Any, anthropic.Anthropic]:
            fake = stack.enter_context(serve("anthropic", list(replies), **more))
            client = anthropic.Anthropic(api_key="k", base_url=fake.base_url, max_retries=0)
            return fake, stack.enter_context(client)

        yield start


@pytest.fixture
def gpt() -> Iterator[Any]:
    """Makes a fake with these replies, and OpenAI's client of it."""
    with ExitStack() as stack:

        def start(*replies: Reply, **more: Any) -> tuple[Any, openai.OpenAI]:
            fake = stack.enter_context(serve("openai", list(replies), **more))
            return fake, stack.enter_context(openai.OpenAI(api_key="k", base_url=fake.base_url, max_retries=0))

        yield start


def messages(*ids: str, **changes: Any) -> Any:
    return [{"custom_id": id, "params": {**CLAUDE, **changes}} for id in ids]


def line(id: str, url: str = "/v1/chat/completions", **body: Any) -> dict[str, Any]:
    return {"custom_id": id, "method": "POST", "url": url, "body": {**GPT, **body}}


def uploaded(client: openai.OpenAI, *lines: Any) -> str:
    text = "\n".join(one if isinstance(one, str) else json.dumps(one) for one in lines)
    return client.files.create(file=("batch.jsonl", text.encode()), purpose="batch").id


def created(client: openai.OpenAI, *lines: Any, endpoint: Any = "/v1/chat/completions") -> Any:
    return client.batches.create(input_file_id=uploaded(client, *lines), endpoint=endpoint, completion_window="24h")


def read(client: openai.OpenAI, file_id: str) -> list[Any]:
    return [json.loads(one) for one in client.files.content(file_id).text.splitlines()]


def test_message_batch_takes_its_time_and_has_the_scripted_replies(claude: Any) -> None:
    clock = ManualClock()
    fake, client = claude(Reply(text="7."), Reply(text="8."), clock=clock, batch_seconds=HOUR)

    batch = client.messages.batches.create(requests=messages("a", "b"))
    clock.advance(HOUR / 2)
    halfway = client.messages.batches.retrieve(batch.id)
    asked_before = len(fake.requests)
    clock.advance(HOUR / 2)
    ended = client.messages.batches.retrieve(batch.id)
    results = list(client.messages.batches.results(batch.id))

    assert (batch.processing_status, halfway.processing_status, ended.processing_status) == (
        "in_progress",
        "in_progress",
        "ended",
    )
    assert (halfway.request_counts.processing, ended.request_counts.succeeded, halfway.results_url) == (2, 2, None)
    assert [(one.custom_id, one.result.message.content[0].text) for one in results] == [("a", "7."), ("b", "8.")]
    assert {one.result.message.usage.service_tier for one in results} == {"batch"}
    assert ended.ended_at is not None
    assert (ended.ended_at - ended.created_at).total_seconds() == HOUR
    assert (asked_before, len(fake.requests), fake.violations) == (0, 2, [])


def test_message_that_breaks_a_rule_is_told_among_the_results(claude: Any) -> None:
    fake, client = claude(Reply(text="7."), Reply(fault=Fault(status=529)))
    unpaired = [
        *ASKED,
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_1", "content": "7"}]},
    ]

    requests = [*messages("right"), *messages("wrong", messages=unpaired), *messages("streams", stream=True)]
    batch = client.messages.batches.create(requests=[*requests, *messages("busy")])
    counts = client.messages.batches.retrieve(batch.id).request_counts
    results = {one.custom_id: one.result for one in client.messages.batches.results(batch.id)}

    assert (counts.succeeded, counts.errored) == (1, 3)
    assert results["wrong"].error.error.type == "invalid_request_error"
    assert "unexpected `tool_use_id` found" in results["wrong"].error.error.message
    assert results["streams"].error.error.message == '"stream=True" is not supported in the Message Batches API'
    assert results["busy"].error.error.type == "overloaded_error"
    assert [violation.rule for violation in fake.violations] == ["anthropic/tool-result-without-use"]


def test_message_batch_that_is_cancelled_sends_nothing(claude: Any) -> None:
    fake, client = claude(Reply(text="7."), clock=ManualClock(), batch_seconds=HOUR)

    batch = client.messages.batches.create(requests=messages("a"))
    with pytest.raises(anthropic.BadRequestError, match="In progress batches cannot be deleted"):
        client.messages.batches.delete(batch.id)
    with pytest.raises(anthropic.NotFoundError, match="has no available results"):
        client.get(f"/v1/messages/batches/{batch.id}/results", cast_to=object)
    canceling = client.messages.batches.cancel(batch.id)
    ended = client.messages.batches.retrieve(batch.id)
    results = [one.result.type for one in client.messages.batches.results(batch.id)]
    gone = client.messages.batches.delete(batch.id)

    assert (canceling.processing_status, ended.processing_status, results) == ("canceling", "ended", ["canceled"])
    assert ended.request_counts.canceled == 1
    assert (gone.id, fake.requests, len(fake.unused_replies)) == (batch.id, [], 1)
    with pytest.raises(anthropic.NotFoundError, match=f"Message Batch {batch.id} not found"):
        client.messages.batches.retrieve(batch.id)


def test_message_batch_expires_after_a_day(claude: Any) -> None:
    clock = ManualClock()
    _, client = claude(clock=clock, batch_seconds=25 * HOUR)

    batch = client.messages.batches.create(requests=messages("a"))
    clock.advance(24 * HOUR)

    assert client.messages.batches.retrieve(batch.id).request_counts.expired == 1
    assert [one.result.type for one in client.messages.batches.results(batch.id)] == ["expired"]


@pytest.mark.parametrize(
    ("requests", "said"),
    [
        ([], "requests: List should have at least 1 item after validation, not 0"),
        (
            messages("a", "a"),
            "requests: custom_id's must be unique within a batch. Duplicate custom_id found: a",
        ),
        (messages("a" * 65), "requests.0.custom_id: String should have at most 64 characters"),
        (messages("a b"), "requests.0.custom_id: String should match pattern '^[a-zA-Z0-9_-]{1,64}$'"),
        ([{"params": CLAUDE}], "requests.0.custom_id: Field required"),
        ([{"custom_id": "a"}], "requests.0.params: Field required"),
    ],
)
def test_wrong_message_batches_are_refused_at_once(claude: Any, requests: Any, said: str) -> None:
    _, client = claude()

    with pytest.raises(anthropic.BadRequestError) as refused:
        client.messages.batches.create(requests=requests)

    assert refused.value.body["error"]["message"] == said


def test_message_batches_are_listed_the_newest_first(claude: Any) -> None:
    _, client = claude(Reply(text="7."))

    ids = [client.messages.batches.create(requests=messages("a")).id for _ in range(3)]

    assert [batch.id for batch in client.messages.batches.list(limit=2)] == ids[::-1]


def test_openais_batch_takes_its_time_and_ends_with_files(gpt: Any) -> None:
    clock = ManualClock()
    fake, client = gpt(Reply(text="7."), clock=clock, batch_seconds=HOUR)

    batch = created(client, line("a"), line("wrong", messages=[{"role": "tool", "tool_call_id": "1", "content": "7"}]))
    running = client.batches.retrieve(batch.id)
    clock.advance(HOUR)
    ended = client.batches.retrieve(batch.id)
    (answer,), (error,) = read(client, ended.output_file_id), read(client, ended.error_file_id)

    assert (batch.status, running.status, ended.status) == ("validating", "in_progress", "completed")
    assert (ended.request_counts.total, ended.request_counts.completed, ended.request_counts.failed) == (2, 1, 1)
    assert ended.completed_at - ended.created_at == HOUR
    assert (answer["custom_id"], answer["error"], answer["response"]["status_code"]) == ("a", None, 200)
    assert answer["response"]["body"]["choices"][0]["message"]["content"] == "7."
    assert (error["custom_id"], error["error"], error["response"]["status_code"]) == ("wrong", None, 400)
    assert error["response"]["body"]["error"]["param"] == "messages.[0].role"
    assert len(fake.requests) == 2


def test_openais_batch_goes_to_responses_as_well(gpt: Any) -> None:
    _, client = gpt(Reply(text="7."))
    asked = {"custom_id": "a", "method": "POST", "url": "/v1/responses", "body": {"model": "gpt-4.1", "input": "Oslo?"}}

    ended = client.batches.retrieve(created(client, asked, endpoint="/v1/responses").id)
    (answer,) = read(client, ended.output_file_id)

    assert (ended.status, ended.error_file_id) == ("completed", None)
    assert answer["response"]["body"]["output"][0]["content"][0]["text"] == "7."


@pytest.mark.parametrize(
    ("lines", "code", "said", "param"),
    [
        (["{x"], "invalid_json_line", "This line is not parseable as valid JSON.", None),
        ([{"method": "POST"}], "missing_required_parameter", "Missing required parameter: 'custom_id'.", "custom_id"),
        (
            [line("a", url="/v1/responses")],
            "invalid_url",
            "The URL provided for this request does not match the batch endpoint.",
            "url",
        ),
        (
            [line("a", stream=True)],
            "streaming_unsupported",
            "Chat Completions: Streaming is not supported in the Batch API.",
            "body.stream",
        ),
    ],
)
def test_openais_batch_with_a_wrong_line_fails_later(gpt: Any, lines: Any, code: str, said: str, param: Any) -> None:
    fake, client = gpt(Reply(text="7."))

    batch = created(client, line("right"), *lines)
    failed = client.batches.retrieve(batch.id)
    error = failed.errors.data[0]

    assert (batch.status, failed.status, len(failed.errors.data)) == ("validating", "failed", 1)
    assert (error.code, error.line, error.message, error.param) == (code, 2, said, param)
    assert fake.requests == []
    with pytest.raises(openai.ConflictError, match="Cannot cancel a batch with status 'failed'"):
        client.batches.cancel(batch.id)


def test_openais_batch_is_cancelled_once_and_expires(gpt: Any) -> None:
    clock = ManualClock()
    fake, client = gpt(clock=clock, batch_seconds=25 * HOUR)
    first, second = created(client, line("a")), created(client, line("b"))

    states = [client.batches.cancel(first.id).status, client.batches.retrieve(first.id).status]
    states.append(client.batches.cancel(first.id).status)
    clock.advance(24 * HOUR)
    expired = client.batches.retrieve(second.id)

    assert states == ["cancelling", "cancelled", "cancelled"]
    assert expired.status == "expired"
    assert read(client, expired.error_file_id)[0]["error"]["code"] == "batch_expired"
    assert [batch.id for batch in client.batches.list(limit=1)] == [second.id, first.id]
    assert fake.requests == []


def test_openais_batch_is_refused_at_once_for_its_own_parameters(gpt: Any) -> None:
    _, client = gpt()
    said = (
        "Invalid value: '/v1/x'. Supported values are: '/v1/chat/completions', '/v1/completions', '/v1/embeddings', "
        "and '/v1/responses'."
    )

    with pytest.raises(openai.BadRequestError) as refused:
        created(client, line("a"), endpoint="/v1/x")
    with pytest.raises(openai.BadRequestError, match="input_file_id"):
        client.batches.create(input_file_id="file-x", endpoint="/v1/responses", completion_window="24h")
    with pytest.raises(openai.NotFoundError, match="No batch found"):
        client.batches.retrieve("batch_x")

    assert refused.value.body == {
        "message": said,
        "type": "invalid_request_error",
        "param": "endpoint",
        "code": "invalid_value",
    }
