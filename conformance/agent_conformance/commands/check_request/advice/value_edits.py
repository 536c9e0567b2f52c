"""Edits of the value that the refusal is about: the same in another form, or another that the refusal names."""

import json
import re
from collections.abc import Iterator
from difflib import SequenceMatcher
from typing import Any

from agent_conformance.commands.check_request.advice.edits import COSTS, Edit, Op, Operation, add, set_to, shown
from agent_conformance.commands.check_request.advice.refused_request import (
    Place,
    RefusedRequest,
    at,
    results_of,
    spelled,
    walk,
)
from agent_conformance.commands.check_request.advice.schema_edits import declared_names, suited, unanswered_ids
from fake_providers.models import default_model
from fake_providers.values.json_texts import read_json

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
        # Numbers of the refusal and of the body, and one more or less; the nearest is tried first
        named = [json.loads(text) for text in _NUMBER.findall(request.violation.message)][:20]
        named += [0.95, 1] if request.place[-1] in ("top_p", "temperature") else [0, 1]
        others = [n for where, n in walk(request.body) if type(n) is int and len(where) <= 3 and where != request.place]
        found = {n + step for n in (*named, *others[:20]) for step in (-1, 0, 1)}
        near = sorted((n for n in found if n >= 0 and n != value), key=lambda n: abs(n - value))[:40]
        for order, number in enumerate(near):
            yield set_to(request.place, number, more=order // 8)
    if isinstance(value, bool):
        yield set_to(request.place, not value)
    # Of an object, or of the file whose data are in question
    holder, inside = request.place, value
    if request.place[-1] in ("data", "file_data", "base64"):
        holder, inside = request.place[:-1], at(request.body, request.place[:-1])
    for key in INNER if isinstance(inside, dict) else ():
        if key in inside and (*holder, key) != request.place:
            yield from _other_words(request, (*holder, key), inside[key], 2)
            if isinstance(inside[key], bool):
                yield set_to((*holder, key), not inside[key], more=2)
    if request.place[0] == "thinking":
        yield from (set_to(("thinking",), other, more=6) for other in THINKING)


def _converted(request: RefusedRequest, place: Place, value: Any) -> Iterator[Edit]:
    if place[-1] in IDS or place[-1] == "model":
        return
    wanted = wanted_types(request.violation.message, request.why) | ({"string"} if place[-1] in TEXTS else set())
    for converted in conversions(place, value):
        if type_of(converted) in wanted or (value is None or type_of(converted) == type_of(value)):
            yield set_to(place, converted, kind="convert")


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
        # Another word for the same speaker, never another speaker
        if request.wire == "gemini-generate":
            return ["model"] if value in ("assistant", "ai", "bot") else [ROLES[value]] if value == "human" else []
        return [ROLES[value]] if value in ROLES else []
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
    # A part becomes a text only if it has one.
    same = [
        word
        for word in SAME_WORDS.get(value, ())
        if key != "type" or ("text" not in word or "text" in at(request.body, place[:-1]))
    ]
    is_option = place == request.place and place[0] not in (request.list_key, "thinking") and len(place) <= 3
    usual = USUAL.get(key, ()) if is_option else ()
    usual = ("custom",) if (value, request.wire) == ("function", "anthropic-messages") and key == "type" else usual
    return list(dict.fromkeys((*same, *near, *usual)))[:20]


_NOT_WANTED = (
    re.compile(r"but got .*", re.DOTALL),
    re.compile(r"cannot unmarshal \w+ into"),
    re.compile(r"\(type [^)]*\)$"),
)
_TYPES = {
    "string": re.compile(r"\bstring\b|\btext\b"),
    "list": re.compile(r"\barray\b|\blist\b|\[\]|\bsequence\b"),
    "object": re.compile(r"\bobject\b|\bdict|\bmapping\b|\bmap\[|Struct\b|expected shape"),
    "number": re.compile(r"\binteger\b|\bnumber\b|\bdecimal\b|\bfloat|\bint\d*\b|duration"),
    "boolean": re.compile(r"\bbool"),
}
EVERY = frozenset(_TYPES)


def wanted_types(message: str, why: str) -> frozenset[str]:
    """From the provider's message; where it names none, from the sentence of the rule."""
    if "not repeating" in message or "cannot start list" in message:
        return EVERY - {"list"}
    for pattern in _NOT_WANTED:
        message = pattern.sub("", message)
    return _named(message) or _named(why)


def _named(text: str) -> frozenset[str]:
    return frozenset(name for name, pattern in _TYPES.items() if pattern.search(text))


def type_of(value: object) -> str:
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int | float):
        return "number"
    if isinstance(value, str):
        return "string"
    return "list" if isinstance(value, list) else "object" if isinstance(value, dict) else ""


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
            yield [{"text": value}]
            yield [{"type": "text", "text": value}]
        if key in ("tool_choice", "response_format", "thinking"):
            yield {"type": value}
        if key in LISTS:
            yield [value]
    elif value is None:
        yield from NULLS.get(key, ())
    elif isinstance(value, bool):
        yield json.dumps(value)
    elif isinstance(value, int | float):
        yield str(value)
    elif isinstance(value, list):
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
    else:
        yield from _from_object(key, value)


