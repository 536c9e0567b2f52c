"""Calls of what an adapter has beside `send`."""

import gc
import threading
import weakref
from contextvars import ContextVar

import pytest

from agent_conformance.adapter.contract import AdapterMistake
from agent_conformance.run.agent.agent_instance import called_within

_seen: ContextVar[str] = ContextVar("_seen", default="nothing")


def _set_and_read(value: str) -> str:
    before = _seen.get()
    _seen.set(value)
    return before


def test_calls_share_threads_and_no_context() -> None:
    first, second = (called_within(5, "side_request", threading.get_ident) for _ in range(2))

    assert first == second != threading.get_ident()
    assert [called_within(5, "side_request", _set_and_read, value) for value in "ab"] == ["nothing", "nothing"]


def test_after_a_call_that_hangs_the_next_one_has_another_thread() -> None:
    go_on = threading.Event()
    with pytest.raises(AdapterMistake, match=r"the adapter's side_request did not return within 0\.05 s"):
        called_within(0.05, "side_request", go_on.wait)

    assert called_within(5, "side_request", str, 7) == "7"
    go_on.set()


def test_each_call_has_an_outcome_of_its_own() -> None:
    late = threading.Event()
    with pytest.raises(AdapterMistake):
        called_within(0.05, "side_request", lambda: late.wait() and "late")
    late.set()

    assert [called_within(5, "side_request", str, number) for number in range(3)] == ["0", "1", "2"]


def test_an_exit_is_the_adapters_mistake() -> None:
    with pytest.raises(AdapterMistake, match="the adapter's side_request raised SystemExit: 3"):
        called_within(5, "side_request", exit, 3)


def test_what_was_called_with_is_let_go() -> None:
    class Body(dict[str, int]):
        pass

    body = Body()
    gone = weakref.ref(body)
    called_within(5, "side_request", len, body)
    called_within(5, "side_request", len, ())
    del body
    gc.collect()

    assert gone() is None
