"""The responses that OpenAI has stored, for requests that refer to them. Checks nothing.

With `store: false` a response cannot be continued and its items cannot be referred to, but that they were sent is kept.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from fake_providers.http import AS_ESCAPE, Request, Response, compact
from fake_providers.values.bounded_store import BoundedStore
from fake_providers.values.json_texts import read_json
from fake_providers.wires.openai_responses.conversation import (
    Item,
    ServedItem,
    ServedItems,
    conversation_id,
    conversation_of,
    own_items,
)
from fake_providers.wires.openai_responses.named_conversations import NamedConversations
from fake_providers.wires.openai_responses.stored_responses import StoredResponse, StoredResponses
from fake_providers.wires.openai_shared.request_body import body_of

MOST_ITEMS = 4000
ENDINGS = ("response.completed", "response.incomplete")


class ServedResponses:
    """The stored responses of one served fake; see `fake_providers.wire.ResponseStore`."""

    def __init__(self, envelope: Callable[[str], Any], *, has_conversations: bool = False) -> None:
        """`envelope` is the provider's body of an error. `has_conversations`: it offers the Conversations API."""
        self._continued: BoundedStore[tuple[Item, ...]] = BoundedStore()
        """The conversation up to each response, with the bytes of all that it continues."""
        self._known: BoundedStore[ServedItem] = BoundedStore(most=MOST_ITEMS)
        self._responses = StoredResponses(envelope, forget=self._continued.remove)
        self._conversations = NamedConversations(envelope) if has_conversations else None

    def resolve(self, request: Request) -> Request:
        """What is stored that the request names, and no more: a server stores thousands of items."""
        body = body_of(request)
        if not isinstance(body, dict):
            return replace(request, stored=ServedItems())
        ids = {str(item["id"]) for _, item in own_items(body) if "id" in item}
        known = {id: self._known[id] for id in ids if id in self._known}
        return replace(request, stored=ServedItems(self._earlier_items(body), known))

    def _earlier_items(self, body: Mapping[str, Any]) -> tuple[Item, ...] | None:
        previous_id = body.get("previous_response_id")
        if isinstance(previous_id, str) and previous_id:
            return self._continued.get(previous_id)
        return self._conversations.items_of(conversation_id(body)) if self._conversations else None

    def answers(self, request: Request) -> bool:
        about_conversation = self._conversations is not None and self._conversations.answers(request)
        return about_conversation or self._responses.answers(request)

    def answer(self, request: Request) -> Response | None:
        return (self._conversations and self._conversations.answer(request)) or self._responses.answer(request)

    def keep(self, request: Request, response: Response) -> Response:
        """Stores the response, if it is complete."""
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
        items = tuple(placed.value for placed in conversation_of(body, request.stored).items)
        earlier = self._continued.size_of(str(body.get("previous_response_id")))
        size = earlier + len(request.body) + len(response.body)
        id = str(response_object.get("id"))
        self._continued.put(id, items + output, size)
        kept = StoredResponse(response_object, items, _is_answered_later(response_object, response))
        self._responses.keep(id, kept, size)
        return _as_queued(response, kept) if kept.in_background else response

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


def _as_queued(response: Response, stored: StoredResponse) -> Response:
    return replace(response, chunks=(compact(stored.shown).encode(errors=AS_ESCAPE),))


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
