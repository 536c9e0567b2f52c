"""Edits of the value that the refusal is about: the same in another form, or another that the refusal names."""

import json
import re
from collections.abc import Iterator
from difflib import SequenceMatcher
from typing import Any

from agent_conformance.commands.check_request.advice.conversions import TEXTS, conversions
from agent_conformance.commands.check_request.advice.edits import Edit, set_to
from agent_conformance.commands.check_request.advice.places import Place, at, walk
from agent_conformance.commands.check_request.advice.refused_request import RefusedRequest
from agent_conformance.commands.check_request.advice.wanted_types import type_of, wanted_types

SAME_WORDS: dict[str, tuple[str, ...]] = {
    "any": ("required",),
    "required": ("any",),
    "text": ("input_text", "output_text"),
    "input_text": ("text", "output_text"),
    "output_text": ("input_text", "text"),
    "image/jpg": ("image/jpeg",),
    "jpg": ("image/jpeg",),
    "jpeg": ("image/jpeg",),
    "png": ("image/png",),
}
"""Words of other wires for the same thing."""
ROLES = {"human": "user", "ai": "assistant", "bot": "assistant", "model": "assistant"}
USUAL = {
    "tool_choice": ("auto",),
    "mode": ("AUTO",),
    "type": ("function", "custom", "auto", "ephemeral"),
}
EFFORTS = ("max", "xhigh", "high", "medium", "low", "minimal", "none")
MEDIA_TYPES = ("image/jpeg", "image/png", "image/gif", "image/webp")
THINKING = ({"type": "adaptive"}, {"type": "disabled"}, {"type": "enabled", "budget_tokens": 1024})
INNER = ("type", "media_type", "mimeType", "mime_type", "is_error", "role")
"""Members of what the refusal is about that may be wrong where it does not say which."""
_OWN = (
    "text content name thinking data file_data url image_url model signature encrypted_content input system"
    " instructions description arguments output title phase"
)
OWN = frozenset(_OWN.split())
"""Members whose value only their author knows: no other word is put there."""
IDS = frozenset(("id", "call_id", "tool_call_id", "tool_use_id"))
ALIKE = 0.75
_WORD = re.compile(r"""["'`]([\w/-]{1,40})["'`]""")
_NUMBER = re.compile(r"\d+(?:\.\d+)?")


def value_edits(request: RefusedRequest) -> Iterator[Edit]:
    if not request.place or request.missing:
        return
    value = request.value
    yield from _converted(request, request.place, value)
    yield from _other_words(request, request.place, value, 0)
    if type_of(value) == "number":
        yield from _numbers(request, value)
    if isinstance(value, bool):
        yield set_to(request.place, not value)
    yield from _inner(request, value)
    if request.place[0] == "thinking":
        yield from (set_to(("thinking",), other, more=6) for other in THINKING)


def _converted(request: RefusedRequest, place: Place, value: Any) -> Iterator[Edit]:
    if place[-1] in IDS or place[-1] == "model":
        return
    wanted = wanted_types(request.violation.message, request.why) | ({"string"} if place[-1] in TEXTS else set())
    for converted in conversions(place, value):
        if type_of(converted) in wanted or (value is None or type_of(converted) == type_of(value)):
            yield set_to(place, converted, kind="convert")


def _inner(request: RefusedRequest, value: Any) -> Iterator[Edit]:
    """Of an object, or of the file whose data are in question."""
    holder, inside = request.place, value
    if request.place[-1] in ("data", "file_data", "base64"):
        holder, inside = request.place[:-1], at(request.body, request.place[:-1])
    for key in INNER if isinstance(inside, dict) else ():
        if key in inside and (*holder, key) != request.place:
            yield from _other_words(request, (*holder, key), inside[key], 2)
            if isinstance(inside[key], bool):
                yield set_to((*holder, key), not inside[key], more=2)


def _other_words(request: RefusedRequest, place: Place, value: Any, more: int) -> Iterator[Edit]:
    if isinstance(value, str) or place[-1] == "type":
        for number, word in enumerate(_words(request, place, value)):
            yield set_to(place, word, more=more + min(number, 9))


def _words(request: RefusedRequest, place: Place, value: Any) -> list[str]:
    """The nearest first: of the same meaning, then as the refusal names them, then usual ones."""
    key = str(place[-1])
    if key in OWN or key in IDS or (key == "format" and place[0] == "tools"):
        return []
    if not isinstance(value, str):
        return list(USUAL["type"]) if len(place) < 6 else []
    if key == "role":
        return _roles(request, value)
    if key.endswith("effort") or (key == "think" and request.wire == "ollama-chat"):
        known = EFFORTS[:5] if request.wire == "anthropic-messages" else EFFORTS
        here = known.index(value) if value in known else 2
        return sorted(
            (word for word in known if word != value),
            key=lambda word: (abs(known.index(word) - here), word == "none", -known.index(word)),
        )
    if key in INNER and key[:1] == "m":
        return [*SAME_WORDS.get(value, ()), *MEDIA_TYPES]
    named = [word for word in _WORD.findall(request.violation.message) if word not in (value, key)]
    ratios = {word: SequenceMatcher(None, value, word).ratio() for word in named}
    near = sorted((word for word in ratios if key != "type" or ratios[word] >= ALIKE), key=lambda word: -ratios[word])
    same = [word for word in SAME_WORDS.get(value, ()) if key != "type" or _fits(request, place, word)]
    is_option = place == request.place and place[0] not in (request.list_key, "thinking") and len(place) <= 3
    usual = USUAL.get(key, ()) if is_option else ()
    usual = ("custom",) if (value, request.wire) == ("function", "anthropic-messages") and key == "type" else usual
    return list(dict.fromkeys((*same, *near, *usual)))[:20]


def _roles(request: RefusedRequest, value: str) -> list[str]:
    """Another word for the same speaker, never another speaker."""
    if request.wire == "gemini-generate":
        return ["model"] if value in ("assistant", "ai", "bot") else [ROLES[value]] if value == "human" else []
    return [ROLES[value]] if value in ROLES else []


def _fits(request: RefusedRequest, place: Place, word: str) -> bool:
    """A part becomes a text only if it has one."""
    return "text" not in word or "text" in at(request.body, place[:-1])


def _numbers(request: RefusedRequest, value: float) -> Iterator[Edit]:
    """Numbers of the refusal and of the body, and one more or less; the nearest is tried first."""
    named = [json.loads(text) for text in _NUMBER.findall(request.violation.message)][:20]
    named += [0.95, 1] if request.place[-1] in ("top_p", "temperature") else [0, 1]
    others = [n for where, n in walk(request.body) if type(n) is int and len(where) <= 3 and where != request.place]
    found = {n + step for n in (*named, *others[:20]) for step in (-1, 0, 1)}
    near = sorted((n for n in found if n >= 0 and n != value), key=lambda n: abs(n - value))[:40]
    for order, number in enumerate(near):
        yield set_to(request.place, number, more=order // 8)
