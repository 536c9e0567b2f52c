"""The moment at which a turn is to be cancelled. Knows no request and no agent: it is told how far the turn has got."""

import threading
from collections.abc import Callable
from concurrent.futures import Future

from conformance.scenario.model import Cancel

PATIENCE = 1.0
"""Seconds for which a response is held while the agent is told to stop."""


class CancelTrigger:
    """One turn's. `fire` cancels the turn; what it gives is done when the agent has been told."""

    def __init__(self, cancel: Cancel | None = None, fire: Callable[[], Future[None]] = Future) -> None:
        self._cancel = cancel
        self._fire_turn = fire
        self._fired: Future[None] | None = None
        self._released = threading.Event() if cancel else None

    @property
    def released(self) -> threading.Event:
        """Set when nothing needs to be held any more. Made where somebody waits for it, as few do."""
        if self._released is None:
            self._released = threading.Event()
        return self._released

    def release(self) -> None:
        if self._released is not None:
            self._released.set()

    def at_tool(self, attempts: int) -> Future[None] | None:
        """The attempt of this number begins. Where the turn is cancelled there: to be waited for."""
        cancel = self._cancel
        if cancel is None or cancel.at != "tool" or attempts < cancel.n:
            return None
        return self._fire()

    def at_chunk(self, request: int, chunk: int) -> threading.Event | None:
        """Before a chunk of the response to a request is written: what holds it, where the turn is cancelled there."""
        cancel = self._cancel
        if cancel is None or self._fired is not None:
            return None
        here = cancel.at == "request" and chunk == 0 and request >= cancel.n
        there = cancel.at == "chunk" and chunk >= cancel.n
        if not (here or there):
            return None
        self._fire()
        return self.released

    def _fire(self) -> Future[None]:
        """Cancel the turn, once. A response that is held for it goes on soon, should the agent not listen."""
        if self._fired is None:
            self._fired = self._fire_turn()
            patience = threading.Timer(PATIENCE, self.released.set)
            patience.daemon = True
            patience.start()
        return self._fired
