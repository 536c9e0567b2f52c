"""A process that outlives pytest's, to name the case in which that ended without a word: by a signal, or in C.

Knows no case but its id. The exit code is the system's: nothing can change it any more.
"""

import contextlib
import subprocess
from collections.abc import Iterator

OVER = "over"
SCRIPT = """\
trap '' INT TERM HUP
while IFS= read -r line; do last=$line; done
case $last in
    '' | over) ;;
    *) printf '\\nagent-conformance: the process of pytest ended in the middle of %s\\n' "$last" >&2 ;;
esac"""
"""Reads the id of each case as it begins, and an empty line as it ends."""


class Watcher:
    """Started with standard error as it is: call it where pytest captures nothing."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        with contextlib.suppress(OSError):  # a system without a shell
            self._process = subprocess.Popen(
                ["/bin/sh", "-c", SCRIPT], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, start_new_session=True
            )

    @contextlib.contextmanager
    def watches(self, case_id: str) -> Iterator[None]:
        self._write(case_id)
        try:
            yield
        finally:
            self._write("")

    def stop(self) -> None:
        self._write(OVER)
        if self._process is not None and self._process.stdin is not None:
            with contextlib.suppress(OSError):
                self._process.stdin.close()
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(1)

    def _write(self, line: str) -> None:
        if self._process is None or self._process.stdin is None:
            return
        with contextlib.suppress(OSError, ValueError):
            self._process.stdin.write(f"{line}\n".encode(errors="replace"))
            self._process.stdin.flush()
