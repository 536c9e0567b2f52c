"""The responses that OpenAI has stored, for requests that refer to them. Checks nothing.

With `store: false` a response cannot be continued and its items cannot be referred to, but that they were sent is kept.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from fakes.bounded_store import BoundedStore
from fakes.http import Request, Response
from fakes.json_texts import read_json
from fakes.wires.openai_responses.conversation import Item, ServedItem, ServedItems, conversation_of
from fakes.wires.openai_shared.request_body import body_of

MOST_ITEMS = 4000
ENDINGS = ("response.completed", "response.incomplete")


class ServedResponses:
    """The stored responses of one served fake; see `fakes.wire.ResponseStore`."""

    def __init__(self) -> None:
        self._conversations: BoundedStore[tuple[Item, ...]] = BoundedStore()
        """Each with the bytes of all that it continues."""
        self._known: BoundedStore[ServedItem] = BoundedStore(most=MOST_ITEMS)

    def resolve(self, request: Request) -> Request:
        body = body_of(request)
        previous_id = body.get("previous_response_id") if isinstance(body, dict) else None
        previous = self._conversations.get(previous_id) if isinstance(previous_id, str) else None
        return replace(request, stored=ServedItems(previous, dict(self._known)))

    def keep(self, request: Request, response: Response) -> None:
        """Stores the response, if it is complete."""
        body, response_object = body_of(request), finished_response(response)
        if response_object is None or not isinstance(body, dict):
            return
        stored = response_object.get("store") is not False
        output = tuple(item for item in response_object["output"] if isinstance(item, dict))
        previous_item: Item = {}
        for item in output:
            reasoning = previous_item.get("id") if previous_item.get("type") == "reasoning" else None
            self._known.put(str(item.get("id")), ServedItem(item, stored, reasoning), len(response.body))
            previous_item = item
        if stored:
            items = tuple(placed.value for placed in conversation_of(body, request.stored).items)
            earlier = self._conversations.size_of(str(body.get("previous_response_id")))
            size = earlier + len(request.body) + len(response.body)
            self._conversations.put(str(response_object.get("id")), items + output, size)


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
