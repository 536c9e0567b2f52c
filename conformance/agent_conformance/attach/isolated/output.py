"""What an agent's process prints: read by a thread, so that the process never waits, and kept in part."""

import os
import threading

from agent_conformance.record.redaction import redacted

KEPT = 64 * 1024
AT_A_TIME = 16 * 1024


class Output:
    """A pipe for the standard output and error of a process. Give `handle` to it, and call `opened` once it has it."""

    def __init__(self) -> None:
        self._end, self.handle = os.pipe()
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
        """What was printed since the last call; of much only the end."""
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
        while chunk := os.read(self._end, AT_A_TIME):
            with self._lock:
                self._total += len(chunk)
                self._kept += chunk
                del self._kept[:-KEPT]
        os.close(self._end)
