"""A process that outlives pytest's, to name the case in which that ended without a word: by a signal, or in C.

Knows no case but its id. The exit code is the system's: nothing can change it any more.
"""

import contextlib
import os
import subprocess
import tempfile
from collections.abc import Iterator

from agent_conformance.machine.abilities import apart, shell_command

OVER = "over"
SCRIPT = """\
trap '' INT TERM HUP
while read -r line; do :; done
IFS= read -r last <&1
case $last in
    '' | over) ;;
    *) printf '\\nagent-conformance: the process of pytest ended in the middle of %s\\n' "$last" >&2 ;;
esac"""
"""Waits for the end of its input. Its output is a file that then has the id of the case that was running, or an empty
line: a shell that reads a pipe needs a system call for each character of each id.
"""


class Watcher:
    """Started with standard error as it is: call it where pytest captures nothing."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        with contextlib.suppress(OSError):  # a system without a shell
            self._file = tempfile.TemporaryFile(buffering=0)  # noqa: SIM115 - open until the end
            self._process = subprocess.Popen(shell_command(SCRIPT), stdin=subprocess.PIPE, stdout=self._file, **apart())

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
        if self._process is not None:
            with contextlib.suppress(OSError, ValueError):
                os.pwrite(self._file.fileno(), f"{line}\n".encode(errors="replace"), 0)
