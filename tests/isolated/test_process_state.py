"""What of a worker's process an agent has changed, so that the worker is not used again."""

import decimal
import gc
import json
import logging
import pathlib
import queue
import socket
import sys
import threading
import unittest.mock
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

import httpcore2
import httpx2
import pytest

from agent_conformance.attach.isolated import process_state
from agent_conformance.attach.isolated.process_state import changes, note_audit_hooks, snapshot
from agent_conformance.run.process.isolation import read_settings, restore_settings
from agent_conformance.run.process.shared_functions import SharedFunctions


@pytest.fixture(autouse=True)
def settings_kept() -> Iterator[None]:
    before = read_settings()
    yield
    restore_settings(before)


def found_after(change: Callable[[], Any]) -> list[str]:
    before, functions, threads = snapshot(), SharedFunctions(), frozenset(threading.enumerate())
    change()
    return changes(before, functions, threads)


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
    assert found_after(change) == [name]


def test_nothing_is_no_change() -> None:
    assert found_after(lambda: None) == []


PLACES = {
    "httpx2.Client": (httpx2, "Client"),
    "httpx2.Client.post": (httpx2.Client, "post"),
    "httpx2.AsyncClient.__init__": (httpx2.AsyncClient, "__init__"),
    "httpcore2.ConnectionPool.handle_request": (httpcore2.ConnectionPool, "handle_request"),
    "queue.Queue": (queue, "Queue"),
    "queue.Queue.get": (queue.Queue, "get"),
    "pathlib.Path": (pathlib, "Path"),
    "pathlib.Path.read_text": (pathlib.Path, "read_text"),
    "json.loads": (json, "loads"),
    "json.JSONEncoder.default": (json.JSONEncoder, "default"),
    "threading.Thread.start": (threading.Thread, "start"),
    "socket.getaddrinfo": (socket, "getaddrinfo"),
}


@pytest.mark.parametrize("name", PLACES)
def test_replaced_function_is_named(name: str) -> None:
    functions = SharedFunctions()
    with unittest.mock.patch.object(*PLACES[name], unittest.mock.MagicMock()):
        replaced = functions.replaced()

    # A class of a package may be defined in a module of its own.
    assert any(one.rpartition(".")[2] == name.rpartition(".")[2] for one in replaced), replaced
    assert functions.replaced() == []


def test_module_that_was_replaced_is_named() -> None:
    functions = SharedFunctions()
    with unittest.mock.patch.dict(sys.modules, {"json": ModuleType("json")}):
        assert functions.replaced() == ["json"]


def test_own_modules_of_an_agent_may_change() -> None:
    own = ModuleType("an_agent_of_mine")
    vars(own)["ask"] = print
    with unittest.mock.patch.dict(sys.modules, {"an_agent_of_mine": own}):
        functions = SharedFunctions()
        vars(own)["ask"] = len

        assert functions.replaced() == []


@pytest.mark.parametrize(
    ("name", "change", "undo"),
    [
        ("sys.path", lambda: sys.path.append("/nowhere"), sys.path.pop),
        ("logging", lambda: logging.disable(logging.ERROR), lambda: logging.disable(logging.NOTSET)),
        ("garbage collection", lambda: gc.callbacks.append(print), lambda: gc.callbacks.remove(print)),
        ("import hooks", lambda: sys.path_hooks.append(print), lambda: sys.path_hooks.remove(print)),
        (
            "decimal context",
            lambda: setattr(decimal.DefaultContext, "prec", 7),
            lambda: setattr(decimal.DefaultContext, "prec", 28),
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_setting_that_reaches_the_next_case_is_a_change(
    name: str, change: Callable[[], Any], undo: Callable[[], Any]
) -> None:
    try:
        assert found_after(change) == [name]
    finally:
        undo()


def test_audit_hook_is_a_change(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process_state, "_adding", lambda hook: None)
    monkeypatch.setattr(process_state, "_audit_hooks", [])
    monkeypatch.setattr(sys, "addaudithook", sys.addaudithook)
    note_audit_hooks()

    assert found_after(lambda: sys.addaudithook(lambda *event: None)) == ["audit hooks"]


def test_what_claims_to_be_equal_is_another() -> None:
    functions = SharedFunctions()
    with unittest.mock.patch.object(json, "loads", unittest.mock.ANY):
        assert "json.loads" in functions.replaced()
