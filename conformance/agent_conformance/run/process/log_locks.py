"""The locks of log handlers, one of which a hanging agent may hold for ever. Knows no agent and no case."""

import logging
from typing import Any

PATIENCE = 0.1
"""Seconds: whoever writes a line holds the lock for less."""


def free_log_locks() -> None:
    """Gives each handler whose lock somebody holds a new one.

    A record whose text hangs keeps the locks of pytest's own handlers: the next case that logs, and the end of the
    process, would wait for them.
    """
    for reference in list(getattr(logging, "_handlerList", ())):
        handler: Any = reference()
        lock = getattr(handler, "lock", None)
        if lock is None:
            continue
        if lock.acquire(timeout=PATIENCE):
            lock.release()
        else:
            handler.createLock()
