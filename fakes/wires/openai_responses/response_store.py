"""What OpenAI keeps of the responses it has served, for requests that name them. Judges nothing.

With `store: false` a response cannot be gone on from, and its items cannot be named; that they were there is kept.
"""

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from fakes.http import Request, Response
from fakes.wires.openai_responses.conversation import Held, Item, Known, conversation_of
from fakes.wires.openai_shared.request_body import body_of

ENDINGS = ("response.completed", "response.incomplete")


class ServedResponses:
    """The memory of one served fake; see `fakes.wire.ResponseStore`."""

    def __init__(self) -> None:
        self._conversations: dict[str, tuple[Item, ...]] = {}
        self._known: dict[str, Known] = {}

    def recalled(self, request: Request) -> Request:
        body = body_of(request)
        named = body.get("previous_response_id") if isinstance(body, dict) else None
        previous = self._conversations.get(named) if isinstance(named, str) else None
        return replace(request, held=Held(previous, dict(self._known)))

    def keep(self, request: Request, response: Response) -> None:
        """Only a response that was told to its end is kept."""
        body, answer = body_of(request), finished_response(response)
        if answer is None or not isinstance(body, dict):
            return
        stored = answer.get("store") is not False
        output = tuple(item for item in answer["output"] if isinstance(item, dict))
        before: Item = {}
        for item in output:
            thought = before.get("id") if before.get("type") == "reasoning" else None
            self._known[str(item.get("id"))] = Known(item, stored, thought)
            before = item
        if stored:
            said = tuple(placed.value for placed in conversation_of(body, request.held).items)
            self._conversations[str(answer.get("id"))] = said + output


def finished_response(response: Response) -> Mapping[str, Any] | None:
    """The response object of a body, plain or streamed, that was told to its end."""
    if response.status != 200 or response.cut:
        return None
    text = response.body.decode(errors="replace")
    last = next((line[6:] for line in reversed(text.split("\n")) if line.startswith("data: ")), text)
    try:
        answer = json.loads(last)
    except (ValueError, RecursionError):
        return None
    if isinstance(answer, dict) and answer.get("type") in ENDINGS:
        answer = answer.get("response")
    if not isinstance(answer, dict) or not isinstance(answer.get("output"), list):
        return None
    return answer if answer.get("status") in ("completed", "incomplete") else None
