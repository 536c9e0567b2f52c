"""How fast a reply is sent: when each piece is due, and that it is not sent earlier. Clocks are set; nobody sleeps."""

import json
import random
import threading
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import httpx2
import pytest

from fake_providers import Fault, ManualClock, Reply, Request, Response, StreamTiming
from fake_providers.clock import SystemClock
from fake_providers.reply import moments
from fake_providers.serving.loopback import serve
from fake_providers.serving.scripted_fake import Pacing, ScriptedFake, paced
from fake_providers.transport.framing import Delivery

BODY = {"model": "gpt-4.1", "messages": [{"role": "user", "content": "Is it warm?"}]}
HEADERS = {"authorization": "Bearer any"}


def due(timing: StreamTiming, *, chunks: int, tokens: int, seed: int = 1) -> list[float]:
    return [round(moment, 6) for moment in moments(timing, chunks=chunks, tokens=tokens, draw=random.Random(seed))]


def test_everything_is_due_at_once_by_default() -> None:
    assert due(StreamTiming(), chunks=3, tokens=30) == [0, 0, 0]


def test_first_chunk_waits_for_the_first_token_and_the_others_for_their_share_of_the_tokens() -> None:
    assert due(StreamTiming(ttft=0.5, tokens_per_second=10), chunks=5, tokens=20) == [0.5, 1, 1.5, 2, 2.5]


def test_what_is_not_streamed_waits_for_all_tokens() -> None:
    timing = StreamTiming(ttft=0.5, tokens_per_second=10, stall=3, jitter=0.5)

    assert due(timing, chunks=1, tokens=20) == [5.5]


def test_stall_comes_after_so_many_tokens() -> None:
    assert due(StreamTiming(stall=3, stall_after=10), chunks=5, tokens=20) == [0, 0, 3, 3, 3]


def test_reply_that_is_shorter_does_not_stall() -> None:
    assert due(StreamTiming(stall=3, stall_after=20), chunks=5, tokens=20) == [0] * 5


def test_jitter_is_that_of_the_seed_and_within_its_share() -> None:
    timing = StreamTiming(tokens_per_second=10, jitter=0.2)
    one = due(timing, chunks=101, tokens=1000)
    steps = [after - before for before, after in pairwise(one)]

    assert one == due(timing, chunks=101, tokens=1000)
    assert one != due(timing, chunks=101, tokens=1000, seed=2)
    assert 0.8 <= min(steps) < 0.85
    assert 1.15 < max(steps) <= 1.200001


@pytest.mark.parametrize(
    "wrong",
    [
        {"ttft": -1.0},
        {"ttft": float("nan")},
        {"ttft": 4000.0},
        {"tokens_per_second": 0.0},
        {"jitter": 1.1},
        {"stall": float("inf")},
        {"stall_after": 0},
    ],
)
def test_what_no_stream_can_be_is_refused_with_its_name(wrong: dict[str, Any]) -> None:
    name = next(iter(wrong))

    with pytest.raises(ValueError, match=f"`{name}` is .* expected a number from"):
        StreamTiming(**wrong)


def test_moment_is_reached_when_the_clock_says_so() -> None:
    clock = ManualClock()
    moment = clock.until(1.0)
    assert isinstance(moment, threading.Event)

    for _ in range(9):
        clock.advance(0.1)
    assert not moment.is_set()
    clock.advance(0.1)
    assert moment.is_set()
    assert clock.now() == 1.0


def test_time_of_the_machine_is_counted_from_now() -> None:
    clock = SystemClock()

    assert clock.until(clock.now() - 1) == 0.0
    assert 8 < float(clock.until(clock.now() + 10)) <= 10  # type: ignore[arg-type]


def test_chunk_waits_for_its_moment_and_not_for_a_slow_client() -> None:
    clock = ManualClock()
    stream = Response(200, (), (b"a", b"b", b"c"))
    timing = StreamTiming(ttft=1, tokens_per_second=1)
    steps = Delivery(paced(stream, Reply(text="x" * 8), timing, clock=clock, seed=""), print).steps()

    first = next(steps)
    assert isinstance(first, threading.Event)
    assert not first.is_set()
    clock.advance(2)
    assert first.is_set()
    taken = [next(steps), next(steps), next(steps)]
    assert [taken[0], taken[2]] == [b"a", b"b"]
    assert isinstance(taken[1], threading.Event)
    assert taken[1].is_set()
    last = next(steps)
    assert isinstance(last, threading.Event)
    assert not last.is_set()


def test_error_with_a_status_is_sent_at_once() -> None:
    reply = Reply(fault=Fault(status=529))

    assert paced(Response(529, (), (b"a",)), reply, StreamTiming(ttft=9), clock=ManualClock(), seed="").pacing is None


def read_stream(url: str, advance: Callable[[], None]) -> str:
    """The stream of a reply; time passes once its headers are there."""
    with httpx2.stream(
        "POST", f"{url}/chat/completions", json={**BODY, "stream": True}, headers=HEADERS, trust_env=False
    ) as response:
        advance()
        return response.read().decode()


def test_served_reply_comes_when_time_has_passed() -> None:
    clock = ManualClock()
    timing = StreamTiming(ttft=60, tokens_per_second=1, jitter=0.5, stall=600)
    with serve("openai", [Reply(text="Rather warm today.")], wire="openai-chat", timing=timing, clock=clock) as fake:
        text = read_stream(fake.base_url, lambda: clock.advance(1000))

    assert text.endswith("data: [DONE]\n\n")


def test_client_that_leaves_meanwhile_ends_its_stream() -> None:
    clock = ManualClock()
    with serve("openai", wire="openai-chat", timing=StreamTiming(ttft=60), clock=clock) as fake:
        with httpx2.stream(
            "POST", f"{fake.base_url}/chat/completions", json={**BODY, "stream": True}, headers=HEADERS, trust_env=False
        ) as response:
            assert response.status_code == 200
        other = httpx2.get(f"{fake.base_url}/models", headers=HEADERS, trust_env=False)

    assert other.status_code == 200


def test_timing_of_a_reply_is_in_place_of_that_of_the_fake() -> None:
    clock = ManualClock()
    replies = [Reply(text="a"), Reply(text="b", timing=StreamTiming()), Reply(text="c", timing=StreamTiming(ttft=7))]
    fake = ScriptedFake("openai", replies, wire="openai-chat", timing=StreamTiming(ttft=5), clock=clock)

    assert [moments_of(fake) for _ in replies] == [(5.0,), (0.0,), (7.0,)]


def test_fake_without_timing_has_no_moments() -> None:
    fake = ScriptedFake("openai", [Reply(text="a")], wire="openai-chat")

    assert moments_of(fake) is None


def moments_of(fake: ScriptedFake) -> tuple[float, ...] | None:
    """When the chunks of the next reply are sent."""
    response = fake.handle(Request("POST", "/v1/chat/completions", HEADERS, json.dumps(BODY).encode()))
    assert response.pacing is None or isinstance(response.pacing, Pacing)
    return None if response.pacing is None else response.pacing.moments
