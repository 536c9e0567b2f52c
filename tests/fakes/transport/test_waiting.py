"""Waiting works in the library that runs: asyncio, or any version of trio that a project has installed."""

import asyncio
import threading

import pytest
import trio

from fake_providers.transport.waiting import checkpoint, sleep, wait_for


async def waited() -> bool:
    await checkpoint()
    await sleep(0)
    return await wait_for(threading.Event(), timeout=0.001)


@pytest.mark.parametrize("older", [False, True])
def test_waiting_is_the_same_under_an_older_trio(older: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if older:
        monkeypatch.delattr(trio.lowlevel, "in_trio_task", raising=False)

    assert trio.run(waited) is False
    assert asyncio.run(waited()) is False
