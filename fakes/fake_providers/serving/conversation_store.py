"""Conversations that a provider stores between requests, so that a request can name one instead of repeating it.

A wire that has such requests satisfies `fake_providers.wire.ResumesConversations`, or, where a request can name more
than one response, `fake_providers.wire.StoresResponses`.
"""

import threading
from functools import cache

from fake_providers.http import Request, Response
from fake_providers.values.bounded_store import BoundedStore, Unread, size_of
from fake_providers.wire import ResumesConversations, StoresResponses


class ConversationStore:
    """What one provider stores for one user. Thread-safe.

    Call `resolve` with a request before it is judged, viewed and answered, and `keep` with its response.
    """

    def __init__(self, wire: object) -> None:
        self._wire, self._stores_responses = _capabilities(wire)
        self._lock = threading.Lock()
        self.forget()

    def forget(self) -> None:
        """What is stored is lost, as after thirty days."""
        with self._lock:
            self._responses = self._stores_responses.new_store() if self._stores_responses else None
            self._stored: BoundedStore[tuple[Request, Response]] = BoundedStore()
            self._unread = Unread()

    def resolve(self, request: Request) -> Request:
        """The request with the whole conversation in it, where it names a stored one; else as it is."""
        if self._responses is not None:
            with self._lock:
                return self._responses.resolve(request)
        named = self._wire.continued(request) if self._wire else None
        if self._wire is None or not named:
            return request
        with self._lock:
            self._read_all(self._wire)
            stored = self._stored.get(named)
        if stored is None:
            return request
        return self._wire.resumed(request, earlier=stored[0], response=stored[1])

    def answers(self, request: Request) -> bool:
        """Whether `answer` has one, be it that a method is not built. Changes nothing."""
        return self._responses is not None and self._responses.answers(request)

    def answer(self, request: Request) -> Response | None:
        """The answer to a request about what is stored; None for any other request."""
        if self._responses is None:
            return None
        with self._lock:
            return self._responses.answer(request)

    def keep(self, request: Request, response: Response) -> Response:
        """Store the response, where a later request may name it, and return what the client gets. `request` comes from
        `resolve`."""
        if self._responses is not None:
            with self._lock:
                return self._responses.keep(request, response)
        if self._wire is not None:
            with self._lock:
                self._unread.put(request, response)
        return response

    def _read_all(self, wire: ResumesConversations) -> None:
        """The id of a response is looked for when a request first names one: most never do."""
        for request, response in self._unread.taken():
            response_id = wire.response_id(response)
            if response_id is not None:
                self._stored.put(response_id, (request, response), size_of(request, response))


@cache
def _capabilities(wire: object) -> tuple[ResumesConversations | None, StoresResponses | None]:
    return wire if isinstance(wire, ResumesConversations) else None, wire if isinstance(wire, StoresResponses) else None
