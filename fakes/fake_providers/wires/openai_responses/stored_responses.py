"""Stored responses as a client asks for them: read, polled, cancelled, deleted, and with their input items.

A response in the background is queued at first, in progress at the first poll, and finished from the second on: a fake
has no clock. Shapes: `Response`, `ResponseStatus` and `ResponseItemList` of openai-python.

Checks nothing.

With `store: false` a response cannot be continued and its items cannot be referred to, but that they were sent is
kept.

Shapes: `ResponseItemList` and `ConversationItemList` of openai-python.

Shapes: `Conversation`, `ConversationDeletedResource` and `ConversationItemList` of openai-python.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any, Final
from urllib.parse import parse_qs, unquote, urlsplit

from msgspec import structs

from fake_providers.http import AS_ESCAPE, Request, Response, compact, json_response
from fake_providers.ids import Ids
from fake_providers.values.bounded_store import BoundedStore, Unread, ends_of, place_after
from fake_providers.values.json_texts import read_json
from fake_providers.wires.openai_responses.conversation import (
    CONTINUED,
    Item,
    ServedItem,
    ServedItems,
    conversation_id,
    conversation_of,
    own_items,
)
from fake_providers.wires.openai_shared.request_body import LONGEST_TARGET, body_of

PATH: Final = re.compile(r".*/responses/([^/]+)(/cancel|/input_items)?")
ENDPOINTS: Final = (
    "GET and DELETE /v1/responses/{id}",
    "GET /v1/responses/{id}/input_items",
    "POST /v1/responses/{id}/cancel",
)
IN_PROGRESS_POLLS: Final = 1
NOTHING_YET: Final[Mapping[str, Any]] = {"completed_at": None, "incomplete_details": None, "output": [], "usage": None}

Envelope = Callable[[str], Any]


class Input:
    """The items of a request and of all that it continues, made when they are first asked for: most never are."""

    def __init__(self, request: Request) -> None:
        self._request = request

    @cached_property
    def items(self) -> tuple[Item, ...]:
        conversation = conversation_of(body_of(self._request), self._request.stored)
        return tuple(placed.value for placed in conversation.items)


@dataclass(frozen=True, slots=True)
class StoredResponse:
    """A finished response and its input. `polls` is how often a client asked for one in the background."""

    finished: Mapping[str, Any]
    input: "Input"
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

    def answer(self, request: Request) -> Response | None:
        """None for a request to another endpoint."""
        target = _target_of(request.method, request.path)
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
        stored.input.items = listed_items(stored.input.items, self._ids)
        return json_response(200, page_of(stored.input.items, request))

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


def _target_of(method: str, target: str) -> tuple[str, Answer] | None:
    """The id of the response, and who answers; None for another endpoint, and for the events of a stored stream."""
    parts = urlsplit(target)
    found = PATH.fullmatch(unquote(parts.path).rstrip("/"))
    answer = found and _ANSWERS.get((method.upper(), found[2] or ""))
    wants_events = parse_qs(parts.query).get("stream", [""])[-1] == "true"
    return (found[1], answer) if found and answer and not wants_events else None


MOST_ITEMS = 4000
ENDINGS = ("response.completed", "response.incomplete")


class ServedResponses:
    """The stored responses of one served fake; see `fake_providers.wire.ResponseStore`."""

    def __init__(self, envelope: Callable[[str], Any], *, has_conversations: bool = False) -> None:
        """`envelope` is the provider's body of an error. `has_conversations`: it offers the Conversations API."""
        self._continued: BoundedStore[tuple[Input, tuple[Item, ...]]] = BoundedStore()
        """The conversation up to each response, its input and output, with the bytes of all that it continues."""
        self._known: BoundedStore[ServedItem] = BoundedStore(most=MOST_ITEMS)
        self._responses = StoredResponses(envelope, forget=self._continued.remove)
        self._conversations = NamedConversations(envelope) if has_conversations else None
        self._unread = Unread(most=MOST_ITEMS)

    def resolve(self, request: Request) -> Request:
        """What is stored that the request names, and no more: a server stores thousands of items."""
        body = body_of(request)
        if not isinstance(body, dict):
            return structs.replace(request, stored=ServedItems())
        given = body.get("input")
        items = [item for item in given if isinstance(item, dict)] if isinstance(given, list) else []
        ids = {str(item["id"]) for item in items if "id" in item}
        if not ids and not any(body.get(name) for name in CONTINUED):
            return request  # it names nothing that is stored
        self._read_all()
        known = {id: self._known[id] for id in ids if id in self._known}
        return structs.replace(request, stored=ServedItems(self._earlier_items(body), known))

    def _earlier_items(self, body: Mapping[str, Any]) -> tuple[Item, ...] | None:
        previous_id = body.get("previous_response_id")
        if isinstance(previous_id, str) and previous_id:
            found = self._continued.get(previous_id)
            return None if found is None else (*found[0].items, *found[1])
        return self._conversations.items_of(conversation_id(body)) if self._conversations else None

    def answers(self, request: Request) -> bool:
        is_short = len(request.path) <= LONGEST_TARGET
        in_responses, in_conversations = (_kept_owners if is_short else _owners_of)(request.method, request.path)
        return in_responses or (in_conversations and self._conversations is not None)

    def answer(self, request: Request) -> Response | None:
        self._read_all()
        return (self._conversations and self._conversations.answer(request)) or self._responses.answer(request)

    def keep(self, request: Request, response: Response) -> Response:
        """Stores the response, if it is complete. It is read when a request first asks for any."""
        body = body_of(request)
        if isinstance(body, dict) and (body.get("background") is True or conversation_id(body)):
            self._read_all()
            return self._read(request, response)
        self._unread.put(request, response)
        return response

    def _read_all(self) -> None:
        for request, response in self._unread.taken():
            self._read(request, response)

    def _read(self, request: Request, response: Response) -> Response:
        body, response_object = body_of(request), finished_response(response)
        if response_object is None or not isinstance(body, dict):
            return response
        stored = response_object.get("store") is not False
        output = tuple(item for item in response_object["output"] if isinstance(item, dict))
        self._keep_items(output, stored, len(response.body))
        if self._conversations and (named := conversation_id(body)):
            self._conversations.add(named, [*(item for _, item in own_items(body)), *output])
        if not stored:
            return response
        input_ = Input(request)
        earlier = self._continued.size_of(str(body.get("previous_response_id")))
        size = earlier + len(request.body) + len(response.body)
        id = str(response_object.get("id"))
        self._continued.put(id, (input_, output), size)
        kept = StoredResponse(response_object, input_, _is_answered_later(response_object, response))
        self._responses.keep(id, kept, size)
        return (
            structs.replace(response, chunks=(compact(kept.shown).encode(errors=AS_ESCAPE),))
            if kept.in_background
            else response
        )

    def _keep_items(self, output: tuple[Item, ...], stored: bool, size: int) -> None:
        previous_item: Item = {}
        last = max((index for index, item in enumerate(output) if item.get("type") != "reasoning"), default=-1)
        for index, item in enumerate(output):
            reasoning = previous_item.get("id") if previous_item.get("type") == "reasoning" else None
            self._known.put(str(item.get("id")), ServedItem(item, stored, reasoning, index < last), size)
            previous_item = item


