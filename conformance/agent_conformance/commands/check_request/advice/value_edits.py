"""Edits of the value that the refusal is about: the same in another form, or what samples have there that are accepted.

The samples are those of the provider's rules: the change between the two of the broken rule, then what others have.
"""

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from difflib import SequenceMatcher
from functools import cache
from typing import Any

from agent_conformance.commands.check_request.advice.refused_request import (
    COSTS,
    Edit,
    Operation,
    Place,
    RefusedRequest,
    add,
    at,
    declared,
    remove,
    rules_of,
    set_to,
    spelled,
    walk,
)
from fake_providers.models import default_model
from fake_providers.values.json_texts import read_json

IDS = frozenset(("id", "call_id", "tool_call_id", "tool_use_id", "toolUseId"))
_OWN = (
    "text content name thinking data file_data url image_url model signature encrypted_content input system role parts"
    " instructions description arguments output title phase messages contents tools functionDeclarations function args"
    " response result prompt source file image bytes is_error status user user_id prompt_cache_key metadata json"
    " requestMetadata stop stop_sequences stopSequences conversation $ref tool_name required caller tool_id"
)
OWN = IDS | frozenset(_OWN.split())
"""Members whose value only their author knows: nothing of a sample is put there."""
PLACEHOLDERS: dict[str | int, tuple[Any, str]] = {
    "content": ("", ""),
    "arguments": ("{}", ""),
    "args": ({}, ""),
    "input": ({}, ""),
    "output": ("", "the result of the tool"),
    "text": ("", "the text that was meant"),
    "items": ({}, "the schema of an entry"),
    "parameters": ({"type": "object", "properties": {}}, ""),
    "input_schema": ({"type": "object", "properties": {}}, ""),
    "reasoning_content": ("", "better: what the model sent"),
    "max_tokens": (4096, "as many as the answer may have"),
    "thoughtSignature": (
        "skip_thought_signature_validator",
        "a dummy that Google documents; better: the signature that came with the call",
    ),
    "extra_content": (
        {"google": {"thought_signature": "skip_thought_signature_validator"}},
        "a dummy that Google documents; better: the signature that came with the call",
    ),
}
"""What is put where something is missing, and what a maintainer puts there."""
OFF = ("none", "disabled")
"""Values that give up what was asked for."""
ALIKE = 0.75
ALL_ALIKE = 10
"""Places with the same fault that are edited one by one; more are edited together."""
MOST_VALUES = 12
_NUMBER = re.compile(r"\d+(?:\.\d+)?")


def value_edits(request: RefusedRequest) -> Iterator[Edit]:
    if request.place and not request.missing:
        yield from _converted(request)
        yield from _other_values(request)
    yield from _as_in_the_samples(request)
    if request.missing or request.value is None:
        yield from _missing(request)
    if request.place and request.place[-1] == "model":
        yield set_to(request.place, default_model(request.wire, request.provider), more=20, note=MODEL)
    yield from _tool_formats(request)


def _converted(request: RefusedRequest) -> Iterator[Edit]:
    place, value = request.place, request.value
    if place[-1] in IDS or place[-1] in ("model", "type"):
        return
    known = _accepted_at(request.provider).get(shape(place), ())
    wanted, kinds = {type_of(value), *map(type_of, known)}, [*map(kind_of, known)]
    for converted in _conversions(place[-1], value):
        if value is None or type_of(converted) in wanted:
            yield set_to(place, converted, kind="convert")
    if {"type": value} in known:
        yield set_to(place, {"type": value}, kind="convert")
    wrapped = [wrap(value) for wrap in WRAPPINGS] if isinstance(value, str) else []
    for converted in ([value], *wrapped):
        if kind_of(converted) in kinds:
            yield set_to(place, converted, kind="convert")


WRAPPINGS: tuple[Callable[[Any], Any], ...] = (
    lambda value: {"type": "text", "text": value},
    lambda value: [{"text": value}],
    lambda value: [{"type": "text", "text": value}],
    lambda value: {"result": value},
)
"""Of a text; objects have these members in a sample too."""


