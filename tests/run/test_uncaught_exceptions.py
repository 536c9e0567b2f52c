"""Exceptions in threads of an agent are nobody else's, also after the session."""

import threading

import pytest

from agent_conformance.run.exceptions.crash_trace import UncaughtExceptions


def test_thread_that_was_left_behind_may_raise_after_the_session(monkeypatch: pytest.MonkeyPatch) -> None:
    others: list[object] = []
    monkeypatch.setattr(threading, "excepthook", others.append)
    go_on = threading.Event()
    left = threading.Thread(target=lambda: go_on.wait() and 1 / 0)
    with UncaughtExceptions() as uncaught:
        uncaught.begin_case()
        left.start()
        uncaught.end_case()

    go_on.set()
    left.join()

    assert others == []


def test_thread_of_others_is_theirs_and_the_hook_is_given_back(monkeypatch: pytest.MonkeyPatch) -> None:
    others: list[object] = []
    monkeypatch.setattr(threading, "excepthook", others.append)
    hook = threading.excepthook
    with UncaughtExceptions():
        thread = threading.Thread(target=lambda: 1 / 0)
        thread.start()
        thread.join()

    assert len(others) == 1
    assert threading.excepthook == hook
