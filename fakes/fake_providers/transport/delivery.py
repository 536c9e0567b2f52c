"""The order in which a response is written, and its listener called, the same on every transport. Writes nothing."""

import threading
from collections.abc import Callable, Iterator

from fake_providers.http import Response

CHECKPOINT = 16
"""After so many chunks an asynchronous transport lets other tasks run; after each would triple a stream's cost."""


def is_over(wait: threading.Event | float) -> bool:
    """Whether there is nothing to wait for any more."""
    return wait <= 0 if isinstance(wait, float) else wait.is_set()


class Delivery:
    """One response on its way. Iterate over `steps`, write or wait for each, then call `done`."""

    def __init__(self, response: Response, on_error: Callable[[BaseException], None]) -> None:
        self._response = response
        self._on_error = on_error
        self._is_done = False
        self.at_last_chunk = False
        self.broken = False
        """A listener raised: the response ends here, as if it were cut."""

    def steps(self) -> Iterator[bytes | threading.Event | float]:
        """Each chunk that is not empty, and before it what to wait for: an event, or so many seconds."""
        listener, pacing = self._response.listener, self._response.pacing
        for index, chunk in enumerate(self._response.chunks):
            if listener is not None:
                try:
                    event = listener.hold(index)
                except Exception as error:
                    self.broken = True
                    self._on_error(error)
                    return
                if event is not None:
                    yield event
            if pacing is not None:
                yield pacing.wait_before(index)
            self.at_last_chunk = index == len(self._response.chunks) - 1
            if chunk:
                yield chunk

    @property
    def is_cut(self) -> bool:
        """After the last step: whether the connection ends here, without the end of the body."""
        return self._response.cut or self.broken

    def done(self, *, complete: bool) -> None:
        """Calls the listener's `done`, once. A cut response is complete when all of its chunks were written."""
        if self._is_done or self._response.listener is None:
            return
        self._is_done = True
        try:
            self._response.listener.done(complete=complete and not self.broken)
        except Exception as error:
            self._on_error(error)
