"""Stored responses as a client asks for them: read, polled, cancelled, deleted, and with their input items.

A response in the background is queued at first, in progress at the first poll, and finished from the second on: a fake
has no clock. Shapes: `Response`, `ResponseStatus` and `ResponseItemList` of openai-python.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final
from urllib.parse import parse_qs, unquote, urlsplit

from fake_providers.http import Request, Response, json_response
from fake_providers.ids import Ids
from fake_providers.values.bounded_store import BoundedStore
from fake_providers.wires.openai_responses.conversation import Item
from fake_providers.wires.openai_responses.listed_items import listed_items, page_of

PATH: Final = re.compile(r".*/responses/([^/]+)(/cancel|/input_items)?")
ENDPOINTS: Final = (
    "GET and DELETE /v1/responses/{id}",
    "GET /v1/responses/{id}/input_items",
    "POST /v1/responses/{id}/cancel",
)
IN_PROGRESS_POLLS: Final = 1
NOTHING_YET: Final[Mapping[str, Any]] = {"completed_at": None, "incomplete_details": None, "output": [], "usage": None}

Envelope = Callable[[str], Any]


@dataclass(frozen=True, slots=True)
class StoredResponse:
    """A finished response and its input. `polls` is how often a client asked for one in the background."""

    finished: Mapping[str, Any]
    input_items: tuple[Item, ...]
    in_background: bool
    polls: int = 0
    cancelled: bool = False

    @property
    def is_running(self) -> bool:
        return self.in_background and not self.cancelled and self.polls <= IN_PROGRESS_POLLS

    @property
    def shown(self) -> Mapping[str, Any]:
        if self.cancelled:
            return {**self.finished, **NOTHING_YET, "status": "cancelled"}
        if not self.is_running:
            return self.finished
        return {**self.finished, **NOTHING_YET, "status": "in_progress" if self.polls else "queued"}


class StoredResponses:
    """The stored responses of one served fake, by id."""

    def __init__(self, envelope: Envelope, forget: Callable[[str], None]) -> None:
        self._envelope = envelope
        self._forget = forget
        """Called with the id of a response that is deleted."""
        self._ids = Ids("input items")
        self._stored: BoundedStore[StoredResponse] = BoundedStore()

    def keep(self, id: str, stored: StoredResponse, size: int) -> None:
        self._stored.put(id, stored, size)

    def answers(self, request: Request) -> bool:
        """Whether `answer` has one."""
        return _target_of(request) is not None

    def answer(self, request: Request) -> Response | None:
        """None for a request to another endpoint."""
        target = _target_of(request)
        if target is None:
            return None
        id, answer = target
        stored = self._stored.get(id)
        if stored is None:
            return json_response(404, self._envelope(f"Response with id '{id}' not found."))
        return answer(self, id, stored, request)

    def _read(self, id: str, stored: StoredResponse, _request: Request) -> Response:
        if stored.is_running:
            stored = self._changed(id, replace(stored, polls=stored.polls + 1))
        return json_response(200, stored.shown)

    def _cancel(self, id: str, stored: StoredResponse, _request: Request) -> Response:
        """What has ended stays as it is."""
        if not stored.in_background:
            return json_response(400, self._envelope("Cannot cancel a synchronous response."))
        if stored.is_running:
            stored = self._changed(id, replace(stored, cancelled=True))
        return json_response(200, stored.shown)

    def _delete(self, id: str, _stored: StoredResponse, _request: Request) -> Response:
        self._stored.remove(id)
        self._forget(id)
        return json_response(200, {"id": id, "object": "response", "deleted": True})

    def _list_input(self, id: str, stored: StoredResponse, request: Request) -> Response:
        """The ids of items are made when they are first asked for."""
        items = listed_items(stored.input_items, self._ids)
        self._changed(id, replace(stored, input_items=items))
        return json_response(200, page_of(items, request))

    def _changed(self, id: str, stored: StoredResponse) -> StoredResponse:
        self._stored.put(id, stored, self._stored.size_of(id))
        return stored


Answer = Callable[[StoredResponses, str, StoredResponse, Request], Response]
_ANSWERS: Final[Mapping[tuple[str, str], Answer]] = {
    ("GET", ""): StoredResponses._read,
    ("DELETE", ""): StoredResponses._delete,
    ("GET", "/input_items"): StoredResponses._list_input,
    ("POST", "/cancel"): StoredResponses._cancel,
}


def _target_of(request: Request) -> tuple[str, Answer] | None:
    """The id of the response, and who answers; None for another endpoint, and for the events of a stored stream."""
    parts = urlsplit(request.path)
    found = PATH.fullmatch(unquote(parts.path).rstrip("/"))
    answer = found and _ANSWERS.get((request.method.upper(), found[2] or ""))
    wants_events = parse_qs(parts.query).get("stream", [""])[-1] == "true"
    return (found[1], answer) if found and answer and not wants_events else None
