"""The processes of one isolated agent, as the suite sees them: the fork server, and the worker that serves the case."""

import atexit
import contextlib
import json
import os
import secrets
import socket
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agent_conformance.attach.isolated import first_program
from agent_conformance.attach.isolated.channel import BrokenChannel, Channel
from agent_conformance.attach.loading import import_over
from agent_conformance.machine.platform_features import FORKS, POLLS_PIPES, apart, death_handle, is_ready, kill_group
from agent_conformance.machine.process_trees import ProcessTree, note_left_running
from agent_conformance.transcripts.redaction import redacted

KEPT = 64 * 1024
OUTPUT_AT_A_TIME = 16 * 1024


class Output:
    """A pipe for the standard output and error of a process. Give `handle` to it, and call `opened` once it has it."""

    def __init__(self) -> None:
        end, self.handle = os.pipe()
        self._end = os.fdopen(end, "rb", buffering=0)
        self._kept = bytearray()
        self._shown = 0
        self._total = 0
        self._lock = threading.Lock()
        self._thread = threading.Thread(target=self._read, name="agent-output", daemon=True)

    def opened(self) -> None:
        os.close(self.handle)
        self._thread.start()

    @property
    def text(self) -> str:
        """The end of all that was printed."""
        with self._lock:
            return bytes(self._kept).decode(errors="replace")

    @property
    def last_line(self) -> str:
        lines = self.text.strip().splitlines()
        return f"; it says: {redacted(lines[-1])[:200]}" if lines else ""

    def news(self) -> str:
        """What was printed since the last call, also what is still in the pipe; of much only the end."""
        for _ in range(KEPT // OUTPUT_AT_A_TIME if POLLS_PIPES else 0):
            self._take()
        with self._lock:
            printed = self._total - self._shown
            self._shown = self._total
            if printed <= len(self._kept):
                return bytes(self._kept[len(self._kept) - printed :]).decode(errors="replace")
            end = bytes(self._kept)[self._kept.find(b"\n") + 1 :]  # the first line has lost its beginning
            return f"... ({printed - len(end):,} bytes left out)\n{end.decode(errors='replace')}"

    def close(self) -> None:
        """Wait a moment for what is still in the pipe: a process that has left its group may hold it open."""
        self._thread.join(0.2)

    def _read(self) -> None:
        if POLLS_PIPES:
            while is_ready(self._end, to_read=True, seconds=None) and self._take() != b"":
                pass
        else:  # only this thread reads, and waits in it
            while chunk := os.read(self._end.fileno(), OUTPUT_AT_A_TIME):
                with self._lock:
                    self._keep(chunk)
        with self._lock:
            self._end.close()

    def _take(self) -> bytes | None:
        """Keep a chunk of what is in the pipe: empty at its end, None if there is nothing now."""
        with self._lock:
            if self._end.closed or not is_ready(self._end, to_read=True, seconds=0):
                return None
            chunk = os.read(self._end.fileno(), OUTPUT_AT_A_TIME)
            self._keep(chunk)
            return chunk

    def _keep(self, chunk: bytes) -> None:
        self._total += len(chunk)
        self._kept += chunk
        del self._kept[:-KEPT]


IMPORTING = 120.0
"""Seconds for the import of an agent."""
STARTING = 30.0
"""Seconds for a fork, which takes milliseconds, and for imports before it."""
NOTED = (1, 10, 100)
"""After so many cases of a worker, what it has imported is noted."""
ACCEPTING = 0.5
"""Seconds after which it is looked whether the process that is to connect still runs."""
BURYING = 3.0
"""Seconds for a killed process to end."""
AT_A_TIME = 1 << 16


class CannotStart(Exception):
    """The agent's process cannot be started, or its adapter cannot be used. One line."""


class NoAnswer(CannotStart):
    """The agent's process has not answered in time."""


@dataclass(frozen=True, slots=True)
class AgentLocation:
    """What to import, from where, and within how many seconds."""

    spec: str
    cwd: Path
    root: Path
    within: float = IMPORTING


class ForkServer:
    """The process that has imported the agent. Raises `CannotStart`."""

    def __init__(self, location: AgentLocation) -> None:
        self._lock = threading.Lock()
        self.output = Output()
        self.tree = ProcessTree(os.environ)
        self._control, *self._others = self._started(location)
        first = {"spec": location.spec, "cwd": str(location.cwd), "root": str(location.root)}
        try:
            self.declared = self._ask(first | {"path": sys.path, "argv": sys.argv}, within=location.within)
        except NoAnswer:
            self.close()
            raise CannotStart(import_over(location.spec, location.within)) from None
        except CannotStart as error:
            self.close()
            raise CannotStart(f"--agent={location.spec}: {error}{self.output.last_line}") from None
        if "problem" in self.declared:
            self.close()
            raise CannotStart(str(self.declared["problem"]))
        self.is_used_up = False
        """It has become a worker itself."""

    def _started(self, location: AgentLocation) -> list[socket.socket]:
        """The control of a new process, by which it gets a worker's sockets; or these too, where it cannot fork."""
        if FORKS:
            ours, theirs = socket.socketpair()
            with theirs:
                self._start(location, "socket", theirs.fileno(), pass_fds=[theirs.fileno()])
            return [ours]
        key = secrets.token_hex(16)
        with socket.create_server(("127.0.0.1", 0)) as server:
            self._start(location, "port", server.getsockname()[1], more={first_program.KEY: key})
            return accepted(server, [f"{key}{number}".encode() for number in range(3)], self.process)

    def _start(
        self, location: AgentLocation, how: str, number: int, *, more: Mapping[str, str] | None = None, **options: Any
    ) -> None:
        self.process = subprocess.Popen(
            [sys.executable, first_program.__file__, how, str(number)],
            cwd=location.cwd,
            stdin=subprocess.DEVNULL,
            stdout=self.output.handle,
            stderr=self.output.handle,
            env=self.tree.environment | dict(more or {}),
            **options,
            **apart(),
        )
        self.tree.begin(self.process.pid)
        self.output.opened()

    def worker(self) -> "WorkerProcess":
        """A new worker. Raises `CannotStart`."""
        if not FORKS:
            started = self._ask({"type": "worker"}, within=STARTING)
            self.is_used_up = True
            channel, questions = self._others
            return WorkerProcess(self, started["pid"], Channel(channel), Channel(questions), self.output)
        channel, its_channel = socket.socketpair()
        questions, its_questions = socket.socketpair()
        output = Output()
        with its_channel, its_questions:
            handles = [its_channel.fileno(), its_questions.fileno(), output.handle]
            started = self._ask({"type": "worker"}, handles, within=STARTING)
        output.opened()
        self.is_used_up = not started["forked"]
        return WorkerProcess(self, started["pid"], Channel(channel), Channel(questions), output)

    def bury(self, pid: int) -> int | None:
        """How this worker ended, after all that it had started was ended too; None if it still runs."""
        if not self.is_used_up:
            buried = self._ask({"type": "bury", "pid": pid, "seconds": 1.0}, within=BURYING)
            note_left_running(map(str, buried["left"]))
            return buried["status"] if isinstance(buried["status"], int) else None
        try:
            status = self.process.wait(1.0)
        except subprocess.TimeoutExpired:
            return None
        self.tree.end_rest()
        return status

    def preload(self, names: list[str]) -> None:
        """Import these modules before the next worker is forked."""
        while names:
            self._ask({"type": "import", "names": names[:2000]}, within=STARTING)
            names = names[2000:]

    def close(self) -> None:
        self._control.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(BURYING)
        self.tree.kill()
        self.process.wait()
        self.tree.end_rest()
        self.output.close()

    def _ask(self, message: Mapping[str, Any], handles: list[int] | None = None, *, within: float) -> dict[str, Any]:
        with self._lock:
            self._control.settimeout(within)
            try:
                data = json.dumps(message).encode() + b"\n"
                sent = socket.send_fds(self._control, [data], handles) if handles else 0
                self._control.sendall(data[sent:])
                answer = b""
                while not answer.endswith(b"\n") and (more := self._control.recv(AT_A_TIME)):
                    answer += more
            except TimeoutError:
                raise NoAnswer(f"the agent's process did not answer within {within:g} s") from None
            except OSError:
                answer = b""
        if not answer.endswith(b"\n"):
            raise CannotStart(f"the agent's process ended while it imported the agent{self._how_it_ended()}")
        answered: dict[str, Any] = json.loads(answer)
        return answered

    def _how_it_ended(self) -> str:
        with contextlib.suppress(subprocess.TimeoutExpired):
            return f": {how_ended(self.process.wait(1.0))}"
        return ""


class WorkerProcess:
    """One worker. `kill` may be called from any thread, and again."""

    def __init__(self, fork_server: ForkServer, pid: int, channel: Channel, questions: Channel, output: Output) -> None:
        self._fork_server = fork_server
        self.pid = pid
        self.channel = channel
        self.questions = questions
        self.output = output
        self.death = death_handle(pid)
        """A handle that can be read once the process has ended."""
        self.cases = 0
        self._lock = threading.Lock()
        self._status: int | None = None
        self._is_buried = False

    def kill(self) -> None:
        """End it and all that it has started."""
        with self._lock:
            if self._is_buried:
                return
            if self._fork_server.is_used_up:
                self._fork_server.tree.kill()
            else:
                kill_group(self.pid)
            with contextlib.suppress(CannotStart):
                self._status = self._fork_server.bury(self.pid)
            self._is_buried = True
        self.output.close()

    def how_it_ended(self) -> str:
        """`exited with 0`, after all that it has started was ended too; empty if it still runs."""
        with self._lock:
            if not self._is_buried:
                with contextlib.suppress(CannotStart):
                    self._status = self._fork_server.bury(self.pid)
                self._is_buried = self._status is not None
            return "" if self._status is None else how_ended(self._status)

    def close(self) -> None:
        self.kill()
        self.channel.close()
        self.questions.close()
        if self.death is not None:
            os.close(self.death)
            self.death = None


class Processes:
    """The fork server and at most one idle worker of an agent. All end with this process."""

    def __init__(self, location: AgentLocation) -> None:
        """Raises `CannotStart`."""
        self._location = location
        self._fork_server = ForkServer(location)
        self.declared = self._fork_server.declared
        self.idle: WorkerProcess | None = None
        self._live: set[WorkerProcess] = set()
        self._modules: list[str] = []
        """What the next worker is to be forked with."""
        self.replaced: Counter[str] = Counter()
        """How many workers were replaced, by what was found."""
        atexit.register(self.close)

    def start(self) -> WorkerProcess:
        """A new worker. Takes as long as the agent's import where it cannot be forked. Raises `CannotStart`."""
        if self._fork_server.is_used_up or self._fork_server.process.poll() is not None:
            self._fork_server.close()
            self._fork_server = ForkServer(self._location)
        self._fork_server.preload(self._modules)
        self._modules = []
        worker = self._fork_server.worker()
        self._live.add(worker)
        return worker

    def retire(self, worker: WorkerProcess, why: str) -> None:
        """This worker is not used again."""
        self.replaced[why] += 1
        worker.close()
        self._live.discard(worker)

    def note_modules(self, worker: WorkerProcess) -> None:
        """Remember what a worker has imported on first use, from time to time: later ones are forked with it."""
        if worker.cases not in NOTED:
            return
        with contextlib.suppress(BrokenChannel, TimeoutError, KeyError):
            worker.questions.send({"type": "modules", "id": 0})
            answer, _ = worker.questions.receive(BURYING)
            self._modules = [str(name) for name in answer["names"]]

    def close(self) -> None:
        atexit.unregister(self.close)
        for worker in list(self._live):
            worker.close()
        self._live.clear()
        self._fork_server.close()


def accepted(server: socket.socket, keys: list[bytes], process: subprocess.Popen[bytes]) -> list[socket.socket]:
    """The connections that begin with these keys; what else connects is refused. Raises `CannotStart`."""
    found: dict[bytes, socket.socket] = {}
    until = time.monotonic() + IMPORTING
    server.settimeout(ACCEPTING)
    while len(found) < len(keys):
        if process.poll() is not None or time.monotonic() > until:
            raise CannotStart("the agent's process ended before it was connected to the suite")
        with contextlib.suppress(TimeoutError):
            end, _ = server.accept()
            end.settimeout(ACCEPTING)
            # The first bytes that come; fewer if the other side ends, or says nothing for a while.
            size = len(keys[0])
            data = b""
            with contextlib.suppress(OSError):
                while len(data) < size and (more := end.recv(size - len(data))):
                    data += more
            key = data
            if key not in keys:
                end.close()
                continue
            end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            found[key] = end
    return [found[key] for key in keys]


def how_ended(status: int) -> str:
    return f"was ended by signal {-status}" if status < 0 else f"exited with {status}"
