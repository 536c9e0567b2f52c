"""Processes of one command: started, greeted, kept for the next case where the agent allows it, ended at exit.

Knows the request of hello and nothing of what follows it.
"""

import atexit
import itertools
import time
from pathlib import Path

from conformance.agents.command import messages
from conformance.agents.command.errors import CommandError, NoGreeting, OtherProtocol, ProtocolBroken
from conformance.agents.command.process import Process
from conformance.agents.command.reading import Hello, Incoming, NotThisVersion, Unreadable, fields_of, incoming


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

    def greet(self) -> Hello:
        """Start a process and request hello with it. Raises `CommandError`."""
        started = time.monotonic()
        process = self._start()
        try:
            hello = self._hello(process)
        except CommandError:
            self.end(process, politely=False)
            raise
        self.seconds = time.monotonic() - started
        self.reuse = hello.reuse
        self._idle = process
        return hello

    def take(self) -> tuple[Process, str]:
        """A process that has said hello, and the name of a new session."""
        process, self._idle = self._idle, None
        if process is None or not process.alive:
            if process is not None:
                self.end(process, politely=False)
            process = self._start()
            self._hello(process)
        return process, f"s{next(self._sessions)}"

    def give_back(self, process: Process) -> None:
        """The process is done with its session: kept where the agent allows it, else ended."""
        if self.reuse and process.alive and self._idle is None:
            self._idle = process
        else:
            self.end(process, politely=True)

    def end(self, process: Process, *, politely: bool) -> None:
        process.end(politely=politely)
        self._live.discard(process)
        if not self._live:
            atexit.unregister(self._end_all)

    def _start(self) -> Process:
        process = Process(self._command, cwd=self._cwd)
        if not self._live:
            atexit.register(self._end_all)
        self._live.add(process)
        process.write(messages.line_of(messages.hello_message()))
        return process

    def _hello(self, process: Process) -> Hello:
        answer = self._first(process)
        if not isinstance(answer, Hello):
            raise ProtocolBroken("the agent broke the protocol: its first message is no hello", process.stderr)
        return answer

    def _first(self, process: Process) -> Incoming:
        try:
            line = process.receive_within(self.timeout)
            return incoming(fields_of(line.text))
        except TimeoutError:
            raise NoGreeting(f"the agent did not say hello within {self.timeout:g} s", process.stderr) from None
        except NotThisVersion as other:
            raise OtherProtocol(str(other), process.stderr) from None
        except Unreadable as broken:
            what = f"the agent broke the protocol: line {line.number} of its output: {broken}"
            raise ProtocolBroken(what, process.stderr) from None

    def _end_all(self) -> None:
        for process in list(self._live):
            process.end(politely=False)
