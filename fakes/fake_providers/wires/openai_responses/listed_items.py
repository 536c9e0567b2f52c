"""Items as OpenAI lists them: each with an id and a status, in pages. Knows no store.

Shapes: `ResponseItemList` and `ConversationItemList` of openai-python.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final
from urllib.parse import parse_qs

from fake_providers.http import Request
from fake_providers.ids import Ids
from fake_providers.wires.openai_responses.conversation import Item

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
    found = next((index for index, item in enumerate(ordered) if item.get("id") == query.get("after")), None)
    rest = ordered if found is None else ordered[found + 1 :]
    shown = rest[: _limit(query)]
    ends = {"first_id": shown[0]["id"], "last_id": shown[-1]["id"]} if shown else {"first_id": None, "last_id": None}
    return {"object": "list", "data": shown, **ends, "has_more": len(shown) < len(rest)}


def _limit(query: Mapping[str, str]) -> int:
    asked = query.get("limit", "")
    return min(max(int(asked), 1), MOST) if asked.isdecimal() and len(asked) < 9 else DEFAULT_LIMIT
