"""The Conversations API: conversations that a client makes, names in requests, reads and deletes. Knows no response.

Shapes: `Conversation`, `ConversationDeletedResource` and `ConversationItemList` of openai-python.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final
from urllib.parse import unquote, urlsplit

from fake_providers.http import Request, Response, compact, json_response
from fake_providers.ids import Ids
from fake_providers.values.bounded_store import BoundedStore
from fake_providers.wires.openai_responses.conversation import Item, conversation_id
from fake_providers.wires.openai_responses.listed_items import HEX, listed_items, page_of
from fake_providers.wires.openai_shared.request_body import body_of

ENDPOINTS: Final = (
    "POST /v1/conversations",
    "GET, POST and DELETE /v1/conversations/{id}",
    "GET and POST /v1/conversations/{id}/items",
    "GET and DELETE /v1/conversations/{id}/items/{id}",
)
PATH: Final = re.compile(r".*/conversations(?:/([^/]+)(/items(?:/([^/]+))?)?)?")
CREATED: Final = 1763596800
MOST_ITEMS_AT_ONCE: Final = 20

Envelope = Callable[[str], Any]


@dataclass(frozen=True, slots=True)
class NamedConversation:
    """One conversation. `size` is in bytes of its items' JSON."""

    id: str
    metadata: Mapping[str, Any]
    items: tuple[Item, ...] = ()
    size: int = 0

    @property
    def described(self) -> dict[str, Any]:
        return {"id": self.id, "object": "conversation", "created_at": CREATED, "metadata": self.metadata}


class NamedConversations:
    """The conversations of one served fake."""

    def __init__(self, envelope: Envelope) -> None:
        self._envelope = envelope
        self._ids = Ids("conversations")
        self._stored: BoundedStore[NamedConversation] = BoundedStore()

    def items_of(self, id: str) -> tuple[Item, ...] | None:
        """The items so far, or None where there is no such conversation."""
        found = self._stored.get(id)
        return None if found is None else found.items

    def add(self, id: str, items: Sequence[Item]) -> tuple[Item, ...]:
        """The items as they are kept: at the end of the conversation, where there is one of this id."""
        kept = listed_items(items, self._ids)
        found = self._stored.get(id)
        if found is not None:
            size = found.size + sum(len(compact(item)) for item in kept)
            self._put(replace(found, items=found.items + kept, size=size))
        return kept

    def answers(self, request: Request) -> bool:
        """Whether the request is about conversations, or is a model request that names one which is not there."""
        path = _path_of(request)
        return bool(PATH.fullmatch(path)) or (path.endswith("/responses") and self._missing_name(request) is not None)

    def answer(self, request: Request) -> Response | None:
        """None for a request to another endpoint."""
        found = PATH.fullmatch(_path_of(request))
        if found is None:
            missing = self._missing_name(request) if _path_of(request).endswith("/responses") else None
            return None if missing is None else self._not_found(missing)
        method, (id, has_items, item_id) = request.method.upper(), found.groups()
        if id is None:
            return self._create(request) if method == "POST" else None
        conversation = self._stored.get(id)
        if conversation is None:
            return self._not_found(id)
        if item_id is not None:
            return self._about_item(method, conversation, item_id)
        about = self._about_items if has_items else self._about
        return about(method, conversation, request)

    def _create(self, request: Request) -> Response:
        body = body_of(request)
        body = body if isinstance(body, dict) else {}
        items = body.get("items") or []
        if not _are_items(items):
            return self._refused_items()
        made = NamedConversation(self._ids.make("conv_", 48, HEX), body.get("metadata") or {})
        self._put(made)
        self.add(made.id, items)
        return json_response(200, made.described)

    def _about(self, method: str, conversation: NamedConversation, request: Request) -> Response | None:
        if method == "GET":
            return json_response(200, conversation.described)
        if method == "DELETE":
            self._stored.remove(conversation.id)
            return json_response(200, {"id": conversation.id, "object": "conversation.deleted", "deleted": True})
        body = body_of(request)
        if method != "POST" or not isinstance(body, dict):
            return None
        changed = replace(conversation, metadata=body.get("metadata") or {})
        self._put(changed)
        return json_response(200, changed.described)

    def _about_items(self, method: str, conversation: NamedConversation, request: Request) -> Response | None:
        if method == "GET":
            return json_response(200, page_of(conversation.items, request))
        if method != "POST":
            return None
        body = body_of(request)
        items = body.get("items") if isinstance(body, dict) else None
        if not items or not _are_items(items):
            return self._refused_items()
        added = self.add(conversation.id, items)
        ends = {"first_id": added[0]["id"], "last_id": added[-1]["id"]}
        return json_response(200, {"object": "list", "data": added, **ends, "has_more": False})

    def _about_item(self, method: str, conversation: NamedConversation, item_id: str) -> Response | None:
        item = next((one for one in conversation.items if one.get("id") == item_id), None)
        if item is None:
            message = f"Item with id '{item_id}' not found in conversation '{conversation.id}'."
            return json_response(404, self._envelope(message))
        if method == "GET":
            return json_response(200, item)
        if method != "DELETE":
            return None
        left = tuple(one for one in conversation.items if one is not item)
        self._put(replace(conversation, items=left))
        return json_response(200, conversation.described)

    def _put(self, conversation: NamedConversation) -> None:
        self._stored.put(conversation.id, conversation, conversation.size)

    def _missing_name(self, request: Request) -> str | None:
        """The id of a conversation that is not there, in a model request that continues no response."""
        body = body_of(request)
        named = conversation_id(body) if isinstance(body, dict) and not body.get("previous_response_id") else ""
        return named if named and named not in self._stored else None

    def _not_found(self, id: str) -> Response:
        """In the words for a response that is not there: those for a conversation are not known."""
        return json_response(404, self._envelope(f"Conversation with id '{id}' not found."))

    def _refused_items(self) -> Response:
        message = f"Invalid 'items': expected a list of at most {MOST_ITEMS_AT_ONCE} items."
        return json_response(400, self._envelope(message))


def _are_items(items: Any) -> bool:
    is_list = isinstance(items, list) and len(items) <= MOST_ITEMS_AT_ONCE
    return is_list and all(isinstance(item, dict) for item in items)


def _path_of(request: Request) -> str:
    return unquote(urlsplit(request.path).path).rstrip("/")
