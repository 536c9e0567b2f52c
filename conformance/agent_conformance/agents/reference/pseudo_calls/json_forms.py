"""Calls as JSON: bare, or in a fence. Knows tools only by name."""

import re

from agent_conformance.agents.reference.pseudo_calls.blocks import Block, Position
from agent_conformance.agents.reference.pseudo_calls.regions import CALL_FENCES, fence_at
from agent_conformance.agents.reference.pseudo_calls.values import (
    ENVELOPE,
    TextCall,
    calls_in,
    json_at,
    json_run,
    python_calls,
)

PROTOCOL_KEYS = frozenset({"name", "tool", "action", "type", "content", "tool_calls", "function_call", "tool_call_id"})


def fenced(position: Position) -> Block | None:
    """A fence whose language marks it as a call; any other with the JSON of calls, if nothing comes after it."""
    fence = fence_at(position.text, position.at)
    if fence is None:
        return None
    info, begin, stop, end = fence
    body = position.text[begin:stop]
    if CALL_FENCES.fullmatch(info):
        return _call_fence(position, info, begin, end)
    if info.lower() not in ("", "json"):
        return None
    read = json_at(body, 0)
    if position.text[end:].strip():
        return None
    if read is None:
        return Block(position.at, end) if _began_call(body, position.names) and stop == end else None
    if isinstance(read[0], dict) and read[0].get("action") == "Final Answer":
        return Block(position.at, end, show=str(read[0].get("action_input")), mark=True)
    calls = calls_in(read[0]) if begins_like_call(body) else []
    known = calls and all(call.name in position.names for call in calls)
    return Block(position.at, end, tuple(calls)) if known else None


def _call_fence(position: Position, info: str, begin: int, end: int) -> Block:
    name = re.fullmatch(r"tool\s+(\S+)", info)
    read = json_at(position.text, begin)
    if read is not None:
        close = re.compile(r"\s*(?:`{3,}|~{3,}|</\w+>)").match(position.text, read[1])
        value = read[0]
        found = [TextCall(name[1], value)] if name and isinstance(value, dict) else calls_in(value)
        return Block(position.at, close.end() if close else end, tuple(found) if close else ())
    for close in re.finditer(r"\n`{3,}[ \t]*(?=\n|\Z)", position.text[begin:]):
        found = python_calls(position.text[begin : begin + close.start()])
        if found:
            return Block(position.at, begin + close.end(), tuple(found))
    return Block(position.at, end)


FIRST_KEY = re.compile(r"\s*(?:\[\s*)?\{\s*\"(?P<key>\w+)\"\s*:\s*(?:\"(?P<value>[^\"]*)\")?")


def _began_call(text: str, names: frozenset[str]) -> bool:
    """Whether JSON that does not read in full began as a call of an offered tool."""
    first = FIRST_KEY.match(text)
    return bool(first and first["value"] in names)


def begins_like_call(text: str) -> bool:
    """Whether the first key is one of a call. A stream cannot wait for the others, so nothing else is read as one."""
    first = FIRST_KEY.match(text)
    return first is not None and first["key"] in PROTOCOL_KEYS


def bare_json(position: Position) -> Block | None:
    """JSON at the start of the answer: calls of offered tools, and OpenAI's envelope; all else is an answer."""
    text = position.text
    values, end = json_run(text, position.at)
    if not values:
        return Block(position.at, len(text)) if _began_call(text[position.at :], position.names) else None
    if not begins_like_call(text[position.at :]):
        return None
    if any(isinstance(value, dict) and set(value) == {"tool_call_id", "content"} for value in values):
        return Block(position.at, end)
    calls = [call for value in values for call in calls_in(value)]
    if calls and all(call.name in position.names for call in calls):
        content = values[0].get("content") if isinstance(values[0], dict) else None
        return Block(position.at, end, tuple(calls), show=content if isinstance(content, str) else "")
    envelope = next((value[ENVELOPE] for value in values if isinstance(value, dict) and ENVELOPE in value), None)
    return Block(position.at, end) if isinstance(envelope, list) and any(map(_is_protocol_entry, envelope)) else None


def _is_protocol_entry(entry: object) -> bool:
    """Whether an entry of an envelope is a call that cannot be run, rather than somebody's own data."""
    return isinstance(entry, dict) and isinstance(entry.get("function"), dict)
