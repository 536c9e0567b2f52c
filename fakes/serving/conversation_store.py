"""Conversations that a provider holds between requests, so that a request can name one instead of repeating it.

Knows no wire: one that has such requests satisfies `fakes.wire.ResumesConversations`, or, where a request can name more
than one response, `fakes.wire.StoresResponses`.
"""

import threading
from functools import cache

from fakes.http import Request, Response
from fakes.wire import ResumesConversations, StoresResponses


class ConversationStore:
    """What one provider holds for one user. Thread-safe.

    A request goes through `whole` before it is judged, viewed and answered, and through `keep` with its response.
    """

    def __init__(self, wire: object) -> None:
        self._wire, remembering = _as_far_as_it_holds(wire)
        self._memory = remembering.memory() if remembering else None
        self._held: dict[str, tuple[Request, Response]] = {}
        self._lock = threading.Lock()

    def whole(self, request: Request) -> Request:
        """The request as it is, unless it names a conversation held here."""
        if self._memory is not None:
            with self._lock:
                return self._memory.recalled(request)
        named = self._wire.continued(request) if self._wire else None
        with self._lock:
            held = self._held.get(named) if named else None
        if self._wire is None or held is None:
            return request
        return self._wire.resumed(request, earlier=held[0], response=held[1])

    def keep(self, request: Request, response: Response) -> None:
        """`request` is whole."""
        if self._memory is not None:
            with self._lock:
                self._memory.keep(request, response)
        made = self._wire.response_id(response) if self._wire else None
        if made is not None:
            with self._lock:
                self._held[made] = (request, response)


@cache
def _as_far_as_it_holds(wire: object) -> tuple[ResumesConversations | None, StoresResponses | None]:
    return wire if isinstance(wire, ResumesConversations) else None, wire if isinstance(wire, StoresResponses) else None