def _is_answered_later(response_object: Mapping[str, Any], response: Response) -> bool:
    """A streamed response in the background is sent as it is made."""
    streamed = any(value.startswith("text/event-stream") for name, value in response.headers if name == "content-type")
    return response_object.get("background") is True and not streamed


def finished_response(response: Response) -> Mapping[str, Any] | None:
    """The response object of a plain or streamed body, or None if it is incomplete."""
    if response.status != 200 or response.cut:
        return None
    text = response.body.decode(errors="replace")
    last = next((line[6:] for line in reversed(text.split("\n")) if line.startswith("data: ")), text)
    try:
        response_object = read_json(last)
    except ValueError:
        return None
    if isinstance(response_object, dict) and response_object.get("type") in ENDINGS:
        response_object = response_object.get("response")
    if not isinstance(response_object, dict) or not isinstance(response_object.get("output"), list):
        return None
    return response_object if response_object.get("status") in ("completed", "incomplete") else None


PREFIXES: Final = {"message": "msg", "reasoning": "rs", "function_call": "fc", "function_call_output": "fco"}
HEX: Final = "0123456789abcdef"
DEFAULT_LIMIT, MOST = 20, 100


def listed_items(items: Iterable[Item], ids: Ids) -> tuple[Item, ...]:
    """The items as the provider keeps them; what has an id is left as it is."""
    return tuple(item if isinstance(item.get("id"), str) else _with_id(item, ids) for item in items)


