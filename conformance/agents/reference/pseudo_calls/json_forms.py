"""Calls as JSON: bare, in a fence, behind `Action:`. Knows no tool but by name."""

import re

from conformance.agents.reference.pseudo_calls.found import Block, Place
from conformance.agents.reference.pseudo_calls.regions import CALL_FENCES, fence_at
from conformance.agents.reference.pseudo_calls.values import ENVELOPES, Found, calls_in, json_at, json_run, python_calls

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


def react(place: Place) -> Block | None:
    """`Action: NAME` with `Action Input:`, or `Action:` with JSON; what comes behind is a made-up observation."""
    thought = THOUGHT.match(place.text, place.at)
    if thought is not None:
        return Block(place.at, thought.end(), mark=True)
    calls: tuple[Found, ...]
    named = ACTION.match(place.text, place.at)
    if named is not None:
        read = json_at(place.text, named.end())
        calls = (Found(named["name"].strip(), read[0]),) if read and isinstance(read[0], dict) else ()
        return Block(place.at, len(place.text), calls)
    match = ACTION_JSON.match(place.text, place.at)
    if match is None:
        return None
    values, end = json_run(place.text, match.end())
    if not values:
        return Block(place.at, len(place.text)) if BEGUN_JSON.match(place.text, match.end()) else None
    calls = tuple(call for value in values for call in calls_in(value))
    if not calls:
        return None
    if all(re.fullmatch(r"directly[_-]answer", call.name) for call in calls):
        grounded = re.compile(r".*?Grounded answer:\s*(?:<co: \d+>)?(.*?)(?:</co: \d+>)?\Z", re.DOTALL).match(
            place.text, end
        )
        return Block(place.at, len(place.text), show=grounded[1] if grounded else "", mark=bool(grounded))
    after = re.compile(r"\s*```|\s*<end_action>").match(place.text, end)
    return Block(place.at, after.end() if after else end, calls)


USING = re.compile(r"^Using tool:[ \t]*(?P<name>[\w.:-]+)\s*\n(?=\{)", re.MULTILINE)


def using_tool(place: Place) -> Block | None:
    """`Using tool: NAME` and then the call as JSON."""
    match = USING.match(place.text, place.at)
    read = json_at(place.text, match.end()) if match else None
    return Block(place.at, read[1], tuple(calls_in(read[0]))) if read else None


def fenced(place: Place) -> Block | None:
    """A fence whose language says that it is a call; any other with JSON, where it is all that the model said."""
    fence = fence_at(place.text, place.at)
    if fence is None:
        return None
    info, begin, stop, end = fence
    body = place.text[begin:stop]
    if CALL_FENCES.fullmatch(info):
        return _call_fence(place, info, begin, end)
    if info not in ("", "json", "JSON"):
        return None
    alone = place.lead and not place.text[end:].strip()
    read = json_at(body, 0)
    listed = read is not None and isinstance(read[0], list) and not place.text[end:].strip()
    if not (alone or listed):
        return None
    if read is None:
        return Block(place.at, end) if _began_call(body, place.names) and stop == end else None
    if isinstance(read[0], dict) and read[0].get("action") in ("Final Answer", "final_answer"):
        return Block(place.at, end, show=str(read[0].get("action_input", "")), mark=True)
    calls = calls_in(read[0])
    return Block(place.at, end, tuple(calls)) if calls and all(call.name in place.names for call in calls) else None


def _call_fence(place: Place, info: str, begin: int, end: int) -> Block:
    name = re.fullmatch(r"tool\s+(\S+)", info)
    read = json_at(place.text, begin)
    if read is not None:
        close = re.compile(r"\s*(?:`{3,}|~{3,}|</\w+>)").match(place.text, read[1])
        value = read[0]
        found = [Found(name[1], value)] if name and isinstance(value, dict) else calls_in(value)
        return Block(place.at, close.end() if close else end, tuple(found) if close else ())
    for close in re.finditer(r"\n`{3,}[ \t]*(?=\n|\Z)", place.text[begin:]):
        found = python_calls(place.text[begin : begin + close.start()])
        if found:
            return Block(place.at, begin + close.end(), tuple(found))
    last = place.text.rfind("\n```")
    body = place.text[begin:last] if last > begin else ""
    return Block(place.at, end, tuple(python_calls(body.replace("\n", "\\n"))))


FIRST_KEY = re.compile(r"\s*(?:\[\s*)?\{\s*\"(?P<key>\w+)\"\s*:\s*(?:\"(?P<value>[^\"]*)\")?")
CALL_KEYS = frozenset({"name", "tool", "tool_name", "function", "action"})


def _began_call(text: str, names: frozenset[str]) -> bool:
    """Whether JSON that does not read in full began as a call of an offered tool."""
    first = FIRST_KEY.match(text)
    return bool(first and first["key"] in CALL_KEYS and first["value"] in names)


def bare_json(place: Place) -> Block | None:
    """JSON as the first thing that is said: calls of offered tools, and OpenAI's envelope; all else is an answer."""
    text = place.text
    values, end = json_run(text, place.at)
    if not values:
        hidden = _began_call(text[place.at :], place.names) or _began_result(text[place.at :])
        return Block(place.at, len(text)) if hidden else None
    if any(isinstance(value, dict) and set(value) == {"tool_call_id", "content"} for value in values):
        return Block(place.at, end)
    calls = [call for value in values for call in calls_in(value)]
    if calls and all(call.name in place.names for call in calls):
        content = values[0].get("content") if isinstance(values[0], dict) else None
        return Block(place.at, end, tuple(calls), show=content if isinstance(content, str) else "")
    envelope = next(
        (value[key] for value in values if isinstance(value, dict) for key in ENVELOPES if value.get(key)), None
    )
    return Block(place.at, end) if isinstance(envelope, list) and any(map(_is_protocol_entry, envelope)) else None


def _began_result(text: str) -> bool:
    return bool(re.match(r"\s*\{\s*\"tool_call_id\"\s*:\s*\"[^\"]*\"\s*,\s*\"content\"\s*:", text))


def _is_protocol_entry(entry: object) -> bool:
    """Whether an entry of an envelope is a call that cannot be run, rather than somebody's own data."""
    if not isinstance(entry, dict):
        return False
    if str(entry.get("id")).startswith("call_") or isinstance(entry.get("function"), dict):
        return True
    return "arguments" in entry and ("call_id" in entry or "id" in entry)
