"""Conversations that a provider holds between requests, so that a request can name one instead of repeating it.

Knows no wire: one that has such requests offers the three functions of `ResumesConversations`, or,
where a request can name more than one response, a `ResponseStore` of its own.
"""

import threading
from functools import cache
from typing import Protocol, runtime_checkable

from fakes.http import Request, Response


@runtime_checkable
class ResumesConversations(Protocol):
    """A wire whose provider holds conversations. All three are pure, and none raises on what was sent."""

    def continued(self, request: Request) -> str | None:
        """The id of the response that this request goes on from, or None where it says everything itself."""

    def response_id(self, response: Response) -> str | None:
        """The id by which a later request may name this response, or None where it does not count: failed, cut off."""

    def resumed(self, request: Request, *, earlier: Request, response: Response) -> Request:
        """The same request with the whole conversation in it: `earlier`, its `response`, and what is new."""


class ResponseStore(Protocol):
    """What a provider keeps for one user, in the wire's own words. Called by one thread at a time."""

    def recalled(self, request: Request) -> Request:
        """The same request with what is kept under `held`, for the wire's own `judge`, `view` and `encode`."""

    def keep(self, request: Request, response: Response) -> None:
        """Take note of a response, whatever it is; `request` has been through `recalled`."""


@runtime_checkable
class StoresResponses(Protocol):
    """A wire whose requests can name several things: the response before, and single items of any response."""

    def memory(self) -> ResponseStore:
        """A memory that is empty. A request that has been through none is judged as if what it names were there."""


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
