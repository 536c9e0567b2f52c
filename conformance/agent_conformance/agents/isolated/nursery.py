"""The process that imports the agent once, and forks a worker from itself whenever the suite needs one.

It runs no case. Where the agent's import has left threads, a fork would break them: it then becomes the worker itself.
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
from pathlib import Path
from typing import Any

from agent_conformance.adapter.contract import DeclaredAgent
from agent_conformance.agents.isolated.channel import Channel
from agent_conformance.agents.isolated.worker import Worker
from agent_conformance.agents.loading import AgentNotFound, load_agent
from agent_conformance.run.certificate import one_certificate
from agent_conformance.run.isolation import loopback_unproxied, no_warning_raises

MOST = 1 << 20
"""Bytes of a message of the suite."""
SWEEPING = 1.0
POLL = 0.002
DEATH_SIGNAL, SUBREAPER = 1, 36
"""Options of Linux's `prctl`: a signal at the death of the parent, and to be the parent of orphans."""


def run(control: socket.socket, first: dict[str, Any]) -> None:
    """Serve the suite over this socket until it is gone."""
    try:
        agent = load_agent(first["spec"], cwd=Path(first["cwd"]), root=Path(first["root"]))
        declared = declaration(agent)
    except AgentNotFound as error:
        _send(control, {"problem": str(error)})
        return
    _send(control, declared)
    Nursery(control, agent, Path(first["cwd"])).serve()


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
        "scrub": [[one.pattern, one.flags] for one in agent.scrub],
        "takes_half_characters": bool(getattr(adapter, "takes_half_characters", True)),
        "takes_turns_together": bool(getattr(adapter, "takes_turns_together", True)) and is_async,
        "tool_names": {str(name): str(other) for name, other in names.items()} if hasattr(names, "items") else None,
    }


class Nursery:
    """Forks workers, buries them, and imports what they have imported on first use."""

    def __init__(self, control: socket.socket, agent: DeclaredAgent, start: Path) -> None:
        self._control = control
        self._agent = agent
        self._start = start
        self._workers: set[int] = set()
        _prctl(SUBREAPER, 1)
        gc.collect()
        gc.freeze()

    def serve(self) -> None:
        while True:
            data, handles, _, _ = socket.recv_fds(self._control, MOST, 8)
            if not data:
                self._end()
            message = json.loads(data)
            match message["type"]:
                case "worker":
                    self._start_worker(handles)
                case "bury":
                    _send(self._control, {"status": self._bury(message["pid"], message["seconds"])})
                case "import":
                    _import_all(message["names"])

    def _start_worker(self, handles: list[int]) -> None:
        sys.stdout.flush()
        sys.stderr.flush()
        if _threads() > 1:
            _send(self._control, {"pid": os.getpid(), "forked": False})
            self._become_worker(handles)
        pid = os.fork()
        if pid == 0:
            self._control.close()
            os.setsid()
            _prctl(DEATH_SIGNAL, signal.SIGKILL)
            self._become_worker(handles)
        self._workers.add(pid)
        for handle in handles:
            os.close(handle)
        _send(self._control, {"pid": pid, "forked": True})

    def _become_worker(self, handles: list[int]) -> None:
        """Does not return."""
        channel, questions, output = handles
        for number in (1, 2):
            os.dup2(output, number)
        os.close(output)
        for stream in (sys.stdout, sys.stderr):
            stream.reconfigure(line_buffering=True)  # type: ignore[union-attr]
        faulthandler.enable()
        no_warning_raises()
        with one_certificate(), loopback_unproxied():
            one, other = (Channel(socket.socket(fileno=handle)) for handle in (channel, questions))
            Worker(self._agent, one, other, self._start).run()

    def _bury(self, pid: int, seconds: float) -> int | None:
        """How the worker ended, once all that it has started is ended too; None if it still runs."""
        until = time.monotonic() + seconds
        while (status := _exit_status(pid)) is None and time.monotonic() < until:
            time.sleep(POLL)
        if status is not None:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(pid, signal.SIGKILL)
            self._workers.discard(pid)
            self._sweep()
        return status

    def _sweep(self) -> None:
        """Kill what a worker has started and left, also outside its process group: it is this process's child now."""
        until = time.monotonic() + SWEEPING
        while (orphans := _children() - self._workers) and time.monotonic() < until:
            for pid in orphans:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.kill(pid, signal.SIGKILL)
                _exit_status(pid)
            time.sleep(POLL)

    def _end(self) -> None:
        for pid in self._workers:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(pid, signal.SIGKILL)
        self._workers.clear()
        self._sweep()
        os._exit(0)


def _import_all(names: list[str]) -> None:
    for name in names:
        if name not in sys.modules:
            with contextlib.suppress(BaseException):
                importlib.import_module(name)
    gc.collect()
    gc.freeze()


def _exit_status(pid: int) -> int | None:
    """The exit code of a child, negative for a signal; None while it runs."""
    try:
        found, status = os.waitpid(pid, os.WNOHANG)
    except ChildProcessError:
        return 0
    return os.waitstatus_to_exitcode(status) if found else None


def _threads() -> int:
    """The threads of this process, those of C libraries as well."""
    try:
        return len(os.listdir("/proc/self/task"))
    except OSError:
        import threading

        return threading.active_count()


def _children() -> set[int]:
    try:
        return {int(pid) for pid in Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()}
    except OSError:
        return set()


def _prctl(option: int, value: int) -> None:
    """Elsewhere than on Linux this does nothing."""
    with contextlib.suppress(Exception):
        import ctypes

        ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


def _send(control: socket.socket, message: dict[str, Any]) -> None:
    control.send(json.dumps(message).encode())
