"""The two refusals that every provider has: a body that is no JSON object, and one without messages."""

from collections.abc import Callable
from typing import Any

from fakes.rule import Confidence
from fakes.rulebook import Breach, RequestContext, Rulebook
from fakes.wires.openai_chat.request import NOT_JSON
from fakes.wires.openai_chat.rules.samples import cite, sample_request


def refuse_unread(
    book: Rulebook,
    provider: str,
    *,
    model: str,
    not_json: Breach,
    without_messages: Callable[[Any], Breach],
    status: int = 400,
    status_without: int | None = None,
    source: str,
    confidence: Confidence = "inferred",
) -> None:
    """Adds both rules; after them `RequestContext.body` is an object and its `messages` are a list."""

    @book.rule(
        f"{provider}/body-not-json",
        status=status,
        why="the body is no JSON object",
        confidence="inferred",
        evidence=cite(source),
        breaking=b'{"model": "' + model.encode() + b'", "messages": [',
        accepted=sample_request(model=model),
        checked="2026-11-21",
    )
    def _not_json(context: RequestContext) -> Breach | None:
        return not_json if context.body is NOT_JSON or not isinstance(context.body, dict) else None

    without = sample_request(model=model)
    del without["messages"]

    @book.rule(
        f"{provider}/messages-missing",
        status=status_without or status,
        why="there are no messages, or they are no list",
        confidence=confidence,
        evidence=cite(source),
        breaking=without,
        accepted=sample_request(model=model),
        checked="2026-11-21",
    )
    def _messages_missing(context: RequestContext) -> Breach | None:
        return None if isinstance(context.body.get("messages"), list) else without_messages(context.body)
