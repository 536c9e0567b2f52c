"""The proxy of programs under test: it lets nobody out, and notes which hosts they asked for.

A program that waits for another host hangs without a word; its name is often the whole explanation.
"""

import contextlib
import os
import re
import socket
import threading
from collections import deque
from functools import lru_cache

MOST_KEPT = 200
MOST_SHOWN = 6
PATIENCE = 2.0
"""Seconds for a client to say what it wants."""
TARGET = re.compile(r"[A-Z]+ (?:\w+://)?(?:[^/@\s]*@)?([^/\s]+)")
"""`CONNECT example.org:443`, `GET http://example.org/page`. Only the host is taken: more may be secret."""


class RefusingProxy:
    """Listens until the process ends. Every connection is closed once it has said where it is to lead."""

    def __init__(self) -> None:
        self._listening = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.address = f"http://127.0.0.1:{self._listening.getsockname()[1]}"
        self.count = 0
        """How many connections said where they were to lead, as `since` takes it."""
        self._asked: deque[tuple[int, str]] = deque(maxlen=MOST_KEPT)
        self._lock = threading.Lock()
        threading.Thread(target=self._accept, name="refusing proxy", daemon=True).start()

    def since(self, count: int) -> str:
        """One line with the hosts that were asked for after so many connections; empty if there were none."""
        hosts = list(dict.fromkeys(host for number, host in tuple(self._asked) if number > count))
        shown = ", ".join(hosts[:MOST_SHOWN]) + (" and others" if len(hosts) > MOST_SHOWN else "")
        return f"it asked for {shown}, and only loopback can be reached" if hosts else ""

    def _accept(self) -> None:
        while True:
            connection, _ = self._listening.accept()
            threading.Thread(target=self._refuse, args=(connection,), name="refused", daemon=True).start()

    def _refuse(self, connection: socket.socket) -> None:
        with connection, contextlib.suppress(OSError):
            connection.settimeout(PATIENCE)
            said = connection.recv(4096).decode("latin-1")
            if match := TARGET.match(said):
                with self._lock:
                    self.count += 1
                    self._asked.append((self.count, match[1]))


def refusing_proxy() -> RefusingProxy:
    """The one of this process; a fork has another."""
    return _of_process(os.getpid())


_of_process = lru_cache(maxsize=1)(lambda pid: RefusingProxy())
