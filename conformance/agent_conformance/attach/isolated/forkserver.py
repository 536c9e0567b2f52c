"""The process that imports the agent once, and forks a worker from itself whenever the suite needs one.

It runs no case. Where the system cannot fork, or the agent's import has left threads, which a fork would break, it
becomes the worker itself.
"""

import contextlib
import faulthandler
import gc
import importlib
import inspect
import json
import os
import signal
import socket
import sys
import time
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from agent_conformance.adapter.contract import DeclaredAgent
from agent_conformance.attach.isolated.channel import Channel
from agent_conformance.attach.isolated.process_state import note_audit_hooks
from agent_conformance.attach.isolated.worker import Worker
from agent_conformance.attach.loading import AgentNotFound, load_agent
from agent_conformance.machine.platform_features import (
    FORKS,
    adopt_orphans,
    children_of_this_process,
    kill_group,
    kill_with_parent,
    session_of,
    threads_of_this_process,
)
from agent_conformance.machine.process_trees import name_of
from agent_conformance.run.process import one_certificate
from agent_conformance.run.process.isolation import loopback_unproxied, no_warning_raises
from agent_conformance.run.process.shared_functions import SharedFunctions

AT_A_TIME = 1 << 16
MOST_NAMES = 1000
"""The most names of tools that are sent: a mapping may have no end."""
SWEEPING = 1.0
POLL = 0.002


def run(control: socket.socket, others: Sequence[socket.socket], first: dict[str, Any]) -> None:
    """Serve the suite over this socket until it is gone. The `others` are those of the worker that this one becomes."""
    note_audit_hooks()
    kill_with_parent(True)  # an import that never ends hears nothing of the end of the suite
    try:
        agent = load_agent(first["spec"], cwd=Path(first["cwd"]), root=Path(first["root"]))
        declared = declaration(agent)
    except AgentNotFound as error:
        _send(control, {"problem": str(error)})
        return
    kill_with_parent(False)
    _send(control, declared)
    ForkServer(control, others, agent, Path(first["cwd"])).serve()


def declaration(agent: DeclaredAgent) -> dict[str, Any]:
    """What the adapter declares, as data. Raises `AgentNotFound` for what is none."""
    adapter: Any = agent.adapter
    names: Any = getattr(adapter, "tool_names", None)
    is_async = inspect.iscoroutinefunction(adapter.send) or inspect.isasyncgenfunction(adapter.send)
    return {
        "wires": list(agent.wires),
        "modes": list(agent.modes),
        "features": sorted(agent.features),
        "reply_tool": None if agent.reply_tool is None else list(agent.reply_tool),
        "instructions_as_message": agent.instructions_as_message,
        "scrub": [[one.pattern, one.flags] for one in agent.scrub],
        "takes_half_characters": bool(getattr(adapter, "takes_half_characters", True)),
        "takes_turns_together": bool(getattr(adapter, "takes_turns_together", True)) and is_async,
        "tool_names": {str(name): str(other) for name, other in islice(names.items(), MOST_NAMES)}
        if hasattr(names, "items")
        else None,
    }


class ForkServer:
    """Forks workers, buries them, and imports what they have imported on first use."""

    def __init__(
        self, control: socket.socket, others: Sequence[socket.socket], agent: DeclaredAgent, start: Path
    ) -> None:
        self._control = control
        self._others = others
        self._agent = agent
        self._start = start
        self._workers: set[int] = set()
        self._functions = SharedFunctions()
        adopt_orphans()
        gc.collect()
        gc.freeze()

    def serve(self) -> None:
        while True:
            data, handles = self._next()
            message = json.loads(data)
            match message["type"]:
                case "worker":
                    sys.stdout.flush()
                    sys.stderr.flush()
                    self._functions.look()
                    if not FORKS or threads_of_this_process() > 1:
                        _send(self._control, {"pid": os.getpid(), "forked": False})
                        self._become_worker(handles)
                    pid = os.fork()
                    if pid == 0:
                        self._control.close()
                        os.setsid()
                        kill_with_parent(True)
                        self._become_worker(handles)
                    self._workers.add(pid)
                    for handle in handles:
                        os.close(handle)
                    _send(self._control, {"pid": pid, "forked": True})
                case "bury":
                    _send(self._control, self._bury(message["pid"], message["seconds"]))
                case "import":
                    names = message["names"]
                    for name in names:
                        if name not in sys.modules:
                            with contextlib.suppress(BaseException):
                                importlib.import_module(name)
                    gc.collect()
                    gc.freeze()
                    _send(self._control, {})

    def _next(self) -> tuple[bytes, list[int]]:
        """The next message of the suite, which sends none before the answer to the last, and what came with it."""
        data, handles = b"", []
        while not data.endswith(b"\n"):
            if FORKS:
                more, came, _, _ = socket.recv_fds(self._control, AT_A_TIME, 8)
                handles += came
            else:
                more = self._control.recv(AT_A_TIME)
            if not more:
                for pid in self._workers:
                    kill_group(pid)
                self._workers.clear()
                if FORKS:
                    self._sweep()
                os._exit(0)
            data += more
        return data, handles

    def _become_worker(self, handles: list[int]) -> None:
        """Does not return."""
        if handles:
            *numbers, output = handles
            ends = [socket.socket(fileno=number) for number in numbers]
            for number in (1, 2):
                os.dup2(output, number)
            os.close(output)
        else:
            ends = [*self._others]
        for stream in (sys.stdout, sys.stderr):
            stream.reconfigure(encoding="utf-8", line_buffering=True)  # type: ignore[union-attr]
        faulthandler.enable()
        no_warning_raises()
        with one_certificate(), loopback_unproxied():
            channel, questions = map(Channel, ends)
            Worker(self._agent, channel, questions, self._start, self._functions).run()

    def _bury(self, pid: int, seconds: float) -> dict[str, Any]:
        """How the worker ended, and the daemons that it had left, all of them ended; no status if it still runs."""
        until = time.monotonic() + seconds
        while (status := _exit_status(pid)) is None and time.monotonic() < until:
            time.sleep(POLL)
        if status is None:
            return {"status": None, "left": []}
        kill_group(pid)
        self._workers.discard(pid)
        daemons = [name_of(one) for one in children_of_this_process() - self._workers if session_of(one) != pid]
        self._sweep()
        return {"status": status, "left": daemons}

    def _sweep(self) -> None:
        """Kill what a worker has started and left, also outside its process group: it is this process's child now."""
        until = time.monotonic() + SWEEPING
        while (orphans := children_of_this_process() - self._workers) and time.monotonic() < until:
            for pid in orphans:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.kill(pid, signal.SIGKILL)
                _exit_status(pid)
            time.sleep(POLL)


def _exit_status(pid: int) -> int | None:
    """The exit code of a child, negative for a signal; None while it runs."""
    try:
        found, status = os.waitpid(pid, os.WNOHANG)
    except ChildProcessError:
        return 0
    return os.waitstatus_to_exitcode(status) if found else None


def _send(control: socket.socket, message: dict[str, Any]) -> None:
    control.sendall(json.dumps(message).encode() + b"\n")
