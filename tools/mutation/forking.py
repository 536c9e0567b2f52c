"""Runs work in forked processes, a few at a time: what it sends back, or that it took too long. Knows no mutant."""

import os
import resource
import signal
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any

CONTEXT = get_context("fork")
MEMORY = 2 << 30
"""So many bytes a process may add to those that it has: an endless list ends in `MemoryError`."""


@dataclass(frozen=True, slots=True)
class Ended:
    """What a process sent. `stopped` says why there is none: a time limit, or the end of the process."""

    value: Any = None
    stopped: str = ""


@dataclass(slots=True)
class _Running:
    job: Any
    process: Any
    receiver: Connection
    until: float


def run_forked(
    jobs: Iterable[Any], work: Callable[[Any], Any], *, seconds: Callable[[Any], float], at_once: int = 1
) -> Iterator[tuple[Any, Ended]]:
    """`work(job)` of each job in a process of its own, which has `seconds(job)` to end. In order if one at a time."""
    waiting = iter(jobs)
    running: list[_Running] = []
    try:
        while True:
            while len(running) < at_once and (job := next(waiting, None)) is not None:
                running.append(_start(job, work, seconds(job)))
            if not running:
                return
            left = min(one.until for one in running) - time.monotonic()
            wait([one.receiver for one in running], timeout=max(0.0, left))
            for one in [one for one in running if one.receiver.poll() or time.monotonic() > one.until]:
                running.remove(one)
                yield one.job, _end(one)
    finally:
        for one in running:
            one.process.kill()


def limit_cpu(seconds: float) -> None:
    """End this process when it has used so much more of the processor. Waiting for others costs nothing."""
    signal.setitimer(signal.ITIMER_PROF, seconds)


def _start(job: Any, work: Callable[[Any], Any], seconds: float) -> _Running:
    receiver, sender = CONTEXT.Pipe(duplex=False)
    process = CONTEXT.Process(target=_work, args=(job, work, sender))
    sys.stdout.flush()
    sys.stderr.flush()
    process.start()
    sender.close()
    return _Running(job, process, receiver, time.monotonic() + seconds)


def _work(job: Any, work: Callable[[Any], Any], sender: Connection) -> None:
    silence = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(silence, descriptor)
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    used = int(Path("/proc/self/statm").read_text(encoding="utf-8").split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + MEMORY, resource.RLIM_INFINITY))
    sender.send(work(job))
    sender.close()
    os._exit(0)  # a thread that never ends holds up no exit


def _end(one: _Running) -> Ended:
    try:
        value, stopped = (one.receiver.recv(), "") if one.receiver.poll() else (None, "waited too long")
    except EOFError:
        one.process.join()
        signalled = one.process.exitcode == -signal.SIGPROF
        value, stopped = None, "time limit" if signalled else f"the process ended with {one.process.exitcode}"
    one.process.kill()
    one.process.join()
    one.receiver.close()
    return Ended(value, stopped)
