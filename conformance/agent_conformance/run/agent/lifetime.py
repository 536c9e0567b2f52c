"""The life of one instance of an agent within a case. What a killed one still does is neither answered nor recorded.

Knows no tool and no request.
"""

import threading
from collections.abc import Callable


class Killed(BaseException):
    """The agent was killed. Not an `Exception`: it ends the agent's own code, once the case is over."""


class Life:
    """`killed` is called with the reason when the instance dies, from the thread on which that happens."""

    def __init__(self, killed: Callable[[BaseException], None] = lambda error: None) -> None:
        self._killed = killed
        self.is_dead = False
        self._over = threading.Event()

    def kill(self, error: BaseException | None = None) -> None:
        """Kill the instance at this point of its code. Does not return: raises when the case is over."""
        if not self.is_dead:
            self.is_dead = True
            self._killed(error or Killed())
        self._rest()

    def go_on(self) -> None:
        """Called by what an instance uses. Does not return to one that was killed."""
        if self.is_dead:
            self._rest()

    def end(self) -> None:
        """The case is over: the code of a killed instance, which may hold locks and threads, ends now."""
        self._over.set()

    def _rest(self) -> None:
        # Blocks the thread, and with it an event loop: after the end of a process no other task runs either.
        self._over.wait()
        raise Killed
