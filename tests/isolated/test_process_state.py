"""What of a worker's process an agent has changed, so that the worker is not used again."""

import socket
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from agent_conformance.agents.isolated.process_state import changes, snapshot
from agent_conformance.run.settings import read_settings, restore_settings


@pytest.fixture(autouse=True)
def settings_kept() -> Iterator[None]:
    before = read_settings()
    yield
    restore_settings(before)


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("socket timeout", lambda: socket.setdefaulttimeout(3.0)),
        ("stack size", lambda: threading.stack_size(1 << 20)),
        ("recursion limit", lambda: sys.setrecursionlimit(sys.getrecursionlimit() + 7)),
        ("trace", lambda: threading.setprofile(print)),
    ],
)
def test_what_is_restored_in_process_is_a_change_here(name: str, change: Callable[[], Any]) -> None:
    before, threads = snapshot(), frozenset(threading.enumerate())
    change()

    assert changes(before, threads) == [name]


def test_nothing_is_no_change() -> None:
    before, threads = snapshot(), frozenset(threading.enumerate())

    assert changes(before, threads) == []
