"""Looking at a request of which nothing is checked yet: what is of another shape is passed over. Refuses one thing."""

from collections.abc import Iterable
from typing import Any

from fakes.rulebook import Breach, RequestContext, Rulebook
from fakes.wires.openai_chat.request import NOT_JSON
from fakes.wires.openai_responses.rules.samples import cite, sample_request

Placed = tuple[str, dict[str, Any]]
CHECKED = "2026-11-21"


def kind_of(item: dict[str, Any]) -> str | None:
    """Its type where that is a word; none makes it a message."""
    kind = item.get("type")
    return None if kind is None else str(kind)


def items(context: RequestContext) -> list[Placed]:
    """Each item of the input that is an object, with its place."""
    return [(f"input[{index}]", item) for index, item in objects(context.body.get("input"))]


def tools(context: RequestContext) -> list[Placed]:
    return [(f"tools[{index}]", tool) for index, tool in objects(context.body.get("tools"))]


def objects(value: Any) -> Iterable[tuple[int, dict[str, Any]]]:
    listed = value if isinstance(value, list) else []
    return [(index, one) for index, one in enumerate(listed) if isinstance(one, dict)]


def refuse_unread(
    book: Rulebook, provider: str, *, model: str, not_json: Breach, without_input: Breach, status: int, source: str
) -> None:
    """Adds two rules; after them `RequestContext.body` is an object that has an `input`."""

    @book.rule(
        f"{provider}/responses-body-not-json",
        status=status,
        why="the body is no JSON object",
        confidence="inferred",
        evidence=cite(source),
        breaking=b'{"model": "' + model.encode() + b'", "input": [',
        accepted=sample_request(model=model),
        checked=CHECKED,
    )
    def _not_json(context: RequestContext) -> Breach | None:
        return not_json if context.body is NOT_JSON or not isinstance(context.body, dict) else None

    @book.rule(
        f"{provider}/responses-input-missing",
        status=status,
        why="there is no input",
        confidence="inferred",
        evidence=cite(source),
        breaking={"model": model},
        accepted=sample_request(model=model),
        checked=CHECKED,
    )
    def _without_input(context: RequestContext) -> Breach | None:
        return None if "input" in context.body or context.body.get("prompt") else without_input
