"""The one printer: a stream in place of a standard one, through which goes whatever a command or an agent prints.

What stands in scenarios, file names, configuration and an agent's texts is not trusted, and comes in every message:
nobody who prints has to think of it.
"""

import atexit
import re
import sys
import threading
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Any

from agent_conformance.transcripts.redaction import redacted

_SUSPECT = re.compile(r"[^\n\t\x20-\x7e]|::|##")
"""What most texts have nothing of: to make one printable takes an import that takes longer than most commands."""


class PrintableStream:
    """Each line is written without secrets, control characters, and commands to whoever runs CI.

    A line is written when it is whole, or with `flush`: its beginning may come in pieces.
    """

    def __init__(self, stream: Any) -> None:
        self._stream = stream
        self._lock = threading.RLock()
        self._begun: list[str] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        with self._lock:
            whole, end, rest = text.rpartition("\n")
            if end:
                self._print(f"{whole}\n")
            if rest:
                self._begun.append(rest)
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        self.write("".join(lines))

    def flush(self) -> None:
        with self._lock:
            self._print("")
            self._stream.flush()

    def write_command(self, text: str) -> None:
        """Write this as it is, a command of ours to a terminal or to whoever runs CI, in which nothing of others is."""
        with self._lock:
            self._print("")
            self._stream.write(redacted(text))

    def _print(self, text: str) -> None:
        begun, self._begun = self._begun, []
        if text := redacted("".join([*begun, text])):
            if _SUSPECT.search(text) is not None:
                from fake_providers.wire_neutral_lines import printable_output

                text = printable_output(text)
            self._stream.write(text)


def write_command(text: str, stream: Any) -> None:
    """Write to a standard stream, as it is: see `PrintableStream.write_command`."""
    write: Callable[[str], object] = getattr(stream, "write_command", stream.write)
    write(text)
    stream.flush()


def make_streams_printable() -> Callable[[], None]:
    """From now on, also at the end of the process, what is printed is printable. Returns what undoes it.

    `sys.__stdout__` too, where an agent finds it. What writes to the descriptors themselves goes past it.
    """
    names = "stdout", "stderr", "__stdout__", "__stderr__"
    before = {name: getattr(sys, name) for name in names}
    ours: dict[int, Any] = {}
    for name, stream in before.items():
        if stream is not None and not isinstance(stream, PrintableStream):
            setattr(sys, name, ours.setdefault(id(stream), PrintableStream(stream)))

    def undo() -> None:
        for stream in ours.values():
            flush_whole(stream)
        for name, stream in before.items():
            setattr(sys, name, stream)

    for stream in ours.values():
        atexit.register(flush_whole, stream)
    return undo


_of_threads: dict[int, PrintableStream] = {}
"""By the id of the stream below. They stay for ever, as a thread may be within them: see `isolation.streams_kept`."""


def keep_threads_printable() -> None:
    """What threads print from now on, until somebody sets the streams anew, is printable."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is not None and not isinstance(stream, PrintableStream):
            setattr(sys, name, _of_threads.setdefault(id(stream), PrintableStream(stream)))


def flush_whole(stream: Any) -> None:
    """Of a stream whose reader has gone there is nothing more to write."""
    with suppress(OSError, ValueError):
        stream.flush()