def kind_of(value: Any) -> Any:
    """The type, with the members of objects and the kind of a list's first entry."""
    if isinstance(value, list):
        return ("list", kind_of(value[0]) if value else "")
    return frozenset(value) if isinstance(value, dict) else type_of(value)


def type_of(value: object) -> str:
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int | float):
        return "number"
    if isinstance(value, str):
        return "string"
    return "list" if isinstance(value, list) else "object" if isinstance(value, dict) else ""


def shape(place: Place) -> Place:
    """The member, what holds it, and the top: alike for all messages, tools and properties."""
    keys = [part for part in place if isinstance(part, str)]
    named = ["*" if before == "properties" else key for before, key in zip(("", *keys), keys, strict=False)]
    return (*named[:1], *named[-2:], isinstance(place[-1], int))


@cache
def _accepted_at(provider: str) -> dict[Place, list[Any]]:
    """By the shape of the place, what the samples have there that the provider accepts."""
    found: dict[Place, list[Any]] = {}
    for rule in rules_of(provider).values():
        for place, value in walk(rule.accepted if isinstance(rule.accepted, dict) else None):
            if place and value not in (known := found.setdefault(shape(place), [])):
                known.append(value)
    return found


_WORDS: dict[str, Any] = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}


def _conversions(key: str | int, value: Any) -> Iterator[Any]:
    """To every type; the caller chooses. Null becomes what is empty."""
    if isinstance(value, str):
        try:
            yield read_json(value, strict=True)
        except ValueError:
            if value.lower() in _WORDS:
                yield _WORDS[value.lower()]
        if value != value.rstrip():
            yield value.rstrip()
        if value.startswith("data:") and "," in value:
            yield value.partition(",")[2]
    elif value is None:
        yield from {"content": ("",), "arguments": ("{}",), "summary": ([],)}.get(str(key), ())
    elif isinstance(value, list):
        found = [part.get("text") if isinstance(part, dict) else part for part in value]
        texts = [text for text in found if isinstance(text, str)]
        if texts and len(texts) == len(found):
            yield "".join(texts)
        yield from value if len(value) == 1 else ({}, "") if not value else ()
        yield json.dumps(value, ensure_ascii=False)
    elif isinstance(value, dict):
        if isinstance(value.get("text"), str):
            yield value["text"]
        if isinstance(value.get("type"), str) and len(value) == 1:
            yield value["type"]
        yield json.dumps(value, ensure_ascii=False)
    else:
        yield json.dumps(value)


SPEAKERS = (("user", "human"), ("assistant", "model", "ai", "bot"))
"""Words for the same speaker; the first ones are providers'."""
INNER = ("type", "media_type", "mimeType", "is_error")
"""Members of what the refusal is about that may be wrong where it does not say which."""


