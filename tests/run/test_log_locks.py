"""A log handler whose lock an agent holds for ever is usable again after its case."""

import logging
import threading
from typing import Any

import pytest

from agent_conformance.run.process import isolation
from agent_conformance.run.process.isolation import free_log_locks
from tests.patience import PATIENCE


@pytest.fixture
def handler() -> Any:
    return logging.Handler()


def test_lock_that_is_held_is_replaced(handler: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(isolation, "PATIENCE", 0.01)
    before, held, released = handler.lock, threading.Event(), threading.Event()

    def hold() -> None:
        with before:
            held.set()
            released.wait(PATIENCE)

    thread = threading.Thread(target=hold, daemon=True)
    thread.start()
    assert held.wait(PATIENCE)

    free_log_locks()

    assert handler.lock is not before
    assert handler.lock.acquire(blocking=False)
    released.set()
    thread.join(PATIENCE)


def test_lock_that_is_free_is_kept(handler: Any) -> None:
    before = handler.lock

    free_log_locks()

    assert handler.lock is before
    assert before.acquire(blocking=False)
