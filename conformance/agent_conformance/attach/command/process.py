"""One child process: lines in, lines out, and an end that leaves no process.

Three threads copy the bytes, so that a child that does not read, floods or hangs never blocks the caller. The process
can outlive an event loop.
"""

import asyncio
import atexit
import contextlib
import itertools
import os
import queue
import re
import shlex
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from agent_conformance.attach.command import messages
from agent_conformance.attach.command.messages import (
    CommandError,
    Hello,
    Incoming,
    InvalidMessage,
    NoHello,
    OtherProtocol,
    OtherVersion,
    ProcessDied,
    ProtocolBroken,
    fields_of,
    incoming,
)
from agent_conformance.machine.platform_features import (
    IS_POSIX,
    POLLS_PIPES,
    apart,
    ask_to_end,
    is_pipe_ready,
    shell_command,
)
from agent_conformance.machine.process_trees import ProcessTree
from agent_conformance.machine.refusing_proxy import refusing_proxy
from agent_conformance.transcripts.redaction import redacted

LONGEST_LINE = 8 * 1024 * 1024
MOST_LINES_WAITING = 1024
LINES_AT_A_TIME = 64
"""After so many lines, other tasks of the event loop run, above all a cancellation."""
CHUNK = 16 * 1024
STDERR_KEPT = 4 * CHUNK
GRACE = 2.0
"""Seconds in which a process can exit by itself after its input was closed."""
TERMINATE_TIMEOUT = 1.0
"""Seconds between terminate and kill."""
LOOPBACK = "127.0.0.1,localhost,::1"

POLL_INTERVAL = 0.2
"""Seconds between checks whether a silent process is alive: its children may keep its output open."""


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the process's output, without its end; the first has the number 1."""

    number: int
    text: bytes


