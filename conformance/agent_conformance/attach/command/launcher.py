"""Processes of one command: starts them, exchanges hello, keeps one for the next case if the agent allows it.

Knows the messages `hello` and nothing of what follows them.
"""

import atexit
import itertools
import time
from pathlib import Path

from agent_conformance.attach.command import outgoing_messages
from agent_conformance.attach.command.errors import CommandError, NoHello, OtherProtocol, ProtocolBroken
from agent_conformance.attach.command.incoming_messages import (
    Hello,
    Incoming,
    InvalidMessage,
    OtherVersion,
    fields_of,
    incoming,
)
from agent_conformance.attach.command.process import Process

RESTART = 6
"""So many timeouts a process that is started again may take to its hello; the clock of the case may end it sooner."""


class Launcher:
    """Starts processes of one command, keeps one idle for the next case, and ends all at exit."""

    def __init__(self, command: str, *, cwd: Path, timeout: float) -> None:
        self._command = command
        self._cwd = cwd
        self.timeout = timeout
        self._idle: Process | None = None
        self._live: set[Process] = set()
        self._sessions = itertools.count(1)
        self.reuse = False
        self.seconds = 0.0

    def start(self) -> Hello:
        """Start a process and exchange hello with it. Raises `CommandError`."""
        started = time.monotonic()
        process = self._start()
        try:
            hello = self._hello(process, within=self.timeout)
        except CommandError:
            self.end(process, gracefully=False)
            raise
        self.seconds = time.monotonic() - started
        self.reuse = hello.reuse
        self._idle = process
        return hello

    def take(self) -> tuple[Process, str]:
        """A process that has sent hello, and the name of a new session."""
        process, self._idle = self._idle, None
        if process is None or not process.alive:
            if process is not None:
                self.end(process, gracefully=False)
            process = self._start()
            self._hello(process, within=RESTART * self.timeout)
        return process, f"s{next(self._sessions)}"

    def share(self, process: Process) -> tuple[Process, str]:
        """A process that has a session, and the name of another one in it."""
        return process, f"s{next(self._sessions)}"

    def give_back(self, process: Process) -> None:
        """The session of this process is over. Keep the process if the agent allows it, else end it."""
        if self.reuse and process.alive and self._idle is None:
            self._idle = process
        else:
            self.end(process, gracefully=True)

    def end(self, process: Process, *, gracefully: bool) -> None:
        process.end(gracefully=gracefully)
        self._live.discard(process)
        if not self._live:
            atexit.unregister(self._end_all)

    def kill(self, process: Process) -> None:
        """End the process and its children without a warning."""
        process.kill()
        self.end(process, gracefully=False)

    def _start(self) -> Process:
        process = Process(self._command, cwd=self._cwd)
        if not self._live:
            atexit.register(self._end_all)
        self._live.add(process)
        process.write(outgoing_messages.line_of(outgoing_messages.hello_message()))
        return process

    def _hello(self, process: Process, *, within: float) -> Hello:
        answer = self._first(process, within)
        if not isinstance(answer, Hello):
            raise ProtocolBroken("the agent broke the protocol: its first message is not hello", process.stderr)
        return answer

    def _first(self, process: Process, within: float) -> Incoming:
        try:
            line = process.receive_within(within)
            return incoming(fields_of(line.text))
        except TimeoutError:
            raise NoHello(f"the agent sent no hello within {within:g} s", process.stderr) from None
        except OtherVersion as other:
            raise OtherProtocol(str(other), process.stderr) from None
        except InvalidMessage as broken:
            what = f"the agent broke the protocol: line {line.number} of its output: {broken}"
            raise ProtocolBroken(what, process.stderr) from None

    def _end_all(self) -> None:
        for process in list(self._live):
            process.end(gracefully=False)
