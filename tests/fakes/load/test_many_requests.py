"""The last of many requests is answered in as many steps as the first: a fake may be served for days."""

import json
import sys
from typing import Any

import pytest
from load_requests import OWN, LoadRequest

from fake_providers import Request, ScriptedFake
from fake_providers.serving.journal import Journal

MANY = 300


def steps_of(fake: ScriptedFake, load_request: LoadRequest, number: int) -> int:
    """Calls of functions for one request, whose text has the same length as any other."""
    body = json.dumps(load_request.with_text(f"Town {number:06}?")).encode()
    request = Request("POST", load_request.path, load_request.headers, body)
    calls = 0

    def count(frame: Any, event: str, argument: Any) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    sys.setprofile(count)
    try:
        response = fake.handle(request)
    finally:
        sys.setprofile(None)
    assert response.status == 200
    return calls


@pytest.mark.parametrize("load_request", OWN, ids=[one.wire.name for one in OWN])
def test_request_takes_as_many_steps_after_many_others(load_request: LoadRequest) -> None:
    fake = ScriptedFake(load_request.provider, wire=load_request.wire.name, journal=Journal(most=0))
    first = min(steps_of(fake, load_request, number) for number in range(20))
    for number in range(20, MANY):
        steps_of(fake, load_request, number)
    last = min(steps_of(fake, load_request, number) for number in range(MANY, MANY + 20))

    assert last <= 1.05 * first