def _with_id(item: Item, ids: Ids) -> Item:
    kind = str(item.get("type") or "message")
    known = {**item, "id": ids.make(f"{PREFIXES.get(kind, 'item')}_", 50, HEX), "type": kind}
    known.setdefault("status", "completed")
    if kind == "message":
        known["content"] = _parts(item)
    return known


def _parts(item: Item) -> Any:
    """A text as its one part."""
    content = item.get("content")
    if not isinstance(content, str):
        return content
    if item.get("role") == "assistant":
        return [{"type": "output_text", "text": content, "annotations": [], "logprobs": []}]
    return [{"type": "input_text", "text": content}]


def page_of(items: Sequence[Item], request: Request) -> dict[str, Any]:
    """The page that the query asks for: the newest items first, unless it says `order=asc`."""
    query = {name: values[-1] for name, values in parse_qs(request.path.partition("?")[2]).items()}
    ordered = list(items) if query.get("order") == "asc" else list(reversed(items))
    rest = ordered[place_after(query.get("after"), [item["id"] for item in ordered]) :]
    shown = rest[: _limit(query)]
    ends = ends_of([item["id"] for item in shown])
    return {"object": "list", "data": shown, **ends, "has_more": len(shown) < len(rest)}


def _limit(query: Mapping[str, str]) -> int:
    asked = query.get("limit", "")
    return min(max(int(asked), 1), MOST) if asked.isdecimal() and len(asked) < 9 else DEFAULT_LIMIT


CONVERSATION_ENDPOINTS: Final = (
    "POST /v1/conversations",
    "GET, POST and DELETE /v1/conversations/{id}",
    "GET and POST /v1/conversations/{id}/items",
    "GET and DELETE /v1/conversations/{id}/items/{id}",
)
CONVERSATION_PATH: Final = re.compile(r".*/conversations(?:/([^/]+)(/items(?:/([^/]+))?)?)?")
CREATED: Final = 1763596800
"""2025-11-20, in every run."""
MOST_ITEMS_AT_ONCE: Final = 20


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

    def answer(self, request: Request) -> Response | None:
        """None for a request to another endpoint."""
        found = CONVERSATION_PATH.fullmatch(_path_of(request.path))
        if found is None:
            return None
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
        ends = ends_of([item["id"] for item in added])
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

    def _not_found(self, id: str) -> Response:
        """The error in the words for a response that is not there: those for a conversation are not known."""
        return json_response(404, self._envelope(f"Conversation with id '{id}' not found."))

    def _refused_items(self) -> Response:
        message = f"Invalid 'items': expected a list of at most {MOST_ITEMS_AT_ONCE} items."
        return json_response(400, self._envelope(message))


def _are_items(items: Any) -> bool:
    is_list = isinstance(items, list) and len(items) <= MOST_ITEMS_AT_ONCE
    return is_list and all(isinstance(item, dict) for item in items)


def _path_of(target: str) -> str:
    return unquote(urlsplit(target).path).rstrip("/")


def _owners_of(method: str, target: str) -> tuple[bool, bool]:
    """Whether a request is about stored responses, and whether it is about conversations."""
    return _target_of(method, target) is not None, CONVERSATION_PATH.fullmatch(_path_of(target)) is not None


_kept_owners = lru_cache(maxsize=64)(_owners_of)
"""Clients send the same few targets again and again."""
