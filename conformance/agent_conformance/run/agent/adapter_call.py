"""Calling what an adapter has beside `send`, which may hang, raise or return anything. Knows no case."""

import contextvars
import queue
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from agent_conformance.adapter.contract import AdapterMistake
from agent_conformance.machine.abilities import after_fork_in_child
from agent_conformance.run.exceptions.agent_errors import class_name, described_error

_idle: "list[_Caller]" = []
"""Threads that wait for a call: one is asked for with every request of an agent that has a `side_request`."""
after_fork_in_child(_idle.clear)


def called_within(seconds: float, what: str, function: Callable[..., Any], *arguments: Any) -> Any:
    """What it returns, called on another thread. Raises `AdapterMistake` if it raises, or does not return.

    Hold no lock meanwhile: `function` may take any time, and may send a request.
    """
    caller = _idle.pop() if _idle else _Caller()
    outcome = caller.start(_Call(what, function, arguments))
    try:
        value, mistake = outcome.get(timeout=seconds)
    except queue.Empty:
        caller.end()
        raise AdapterMistake(f"the adapter's {what} did not return within {seconds:g} s") from None
    _idle.append(caller)
    if mistake is not None:
        raise mistake
    return value


_Outcome = tuple[Any, AdapterMistake | None]


@dataclass(frozen=True, slots=True)
class _Call:
    what: str
    function: Callable[..., Any]
    arguments: tuple[Any, ...]

    def outcome(self) -> _Outcome:
        """The value, or what is wrong. In a context of its own, as on a new thread."""
        try:
            return contextvars.Context().run(self.function, *self.arguments), None
        except AdapterMistake as mistake:
            return None, mistake
        except BaseException as error:  # SystemExit included: it is no reason to exit
            return None, AdapterMistake(f"the adapter's {self.what} raised {described_error(error)}")


class _Caller:
    """A thread that makes calls, one after another. One that hangs in a call ends with it."""

    def __init__(self) -> None:
        self._calls: queue.SimpleQueue[tuple[_Call, queue.SimpleQueue[_Outcome]] | None] = queue.SimpleQueue()
        threading.Thread(target=self._work, name="agent-member", daemon=True).start()

    def start(self, call: _Call) -> "queue.SimpleQueue[_Outcome]":
        """Begin the call. The queue gets its outcome."""
        outcome: queue.SimpleQueue[_Outcome] = queue.SimpleQueue()
        self._calls.put((call, outcome))
        return outcome

    def end(self) -> None:
        self._calls.put(None)

    def _work(self) -> None:
        while (started := self._calls.get()) is not None:
            call, outcome = started
            outcome.put(call.outcome())
            del started, call, outcome  # what they hold is the agent's


def kind_of(value: Any) -> str:
    """`a list`, `an int`: what a value is, without running code of its class."""
    name = class_name(value)
    return f"{'an' if name[:1].lower() in 'aeiou' else 'a'} {name}"
