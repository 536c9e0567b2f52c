"""One instance of an agent in a case: its adapter, the thread on which it lives, its life and its end.

Every attribute of the adapter is read on that thread, or on one of its own with a limit: it may be a property, and what
it has beside `send` may hang, raise or return anything. What a killed instance still does is neither answered nor
recorded.
"""

import contextlib
import contextvars
import inspect
import queue
import threading
from collections.abc import Callable
from concurrent.futures import Future
from functools import partial
from typing import Any

from msgspec import Struct

from agent_conformance.adapter.contract import AdapterMistake
from agent_conformance.machine.platform_features import after_fork_in_child
from agent_conformance.run.agent.driver import GRACE, Driver, Job, ReadError
from agent_conformance.run.exceptions import class_name, described_error
from agent_conformance.transcripts.redaction import SECRETS

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


class _Call(Struct, frozen=True):
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


class Killed(BaseException):
    """The agent was killed. Not an `Exception`: it ends the agent's own code, once the case is over."""


class Life:
    """`killed` is called with the reason when the instance dies, from the thread on which that happens."""

    def __init__(self, killed: Callable[[BaseException], None] = lambda error: None) -> None:
        self._killed = killed
        self.is_dead = False
        self._over = threading.Event()

    def kill(self, error: BaseException | None = None) -> None:
        """Kill the instance at this point of its code. Does not return: raises when the case is over."""
        if not self.is_dead:
            self.is_dead = True
            self._killed(error or Killed())
        self._rest()

    def go_on(self) -> None:
        """Called by what an instance uses. Does not return to one that was killed."""
        if self.is_dead:
            self._rest()

    def end(self) -> None:
        """The case is over: the code of a killed instance, which may hold locks and threads, ends now."""
        self._over.set()

    def _rest(self) -> None:
        # Blocks the thread, and with it an event loop: after the end of a process no other task runs either.
        self._over.wait()
        raise Killed


LOG_SECONDS = 10.0


class LivingAgent:
    """`adapter` is None before its start and after its end. A killed one is kept until the case is over.

    Exceptions of turns are read by `of_turn`, those of its start and its end by `outside_turn`.
    """

    def __init__(self, of_turn: ReadError, outside_turn: ReadError) -> None:
        self.driver = Driver(of_turn)
        self._outside_turn = outside_turn
        self.adapter: Any = None
        self.life = Life(self.driver.leave)

    def start(self, work: Callable[[], Any]) -> Job:
        """Run this on its thread, outside its turns."""
        return self.driver.start(work, self._outside_turn)

    def send(self, message: Any, **more: Any) -> Any:
        return self.adapter.send(message, **more)

    def switch(self, setup: Any) -> Any:
        return self.adapter.switch(setup)

    def compact(self, **more: Any) -> Any:
        return self.adapter.compact(**more)

    def close(self) -> Any:
        """Called on its thread. The adapter goes: it is closed once."""
        adapter, self.adapter = self.adapter, None
        SECRETS.learn_members(adapter)
        close = getattr(adapter, "close", None)
        return None if close is None else close()

    def cancel(self) -> Future[None]:
        """Cancel its turn, from any thread; the future is done when that has happened."""
        called: Future[None] = Future()
        self._on_a_thread("cancel", called, partial(self._cancel, called))
        return called

    def steer(self, message: str) -> Future[None]:
        """Say something more to it, from any thread; the future is done when it has taken the message."""
        called: Future[None] = Future()
        self._on_a_thread("steer", called, lambda: self._call(self.adapter.steer, called, message))
        return called

    def _cancel(self, called: Future[None]) -> bool:
        cancel = getattr(self.adapter, "cancel", None)
        if cancel is not None:
            return self._call(cancel, called)
        self.driver.cancel_task()
        return False

    def _call(self, member: Callable[..., Any], called: Future[None], *arguments: Any) -> bool:
        """Whether `called` is set later: what is async runs on the agent's own loop."""
        is_async = inspect.iscoroutinefunction(member)
        if is_async:
            self.driver.run_coroutine(lambda: member(*arguments), called)
        else:
            member(*arguments)
        return is_async

    def _on_a_thread(self, name: str, called: Future[None], call: Callable[[], bool]) -> None:
        def work() -> None:
            is_set_later = False
            try:
                is_set_later = call()
            finally:
                if not is_set_later:
                    called.set_result(None)

        threading.Thread(target=work, name=name, daemon=True).start()

    @property
    def has_log(self) -> bool:
        """Whether it has an adapter's `log_tail`, which is not read."""
        return inspect.getattr_static(self.adapter, "log_tail", None) is not None

    def log_tail(self) -> str:
        """The end of its log; nothing where that cannot be read."""
        if not self.has_log:
            return ""
        with contextlib.suppress(AdapterMistake):
            text: str = called_within(LOG_SECONDS, "log_tail", lambda: "".join((str(self.adapter.log_tail),)))
            return text
        return ""

    def end_process(self) -> None:
        """Kill the process of an agent that has one."""
        with contextlib.suppress(AdapterMistake):
            called_within(LOG_SECONDS, "kill", self._kill)

    @property
    def shares_process(self) -> bool:
        """The agent has no process of its own that could be killed."""
        return not hasattr(self.adapter, "kill")

    def _kill(self) -> None:
        if (kill := getattr(self.adapter, "kill", None)) is not None:
            kill()

    def clear_away(self) -> None:
        """The case is over: let the code of a killed agent end, and close it as far as it lets itself be closed."""
        self.life.end()
        self.start(self.close).wait(2 * GRACE)
        self.forget()

    def forget(self) -> None:
        """End its thread, and let go of the adapter there."""
        self.driver.close(partial(setattr, self, "adapter", None))
