"""A program and all that it has started: found by parents, session and a mark in the environment, and ended as a whole.

A daemon leaves its parent and its session, but keeps its environment, or at least the folder of the case.
"""

import atexit
import contextlib
import os
import threading
import time
import uuid
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from agent_conformance.machine.platform_features import kill_group, session_of

if TYPE_CHECKING:
    import psutil

MARK = "AGENT_CONFORMANCE_TREE_"
"""How the variable is called that marks a program and what it starts. Each has its own: trees may be nested."""
ENDING = 10.0
"""Seconds for killed processes to be gone, and for one that executes another program to have its environment."""
AGAIN = 0.005
"""Seconds between two looks whether they are, or have."""
LONGEST_NAME = 120

_left_running: list[str] = []
_begun: "dict[ProcessTree, int]" = {}
"""Trees that have not ended, with the process that began each: a fork has them too."""


class ProcessTree:
    """Start a program with this `environment`, and say so to `begin`. What works in the `folder`, which must be one of
    the suite's own, is of the tree, too.
    """

    def __init__(self, environment: Mapping[str, str], folder: Path | None = None) -> None:
        self._folder = f"{folder.resolve()}{os.sep}" if folder else ""
        self._mark = f"{MARK}{uuid.uuid4().hex}"
        self.environment = {**environment, self._mark: "1"}
        self._program: psutil.Process | None = None
        self._created = 0.0
        self._lock = threading.Lock()

    def begin(self, pid: int) -> None:
        import psutil  # takes 20 ms, and an agent in this process needs none of it

        with contextlib.suppress(psutil.NoSuchProcess):
            self._program = psutil.Process(pid)
            self._created = self._program.create_time()
            _begun[self] = os.getpid()

    def kill(self) -> None:
        """Kill the program and what it has started: from any thread, and again."""
        import psutil

        if (program := self._program) is None:
            return
        started: list[psutil.Process] = []
        with contextlib.suppress(psutil.Error):
            program.suspend()  # so that it starts nothing in place of what is killed
        with contextlib.suppress(psutil.Error):
            started = program.children(recursive=True)  # those of a killed program have another parent at once
        with contextlib.suppress(psutil.Error):
            program.kill()
        with self._lock:
            self._kill_rest(program, started)

    def end_rest(self) -> None:
        """The program has ended, and was waited for: end what it has left running, and note daemons."""
        if (program := self._program) is None:
            return
        with self._lock:
            rest = self._rest(program)
            daemons = [name_of(one.pid) for one in rest if session_of(one.pid) != program.pid]
            if rest:
                daemons += [f"{name_of(one.pid)} (cannot be ended)" for one in self._kill_rest(program, rest)]
            self._program = None
            _begun.pop(self, None)
            note_left_running(daemons)

    def _kill_rest(self, program: "psutil.Process", known: "list[psutil.Process]") -> "list[psutil.Process]":
        """Kill these and all else that is found; gives what could not be ended."""
        import psutil

        kill_group(program.pid)
        until = time.monotonic() + ENDING
        # Parents first: a shell would say that its child was killed.
        while (
            rest := list(dict.fromkeys((*filter(_lives, known), *self._rest(program))))
        ) and time.monotonic() < until:
            for one in rest:
                with contextlib.suppress(psutil.Error):
                    one.kill()
            time.sleep(AGAIN)
        return rest

    def _rest(self, program: "psutil.Process") -> "list[psutil.Process]":
        """What lives of the tree beside the program itself."""
        import psutil

        found: dict[int, psutil.Process] = {}
        with contextlib.suppress(psutil.Error):
            found = {child.pid: child for child in program.children(recursive=True)}
        seen = {program.pid, os.getpid()}
        while new := sorted(set(psutil.pids()) - seen):  # a process may start another, and end, during a look
            seen.update(new)
            for pid in new:
                with contextlib.suppress(psutil.Error, OSError):
                    one = psutil.Process(pid)  # those of `process_iter` may be about a process that had this number
                    is_here = session_of(pid) == program.pid or self._works_in_folder(one)
                    if is_here or self._mark in self._environment(one):
                        found[pid] = one
        return [one for one in found.values() if _lives(one)]

    def _works_in_folder(self, process: "psutil.Process") -> bool:
        is_later = bool(self._folder) and process.create_time() >= self._created
        return is_later and f"{process.cwd()}{os.sep}".startswith(self._folder)

    def _environment(self, process: "psutil.Process") -> Mapping[str, str]:
        """A young process without environment and arguments executes another program just now: it will have both."""
        environment = process.environ()
        if not environment and process.create_time() >= self._created:
            until = time.monotonic() + ENDING
            while not process.cmdline() and process.exe() and time.monotonic() < until:
                time.sleep(AGAIN)
            environment = process.environ()
        return environment


def _end_begun() -> None:
    """The process ends in the middle of a case, for example by SIGTERM, and nobody has ended these."""
    for tree, by in [*_begun.items()]:
        if by == os.getpid():
            tree.kill()
            tree.end_rest()


atexit.register(_end_begun)


def note_left_running(daemons: Iterable[str]) -> None:
    _left_running.extend(daemons)


def take_left_running() -> list[str]:
    """The command lines of daemons that programs have left running, and that were ended, since the last call."""
    taken = _left_running[:]
    del _left_running[: len(taken)]
    return taken


def _lives(process: "psutil.Process") -> bool:
    import psutil

    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.Error:
        return False


def name_of(pid: int) -> str:
    """The command line of a process."""
    import psutil

    words: list[str] = []
    with contextlib.suppress(psutil.Error):
        process = psutil.Process(pid)
        words = process.cmdline() or [process.name()]
    return " ".join(" ".join(words).split())[:LONGEST_NAME] or f"process {pid}"
