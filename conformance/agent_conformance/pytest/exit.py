"""How a run ends: exit codes, and a hard end where an agent's thread would keep the process alive.

The exit code is the system's: nothing can change it any more.
"""

import atexit
import contextlib
import os
import subprocess
import sys
import tempfile
import time
from _thread import start_new_thread
from collections.abc import Iterator
from pathlib import Path
from traceback import walk_stack

import pytest

from agent_conformance.baseline.run_record import RunRecord
from agent_conformance.machine import Terminated
from agent_conformance.machine.platform_features import IS_POSIX, apart, shell_command
from agent_conformance.run.process.process_exits import really_exit, settle_exit_code
from agent_conformance.transcripts.printing import flush_whole, make_streams_printable

ERROR_OF_THE_SUITE = 3
"""pytest's own code for an internal error: nothing is known of the agent."""


def was_stopped(session: pytest.Session) -> bool:
    """Whether the run ended before its last case, by the user or by an option."""
    ended = (pytest.ExitCode.INTERRUPTED, pytest.ExitCode.INTERNAL_ERROR, pytest.ExitCode.USAGE_ERROR)
    return bool(session.shouldstop or session.shouldfail) or session.exitstatus in ended


def exit_code(
    current: int,
    run: RunRecord,
    *,
    terminated: Terminated | None = None,
    lacks_files: bool = False,
    is_idle: bool = False,
    had_cases: bool = False,
) -> int:
    """3 for an error of the suite or the adapter, even where there are findings: such a run is not complete.

    So it is for files that could not be written. A run that had cases and judged none is an error of the set-up, unless
    it is a shard that is idle beside others. 1 also where fewer cases are judged than the baseline says, and where
    somebody's hook or mark let a finding pass: `had_cases` are those that a hook may have kept from running.
    Interrupts and usage errors keep their codes.
    """
    if terminated is not None:
        return terminated.code
    if run.gave_up:
        return ERROR_OF_THE_SUITE
    if is_idle and current == pytest.ExitCode.NO_TESTS_COLLECTED:
        current = pytest.ExitCode.OK
    if current not in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED):
        return current
    if run.has_errors or lacks_files:
        return ERROR_OF_THE_SUITE
    if (run.reports or had_cases) and not (run.judged or is_idle) and current == pytest.ExitCode.OK:
        return ERROR_OF_THE_SUITE
    return pytest.ExitCode.TESTS_FAILED if run.fewer or run.count("fail", "stale") else current


def end_process(status: int) -> None:
    """End without joining threads that never return; what was registered for the end still runs.

    Whatever fails in it, the process ends: else it would wait for those threads.
    """
    try:
        atexit._run_exitfuncs()
        flush_whole(sys.stdout)
        flush_whole(sys.stderr)
    finally:
        really_exit(status)


def limit_end(status: int, seconds: float) -> None:
    """Whatever an agent has left for the end of the process takes no longer, and does not change the exit code.

    Registered last, it is called first. A program that runs pytest within itself keeps its own end.
    """
    if is_program():
        settle_exit_code(status)
        atexit.register(_end_in_time, status, seconds)


def print_until_the_end() -> None:
    """What an agent has left for the end of the process, or says in a thread, is printed as all else that it says.

    pytest has written its last by now: what it writes has colours.
    """
    if is_program():
        make_streams_printable()


def is_program() -> bool:
    """Whether the process ends with this run: it was started as `pytest`, and runs no other run around this one."""
    frames = (frame for frame, _ in walk_stack(None) if frame.f_globals.get("__name__") == "_pytest.config")
    names = [frame.f_code.co_name for frame in frames]
    runs = names.count("_main") or names.count("main")  # their names depend on pytest's version
    return not {"console_main", "_console_main"}.isdisjoint(names) and runs == 1


def _end_in_time(status: int, seconds: float) -> None:
    def end() -> None:
        time.sleep(seconds)
        text = f"agent-conformance: what the agent registered with atexit did not return within {seconds:g} s\n"
        os.write(2, text.encode())
        really_exit(status)

    with contextlib.suppress(RuntimeError):  # the interpreter starts no thread any more
        start_new_thread(end, ())  # a thread, also where an agent has patched `threading`


OVER = "over"
SCRIPT = """\
trap '' INT TERM HUP
while IFS= read -r folder; do set -- "$@" "$folder"; done
for folder; do rm -rf -- "$folder"; done
IFS= read -r last <&1
case $last in
    '' | over) ;;
    *) printf '\\nagent-conformance: the process of pytest ended in the middle of %s\\n' "$last" >&2 ;;
esac"""
"""Reads the folders to remove, to the end of its input. Its output is a file that then has the id of the case that was
running, or an empty line: a shell that reads a pipe needs a system call for each character of each id.
"""


class Watcher:
    """Started with standard error as it is: call it where pytest captures nothing."""

    def __init__(self, *, names_cases: bool) -> None:
        self._names_cases = names_cases
        self._process: subprocess.Popen[bytes] | None = None
        with contextlib.suppress(OSError):  # a system without a shell
            self._file = tempfile.TemporaryFile(buffering=0)  # noqa: SIM115 - open until the end
            self._process = subprocess.Popen(shell_command(SCRIPT), stdin=subprocess.PIPE, stdout=self._file, **apart())

    def removes(self, folder: Path) -> None:
        """Remove this folder at the end, however the process ends."""
        if self._process is not None and self._process.stdin is not None:
            with contextlib.suppress(OSError):
                self._process.stdin.write(os.fsencode(folder) + b"\n")
                self._process.stdin.flush()

    @contextlib.contextmanager
    def watches(self, case_id: str) -> Iterator[None]:
        self._write(case_id)
        try:
            yield
        finally:
            self._write("")

    def stop(self) -> None:
        if self._process is None:
            return
        self._write(OVER)
        self._file.close()
        if self._process.stdin is not None:
            with contextlib.suppress(OSError):
                self._process.stdin.close()
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(1)

    def _write(self, line: str) -> None:
        if self._process is not None and self._names_cases:
            with contextlib.suppress(OSError, ValueError):
                os.pwrite(self._file.fileno(), f"{line}\n".encode(errors="replace"), 0)


def watcher_of(config: pytest.Config) -> Watcher | None:
    """Of a run, or of a worker of xdist, which names the case of a worker that ended. None where there is no `sh`."""
    capturing = config.pluginmanager.getplugin("capturemanager")
    if capturing is None or not IS_POSIX:
        return None
    with capturing.global_and_fixture_disabled():
        return Watcher(names_cases=not hasattr(config, "workerinput"))
