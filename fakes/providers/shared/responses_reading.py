"""Looking at a request of which nothing is checked yet: what is of another shape is passed over. Refuses one thing."""

from collections.abc import Iterable
from typing import Any

from fakes.rulebook import Asked, Broken, Rulebook
from fakes.wires.openai_chat.request import NOT_JSON
from fakes.wires.openai_responses.rules.samples import asking, seen

Placed = tuple[str, dict[str, Any]]
CHECKED = "2026-11-21"


def kind_of(item: dict[str, Any]) -> str | None:
    """Its type where that is a word; none makes it a message."""
    kind = item.get("type")
    return None if kind is None else str(kind)


def items(asked: Asked) -> list[Placed]:
    """Each item of the input that is an object, with its place."""
    return [(f"input[{index}]", item) for index, item in objects(asked.body.get("input"))]


def tools(asked: Asked) -> list[Placed]:
    return [(f"tools[{index}]", tool) for index, tool in objects(asked.body.get("tools"))]


def objects(value: Any) -> Iterable[tuple[int, dict[str, Any]]]:
    listed = value if isinstance(value, list) else []
    return [(index, one) for index, one in enumerate(listed) if isinstance(one, dict)]


def refuse_unread(
    book: Rulebook, provider: str, *, model: str, not_json: Broken, without_input: Broken, status: int, source: str
) -> None:
    """Adds two rules; after them `Asked.body` is an object that has an `input`."""

    @book.rule(
        f"{provider}/responses-body-not-json",
        status=status,
        why="the body is no JSON object",
        confidence="inferred",
        evidence=seen(source),
        breaking=b'{"model": "' + model.encode() + b'", "input": [',
        accepted=asking(model=model),
        checked=CHECKED,
    )
    def _not_json(asked: Asked) -> Broken | None:
        return not_json if asked.body is NOT_JSON or not isinstance(asked.body, dict) else None

    @book.rule(
        f"{provider}/responses-input-missing",
        status=status,
        why="there is no input",
        confidence="inferred",
        evidence=seen(source),
        breaking={"model": model},
        accepted=asking(model=model),
        checked=CHECKED,
    )
    def _without_input(asked: Asked) -> Broken | None:
        return None if "input" in asked.body or asked.body.get("prompt") else without_input