def _other_values(request: RefusedRequest) -> Iterator[Edit]:
    """The numbers that the refusal or the body has, the other truth value, and the words that samples have there."""
    place, value = request.place, request.value
    if type(value) in (int, float):
        named = [json.loads(text) for text in _NUMBER.findall(request.violation.message)][:20]
        named += [0.95, 1] if place[-1] in ("top_p", "temperature") else [0, 1]
        others = [n for where, n in walk(request.body) if type(n) is int and len(where) <= 3 and where != place]
        found = {n + step for n in (*named, *others[:20]) for step in (-1, 0, 1)}
        near = sorted((n for n in found if n >= 0 and n != value), key=lambda n: abs(n - value))[:40]
        yield from (set_to(place, number, more=order // 8) for order, number in enumerate(near))
    holder = place[:-1] if place[-1] in ("data", "file_data", "base64") else place
    inside = at(request.body, holder)
    for where in (place, *((*holder, key) for key in INNER if isinstance(inside, dict) and key in inside)):
        inner, more = at(request.body, where), 2 if where != place else 0
        words = [not inner] if isinstance(inner, bool) else _words(request, where, inner)
        yield from (set_to(where, word, more=more + min(n, 9)) for n, word in enumerate(words[:MOST_VALUES]))


def _words(request: RefusedRequest, place: Place, word: Any) -> list[Any]:
    """The words that samples have at such a place, the nearest first; of a role only the same speaker's."""
    key = place[-1]
    if key == "role":
        return [other for words in SPEAKERS if word in words for other in words[:2] if other != word]
    if not (isinstance(word, str) or key == "type") or not _has_words(place):
        return []
    known = [one for one in _accepted_at(request.provider).get(shape(place), ()) if isinstance(one, str)]
    if key == "type" and place[0] in (request.list_key, "tools"):
        known = [one for one in known if _is_alike(str(word), one)]
    return sorted(known, key=lambda one: (one in OFF, -SequenceMatcher(None, str(word), one).ratio()))


def _has_words(place: Place) -> bool:
    """Whether the member is one of a list of words that the provider knows."""
    is_known = "properties" not in place or place[-1] == "type"
    return is_known and not (OWN | PLACEHOLDERS.keys()) & {*place[-2:]}


def _is_alike(word: str, other: str) -> bool:
    """Whether they can name the same part of a message: `text` and `input_text`."""
    is_inside = word[-4:] == other[-4:] and "text" in other
    return is_inside or SequenceMatcher(None, word, other).ratio() >= ALIKE


def _differences(before: Any, after: Any, place: Place = ()) -> Iterator[Operation]:
    """From one body to the other, member by member."""
    if isinstance(before, dict) and isinstance(after, dict):
        for key in {**before, **after}:
            here = (*place, key)
            if key not in after:
                yield Operation("remove", here)
            elif key not in before:
                yield Operation("add", here, after[key])
            else:
                yield from _differences(before[key], after[key], here)
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for index, (one, other) in enumerate(zip(before, after, strict=True)):
            yield from _differences(one, other, (*place, index))
    elif before != after or type(before) is not type(after):
        yield Operation("replace", place, after)


def _is_public(value: Any) -> bool:
    return all(place == () or place[-1] not in OWN for place, _ in walk(value))


def _as_in_the_samples(request: RefusedRequest) -> Iterator[Edit]:
    """What was changed in the sample of the rule, at places like that: where the refusal says, beside it and above."""
    rule = request.rule
    if rule is None:
        return
    for change in _differences(rule.breaking, rule.accepted):
        if not change.place or isinstance(change.place[-1], int):
            continue
        key = change.place[-1]
        value, note = PLACEHOLDERS.get(key, (change.value, ""))
        is_content = key in OWN and (key not in PLACEHOLDERS or len(change.place) == 1)
        if change.op != "remove" and (is_content or (key not in PLACEHOLDERS and not _is_public(value))):
            continue
        is_meant = change.op == "replace" and "properties" in change.place and key != "type"
        op = "remove" if value is None or is_meant else change.op
        holder = at(rule.breaking, change.place[:-1])
        alike: list[Edit] = []
        for where in _holders_like(request, change.place[:-1], holder, key, is_there=op != "add"):
            here, more = (*where, key), _distance(request, (*where, key))
            if op == "remove":
                alike.append(remove(request.body, here, more=more))
            elif op == "add":
                alike.append(add(here, value, more=more, note=note))
            elif (found := at(request.body, here)) is None or (
                # Of lists and objects there is more to say than a sample does
                key not in OWN and not (isinstance(found, list | dict) and type_of(found) == type_of(value))
            ):
                alike.append(set_to(here, value, more=more + 4 * (value in OFF), note=note))
        alike.sort(key=lambda edit: edit.cost)
        yield from alike[:ALL_ALIKE]
        if len(alike) > 1:
            yield everywhere(alike)


def _holders_like(request: RefusedRequest, place: Place, sample: Any, key: str, *, is_there: bool) -> Iterator[Place]:
    """Objects below the same member of the body that have this key, or lack it and are of the type of the sample."""
    for where, value in walk(request.body.get(place[0]), place[:1]) if place else ((place, request.body),):
        is_like = isinstance(value, dict) and (key in value) == is_there
        if is_like and (is_there or str(value.get("type")).lower() == str(sample.get("type")).lower()):
            yield where


def _distance(request: RefusedRequest, place: Place) -> int:
    """What an edit costs more that is not where the refusal says."""
    about = (*request.place, request.missing) if request.missing else request.place
    return 0 if about == place[: len(about)] else 3 if about[:-1] == place[:-1] or about[:2] == place[:2] else 5


def everywhere(edits: list[Edit]) -> Edit:
    """The same edit at each of several places; the first is named."""
    what = "schema" if "properties" in edits[0].operations[0].place else "place"
    others = f"another {what}" if len(edits) == 2 else f"{len(edits) - 1} other {what}s"
    operations = tuple(operation for edit in edits for operation in edit.operations)
    words = f"{edits[0].words}, and the same in {others}"
    return replace(edits[0], words=words, operations=operations, cost=edits[0].cost + 4)


def _missing(request: RefusedRequest) -> Iterator[Edit]:
    """What is missing where the refusal says so, and the sample of the rule has it elsewhere or not."""
    holder, key = (request.value, request.missing) if request.missing else ({}, str(request.place[-1]))
    if request.wire == "gemini-generate":
        head, *rest = key.split("_")
        key = head + "".join(word.title() for word in rest)
    here = (*request.place, key) if request.missing else request.place
    known = [one for one in _accepted_at(request.provider).get(shape(here), ()) if _is_public(one)]
    values = [] if key in OWN else [(one, "") for one in known[:MOST_VALUES]]
    if key in PLACEHOLDERS and (request.place or key == "max_tokens"):
        values = [PLACEHOLDERS[key]]
    elif key == "type" and here[0] == request.list_key:
        values = [value for value in values if value[0] in holder or ("text" in holder and "text" in str(value[0]))]
    elif key == "model":
        values = [(default_model(request.wire, request.provider), MODEL)]
    elif key == "name" and "function" not in holder:
        names = {name for _, name in declared(request)}
        values = [("answer", "")] if "schema" in holder else [(name, "") for name in names if len(names) == 1]
    elif key == "description":
        values = [(str(holder.get("name", "")), "")]
    put = add if request.missing else set_to
    yield from (put(here, value, more=min(n, 9), note=note) for n, (value, note) in enumerate(values))


MODEL = "name the model that you mean"
OTHER_NAMES = (
    ("max_tokens", "max_completion_tokens", "max_output_tokens"),
    ("parameters", "input_schema"),
    ("stop", "stop_sequences"),
)
"""Names that wires have for the same member."""


def _tool_formats(request: RefusedRequest) -> Iterator[Edit]:
    """A member under the name that this wire has for it, and a tool or its choice in the format of this wire."""
    key = request.place[-1] if request.place else ""
    for name in (name for names in OTHER_NAMES if key in names for name in names):
        there = (*request.place[:-1], name)
        if name not in at(request.body, request.place[:-1]) and shape(there) in _accepted_at(request.provider):
            operations = (Operation("remove", request.place), Operation("add", there, request.value))
            words = f"rename {spelled(request.place)} to {name}"
            yield Edit("convert", words, operations, COSTS["convert"] + 2)
    if not request.place or request.place[0] not in ("tools", "tool_choice"):
        return
    place = request.place[: 1 if request.place[0] == "tool_choice" else 2]
    tool = at(request.body, place)
    known = _accepted_at(request.provider)
    if not isinstance(tool, dict):
        return
    if isinstance(function := tool.get("function"), dict) and shape((*place, "name")) in known:
        flat = {**{key: value for key, value in tool.items() if key != "function"}, **function}
        words = f"move the members of {spelled((*place, 'function'))} up into {spelled(place)}"
        if shape((*place, "input_schema")) in known and "parameters" in flat:
            words += ", and call its schema input_schema"
            named = {"name": flat.get("name"), "description": flat.get("description", "")}
            flat = {**named, "input_schema": flat["parameters"]}
        yield Edit("move", words, (Operation("replace", place, flat),), COSTS["convert"])
    elif "name" in tool and shape((*place, "function")) in known and shape((*place, "name")) not in known:
        inner = {key: value for key, value in tool.items() if key != "type"}
        words = f"put {', '.join(inner)} of {spelled(place)} under {spelled((*place, 'function'))}"
        nested = {"type": "function", "function": inner}
        yield Edit("move", words, (Operation("replace", place, nested),), COSTS["convert"])
