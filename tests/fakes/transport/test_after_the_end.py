"""What an agent asks after its case has ended is answered ever later, and then not at all."""

import time
from typing import Any

import httpx
import pytest

from fake_providers import Request, Response
from fake_providers.http import json_response
from fake_providers.transport.answerer import FIRST, LATE, Mounts, slowed
from fake_providers.transport.hook import InProcessHook
from fake_providers.transport.server import LoopbackServer
from tests.patience import PATIENCE

GONE = json_response(404, {"error": "gone"})


class Constant:
    def handle(self, request: Request) -> Response:
        return json_response(200, {})


def test_each_late_response_takes_longer() -> None:
    assert slowed(GONE, 0) is GONE
    assert [slowed(GONE, number).delay for number in range(1, LATE + 1)] == [FIRST * 2**n for n in range(LATE)]


def test_after_some_there_is_none() -> None:
    response = slowed(GONE, LATE + 1)

    assert (response.loss, response.headless, response.chunks) == ("silent", True, ())


@pytest.mark.parametrize("transport", ["loopback", "process"])
def test_thread_that_was_left_behind_does_not_spin(transport: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fake_providers.transport.answerer.FIRST", 0.01)
    mounts = Mounts()
    with LoopbackServer(mounts) as server:
        token = mounts.mount(Constant())
        with InProcessHook(mounts, server.host, server.port if transport == "process" else 9):
            client: Any = httpx.Client(base_url=f"{server.url}/{token}", timeout=PATIENCE, trust_env=False)
            with client:
                assert client.get("/v1").status_code == 200
                mounts.unmount(token)
                late = [client.get("/v1").status_code for _ in range(LATE)]
                begun = time.monotonic()
                with pytest.raises(httpx.ReadTimeout):
                    client.get("/v1", timeout=0.5)

    assert late == [404] * LATE
    assert time.monotonic() - begun >= 0.4


def test_token_that_was_never_mounted_is_answered_at_once() -> None:
    mounts = Mounts()

    assert [mounts.count_late("/somewhere/v1") for _ in range(9)] == [0] * 9