class Process:
    """A started command in a process group of its own. Raises `NoGreeting` where it cannot be started."""

    def __init__(self, command: str, *, cwd: Path) -> None:
        self._tree = ProcessTree(environment())
        try:
            self._child = subprocess.Popen(
                arguments_of(command),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                cwd=cwd,
                env=self._tree.environment,
                **apart(),
            )
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or error
            raise NoHello(f"the command {command!r} cannot be started: {reason}") from None
        self._tree.begin(self._child.pid)
        self._out: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._in: queue.Queue[Line | CommandError] = queue.Queue(MOST_LINES_WAITING)
        self._wake: Callable[[], None] = lambda: None
        self._stderr = bytearray()
        self._stderr_lock = threading.Lock()
        self._asked_before = refusing_proxy().count
        self._closed = threading.Event()
        self._ended = False
        self._received = 0
        self._threads = [
            threading.Thread(target=work, name=f"agent-{work.__name__}", daemon=True)
            for work in (self._drain, self._write, self._wait, self._read)  # the reader waits for the first
        ]
        for thread in self._threads:
            thread.start()

    @property
    def pid(self) -> int:
        return self._child.pid

    @property
    def stderr(self) -> str:
        """The end of the standard error so far, or since `begin_log`."""
        self._take_waiting_stderr()
        return bytes(self._stderr).decode(errors="replace")

    @property
    def other_hosts(self) -> str:
        """A line with the other hosts that it asked its proxy for, or has since `begin_log`."""
        return refusing_proxy().since(self._asked_before)

    def begin_log(self) -> None:
        """Forget what it has written so far: it is about earlier cases."""
        self._take_waiting_stderr()
        with self._stderr_lock:
            self._stderr.clear()
        self._asked_before = refusing_proxy().count

    def _take_waiting_stderr(self) -> None:
        for _ in range(STDERR_KEPT // CHUNK if POLLS_PIPES else 0):
            self._take_stderr()

    @property
    def alive(self) -> bool:
        return not self._ended and self._child.poll() is None

    def write(self, line: bytes) -> None:
        """Queue one line. Raises `ProtocolBroken` if the process never reads; `receive` notices its end."""
        if self._out.qsize() >= MOST_LINES_WAITING:
            found = f"{MOST_LINES_WAITING} lines wait on its standard input, which it does not read"
            raise ProtocolBroken(f"the agent broke the protocol: {found}", self.stderr)
        self._out.put(line)

    def receive_within(self, seconds: float) -> Line:
        """The next line. Raises `CommandError`; `TimeoutError` after `seconds`."""
        try:
            return _line(self._in.get(timeout=seconds))
        except queue.Empty:
            raise TimeoutError from None

    async def receive(self) -> Line:
        """The next line; waits without a limit. Raises `CommandError`."""
        loop, arrived = asyncio.get_running_loop(), asyncio.Event()

        def wake() -> None:
            with contextlib.suppress(RuntimeError):  # the loop is closed, so nothing waits
                loop.call_soon_threadsafe(arrived.set)

        self._wake = wake
        self._received += 1
        if self._received % LINES_AT_A_TIME == 0:
            await asyncio.sleep(0)
        while True:
            arrived.clear()
            try:
                return _line(self._in.get_nowait())
            except queue.Empty:
                await arrived.wait()

    def waiting(self) -> Iterator[Line]:
        """The lines that have arrived and were not received yet. Raises `CommandError`."""
        while True:
            try:
                yield _line(self._in.get_nowait())
            except queue.Empty:
                return

    def end(self, *, gracefully: bool) -> None:
        """End the process and its children: close its input if `gracefully`, then terminate, then kill."""
        if self._ended:
            return
        self._ended = True
        self._out.put(None)
        if not (gracefully and self._ends_within(GRACE)):
            ask_to_end(self._child.pid, signal.SIGTERM)
            self._ends_within(TERMINATE_TIMEOUT)
            self._tree.kill()
        self._child.wait()
        self._tree.end_rest()
        for thread in self._threads:
            thread.join(TERMINATE_TIMEOUT)
        self._closed.set()  # for pipes that a process outside the group still writes to
        for thread in self._threads:
            thread.join(TERMINATE_TIMEOUT)
        for stream in (self._child.stdin, self._child.stdout, self._child.stderr):
            with contextlib.suppress(OSError):
                if stream is not None:
                    stream.close()

    def kill(self) -> None:
        """Kill the process and its children, which get no time to write anything."""
        self._tree.kill()

    def _ends_within(self, seconds: float) -> bool:
        try:
            self._child.wait(seconds)
        except subprocess.TimeoutExpired:
            return False
        return True

    def _wait(self) -> None:
        """What it leaves behind would keep its output open."""
        self._child.wait()
        self._tree.end_rest()

    def _write(self) -> None:
        stdin = self._child.stdin
        assert stdin is not None
        with contextlib.suppress(OSError):  # it no longer reads; the reader says why
            while (line := self._out.get()) is not None:
                stdin.write(line)
                stdin.flush()
        with contextlib.suppress(OSError):
            stdin.close()

    def _read(self) -> None:
        unfinished, number = bytearray(), 0
        for chunk in self._chunks():
            unfinished += chunk
            if b"\n" not in chunk and len(unfinished) <= LONGEST_LINE:
                continue
            *lines, rest = bytes(unfinished).split(b"\n")
            unfinished = bytearray(rest)
            for line in lines:
                number += 1
                if line.strip():
                    self._deliver(Line(number, line))
            if len(rest) > LONGEST_LINE:
                self._deliver(self._too_long(number + 1, rest))
                return
        rest = bytes(unfinished)
        if rest.rstrip().endswith(b"}"):  # only the end of the line is missing
            self._deliver(Line(number + 1, rest))
            rest = b""
        self._deliver(ProcessDied(self._how_it_ended(rest.strip()), self.stderr))

    def _too_long(self, number: int, line: bytes) -> ProtocolBroken:
        begins = redacted(repr(line))[:40]
        found = f"found a line that begins {begins} and has no end, expected one of at most {LONGEST_LINE} bytes"
        return ProtocolBroken(f"the agent broke the protocol: line {number} of its output: {found}", self.stderr)

    def _how_it_ended(self, rest: bytes) -> str:
        """Waits a moment for the end, to know the exit code and the standard error."""
        begun = f", in the middle of the line {redacted(repr(rest))[:40]}" if rest else ""
        if not self._ends_within(TERMINATE_TIMEOUT):
            return f"the agent closed its standard output and still runs{begun}"
        self._threads[0].join(TERMINATE_TIMEOUT)
        code = self._child.returncode
        how = f"was ended by signal {-code}" if code < 0 else f"exited with {code}"
        return f"the agent's process {how}{begun}"

    def _drain(self) -> None:
        for _ in self._whenever_ready(self._child.stderr):
            if self._take_stderr() == b"":
                return

    def _take_stderr(self) -> bytes | None:
        """Keep a chunk of standard error: empty at its end, None if there is nothing now."""
        with self._stderr_lock if POLLS_PIPES else contextlib.nullcontext():  # else the thread that drains it is alone
            stream = self._child.stderr
            if stream is None or stream.closed or not is_pipe_ready(stream, 0):
                return None
            chunk = os.read(stream.fileno(), CHUNK)
            self._stderr += chunk
            del self._stderr[:-STDERR_KEPT]
            return chunk

    def _chunks(self) -> Iterator[bytes]:
        """The chunks of standard output."""
        stream = self._child.stdout
        assert stream is not None
        for _ in self._whenever_ready(stream):
            if not (chunk := os.read(stream.fileno(), CHUNK)):
                return
            yield chunk

    def _whenever_ready(self, stream: IO[bytes] | None) -> Iterator[None]:
        """Yields when there is something to read or the end; stops when the process is dead and its children silent."""
        assert stream is not None
        while not self._closed.is_set():
            if is_pipe_ready(stream, POLL_INTERVAL):
                yield
            elif self._child.poll() is not None:
                return

    def _deliver(self, line: Line | CommandError) -> None:
        while not self._ended:
            try:
                self._in.put(line, timeout=0.1)
            except queue.Full:
                continue
            self._wake()
            return


def arguments_of(command: str) -> list[str] | str:
    """The arguments to start. With a shell only if the command needs one: operators, variables, globs, assignments; on
    Windows always, where quotes and backslashes mean something else to each program.
    """
    if not IS_POSIX and command.strip():
        return shell_command(command)
    bare = re.sub(r"'[^']*'|\\.", "", command)
    quoted = "".join(re.findall(r'"([^"]*)"', bare))
    bare = re.sub(r'"[^"]*"', "", bare)
    if re.search(r"[|&;<>()$`*?~\n]|^\s*\w+=", bare) or re.search(r"[$`]", quoted):
        return shell_command(command)
    words = shlex.split(command)
    if not words:
        raise ValueError("it is empty")
    return words


def environment() -> dict[str, str]:
    """The environment of this process, with proxies that refuse all but loopback, and unbuffered UTF-8 of Python."""
    proxies = dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"), refusing_proxy().address)
    direct = {"NO_PROXY": LOOPBACK, "no_proxy": LOOPBACK}
    lower = {name.lower(): value for name, value in proxies.items()}
    return {
        **os.environ,
        **proxies,
        **lower,
        **direct,
        "PYTHONUNBUFFERED": "1",
        "NODE_USE_ENV_PROXY": "1",
        "PYTHONIOENCODING": "utf-8",
    }


def _line(item: Line | CommandError) -> Line:
    if isinstance(item, CommandError):
        raise item
    return item


RESTART = 6
"""So many timeouts a process that is started again may take to its hello; the clock of the case may end it sooner."""


class Launcher:
    """Starts processes of one command, keeps one idle for the next case, and ends all at exit."""

    def __init__(self, command: str, *, cwd: Path, timeout: float) -> None:
        self._command = command
        self._cwd = cwd
        self.timeout = timeout
        self._idle: Process | None = None
        self._was_used = False
        """Whether the idle process has had a session."""
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
        elif self._was_used:
            process.begin_log()
        return process, f"s{next(self._sessions)}"

    def share(self, process: Process) -> tuple[Process, str]:
        """A process that has a session, and the name of another one in it."""
        return process, f"s{next(self._sessions)}"

    def give_back(self, process: Process) -> None:
        """The session of this process is over. Keep the process if the agent allows it, else end it."""
        if self.reuse and process.alive and self._idle is None:
            self._idle, self._was_used = process, True
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
        process.write(messages.line_of(messages.hello_message()))
        return process

    def _hello(self, process: Process, *, within: float) -> Hello:
        try:
            answer = self._first(process, within)
            if not isinstance(answer, Hello):
                raise ProtocolBroken("the agent broke the protocol: its first message is not hello", process.stderr)
        except CommandError as error:
            error.args = (error.with_log,)  # there is no case yet, and nothing else shows the log
            raise
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
