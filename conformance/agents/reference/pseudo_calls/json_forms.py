"""Calls as JSON: bare, in a fence, after `Action:`. Knows tools only by name."""

import re

from conformance.agents.reference.pseudo_calls.blocks import Block, Position
from conformance.agents.reference.pseudo_calls.regions import CALL_FENCES, fence_at
from conformance.agents.reference.pseudo_calls.values import (
    ENVELOPES,
    TextCall,
    calls_in,
    json_at,
    json_run,
    python_calls,
)

PROTOCOL_KEYS = frozenset(
    [
        "name",
        "tool",
        "tool_name",
        "function",
        "action",
        "type",
        "content",
        "arguments",
        "parameters",
        "tool_calls",
        "toolcalls",
        "toolCalls",
        "function_call",
        "tool_call",
        "tool_call_id",
    ]
)

ACTION = re.compile(
    r"^Action(?:\s*\d+)?\s*:[ \t]*(?P<name>[^\n`{\[]+?)\s+Action(?:\s*\d+)?\s*Input(?:\s*\d+)?\s*:[\s*]*",
    re.MULTILINE,
)
ACTION_JSON = re.compile(r"^Action:\s*(?:```(?:json)?\s*)?(?=[{\[])", re.MULTILINE)
BEGUN_JSON = re.compile(r"\[?\s*\{\s*\"")
THOUGHT = re.compile(
    r"Thought:(?:(?!^Action|^Final Answer:).)*(?=^Action|^Final Answer:)(?:Final Answer:)?", re.S | re.M
)


def react(position: Position) -> Block | None:
    """`Action: NAME` with `Action Input:`, or `Action:` with JSON; what follows is an invented observation."""
    thought = THOUGHT.match(position.text, position.at)
    if thought is not None:
        return Block(position.at, thought.end(), mark=True)
    calls: tuple[TextCall, ...]
    named = ACTION.match(position.text, position.at)
    if named is not None:
        read = json_at(position.text, named.end())
        calls = (TextCall(named["name"].strip(), read[0]),) if read and isinstance(read[0], dict) else ()
        return Block(position.at, len(position.text), calls)
    match = ACTION_JSON.match(position.text, position.at)
    if match is None:
        return None
    values, end = json_run(position.text, match.end())
    if not values:
        return Block(position.at, len(position.text)) if BEGUN_JSON.match(position.text, match.end()) else None
    calls = tuple(call for value in values for call in calls_in(value))
    if not calls:
        return None
    if all(re.fullmatch(r"directly[_-]answer", call.name) for call in calls):
        grounded = re.compile(r".*?Grounded answer:\s*(?:<co: \d+>)?(.*?)(?:</co: \d+>)?\Z", re.DOTALL).match(
            position.text, end
        )
        return Block(position.at, len(position.text), show=grounded[1] if grounded else "", mark=bool(grounded))
    after = re.compile(r"\s*```|\s*<end_action>").match(position.text, end)
    return Block(position.at, after.end() if after else end, calls)


USING = re.compile(r"^Using tool:[ \t]*(?P<name>[\w.:-]+)\s*\n(?=\{)", re.MULTILINE)


def using_tool(position: Position) -> Block | None:
    """`Using tool: NAME` and then the call as JSON."""
    match = USING.match(position.text, position.at)
    read = json_at(position.text, match.end()) if match else None
    return Block(position.at, read[1], tuple(calls_in(read[0]))) if read else None


def fenced(position: Position) -> Block | None:
    """A fence whose language marks it as a call; any other with JSON, if it is the whole answer."""
    fence = fence_at(position.text, position.at)
    if fence is None:
        return None
    info, begin, stop, end = fence
    body = position.text[begin:stop]
    if CALL_FENCES.fullmatch(info):
        return _call_fence(position, info, begin, end)
    if info not in ("", "json", "JSON"):
        return None
    alone = position.lead and not position.text[end:].strip()
    read = json_at(body, 0)
    listed = read is not None and isinstance(read[0], list) and not position.text[end:].strip()
    if not (alone or listed):
        return None
    if read is None:
        return Block(position.at, end) if _began_call(body, position.names) and stop == end else None
    if isinstance(read[0], dict) and read[0].get("action") in ("Final Answer", "final_answer"):
        return Block(position.at, end, show=str(read[0].get("action_input", "")), mark=True)
    calls = calls_in(read[0])
    return (
        Block(position.at, end, tuple(calls)) if calls and all(call.name in position.names for call in calls) else None
    )


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
    last = position.text.rfind("\n```")
    body = position.text[begin:last] if last > begin else ""
    return Block(position.at, end, tuple(python_calls(body.replace("\n", "\\n"))))


FIRST_KEY = re.compile(r"\s*(?:\[\s*)?\{\s*\"(?P<key>\w+)\"\s*:\s*(?:\"(?P<value>[^\"]*)\")?")
CALL_KEYS = frozenset({"name", "tool", "tool_name", "function", "action"})


def _began_call(text: str, names: frozenset[str]) -> bool:
    """Whether JSON that does not read in full began as a call of an offered tool."""
    first = FIRST_KEY.match(text)
    return bool(first and first["key"] in CALL_KEYS and first["value"] in names)


def bare_json(position: Position) -> Block | None:
    """JSON at the start of the answer: calls of offered tools, and OpenAI's envelope; all else is an answer."""
    text = position.text
    values, end = json_run(text, position.at)
    if not values:
        hidden = _began_call(text[position.at :], position.names) or _began_result(text[position.at :])
        return Block(position.at, len(text)) if hidden else None
    if any(isinstance(value, dict) and set(value) == {"tool_call_id", "content"} for value in values):
        return Block(position.at, end)
    calls = [call for value in values for call in calls_in(value)]
    if calls and all(call.name in position.names for call in calls):
        content = values[0].get("content") if isinstance(values[0], dict) else None
        return Block(position.at, end, tuple(calls), show=content if isinstance(content, str) else "")
    envelope = next(
        (value[key] for value in values if isinstance(value, dict) for key in ENVELOPES if value.get(key)), None
    )
    return Block(position.at, end) if isinstance(envelope, list) and any(map(_is_protocol_entry, envelope)) else None


def _began_result(text: str) -> bool:
    return bool(re.match(r"\s*\{\s*\"tool_call_id\"\s*:\s*\"[^\"]*\"\s*,\s*\"content\"\s*:", text))


def _is_protocol_entry(entry: object) -> bool:
    """Whether an entry of an envelope is a call that cannot be run, rather than somebody's own data."""
    if not isinstance(entry, dict):
        return False
    if str(entry.get("id")).startswith("call_") or isinstance(entry.get("function"), dict):
        return True
    return "arguments" in entry and ("call_id" in entry or "id" in entry)
