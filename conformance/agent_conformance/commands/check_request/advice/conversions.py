"""The same value in another form, without loss: JSON text and object, a text and its part, a number and its digits."""

import json
from collections.abc import Iterator
from typing import Any

from agent_conformance.commands.check_request.advice.places import Place
from fake_providers.json_texts import read_json

TEXTS = ("content", "system", "instructions", "text", "description", "output")
_LISTS = (
    "tools input messages contents parts content functionDeclarations tool_calls include stop stop_sequences required"
    " enum modalities"
)
LISTS = frozenset(_LISTS.split())
"""Members that hold lists: of a single entry they can hold a list of one."""
WORDS: dict[str, Any] = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}


NULLS: dict[str | int, tuple[Any, ...]] = {"content": ("",), "arguments": ("{}",), "summary": ([],)}
"""What a member that holds null may hold instead, where it is empty."""


def conversions(place: Place, value: Any) -> Iterator[Any]:
    """Of every type; the caller chooses. A member that holds null may be empty instead, where that is not the same."""
    key = place[-1]
    if isinstance(value, str) and isinstance(key, int) and place[-2] in ("content", "parts"):
        yield {"type": "text", "text": value}
    elif key == "type":
        return
    elif isinstance(value, str):
        yield from _from_text(key, value)
    elif value is None:
        yield from NULLS.get(key, ())
    elif isinstance(value, bool):
        yield json.dumps(value)
    elif isinstance(value, int | float):
        yield str(value)
    elif isinstance(value, list):
        yield from _from_list(key, value)
    else:
        yield from _from_object(key, value)


def _from_text(key: str | int, value: str) -> Iterator[Any]:
    yield from (part for part in (_parsed(value),) if part is not None)
    if key in ("input", "args") and not value.strip():
        yield {}
    if value != value.rstrip():
        yield value.rstrip()
    if value.startswith("data:") and "," in value:
        yield value.partition(",")[2]
    if key in ("response", "result"):
        yield {"result": value}
    if key in ("content", "system"):
        yield [{"type": "text", "text": value}]
    if key in ("tool_choice", "response_format", "thinking"):
        yield {"type": value}
    if key in LISTS:
        yield [value]


def _parsed(text: str) -> Any:
    try:
        return read_json(text, strict=True)
    except ValueError:
        return WORDS.get(text.lower())


def _from_list(key: str | int, value: list[Any]) -> Iterator[Any]:
    found = [part.get("text") if isinstance(part, dict) else part for part in value]
    texts = [text for text in found if isinstance(text, str)]
    if texts and key in TEXTS and len(texts) == len(found):
        yield "".join(texts)
    if len(value) == 1:
        yield value[0]
    if not value:
        yield {}
        yield ""
    if key in ("arguments", "output"):
        yield json.dumps(value, ensure_ascii=False)


def _from_object(key: str | int, value: dict[str, Any]) -> Iterator[Any]:
    if isinstance(value.get("text"), str):
        yield value["text"]
        yield [{"type": "text", "text": value["text"]}]
    if key in ("arguments", "output", "content"):
        yield json.dumps(value, ensure_ascii=False)
    if isinstance(value.get("type"), str) and len(value) == 1:
        yield value["type"]
    if key in LISTS:
        yield [value]
