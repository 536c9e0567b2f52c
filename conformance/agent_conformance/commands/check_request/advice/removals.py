"""Edits that remove: what the refusal is about and what is around it, a setting, and lastly a message."""

import re
from collections.abc import Iterator
from typing import Any

from agent_conformance.commands.check_request.advice.edits import COSTS, ELSEWHERE, Edit, Operation, remove
from agent_conformance.commands.check_request.advice.places import Place, at, spelled, walk
from agent_conformance.commands.check_request.advice.refused_request import RefusedRequest

_KEPT = (
    "model messages contents input tools system instructions systemInstruction system_instruction stream conversation"
    " previous_response_id role max_tokens prompt previous_response store"
)
KEPT = frozenset(_KEPT.split())
"""Members that are no settings: without them it is another request."""
OTHER_NAMES = {
    "max_tokens": ("max_completion_tokens", "max_output_tokens"),
    "max_completion_tokens": ("max_tokens", "max_output_tokens"),
    "max_output_tokens": ("max_tokens", "max_completion_tokens"),
    "parameters": ("input_schema",),
    "input_schema": ("parameters",),
    "stop": ("stop_sequences",),
}
NAMES_OF_WIRES = {"input_schema": "anthropic-messages", "stop_sequences": "anthropic-messages"}
NAMES_OF_WIRES |= {"max_output_tokens": "openai-responses", "max_completion_tokens": "openai-chat"}
_NEEDED = (
    "image_url url file file_data source data media_type mimeType mime_type inlineData functionCall functionResponse"
    " function name type arguments args call_id tool_call_id tool_use_id tool_id text thinking output content parts"
    " properties encrypted_content $ref id thoughtSignature tool_name response budget_tokens"
)
NEEDED = frozenset(_NEEDED.split())
"""Members without which what holds them says nothing, however lenient a fake is; they go with what holds them."""
SURPLUS = re.compile(
    "unknown|unrecognized|extra|not permitted|not support|unexpected|cannot find|duplicate", re.IGNORECASE
)
MOST_SETTINGS = 40


def removals(request: RefusedRequest) -> Iterator[Edit]:
    yield from _renamed_keys(request)
    yield from _around(request)
    yield from _settings(request)
    yield from _surplus(request)
    yield from _same_parts(request)


def _renamed_keys(request: RefusedRequest) -> Iterator[Edit]:
    """A member under the name that this wire has for it."""
    if not request.place or not isinstance(request.place[-1], str):
        return
    holder = at(request.body, request.place[:-1])
    for name in OTHER_NAMES.get(request.place[-1], ()):
        if name not in holder and NAMES_OF_WIRES.get(name, request.wire) == request.wire:
            there = (*request.place[:-1], name)
            operations = (Operation("remove", request.place), Operation("add", there, request.value))
            words = f"rename {spelled(request.place)} to {name}"
            yield Edit("convert", words, operations, COSTS["convert"] + 2)


def _around(request: RefusedRequest) -> Iterator[Edit]:
    """What the refusal is about, what holds it, and what is directly inside it. A role is never removed."""
    for length in range(len(request.place), 0, -1):
        here = request.place[:length]
        if here[-1] == "role" or here in ((request.list_key,), ("model",)) or _empties(request, here):
            continue
        if _is_needed(request, here):
            continue
        depth = len(request.place) - length + bool(request.missing)
        yield remove(request.body, here, more=2 * depth + (12 if len(here) == 2 and isinstance(here[1], int) else 0))
    if request.place and isinstance(request.value, dict) and not request.missing:
        for key in request.value:
            if key != "role" and not _is_needed(request, (*request.place, key)):
                yield remove(request.body, (*request.place, key), more=3)
            yield from _inside(request, (*request.place, key))
    is_list = isinstance(request.value, list) and len(request.place) == 1 and "too-many" not in request.violation.rule
    if is_list and 1 < len(request.value) <= MOST_SETTINGS:
        yield from (remove(request.body, (*request.place, index), more=3) for index in range(len(request.value)))
    if request.place and isinstance(request.place[-1], int):
        for sibling in (request.place[-1] - 1, request.place[-1] + 1):
            here = (*request.place[:-1], sibling)
            siblings = at(request.body, request.place[:-1])
            if 0 <= sibling < len(siblings) and len(request.place) > 2:
                yield remove(request.body, here, more=6)


def _inside(request: RefusedRequest, place: Place) -> Iterator[Edit]:
    """Of what is in a part, the members without which it is still one."""
    value = at(request.body, place)
    for key in value if isinstance(value, dict) and len(place) > 2 else ():
        if key in ("parts", "scheduling", "willContinue") or not _is_needed(request, (*place, key)):
            yield remove(request.body, (*place, key), more=5)


def _empties(request: RefusedRequest, place: Place) -> bool:
    """Whether a list would have nothing left: it goes itself then, or what holds it."""
    return isinstance(place[-1], int) and len(at(request.body, place[:-1])) == 1


def _is_needed(request: RefusedRequest, place: Place) -> bool:
    key = place[-1]
    is_option = len(place) == 1 or (len(place) == 2 and key not in ("type", "budget_tokens"))
    if key not in NEEDED or is_option:
        return False
    is_surplus = place == request.place and SURPLUS.search(request.violation.message) is not None
    is_item = (
        request.wire == "openai-responses" and key == "id" and at(request.body, place[:-1]).get("type") != "reasoning"
    )
    is_name = key == "name" and len(place) == 3
    return not (is_surplus or is_item or is_name)


def _settings(request: RefusedRequest) -> Iterator[Edit]:
    """Options anywhere at the top, or in an object of options."""
    for place in _setting_places(request.body):
        if request.place[: len(place)] != place and not _is_needed(request, place):
            yield remove(request.body, place, more=ELSEWHERE)


def _setting_places(body: Any) -> list[Place]:
    places: list[Place] = []
    for key, value in body.items() if isinstance(body, dict) else ():
        if key in KEPT:
            continue
        places.append((key,))
        if isinstance(value, dict):
            places += [(key, inner) for inner in value if inner not in KEPT]
    return places[:MOST_SETTINGS]


def _surplus(request: RefusedRequest) -> Iterator[Edit]:
    """The end of a list with more entries than the refusal allows."""
    if request.place and isinstance(request.value, list) and request.place != (request.list_key,):
        numbers = [int(word) for word in re.findall(r"\b\d+\b", request.violation.message)]
        for most in (*numbers, 20, 16):
            if 0 < most < len(request.value):
                places = [(*request.place, index) for index in range(most, len(request.value))]
                edit = remove(request.body, *places)
                yield Edit(
                    "remove",
                    f"{edit.words}: {most} are allowed",
                    edit.operations,
                    COSTS["set"] + 5 + min(len(places), 20),
                )


def _same_parts(request: RefusedRequest) -> Iterator[Edit]:
    """Marks and types of parts of which there are too many, or the wrong ones: each, and all."""
    wanted = ("cache_control", "ttl")
    marks = [p for p, _ in walk(request.body) if p and p[-1] in wanted] if "cache" in request.violation.rule else []
    for place in marks[:MOST_SETTINGS]:
        yield remove(request.body, place, more=1)
