"""In which steps a response is written, and who hears of it. The same for every transport; writes nothing itself."""

import threading
from collections.abc import Callable, Iterator

from fakes.http import Response

CHECKPOINT = 16
"""After so many chunks an asynchronous transport lets others run: one per chunk would triple the cost of a stream."""


class Playback:
    """One writing of one response. `steps` gives what to write and what to wait for; then `done` is told."""

    def __init__(self, response: Response, on_error: Callable[[BaseException], None]) -> None:
        self._response = response
        self._on_error = on_error
        self._told = False
        self.at_last_chunk = False
        self.broken = False
        """A listener has raised: the response goes no further, as if it had been cut."""

    def steps(self) -> Iterator[bytes | threading.Event]:
        """Each chunk that is not empty, and before it the event to wait for, where the listener holds it back."""
        listener = self._response.listener
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
            self.at_last_chunk = index == len(self._response.chunks) - 1
            if chunk:
                yield chunk

    @property
    def is_cut(self) -> bool:
        """Asked after the last step: whether the connection ends here, without the end of the body."""
        return self._response.cut or self.broken

    def done(self, *, complete: bool) -> None:
        """Tells the listener, once. A cut response is complete when all of its chunks were written."""
        if self._told or self._response.listener is None:
            return
        self._told = True
        try:
            self._response.listener.done(complete=complete and not self.broken)
        except Exception as error:
            self._on_error(error)