def _parsed(text: str) -> Any:
    try:
        return read_json(text, strict=True)
    except ValueError:
        return WORDS.get(text.lower())


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


DUMMY_SIGNATURES = ("skip_thought_signature_validator", "c2tpcF90aG91Z2h0X3NpZ25hdHVyZV92YWxpZGF0b3I=")
"""The text that Google documents for calls of other models, and the same in base64."""
EMPTY: dict[str, tuple[Any, ...]] = {
    "content": ("",),
    "arguments": ("{}",),
    "args": ({},),
    "input": ({},),
    "output": ("",),
    "summary": ([],),
    "text": ("",),
    "parameters": ({"type": "object", "properties": {}},),
    "input_schema": ({"type": "object", "properties": {}},),
    "properties": ({},),
    "items": ({}, {"type": "string"}),
    "schema": ({}, {"type": "object", "properties": {}, "additionalProperties": False}),
    "additionalProperties": (False,),
    "required": ([],),
    "reasoning_content": ("",),
    "stream": (True,),
    "reasoning_effort": ("none",),
    "max_tokens": (4096,),
    "anthropic_version": ("bedrock-2023-05-31",),
}
AT_THE_TOP = ("max_tokens", "stream", "reasoning_effort", "anthropic_version")
NOTES = {
    "reasoning_content": "better: what the model sent",
    "model": "name the model that you mean",
    "output": "the result of the tool",
    "text": "the text that was meant",
    "max_tokens": "as many as the answer may have",
}


def missing_edits(request: RefusedRequest) -> Iterator[Edit]:
    key = _missing_key(request)
    if key:
        for value in _values(request, key):
            yield add((*request.place, key), value, note=NOTES.get(key, ""))
    if isinstance(request.value, dict) and request.place:
        # Members that the refusal names without a place of their own.
        named = set(re.findall(r"\w+", f"{request.violation.message} {request.why}"))
        for key in sorted(named & {"id", "name", "summary", "parameters", "type", "call_id", "schema"}):
            if key not in request.value:
                yield from (add((*request.place, key), value, more=4) for value in _values(request, key))
    if request.place and request.place[-1] == "model":
        yield set_to(request.place, default_model(request.wire, request.provider), more=20, note=NOTES["model"])
    if request.violation.rule.endswith("built-in-tools-unasked"):
        config = request.body.get("toolConfig")
        asked = {**(config if isinstance(config, dict) else {}), "includeServerSideToolInvocations": True}
        yield set_to(("toolConfig",), asked) if "toolConfig" in request.body else add(("toolConfig",), asked)
    if request.place and request.value is None and request.place[-1] in AT_THE_TOP:
        yield from (set_to(request.place, value) for value in EMPTY[str(request.place[-1])])
    yield from _signatures(request)
    # A tool in the format of OpenAI's other wire, and its choice.
    if not request.place or request.place[0] not in ("tools", "tool_choice"):
        return
    place = request.place[: 1 if request.place[0] == "tool_choice" else 2]
    tool = at(request.body, place)
    if not isinstance(tool, dict):
        return
    if isinstance(tool.get("function"), dict) and request.wire in ("anthropic-messages", "openai-responses"):
        flat = {**{key: value for key, value in tool.items() if key != "function"}, **tool["function"]}
        words = f"move the members of {spelled((*place, 'function'))} up into {spelled(place)}"
        yield Edit("move", words, (Operation("replace", place, flat),), COSTS["convert"])
        if "parameters" in flat and request.wire == "anthropic-messages":
            renamed = {"name": flat.get("name"), "description": flat.get("description", "")}
            custom = {**renamed, "input_schema": flat["parameters"]}
            yield Edit("move", f"{words}, and call its schema input_schema", (Operation("replace", place, custom),), 9)
    elif "name" in tool and request.wire == "openai-chat":
        inner = {key: value for key, value in tool.items() if key != "type"}
        nested = {"type": "function", "function": inner}
        words = f"put {', '.join(inner)} of {spelled(place)} under {spelled((*place, 'function'))}"
        yield Edit("move", words, (Operation("replace", place, nested),), COSTS["convert"])


