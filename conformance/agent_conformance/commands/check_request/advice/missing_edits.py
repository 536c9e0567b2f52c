"""Edits that add what is missing, with a value that says nothing of its own: a type, an id, an empty schema."""

import re
from collections.abc import Iterator
from typing import Any

from agent_conformance.commands.check_request.advice.calls import results_of
from agent_conformance.commands.check_request.advice.edits import COSTS, Edit, Op, Operation, add, set_to, shown
from agent_conformance.commands.check_request.advice.naming_edits import declared_names, suited, unanswered_ids
from agent_conformance.commands.check_request.advice.places import Place, at, spelled
from agent_conformance.commands.check_request.advice.refused_request import RefusedRequest
from fake_providers.models import default_model

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
}
AT_THE_TOP = ("max_tokens", "stream", "reasoning_effort")
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
        yield from _named_members(request)
    if request.place and request.place[-1] == "model":
        yield set_to(request.place, default_model(request.wire, request.provider), more=20, note=NOTES["model"])
    if request.violation.rule.endswith("built-in-tools-unasked"):
        config = request.body.get("toolConfig")
        asked = {**(config if isinstance(config, dict) else {}), "includeServerSideToolInvocations": True}
        yield set_to(("toolConfig",), asked) if "toolConfig" in request.body else add(("toolConfig",), asked)
    if request.place and request.value is None and request.place[-1] in AT_THE_TOP:
        yield from (set_to(request.place, value) for value in EMPTY[str(request.place[-1])])
    yield from _signatures(request)
    yield from _nested_function(request)


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
        yield from _ids(request, holder)
    elif key == "name":
        yield from _names(request, holder)
    elif key == "description":
        yield str(holder.get("name", ""))
    elif key == "role":
        yield from _roles(request, holder)
    elif request.place or key in AT_THE_TOP:
        yield from EMPTY.get(key, ())


def _named_members(request: RefusedRequest) -> Iterator[Edit]:
    """Members that the refusal names without a place of their own."""
    words = set(re.findall(r"\w+", f"{request.violation.message} {request.why}"))
    for key in sorted(words & {"id", "name", "summary", "parameters", "type", "call_id", "schema"}):
        if key not in request.value:
            yield from (add((*request.place, key), value, more=4) for value in _values(request, key))


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


def _ids(request: RefusedRequest, holder: dict[str, Any]) -> Iterator[str]:
    yield from unanswered_ids(request)
    if "role" not in holder and holder.get("type") != "tool_result":
        yield from (result.id for result in results_of(request) if isinstance(result.id, str))
    number = request.place[1] if len(request.place) > 1 else 0
    yield from (f"call_{number}", f"msg_{number}", f"rs_{number}")


def _names(request: RefusedRequest, holder: dict[str, Any]) -> Iterator[str]:
    """The one tool there is; the schema of an answer may have any name."""
    names = declared_names(request)
    if len(set(names)) == 1 and "function" not in holder:
        yield names[0]
    if "schema" in holder:
        yield suited(str(holder["schema"].get("title", "answer")) if isinstance(holder["schema"], dict) else "answer")


def _roles(request: RefusedRequest, holder: dict[str, Any]) -> Iterator[str]:
    """Where the message itself shows whose it is; a content of Google's is the user's unless it says otherwise."""
    if "tool_call_id" in holder:
        yield "tool"
    elif "tool_calls" in holder:
        yield "assistant"
    elif request.wire == "gemini-generate" and not any("functionCall" in part for part in holder.get("parts") or ()):
        yield "user"


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


def _nested_function(request: RefusedRequest) -> Iterator[Edit]:
    """A tool in the format of OpenAI's other wire, and its choice."""
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
