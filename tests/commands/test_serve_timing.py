"""How fast `serve` sends replies: from options to the timing of a fake, and what is said of wrong ones."""

import json
from pathlib import Path

import pytest

from agent_conformance.commands.serve import stall
from agent_conformance.commands.serve.command import ServeOptions, serve, sessions_of
from agent_conformance.commands.shared import not_negative
from fake_providers import Request, StreamTiming

ASKED = {"model": "claude-sonnet-4-6", "max_tokens": 16, "messages": [{"role": "user", "content": "How warm is it?"}]}


def test_replies_are_sent_at_once_by_default() -> None:
    assert ServeOptions(provider="openai").timing() is None


def test_options_are_a_timing() -> None:
    options = ServeOptions(provider="openai", ttft=0.4, tokens_per_second=60, jitter=0.3, stall=stall("5@20"))

    assert options.timing() == StreamTiming(ttft=0.4, tokens_per_second=60, jitter=0.3, stall=5, stall_after=20)


def test_stall_without_tokens_comes_after_the_first() -> None:
    assert stall("5") == (5.0, 1) == stall("5@1")


@pytest.mark.parametrize("text", ["", "x", "5@", "5@x", "5@2.5"])
def test_wrong_stall_is_told_with_an_example(text: str) -> None:
    with pytest.raises(Exception, match=f"`{text}` is not as `5@20`"):
        stall(text)


def test_timing_that_no_stream_can_have_is_a_usage_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert serve(ServeOptions(provider="openai", jitter=3)) == 2

    assert capsys.readouterr().err == "how fast replies are sent: `jitter` is 3; expected a number from 0 to 1.\n"


@pytest.mark.parametrize(("seconds", "status"), [(0, "ended"), (3600, "in_progress")])
def test_batch_is_in_progress_for_so_many_seconds(seconds: float, status: str) -> None:
    (fake,) = sessions_of(ServeOptions(provider="anthropic", batch_seconds=seconds)).new_providers().values()
    path, headers = "/v1/messages/batches", {"x-api-key": "any", "anthropic-version": "2023-06-01"}
    body = {"requests": [{"custom_id": "a", "params": ASKED}]}

    batch = json.loads(fake.handle(Request("POST", path, headers, json.dumps(body).encode())).body)
    found = json.loads(fake.handle(Request("GET", f"{path}/{batch['id']}", headers, b"")).body)

    assert found["processing_status"] == status


@pytest.mark.parametrize("text", ["", "x", "-1", "inf", "nan"])
def test_wrong_seconds_are_told(text: str) -> None:
    with pytest.raises(Exception, match=f"`{text}` is not a number of seconds, 0 or more"):
        not_negative(text)


def test_batches_of_a_cassette_are_a_usage_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert serve(ServeOptions(provider="openai", replay=Path("any.jsonl"), batch_seconds=5)) == 2

    assert capsys.readouterr().err == "--replay: no batches are kept. Leave --batch-seconds out.\n"