def _missing_key(request: RefusedRequest) -> str:
    if not isinstance(request.value, dict):
        return ""
    camel = request.wire == "gemini-generate" and "_" in request.missing
    head, *rest = request.missing.split("_")
    return head + "".join(word.title() for word in rest) if camel else request.missing


def _values(request: RefusedRequest, key: str) -> Iterator[Any]:
    holder = request.value
    if key == "type":
        yield from _types(holder)
    elif key == "model":
        yield default_model(request.wire, request.provider)
    elif key in ("id", "call_id", "tool_call_id", "tool_use_id"):
        yield from unanswered_ids(request)
        if "role" not in holder and holder.get("type") != "tool_result":
            yield from (result.id for result in results_of(request) if isinstance(result.id, str))
        number = request.place[1] if len(request.place) > 1 else 0
        yield from (f"call_{number}", f"msg_{number}", f"rs_{number}")
    elif key == "name":
        # The one tool there is; the schema of an answer may have any name
        names = declared_names(request)
        if len(set(names)) == 1 and "function" not in holder:
            yield names[0]
        if "schema" in holder:
            yield suited(
                str(holder["schema"].get("title", "answer")) if isinstance(holder["schema"], dict) else "answer"
            )
    elif key == "description":
        yield str(holder.get("name", ""))
    elif key == "role":
        # Where the message itself shows whose it is; a content of Google's is the user's unless it says otherwise
        if "tool_call_id" in holder:
            yield "tool"
        elif "tool_calls" in holder:
            yield "assistant"
        elif request.wire == "gemini-generate" and not any(
            "functionCall" in part for part in holder.get("parts") or ()
        ):
            yield "user"
    elif request.place or key in AT_THE_TOP:
        yield from EMPTY.get(key, ())


def _types(holder: dict[str, Any]) -> Iterator[str]:
    """By what is beside it."""
    signs = {
        "text": ("text", "input_text", "output_text"),
        "function": ("function",),
        "parameters": ("function",),
        "properties": ("object",),
        "items": ("array",),
        "image_url": ("image_url",),
        "source": ("image",),
    }
    for sign, types in signs.items():
        yield from types if sign in holder else ()
    yield from ("object", "string", "function")


def _signatures(request: RefusedRequest) -> Iterator[Edit]:
    """The documented dummy, on the first call of the message."""
    note = "a dummy that Google documents; better: the signature that came with the call"
    for place, holder, path in _calls_to_sign(request):
        for dummy in DUMMY_SIGNATURES:
            value: Any = dummy
            for key in reversed(path[1:]):
                value = {key: value}
            op: Op = "replace" if path[0] in holder else "add"
            words = f"{'set' if op == 'replace' else 'add'} {spelled((*place, path[0]))}: {shown(value)}"
            yield Edit("add", words, (Operation(op, (*place, path[0]), value),), COSTS["add"], note)


def _calls_to_sign(request: RefusedRequest) -> Iterator[tuple[Place, dict[str, Any], tuple[str, ...]]]:
    if "signature" not in request.violation.rule:
        return
    if request.wire == "gemini-generate" and len(request.place) >= 2 and isinstance(request.place[1], int):
        for place, part in request.parts(request.place[1]):
            if "functionCall" in part or "function_call" in part or len(request.place) > 3:
                yield place, part, ("thoughtSignature",)
                return
    elif "tool_calls" in request.place:
        place = request.place[: request.place.index("tool_calls") + 2]
        call = at(request.body, place)
        if isinstance(call, dict):
            yield place, call, ("extra_content", "google", "thought_signature")
