"""Whatever a client sends, a fake answers in time, like its provider, and the same each time.

./dev pytest tests/fuzzing --fuzz-requests=10000 --fuzz-seed=7
"""

import time
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from fake_providers import PROVIDERS, Reply, ScriptedFake
from fake_providers.reply import Call
from fake_providers.transport.framing import Framed
from tests.fuzzing.continuing import continued
from tests.fuzzing.fuzz_request import FuzzRequest, Served
from tests.fuzzing.oracle import OWN, check_answer
from tests.fuzzing.strategies import requests_to

SECONDS = 3.0
"""Of this process's time, for one request; most take a millisecond."""
TURNS = 3
SCRIPTS = (None, (Reply(text="7 degrees.", calls=(Call("get_weather", {"city": "Oslo"}),)), Reply(text="Done.")))
"""What the model says: the least that fits the request, or a call that it may not have offered."""


@pytest.mark.slow
@pytest.mark.parametrize("provider", PROVIDERS)
def test_whatever_is_sent_is_answered(provider: str, fuzzing: tuple[int, int]) -> None:
    number, count = fuzzing
    print(f"{count} requests to {provider}, --fuzz-seed={number}")

    @seed(number)
    @settings(
        max_examples=count,
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
        phases=(Phase.generate, Phase.shrink),
    )
    @given(requests_to(provider), st.sampled_from(SCRIPTS))
    def send_all(drawn: tuple[str, FuzzRequest], script: tuple[Reply, ...] | None) -> None:
        wire, request = drawn
        check(provider, wire, request, script)

    try:
        send_all()
    except BaseException as error:
        error.add_note(f"again: ./dev pytest tests/fuzzing -k {provider} --fuzz-seed={number} --fuzz-requests={count}")
        raise


def check(provider: str, wire: str, request: FuzzRequest, script: tuple[Reply, ...] | None) -> None:
    """The request, the request that goes on from the reply, and both again on a new fake."""
    served, again = (Served(ScriptedFake(provider, script, wire=wire)) for _ in range(2))
    sent = []
    for _ in range(TURNS):
        answer = answered(provider, wire, request, served)
        assert same(answer, again.answer(request)), "an equal request got another answer"
        sent.append(request)
        body = request.json
        further = continued(wire, body, answer.response.body) if isinstance(body, dict) else None
        if further is None:
            break
        request = replace(request, headers=without_encoding(request)).with_json(further)
    assert len(served.fake.views) == len(served.fake.requests)
    assert isinstance(served.fake.transcript, str)


def answered(provider: str, wire: str, request: FuzzRequest, served: Served) -> Framed:
    before, begun = len(served.fake.violations), time.thread_time()
    answer = served.answer(request)
    taken = time.thread_time() - begun
    assert served.errors == []
    assert taken < SECONDS
    if OWN.encode() not in answer.response.body:  # of the transport
        check_answer(provider, wire, request, answer.response, served.fake.violations[before:])
    return answer


def without_encoding(request: FuzzRequest) -> tuple[tuple[str, str], ...]:
    return tuple(header for header in request.headers if header[0] != "content-encoding")


def same(one: Framed, other: Framed) -> bool:
    return (one.response.status, one.headers, one.response.chunks) == (
        other.response.status,
        other.headers,
        other.response.chunks,
    )
