import asyncio
import threading
import time
import weakref
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest

from agent_conformance import Reply
from agent_conformance.adapter.contract import AdapterMistake
from agent_conformance.run.agent.driver import Driver, Flooded
from tests.patience import PATIENCE


def sent(send: Any) -> tuple[list[str], Any, BaseException | None]:
    """The deltas, the reply and the error of one turn."""
    driver = Driver()
    deltas: list[str] = []
    job = driver.start_send(send, "hello", deltas.append)
    assert driver.wait(job, PATIENCE, lambda: 0.0)
    driver.close()
    assert not driver.has_stuck_thread
    return deltas, job.value, job.error


def returns(message: str) -> str:
    return message + "!"


async def returns_later(message: str) -> str:
    await asyncio.sleep(0)
    return message + "!"


def yields(message: str) -> Iterator[str]:
    yield "he"
    yield "llo"


def yields_and_returns(message: str) -> Any:
    yield from yields(message)
    return "hello!"


async def yields_later(message: str) -> AsyncIterator[str]:
    yield "he"
    await asyncio.sleep(0)
    yield "llo"


async def yields_a_reply_last(message: str) -> AsyncIterator[str]:
    async for delta in yields_later(message):
        yield delta
    yield Reply("hello!")


async def promises_deltas(message: str) -> AsyncIterator[str]:
    return yields_later(message)


@pytest.mark.parametrize(
    ("send", "deltas", "reply"),
    [
        (returns, [], "hello!"),
        (returns_later, [], "hello!"),
        (yields, ["he", "llo"], None),
        (yields_and_returns, ["he", "llo"], "hello!"),
        (yields_later, ["he", "llo"], None),
        (yields_a_reply_last, ["he", "llo"], "hello!"),
        (promises_deltas, ["he", "llo"], None),
    ],
)
def test_every_form_of_send_works(send: Any, deltas: list[str], reply: str | None) -> None:
    assert sent(send) == (deltas, reply, None)


@pytest.mark.parametrize("wrong", [lambda message: 7, lambda message: iter([7]), lambda message: {"text": "x"}])
def test_value_that_is_not_text_is_a_mistake_of_the_adapter(wrong: Any) -> None:
    _, _, error = sent(wrong)

    assert isinstance(error, AdapterMistake)


def test_endless_deltas_are_a_flood() -> None:
    def floods(message: str) -> Iterator[str]:
        while True:
            yield "x" * 10_000

    _, _, error = sent(floods)

    assert isinstance(error, Flooded)


def test_system_exit_of_an_agent_is_only_its_error() -> None:
    def leaves(message: str) -> str:
        raise SystemExit(3)

    _, _, error = sent(leaves)

    assert isinstance(error, SystemExit)


def test_sync_send_runs_without_a_running_loop_and_async_parts_share_one() -> None:
    loops: list[Any] = []

    def sync(message: str) -> str:
        with pytest.raises(RuntimeError):
            asyncio.get_running_loop()
        return "ok"

    async def later(message: str) -> str:
        loops.append(asyncio.get_running_loop())
        return "ok"

    async def close() -> None:
        loops.append(asyncio.get_running_loop())

    driver = Driver()
    jobs = [driver.start_send(sync, "x", print), driver.start_send(later, "x", print), driver.start(close)]
    assert all(driver.wait(job, PATIENCE, lambda: 0.0) for job in jobs)
    driver.close()

    assert [job.error for job in jobs] == [None, None, None]
    assert loops[0] is loops[1]


def hung(send: Any) -> tuple[str, Driver]:
    driver = Driver()
    job = driver.start_send(send, "x", lambda delta: None)
    assert not driver.wait(job, 0.05, lambda: 0.0)
    return driver.abandon(job), driver


def test_sync_agent_that_never_returns_has_a_stuck_thread() -> None:
    release = threading.Event()

    how, driver = hung(lambda message: release.wait(30))

    assert how == "its thread still runs"
    assert driver.has_stuck_thread
    release.set()


def test_async_agent_that_waits_forever_is_cancelled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("agent_conformance.run.agent.driver.GRACE", PATIENCE)

    async def waits(message: str) -> None:
        await asyncio.Event().wait()

    how, driver = hung(waits)

    assert how == "it was cancelled"
    assert not driver.has_stuck_thread


def test_async_agent_that_ignores_cancellation_has_a_stuck_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("agent_conformance.run.agent.driver.GRACE", 0.1)
    monkeypatch.setattr("agent_conformance.run.agent.driver.SIGN_OF_LIFE", PATIENCE)
    stop = threading.Event()

    async def ignores(message: str) -> None:
        while not stop.is_set():
            try:
                await asyncio.sleep(0.01)
            except asyncio.CancelledError:
                continue

    how, driver = hung(ignores)

    assert how == "it ignores cancellation"
    assert driver.has_stuck_thread
    stop.set()


def test_async_agent_that_blocks_its_loop_has_a_stuck_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("agent_conformance.run.agent.driver.GRACE", 0.1)
    monkeypatch.setattr("agent_conformance.run.agent.driver.SIGN_OF_LIFE", 0.1)
    release = threading.Event()

    async def blocks(message: str) -> None:
        release.wait(30)

    how, _ = hung(blocks)

    assert how == "it blocks its event loop, and its thread still runs"
    release.set()


@pytest.mark.parametrize("together", [False, True])
def test_turn_that_hangs_keeps_nothing_of_its_case(together: bool) -> None:
    release, shown, driver = threading.Event(), [], Driver()

    def shows(item: object) -> None:
        shown.append(item)

    async def waits(message: str) -> str:
        return str(release.wait(30))

    kept = weakref.ref(shows)
    _ = driver.start_together([(waits, "x", shows)] * 2) if together else driver.start_send(waits, "x", shows)
    driver.stop_waiting()
    del shows

    assert kept() is not None
    driver.close()
    assert kept() is None
    release.set()


def test_activity_moves_the_deadline() -> None:
    driver = Driver()
    release = threading.Event()
    job = driver.start_send(lambda message: str(release.wait(PATIENCE)), "x", print)
    begun = time.monotonic()
    later = begun + 0.2

    assert not driver.wait(job, 0.05, lambda: min(time.monotonic(), later))
    assert time.monotonic() - begun >= 0.2
    release.set()
    assert job.wait(PATIENCE)
    driver.close()


def test_tasks_left_on_the_loop_are_cancelled_at_the_end() -> None:
    left: list[asyncio.Task[None]] = []

    async def leaves(message: str) -> str:
        left.append(asyncio.get_running_loop().create_task(asyncio.sleep(3600)))
        return "ok"

    sent(leaves)

    assert left[0].cancelled()
